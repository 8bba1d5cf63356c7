"""Copies of tokenizers leave out what is computed; copies of records are equal and frozen."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minbpe_course import (
    BasicTokenizer,
    Encoding,
    GPT4Tokenizer,
    SentencePieceTokenizer,
    Tokenizer,
    get_encoding,
    get_tokenizer,
    train,
)
from minbpe_course.formats.tekken_json import TekkenModel
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel

pytestmark = pytest.mark.medium

TEXT = "low lower lowest, low and slow: aaabdaaabac"
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
PIECES = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
}


def rust_shaped() -> Tokenizer:
    tokenizer = Tokenizer()
    tokenizer.train_from_iterator([TEXT], 260)
    return tokenizer


MADE: dict[str, Callable[[], Any]] = {
    "basic": lambda: BasicTokenizer().train(TEXT, 259),
    "published": GPT4Tokenizer,
    "encoding": lambda: Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=RANKS, special_tokens={"<s>": 300}),
    "registered": lambda: get_encoding("gpt2"),
    "around a record": lambda: Encoding.from_model(train(TEXT, 259), "trained"),
    "pieces": lambda: SentencePieceTokenizer(model=PIECES),
    "rustbpe": rust_shaped,
    "cs336": lambda: get_tokenizer({token_id: token for token, token_id in RANKS.items()}, [(b"l", b"o")], ["<s>"]),
}
RECORDS: dict[str, Any] = {
    "byte pairs": BytePairModel([(97, 97), (256, 98)], pattern=".", special_tokens={"<s>": 300}),
    "vocabulary": VocabularyModel.from_byte_pairs(train(TEXT, 259, special_tokens=["<s>"])),
    "tekken": TekkenModel({at: bytes([at]) for at in range(256)}, pattern=".", beyond={"others": {"x": 1}}),
    "pieces": PIECES,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MADE)
def test_a_copy_has_the_ids_and_no_caches(kind: str, way: str) -> None:
    one = MADE[kind]()
    fresh = len(pickle.dumps(one))
    ids = one.encode("aa low slow")
    assert len(pickle.dumps(one)) <= fresh + 64
    again = WAYS[way](one)
    assert type(again) is type(one)
    assert again.encode("aa low slow") == ids


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", RECORDS)
def test_a_copied_record_is_equal_and_frozen(kind: str, way: str) -> None:
    one = RECORDS[kind]
    again = WAYS[way](one)
    assert again == one
    with pytest.raises(AttributeError):
        again.pattern = "x"
    for value in vars(again).values():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable


def test_an_encoding_with_a_name_is_pickled_by_it() -> None:
    named = get_encoding("gpt2")
    assert len(pickle.dumps(named)) < 200
    assert pickle.loads(pickle.dumps(named)) is named
