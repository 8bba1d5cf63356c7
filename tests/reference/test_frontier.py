"""Bounds against every vocabulary, units and hypertokens back to text, on random input."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from minbpe_course.reference.hypertokens import pack, unpack
from minbpe_course.reference.script_units import may_merge, spellings, train_units, units
from minbpe_course.reference.vocabulary_bound import find_tolls, tokens_needed, toll_bound


@pytest.mark.parametrize("seed", range(8))
def test_no_vocabulary_beats_a_bound(seed: int) -> None:
    dice = Random(seed)
    words = {bytes(dice.choices(b"abc", k=dice.randint(2, 4))): dice.randint(1, 5) for _ in range(4)}
    places = {word: [(i, j) for j in range(2, len(word) + 1) for i in range(j - 1)] for word in words}
    parts = sorted({word[i:j] for word, own in places.items() for i, j in own})
    best = min(tokens_needed(words, tokens) for tokens in combinations(parts, min(2, len(parts))))
    for _ in range(20):
        tolls = {word: {place: dice.randint(0, 8) / 4 for place in own} for word, own in places.items()}
        assert toll_bound(words, tolls, 2) <= best
    found, tokens = find_tolls(words, 2, target=tokens_needed(words, ()))
    assert toll_bound(words, {}, 2) <= toll_bound(words, found, 2) <= best <= tokens_needed(words, tokens)


@pytest.mark.parametrize("seed", range(8))
def test_hypertokens_come_back(seed: int) -> None:
    dice = Random(seed)
    for most in (2, 3, 4, 1000):
        ids = dice.choices(range(dice.randint(1, 4)), k=dice.randint(0, 200))
        packed = pack(ids, 10, most)
        assert unpack(packed, 10, most) == ids
        assert len(packed) <= len(ids)


def test_units_never_mix_characters() -> None:
    words = {units(word): 3 for word in ("கடிகாரம்", "கடி", "Жук", "жук жук", "aab")}
    merges = train_units(words, 1_183, 40, may_merge)
    assert merges
    assert all(len(token) % 2 == 0 and len(token) for token in spellings(merges).values())
