"""Exercise 13.count_paths: how many segmentations a text has."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_pieces


def count_paths(text, pieces):
    """Return how many segmentations the text has.

    A text can be split into pieces in many ways. How many exactly? You don't have to list them: walk from left to
    right, and keep for every position the number of ways that lead there.

    * **In:** `text`, a str; `pieces`, a list of different str, none of them empty.
    * **Out:** an int. There is one way to split the empty text.

    `count_paths("abc", ["a", "b", "c", "ab", "bc"])` is `3`: `a|b|c`, `ab|c` and `a|bc`. One line is missing.

    The check tries texts with a few ways, with none, and with more ways than any computer could list.
    """
    ways = [1] + [0] * len(text)
    for start in range(len(text)):
        for piece in pieces:
            if text.startswith(piece, start):
                ### BEGIN SOLUTION
                ways[start + len(piece)] += ways[start]
                ### END SOLUTION
    return ways[len(text)]


FEW, MANY, NONE = "a few ways", "more ways than anyone can list", "no way at all"


def way_cases(random):
    """Yield texts with pieces that occur in them."""
    yield "empty text", "", ["a"]
    for length in range(2, 12):
        text = "".join(random.choices("ab", k=length))
        yield FEW, text, drawn_pieces(random, text, 5)
        text = "".join(random.choices("▁aé中🙂\u0301", k=length))
        yield FEW, text, drawn_pieces(random, text, 5)
        yield NONE, text + "?", [*drawn_pieces(random, text, 4), "?!"]
        yield NONE, "?" + text, drawn_pieces(random, text, 4)
        text = random.choice("aé中") * random.randint(150, 300)
        yield MANY, text, [text[:size] for size in random.sample(range(1, 7), 3)] + [text[0]]


EXERCISE = Exercise(
    "13.count_paths",
    "In how many ways?",
    "fill",
    answer=count_paths,
    picture="""
from minbpe_course.learning.charts.pieces import draw_lattice

used = {(0, 1): 1, (1, 2): 1, (2, 3): 2, (0, 2): 1, (1, 3): 1}
draw_lattice("abc", used, [(0, 2), (2, 3)], "Two of the three ways arrive with c, and one with bc")
""",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Suppose you know in how many ways the text up to `start` can be split. What does a piece that begins there do "
        "with each of these ways?",
        "Lesson 13, on counting: `ways[start]` is known when the walk arrives at `start`. What does each piece add to "
        "the position where it ends?",
        "every way to `start` continues to the end of the piece: add the number of these ways to the number already "
        "there",
    ),
    shown=(
        (FEW, "abc", ["a", "b", "c", "ab", "bc"]),
        (FEW, "aaaa", ["a", "aa", "aaa"]),
        (NONE, "ab", ["a"]),
        (NONE, "ba", ["a"]),
        (MANY, "a" * 60, ["aa", "a"]),
    ),
    drawn=way_cases,
    mistakes=(
        Mistake(
            "overwrites",
            "Several pieces may end at one place: the ways over all of them count, not those over one.",
            like=("+= ways[start]", "= ways[start]"),
        ),
        Mistake(
            "counts-steps",
            "This adds one for each piece that ends there. All the ways that lead to its start go through it.",
            like=("+= ways[start]", "+= 1"),
        ),
        Mistake(
            "one-too-many",
            "A piece adds no way of its own: it continues those that reach it.",
            like=("+= ways[start]", "+= ways[start] + 1"),
        ),
        Mistake(
            "or-one",
            "No way leads to some positions. A piece that begins there adds 0.",
            like=("+= ways[start]", "+= ways[start] or 1"),
        ),
        Mistake(
            "ends-too-early",
            "A piece ends `len(piece)` characters after its start, not one.",
            like=("start + len(piece)", "start + 1"),
        ),
        Mistake(
            "both-directions",
            "No way arrives at the end of the text. A piece leads from `start` to its own end: add the number there.",
            when=lambda case, outcome, wanted: outcome.value == 0 and wanted > 0,
        ),
    ),
)
