"""Exercise 13.arcs: the arcs of a lattice, one for each place in the text where a piece fits."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_word
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.unigram_training import model_of


def arcs(text, scores):
    """Return (begin, end, score) of every piece at every position of the text, sorted.

    These are the arcs of the lattice: wherever a piece occurs in the text, an arc leads from the position where it
    begins to the position where it ends.

    * **In:** `text`, a str; `scores`, a dict from piece to score, never empty.
    * **Out:** a list of tuples `(begin, end, score)`, sorted by `begin`, then by `end`, where `text[begin:end]` is the
      piece. Characters that are in no piece have no arc.

    `arcs("aba", {"a": -1.0, "ab": -2.5})` is `[(0, 1, -1.0), (0, 2, -2.5), (2, 3, -1.0)]`.

    A text may have thousands of characters, but no piece is longer than the longest one in `scores`. So don't try every
    substring.

    The check tries pieces that overlap, pieces that occur several times, characters without a piece, an empty text, and
    a long text.
    """
    longest = max(map(len, scores))
    found = []
    for begin in range(len(text)):
        for end in range(begin + 1, min(begin + longest, len(text)) + 1):
            if text[begin:end] in scores:
                found.append((begin, end, scores[text[begin:end]]))
    return found


def of_lattice(text, scores):
    model = model_of(scores)
    return [
        (edge.begin, edge.end, scores[edge.piece]) for edge in lattice(text, model).edges if edge.id != model.unk_id
    ]


def first_places(text, scores):
    """Return one arc for each piece: where it occurs first."""
    found = [(text.find(piece), piece, score) for piece, score in scores.items() if piece in text]
    return sorted((begin, begin + len(piece), score) for begin, piece, score in found)


OVERLAPS, REPEATED, GAPS = "pieces that overlap", "a piece that occurs several times", "a character without a piece"
EMPTY, LONG = "an empty text", "a long text"


def cases(random):
    yield EMPTY, "", {"a": -1.0}
    for length in range(2, 11):
        word, scores = drawn_word(random, length)
        yield OVERLAPS, word, scores
        yield REPEATED, word * 2, scores
        gone = random.choice(sorted(set(word)))
        yield GAPS, word + "?", {piece: score for piece, score in scores.items() if piece != gone} or {"!": -1.0}
    text = ["x"] * 8_000
    for at in random.sample(range(0, 8_000, 4), 40):
        text[at] = "ab"
    yield LONG, "".join(text), {"a": -1.0, "ab": -1.5, "xxab": -3.0}


EXERCISE = Exercise(
    "13.arcs",
    "The arcs of a lattice",
    "write",
    answer=arcs,
    wanted=of_lattice,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "How many characters can a piece have that begins at a certain position? Try each of these lengths.",
        "Lesson 13, on the lattice: the picture of `▁unending` has a box for each arc.",
        "for each begin from left to right, for each end from begin + 1 to begin + the longest piece, but not beyond "
        "the text: if text[begin:end] is in scores, append (begin, end, its score)",
    ),
    shown=(
        (OVERLAPS, "ab", {"a": -1.0, "b": -2.0, "ab": -2.5}),
        (REPEATED, "aaa", {"a": -1.0, "aa": -2.5}),
        (GAPS, "a?", {"a": -1.0}),
        (EMPTY, "", {"a": -1.0}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "ends-too-early",
            "The last end is missing: `range(begin + 1, stop)` doesn't contain `stop`.",
            like=("len(text)) + 1", "len(text))"),
        ),
        Mistake(
            "once-for-each-piece",
            "A piece may occur at several positions. Each of them has an arc.",
            like=first_places,
        ),
        Mistake(
            "sorted-by-end",
            "Sort the arcs by where they begin, then by where they end.",
            like=("return found", "return sorted(found, key=lambda arc: (arc[1], arc[0]))"),
        ),
        Mistake(
            "every-substring",
            "You try every substring, and a long text has millions. No piece is longer than the longest in `scores`.",
            when=lambda case, outcome, wanted: case.category == LONG and outcome.state == "too slow",
        ),
    ),
)
