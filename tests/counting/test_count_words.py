"""``kernels.counting`` counts as ``reference.counting`` does, for any text and however often the arrays grow."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import word_counter
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.errors import InvalidPattern, InvalidSource, InvalidSpecialToken, InvalidText, NotText, UnusablePath
from minbpe_course.kernels.common.memory import padded
from minbpe_course.reference import counting as reference
from minbpe_course.splitting import blocks
from minbpe_course.splitting.blocks import TextBlock
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, named_pattern

pytestmark = pytest.mark.medium

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
    return Words(*padded(b"".join(words)), 0, ends, len(words))


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
def test_small_counts_their_order_and_first_places(words):
    assert ordered(table_counts(words)) == ordered(reference.count_words(words))
    assert ordered(table_counts(words, words[::-1])) == ordered(reference.count_words(words + words[::-1]))
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
    # Nobody can wait for two words with one 64-bit hash, so one is forged: what the arena holds is overwritten.
    word = b"longest word there is"
    table = WordTable(Splitter(None))
    table.add(run_of([word]))
    arena = table._block.kept["arena"]
    arena[:8] = np.array([len(other)]).view(np.uint8)
    arena[8 : 8 + len(other)] = np.frombuffer(other, dtype=np.uint8)
    table.add(run_of([word]))
    _, ends, counts, _ = table.arrays()
    assert np.diff(ends, prepend=0).tolist() == [len(other), len(word)]
    assert counts.tolist() == [1, 1]


@settings(deadline=None)
@given(words=st.lists(st.binary(min_size=1, max_size=4), max_size=60))
def test_twins_agree(words):
    assert ordered(table_counts(words)) == ordered(reference.count_words(words))
    assert ordered(table_places(words)) == ordered(reference.first_places(words))


@settings(deadline=None)
@given(text=st.text())
def test_the_size_of_utf8_is_told_without_writing_it(text):
    for whole in (text, text.encode("latin-1", "ignore").decode("latin-1") * 9, text * 9 + "я", text * 9 + "😀"):
        middle = len(whole) // 2
        stretches = TextBlock(whole, [0, middle // 2, middle, len(whole)])
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


def test_one_word_larger_than_all_room_there_is():
    text = "x" * 100_000 + "y"
    assert ordered(count_words(text, pattern=None)) == [(text.encode(), 1)]


# ----------------------------------------------------------------------------------------------------
# Blocks and threads


def cut_everywhere(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let blocks have about ``size`` characters and tasks two blocks, so that a short text is cut many times."""
    monkeypatch.setattr(word_counter, "_TASK", 2)
    monkeypatch.setattr(word_counter, "blocks", lambda texts, cuts, border: blocks.blocks(texts, cuts, border, size))


HOSTILE = [*"abAéя我가\u0301😀 \n\r\t\u3000\x1c's7./。|", "ll"]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", "minbpe_gpt4", "o200k_base"])
def test_cuts_change_no_word(pattern, monkeypatch):
    splitter = Splitter(named_pattern(pattern))
    cut = 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        text = "".join(random.choice(HOSTILE, size=200).tolist())
        places = [0, *splitter.cut_places.apart(text, 0, len(text), 5), len(text)]
        words = [word for start, stop in pairwise(places) for word in splitter.words(text[start:stop])]
        assert words == splitter.words(text)
        cut += len(places) - 2
    assert cut > 500, "hardly anything was cut, so hardly anything was tested"


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", "minbpe_gpt4", "o200k_base", r"\w+|\W", None])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_result_does_not_depend_on_threads_and_blocks(pattern, threads, monkeypatch):
    texts = [course_text()[at : at + size] for at, size in ((0, 30_000), (500, 40), (900, 3), (0, 0), (7000, 9000))]
    whole = count_words(texts, pattern=pattern, special_tokens=["the", "|"], num_threads=1)
    for size in (50, 1000, 20_000):
        cut_everywhere(monkeypatch, size)
        counts = count_words(texts, pattern=pattern, special_tokens=["the", "|"], num_threads=threads)
        assert ordered(counts) == ordered(whole)
        assert counts.firsts.tolist() == whole.firsts.tolist()


