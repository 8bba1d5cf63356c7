"""Exercise 15.gini: how unevenly costs are shared."""

from minbpe_course.learning.judge.exercise import Exercise, Mistake
from minbpe_course.reference import measures


def gini(costs):
    """Return how unevenly the costs are spread: 0 if all pay the same.

    The same text exists in several languages, and each has its own cost. How unevenly are the costs spread?

    * **In:** `costs`, a list of numbers, 0 or more, in any order; at least two, and not all of them 0.
    * **Out:** the Gini index: 1 minus twice the area under the Lorenz curve. The curve connects its points with
      straight lines. For the cheapest k of n languages there is a point at k/n, and its height is the share of the
      total cost that these k pay.

    `gini([1, 3])` is `0.25`, `gini([0, 0, 0, 5])` is `0.75`, and `gini([4, 4, 4])` is `0`.
    """
    ordered, n = sorted(costs), len(costs)
    weighted = sum((2 * place + 1 - n) * cost for place, cost in enumerate(ordered))
    return weighted / (n * sum(ordered))


def _gini_cases(random):
    yield "all alike", [random.randint(2, 90)] * random.randint(3, 7)
    yield "one pays", [0, random.randint(2, 90), 0, 0]
    yield "one pays", [0, 0, random.randint(2, 90), 0, 0, 0]
    for number in range(3, 13):
        costs = [random.randint(1, 20 * number) for _ in range(number)]
        yield "some pay more", [max(costs) + 5, *costs, min(costs), 1]
        yield "some pay more", [round(cost / 7, 2) for cost in [*costs, 2 * max(costs), 3]]


EXERCISE = Exercise(
    key="15.gini",
    answer=gini,
    picture="""
from minbpe_course.learning.charts.lines import draw_lines

lines = {"1 and 3: Gini index 0.25": [(0, 0), (0.5, 0.25), (1, 1)], "all alike: 0": [(0, 0), (1, 1)]}
title = "Two languages, one pays three times as much"
draw_lines(lines, title, "share of the languages, the cheapest first", "share of all tokens")
""",
    title="How uneven?",
    kind="write",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Draw the Lorenz curve of `[1, 3]` on paper: three points, and under it a triangle and a trapezoid.",
        "sort; go through the costs with the sum so far; each adds a strip of width 1/n whose height is the mean "
        "of the share before and after it; the index is 1 minus twice the area",
        "Lesson 15, on who pays how much, and its picture. Or: the mean difference of all pairs, divided "
        "by twice the mean.",
    ),
    wanted=measures.gini,
    shown=(
        ("some pay more", [1, 3]),
        ("some pay more", [60, 283, 85]),
        ("one pays", [0, 0, 0, 5]),
        ("all alike", [4, 4, 4]),
    ),
    drawn=_gini_cases,
    mistakes=(
        Mistake(
            "unsorted",
            "A Lorenz curve begins with the cheapest. Sort first.",
            like=("sorted(costs)", "costs"),
        ),
        Mistake(
            "not-divided",
            "The index is at most 1, for any number of languages. By what do you divide so that it is?",
            like=("n * sum", "sum"),
        ),
        Mistake(
            "half",
            "Your result is always half the right one. The index is twice the area between the diagonal and the curve.",
            like=lambda costs: gini(costs) / 2,
        ),
        Mistake(
            "twice",
            "Your result is always twice the right one. What do you divide the mean difference of all pairs by?",
            like=lambda costs: gini(costs) * 2,
        ),
        Mistake(
            "other-side",
            "0 means equality, and nearly 1 means that one pays everything.",
            like=lambda costs: 1 - gini(costs),
        ),
        Mistake(
            "negative",
            "Right, except for the sign. Does your curve begin with the cheapest, and is it below the diagonal?",
            like=lambda costs: -gini(costs),
        ),
        Mistake(
            "of-a-sample",
            "That has the factor n / (n - 1) with which statisticians estimate a larger population. Here all are "
            "counted.",
            like=lambda costs: gini(costs) * len(costs) / (len(costs) - 1),
        ),
        Mistake(
            "steps",
            "The curve goes straight from point to point. Yours climbs in steps.",
            like=lambda costs: gini(costs) - 1 / len(costs),
        ),
        Mistake(
            "steps-below",
            "The curve goes straight from point to point. Yours climbs in steps.",
            like=lambda costs: gini(costs) + 1 / len(costs),
        ),
    ),
)
