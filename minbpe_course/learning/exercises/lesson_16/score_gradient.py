"""Exercise 16.score_gradient: how the loss changes with the score of each token."""

import math

import numpy as np

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.tiny_model import log_probabilities


def score_gradient(scores, right):
    """Return how the loss changes with each score: the gradient of the cross-entropy.

    A model gives every token a score. Softmax turns the scores into probabilities: `e` to the power of a score, divided
    by the sum of all these powers. The loss is minus the logarithm of the probability of the right token. Its gradient
    is the **probability** of each token, **minus 1** for the right one.

    * **In:** `scores`, a list of float, at least one; `right`, the index of the token that really came next.
    * **Out:** a list of float, one for each token.

    `score_gradient([0.0, 0.0], 1)` is `[0.5, -0.5]`. Scores may be large: `e` to the power of 1,000 is too large for a
    float, but softmax does not change if you first subtract the largest score from all of them.
    """
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    whole = sum(powers)
    gradient = [power / whole for power in powers]
    gradient[right] -= 1
    return gradient


def by_numpy(scores, right):
    gradient = np.exp(log_probabilities(np.array(scores, dtype=float)))
    gradient[right] -= 1
    return gradient.tolist()


def without_softmax(scores, right):
    """Return each score's share of the sum of scores."""
    whole = sum(scores) or 1.0
    return [score / whole - (at == right) for at, score in enumerate(scores)]


SMALL, NEGATIVE, LARGE = "small scores", "scores below zero", "large scores"


def cases(random):
    for size in range(2, 10):
        scores = [round(random.uniform(-2, 2), 2) for _ in range(size)]
        right = random.randrange(size)
        yield SMALL, scores, right
        yield NEGATIVE, [round(-4 - abs(score), 2) for score in scores], right
        yield LARGE, [round(score + 1000, 2) for score in scores], right


EXERCISE = Exercise(
    "16.score_gradient",
    "How training changes a score",
    "write",
    answer=score_gradient,
    wanted=by_numpy,
    difficulty=2,
    minutes=8,
    hints=(
        "First compute the probabilities. What do they add up to? Then only one of them changes.",
        "Lesson 16, on SolidGoldMagikarp, gives the gradient in words.",
        "subtract max(scores) from each score; take math.exp of each; divide each by their sum; subtract 1 at `right`",
    ),
    shown=((SMALL, [0.0, 0.0], 1), (NEGATIVE, [-1.0, -2.0, -1.0], 0), (LARGE, [1000.0, 999.0], 0)),
    drawn=cases,
    mistakes=(
        Mistake(
            "probabilities",
            "Those are the probabilities. The gradient of the right token is its probability minus 1.",
            like=("gradient[right] -= 1", "gradient[right] -= 0"),
        ),
        Mistake(
            "downhill",
            "That is the step that training takes: minus the gradient. The gradient points uphill.",
            like=("return gradient", "return [-slope for slope in gradient]"),
        ),
        Mistake(
            "no-softmax",
            "The scores are not probabilities yet: divide `e` to the power of each score by the sum of these powers.",
            like=without_softmax,
        ),
        Mistake(
            "all-minus-one",
            "Only the right token gets the minus 1.",
            like=("gradient[right] -= 1", "gradient = [slope - 1 for slope in gradient]"),
        ),
        Mistake(
            "overflow",
            "`math.exp(1000)` is too large for a float. Subtract the largest score from every score first.",
            like=("score - largest", "score"),
            when=lambda case, outcome, wanted: outcome.error == "OverflowError",
        ),
    ),
)
