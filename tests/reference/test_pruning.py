"""Merges taken out of a vocabulary: nothing breaks, and every text still has an encoding."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.errors import InvalidTokenId
from minbpe_course.learning.exercises.lesson_17.merge_lists import random_merges, ranks_of
from minbpe_course.model import BytePairModel
from minbpe_course.reference import pruning
from minbpe_course.reference.encoding import encode_word
from tests.shared.long_run import examples

merges_of = st.builds(
    lambda seed, number: random_merges(random.Random(seed), number), st.integers(0, 10**6), st.integers(0, 14)
)


@settings(max_examples=examples(150))
@given(merges_of, st.integers(0, 10**6))
def test_any_beginning_of_the_order_can_go(merges: list[tuple[int, int]], seed: int) -> None:
    ranks, chance = ranks_of(merges), random.Random(seed)
    counts = {token: chance.randint(0, 5) for token in ranks.values()}
    order = list(pruning.rarest_first(ranks, counts))
    assert sorted(order) == sorted(ranks.values())
    gone = order[: chance.randint(0, len(order))]
    assert pruning.broken_without(ranks, gone) == set()
    kept, new_ids = pruning.pruned(ranks, gone)
    assert list(kept.values()) == list(range(256, 256 + len(kept)))
    assert new_ids.keys() == set(ranks.values()) - set(gone)
    before, after = BytePairModel(merges).token_bytes, BytePairModel(list(kept)).token_bytes
    assert all(before[old] == after[new] for old, new in new_ids.items()), "a token has become another text"
    word = list(bytes(chance.choices(b"abcd", k=12)))
    assert b"".join(after[token] for token in encode_word(word, kept)) == bytes(word)


@given(merges_of, st.integers(0, 10**6))
def test_what_breaks_is_what_is_made_with_something_that_goes(merges: list[tuple[int, int]], seed: int) -> None:
    ranks, chance = ranks_of(merges), random.Random(seed)
    gone = {token for token in ranks.values() if chance.random() < 0.3}
    wanted = {token for token in ranks.values() if token not in gone and pruning.made_of(ranks, token) & gone}
    assert pruning.broken_without(ranks, gone) == wanted
    if wanted:
        with pytest.raises(InvalidTokenId, match="rarest_first"):
            pruning.pruned(ranks, gone)
    else:
        pruning.pruned(ranks, gone)


def test_only_merges_can_be_dropped() -> None:
    with pytest.raises(InvalidTokenId, match="not a merge"):
        pruning.pruned({(97, 97): 256}, {97})
    with pytest.raises(InvalidTokenId, match="was dropped"):
        pruning.without_gaps([97, 256], {})
