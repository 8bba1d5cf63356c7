"""The measures of lesson 19, of rivals whose values are known."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from minbpe_course.learning.practice import rivals

BYTES = rivals.Rival(lambda text: list(text.encode()), {byte: bytes([byte]) for byte in range(256)})


def test_every_word_cut_by_hand_has_parts():
    assert len(set(rivals.PARTS)) == 40
    assert all(all(word.split("|")) and "|" in word for word in rivals.PARTS)
    assert rivals.parts_found(BYTES)[1] == 1
    lengths = {word.replace("|", ""): [len(part) for part in word.split("|")] for word in rivals.PARTS}

    def by_hand(text: str) -> list[int]:
        first, *others = lengths[text[1:]]
        return [first + 1, *others]

    assert rivals.parts_found(rivals.Rival(by_hand, {n: bytes(n) for n in range(20)})) == (1, 1, 1)


def test_a_model_may_learn_from_other_ids_than_it_is_tested_with():
    def learned(text: str, luck: Random) -> Sequence[int]:
        seen.append(text)
        return [98] * len(text)

    seen: list[str] = []
    found = rivals.followed(BYTES._replace(training=learned), ["aaaa"], [["aaaa"], ["bbbb"]], [0, 20], seeds=2)
    assert found.shape == (2, 2, 2)
    assert np.array_equal(
        found, rivals.followed(BYTES._replace(training=learned), ["aaaa"], [["aaaa"], ["bbbb"]], [0, 20], 2)
    )
    assert found[:, 1, 1].max() < 1
    assert found[:, 1, 0].min() > 8
    assert seen == ["aaaa"] * 6
