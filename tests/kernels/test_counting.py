"""``kernels.counting`` gives the counts of ``reference.counting`` for all words, however often the arrays grow."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.counting.count_words import WordCounts, count_words
from minbpe_course.counting.word_table import WordTable
from minbpe_course.kernels.common import memory
from minbpe_course.reference import counting as reference
from minbpe_course.splitting.blocks import Stretches
from minbpe_course.splitting.words import Splitter, Words
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

SMALL = {
    "nothing": [],
    "one word": [b"low"],
    "one byte each": [b"a", b"b", b"a"],
    "words that begin alike": [b"a", b"aa", b"aaa", b"aa", b"a"],
    "words with zero bytes": [b"\0", b"\0\0", b"\0", b"\0\0\0"],
    "all byte values": [bytes([value]) for value in range(256)] * 2,
    "words around the length of a key": [b"x" * length for length in (7, 8, 9, 14, 15, 16, 17, 15, 16, 8, 7)],
    "many long words, twice": [b"y" * (20 + number) for number in range(200)] * 2,
    "a long word": [b"x" * 500, b"x" * 499, b"x" * 500],
}


def run_of(words: list[bytes]) -> Words:
    """The words as a text with the ends of its words, as a splitter hands them on."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    return Words(*memory.padded(b"".join(words)), 0, ends, len(words))


def table_counts(*runs: list[bytes]) -> dict[bytes, int]:
    """Count in a table and an arena that begin far too short, so that both have to grow many times."""
    table = WordTable(Splitter(None), words=1, arena=0)
    for words in runs:
        table.add(run_of(words))
    return dict(WordCounts(*table.arrays()))


def table_places(*runs: list[bytes]) -> dict[bytes, int]:
    """The same, of the places where words are first seen."""
    table = WordTable(Splitter(None), words=1, arena=0)
    place = 0
    for words in runs:
        table.add(run_of(words), place)
        place += table.size
    taken = table.arrays()
    return dict(zip(WordCounts(*taken), taken.firsts.tolist()))


def ordered(counts) -> list[tuple[bytes, int]]:
    return list(counts.items())


@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_counts_and_their_order(words):
    assert ordered(table_counts(words)) == ordered(reference.count_words(words))
    assert ordered(table_counts(words, words[::-1])) == ordered(reference.count_words(words + words[::-1]))


@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_places_where_words_are_first_seen(words):
    assert table_places(words, words[::-1]) == reference.first_places(words + words[::-1])


@pytest.mark.parametrize("length", [*range(1, 35), 63, 64, 65, 127, 128, 129])
def test_small_words_that_differ_in_one_byte(length):
    # Every place matters, in short words whose bytes are the key and in long ones that are compared.
    word = bytes(97 + at % 7 for at in range(length))
    others = [word[:at] + b"-" + word[at + 1 :] for at in range(length)] + [word[:-1], word + b"\0", b"\0" + word]
    words = [word, *filter(None, others), word]
    assert ordered(table_counts(words)) == ordered(reference.count_words(words))


@pytest.mark.parametrize("other", [b"xongest word there is", b"longest word there ix", b"longest word there"])
def test_small_equal_hashes_are_not_equal_words(other):
    # Two words with the same 64-bit hash are hard to find, so one is forged by overwriting the arena.
    word = b"longest word there is"
    table = WordTable(Splitter(None))
    table.add(run_of([word]))
    arena = table._arena
    arena[:8] = np.array([len(other)]).view(np.uint8)
    arena[8 : 8 + len(other)] = np.frombuffer(other, dtype=np.uint8)
    table.add(run_of([word]))
    _, ends, counts, _ = table.arrays()
    assert np.diff(ends, prepend=0).tolist() == [len(other), len(word)]
    assert counts.tolist() == [1, 1]


@settings(deadline=None)
@given(words=st.lists(st.binary(min_size=1, max_size=4), max_size=60))
def test_reference_agrees(words):
    assert ordered(table_counts(words)) == ordered(reference.count_words(words))
    assert ordered(table_places(words)) == ordered(reference.first_places(words))


@settings(deadline=None)
@given(text=st.text())
def test_the_size_of_utf8_without_writing_it(text):
    for whole in (text, text.encode("latin-1", "ignore").decode("latin-1") * 9, text * 9 + "я", text * 9 + "😀"):
        middle = len(whole) // 2
        stretches = Stretches(whole, [0, middle // 2, middle, len(whole)])
        assert stretches.size() == len((whole[: middle // 2] + whole[middle:]).encode("utf-8"))


@settings(deadline=None)
@given(parts=st.lists(st.lists(st.sampled_from([b"a", b"b" * 15, b"b" * 16, b"c" * 40, b"\0", b"\0\0"]), max_size=9)))
def test_tables_are_joined_in_the_order_of_the_text(parts):
    # Two tables take turns, as two threads may; the order is that of the parts.
    tables = [WordTable(Splitter(None), words=1, arena=0) for _ in range(2)]
    turns, place = [], 0
    for number, words in enumerate(parts):
        table = tables[number * number % 3 % 2]
        begin = len(table)
        table.add(run_of(words), place)
        turns.append((table, begin, len(table)))
        place += table.size
    joined = WordTable(Splitter(None), words=1, arena=0)
    for table, begin, end in turns:
        joined.add_words(table, table.entries(), begin, end)
    every = [word for words in parts for word in words]
    assert ordered(WordCounts(*joined.arrays())) == ordered(reference.count_words(every))
    assert joined.arrays().firsts.tolist() == list(reference.first_places(every).values())


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


def test_one_word_larger_than_the_arena():
    text = "x" * 100_000 + "y"
    assert ordered(count_words(text, pattern=None)) == [(text.encode(), 1)]
