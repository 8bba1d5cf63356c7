"""The language model of counts: its probabilities by hand and in sum, and what it says about sizes of vocabularies."""

from __future__ import annotations

import math
import random

import pytest

from minbpe_course.errors import InvalidMeasurement
from minbpe_course.reference.ngrams import NGramModel


def test_probabilities_add_up_to_one() -> None:
    rng = random.Random(3)
    ids = [rng.randrange(7) for _ in range(400)]
    for order in (1, 2, 3, 5):
        model = NGramModel(ids, 9, order)  # two tokens of the vocabulary never occur
        contexts = [ids[at : at + length] for length in range(order + 2) for at in range(0, 60, 7)]
        for context in [*contexts, [8, 8], [0, 8]]:
            shares = [model.probability(context, token) for token in range(9)]
            assert math.fsum(shares) == pytest.approx(1)
            assert min(shares) > 0


def test_a_model_by_hand() -> None:
    """abab: a is always followed by b. P(b) = (2 + 2 * 1/2) / (4 + 2); P(b | a) = (2 + 1 * P(b)) / (2 + 1)."""
    model = NGramModel([0, 1, 0, 1], 2, 2)
    assert model.probability([], 1) == pytest.approx(1 / 2)
    assert model.probability([0], 1) == pytest.approx(2.5 / 3)
    assert model.nats([0, 1]) == pytest.approx(-math.log(1 / 2) - math.log(2.5 / 3))


@pytest.mark.parametrize(("ids", "size", "order"), [([], 5, 0), ([5], 5, 3), ([-1], 5, 3), ([], 0, 1)])
def test_what_fits_no_vocabulary_has_a_name(ids: list[int], size: int, order: int) -> None:
    with pytest.raises(InvalidMeasurement):
        NGramModel(ids, size, order)
