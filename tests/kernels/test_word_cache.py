"""kernels.word_cache and the long cache of kernels.encoding compared with a dict.

With caches of a few places and an arena of a few words, so that everything is pushed out, comes back, and grows.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import numba
import numpy as np
import pytest
import tiktoken

from minbpe_course.engines import workers
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.encoding.tables import key_hash, key_of
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.split import split_text
from minbpe_course.text import patterns
from minbpe_course.text.unicode_tables import character_classes
from tests.shared.small_models import LETTERS, byte_ids, some_text, trained

COMPILED = not numba.config.DISABLE_JIT


def reference_of(model: BytePairModel) -> Callable[[str], list[int]]:
    """The encoder with the cache that never forgets."""
    return cache(lambda word: encode_word(byte_ids(model, word.encode()), model.ranks))


def shelf(seed: int, number: int) -> list[str]:
    """Words of one to four ids, of more, and longer than a key; some begin like others or end with zeros."""
    chance = random.Random(seed)
    words = [some_text(chance, LETTERS + "z", chance.choice([1, 2, 3, 4, 6, 8, 12, 20])) for _ in range(number)]
    words += ["z" * size for size in (3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 40)]
    words += [word + "\x00" for word in words[: number // 4]] + ["\x00", "\x00" * 7, "\x00" * 8, "\x00" * 15]
    return words


@compiled
def hash_at(at, length):
    return key_hash(*key_of(at, length))


def test_words_that_are_alike_have_different_hashes() -> None:
    """Among them words whose halves are the same, so that a sum or an exclusive or of the halves is."""
    chance = random.Random(3)
    words = [half + b"c" + half for half in (chance.randbytes(7) for _ in range(500))]
    words += [b"%07d" % number for number in range(500)] + [b"a" * 8 + b"%07d" % number for number in range(500)]
    words += [b"%07d" % number + b"a" * 8 for number in range(500)] + [b"\0" * size for size in range(1, 16)]
    hashes = set()
    for word in words:
        data = np.frombuffer(word + bytes(16), dtype=np.uint8)
        hashes.add(int(hash_at(data.ctypes.data, len(word))))
    for shift in (0, 32):
        assert len({found >> shift & 0xFFFFFFFF for found in hashes}) > 0.999 * len(words)


@pytest.mark.parametrize(("entries", "long_entries"), [(1, 1), (8, 2), (64, 64)])
def test_small_caches_grow_and_keep_what_they_know(entries: int, long_entries: int) -> None:
    model = trained(41, LETTERS, 40)
    reference, engine = reference_of(model), BytePairEngine.from_model(model)
    worker = engine._workers[0]
    worker._set_cache(entries)
    worker._set_long_cache(long_entries)
    words = shelf(1, 120 if COMPILED else 25)
    chance = random.Random(2)
    for _ in range(4 if COMPILED else 3):
        chance.shuffle(words)
        for word in words:
            assert engine.encode(word).tolist() == reference(word), word
    assert worker.block.cache_mask + 1 > entries


def test_small_long_words_are_kept_when_their_cache_grows() -> None:
    """So are short words of many ids, which are in the same arena."""
    engine = BytePairEngine.from_model(BytePairModel([(97, 98)]))
    worker = engine._workers[0]
    worker._set_long_cache(16)
    words = [letter * size for letter in "vwxyz" for size in (7, 10, 16, 20, 24)]
    for word in words:
        engine.encode(word)
    entries, learned = worker.block.long_mask + 1, worker.block.long_misses
    assert entries > 16
    for word in words:
        assert engine.encode(word).tolist() == list(word.encode()), word
    assert (worker.block.long_mask + 1, worker.block.long_misses) == (entries, learned)


def test_small_words_of_four_to_eight_ids_of_any_size() -> None:
    """Up to six ids of 20 bits are packed into the entry; the others are in the arena."""
    letters = {"a": 7, "b": (1 << 20) - 1, "c": 654_321, "d": 1 << 20, "e": 1 << 24}
    ranks = {bytes([byte]): 1000 + byte for byte in range(256)} | {key.encode(): at for key, at in letters.items()}
    engine = BytePairEngine.from_vocabulary(VocabularyModel({at: token for token, at in ranks.items()}))
    theirs = tiktoken.Encoding("x", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={})
    chance = random.Random(5)
    words = ["".join(chance.choices(alphabet, k=size)) for size in range(4, 9) for alphabet in ("abc", "abcde") * 5]
    for word in words * 2:
        assert engine.encode(word).tolist() == theirs.encode_ordinary(word), word


@pytest.mark.parametrize("most", [1, 2, 4])
def test_small_caches_that_cannot_grow_restart_their_arena(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST_ENTRIES", most)
    monkeypatch.setattr(workers, "MOST_LONG_ENTRIES", most)
    monkeypatch.setattr(workers, "ARENA_BYTES_AN_ENTRY", 200 // most)
    model = trained(42, LETTERS, 40)
    reference, engine = reference_of(model), BytePairEngine.from_model(model)
    worker = engine._workers[0]
    worker.clear()
    worker._set_cache(most)
    worker._set_long_cache(most)
    first = worker.block.epoch
    words = ["zzzzz", "zzzzzzé", "zzzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzzab", "ab", "中zzzzz日", "zyzyzyzyzyzyzyzyzy"]
    chance = random.Random(3)
    for _ in range(400 if COMPILED else 60):
        word = chance.choice(words)
        assert engine.encode(word).tolist() == reference(word), word
    assert worker.block.epoch > first + 5


def test_small_entries_of_an_earlier_epoch_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word of five ids is noted, others fill the arena until its ids are written over, and it is encoded again."""
    monkeypatch.setattr(workers, "ARENA_BYTES_AN_ENTRY", 100)
    monkeypatch.setattr(workers, "MOST_LONG_ENTRIES", 2)
    engine = BytePairEngine.from_model(BytePairModel([(97, 98)]))
    worker = engine._workers[0]
    worker._set_long_cache(2)
    words = [letter * size for letter in "vwxyz" for size in (5, 7, 16, 20)]
    for _ in range(3):
        for word in words:
            assert engine.encode(word).tolist() == list(word.encode()), word
    for word in words:
        for _ in range(2):
            assert engine.encode("vvvvv").tolist() == list(b"vvvvv")
            assert engine.encode("v" * 16).tolist() == list(b"v" * 16)
            assert engine.encode(word).tolist() == list(word.encode()), word


