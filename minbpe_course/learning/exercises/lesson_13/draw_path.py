"""Exercise 13.draw_path: a random segmentation, with random numbers that are given, so that there is one right answer.

No number is so near to the border between two pieces that rounding could decide.
"""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against, drawn_word
from minbpe_course.learning.exercises.lesson_14.paths import likeliest, turned_round


def draw_path(text, scores, alpha, numbers):
    """Return the pieces of the segmentation that these numbers draw, a list of str.

    While a language model is trained, the same word may be split differently each time, with the likelier ways more
    often. Draw one of them. The random numbers have already been drawn, so there is one right answer.

    * **In:** `text`, a str that the pieces can spell; `scores`; `alpha`, a number above 0; `numbers`, a list of numbers
      from 0 up to but not including 1, one for each character, which is more than you need.
    * **Out:** the list of pieces, from left to right.

    The weight of a piece is `exp(alpha * score)`, and the weight of a segmentation is the product of its
    pieces' weights. With a small `alpha`, all segmentations become almost equally likely. With a large one, the best
    one wins nearly always.

    1. From left to right, compute the **total** of each position: the weight of all ways to it. The total of position
       0 is 1.
    2. Then go from the end to the beginning. Look at the pieces that **end** at the current position, the longest
       first. The share of each is the total of the position where it begins, times its own weight. Together, the shares
       add up to the total of the current position.
    3. Take the next number of the list, times the total of this position, and go through the shares until it is used
       up. The piece you have reached is drawn. Continue at the position where it begins, with the next number.

    With the scores -1 for `a`, -1 for `b` and -1.5 for `ab`, the text `ab` ends in `ab` with a share of 0.62, and in
    `b` with 0.38. So 0.6 draws `ab`, and 0.7 draws `a`, `b`.

    The check tries values of `alpha` that leave the scores as they are, that flatten them or sharpen them, and an empty
    text.
    """

    totals = [1.0]
    shares = [[]]
    for end in range(1, len(text) + 1):
        ending = [begin for begin in range(end) if text[begin:end] in scores]
        shares.append([(begin, totals[begin] * math.exp(alpha * scores[text[begin:end]])) for begin in ending])
        totals.append(sum(share for _, share in shares[end]))
    drawn, place = [], len(text)
    for number in numbers:
        if place == 0:
            break
        rest = number * totals[place]
        for begin, share in shares[place]:  # noqa: B007
            rest -= share
            if rest < 0:
                break
        drawn.append(text[begin:place])
        place = begin
    drawn.reverse()
    return drawn


SHORT, SMOOTH, SHARP = "alpha 1", "alpha below 1", "alpha above 1"


def draw_cases(random):
    """Yield texts with numbers, short ones first, until each mistake has failed several times."""
    yield SHORT, "", {"a": -1.0}, 1.0, []
    tempting = (
        "its-own-share-only",
        "what-leads-there-only",
        "shortest-first",
        "one-number",
        "number-of-the-character",
        "always-the-likeliest",
    )
    names = {SHORT: tempting, **dict.fromkeys((SMOOTH, SHARP), (*tempting, "forgets-alpha", "alpha-as-factor"))}
    yield from cases_against(EXERCISE, names, lambda category: _drawn(random, category))


def _drawn(random, category):
    alphas = {SHORT: (1.0,), SMOOTH: (0.05, 0.2, 0.5), SHARP: (1.5, 2.0)}[category]
    while True:
        text, scores = drawn_word(random, random.randint(2, 9))
        alpha, numbers = random.choice(alphas), [random.random() for _ in text]
        below, above = (draw_path(text, scores, alpha, [number + far for number in numbers]) for far in (-1e-6, 1e-6))
        # Rounding decides nothing. An answer that always takes the best may take either of two.
        if below == above and turned_round(text, scores) == likeliest(text, scores):
            return text, scores, alpha, numbers


EXERCISE = Exercise(
    "13.draw_path",
    "A random segmentation",
    "write",
    answer=draw_path,
    difficulty=3,
    minutes=25,
    points=3,
    hints=(
        "First walk from left to right: for each position, compute the sum over all ways to it. Then draw, from the "
        "end to the beginning: which piece was the last one?",
        "Lesson 13, on drawing a segmentation: the forward pass, and many draws compared with the exact shares.",
        "total[0] = 1; total[end] += total[begin] * exp(alpha * score). At position `end`, for each piece that ends "
        "here, longest first: its share is total[begin] * exp(alpha * score); subtract share after share from number * "
        "total[end]; the piece at which it becomes negative is the one. Go to the position where it begins, and take "
        "the next number",
    ),
    shown=(
        (SHORT, "ab", {"a": -1.0, "b": -1.0, "ab": -1.5}, 1.0, [0.7, 0.5]),
        (SHORT, "ab", {"a": -1.0, "b": -1.0, "ab": -1.5}, 1.0, [0.6, 0.5]),
        (SMOOTH, "abab", {"a": -1.0, "b": -1.0, "ab": -5.0, "bab": -4.0}, 0.1, [0.55, 0.7, 0.7, 0.1]),
    ),
    drawn=draw_cases,
    mistakes=(
        Mistake(
            "its-own-share-only",
            "The share of a piece is its own weight *times* the weight of all ways to its beginning.",
            like=("totals[begin] * math.exp(", "math.exp("),
        ),
        Mistake(
            "what-leads-there-only",
            "This counts the ways to its beginning but forgets the weight of the piece itself.",
            like=(
                ("* totals[place]", "* sum(totals[begin] for begin, _ in shares[place])"),
                ("rest -= share", "rest -= totals[begin]"),
            ),
        ),
        Mistake(
            "out-of-one",
            "The shares at a place add up to its total, not to 1. Out of what is the number a part?",
            like=("number * totals[place]", "number"),
        ),
        Mistake(
            "forgets-alpha",
            "Every score is multiplied by alpha before exp.",
            like=("alpha * scores", "scores"),
        ),
        Mistake(
            "alpha-as-factor",
            "It is exp(alpha * score), not alpha * exp(score).",
            like=("math.exp(alpha * ", "alpha * math.exp("),
        ),
        Mistake(
            "shortest-first",
            "Of the pieces that end at a place, the longest takes the first share.",
            like=("in range(end)", "in reversed(range(end))"),
        ),
        Mistake(
            "one-number",
            "Every piece uses the next number.",
            like=("rest = number", "rest = numbers[0]"),
        ),
        Mistake(
            "number-of-the-character",
            "A number is used for each piece that is drawn, not for each character.",
            like=("rest = number", "rest = numbers[place - 1]"),
        ),
        Mistake(
            "not-turned-round",
            "The last piece is drawn first: reverse the list.",
            like=("drawn.reverse()", "pass"),
        ),
        Mistake(
            "always-the-likeliest",
            "That is the best one, whatever the numbers. In a draw, each one occurs as often as it is likely.",
            like=lambda text, scores, alpha, numbers: likeliest(text, scores),
        ),
    ),
)
