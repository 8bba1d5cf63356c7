"""Counting gives one counts file, byte for byte, however little memory, however many threads, and however it is cut."""

from __future__ import annotations

import gzip
import random
from tempfile import mkdtemp

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minbpe_course import files as writing
from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import bounded as bounded_counting
from minbpe_course.counting import run_store, word_counter
from minbpe_course.counting import sources as counted_sources
from minbpe_course.counting import spill_to_disk as spilling
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import CountsFile, merge_runs, open_counts
from minbpe_course.counting.counts_file.loading import loaded
from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import FolderGiven, InvalidOption, InvalidSource, InvalidText, MissingFile, WrongOptionType
from minbpe_course.reference import counting as reference
from minbpe_course.resources import memory
from minbpe_course.splitting.words import Splitter
from minbpe_course.text.patterns import named_pattern
from tests.shared.cases import hostile_text

SPECIALS = ("<|end|>", "the ", "|")


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch):
    """Let counting have so little memory, and blocks and parts be so small, that a short text is spilled many times."""

    def squeeze(room: int, block: int = 64, part: int = 1 << 25) -> None:
        monkeypatch.setattr(memory, "for_work", lambda _: room)
        # Nobody pulls the plug here, and waiting for the disk is what would take longest.
        monkeypatch.setattr(writing.os, "fsync", lambda _: None)
        monkeypatch.setattr(spilling, "_LEAST_TABLE", 1)
        monkeypatch.setattr(spilling, "_SMALLEST_BLOCK", block)
        monkeypatch.setattr(spilling, "_LARGEST_BLOCK", block)
        monkeypatch.setattr(spilling, "_PLACES", 64)
        monkeypatch.setattr(counted_sources, "_GIVEN", 2 * block)
        monkeypatch.setattr(counted_sources, "PART", part)

    return squeeze


def expected(texts: list[str], pattern: str | None, specials: tuple[str, ...] = ()) -> list[tuple[bytes, int, int]]:
    """Word, count and first place of each word, from the readable twins."""
    splitter = Splitter(None if pattern is None else named_pattern(pattern))
    border = CountingPlan(None, specials).border
    words = [
        word
        for text in texts
        for stretch in (border.split(text) if border else [text])
        for word in splitter.words(stretch)
    ]
    firsts = reference.first_places(words)
    return [(word, count, firsts[word]) for word, count in reference.count_words(words).items()]


def found(counts: WordCounts | CountsFile) -> list[tuple[bytes, int, int]]:
    loaded = counts.load() if isinstance(counts, CountsFile) else counts
    assert loaded.firsts is not None
    return [(word, count, first) for (word, count), first in zip(loaded.items(), loaded.firsts.tolist())]


@pytest.mark.parametrize("pattern", ["cl100k_base", "o200k_base", "gpt2", r"\w+|\W", None])
@pytest.mark.parametrize("threads", [1, 3])
def test_counts_places_and_file_do_not_depend_on_memory_and_threads(pattern, threads, tight, tmp_path):
    texts = [course_text()[at : at + size] for at, size in ((0, 9000), (500, 40), (900, 3), (0, 0), (7000, 3000))]
    options = {"pattern": pattern, "special_tokens": SPECIALS, "num_threads": threads}
    assert found(count_words(texts, **options)) == expected(texts, pattern, SPECIALS)
    whole = count_words(texts, output=tmp_path / "whole", **options)
    assert found(whole) == expected(texts, pattern, SPECIALS)
    for room, block in ((6000, 50), (40_000, 700)):
        tight(room, block)
        count_words(texts, output=tmp_path / "tight", **options)
        assert (tmp_path / "tight").read_bytes() == whole.path.read_bytes()
        in_memory = count_words(texts, memory="64MB", **options)
        assert found(in_memory) == expected(texts, pattern, SPECIALS)
        assert in_memory == count_words(texts, **options)


