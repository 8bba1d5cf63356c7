"""Copies keep every attribute of an object, and leave out those that are computed."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minbpe_course import (
    BasicTokenizer,
    Encoding,
    GPT2Tokenizer,
    GPT4Tokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    Tokenizer,
    get_encoding,
    get_tokenizer,
    load_tokenizer,
    train,
)
from minbpe_course.compat.cs336 import AssignmentTokenizer
from minbpe_course.formats.tekken_json import TekkenModel
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel

pytestmark = pytest.mark.medium

TEXT = "low lower lowest, low and slow: aaabdaaabac"
BYTES = {bytes([byte]): byte for byte in range(256)}
RANKS = BYTES | {b"lo": 256, b"low": 257}
PIECES = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
GIVEN: dict[str, Any] = {"pat_str": r"\S+|\s+", "mergeable_ranks": RANKS, "special_tokens": {"<s>": 300}}

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {at}": lambda one, at=at: pickle.loads(pickle.dumps(one, at)) for at in range(2, 6)},
}


def rust_shaped() -> Tokenizer:
    tokenizer = Tokenizer()
    tokenizer.train_from_iterator([TEXT], 260)
    return tokenizer


MADE: dict[str, Callable[[], Any]] = {
    "basic": lambda: BasicTokenizer().train(TEXT, 259),
    "regex": lambda: RegexTokenizer().train(TEXT, 259),
    "published 2": GPT2Tokenizer,
    "published 4": GPT4Tokenizer,
    "encoding": lambda: Encoding("own", **GIVEN),
    "registered": lambda: get_encoding("gpt2"),
    "around a record": lambda: Encoding.from_model(train(TEXT, 259), "trained"),
    "loaded": lambda: load_tokenizer(train(TEXT, 259)),
    "pieces": lambda: SentencePieceTokenizer(model=PIECES),
    "no model": SentencePieceTokenizer,
    "rustbpe": rust_shaped,
    "cs336": lambda: get_tokenizer({token_id: token for token, token_id in RANKS.items()}, [(b"l", b"o")], ["<s>"]),
}
RECORDS: dict[str, Callable[[], Any]] = {
    "byte pairs": lambda: BytePairModel([(97, 97), (256, 98)], pattern=".", special_tokens={"<s>": 300}),
    "vocabulary": lambda: VocabularyModel.from_byte_pairs(train(TEXT, 259, special_tokens=["<s>"])),
    "tekken": lambda: TekkenModel({at: bytes([at]) for at in range(256)}, pattern=".", beyond={"others": {"x": 1}}),
    "pieces": lambda: PIECES,
}


def ids(tokenizer: Any) -> list[int]:
    return [] if repr(tokenizer).startswith("SentencePieceTokenizer(None") else tokenizer.encode("aa low slow")


def asked_for_more(base: type, *arguments: Any, **named: Any) -> Any:
    """Return an instance of a subclass whose constructor takes other arguments, and which has a slot."""

    class Mine(base):  # type: ignore[misc,valid-type]
        __slots__ = ("__private", "slot", "unset")

        def __init__(self, label: str, /, number: int) -> None:
            super().__init__(*arguments, **named)
            object.__setattr__(self, "label", [label])
            object.__setattr__(self, "slot", number)
            object.__setattr__(self, "_Mine__private", -number)

    Mine.__qualname__ = f"Mine{base.__name__}"
    globals()[Mine.__qualname__] = Mine
    return Mine("label", number=7)


SUBCLASSES: dict[str, Callable[[], Any]] = {
    "basic": lambda: asked_for_more(BasicTokenizer),
    "regex": lambda: asked_for_more(RegexTokenizer, r"\S+|\s+"),
    "published": lambda: asked_for_more(GPT2Tokenizer),
    "encoding": lambda: asked_for_more(Encoding, "own", **GIVEN),
    "pieces": lambda: asked_for_more(SentencePieceTokenizer, model=PIECES),
    "rustbpe": lambda: asked_for_more(Tokenizer),
    "cs336": lambda: asked_for_more(AssignmentTokenizer, {at: bytes([at]) for at in range(256)}, [], ["<s>"]),
    "byte pairs": lambda: asked_for_more(BytePairModel, [(97, 97)], pattern="."),
    "vocabulary": lambda: asked_for_more(VocabularyModel, {at: bytes([at]) for at in range(256)}, whole_words=False),
    "piece record": lambda: asked_for_more(PieceModel, PIECES.pieces, PIECES.scores, PIECES.kinds),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MADE)
def test_what_is_put_on_a_tokenizer_stays(kind: str, way: str) -> None:
    one = MADE[kind]()
    before = ids(one)
    one.note = {"where": [kind]}
    try:
        again = WAYS[way](one)
        assert type(again) is type(one)
        assert again.note == {"where": [kind]}
        assert (again.note is one.note) == (way == "copy")
        again.note = "of the copy"
        assert one.note == {"where": [kind]}
        assert ids(again) == before
    finally:
        # One encoding is shared by all tests.
        del one.note
    assert ids(WAYS[way](one)) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", SUBCLASSES)
def test_a_subclass_is_copied_without_its_constructor(kind: str, way: str) -> None:
    one = SUBCLASSES[kind]()
    again = WAYS[way](one)
    assert type(again) is type(one)
    assert (again.label, again.slot, again._Mine__private) == (["label"], 7, -7)
    assert not hasattr(again, "unset")
    if kind in MADE and kind != "rustbpe":
        assert again.encode("low aa") == one.encode("low aa")
    elif kind not in MADE:
        assert getattr(again, "model", again) == getattr(one, "model", one)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", RECORDS)
def test_a_copied_record_is_equal_and_frozen(kind: str, way: str) -> None:
    one = RECORDS[kind]()
    object.__setattr__(one, "note", [kind])
    again = WAYS[way](one)
    assert again == one
    assert again.note == [kind]
    assert vars(again).keys() >= {name for name in type(one).__annotations__ if name in vars(one)}
    with pytest.raises(AttributeError):
        again.pattern = "x"
    for value in vars(again).values():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable
    del vars(one)["note"]


def test_an_encoding_with_a_name_is_pickled_by_it_until_something_is_put_on_it() -> None:
    named = get_encoding("gpt2")
    assert len(pickle.dumps(named)) < 200
    assert pickle.loads(pickle.dumps(named)) is named
    named.note = 1  # type: ignore[attr-defined]
    try:
        again = pickle.loads(pickle.dumps(named))
        named.note = 2  # type: ignore[attr-defined]
    finally:
        del named.note  # type: ignore[attr-defined]
    # A pickle from elsewhere changes nothing of what this process shares.
    assert again is not named
    assert again.note == 1
    assert get_encoding("gpt2") is named
    assert not hasattr(named, "note")


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind not in ("registered", "no model")])
def test_use_does_not_make_a_copy_larger(kind: str) -> None:
    one = MADE[kind]()
    fresh = pickle.dumps(one)
    one.encode(TEXT)
    one.decode(one.encode(TEXT))
    if isinstance(one, Encoding):
        one.encode_with_unstable(TEXT)
        assert one.special_tokens_set is not None
        assert one._mergeable_ranks
    assert len(pickle.dumps(one)) <= len(fresh) + 64


def test_a_seeded_tokenizer_goes_on_drawing_the_same_numbers() -> None:
    seeded = SentencePieceTokenizer(model=PIECES, seed=random.randrange(1 << 30))
    seeded.encode("aaa aaa", enable_sampling=True, alpha=0.5)
    again = pickle.loads(pickle.dumps(seeded))
    draws = [
        [each.encode("aaa aaa aaa", enable_sampling=True, alpha=0.5) for _ in range(20)] for each in (seeded, again)
    ]
    assert draws[0] == draws[1]
    unseeded = SentencePieceTokenizer(model=PIECES)
    unseeded.encode("aaa", enable_sampling=True, alpha=0.5)
    copies = [pickle.loads(pickle.dumps(unseeded)) for _ in range(2)]
    assert (
        len({str([each.encode("aaa " * 40, enable_sampling=True, alpha=0.5) for _ in range(9)]) for each in copies})
        == 2
    )


THERE = """
import pickle, sys
for name, (made, wanted) in pickle.loads(sys.stdin.buffer.read()).items():
    assert made.note == [1], name
    assert made.encode("aa low slow") == wanted, name
print("good")
"""


def test_copies_reach_another_process() -> None:
    """An encoding of one's own has a name that the other process doesn't know."""
    sent = {kind: MADE[kind]() for kind in MADE if kind not in ("registered", "no model")}
    for made in sent.values():
        made.note = [1]
    data = pickle.dumps({kind: (made, ids(made)) for kind, made in sent.items()})
    done = subprocess.run([sys.executable, "-c", THERE], input=data, capture_output=True, check=False)
    assert done.stdout.split() == [b"good"], done.stderr.decode()
