"""Exercise 08.distinct_at: fit Heaps' law, and predict the number of different words of a larger text."""

import math

from minbpe_course.learning import Exercise, Mistake


def distinct_at(seen, size):
    """Return how many different words a text of this size should have.

    You have counted a few texts of growing size, and want to know how many different words a much larger one will have.
    Heaps' law says that there are about `factor * size ** power`. Estimate `factor` and `power` from your counts, and
    predict the number for the large text.

    * **In:** `seen`, a list of two or more pairs `(bytes read, different words)`, with different sizes, in any order;
      `size`, a number of bytes.
    * **Out:** the number of different words that the law predicts for `size`. Don't round it; nine digits are enough.

    Fit the law as in the lesson: with both axes logarithmic, find the straight line with the smallest sum of squares.
    Every point counts. Compute the line yourself, without a function that fits lines.

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


KINDS = {"two points": 10**9, "nearly a power": 10**7, "a terabyte": 10**12, "in any order": 10**5}


def cases(random):
    for number in range(2, 9):
        root = random.randint(2, 9)
        yield "exactly a power", [(4**at, root * 2**at) for at in range(3, 3 + number)], 4 ** (number + 5)
        for category, size in KINDS.items():
            factor, power = random.uniform(1, 40), random.uniform(0.4, 0.9)
            sizes = random.sample(range(200, 200_000), 2 if category == "two points" else number + 2)
            seen = [(read, round(factor * read**power * random.uniform(0.8, 1.2))) for read in sizes]
            yield category, seen if category == "in any order" else sorted(seen), size


STILL_A_LOGARITHM = ("return math.exp(", "return (")

EXERCISE = Exercise(
    "08.distinct_at",
    "How many words are still to come?",
    "write",
    answer=distinct_at,
    minutes=15,
    hints=(
        "How do you have to transform the two numbers of a point so that the points are on a straight line?",
        "Lesson 08, on the list of words that never ends: `np.polyfit` fits the line there; here you compute the sums.",
        "x, y = logarithms; slope = sum of (x - mean x)(y - mean y) / sum of (x - mean x)²; the line goes"
        " through the point of the means; at the end, convert back from the logarithm",
    ),
    shown=(
        ("exactly a power", [(1_000, 200), (4_000, 400), (16_000, 800)], 64_000),
        ("nearly a power", [(1_000, 150), (2_000, 260), (4_000, 400), (8_000, 690)], 10**9),
    ),
    drawn=cases,
    avoid=("polyfit", "linear_regression", "lstsq"),
    mistakes=(
        Mistake(
            "straight-line",
            "New words become rarer and rarer: the points lie on a straight line only when both axes are logarithmic.",
            like=(("math.log(", "("), STILL_A_LOGARITHM),
        ),
        Mistake(
            "one-axis-only",
            "Take the logarithm of the words as well, on the other axis.",
            like=(("math.log(words)", "words"), STILL_A_LOGARITHM),
        ),
        Mistake(
            "still-a-logarithm",
            "That is the logarithm of the answer. Convert it back.",
            like=STILL_A_LOGARITHM,
        ),
        Mistake(
            "rounded",
            "Return the number as it comes, not rounded.",
            like=lambda seen, size: round(distinct_at(seen, size)),
        ),
        Mistake(
            "in-proportion",
            "Twice the text has fewer than twice the different words.",
            like=lambda seen, size: size * max(seen)[1] / max(seen)[0],
        ),
        Mistake(
            "first-and-last",
            "Use all points, not only the first and the last.",
            like=lambda seen, size: distinct_at([min(seen), max(seen)], size),
        ),
        Mistake(
            "last-two",
            "Use all points, not only the last two.",
            like=lambda seen, size: distinct_at(sorted(seen)[-2:], size),
        ),
    ),
)
