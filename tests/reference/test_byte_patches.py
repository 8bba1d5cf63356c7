"""Entropies compared with a sum over all bytes, patches and thresholds with their definitions."""

from __future__ import annotations

import math
import random

import pytest

from minbpe_course.corpus import course_text
from minbpe_course.errors import InvalidOption
from minbpe_course.reference.byte_patches import entropies, patches, threshold_for
from minbpe_course.reference.ngrams import NGramModel


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_entropies_are_sums_over_all_bytes(order: int) -> None:
    data = course_text().encode("utf-8")
    model = NGramModel(data[:6_000], 256, order)
    text = data[5_900:6_050] + bytes([0, 0, 255, 254])  # seen, new, and bytes that never occur
    for at, entropy in enumerate(entropies(text, model)):
        shares = [model.probability(text[:at], byte) for byte in range(256)]
        assert entropy == pytest.approx(-math.fsum(share * math.log2(share) for share in shares))
    assert entropies(b"", model) == []


def cut(text: bytes, heights: list[float], threshold: float, rise: bool) -> list[bytes]:
    """Return the patches by their definition, one byte after the other."""
    made: list[bytes] = []
    for at, byte in enumerate(text):
        height = heights[at] - heights[at - 1] if rise else heights[at]
        if at == 0 or height > threshold:
            made.append(b"")
        made[-1] += bytes([byte])
    return made


def test_patches_and_thresholds_by_their_definitions() -> None:
    rng = random.Random(7)
    levels = [-math.inf, *(half / 2 for half in range(-8, 9))]
    for number in range(3_000):
        text = bytes(rng.choices(b"abc", k=rng.randrange(9)))
        heights = [rng.choice((0.0, 0.5, 1.0, 2.0, 3.5)) for _ in text]
        rise = number % 2 == 1
        threshold = rng.choice(levels)
        assert patches(text, heights, threshold, rise=rise) == cut(text, heights, threshold, rise)
        length = rng.choice((1, 1.5, 2, 2.5, 3))
        if length <= len(text):
            lowest = next(level for level in levels if len(text) / len(cut(text, heights, level, rise)) >= length)
            assert threshold_for(heights, length, rise=rise) == lowest


@pytest.mark.parametrize("length", [0.5, 4, -1])
def test_a_length_that_no_threshold_gives(length: float) -> None:
    with pytest.raises(InvalidOption, match="choose from 1"):
        threshold_for([1.0, 2.0, 3.0], length)


def test_every_byte_needs_an_entropy() -> None:
    with pytest.raises(InvalidOption, match="every byte has one"):
        patches(b"abc", [1.0, 2.0], 1)
