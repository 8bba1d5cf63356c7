"""The record of a vocabulary with any ids: its fields, its errors, and that it is frozen."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from minbpe_course import vocabularies
from minbpe_course.errors import InvalidModel, InvalidSpecialToken
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.tokenizers.loading import difference

BYTES = {500 - byte: bytes([byte]) for byte in range(256)}
TOKENS = {**BYTES, 2**32 - 1: b"ab", 7: b"abc", 9: b"bc"}
A, B, C = 500 - 97, 500 - 98, 500 - 99
MERGES = [(B, C, 9), (A, B, 2**32 - 1), (2**32 - 1, C, 7), (A, 9, 7)]
FULL = dict(
    merges=MERGES,
    whole_words=False,
    pattern=r"\w+|\W+",
    pattern_engine="regex",
    normalization="NFC",
    special_tokens={"<|x|>": 600, "<|y|>": 601, "abc": 7},
    plain_tokens={"<|y|>"},
    frame=([600], [7, 601]),
)


def test_the_derived_views() -> None:
    model = VocabularyModel(TOKENS, **FULL)
    assert list(model.token_bytes) == sorted(TOKENS)
    assert dict(model.token_bytes) == TOKENS
    assert model.merges == tuple(MERGES)
    assert model.merge_table is not None
    assert model.byte_ids == tuple(500 - byte for byte in range(256))
    assert model.ranks[b"abc"] == 7
    assert model.vocab_size == 2**32
    assert model.frame == ((600,), (7, 601))
    assert model.plain_tokens == {"<|y|>"}
    assert VocabularyModel(dict(reversed(TOKENS.items())), **FULL) == model
    assert model != "model"
    assert VocabularyModel(TOKENS).merges is None
    assert VocabularyModel(TOKENS, []).merges == ()
    assert "262 tokens" not in repr(model)
    assert "259 tokens, 4 merges, 3 special tokens" in repr(model)


def test_what_was_given_is_not_kept() -> None:
    tokens, merges, specials = dict(TOKENS), np.array(MERGES), {"<|x|>": 600}
    model = VocabularyModel(tokens, merges, special_tokens=specials)
    same = VocabularyModel(TOKENS, MERGES, special_tokens={"<|x|>": 600})
    tokens.clear()
    merges[:] = 0
    specials.clear()
    assert model == same
    with pytest.raises(TypeError):
        model.token_bytes[7] = b"x"  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        model.merge_table[0, 0] = 1  # type: ignore[index]
    with pytest.raises(AttributeError, match="cannot assign"):
        model.pattern = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    "change",
    [
        dict(token_bytes={**TOKENS, 10: b"zz"}),
        dict(token_bytes={**{k: v for k, v in TOKENS.items() if k != 9}, 10: b"bc"}, merges=None),
        dict(merges=None),
        dict(merges=MERGES[::-1]),
        dict(whole_words=True),
        dict(pattern=None),
        dict(normalization=None),
        dict(special_tokens={"<|x|>": 600, "<|y|>": 601, "<|z|>": 601}),
        dict(special_tokens={"<|y|>": 601, "<|x|>": 601}, frame=((), ())),
        dict(plain_tokens=()),
        dict(frame=((), (600,))),
        dict(prefix_space=True),
        dict(decode_only={900: "中"}),
        dict(normalization=[("NFKC",)]),
    ],
    ids=repr,
)
def test_every_field_counts_for_equality(change: dict) -> None:
    model = VocabularyModel(TOKENS, **FULL)
    other = model.replace(**change)
    assert other != model
    assert (difference(model, other) is None) == (change == {"whole_words": True})
    assert pickle.loads(pickle.dumps(other)) == other
    assert other == model.replace(**change)
    assert hash(other) == hash(model.replace(**change))
    assert other.replace(**model._fields()) == model


def test_the_text_that_a_shared_id_decodes_to_counts() -> None:
    one = VocabularyModel(BYTES, special_tokens={"<|x|>": 600, "<|y|>": 600})
    assert one != one.replace(special_tokens={"<|y|>": 600, "<|x|>": 600})
    assert one.replace(special_tokens={"<|x|>": 600, "<|y|>": 601}) == one.replace(
        special_tokens={"<|y|>": 601, "<|x|>": 600}
    )


def test_byte_pairs_become_a_vocabulary() -> None:
    model = vocabularies.load("p50k_base")
    same = VocabularyModel.from_byte_pairs(model)
    assert dict(same.token_bytes) == dict(model.token_bytes)
    assert same.special_tokens == model.special_tokens
    assert same.merges == tuple((*pair, made) for pair, made in zip(model.merges, model.merge_ids))
    assert same.pattern == model.pattern
    assert not same.whole_words
    assert same.vocab_size == model.vocab_size
    assert VocabularyModel.from_byte_pairs(BytePairModel()).merges == ()
    with pytest.raises(InvalidModel, match=r"257 and 259 both stand for b'abc'"):
        VocabularyModel.from_byte_pairs(BytePairModel([(97, 98), (256, 99), (98, 99), (97, 258)]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(token_bytes={**BYTES, -1: b"ab"}), "got -1"),
        (dict(token_bytes={**BYTES, 2**32: b"ab"}), "got 4294967296"),
        (dict(token_bytes={**BYTES, True: b"ab"}), "got True"),
        (dict(token_bytes={**BYTES, 7: "ab"}), "id 7 must be bytes"),
        (dict(token_bytes={**BYTES, 7: b"", 8: b""}), "7 and 8 both stand for b''"),
        (dict(token_bytes={**BYTES, 7: b""}, merges=[(A, 7, A)]), "names the id 7"),
        (dict(token_bytes={**BYTES, 7: b"ab", 9: b"ab"}), "7 and 9 both stand for b'ab'"),
        (dict(token_bytes={k: v for k, v in BYTES.items() if v != b"\x85"}), "single byte 0x85"),
        (dict(merges=[(A, B)]), "made id"),
        (dict(merges=[(A, B, -1)]), "merge 0, .* outside"),
        (dict(merges=[(B, C, 9), (A, B, 8)]), r"merge 1, \(403, 402, 8\), names the id 8"),
        (dict(merges=[(B, C, 9), (B, A, 9)]), r"merge 1, .* joins b'b' and b'a' into b'bc'"),
        (dict(merges=[(B, C, 9), (A, 9, 9)]), r"merge 1, .* joins b'a' and b'bc' into b'bc'"),
        (dict(pattern=7), "pattern must be"),
        (dict(normalization="NFKC"), "'NFKC'"),
        (dict(normalization=[("Lowercase", 1)]), "Lowercase"),
        (dict(split_steps=[("Digits", 1), ("ByteLevel", False, False)]), "'Digits', bool"),
        (dict(split_steps=[("Digits", True)]), "must be ByteLevel"),
        (dict(split_steps=[("ByteLevel", False, False)], pattern="a"), "only one of the two"),
        (dict(word_end="</w>"), "needs merges"),
        (dict(word_end="</w>", merges=[], whole_words=False), "0x00 at the end of a word"),
        (dict(frame=((1,), ())), "frame puts the id 1"),
    ],
)
def test_what_contradicts_itself_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidModel, match=message):
        VocabularyModel(**{"token_bytes": TOKENS, **arguments})


@pytest.mark.parametrize(
    ("specials", "message"),
    [
        ({"": 1}, "non-empty"),
        ({"<|x|>": -1}, "got -1"),
        ({"<|x|>": 2**32}, "got 4294967296"),
        ({"<|x|>": True}, "got True"),
        ({"<|x|>": 7}, "the ordinary token b'abc' has it"),
        ({"<|x|>": 1}, r"'<\|y\|>', which is none"),
    ],
)
def test_special_tokens_that_cannot_be(specials: dict, message: str) -> None:
    with pytest.raises(InvalidSpecialToken, match=message):
        VocabularyModel(TOKENS, special_tokens=specials, plain_tokens={"<|y|>"})


def test_every_merge_is_checked_byte_by_byte() -> None:
    """A wrong byte is found anywhere, for any lengths."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    words = [b"abab", b"abb", b"b" * 300, b"ab", b"bb", b"b" * 298]
    tokens.update({300 + k: word for k, word in enumerate(words)})
    of = {token: token_id for token_id, token in tokens.items()}
    right = [(b"ab", b"ab"), (b"ab", b"b"), (b"bb", b"b" * 298), (b"a", b"b"), (b"a", b"bb")]
    VocabularyModel(tokens, [(of[left], of[second], of[left + second]) for left, second in right])
    for left, second, made in [(b"ab", b"bb", b"abab"), (b"bb", b"ab", b"abab"), (b"b", b"ab", b"abb")]:
        with pytest.raises(InvalidModel, match="which is not the bytes of both"):
            VocabularyModel(tokens, [(of[left], of[second], of[made])])


def test_merges_use_no_id_that_they_skip():
    with pytest.raises(InvalidModel, match="exist before"):
        BytePairModel([(97, 97), (256, 98)], skipped_ids=[256])
