"""Exercise 02.count_pairs: count the pairs of a text."""

from itertools import groupby

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.judge.equality import same
from minbpe_course.reference.pairs import get_stats


def count_pairs(ids):
    """Return how often each pair of neighbors occurs, in the order of first appearance.

    A trainer begins by counting: how often does each pair of neighbors occur? The order of the result matters, too.
    When two pairs are equally frequent, the trainer takes the one that comes first in your dict.

    * **In:** `ids`, a list of ids or a `bytes` object.
    * **Out:** a dict from pair to count, in the order in which the pairs first appear.

    For example, `count_pairs([3, 1, 2, 1, 2])` is `{(3, 1): 1, (1, 2): 2, (2, 1): 1}`.

    Tried: pairs that occur often, overlapping pairs, bytes, one id, and no ids.
    """
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def complaint(case, answer):
    wanted = get_stats(*case.args)
    if not same(answer, wanted):
        return ""
    return None if list(answer) == list(wanted) else "the same counts, in the order in which the pairs first appear"


def count_apart(ids):
    """Count only those pairs that do not overlap."""
    counts = {}
    for pair, run in groupby(zip(ids, ids[1:])):
        counts[pair] = counts.get(pair, 0) + len(list(run)[::2])
    return counts


def cases(random):
    yield "no ids", []
    yield "one id", [random.randrange(256)]
    for length in range(2, 12):
        yield "every pair once", random.sample(range(256), length)
        yield "pairs that occur often", random.choices(range(3), k=2 * length)
        yield "bytes", bytes(random.choices(b"lower ", k=length))
        run = [random.randrange(256)] * random.randint(3, 7)
        yield "overlapping pairs", [*random.choices(range(97, 100), k=length), *run]


EXERCISE = Exercise(
    "02.count_pairs",
    "Count the pairs",
    "write",
    answer=count_pairs,
    difficulty=1,
    minutes=3,
    points=1,
    hints=(
        "The first time that a pair appears, it is not in the dict yet. What is its count before that?",
        "Lesson 02, section 1: `zip(ids, ids[1:])` goes through the pairs from left to right.",
        "begin with an empty dict; for each pair, from left to right: its new count is its count so far, 0 if it is "
        "new, plus 1; return the dict after the loop",
    ),
    wanted=get_stats,
    accept=complaint,
    shown=(
        ("every pair once", [1, 2, 3]),
        ("pairs that occur often", [3, 1, 2, 1, 2]),
        ("overlapping pairs", [7, 7, 7]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "forgets-earlier-places",
            "A pair may occur again: add to its earlier count instead of replacing it.",
            like=("counts.get(pair, 0) + 1", "1"),
        ),
        Mistake(
            "starts-at-one",
            "How often has a pair been seen before you see it for the first time?",
            like=("pair, 0", "pair, 1"),
        ),
        Mistake(
            "counts-apart",
            "7 7 7 contains the pair (7, 7) twice: pairs may overlap when they are counted.",
            like=count_apart,
        ),
        Mistake(
            "another-order",
            "The counts are right, but the pairs are not in the order in which they first appear. A dict keeps the "
            "order in which you fill it; a set has no order, and `sorted` and `most_common` make another one.",
            when=lambda case, outcome, wanted: same(outcome.value, wanted),
        ),
        Mistake(
            "returns-in-the-loop",
            "Your `return` is inside the loop, so it stops at the first pair. Move it to the left.",
            like=("    return counts", "        return counts"),
        ),
        Mistake(
            "new-pair",
            "The first time that a pair appears, it is not in the dict yet: `counts.get(pair, 0)` is 0 then.",
            when=lambda case, outcome, wanted: outcome.error == "KeyError",
        ),
        Mistake(
            "beyond-the-end",
            "The last id has no right neighbor: of n ids, only n - 1 begin a pair.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError",
        ),
    ),
)
