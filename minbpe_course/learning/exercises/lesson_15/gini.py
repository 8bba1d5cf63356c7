"""Exercise 15.gini: how unevenly costs are shared among the speakers of languages."""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference import measures


def gini(costs, speakers):
    """Return how unevenly the costs are spread over people: 0 if all pay the same.

    The same text exists in several languages, and each person pays for theirs. Lesson 15 counts each language
    once, but some have a thousand times as many speakers as others. How unevenly are the costs spread over people?

    * **In:** `costs`, a list of numbers, 0 or more, in any order, not all of them 0: what one speaker of each language
      pays; `speakers`, a list of int above 0, up to a billion: how many people speak it.
    * **Out:** the Gini index of all these people: 1 minus twice the area under the Lorenz curve.

    The curve begins at (0, 0) and goes straight from point to point, the cheapest language first. Each language adds
    its share of all people to the first coordinate, and what they pay, as a share of all payments, to the second.

    `gini([1, 3], [1, 1])` is `0.25`, as in the lesson. `gini([1, 3], [1, 3])` is `0.15`, because three of four people
    pay the same. There are too many people to compare them in pairs.
    """
    payments = sum(cost * number for cost, number in zip(costs, speakers))
    area = height = 0
    for cost, number in sorted(zip(costs, speakers)):
        width, step = number / sum(speakers), cost * number / payments
        area += width * (height + step / 2)
        height += step
    return 1 - 2 * area


ALIKE, ONE, MORE = "all alike", "one language pays", "some pay more"


def _of_people(costs, speakers):
    """Return the Gini index of a list with a cost for each person, or for each group of equally many people."""
    group = math.gcd(*speakers)
    return measures.gini([cost for cost, number in zip(costs, speakers) for _ in range(number // group)])


def _gini_cases(random):
    for number in range(2, 13):
        people = [random.randint(1, 9) for _ in range(number)]
        costs = [random.randint(1, 20 * number) for _ in range(number)]
        yield ALIKE, costs[:1] * number, people
        yield ONE, random.sample([costs[0], *[0] * (number - 1)], number), people
        yield MORE, costs, people
        yield MORE, [round(cost / 7, 2) for cost in costs], [some * 10**7 for some in people]


EXERCISE = Exercise(
    "15.gini",
    "How uneven, for people?",
    "write",
    answer=gini,
    picture="""
from minbpe_course.learning.charts.lines import draw_lines

one, three = [(0, 0), (0.5, 0.25), (1, 1)], [(0, 0), (0.25, 0.1), (1, 1)]
lines = {"as many speakers: 0.25": one, "three times as many: 0.15": three, "all alike: 0": [(0, 0), (1, 1)]}
title = "Two languages, one costs three times as much and has ..."
draw_lines(lines, title, "share of all people, the cheapest first", "share of all payments")
""",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Draw the Lorenz curve of the costs 1 and 3, with equally many speakers, on paper: three points, and below it "
        "a triangle and a trapezoid. What changes if the second language has three times as many speakers?",
        "Lesson 15, on who pays what, compares all pairs. With equally many speakers, you get the same.",
        "sort the languages by cost; for each: its width is its share of all people, its step the share of all "
        "payments that its speakers pay; add width * (height so far + step / 2) to the area, then step to the height; "
        "the index is 1 minus twice the area",
    ),
    wanted=_of_people,
    shown=(
        (MORE, [1, 3], [1, 1]),
        (MORE, [1, 3], [1, 3]),
        (MORE, [60, 283, 85], [4, 1, 2]),
        (ONE, [5, 0, 0], [1, 2, 1]),
        (ALIKE, [4, 4], [3, 2]),
    ),
    drawn=_gini_cases,
    mistakes=(
        Mistake(
            "not-divided",
            "Divide: both coordinates are shares, of all people and of all payments, and both end at 1.",
            when=lambda case, outcome, wanted: (
                outcome.state == "value" and type(outcome.value) in (int, float) and abs(outcome.value) > 1.5
            ),
        ),
        Mistake(
            "unsorted",
            "A Lorenz curve begins with the cheapest language. Sort first.",
            like=("sorted(zip(costs, speakers))", "zip(costs, speakers)"),
        ),
        Mistake(
            "every-language-once",
            "Each language counts once here. Its speakers count: they are the width of its strip, and they all pay.",
            like=lambda costs, speakers: measures.gini(costs),
        ),
        Mistake(
            "costs-alone",
            "All speakers of a language pay. Together they pay the cost times their number.",
            like=("cost * number", "cost"),
        ),
        Mistake(
            "equal-widths",
            "A language is as wide as its share of all people, not one nth.",
            like=("number / sum(speakers)", "1 / len(speakers)"),
        ),
        Mistake(
            "by-payment",
            "The cheapest language is the one with the lowest cost for one speaker, not for all of them together.",
            like=(
                "sorted(zip(costs, speakers))",
                "sorted(zip(costs, speakers), key=lambda language: language[0] * language[1])",
            ),
        ),
        Mistake(
            "area-once",
            "That is 1 minus the area. Subtract twice the area.",
            like=("2 * area", "area"),
        ),
        Mistake(
            "half",
            "Your result is always half the right one. The index is twice the area between the diagonal and the curve.",
            like=("1 - 2 * area", "0.5 - area"),
        ),
        Mistake(
            "other-side",
            "0 means equality, and nearly 1 means that one pays everything.",
            like=("1 - 2 * area", "2 * area"),
        ),
        Mistake(
            "negative",
            "Right, except for the sign. Does your curve begin with the cheapest, and is it below the diagonal?",
            like=("1 - 2 * area", "2 * area - 1"),
        ),
        Mistake(
            "steps",
            "The curve goes straight from point to point. Yours climbs in steps.",
            like=("step / 2", "step"),
        ),
        Mistake(
            "steps-below",
            "The curve goes straight from point to point. Yours climbs in steps.",
            like=(" + step / 2", ""),
        ),
        Mistake(
            "without-the-origin",
            "Your curve begins at the first language. It begins at (0, 0).",
            like=(
                "1 - 2 * area",
                "1 - 2 * area + min((c, n, c * n * n / payments / sum(speakers)) for c, n in zip(costs, speakers))[2]",
            ),
        ),
    ),
)
