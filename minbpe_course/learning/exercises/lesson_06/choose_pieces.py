"""Exercise 06.choose_pieces: choose pieces for one half of a text, and encode the other half with them.

Each text is in a language that is invented for it, so no list of pieces prepared in advance fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from random import Random

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.judge.exercise import Case, Exercise


def choose_pieces(text, budget):
    """Return at most budget pieces, a list of str, the first with the best score.

    This one is open-ended. You get one half of a text and choose some pieces. We then encode the other half, which you
    do not see, with your pieces, using `encode_by_score`; the first of your pieces has the best score. Single
    characters are always available. The fewer pieces the other half needs, the better.

    * **In:** `text`, a str in which every space and line break is already `▁`; `budget`, how many pieces you may
      choose, a few dozen.
    * **Out:** a list of at most `budget` different pieces of 2 to 40 characters, best first.

    For example, `["▁t", "he", "▁the"]` is an allowed answer for every text, and a bad one: only the first text is
    English. All the others are in languages that are invented for the check, so a list prepared in advance won't help.

    Your result is how much shorter all the other halves become together, as a percentage of what plain byte pair
    encoding saves. A result of 95 or more earns all four points, 75 or more earns two. Can you get above 100?
    """
    import collections

    words = collections.Counter("▁" + word for word in text.split("▁") if word)
    rows = {word: list(word) for word in words}
    chosen = []
    while len(chosen) < budget:
        seen = collections.defaultdict(int)
        for word, row in rows.items():
            for left, right in zip(row, row[1:]):
                seen[left + right] += words[word]
        if not seen:
            break
        winner = max(seen, key=seen.get)
        chosen.append(winner)
        for row in [rows[word] for word in rows if winner in word]:
            for place in range(len(row) - 2, -1, -1):
                if "".join(row[place : place + 2]) == winner:
                    row[place : place + 2] = [winner]
    return list(dict.fromkeys(chosen))


BUDGET = 40
DRAWN = 4  # texts
LEARNED, HELD = 1200, 1100  # characters


def _length_with(text: str, pieces: Sequence[str]) -> int:
    """Return how many pieces a text becomes when the first of ``pieces`` has the best score.

    >>> _length_with("aab", ["ab", "aa"]), _length_with("aab", [])
    (2, 3)
    """
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    symbols, number = list(text), len(text)
    after, before = list(range(1, number + 1)), list(range(-1, number - 1))
    heap: list[tuple[int, int, str]] = []

    def push(at: int) -> None:
        if at >= 0 and after[at] < len(symbols):
            joined = symbols[at] + symbols[after[at]]
            if joined in ranks:
                heappush(heap, (ranks[joined], at, joined))

    for at in range(number):
        push(at)
    while heap:
        _, at, joined = heappop(heap)
        other = after[at]
        if not symbols[at] or other == len(symbols) or symbols[at] + symbols[other] != joined:
            continue  # one of the two was merged with another neighbour in the meantime
        symbols[at], symbols[other], after[at] = joined, "", after[other]
        if after[at] < len(symbols):
            before[after[at]] = at
        number -= 1
        push(before[at])
        push(at)
    return number


def _train_pieces(text: str, budget: int) -> list[str]:
    """Return the pieces that byte pair encoding on characters learns, first merge first, within words.

    >>> _train_pieces("▁aab▁aab", 2)
    ['▁a', '▁aa']
    """
    words = [list("▁" + word) for word in text.split("▁") if word]
    pieces: list[str] = []
    while len(pieces) < budget:
        counts = Counter(left + right for word in words for left, right in pairwise(word))
        if not counts:
            break
        best = max(counts, key=lambda pair: counts[pair])
        pieces.append(best)
        for word in words:
            at = 0
            while at + 1 < len(word):
                if word[at] + word[at + 1] == best:
                    word[at : at + 2] = [best]
                at += 1
    return pieces


@dataclass(frozen=True)
class HalvedText(Case):
    """The first half of a text as ``args``.

    held : the second half, which no answer gets.
    plain : how many pieces it becomes with those of plain byte pair encoding.
    """

    held: str = ""
    plain: int = 0


def _with_marks(text: str) -> str:
    return text.replace(" ", "▁").replace("\n", "▁")


def _design_cases(random: Random) -> Iterator[Case]:
    for _ in range(DRAWN):
        text = _with_marks(InventedLanguage(random).text(LEARNED + HELD))
        first, held = text[:LEARNED], text[LEARNED:]
        plain = _length_with(held, _train_pieces(first, BUDGET))
        yield HalvedText("a text never seen", (first, BUDGET), held=held, plain=plain)


def _complaint(case: Case, yours: object) -> str | None:
    if not isinstance(yours, (list, tuple)) or not all(isinstance(piece, str) for piece in yours):
        return "a list of pieces, each a str"
    if len(yours) > case.args[1]:
        return f"at most {case.args[1]} pieces; yours are {len(yours)}"
    if len(set(yours)) < len(yours) or not all(1 < len(piece) <= 40 for piece in yours):
        return "different pieces of 2 to 40 characters: single characters cost nothing"
    return None


def _saving(cases: tuple[Case, ...], answers: list[list[str]]) -> tuple[float, str | None]:
    """Return how much shorter the second halves become, in percent of the saving of plain byte pair encoding."""
    drawn = [(case, answer) for case, answer in zip(cases, answers) if isinstance(case, HalvedText)]
    bare = sum(len(case.held) for case, _ in drawn)
    plain = sum(case.plain for case, _ in drawn)
    yours = sum(_length_with(case.held, answer) for case, answer in drawn)
    return 100 * (bare - yours) / (bare - plain), None  # the shown half counts for nothing: its answer can be prepared


EXERCISE = Exercise(
    key="06.choose_pieces",
    answer=choose_pieces,
    title="Choose your own pieces",
    kind="design",
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Count which neighbors occur most often, and treat the pieces you have chosen as neighbors again.",
        "repeat: count the pairs of neighbors in every word, append the most frequent one, merge it everywhere",
        "Lesson 02 trains in this way on bytes, and lesson 14 on characters. Lesson 06 compares the two.",
    ),
    accept=_complaint,
    shown=(Case("a text never seen", (_with_marks(next(iter(course_sections().values()))[:LEARNED]), BUDGET)),),
    drawn=_design_cases,
    measure=_saving,
    levels=((95.0, 4), (75.0, 2)),
    smaller_is_better=False,
    unit="percent of what plain byte pair encoding saves",
)
