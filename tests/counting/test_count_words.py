"""``kernels.counting`` counts as ``reference.counting`` does, for any text and however often the arrays grow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import bounded, word_counter
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.errors import (
    FolderGiven,
    InvalidPattern,
    InvalidSource,
    InvalidSpecialToken,
    InvalidText,
    NotText,
    UnusablePath,
)
from minbpe_course.kernels.common.memory import padded
from minbpe_course.reference import counting as reference
from minbpe_course.splitting import blocks
from minbpe_course.splitting.blocks import TextBlock
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, named_pattern

pytestmark = pytest.mark.medium


def run_of(words: list[bytes]) -> Words:
    """The words as a text with the ends of its words, as a splitter hands them on."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    return Words(*padded(b"".join(words)), 0, ends, len(words))


def counted(words: list[bytes]) -> list[tuple[bytes, int, int]]:
    """(word, count, place where it is first seen), in a table and an arena that begin far too short and grow often."""
    table = WordTable(Splitter(None), words=1, arena=0)
    table.add(run_of(words))
    taken = table.arrays()
    return [(*row, first) for row, first in zip(WordCounts(*taken).items(), taken.firsts.tolist())]


def counted_by_reference(words: list[bytes]) -> list[tuple[bytes, int, int]]:
    places = reference.first_places(words)
    return [(word, count, places[word]) for word, count in reference.count_words(words).items()]


def ordered(counts) -> list[tuple[bytes, int]]:
    return list(counts.items())


@pytest.mark.parametrize("length", [1, 7, 8, 9, 14, 15, 16, 17, 33, 64, 129])
def test_small_words_that_differ_in_one_byte(length):
    # Every place matters, in short words whose bytes are the key and in long ones that are compared.
    word = bytes(97 + at % 7 for at in range(length))
    others = [word[:at] + b"-" + word[at + 1 :] for at in range(length)] + [word[:-1], word + b"\0", b"\0" + word]
    words = [word, *filter(None, others), word]
    assert counted(words) == counted_by_reference(words)


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


@given(words=st.lists(st.binary(min_size=1, max_size=4), max_size=60))
def test_twins_agree(words):
    assert counted(words) == counted_by_reference(words)


@given(text=st.text())
def test_the_size_of_utf8_is_told_without_writing_it(text):
    for whole in (text, text.encode("latin-1", "ignore").decode("latin-1") * 9, text * 9 + "я", text * 9 + "😀"):
        middle = len(whole) // 2
        stretches = TextBlock(whole, [0, middle // 2, middle, len(whole)])
        assert stretches.size() == len((whole[: middle // 2] + whole[middle:]).encode("utf-8"))


@given(parts=st.lists(st.lists(st.sampled_from([b"a", b"b" * 15, b"b" * 16, b"c" * 4000, b"\0", b"\0\0"]), max_size=9)))
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


@pytest.mark.parametrize("ceiling", [8_000, 14_000, 26_000, 50_000, 105_000])
def test_a_table_and_its_words_stay_below_the_ceiling(ceiling):
    words = [b"word%04d" % number for number in range(3000)]
    taken: list[tuple[bytes, int]] = []

    def take(table: WordTable) -> None:
        held = sum(table._block.kept[name].nbytes for name in ("table", "arena", "firsts"))
        rows = table.take()
        # While words are taken, there is an address for each.
        assert held + sum(column.nbytes for column in rows) + 8 * len(rows.ends) <= ceiling
        taken.extend(ordered(WordCounts(*rows)))

    table = WordTable(Splitter(None), words=1, arena=0, ceiling=ceiling)
    table.add(run_of(words), full=take)
    take(table)
    assert taken == [(word, 1) for word in words]


# ----------------------------------------------------------------------------------------------------
# Blocks and threads


def cut_everywhere(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let blocks have about ``size`` characters and tasks two blocks, so that a short text is cut many times."""
    monkeypatch.setattr(word_counter, "_TASK", 2)
    monkeypatch.setattr(word_counter, "blocks", lambda texts, cuts, border: blocks.blocks(texts, cuts, border, size))


HOSTILE = [*"abAéя我가\u0301😀 \n\r\t\u3000\x1c's7./。|", "ll"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_word_counts_are_taken_as_they_are():
    counts = WordCounts.from_mapping({b"low": 5, "naïve": 2, b"\xff": 1})
    assert ordered(counts) == [(b"low", 5), ("naïve".encode(), 2), (b"\xff", 1)]
    assert count_words(counts) is counts
    assert ordered(count_words({b"low": 5})) == [(b"low", 5)]
    assert ordered(count_words(reference.count_words([b"a", b"a"]))) == [(b"a", 2)]
    assert ordered(WordCounts.from_mapping({b"": 3, b"a": 1})) == [(b"a", 1)], "an empty word holds no pair"


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (b"bytes", InvalidSource),
        (["text", 7], InvalidSource),
        ({b"low": 0}, InvalidSource),
        ({b"low": 1.5}, InvalidSource),
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


def test_the_order_of_words_does_not_depend_on_threads() -> None:
    made = []
    for threads in (1, 3):
        counter = WordCounter(Splitter(r"\S+|\s"), num_threads=threads)
        counter.add(" ".join(f"w{number}" for number in range(400_000)))
        counter.add("new1 new2")
        made.append(list(counter.counts()))
    assert made[0] == made[1]


def test_where_nothing_can_be_written_nothing_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "load_kernels", lambda _: pytest.fail("it begins"))
    with pytest.raises(FolderGiven):
        count_words(["low"], output=tmp_path)
