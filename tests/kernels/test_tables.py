"""A vocabulary of any ids: the engine, the reference, `tokenizers` and tiktoken give the same ids."""

from __future__ import annotations

import os
import random

import pytest
import tiktoken
import tokenizers

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.model import VocabularyModel
from minbpe_course.reference.rank_merging import encode_word
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.tokenizers.encoding import Encoding
from tests.shared.random_vocabularies import some_vocabulary, some_words

pytestmark = pytest.mark.medium

COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
MODELS = 100 if COMPILED else 6


def hugging_face(model: VocabularyModel) -> tokenizers.Tokenizer:
    """The same vocabulary as `tokenizers` holds it, with one word for a text."""
    spelled = {i: to_printable(token) for i, token in model.token_bytes.items()}
    merges = [(spelled[left], spelled[right]) for left, right, _ in model.merges or ()]
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE({text: i for i, text in spelled.items()}, merges, ignore_merges=model.whole_words)
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return theirs


def test_small_merges_in_any_order() -> None:
    shortcuts = set()
    for seed in range(MODELS):
        chance = random.Random(seed)
        model = some_vocabulary(chance)
        engine, theirs = BytePairEngine.from_vocabulary(model), hugging_face(model)
        block = engine.tables.block
        shortcuts.add((block.heap_first != 0, block.whole_only < len(model.ids), model.whole_words))
        for word in some_words(chance, model, 30 if COMPILED else 8):
            wanted = encode_word(word.encode(), model)
            assert theirs.encode(word).ids == wanted, (seed, word)
            for _ in range(2):
                # Once from tables, once from caches that have learned the word, and pieces of other words.
                assert engine.encode(word).tolist() == wanted == engine.encode_list(word), (seed, word)
    if COMPILED:
        assert len(shortcuts) == 8


def test_small_ranks_of_any_ids() -> None:
    for seed in range(MODELS):
        chance = random.Random(seed)
        model = some_vocabulary(chance, "ranks")
        engine = BytePairEngine.from_vocabulary(model)
        said = {"pat_str": r"(?s).+", "mergeable_ranks": dict(model.ranks), "special_tokens": {}}
        theirs, other = tiktoken.Encoding("x", **said), Encoding("x", **said)
        for word in some_words(chance, model, 30 if COMPILED else 8):
            wanted = encode_word(word.encode(), model)
            if model.whole_words:
                assert theirs.encode_ordinary(word) == wanted, (seed, word)
                assert other.encode_ordinary(word) == wanted, (seed, word)
            for _ in range(2):
                assert engine.encode(word).tolist() == wanted == engine.encode_list(word), (seed, word)


@pytest.mark.skipif(not COMPILED, reason="many words")
@pytest.mark.parametrize("rule", ["merges", "ranks"])
def test_words_of_one_text_do_not_disturb_each_other(rule: str) -> None:
    """A token that no merge makes is a whole word in one place and a piece of a longer word in the next."""
    for seed in range(MODELS // 3):
        chance = random.Random(seed)
        model = some_vocabulary(chance, rule).replace(pattern=r"\S+|\s+")
        words = some_words(chance, model, 60)
        wanted = [i for word in words for part in (word, " ") for i in encode_word(part.encode(), model)]
        engine = BytePairEngine.from_vocabulary(model)
        assert engine.encode(" ".join(words) + " ").tolist() == wanted, seed
        many, offsets = engine.encode_many([word + " " for word in words], 2)
        assert many.tolist() == wanted, seed
        assert len(offsets) == len(words) + 1


def test_the_last_of_all_ids_is_not_a_rank() -> None:
    """tiktoken keeps it for pairs that do not merge, so a token with this id is only ever a whole word."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {2**32 - 1: b"ab", 300: b"abc", 301: b"bc"}
    model = VocabularyModel(tokens)
    theirs = tiktoken.Encoding("x", pat_str=r"(?s).+", mergeable_ranks=dict(model.ranks), special_tokens={})
    for word in ("ab", "abc", "abd", "dab", "abab", "bcab"):
        wanted = theirs.encode_ordinary(word)
        assert (
            encode_word(word.encode(), model) == wanted == BytePairEngine.from_vocabulary(model).encode(word).tolist()
        )


def test_the_last_of_two_equal_merges_counts() -> None:
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"bc"}
    first, second = (97, 98, 256), (98, 99, 257)
    for merges, wanted in (([first, second, first], [97, 257]), ([second, first, second], [256, 99])):
        model = VocabularyModel(tokens, merges, whole_words=False)
        assert hugging_face(model).encode("abc").ids == wanted == encode_word(b"abc", model)
        assert BytePairEngine.from_vocabulary(model).encode("abc").tolist() == wanted


def test_small_a_whole_word_is_not_a_piece_of_a_longer_one() -> None:
    """No merge makes "éa". As a word it is a token; where a longer word is cut after it, it is not."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: "é".encode(), 257: b"ab"}
    tokens |= {258: "éab".encode(), 259: "éa".encode(), 260: "éa".encode() * 20}
    merges = [(0xC3, 0xA9, 256), (97, 98, 257), (256, 257, 258)]
    model = VocabularyModel(tokens, merges, pattern=r"\S+|\s+")
    words = ["éa", "éaü", "éa" * 20, "éa" * 20 + "ü", "éab", "ü" + "éa" * 20, "ü" * 40 + "éa"]
    wanted = {word: encode_word(word.encode(), model) for word in words}
    assert wanted["éa"] == [259]
    assert wanted["éaü"] == [256, 97, 0xC3, 0xBC]
    for order in (words, words[::-1]):
        engine = BytePairEngine.from_vocabulary(model)
        for word in order * 3:
            assert engine.encode(word).tolist() == wanted[word] == hugging_face(model).encode(word).ids


def test_text_between_matches_is_refused_or_left_out() -> None:
    from minbpe_course.errors import InvalidPattern

    model = VocabularyModel({byte: bytes([byte]) for byte in range(256)}, pattern="a+")
    with pytest.raises(InvalidPattern, match="would be lost"):
        BytePairEngine.from_vocabulary(model).encode("aab")
    assert BytePairEngine.from_vocabulary(model, keep_all=False).encode("aab").tolist() == [97, 97]
