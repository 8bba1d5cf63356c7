"""Exercise 06.choose_pieces: choose pieces for one half of a text, and encode the other half with them.

Each text is in a language that is invented for it, so no list of pieces prepared in advance fits.
"""

from functools import lru_cache

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning import Case, Exercise
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.reference.pieces import Merger, Symbol


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
LEARNED, HELD = 1200, 1100  # characters


def length_with(text, pieces):
    """Return how many pieces a text becomes when the first of ``pieces`` has the best score.

    >>> length_with("aab", ["ab", "aa"]), length_with("aab", [])
    (2, 3)
    """
    merger = Merger(
        [Symbol(letter) for letter in text],
        {piece: rank for rank, piece in enumerate(pieces)},
        tuple(-float(rank) for rank in range(len(pieces))),
    )
    while merger.merge_next():
        pass
    return len(merger.present())


def with_marks(text):
    return text.replace(" ", "▁").replace("\n", "▁")


def cases(random):
    for _ in range(4):
        text = with_marks(InventedLanguage(random).text(LEARNED + HELD))
        yield Case("a text never seen", (text[:LEARNED], BUDGET), held=text[LEARNED:])


def complaint(case, yours):
    if not isinstance(yours, (list, tuple)) or not all(isinstance(piece, str) for piece in yours):
        return "a list of pieces, each a str"
    if len(yours) > case.args[1]:
        return f"at most {case.args[1]} pieces; yours are {len(yours)}"
    if len(set(yours)) < len(yours) or not all(1 < len(piece) <= 40 for piece in yours):
        return "different pieces of 2 to 40 characters: single characters cost nothing"
    return None


@lru_cache(maxsize=256)
def plain_length(given, held):
    return length_with(held, choose_pieces(*given))


def saving(cases, answers):
    """Return how much shorter the second halves become, in percent of the saving of plain byte pair encoding."""
    bare = plain = yours = 0
    for case, answer in zip(cases, answers):
        if case.held:  # the shown half counts for nothing: its answer can be prepared
            bare += len(case.held)
            plain += plain_length(case.args, case.held)
            yours += length_with(case.held, answer)
    return 100 * (bare - yours) / (bare - plain), None


EXERCISE = Exercise(
    "06.choose_pieces",
    "Choose your own pieces",
    "design",
    answer=choose_pieces,
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Which two neighbors occur together most often? Once they are one piece, what are its neighbors?",
        "Lesson 02 trains in this way on bytes, and lesson 14 on characters.",
        "repeat: count the pairs of neighbors in every word, append the most frequent one, merge it everywhere",
    ),
    accept=complaint,
    shown=(("a text never seen", with_marks(next(iter(course_sections().values()))[:LEARNED]), BUDGET),),
    drawn=cases,
    measure=saving,
    levels=((95.0, 4), (75.0, 2)),
    smaller_is_better=False,
    unit="percent of what plain byte pair encoding saves",
)
