"""The language model of counts: its probabilities by hand and in sum, and what it says about sizes of vocabularies."""

from __future__ import annotations

import math
import random

import pytest

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.ngrams import ByteContextModel, NGramModel


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
    with pytest.raises(InvalidOption):
        NGramModel(ids, size, order)


def test_bytes_have_the_same_probabilities_after_bytes_as_after_tokens() -> None:
    """With single bytes and every length, the last bytes are the last tokens."""
    rng = random.Random(5)
    ids = [rng.randrange(4) for _ in range(300)]
    spelled = [bytes([token]) for token in range(4)]
    by_bytes = ByteContextModel([ids], spelled, 4, (0, 1, 2, 3))
    assert by_bytes.nats(ids[:50]) == pytest.approx(NGramModel(ids, 4, 4).nats(ids[:50]))


def test_probabilities_after_bytes_add_up_to_one_and_no_document_sees_another() -> None:
    spelled = [b"a", b"b", b"ab", b"ba "]
    model = ByteContextModel([[0, 2, 3], [1, 1, 2, 0]], spelled, 4)
    for before in (b"", b"a", b"ab", b"aab", b"abba aab"):
        assert math.fsum(model.probability(before, token) for token in range(4)) == pytest.approx(1)
    assert b" b" not in model.counts
    assert model.counts[b"ab"] == {3: 1, 0: 1}


@pytest.mark.parametrize("lengths", [(), (2, 1), (1, 1), (-1, 0)])
def test_lengths_of_contexts_are_ascending(lengths: tuple[int, ...]) -> None:
    with pytest.raises(InvalidOption):
        ByteContextModel([], [], 1, lengths)
