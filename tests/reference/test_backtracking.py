"""reference.backtracking gives the ids of reference.encoding, and of tiktoken; it refuses other merge lists."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import vocabularies
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel
from minbpe_course.reference import backtracking, encoding
from minbpe_course.reference.training import train_steps
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium


@st.composite
def hand_made_merges(draw: st.DrawFn) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 14))):
        known = st.sampled_from([97, 98, *range(256, 256 + len(pairs))])
        pair = draw(st.tuples(known, known))
        if pair not in pairs:
            pairs.append(pair)
    return pairs


@settings(max_examples=examples(200))
@given(pairs=hand_made_merges(), word=st.text("ab", max_size=40).map(str.encode))
def test_a_vocabulary_is_refused_exactly_when_a_token_does_not_encode_to_itself(
    pairs: list[tuple[int, int]], word: bytes
) -> None:
    model = BytePairModel(pairs)
    spelled = {token: model.token_bytes[token] for token in model.merge_ids}
    if all(encoding.encode_word(spelled[token], model.ranks) == [token] for token in spelled):
        tables = backtracking.prepare(model.ranks)
        assert backtracking.encode_word(word, tables) == encoding.encode_word(word, model.ranks)
    else:
        with pytest.raises(UnsupportedModel, match="not reached by its own merges"):
            backtracking.prepare(model.ranks)


@settings(max_examples=examples(40))
@given(
    words=st.lists(st.text("abc", min_size=1, max_size=20).map(str.encode), min_size=1, max_size=12),
    merges=st.integers(1, 40),
)
def test_two_tokens_fit_when_merging_keeps_them_apart(words: list[bytes], merges: int) -> None:
    model = BytePairModel([step.pair for step in train_steps(words, 256 + merges)])
    tables = backtracking.prepare(model.ranks)
    known = [97, 98, 99, *model.merge_ids]
    for left in known:
        for right in known:
            together = encoding.encode_word(model.token_bytes[left] + model.token_bytes[right], model.ranks)
            fits = together == [left, right]
            assert backtracking.fit(left, right, model.ranks, tables.halves) == fits
            *_, last = backtracking.border_steps(left, right, model.ranks, tables.halves)
            assert (last.merged is None or last.merged >= last.before) == fits


@pytest.mark.parametrize(
    "ranks",
    [{(97, 98): 256, (98, 97): 256}, {(97, 256): 256}, {(97, 300): 299}],
    ids=["two merges make one token", "made of itself", "made of a later one"],
)
def test_merges_that_no_model_has(ranks: dict[tuple[int, int], int]) -> None:
    with pytest.raises(UnsupportedModel, match="an id that is not new"):
        backtracking.prepare(ranks)


def test_the_number_of_looks_grows_with_the_length() -> None:
    model = vocabularies.load("cl100k_base")
    tables = backtracking.prepare(model.ranks)
    for pattern in ["a", "ab", "的一是不了人我在有他", " ", "aaab", "1"]:
        looks = []
        for times in (200, 400, 800):
            ids = [model.byte_ids[byte] for byte in (pattern * times).encode("utf-8")]
            looks.append(sum(1 for _ in backtracking.backtracking_steps(ids, tables)))
        assert looks[2] <= 4.5 * looks[0], (pattern, looks)
