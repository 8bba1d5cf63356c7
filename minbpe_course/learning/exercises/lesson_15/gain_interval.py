"""Exercise 15.gain_interval: a bootstrap interval whose draws are given, so that there is one right answer."""

from minbpe_course.learning import Exercise, Mistake


def gain_interval(rows, draws):
    """Return the lower and the upper limit of the gain of the second tokenizer.

    Is the second tokenizer better than the first, or was it lucky with these texts? Ask the bootstrap. You are given
    its draws, so that everyone gets the same interval.

    * **In:** `rows`, a list of (bytes, tokens of the first, tokens of the second), one for each text; `draws`, a list
      of draws, each a list of positions in `rows`, some of them more than once.
    * For each draw, compute bytes per token of the second minus bytes per token of the first, over the rows that were
      drawn.
    * **Out:** a pair: the smallest and the largest of these differences, after you drop `len(draws) // 40` of them at
      each end.

    With `rows = [(10, 5, 4), (20, 5, 4)]` and `draws = [[0, 0], [0, 1], [1, 1]]` the differences are 0.5, 0.75 and 1,
    and the answer is `(0.5, 1.0)`.
    """
    gains = []
    for places in draws:
        size, first, second = map(sum, zip(*(rows[place] for place in places)))
        gains.append(size / second - size / first)
    gains.sort()
    left_out = len(gains) // 40
    return gains[left_out], gains[-1 - left_out]


FEW = "too few draws to leave any out"


_APART = (
    ("gains = []", "ones, twos = [], []"),
    ("gains.append(size / second - size / first)", "ones.append(size / first); twos.append(size / second)"),
)


def _cases(random):
    for number in range(3, 9):
        for category, draws in ((FEW, 3 * number), ("draws of which some are left out", 40 + 12 * number)):
            rows = []
            for _ in range(number):
                size = random.randint(20, 400)
                first = random.randint(size // 5 + 1, size // 2)
                rows.append((size, first, max(1, first - random.randint(-2, 1 + first // 4))))
            yield category, rows, [random.choices(range(number), k=number) for _ in range(draws)]


EXERCISE = Exercise(
    "15.gain_interval",
    "Better, or lucky?",
    "write",
    answer=gain_interval,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Treat each draw as a corpus. How much better is the second tokenizer on that corpus?",
        "Lesson 15 asks how sure a difference is, and draws the texts again and again.",
        "for each draw: the rows at its positions; all bytes divided by all second tokens, minus all bytes divided by "
        "all first tokens; sort the results; leave out len(draws) // 40 at either end",
    ),
    shown=(
        (FEW, [(10, 5, 4), (20, 5, 4)], [[0, 0], [0, 1], [1, 1]]),
        (FEW, [(30, 10, 8), (7, 2, 3), (50, 20, 12)], [[0, 1, 2], [1, 1, 0], [2, 2, 1]]),
        (
            "draws of which some are left out",
            [(12, 4, 3), (30, 10, 8), (9, 3, 4)],
            [[at % 3, at * at % 3, at % 2] for at in range(41)],
        ),
    ),
    drawn=_cases,
    mistakes=(
        Mistake(
            "two-intervals",
            "These are two intervals, one subtracted from the other. Take the difference inside each draw.",
            like=(*_APART, ("gains.sort()", "gains = [two - one for one, two in zip(sorted(ones), sorted(twos))]")),
        ),
        Mistake(
            "farthest-apart",
            "That compares the best luck of one with the worst luck of the other. Both have the same draws.",
            like=(
                *_APART,
                ("gains.sort()", "gains = [two - one for one, two in zip(sorted(ones)[::-1], sorted(twos))]"),
            ),
        ),
        Mistake(
            "mean-of-ratios",
            "Sum first, divide last, in every draw.",
            like=(
                (
                    "size, first, second = map(sum, zip(*(rows[place] for place in places)))",
                    "some = [*map(rows.__getitem__, places)]",
                ),
                ("size / second - size / first", "sum(size / two - size / one for size, one, two in some) / len(some)"),
            ),
        ),
        Mistake(
            "nothing-cut",
            "With 40 draws or more, leave out one in forty at either end.",
            like=("len(gains) // 40", "0"),
        ),
        Mistake(
            "minus-cut",
            "At the upper end, which place has `cut` values after it? From the end, -1 is the last, and -0 the first.",
            like=("-1 - left_out", "-left_out"),
        ),
        Mistake(
            "unsorted",
            "The draws come in any order. Sort the results before you leave some out.",
            like=("gains.sort()", "pass"),
        ),
        Mistake(
            "one-in-twenty",
            "That leaves out one in twenty at either end. One in forty is asked for.",
            like=("// 40", "// 20"),
        ),
        Mistake(
            "other-way-round",
            "That is how much better the *first* is.",
            like=("size / second - size / first", "size / first - size / second"),
        ),
    ),
)
