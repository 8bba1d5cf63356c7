"""Exercise 14.backward: the total weight of all ways from each position of a lattice to its end, as logarithms."""

import math

import numpy as np

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.arcs import arcs as arcs_of
from minbpe_course.learning.exercises.lesson_13.forward import HALF, forward, made
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_word
from minbpe_course.reference import sampling


def backward(size, arcs):
    """Return the logarithm of the total probability of all ways from each position to the end.

    It's the mirror image of lesson 13's `forward`, which adds up all ways *to* a position.

    * **In:** `size`, the number of characters; `arcs`, a list of `(begin, end, score)`, sorted by `begin`, then `end`.
    * **Out:** a list of `size + 1` floats: 0.0 for position `size`, the right edge, and `-math.inf` for a position from
      which no way leads there. Nine correct digits are enough.

    A position's sum must be complete before an arc that *ends* there uses it. In which order do you take the arcs?

    Let `a`, `b` and `ab` each have a probability of 1/2. In `ab`, only `b` leads from position 1 to the end. From
    position 0 there are `a`, `b`, with 1/4, and `ab`, with 1/2. So
    `backward(2, [(0, 1, -0.693147), (0, 2, -0.693147), (1, 2, -0.693147)])` is about `[-0.288, -0.693, 0.0]`.

    The check tries a few ways, positions from which no way leads to the end, and long texts.
    """
    sums = [-math.inf] * size + [0.0]
    for begin, end, score in reversed(arcs):
        sums[begin] = float(np.logaddexp(sums[begin], sums[end] + score))
    return sums


FEW, GAPS, LONG = "a few ways", "positions with no way to the end", "a long text"


def cases(random):
    for length in range(2, 10):
        word, scores = drawn_word(random, length)
        yield FEW, length, arcs_of(word, scores)
        scores.pop(random.choice(sorted(set(word))))
        yield GAPS, length, arcs_of(word, scores or {"?": -1.0})
    word, scores = drawn_word(random, 9)
    yield LONG, 270, arcs_of(word * 30, {piece: score - 5 * len(piece) for piece, score in scores.items()})


EXERCISE = Exercise(
    "14.backward",
    "The same from the right",
    "write",
    answer=backward,
    wanted=lambda size, arcs: sampling.backward(made(size, arcs)),
    packages=("numpy",),
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "In `forward` an arc carries a sum from its beginning to its end. Here it's the other way around.",
        "Lesson 14, section 1, and `forward` of lesson 13: what changes is where you start, and the order of the arcs.",
        "sums = -math.inf size times, then 0.0; for each arc from the last to the first: sums[begin] = "
        "np.logaddexp(sums[begin], sums[end] + score)",
    ),
    shown=(
        (FEW, 1, [(0, 1, HALF)]),
        (FEW, 2, [(0, 1, HALF), (0, 2, HALF), (1, 2, HALF)]),
        (GAPS, 2, [(0, 1, -1.0), (0, 2, -1.0)]),
        (LONG, 1, [(0, 1, -800.0)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "arcs-from-the-left",
            "An arc uses the sum of the position where it ends. Is that sum complete yet? Begin with the last arc.",
            like=("reversed(arcs)", "arcs"),
        ),
        Mistake(
            "the-forward-sums",
            "These are the sums of all ways *to* each position. Add up the ways from there to the end.",
            like=lambda size, arcs: forward(size, arcs),
        ),
        Mistake(
            "best-only",
            "That's the best way from each position. Add all of them up: np.logaddexp.",
            like=("np.logaddexp(", "max("),
        ),
        Mistake(
            "probabilities",
            "The probability of a long text is too small for a float and becomes 0. Keep logarithms all the way.",
            when=lambda case, outcome, wanted: case.category == LONG,
        ),
    ),
)
