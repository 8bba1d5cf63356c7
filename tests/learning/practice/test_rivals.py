"""What models learn from the ids of rivals, where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from minbpe_course.learning.practice import rivals
from minbpe_course.reference import tiny_model

BYTES = rivals.Rival(lambda text: list(text.encode()), {byte: bytes([byte]) for byte in range(256)})


def test_a_model_may_learn_from_other_ids_than_it_is_tested_with():
    def learned(text: str, luck: Random) -> Sequence[int]:
        seen.append(text)
        return [98] * len(text)

    seen: list[str] = []
    rival = BYTES._replace(training=learned)
    found = rivals.document_bits(rival, ["aaaa"], [["aaaa", "a"], ["bbbb"]], 20, seeds=2)
    assert [each.shape for each in found] == [(2, 2), (2, 1)]
    again = rivals.document_bits(rival, ["aaaa"], [["aaaa", "a"], ["bbbb"]], 20, seeds=2)
    assert all(map(np.array_equal, found, again))
    assert found[1].max() < 4 < 8 * 4 < found[0][:, 0].min()
    assert seen == ["aaaa"] * 6


def test_a_wider_view_costs_steps_and_ends_with_its_block():
    usual = tiny_model.new_model(256), rivals.steps_for(256, 600, 1024)
    with rivals.seeing(12):
        assert tiny_model.examples([[1] * 200]).contexts.shape == (200, 144)
        wide = tiny_model.new_model(256), rivals.steps_for(256, 600, 1024)
    work = [(model.mixing.size + model.head.size) * steps for model, steps in (usual, wide)]
    assert abs(work[0] / work[1] - 1) < 0.001
    assert rivals.steps_for(256, 600, 1024) == usual[1]
