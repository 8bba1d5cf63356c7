"""The interface of tiktoken's Encoding: the same names, arguments, results and kinds of errors for any input."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tiktoken

import minbpe_course
from minbpe_course import Encoding, use_bundled_vocabularies
from minbpe_course.errors import (
    InvalidModel,
    InvalidOption,
    InvalidPattern,
    InvalidSpecialToken,
    MinbpeCourseError,
    NotText,
)

BYTES = {bytes([byte]): byte for byte in range(256)}


class OwnText(str):
    """A subclass of str."""


class OwnNumber:
    """Something that can be used as a number."""

    def __index__(self) -> int:
        return 97


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    use_bundled_vocabularies()
    return tiktoken.get_encoding("cl100k_base"), minbpe_course.get_encoding("cl100k_base")


TEXTS = [
    "", "a", "hello <|endoftext|>", OwnText("hello"), np.str_("hello"), "\ud800", "\ud83d\ude00", "é", None, b"a", 3,
    ["a"], bytearray(b"a"), memoryview(b"a"), np.array([97], dtype=np.uint8), "zzzzqqqq", b"\xff\xff", b"", b" the",
]  # fmt: skip
IDS = [
    [], [15339, 1917], (15339, 1917), range(5), np.array([15339, 1917]), np.array([1, 2], dtype=np.uint8),
    np.array([1, 2], dtype=object), [np.int64(5), np.uint8(3)], [True], b"abc", [OwnNumber()], bytearray(b"ab"),
    [100257], [100256], [-1], [2**32], [2**70], None, 3, "abc", [None], ["a"], [1.0], [[1]], np.array([1.0]),
    np.array([[1, 2]]), np.array(3),
]  # fmt: skip
ONE_ID = [0, 97, True, np.int64(5), np.uint8(7), OwnNumber(), 100257, 100256, -1, 2**32, 2**70]
ONE_ID += [None, "a", 1.0, [1], "97"]
BATCHES = [[], ["a", "b"], ("a",), {"a": 1}, iter(["a", "b"]), np.array(["a", "b"]), ["\ud800"], [OwnText("x")],
           None, 3, ["a", None], [b"a"], b"ab", ["<|endoftext|>"]]  # fmt: skip
ID_BATCHES = [[], [[1], (2,)], iter([[1], [2]]), np.array([[1, 2], [3, 4]]), [[100256]], None, [[1], None], [1], "ab"]

# The calls, and the texts.
ASKED: dict[str, tuple[list[Any], Callable[[Any, Any], Any]]] = {
    "encode": (TEXTS, lambda e, x: e.encode(x)),
    "encode, all allowed": (TEXTS, lambda e, x: e.encode(x, allowed_special="all")),
    "encode_to_numpy": (TEXTS, lambda e, x: e.encode_to_numpy(x)),
    "encode_with_unstable": (TEXTS, lambda e, x: e.encode_with_unstable(x)),
    "encode_single_token": (TEXTS, lambda e, x: e.encode_single_token(x)),
    "_encode_single_piece": (TEXTS, lambda e, x: e._encode_single_piece(x)),
    "_encode_bytes": (TEXTS, lambda e, x: e._encode_bytes(x)),
    "encode_batch": (BATCHES, lambda e, x: e.encode_batch(x)),
    "decode": (IDS, lambda e, x: e.decode(x)),
    "decode_bytes": (IDS, lambda e, x: e.decode_bytes(tokens=x)),
    "decode_single_token_bytes": (ONE_ID, lambda e, x: e.decode_single_token_bytes(token=x)),
    "is_special_token": (ONE_ID, lambda e, x: e.is_special_token(token=x)),
    "decode_batch": (ID_BATCHES, lambda e, x: e.decode_batch(x)),
    "errors": (["replace", "strict", "ignore", "backslashreplace", "nonsense", None, 3],
               lambda e, x: e.decode([15339, 97, 255], errors=x)),
    "num_threads": ([None, 1, 8, 1.5, 10_000, 0, -1, "a"], lambda e, x: e.encode_batch(["a", "b"], num_threads=x)),
    "a list to allow": ([set(), frozenset(), {"<|endoftext|>"}, {"nothing"}, "all", "none", None, 3, b"all", True],
                        lambda e, x: e.encode("a <|endoftext|>", allowed_special=x)),
    "a list to disallow": ([(), [], set(), None, {"a"}, ["<|endoftext|>"], ("b",), "all", 3, {3}],
                           lambda e, x: e.encode("a <|endoftext|>", allowed_special="all", disallowed_special=x)),
}  # fmt: skip


def answer(ask: Callable[[Any, Any], Any], encoding: Any, given: Any) -> tuple[str, Any]:
    try:
        found = ask(encoding, copy.copy(given) if hasattr(given, "__next__") else given)
    except Exception as error:
        return "raised", error
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        return "panicked", None
    if isinstance(found, np.ndarray):
        found = (found.dtype.name, found.tolist())
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], list) and isinstance(found[0], list):
        found = (found[0], sorted(found[1]))
    return "answered", found


@pytest.mark.parametrize("label", ASKED)
def test_whatever_is_given(both: tuple[Any, Any], label: str) -> None:
    theirs, ours = both
    everything, ask = ASKED[label]
    for given in everything:
        kind, wanted = answer(ask, theirs, given)
        how, found = answer(ask, ours, given)
        assert how in ("answered", "raised")
        if kind == "answered":
            assert (how, found) == (kind, wanted), (label, given)
            assert type(found) is type(wanted), (label, given)
        elif how == "raised" and kind == "raised":
            # Where tiktoken meets a wrong type by accident, ours says TypeError.
            accident = isinstance(wanted, (AttributeError, AssertionError))
            assert isinstance(found, TypeError if accident else type(wanted)), (label, given, wanted, found)
            named = isinstance(found, (MinbpeCourseError, UnicodeError, LookupError, TypeError))
            assert named, (label, given, found)
            assert str(found), (label, given)
        # Where tiktoken refuses or panics, we may know an answer.


def test_where_more_is_answered_than_by_tiktoken(both: tuple[Any, Any]) -> None:
    theirs, ours = both
    assert ours.decode(iter([15339, 1917])) == ours.decode(token for token in (15339, 1917)) == "hello world"
    assert ours.encode("<|endoftext|>", allowed_special=["<|endoftext|>"]) == [100257]
    assert ours._encode_single_piece(b"") == []
    lone = "a \ud800 b"
    assert ours.encode_to_numpy(lone).tolist() == ours.encode(lone) == theirs.encode(lone)
    assert ours.encode_with_unstable(lone) == ours.encode_with_unstable("a \ufffd b")
    assert ours.is_special_token(np.int64(100257)) is True
    # One thing is stricter: a str is not a batch of its letters.
    with pytest.raises(NotText, match="for one text call encode"):
        ours.encode_batch("ab")


WRONG_ARGUMENTS: dict[str, tuple[type[Exception], dict[str, Any]]] = {
    "a rank below 0": (InvalidOption, dict(mergeable_ranks=BYTES | {b"ab": -1})),
    "a rank too large": (InvalidOption, dict(mergeable_ranks=BYTES | {b"ab": 2**32})),
    "a rank that is no int": (InvalidOption, dict(mergeable_ranks=BYTES | {b"ab": 256.0})),
    "a token that is text": (InvalidOption, dict(mergeable_ranks=BYTES | {"ab": 256})),
    "a list of ranks": (InvalidOption, dict(mergeable_ranks=[])),
    "a pattern that is none": (InvalidPattern, dict(pat_str="(")),
    "None for a pattern": (NotText, dict(pat_str=None)),
    "a special token in bytes": (InvalidSpecialToken, dict(special_tokens={b"a": 300})),
    "a special id below 0": (InvalidSpecialToken, dict(special_tokens={"a": -1})),
    "half a surrogate pair": (UnicodeEncodeError, dict(special_tokens={"\ud800": 300})),
    "one token more than said": (InvalidModel, dict(explicit_n_vocab=255)),
    "a hole": (InvalidModel, dict(mergeable_ranks=BYTES | {b"ab": 300}, explicit_n_vocab=257)),
}


@pytest.mark.parametrize("label", WRONG_ARGUMENTS)
def test_wrong_arguments_get_tiktokens_kind_of_error_with_a_reason(label: str) -> None:
    kind, wrong = WRONG_ARGUMENTS[label]
    arguments = dict(pat_str=r"\S+|\s+", mergeable_ranks=BYTES, special_tokens={}) | wrong
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        tiktoken.Encoding("wrong", **arguments)
    with pytest.raises(kind, match=r"\w+ \w+") as ours:
        Encoding("wrong", **arguments)
    accident = isinstance(theirs.value, (AttributeError, OverflowError))
    assert isinstance(ours.value, TypeError if accident else type(theirs.value)), (ours.value, theirs.value)
    assert isinstance(ours.value, MinbpeCourseError)


def test_what_the_constructor_lets_through() -> None:
    arguments = dict(pat_str=r"\S+|\s+", mergeable_ranks=BYTES, special_tokens={}, explicit_n_vocab=256)
    assert Encoding("fits", **arguments).n_vocab == tiktoken.Encoding("fits", **arguments).n_vocab == 256
    assert Encoding("0 is not asked", **{**arguments, "explicit_n_vocab": 0}).n_vocab == 256
    for ranks in (BYTES | {b"": 256}, BYTES | {b"ab": 70_000}, {token: rank + 5 for token, rank in BYTES.items()}):
        theirs = tiktoken.Encoding("odd", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<s>": 97})
        ours = Encoding("odd", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<s>": 97})
        ids = list(ranks.values())[-2:]
        assert ours.decode_tokens_bytes([97, *ids]) == theirs.decode_tokens_bytes([97, *ids])
        assert ours.encode("abc") == theirs.encode("abc")
        assert ours.encode("<s>", allowed_special="all") == [97]