def test_tables_are_full_in_the_middle_of_a_block(tight, monkeypatch, tmp_path):
    written = []
    write = run_store.RunStore.write
    monkeypatch.setattr(run_store.RunStore, "write", lambda *args: written.append(1) or write(*args))
    tight(6000, 1 << 16)
    text = course_text()[:20_000]
    counts = count_words(text, output=tmp_path / "counts", num_threads=1)
    assert found(counts) == expected([text], "cl100k_base")
    assert len(written) > 10, "it was never full, so nothing was tested"


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seeds=st.lists(st.integers(0, 1 << 20), max_size=4),
    room=st.integers(4000, 30_000),
    block=st.integers(20, 400),
    threads=st.integers(1, 3),
    pattern=st.sampled_from(["cl100k_base", "o200k_base", "gpt2", None, r"[^\W\d]+|\d|\W"]),
)
def test_hostile_texts_in_hardly_any_memory(seeds, room, block, threads, pattern, tight, tmp_path):
    texts = [hostile_text(random.Random(seed), 300) for seed in seeds]
    tight(room, block)
    options = {"pattern": pattern, "special_tokens": SPECIALS}
    counts = count_words(iter(texts), output=tmp_path / "a", num_threads=threads, **options)
    assert found(counts) == expected(texts, pattern, SPECIALS)
    # The same out of a folder that is left again and again: a cut behind every task.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_counting, "EVERY", 0.0)
        folder = mkdtemp(dir=tmp_path)
        count_words(iter(texts), output=tmp_path / "b", checkpoint=folder, num_threads=threads, **options)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_in_parts_give_what_their_texts_give(tight, tmp_path):
    texts = [course_text()[:7000], course_text()[6000:9000] + "ä", "", "end"]
    for number, text in enumerate(texts):
        data = text.encode("utf-8")
        if number % 2:
            (tmp_path / f"{number}.txt").write_bytes(data)
        else:
            (tmp_path / f"{number}.txt.gz").write_bytes(gzip.compress(data))
    files = sorted(tmp_path.iterdir())
    wanted = expected(texts, "cl100k_base")
    assert found(count_words(files)) == found(count_words(iter(files))) == wanted
    assert found(count_words(Corpus(tmp_path / "*.txt*"))) == wanted
    tight(6000, 100, 1000)
    for source in (files, tmp_path / "*.txt*", iter(files)):
        assert found(count_words(source, output=tmp_path / "counts", num_threads=2)) == wanted
        (tmp_path / "counts").unlink()


def test_runs_of_single_parts_are_the_whole(tight, tmp_path):
    text = course_text()[:20_000]
    (tmp_path / "text.txt").write_bytes(text.encode("utf-8"))
    plan = CountingPlan(named_pattern("cl100k_base"), SPECIALS, memory=1 << 26)
    whole = count_words(Corpus(tmp_path / "text.txt"), special_tokens=SPECIALS, output=tmp_path / "whole")
    parts = Corpus(tmp_path / "text.txt").parts(plan.cutter, 3000)
    runs = [run_of_parts([part], plan) for part in parts]
    assert len(runs) > 5
    merge_runs(runs, tmp_path / "merged", memory=1 << 26, header=plan.header)
    assert (tmp_path / "merged").read_bytes() == whole.path.read_bytes()
    # A worker with hardly any memory makes the same run.
    small = CountingPlan(plan.pattern, SPECIALS, memory=6000)
    tight(6000, 100)
    assert [run_of_parts([part], small) for part in parts] == runs


def test_rare_words_are_dropped_and_told(tmp_path):
    text = course_text()[:30_000]
    for options in ({}, {"memory": "64MB"}, {"checkpoint": tmp_path / "work"}):
        whole, frequent = count_words(text), count_words(text, min_frequency=3, **options)
        assert dict(frequent) == {word: count for word, count in whole.items() if count >= 3}
        gone = {word: count for word, count in whole.items() if count < 3}
        lost = sum(len(word) * count for word, count in gone.items())
        assert frequent.dropped == (len(gone), sum(gone.values()), lost)
        assert whole.dropped == (0, 0, 0)
    file = count_words(text, min_frequency=3, output=tmp_path / "a")
    assert dict(file) == dict(frequent)
    assert (file.dropped, file.min_frequency) == (frequent.dropped, 3)
    count_words(text, min_frequency=3, output=tmp_path / "b", checkpoint=tmp_path / "work")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert len(count_words("a b c", min_frequency=2, memory="64MB")) == 0


