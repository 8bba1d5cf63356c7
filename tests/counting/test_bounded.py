"""Counting gives the same counts file, byte for byte, with any memory, threads, files, cuts and checkpoints.

Hostile texts in random cuts are compared with the words that ``regex`` finds in whole documents. A few dozen corpora
always, thousands with MINBPE_COURSE_LONG_TESTS=1; a failure names the seed that makes it again.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import run_store, spill_to_disk
from minbpe_course.counting.bounded import count_bounded
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import CountsFile, merge_runs, open_counts, write_counts
from minbpe_course.counting.counts_file.loading import loaded
from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import FolderGiven, InvalidOption, InvalidSource, InvalidText, MissingFile, WrongOptionType
from minbpe_course.reference import counting as reference
from minbpe_course.resources import memory
from minbpe_course.splitting.splitter import Splitter
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


def expected(texts: list[str], pattern: str | None, specials: tuple[str, ...] = ()) -> list[tuple[bytes, int, int]]:
    """Return word, count and first place of each word, from the reference implementation."""
    splitter = Splitter(None if pattern is None else named_pattern(pattern))
    border = re.compile("|".join(map(re.escape, sorted(specials, key=len, reverse=True)))) if specials else None
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
def test_the_result_does_not_depend_on_memory_and_threads(pattern, threads, tight, tmp_path):
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


def test_full_tables_are_spilled_in_the_middle_of_a_block(tight, monkeypatch, tmp_path):
    written = []
    write = run_store.RunStore.write
    monkeypatch.setattr(run_store.RunStore, "write", lambda *args: written.append(1) or write(*args))
    tight(6000, 1 << 16)
    text = course_text()[:20_000]
    counts = count_words(text, output=tmp_path / "counts", num_threads=1)
    assert found(counts) == expected([text], "cl100k_base")
    assert len(written) > 10, "no table was full, so nothing was tested"


def test_runs_of_single_parts_merge_to_the_whole(tight, tmp_path):
    text = course_text()[:20_000]
    (tmp_path / "text.txt").write_bytes(text.encode("utf-8"))
    plan = CountingPlan(named_pattern("cl100k_base"), SPECIALS, memory=1 << 26)
    whole = count_words(Corpus(tmp_path / "text.txt"), special_tokens=SPECIALS, output=tmp_path / "whole")
    parts = Corpus(tmp_path / "text.txt").parts(plan.cutter, 3000)
    runs = [run_of_parts([part], plan) for part in parts]
    assert len(runs) > 5
    merge_runs(runs, tmp_path / "merged", memory=1 << 26, header=plan.header)
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
    assert open_counts(tmp_path / "c.counts").dropped == (1, 1, 3)


def test_arrays_larger_than_the_memory_are_mapped(tmp_path, monkeypatch):
    text = course_text()
    whole = count_words(text)
    file = count_words(text, output=tmp_path / "counts")
    for room in (10_000, 300_000):
        mapped = loaded(file, room)
        assert isinstance(mapped.text, np.memmap)
        assert found(mapped) == found(whole)
    assert not isinstance(loaded(file, 1 << 30).text, np.memmap)
    # Writing to the arrays is allowed, and does not reach the file.
    mapped.counts[0] += 1


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
    assert "words" in str(lines[-1])
    assert lines[-1].words > 0


@pytest.mark.parametrize("said", [True, 1.5, "a lot", "12 pieces", "1MB", 1000, -1, ""])
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
    with pytest.raises(WrongOptionType, match="min_frequency"):
        count_words("text", min_frequency="2")
    with pytest.raises(InvalidOption, match="engine"):
        count_words("text", engine=object())
    for source in (5, b"bytes", [1]):
        with pytest.raises(InvalidSource):
            count_words(source, memory="64MB")
    with pytest.raises(InvalidText, match="position 5 "):
        count_words(["fine", "fine \ud800"], memory="64MB")


# ---- Hostile texts in random cuts

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
GROUPS, TURNS = (40, 50) if LONG else (8, 4)
PATTERNS = ["gpt2", "cl100k_base", "o200k_base", None, r"\S+|\s+(?!\S)|\s+"]


def rows(counts: CountsFile) -> dict[bytes, list[int]]:
    counts.check()
    return {word: [count, first] for word, count, first in counts.rows()}


def count(source, chance: random.Random, sizes: dict[str, int], folder: Path, pattern, specials) -> CountsFile:
    pattern = None if pattern is None else named_pattern(pattern)
    where = dict(checkpoint=chance.choice([None, folder / "state"]), output=folder / "counted.counts")
    every = chance.choice([0.0, 0.001, 30.0])
    return count_bounded(source, pattern, specials, threads=sizes["threads"], every=every, **where)


@pytest.mark.parametrize("group", range(GROUPS))
def test_counts_equal_those_of_regex(group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn in range(TURNS):
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


@pytest.mark.parametrize("group", range(GROUPS // 4))
def test_the_order_of_files_only_changes_first_places(
    group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in range(TURNS):
        chance = random.Random(f"order {group} {turn}")
        documents = hostile_documents(chance, 9)
        folder = tmp_path / str(turn)
        paths, _ = written(folder, documents, "text", chance.choice(list(PACKED)))
        order = chance.sample(range(len(paths)), len(paths))
        sizes = in_small_steps(monkeypatch, chance)
        made = rows(count([paths[at] for at in order], chance, sizes, folder, "o200k_base", SPECIAL_TOKENS))
        assert made == counted_plainly([documents[at] for at in order], "o200k_base", SPECIAL_TOKENS), (group, turn)
        first = counted_plainly(documents, "o200k_base", SPECIAL_TOKENS)
        assert {word: number for word, (number, _) in made.items()} == {
            word: number for word, (number, _) in first.items()
        }


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000, "9" * 5_000, "\u0301" * 3_000, "é" * 3_000, " " * 5_000, "\u00a0" * 3_000, "!" * 4_999 + "\n"],
    ids=["letters", "digits", "marks", "two bytes each", "spaces", "hard spaces", "signs"],
)  # fmt: skip
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_that_cannot_be_cut(
    text: str, pattern: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(len(text))
    sizes = in_small_steps(monkeypatch, chance) | {"threads": 2}
    paths, _ = written(tmp_path, [text, "a" + text], "text")
    made = count(paths, chance, sizes, tmp_path, pattern, [])
    assert rows(made) == counted_plainly([text, "a" + text], pattern)
