"""Exercise 13.forward: the total weight of all ways to each position of a lattice, as logarithms."""

import math

import numpy as np

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.arcs import arcs as arcs_of
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_word
from minbpe_course.reference import lattice, sampling


def forward(size, arcs, theta=1.0):
    """Return the logarithm of the total weight of all ways to each position.

    The weight of a segmentation is `exp(theta * sum of its scores)`. With `theta = 1` that is its probability. Add up
    the weights of all ways to a position, from position 0 on.

    * **In:** `size`, the number of characters; `arcs`, a list of `(begin, end, score)`, sorted by `begin`, then `end`;
      `theta`, a number, 0 or more.
    * **Out:** a list of `size + 1` floats: 0.0 for position 0, `-math.inf` where no arc arrives. Nine correct digits
      are enough.
    * It's the Viterbi algorithm with one change: an offer is not compared with what is there but **added** to it. The
      weights of a long text are too small for a float, so keep their logarithms: `np.logaddexp(x, y)` is the logarithm
      of `exp(x) + exp(y)`.

    Give each of `a`, `b` and `ab` a weight of 1/2. In `ab`, the segmentation `a`, `b` has the weight 1/4, and `ab` has
    1/2, so the last number is the logarithm of 3/4:
    `forward(2, [(0, 1, -0.693147), (0, 2, -0.693147), (1, 2, -0.693147)])` is about `[0.0, -0.693, -0.288]`.

    The check tries a few ways, several values of `theta`, positions that no arc reaches, and long texts.
    """
    sums = [0.0] + [-math.inf] * size
    for begin, end, score in arcs:
        sums[end] = float(np.logaddexp(sums[end], sums[begin] + theta * score))
    return sums


def made(size, arcs):
    """Return the lattice of the package with these arcs."""
    return lattice.Lattice("x" * size, tuple(lattice.Edge(begin, end, "", 0, score) for begin, end, score in arcs))


FEW, THETA, GAPS, LONG = "a few ways", "another theta", "positions that no arc reaches", "a long text"


def cases(random):
    for length in range(2, 10):
        word, scores = drawn_word(random, length)
        yield FEW, length, arcs_of(word, scores), 1.0
        yield THETA, length, arcs_of(word, scores), random.choice((0.0, 0.1, 0.5, 2.0, 5.0))
        scores.pop(random.choice(sorted(set(word))))
        yield GAPS, length, arcs_of(word, scores or {"?": -1.0}), 1.0
    word, scores = drawn_word(random, 9)
    yield LONG, 270, arcs_of(word * 30, {piece: score - 5 * len(piece) for piece, score in scores.items()}), 1.0


HALF = math.log(0.5)

EXERCISE = Exercise(
    "13.forward",
    "Add up all segmentations",
    "write",
    answer=forward,
    wanted=lambda size, arcs, theta=1.0: sampling.forward(made(size, arcs), theta),
    packages=("numpy",),
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "The Viterbi algorithm keeps the best offer at each position. Here every offer counts: add them up.",
        "Lesson 13, on drawing a segmentation: the forward pass.",
        "sums = [0.0] and -math.inf size times; for each arc: sums[end] = np.logaddexp(sums[end], sums[begin] + theta "
        "* score)",
    ),
    shown=(
        (FEW, 2, [(0, 1, HALF), (0, 2, HALF), (1, 2, HALF)], 1.0),
        (THETA, 2, [(0, 1, -1.0), (0, 2, -3.0), (1, 2, -1.0)], 0.0),
        (GAPS, 2, [(0, 2, -1.0), (1, 2, -1.0)], 1.0),
        (LONG, 1, [(0, 1, -800.0)], 1.0),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "best-only",
            "That's the best offer at each position. Add all offers up, as weights: np.logaddexp.",
            like=("np.logaddexp(", "max("),
        ),
        Mistake(
            "forgets-theta",
            "Every score is multiplied by theta.",
            like=("theta * score", "score"),
        ),
        Mistake(
            "weights-not-logarithms",
            "The weight of a long text is too small for a float and becomes 0. Keep logarithms all the way.",
            when=lambda case, outcome, wanted: case.category == LONG,
        ),
        Mistake(
            "adds-logarithms",
            "Adding logarithms multiplies the weights. np.logaddexp adds the weights.",
            like=("np.logaddexp(sums[end], sums[begin] + theta * score)",
                  "(0.0 if sums[end] == -math.inf else sums[end]) + sums[begin] + theta * score"),
        ),
    ),
)  # fmt: skip
