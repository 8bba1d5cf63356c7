"""Merges taken out of a vocabulary: nothing breaks, every text still has an encoding, and tiktoken has the same ids."""

from __future__ import annotations

import random

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import RegexTokenizer
from minbpe_course.corpus.texts import course_sections, course_text
from minbpe_course.errors import InvalidTokenId
from minbpe_course.learning.exercises.lesson_17.merge_lists import random_merges, ranks_of
from minbpe_course.model import BytePairModel
from minbpe_course.reference import pruning
from minbpe_course.reference.encoding import encode_word
from tests.shared.cases import hostile_texts
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


def test_a_pruned_vocabulary_is_a_vocabulary_and_tiktoken_agrees() -> None:
    tokenizer = RegexTokenizer().train(course_text(), 700)
    ranks = tokenizer.model.ranks
    counts: dict[int, int] = {}
    for token in tokenizer.encode_ordinary(course_sections()["The Neighbours"]):
        counts[token] = counts.get(token, 0) + 1
    kept, _ = pruning.pruned(ranks, list(pruning.rarest_first(ranks, counts))[:200])
    small = RegexTokenizer.from_model(tokenizer.model.replace(merges=list(kept)))
    table = {token: token_id for token_id, token in small.model.token_bytes.items()}
    theirs = tiktoken.Encoding("pruned", pat_str=small.pattern, mergeable_ranks=table, special_tokens={})
    for text in [*course_sections().values(), *hostile_texts(13, 150)]:
        ids = small.encode_ordinary(text)
        assert ids == theirs.encode_ordinary(text)
        assert small.decode(ids) == text
