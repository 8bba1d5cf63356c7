"""Merges recovered from ranks: equal to those of training, ours and others'; an error if a token has none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import vocabularies
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel
from minbpe_course.reference.recovery import byte_order, merge_tree, recover_merges
from minbpe_course.reference.training import TIE_BREAKS, train_steps
from minbpe_course.text.byte_alphabet import from_printable
from tests.shared.long_run import examples
from tests.shared.small_models import ranks_of

pytestmark = pytest.mark.medium

BYTES = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize("name", ["p50k_base", "cl100k_base"])
def test_every_merge_of_a_published_vocabulary_is_recovered(name):
    ranks, model = vocabularies.mergeable_ranks(name), vocabularies.load(name)
    assert recover_merges(ranks) == list(model.merges)
    assert byte_order(ranks) == model.byte_order


def test_gpt2s_merges_equal_the_list_that_its_makers_published():
    # vocab.bpe holds the pairs themselves, and its hash is OpenAI's: the one case where the answer is known.
    lines = vocabularies.tiktoken_file("gpt2", "vocab.bpe").decode("utf-8").splitlines()[1:]
    published = [tuple(map(from_printable, line.split(" "))) for line in lines]
    ranks = vocabularies.mergeable_ranks("r50k_base")
    assert recover_merges(ranks) == [(ranks[left], ranks[right]) for left, right in published]


@settings(max_examples=examples(60))
@given(
    st.lists(st.text("ab c", min_size=1, max_size=12).map(str.encode), min_size=1, max_size=25),
    st.sampled_from(sorted(TIE_BREAKS)),
)
def test_what_training_merged_is_recovered(words, tie_break):
    trained = [step.pair for step in train_steps(words, 300, tie_break=tie_break)]
    model = BytePairModel(trained)
    if len(set(model.token_bytes.values())) == len(model.token_bytes):
        assert recover_merges(ranks_of(model)) == trained


def test_a_tree_has_the_bytes_as_leaves_and_the_merges_as_branches():
    model, ranks = vocabularies.load("cl100k_base"), vocabularies.mergeable_ranks("cl100k_base")

    def leaves(tree):
        if not tree.parts:
            return tree.token
        assert model.ranks[tuple(part.token_id for part in tree.parts)] == tree.token_id
        return b"".join(map(leaves, tree.parts))

    assert leaves(merge_tree(b".DefaultCellStyle", ranks)) == b".DefaultCellStyle"


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (BYTES | {b"abc": 256}, "3 parts"),
        (BYTES | {b"abc": 256, b"ab": 257}, "3 parts"),
        (BYTES | {b"ab": 256, b"cd": 257, b"abxcd": 258}, "3 parts"),
        (BYTES | {b"": 256}, "0 parts"),
        ({key: rank for key, rank in BYTES.items() if key != b"\x07"}, "byte 0x07"),
        (BYTES | {b"\x07": 300}, "byte 0x07"),
        (BYTES | {b"\x07": 8}, "share an id"),
        (BYTES | {b"ab": 256, b"cd": 256}, "share the rank 256"),
        ({token: rank + 1 for token, rank in BYTES.items() if rank < 255} | {b"\xff": 0, b"ab": -1}, "below the rank"),
    ],
)
def test_what_no_training_can_have_made_is_refused(ranks, words):
    with pytest.raises(UnsupportedModel, match=words):
        recover_merges(ranks)
