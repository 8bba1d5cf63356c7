"""Exercise 06.choose_pieces: choose pieces for one half of a text, and encode the other half with them.

The course text is public, so each draw exchanges the letters a to z: no list of pieces made for English fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise
from random import Random
from string import ascii_lowercase, ascii_uppercase

from minbpe_course.checks.exercise import Case, Exercise
from minbpe_course.corpus.texts import course_sections

BUDGET = 40
STORIES, DRAWN = 12, 3  # the sections of the course text in English prose; how many of them are drawn
LEARNED, HELD, SHORTEST = 1200, 1100, 1100  # characters


@cache
def _halves() -> dict[str, str]:
    """Return first half -> second half for the sections of the course text.

    Short sections are left out: in them, pairs that occur by chance do as well as pairs that occur again.
    """
    halves = {}
    for text in list(course_sections().values())[:STORIES]:
        text = text.replace(" ", "▁").replace("\n", "▁")
        middle = len(text) // 2
        halves[text[:middle][:LEARNED]] = text[middle:][:HELD]
    return {learned: held for learned, held in halves.items() if len(learned) > SHORTEST}


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


@cache
def _lengths(learned: str) -> tuple[int, int]:
    """Return the length of the second half without any pieces, and with those of plain byte pair encoding.

    Both are the same after an exchange of letters, because ties go to the pair that comes first in the text.
    """
    held = _halves()[learned]
    return len(held), _length_with(held, _train_pieces(learned, BUDGET))


def _public_half() -> str:
    return min(_halves(), key=len)


def _in_other_letters(text: str, letters: str) -> str:
    """Return a text with the letters a to z exchanged for these, and capitals likewise.

    >>> _in_other_letters("A cab!", "bca" + ascii_lowercase[3:])
    'B abc!'
    """
    return text.translate(str.maketrans(ascii_lowercase + ascii_uppercase, letters + letters.upper()))


def _design_cases(random: Random) -> Iterator[Case]:
    hidden = sorted(learned for learned in _halves() if learned != _public_half())
    for learned in sorted(random.sample(hidden, DRAWN), key=len):
        letters = "".join(random.sample(ascii_lowercase, len(ascii_lowercase)))
        yield Case("a text never seen", (_in_other_letters(learned, letters), BUDGET))


def _shape(text: str) -> tuple[int | str, ...]:
    """Return what an exchange of letters does not change: where each letter occurs again, and all other characters."""
    met: dict[str, int] = {}
    return tuple(met.setdefault(one, len(met)) if one in ascii_lowercase else one for one in text.lower())


@cache
def _by_shape() -> dict[tuple[int | str, ...], str]:
    return {_shape(learned): learned for learned in _halves()}


def _original(learned: str) -> tuple[str, str]:
    """Return the half of the course text that this one was before its letters were exchanged, and the letters."""
    before = _by_shape()[_shape(learned)]
    table = {one: other for one, other in zip(before.lower(), learned.lower()) if one in ascii_lowercase}
    unused = iter(sorted(set(ascii_lowercase) - set(table.values())))  # for letters that this half does not have
    return before, "".join(table.get(letter) or next(unused) for letter in ascii_lowercase)


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
    bare = plain = yours = 0
    for case, answer in zip(cases, answers):
        if case.args[0] == _public_half():
            continue  # a list made for the public half proves nothing
        learned, letters = _original(case.args[0])
        bare, plain = (so_far + more for so_far, more in zip((bare, plain), _lengths(learned)))
        yours += _length_with(_in_other_letters(_halves()[learned], letters), answer)
    return 100 * (bare - yours) / (bare - plain), None


EXERCISE = Exercise(
    key="06.choose_pieces",
    title="Choose your own pieces",
    kind="design",
    entry="choose_pieces",
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Count which neighbours occur most often, and treat the pieces that you have chosen as neighbours again.",
        "Repeat: count the pairs of neighbours in every word, append the most frequent one, merge it everywhere.",
        "Lesson 02 trains in this way on bytes; lesson 10, section 6, on characters.",
    ),
    accept=_complaint,
    shown=(Case("a text never seen", (_public_half(), BUDGET)),),
    drawn=_design_cases,
    measure=_saving,
    levels=((95.0, 4), (75.0, 2)),
    smaller_is_better=False,
    unit="percent of what plain byte pair encoding saves",
)
