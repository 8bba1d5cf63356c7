"""Exercise 08.distinct_at: fit Heaps' law, and predict the number of different words of a larger text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from math import exp, log
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def distinct_at(seen, size):
    """Return how many different words a text of this size should have.

    You have counted a few texts of growing size, and want to know how many different words a much larger one will have.
    Heaps' law says that there are about `factor * size ** power`. Estimate `factor` and `power` from your counts, and
    predict the number for the large text.

    * **In:** `seen`, a list of two or more pairs `(bytes read, different words)`, with different sizes, in any order;
      `size`, a number of bytes.
    * **Out:** the number of different words that the law predicts for `size`. It doesn't have to be an integer.

    Fit the law as in the lesson: with both axes logarithmic, find the straight line with the smallest sum of squares.
    Every point counts.

    For example, `distinct_at([(1_000, 200), (4_000, 400), (16_000, 800)], 64_000)` is 1600, because each time, four
    times the text has twice as many words.

    The check tries exact powers, points that are only nearly on a line, two points, and a terabyte.
    """
    across = [math.log(read) for read, _ in seen]
    up = [math.log(words) for _, words in seen]
    middle, height = sum(across) / len(seen), sum(up) / len(seen)
    rise = sum((x - middle) * (y - height) for x, y in zip(across, up))
    power = rise / sum((x - middle) ** 2 for x in across)
    return math.exp(height + power * (math.log(size) - middle))


Seen = Sequence[tuple[int, int]]


def reference_distinct_at(seen: Seen, size: int) -> float:
    """Return the different words in a text of ``size`` by the law that fits best: a straight line on logarithmic axes.

    >>> round(distinct_at([(100, 10), (10_000, 100)], 1_000_000))
    1000
    """
    points = [(log(read), log(words)) for read, words in seen]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return exp(mean_y - slope * mean_x + slope * log(size))


def _growth(random: Random, number: int, noise: float) -> list[tuple[int, int]]:
    factor, power = random.uniform(1, 40), random.uniform(0.4, 0.9)
    sizes = sorted(random.sample(range(200, 200_000), number))
    return [(size, max(1, round(factor * size**power * random.uniform(1 - noise, 1 + noise)))) for size in sizes]


def _law_cases(random: Random) -> Iterator[Case]:
    for number in range(2, 9):
        root = random.randint(2, 9)
        exact = [(4**at, root * 2**at) for at in range(3, 3 + number)]
        yield Case("exactly a power", (exact, 4 ** (number + 5)))
        yield Case("two points", (_growth(random, 2, 0.1), random.randint(10**6, 10**9)))
        yield Case("nearly a power", (_growth(random, number + 2, 0.2), random.randint(10**6, 10**7)))
        yield Case("a terabyte", (_growth(random, number + 2, 0.2), 10**12))
        shuffled = _growth(random, number + 2, 0.2)
        random.shuffle(shuffled)
        yield Case("in any order", (shuffled, random.randint(1, 10**7)))


EXERCISE = Exercise(
    key="08.distinct_at",
    answer=distinct_at,
    title="How many words are still to come?",
    kind="write",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "How do you have to transform the two numbers of a point so that the points are on a straight line?",
        "x, y = logarithms; slope = sum of (x - mean x)(y - mean y) / sum of (x - mean x)²; the line goes"
        " through the point of the means; at the end, convert back from the logarithm",
        "Lesson 08, on the list of words that never ends: `np.polyfit` fits the line there; here you "
        "compute the sums yourself.",
    ),
    wanted=reference_distinct_at,
    shown=(
        Case("exactly a power", ([(1_000, 200), (4_000, 400), (16_000, 800)], 64_000)),
        Case("two points", ([(100, 50), (10_000, 800)], 1_000_000)),
        Case("nearly a power", ([(1_000, 150), (2_000, 260), (4_000, 400), (8_000, 690)], 10**9)),
    ),
    drawn=_law_cases,
    mistakes=(
        Mistake(
            "straight-line",
            "New words become rarer and rarer: the points lie on a straight line only when both axes are logarithmic.",
            like=edited(reference_distinct_at, ("log(", "("), ("return exp", "return ")),
        ),
        Mistake(
            "one-axis-only",
            "Take the logarithm of the words as well, on the other axis.",
            like=edited(reference_distinct_at, ("log(words)", "words"), ("return exp", "return ")),
        ),
        Mistake(
            "still-a-logarithm",
            "That is the logarithm of the answer.",
            like=edited(reference_distinct_at, ("return exp", "return ")),
        ),
        Mistake(
            "in-proportion",
            "Twice the text has fewer than twice the different words.",
            like=lambda seen, size: size * max(seen)[1] / max(seen)[0],
        ),
        Mistake(
            "first-and-last",
            "Use all points, not only the first and the last.",
            like=edited(reference_distinct_at, ("in seen]", "in (min(seen), max(seen))]")),
        ),
        Mistake(
            "last-two",
            "Use all points, not only the last two.",
            like=edited(reference_distinct_at, ("in seen]", "in sorted(seen)[-2:]]")),
        ),
    ),
)
