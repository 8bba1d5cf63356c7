"""Counting gives the same counts file, byte for byte, with any memory, threads, files, cuts and checkpoints.

Hostile texts in random cuts are compared with the words that ``regex`` finds in whole documents; a failure names the
seed that makes it again.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import spill_to_disk
from minbpe_course.counting.bounded import count_bounded
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import CountsFile, merge_runs, open_counts, write_counts
from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import FolderGiven, InvalidOption, InvalidText, MissingFile
from minbpe_course.resources import memory
from minbpe_course.text.patterns import named_pattern
from tests.counting.hostile_corpora import (
    KINDS,
    PACKED,
    SPECIAL_TOKENS,
    counted_plainly,
    hostile_documents,
    in_small_steps,
    one_line,
    shrink,
    written,
)

pytestmark = pytest.mark.medium

SPECIALS = ("<|end|>", "the ", "|")


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch):
    """Return a function that leaves so little memory that a short text is spilled many times."""
    return lambda memory, block=64, part=1 << 25: shrink(monkeypatch, memory=memory, block=block, part=part)


def found(counts: WordCounts | CountsFile) -> list[tuple[bytes, int, int]]:
    loaded = counts.load() if isinstance(counts, CountsFile) else counts
    assert loaded.firsts is not None
    return [(word, count, first) for (word, count), first in zip(loaded.items(), loaded.firsts.tolist())]


def test_runs_of_single_parts_merge_to_the_whole(tight, tmp_path):
    text = course_text()[:20_000]
    (tmp_path / "text.txt").write_bytes(text.encode("utf-8"))
    plan = CountingPlan(named_pattern("cl100k_base"), SPECIALS, memory=1 << 26)
    whole = count_words(Corpus(tmp_path / "text.txt"), special_tokens=SPECIALS, output=tmp_path / "whole")
    parts = Corpus(tmp_path / "text.txt").parts(plan.cutter, 3000)
    runs = [run_of_parts([part], plan) for part in parts]
    assert len(runs) > 5
    merge_runs(runs, tmp_path / "merged", memory=1 << 26)
    assert (tmp_path / "merged").read_bytes() == whole.path.read_bytes()
    # A worker with little memory makes the same runs.
    small = CountingPlan(plan.pattern, SPECIALS, memory=6000)
    tight(6000, 100)
    assert [run_of_parts([part], small) for part in parts] == runs


def test_rare_words_are_dropped_and_reported(tmp_path):
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


def test_existing_counts_are_used(tmp_path):
    counts = count_words("low low lower", pattern=r"\S+|\s", output=tmp_path / "a.counts")
    assert dict(count_words(tmp_path / "a.counts")) == dict(count_words(counts)) == dict(counts)
    assert dict(count_words(counts, min_frequency=2, output=tmp_path / "b.counts")) == {b" ": 2, b"low": 2}
    assert dict(count_words({"low": 2, "new": 1}, min_frequency=2, output=tmp_path / "c.counts")) == {b"low": 2}
    assert dict(open_counts(tmp_path / "b.counts")) == {b" ": 2, b"low": 2}
    assert open_counts(tmp_path / "c.counts").dropped == (1, 1, 3)


def test_existing_counts_for_an_output_that_cannot_be_written(tmp_path):
    counts = count_words("low low lower", output=tmp_path / "a.counts")
    for source in (counts, tmp_path / "a.counts", {"low": 2}):
        with pytest.raises(FolderGiven, match="give the name of a file"):
            count_words(source, output=tmp_path)
        with pytest.raises(MissingFile, match="there is no folder"):
            count_words(source, output=tmp_path / "missing" / "b.counts")


def test_progress_is_reported(monkeypatch, tight):
    tight(40_000, 200)
    clock = iter(range(1_000_000))
    monkeypatch.setattr(spill_to_disk.time, "monotonic", lambda: next(clock))
    lines = []
    text = course_text()[:20_000]
    count_words(text, progress=lines.append, num_threads=1)
    done = [line.bytes_done for line in lines]
    assert len(lines) > 3
    assert done == sorted(done)
    assert 0 < done[-1] <= len(text.encode())
    assert lines[-1].words > 0


@pytest.mark.parametrize("said", [True, 1.5, "12 pieces", "1MB", -1])
def test_invalid_amounts_of_memory(said):
    with pytest.raises(InvalidOption, match="memory"):
        count_words("text", memory=said)


def test_amounts_of_memory():
    assert memory.parsed(" 2 gb ") == 2_000_000_000
    assert memory.parsed("0.5GiB") == 1 << 29
    assert memory.parsed("64000K") == memory.parsed(64_000_000) == 64_000_000
    assert memory.LEAST <= memory.parsed(None) <= 2_000_000_000
    assert memory.for_work(20_000_000) == 10_000_000, "a process that holds Numba has more already"


def test_wrong_options_fail_before_counting(tmp_path):
    with pytest.raises(FolderGiven):
        count_words("text", output=tmp_path)
    with pytest.raises(MissingFile, match="no folder"):
        count_words("text", output=tmp_path / "no" / "where")
    for wrong in (0, -3):
        with pytest.raises(InvalidOption, match="min_frequency"):
            count_words("text", min_frequency=wrong)
    with pytest.raises(InvalidText, match="position 5 "):
        count_words(["fine", "fine \ud800"], memory="64MB")


# ---- Hostile texts in random cuts

PATTERNS = ["gpt2", "cl100k_base", "o200k_base", None, r"\S+|\s+(?!\S)|\s+"]


def rows(counts: CountsFile) -> dict[bytes, list[int]]:
    counts.check()
    return {word: [count, first] for word, count, first in counts.rows()}


def count(source, chance: random.Random, sizes: dict[str, int], folder: Path, pattern, specials) -> CountsFile:
    pattern = None if pattern is None else named_pattern(pattern)
    where = dict(checkpoint=chance.choice([None, folder / "state"]), output=folder / "counted.counts")
    every = chance.choice([0.0, 0.001, 30.0])
    return count_bounded(source, pattern, specials, threads=sizes["threads"], every=every, **where)


@pytest.mark.parametrize("group", range(8))
def test_counts_equal_those_of_regex(group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn in range(4):
        chance = random.Random(f"{group} {turn}")
        pattern, specials = chance.choice(PATTERNS), chance.choice([[], SPECIAL_TOKENS, SPECIAL_TOKENS[:1]])
        kind, packed = chance.choice(["iterable", *KINDS]), chance.choice(["", "", "", *PACKED])
        documents = hostile_documents(chance)
        if kind == "lines":
            documents = [one_line(document) for document in documents]
        plain = counted_plainly(documents, pattern, specials)
        folder = tmp_path / str(turn)
        sizes = in_small_steps(monkeypatch, chance)
        context = (group, turn, pattern, specials, kind, packed, sizes)

        def source(documents=documents, kind=kind, packed=packed, folder=folder):
            if kind == "iterable":
                return iter(documents)
            paths, options = written(folder, documents, kind, packed)
            return Corpus(*paths, **options)

        folder.mkdir()
        made = count(source(), chance, sizes, folder, pattern, specials)
        assert rows(made) == plain, context
        in_memory = count_words(documents, pattern=pattern, special_tokens=specials, num_threads=sizes["threads"])
        assert dict(in_memory) == {word: number for word, (number, _) in plain.items()}, context
        assert list(in_memory) == list(plain), context
        # The same bytes from texts in memory and from files.
        whole = write_counts(
            in_memory, folder / "whole.counts", pattern=None if pattern is None else named_pattern(pattern),
            special_tokens=specials,
        )  # fmt: skip
        assert made.path.read_bytes() == whole.path.read_bytes(), context


@pytest.mark.parametrize("text", ["9" * 5_000, "\u0301" * 3_000, "\u00a0" * 3_000], ids=["digits", "marks", "spaces"])
@pytest.mark.parametrize("pattern", ["o200k_base", None])
def test_a_text_that_cannot_be_cut(
    text: str, pattern: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(len(text))
    sizes = in_small_steps(monkeypatch, chance) | {"threads": 2}
    paths, _ = written(tmp_path, [text, "a" + text], "text")
    made = count(paths, chance, sizes, tmp_path, pattern, [])
    assert rows(made) == counted_plainly([text, "a" + text], pattern)