def test_small_a_text_that_another_with_the_same_beginning_overwrites(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the first is still found where it was, but its ids are the rest of the second one's text by now."""
    monkeypatch.setattr(workers, "ARENA_BYTES_AN_ENTRY", 2)
    monkeypatch.setattr(workers, "MOST_LONG_ENTRIES", 64)
    engine = BytePairEngine.from_model(BytePairModel([(97, 98)]))
    worker = engine._workers[0]
    for _ in range(2):
        worker._set_long_cache(64)
        for word in ("v" * 16, "v" * 24, "v" * 16, "v" * 24, "v" * 17, "v" * 16):
            assert engine.encode(word).tolist() == list(word.encode())


def test_small_two_places_for_words_that_begin_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them have the same first half of the key, and only one cache line to be in."""
    monkeypatch.setattr(workers, "MOST_ENTRIES", 2)
    model = BytePairModel([(122, 122), (256, 256), (257, 257)])
    reference, engine = reference_of(model), BytePairEngine.from_model(model)
    engine._workers[0]._set_cache(2)
    words = ["z" * 8 + tail for tail in ("", "a", "b", "ab", "ba", "abc", "cba", "abcd", "a\x00", "z", "zz")]
    chance = random.Random(4)
    for _ in range(300):
        word = chance.choice(words)
        assert engine.encode(word).tolist() == reference(word), word


def test_small_texts_of_many_words_end_anywhere() -> None:
    """The last words of a text are encoded from a copy with room after it; all lengths up to three windows."""
    model = trained(44, "ab", 12, pattern=patterns.CL100K_PATTERN)
    engine = BytePairEngine.from_model(model)
    reference = reference_of(model)
    text = "ab aab 12345 \u4e2d\u65e5 bb's  \n abbaababaabbaabbabaa it \u00e9\u00e9 " * 5
    classes = character_classes("tiktoken").tobytes()
    for size in range(0, 200, 1 if COMPILED else 17):
        words = split_text(text[:size], patterns.CL100K_PATTERN, classes)
        wanted = [each for word in words for each in reference(word)]
        assert engine.encode(text[:size]).tolist() == wanted, size


def test_small_keys_tell_all_words_apart() -> None:
    """Words that differ in one byte, or only in their length, at every place of the key."""
    model = trained(45, "ab", 3)
    engine = BytePairEngine.from_model(model)
    for size in (1, 7, 8, 9, 14, 15, 16):
        for place in range(size) if COMPILED else sorted({0, size // 2, size - 1}):
            word = "z" * place + "q" + "z" * (size - place - 1)
            for again in (word, word + "\x00", word[:-1], word):
                if again:
                    assert engine.encode(again).tolist() == encode_word(again.encode(), model.ranks), again
