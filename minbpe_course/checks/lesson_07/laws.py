"""Lesson 07, a law fitted and read off far away: how many different words a text has that nobody has counted yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake

Seen = Sequence[tuple[int, int]]


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The straight line with the smallest sum of squares: its height at 0, and its slope."""
    across = sum(x for x, _ in points) / len(points)
    up = sum(y for _, y in points) / len(points)
    slope = sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)
    return up - slope * across, slope


def _on_logarithms(seen: Seen, size: int) -> float:
    height, slope = _line([(math.log(read), math.log(words)) for read, words in seen])
    return height + slope * math.log(size)


def _distinct_at(seen: Seen, size: int) -> float:
    return math.exp(_on_logarithms(seen, size))


def _on_a_plain_line(seen: Seen, size: int) -> float:
    height, slope = _line([(float(read), float(words)) for read, words in seen])
    return height + slope * size


def _from_two(choose: Callable[[Seen], Seen]) -> Callable[[Seen, int], float]:
    return lambda seen, size: _distinct_at(choose(sorted(seen)), size)


def _in_proportion(seen: Seen, size: int) -> float:
    read, words = max(seen)
    return words * size / read


def _half_logarithmic(seen: Seen, size: int) -> float:
    height, slope = _line([(math.log(read), float(words)) for read, words in seen])
    return height + slope * math.log(size)


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


DISTINCT_AT = Exercise(
    key="07.distinct_at",
    title="How many words are still to come?",
    kind="write",
    entry="distinct_at",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Which two numbers of a point have to be changed, so that the points lie on a straight line?",
        "x, y = logarithms; slope = sum of (x - mean x)(y - mean y) / sum of (x - mean x)²; the line goes through the "
        "point of the means; at the end, back from the logarithm",
        'Lesson 07, "How many different words are there?": `np.polyfit` does it there; here the sums are by hand.',
    ),
    wanted=_distinct_at,
    shown=(
        Case("exactly a power", ([(1_000, 200), (4_000, 400), (16_000, 800)], 64_000)),
        Case("two points", ([(100, 50), (10_000, 800)], 1_000_000)),
        Case("nearly a power", ([(1_000, 150), (2_000, 260), (4_000, 400), (8_000, 690)], 10**9)),
    ),
    drawn=_law_cases,
    mistakes=(
        Mistake(
            "straight-line",
            "New words become rarer and rarer: the points are on a straight line only when both axes are logarithmic.",
            like=_on_a_plain_line,
        ),
        Mistake(
            "one-axis-only",
            "Both axes are logarithmic, that of the words as well.",
            like=_half_logarithmic,
        ),
        Mistake(
            "still-a-logarithm",
            "That is the logarithm of the answer.",
            like=_on_logarithms,
        ),
        Mistake(
            "in-proportion",
            "Twice the text has fewer than twice the different words.",
            like=_in_proportion,
        ),
        Mistake(
            "first-and-last",
            "All points have a say, not only the first and the last.",
            like=_from_two(lambda seen: [seen[0], seen[-1]]),
        ),
        Mistake(
            "last-two",
            "All points have a say, not only the last two.",
            like=_from_two(lambda seen: seen[-2:]),
        ),
    ),
)