def test_counts_that_are_there_are_taken(tmp_path):
    counts = count_words("low low lower", pattern=r"\S+|\s", output=tmp_path / "a.counts")
    assert dict(count_words(tmp_path / "a.counts")) == dict(count_words(counts)) == dict(counts)
    assert dict(count_words(counts, min_frequency=2, output=tmp_path / "b.counts")) == {b" ": 2, b"low": 2}
    assert dict(count_words({"low": 2, "new": 1}, min_frequency=2, output=tmp_path / "c.counts")) == {b"low": 2}
    assert open_counts(tmp_path / "c.counts").dropped == (1, 1, 3)


def test_arrays_that_are_larger_than_the_memory_are_mapped(tmp_path, monkeypatch):
    text = course_text()
    whole = count_words(text)
    file = count_words(text, output=tmp_path / "counts")
    for room in (10_000, 300_000):
        mapped = loaded(file, room)
        assert isinstance(mapped.text, np.memmap)
        assert found(mapped) == found(whole)
    assert not isinstance(loaded(file, 1 << 30).text, np.memmap)
    # Who trains changes nothing in them, but may.
    mapped.counts[0] += 1


def test_progress_is_told(monkeypatch, tight):
    tight(40_000, 200)
    clock = iter(range(1_000_000))
    monkeypatch.setattr(spilling.time, "monotonic", lambda: next(clock))
    lines = []
    text = course_text()[:20_000]
    count_words(text, progress=lines.append, num_threads=1)
    done = [line.bytes_done for line in lines]
    assert len(lines) > 3
    assert done == sorted(done)
    assert 0 < done[-1] <= len(text.encode())
    assert "words" in str(lines[-1])
    assert lines[-1].words > 0


@pytest.mark.parametrize("said", [True, 1.5, "a lot", "12 pieces", "1MB", 1000, -1, ""])
def test_amounts_of_memory_that_are_none(said):
    with pytest.raises(InvalidOption, match="memory"):
        count_words("text", memory=said)


def test_amounts_of_memory():
    assert memory.parsed(" 2 gb ") == 2_000_000_000
    assert memory.parsed("0.5GiB") == 1 << 29
    assert memory.parsed("64000K") == memory.parsed(64_000_000) == 64_000_000
    assert memory.LEAST <= memory.parsed(None) <= 2_000_000_000
    assert memory.for_work(20_000_000) == 10_000_000, "a process that holds Numba has more already"


def test_wrong_options_are_told_before_anything_is_counted(tmp_path):
    with pytest.raises(FolderGiven):
        count_words("text", output=tmp_path)
    with pytest.raises(MissingFile, match="no folder"):
        count_words("text", output=tmp_path / "no" / "where")
    for wrong in (0, -3):
        with pytest.raises(InvalidOption, match="min_frequency"):
            count_words("text", min_frequency=wrong)
    with pytest.raises(WrongOptionType, match="min_frequency"):
        count_words("text", min_frequency="2")
    with pytest.raises(InvalidOption, match="engine"):
        count_words("text", engine=object())
    for source in (5, b"bytes", [1]):
        with pytest.raises(InvalidSource):
            count_words(source, memory="64MB")
    with pytest.raises(InvalidText, match="position 5 "):
        count_words(["fine", "fine \ud800"], memory="64MB")


def test_counting_with_many_threads_and_tasks_of_one_word(monkeypatch, tight, tmp_path):
    tight(10_000, 20)
    monkeypatch.setattr(word_counter, "_TASK", 1)
    text = course_text()[:5000]
    counts = count_words(text, num_threads=8, output=tmp_path / "counts")
    assert found(counts) == expected([text], "cl100k_base")
