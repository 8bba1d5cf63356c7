"""Whatever a caller passes to a constructor or a method: it works, or raises a named error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minbpe_course import Encoding, SentencePieceTokenizer
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(3000):
        found = [found]
    return found


BYTES = {byte: bytes([byte]) for byte in range(256)}
RANKS = {token: byte for byte, token in BYTES.items()}
VALUES: list[Any] = [
    *(None, True, 0, -1, 1 << 31, 1 << 32, 1 << 63, 1 << 70, -(1 << 70), 0.5, float("nan"), float("inf"), 1j),
    *("", "a", b"", b"a", bytearray(b"ab"), memoryview(b"ab"), object(), int, len, slice(1), ..., range(3), deep()),
    *([], [[]], [1], [-1], ["a"], [b"a"], [None], (), (1, 2), set(), {1}, {}, frozenset("a")),
    *([(1, 2)], [((1 << 31), 97)], [(97, 1 << 70)], [(97,)], [(1, 2, 3)], [(-1, 5)], [(True, False)], [(0.5, 1.0)]),
    *({"a": 1}, {"a": "b"}, {1: 2}, {b"a": -1}, {b"a": 1 << 40}, {"a": -1}, {"a": 1 << 70}, {"a": None}, {None: 1}),
    *(np.array([]), np.array(5), np.array([1.5]), np.array([[1 << 40, 1]]), np.array(["a"]), np.zeros((2, 2, 2))),
    bytes(range(256)),
]
RECORDS: dict[type, dict[str, Any]] = {
    BytePairModel: {"merges": [(97, 97)]},
    VocabularyModel: {"token_bytes": BYTES, "merges": []},
    PieceModel: {"pieces": ("<unk>", "a", "aa"), "scores": (0.0, -1.0, -0.0), "kinds": (2, 1, 1)},
}
FIELDS = {
    BytePairModel: ("merges", "byte_order", "pattern", "special_tokens", "skipped_ids"),
    VocabularyModel: (
        *("token_bytes", "merges", "whole_words", "pattern", "pattern_engine", "normalization", "special_tokens"),
        *("plain_tokens", "frame", "split_steps", "prefix_space", "word_end", "special_flags", "decode_only"),
    ),
    PieceModel: ("pieces", "scores", "kinds"),
}


def unnamed(act: Callable[[Any], Any]) -> list[tuple[str, str]]:
    """Return the types of the values for which an error without a name left a call, and the error."""
    found = []
    for value in VALUES:
        try:
            act(value)
        except MinbpeCourseError:
            continue
        except Exception as error:
            found.append((type(value).__name__, repr(error)[:200]))
    return found


def used(record: Any) -> None:
    tokenizer = SentencePieceTokenizer(model=record) if isinstance(record, PieceModel) else Encoding.from_model(record)
    tokenizer.decode(list(tokenizer.encode("aab a")))


@pytest.mark.parametrize(("record", "field"), [(record, field) for record in FIELDS for field in FIELDS[record]])
def test_the_fields_of_records(record: type, field: str) -> None:
    assert unnamed(lambda value: used(record(**(RECORDS[record] | {field: value})))) == []


@pytest.mark.parametrize("field", ["pat_str", "mergeable_ranks", "special_tokens"])
def test_the_arguments_of_an_encoding(field: str) -> None:
    usual = {"pat_str": ".", "mergeable_ranks": RANKS, "special_tokens": {}}
    assert unnamed(lambda value: Encoding("x", **(usual | {field: value})).encode("aab")) == []


@pytest.mark.parametrize(
    "method",
    [
        *("encode", "encode_batch", "decode", "decode_batch", "decode_tokens_bytes", "decode_single_token_bytes"),
        *("encode_single_token", "is_special_token"),
    ],
)
def test_the_methods_of_an_encoding(method: str) -> None:
    encoding = Encoding("x", pat_str=".", mergeable_ranks=RANKS, special_tokens={"<x>": 300})
    assert unnamed(getattr(encoding, method)) == []
