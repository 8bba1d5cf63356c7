"""``kernels.counting`` does what ``reference.counting`` says, whatever comes in and however often the arrays grow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.corpus.counting import WordCounter, WordCounts, count_words
from minbpe_course.corpus.words import Splitter
from minbpe_course.errors import InvalidPattern, InvalidSource, InvalidSpecialToken, InvalidText, NotText, UnusablePath
from minbpe_course.kernels import counting as kernel
from minbpe_course.reference import counting as reference
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

SMALL = {
    "nothing": [],
    "one word": [b"low"],
    "one byte each": [b"a", b"b", b"a"],
    "words that begin alike": [b"a", b"aa", b"aaa", b"aa", b"a"],
    "words with zero bytes": [b"\0", b"\0\0", b"\0", b"\0\0\0"],
    "all byte values": [bytes([value]) for value in range(256)] * 2,
    "a long word": [b"x" * 500, b"x" * 499, b"x" * 500],
}


def kernel_counts(words: list[bytes], weight: int = 1) -> dict[bytes, int]:
    """Count in arrays that begin far too short, so that every one of them has to grow many times."""
    text = np.frombuffer(b"".join(words), dtype=np.uint8)
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    table, arena = np.full(2, kernel.FREE, dtype=np.int64), np.empty(1, dtype=np.uint8)
    word_ends, counts, hashes = np.empty(1, np.int64), np.empty(1, np.int64), np.empty(1, np.uint64)
    state = np.zeros(2, dtype=np.int64)
    done = 0
    while done < len(words):
        start = int(ends[done - 1]) if done else 0
        rest = ends[done:].copy()
        done += kernel.count_words(text, start, rest, len(rest), weight, table, arena, word_ends, counts, hashes, state)
        known = int(state[kernel.WORDS])
        if done < len(words):
            table = np.full(2 * table.size, kernel.FREE, dtype=np.int64)
            kernel.fill_table(hashes, known, table)
            arena = np.concatenate([arena, np.empty(arena.size, dtype=np.uint8)])
            word_ends, counts, hashes = (np.concatenate([a, np.empty_like(a)]) for a in (word_ends, counts, hashes))
    known, used = state.tolist()
    return dict(WordCounts(arena[:used], word_ends[:known], counts[:known]))


def ordered(counts) -> list[tuple[bytes, int]]:
    return list(counts.items())


@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_counts_and_their_order(words):
    assert ordered(kernel_counts(words)) == ordered(reference.count_words(words))


@pytest.mark.parametrize("other", [b"xow", b"lox", b"lo"], ids=["first byte", "last byte", "length"])
def test_small_equal_hashes_are_not_equal_words(other):
    # Nobody can wait for two words with one 64-bit hash, so one is forged: what was stored as "low" is overwritten.
    text, ends = np.frombuffer(b"low", dtype=np.uint8), np.array([3], dtype=np.int64)
    table, arena = np.full(8, kernel.FREE, dtype=np.int64), np.empty(16, dtype=np.uint8)
    word_ends, counts, hashes = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.uint64)
    state = np.zeros(2, dtype=np.int64)
    arrays = (table, arena, word_ends, counts, hashes, state)
    kernel.count_words(text, 0, ends, 1, 1, *arrays)
    arena[: len(other)] = np.frombuffer(other, dtype=np.uint8)
    word_ends[0] = state[kernel.BYTES] = len(other)
    kernel.count_words(text, 0, ends, 1, 1, *arrays)
    assert dict(WordCounts(arena[: state[kernel.BYTES]], word_ends[:2], counts[:2])) == {other: 1, b"low": 1}


@given(words=st.lists(st.binary(min_size=1, max_size=4), max_size=60), weight=st.integers(1, 9))
def test_twins_agree(words, weight):
    expected = {word: count * weight for word, count in reference.count_words(words).items()}
    assert ordered(kernel_counts(words, weight)) == ordered(expected)


@settings(deadline=None)
@given(parts=st.lists(st.text(max_size=40), max_size=6))
def test_texts_are_counted_as_their_words(parts):
    words = [word.encode() for part in parts for word in regex.findall(GPT4_SPLIT_PATTERN, part)]
    assert ordered(count_words(parts, pattern=GPT4_SPLIT_PATTERN)) == ordered(reference.count_words(words))


def test_many_words_make_the_counter_grow():
    words = [f"word{number % 9000:x}" for number in range(30_000)]
    counts = count_words(" ".join(words), pattern=r"\S+|\s")
    encoded = [piece.encode() for word in words for piece in (word, " ")][:-1]
    assert ordered(counts) == ordered(reference.count_words(encoded))
    assert len(counts) == 9001


def test_one_word_larger_than_all_room_there_is():
    text = "x" * 100_000 + "y"
    assert ordered(count_words(text, pattern=None)) == [(text.encode(), 1)]


# ----------------------------------------------------------------------------------------------------
# Special tokens are borders


def test_special_tokens_are_cut_out_longest_first():
    counts = count_words("ab<|end|>ab<|end|>|>ab", pattern=None, special_tokens=["<|end|>", "<|end|>|>"])
    assert ordered(counts) == [(b"ab", 3)]


def test_no_word_reaches_over_a_special_token():
    assert count_words("one<|s|>two", pattern=r"\w+|\W+", special_tokens=["<|s|>"]) == {b"one": 1, b"two": 1}
    assert b"<|" in count_words("one<|s|>two", pattern=r"\w+|\W+")


def test_special_tokens_are_text_and_no_patterns():
    assert count_words("a.b.c", pattern=None, special_tokens=["."]) == {b"a": 1, b"b": 1, b"c": 1}
    assert count_words("axb", pattern=None, special_tokens=["."]) == {b"axb": 1}


@pytest.mark.parametrize("wrong", [[""], ["ok", ""], [3], "<|end|>"], ids=repr)
def test_special_tokens_that_are_none(wrong):
    with pytest.raises(InvalidSpecialToken):
        count_words("text", special_tokens=wrong)


# ----------------------------------------------------------------------------------------------------
# Sources


def test_a_path_an_iterable_and_a_mixture(tmp_path: Path):
    file = tmp_path / "text.txt"
    file.write_bytes("low low\r\nnaïve".encode())
    pattern = r"\w+|\W"
    expected = reference.count_words([b"low", b" ", b"low", b"\r", b"\n", "naïve".encode()])
    assert ordered(count_words(file, pattern=pattern)) == ordered(expected)
    assert count_words(iter([file, "low"]), pattern=pattern)[b"low"] == 3
    assert count_words((part for part in ["lo", "w"]), pattern=pattern) == {b"lo": 1, b"w": 1}


def test_word_counts_are_taken_as_they_are():
    counts = WordCounts.from_mapping({b"low": 5, "naïve": 2, b"\xff": 1})
    assert ordered(counts) == [(b"low", 5), ("naïve".encode(), 2), (b"\xff", 1)]
    assert count_words(counts) is counts
    assert ordered(count_words({b"low": 5})) == [(b"low", 5)]
    assert ordered(count_words(reference.count_words([b"a", b"a"]))) == [(b"a", 2)]
    assert ordered(WordCounts.from_mapping({b"": 3, b"a": 1})) == [(b"a", 1)], "an empty word holds no pair"


def test_what_was_counted_does_not_change_when_more_is_added():
    counter = WordCounter(Splitter(r"\S+|\s"))
    counter.add("one two")
    before = counter.counts()
    counter.add("three two")
    assert ordered(before) == [(b"one", 1), (b" ", 1), (b"two", 1)]
    assert ordered(counter.counts()) == [(b"one", 1), (b" ", 2), (b"two", 2), (b"three", 1)]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (b"bytes", InvalidSource),
        (7, InvalidSource),
        (["text", 7], InvalidSource),
        ([b"bytes"], InvalidSource),
        ({b"low": 0}, InvalidSource),
        ({b"low": -1}, InvalidSource),
        ({b"low": 1.5}, InvalidSource),
        ({b"low": True}, InvalidSource),
        ({7: 1}, InvalidSource),
        ({b"low": 1 << 80}, InvalidSource),
        ("lone \ud800 surrogate", InvalidText),
        (Path("there is no such file.txt"), UnusablePath),
    ],
    ids=repr,
)
def test_sources_that_cannot_be_counted(source, error):
    with pytest.raises(error):
        count_words(source)


def test_a_file_in_another_encoding_names_the_byte(tmp_path: Path):
    file = tmp_path / "latin.txt"
    file.write_bytes("na\xefve".encode("latin-1"))
    with pytest.raises(InvalidSource, match="byte 2 is 0xef"):
        count_words(file)
    with pytest.raises(UnusablePath):
        count_words(tmp_path)


def test_counts_too_large_to_add_up_are_refused():
    # Each count fits 64 bits; the pairs of both words together do not.
    with pytest.raises(InvalidSource, match="add up"):
        count_words({b"aab": (1 << 62) - 1, b"aac": (1 << 62) - 1, b"aad": (1 << 62) - 1})


def test_a_pattern_that_loses_text_or_is_none():
    with pytest.raises(InvalidPattern, match="would be lost"):
        count_words("one two", pattern=r"[a-z]+")
    with pytest.raises(InvalidPattern):
        count_words("one two", pattern="(")
    with pytest.raises(NotText):
        WordCounter(Splitter(None)).add(b"bytes")
