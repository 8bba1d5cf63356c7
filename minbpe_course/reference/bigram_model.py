"""A language model that guesses each id from the one before it, and nothing else.

    first     a row of 24 numbers for each id: the id that is there
    second    a row of 24 numbers for each id: the id that may come next

The score of an id after another is the product of their rows, and softmax makes probabilities of the scores. Training
is plain gradient descent with small batches, written out by hand. With ``tied`` both tables are one, as in GPT-2.
``decay`` pulls every number towards 0 in each step, whether its token occurred or not (decoupled weight decay).

All numbers are float64 and the seed decides everything. Limits: one id of context; it is here to be looked into.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minbpe_course.reference import tiny_model

WIDTH = 24  # numbers in a row
BATCH = 64  # places in a step of training
RATE = 0.05


class BigramModel(NamedTuple):
    """The rows of every id, (ids, WIDTH): before training, at the input, and at the output."""

    begin: np.ndarray
    first: np.ndarray
    second: np.ndarray


def trained_bigrams(
    ids: Sequence[int], size: int, *, seed: int = 0, tied: bool = False, decay: float = 0.0, epochs: int = 8
) -> BigramModel:
    """Return a model for ``size`` different ids that has read ``ids`` several times.

    >>> model = trained_bigrams([0, 1, 2] * 60, 4, epochs=40)
    >>> int(log_probabilities(model)[1].argmax()), bool((model.begin[3] == model.first[3]).all())
    (2, True)
    """
    row, random = np.asarray(ids), np.random.default_rng(seed)
    begin, second = random.normal(0, 0.1, (2, size, WIDTH))
    first = begin.copy()
    if tied:
        second = first
    for _ in range(epochs):
        for batch in np.array_split(random.permutation(len(row) - 1), max(1, len(row) // BATCH)):
            before, after = row[batch], row[batch + 1]
            seen = first[before]
            # The gradient of the loss by the scores: the probabilities, minus 1 at the right ids.
            of_scores = np.exp(tiny_model.log_probabilities(seen @ second.T))
            of_scores[np.arange(len(batch)), after] -= 1
            # A score is a product of two rows, so the gradient of each row is the other one, times that of the score.
            of_seen = of_scores @ second
            second -= RATE * of_scores.T @ seen
            np.subtract.at(first, before, RATE * of_seen)
            first *= 1 - RATE * decay
            if not tied:
                second *= 1 - RATE * decay
    return BigramModel(begin, first, second)


def log_probabilities(model: BigramModel) -> np.ndarray:
    """Return the logarithm of the probability of each id after each id, (ids, ids).

    >>> np.exp(log_probabilities(trained_bigrams([0, 1] * 9, 2))).sum(axis=1).round(6).tolist()
    [1.0, 1.0]
    """
    return tiny_model.log_probabilities(model.first @ model.second.T)


def sampled(model: BigramModel, begin: int, length: int, texts: int, seed: int = 0) -> list[list[int]]:
    """Return ``texts`` lists of ``length`` ids that the model draws, one after the other, after the id ``begin``.

    >>> sampled(trained_bigrams([0, 1] * 300, 2), 0, 3, 2) == [[1, 0, 1], [1, 0, 1]]
    True
    """
    random = np.random.default_rng(seed)
    cumulated = np.exp(log_probabilities(model)).cumsum(axis=1)
    now, drawn = np.full(texts, begin), []
    for _ in range(length):
        now = np.array([min(np.searchsorted(cumulated[one], luck), len(cumulated) - 1)
                        for one, luck in zip(now, random.random(texts))])  # fmt: skip
        drawn.append(now)
    return np.array(drawn).T.tolist()