def test_threads_that_are_interrupted_everywhere_keep_the_order(monkeypatch):
    cut_everywhere(monkeypatch, 50)
    text = course_text()[:60_000]
    whole = reference.count_words(Splitter(GPT4_SPLIT_PATTERN).words(text))
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for threads in (2, 3, 8):
            assert ordered(count_words(text, pattern=GPT4_SPLIT_PATTERN, num_threads=threads)) == ordered(whole)
    finally:
        sys.setswitchinterval(usual)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.lists(st.sampled_from(HOSTILE), max_size=60).map("".join), max_size=6), threads=st.integers(1, 3)
)
def test_hostile_texts_in_small_blocks(parts, threads, monkeypatch):
    cut_everywhere(monkeypatch, 7)
    for family in ("gpt2", "o200k_base"):
        splitter = Splitter(named_pattern(family))
        expected = reference.count_words(
            word for part in parts for piece in part.split("|") for word in splitter.words(piece)
        )
        counts = count_words(parts, pattern=family, special_tokens=["|"], num_threads=threads)
        assert ordered(counts) == ordered(expected)


def test_more_may_be_added_after_counting_in_threads(monkeypatch):
    cut_everywhere(monkeypatch, 100)
    counter = WordCounter(Splitter(GPT4_SPLIT_PATTERN), num_threads=3)
    counter.add("one two")
    counter.add(course_text())
    first = counter.counts()
    counter.add("three two ")
    counter.add(course_text())
    words = Splitter(GPT4_SPLIT_PATTERN).words
    begin, text = words("one two"), words(course_text())
    assert ordered(first) == ordered(reference.count_words(begin + text))
    assert ordered(counter.counts()) == ordered(reference.count_words(begin + text + words("three two ") + text))


def test_an_error_in_a_thread_is_the_caller_s(monkeypatch):
    cut_everywhere(monkeypatch, 100)
    with pytest.raises(InvalidText, match="position 90"):
        count_words(["fine " * 500, "bad " * 22 + "no" + "\ud800" + " bad" * 22], num_threads=2)
    with pytest.raises(InvalidText, match="position 3 "):
        count_words(["fine", "bad\ud800", "fine"], num_threads=1)
    several = ["fine " * 500, "first\ud800!", *["fine " * 500] * 9, "second\ud800"] * 3
    with pytest.raises(InvalidText, match="position 5 "):
        count_words(several, num_threads=3)
    with pytest.raises(NotText):
        WordCounter(Splitter(GPT4_SPLIT_PATTERN), num_threads=2).add_all(["fine " * 500, b"bytes"])


def test_a_text_without_any_place_to_cut():
    text = "a" * 700_000
    assert count_words(text, pattern="cl100k_base", num_threads=2) == {text.encode(): 1}
    digits = count_words("1" * 600_001, pattern="cl100k_base", num_threads=2)
    assert digits == {b"111": 200_000, b"1": 1}


class Subclass(str):
    """A subclass of str."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


@pytest.mark.parametrize("size", [20, 600_000], ids=["gathered", "cut"])
def test_a_subclass_of_str_is_the_text_it_holds(size):
    text = "low lower " * (size // 10)
    assert ordered(count_words(Subclass(text), num_threads=2)) == ordered(count_words(text))


# ----------------------------------------------------------------------------------------------------
# Special tokens are borders


@pytest.mark.parametrize(
    ("text", "pattern", "specials", "words"),
    [
        ("ab<|end|>ab<|end|>|>ab", None, ["<|end|>", "<|end|>|>"], {b"ab": 3}),
        ("one<|s|>two", r"\w+|\W+", ["<|s|>"], {b"one": 1, b"two": 1}),
        ("one<|s|>two", r"\w+|\W+", [], {b"one": 1, b"<|": 1, b"s": 1, b"|>": 1, b"two": 1}),
        # They are text and no patterns.
        ("a.b.c", None, ["."], {b"a": 1, b"b": 1, b"c": 1}),
        ("axb", None, ["."], {b"axb": 1}),
    ],
)
def test_special_tokens_are_cut_out_longest_first(text, pattern, specials, words):
    assert count_words(text, pattern=pattern, special_tokens=specials) == words


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
    with pytest.raises(InvalidSource, match="63 bits"):
        count_words({b"aab": (1 << 62) - 1, b"aac": (1 << 62) - 1, b"aad": (1 << 62) - 1})


def test_a_pattern_that_loses_text_or_is_none():
    with pytest.raises(InvalidPattern, match="would be lost"):
        count_words("one two", pattern=r"[a-z]+")
    with pytest.raises(InvalidPattern):
        count_words("one two", pattern="(")
    with pytest.raises(NotText):
        WordCounter(Splitter(None)).add(b"bytes")
