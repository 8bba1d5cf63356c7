"""Pieces of a long text: joined they are the text, and each by itself is split and encoded as in the whole."""

from __future__ import annotations

import random
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import SentencePieceTokenizer, train_sentencepiece, vocabularies
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.sentencepiece.long_texts import LongPieces, can_be_cut
from minbpe_course.model import NormalizerRules, PieceModel, VocabularyModel
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import PATTERNS
from minbpe_course.text.special_places import special_token_places
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

SPLITTERS = {
    name: Splitter(pattern) for name, pattern in PATTERNS.items() if name not in ("p50k_edit", "o200k_harmony")
}


def pieces_of(text: str, long: LongText, sizes: list[int]) -> list[str]:
    """The pieces of a text that comes in chunks of these sizes, again and again."""
    pieces, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(long.add(text[at : at + size]))
        at, turn = at + size, turn + 1
    pieces.append(long.finish())
    assert "".join(pieces) == text
    return [piece for piece in pieces if piece]


# Characters near a cut: letters, marks, digits and signs that affect each other, white space of every kind.
@settings(max_examples=examples(500))
@given(text=st.text("aA中\u0301'sé1!/ \n\r\t\u2028\x1c.ⅷ", max_size=24), size=st.integers(1, 8))
def test_no_word_is_cut_of_any_text(text, size):
    for splitter in SPLITTERS.values():
        pieces = pieces_of(text, LongText(splitter, gather=size), [size])
        assert [word for piece in pieces for word in splitter.words(piece)] == splitter.words(text)


@pytest.mark.parametrize("letters", ["3", "ไ", "\u0645", "中", "!", "9 ", "x\r\n", "\u0645\n"])
def test_texts_without_a_place_to_cut_are_not_held_whole(letters):
    """But for one word: of letters without an end there is no more than that."""
    text = (letters * 40_000)[:40_000]
    for name, splitter in SPLITTERS.items():
        if name == "superwords" and letters == "3":
            continue  # A table cannot cut a run of digits that are counted off in threes.
        pieces = pieces_of(text, LongText(splitter, gather=100), [64])
        words = splitter.words(text)
        longest = max(map(len, words))
        assert max(map(len, pieces)) <= max(2 * longest, 400), (name, len(pieces))


def test_special_tokens_are_never_cut():
    names = ["<a.>", "<a.> <b>", " ", "x x"]
    rng = random.Random(1)
    splitter = SPLITTERS["cl100k_base"]
    for _ in range(400):
        text = "".join(rng.choice(["<a.>", " <b>", "<a.", "x", " ", "ab", "\n"]) for _ in range(30))
        chosen = rng.sample(names, rng.randint(1, 4))
        whole = [text[start:end] for start, end in special_token_places(text, chosen)]
        pieces = pieces_of(text, LongText(splitter, chosen, gather=3), [rng.randint(1, 5)])
        assert [p[start:end] for p in pieces for start, end in special_token_places(p, chosen)] == whole


@pytest.mark.parametrize("name", ["cl100k_base", "gpt2", "o200k_base"])
def test_composed_text_gives_the_ids_of_the_whole(name):
    ids = {byte: bytes([byte]) for byte in range(256)} | {256: "é".encode(), 257: b"e\xcc", 258: "가".encode()}
    engine = BytePairEngine.from_vocabulary(
        VocabularyModel(ids, pattern=vocabularies.load(name).pattern, normalization="NFC")
    )
    rng = random.Random(2)
    parts = ["e", "\u0301", "\u1100", "\u1161", " ", "\n", "=", "\u0338", "a", "\u0323", "1", ".", "\u212b", "x y"]
    cut = 0
    for _ in range(500):
        text = "".join(rng.choice(parts) for _ in range(30))
        pieces = pieces_of(text, LongText(engine.splitter, composed=True, gather=3), [rng.randint(1, 5)])
        assert [one for piece in pieces for one in engine.encode(piece).tolist()] == engine.encode(text).tolist(), text
        cut += len(pieces) - 1
    assert cut > 500


IDENTITY = {"normalization_rule_name": "identity"}
CUT = [
    {},
    {"remove_extra_whitespaces": False},
    {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
    {"byte_fallback": True, "vocab_size": 300},
    {"user_defined_symbols": ["be", "<x>"]},
]
UNCUT = [
    {"normalization_rule_name": "nmt_nfkc"},
    {"split_by_whitespace": False},
    {"treat_whitespace_as_suffix": True},
    {"add_dummy_prefix": False},
    {"user_defined_symbols": ["a b"]},
    {"model_type": "unigram", "minloglevel": 2},
]


def trained(options):
    options = {"vocab_size": 60, "hard_vocab_limit": False} | IDENTITY | options
    return train_sentencepiece(sentence_iterator=["to be or not  to be a be or", "a to  a"] * 3, **options)


@pytest.mark.parametrize("options", [None, *CUT], ids=str)
def test_sentencepiece_gives_the_ids_of_the_whole(options):
    mistral = files("mistral_common") / "data" / "tokenizer.model.v1"
    tokenizer = (
        SentencePieceTokenizer(str(mistral)) if options is None else SentencePieceTokenizer(model=trained(options))
    )
    rng = random.Random(4)
    cut = 0
    for _ in range(100):
        text = "".join(rng.choice([" ", " ", "a", "be", "to", "▁", "\n", "é", "<x>", "日", "  "]) for _ in range(40))
        long = LongPieces(tokenizer.model, gather=rng.randint(1, 9))
        pieces = [piece for at in range(0, 80, 3) if (piece := long.add(text[at : at + 3]))]
        pieces.append(long.finish())
        assert [one for piece in pieces for one in tokenizer.encode(piece)] == tokenizer.encode(text), (text, pieces)
        cut += len(pieces) - 1
    assert cut > 150, "hardly anything was cut, so hardly anything was tested"


@pytest.mark.parametrize("options", UNCUT, ids=str)
def test_what_might_see_over_a_space_is_encoded_whole(options):
    model = train_sentencepiece(
        sentence_iterator=["to be or not  to be a be or", "a to  a"] * 3,
        vocab_size=60,
        hard_vocab_limit=False,
        **options,
    )
    assert not can_be_cut(model)
    long = LongPieces(model, gather=1)
    assert [long.add("a b "), long.add("c d"), long.finish()] == ["", "", "a b c d"]


def test_no_cut_where_a_leading_space_would_be_removed() -> None:
    rules = NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=True)
    pieces = ("<unk>", "▁", "a", "▁a")
    assert not can_be_cut(PieceModel(pieces, (0.0, -2.0, -3.0, -1.0), (2, 1, 1, 1), normalizer=rules))
