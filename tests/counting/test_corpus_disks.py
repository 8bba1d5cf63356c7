"""A full disk: counting says so by name, loses nothing that was finished, and goes on when there is room.

Files that may not grow stand for it everywhere but on Windows; a disk of our own that is really full where the tests
may mount one.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import open_counts
from minbpe_course.errors import CountingStopped, UnusablePath
from tests.counting.hostile_corpora import hostile_documents, written
from tests.counting.killed_on_purpose import FORKS, Nursery
from tests.counting.test_corpus_killed import KILLED, counting, fresh, nothing_left_over, nursery, result

__all__ = ["nursery"]

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))

forks = pytest.mark.skipif(not FORKS, reason="the jobs run in forks")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    chance = random.Random(31)
    documents = ["".join(hostile_documents(chance, 6, 400)) for _ in range(6)]
    return [str(path) for path in written(tmp_path_factory.mktemp("corpus"), documents, "text")[0]]


@forks
def test_files_that_may_not_grow(nursery: Nursery, files: list[str], quick_path: Path) -> None:
    assert nursery.run(counting(files, fresh(quick_path, "whole"))).code == 0
    whole, stopped = len(result(quick_path / "whole")), 0
    sizes = [0, 1, 100, 600, 1_000, 1_500, *range(2_000, whole, whole // (60 if LONG else 6)), whole - 1]
    for size in sizes:
        folder = fresh(quick_path, size)
        full = nursery.run(counting(files, folder), largest=size)
        assert full.code == 1, (size, full)
        kind, _, said = full.said.partition(":")
        # Before anything is counted there is nothing to go on from, and the error is that of the file.
        assert kind in ("CountingStopped", "UnusablePath"), (size, full.said)
        assert "too large" in said, full.said
        assert str(folder) in said, full.said
        assert not (folder / "out.counts").exists()
        nothing_left_over(folder)
        stopped += kind == "CountingStopped"
        last = nursery.run(counting(files, folder))
        assert last.code == 0, (size, last.said)
        assert result(folder) == result(quick_path / "whole"), size
    assert stopped > 3


@forks
def test_full_again_and_again_and_killed_between(nursery: Nursery, files: list[str], quick_path: Path) -> None:
    assert nursery.run(counting(files, fresh(quick_path, "whole"))).code == 0
    chance, folder = random.Random(5), fresh(quick_path, "full")
    for turn in range(60 if LONG else 9):
        how = {"largest": chance.randint(0, 2_500)} if turn % 3 else {"kill_at": chance.randint(1, 60)}
        ended = nursery.run(counting(files, folder), **how)
        assert ended.code in (0, KILLED) or ended.said.startswith(("CountingStopped", "UnusablePath")), ended.said
    last = nursery.run(counting(files, folder))
    assert last.code == 0, last.said
    assert result(folder) == result(quick_path / "whole")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 kB; skips where none can be had."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root may mount a disk, and only on Linux is this how")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode(errors='replace').strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def texts() -> list[str]:
    chance = random.Random(9)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [" ".join("".join(chance.choices(letters, k=12)) for _ in range(6_000)) for _ in range(6)]


def test_a_disk_that_is_really_full(disk: Path, tmp_path: Path) -> None:
    wanted = count_words(texts(), output=tmp_path / "wanted.counts").path.read_bytes()
    assert len(wanted) > 300_000
    # The state has no room.
    with pytest.raises((CountingStopped, UnusablePath), match="No space left"):
        count_words(texts(), checkpoint=disk / "work", output=tmp_path / "out.counts", num_threads=1)
    assert not (tmp_path / "out.counts").exists()
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    count_words(texts(), checkpoint=disk / "work", output=tmp_path / "out.counts", num_threads=1)
    assert (tmp_path / "out.counts").read_bytes() == wanted
    shutil.rmtree(disk / "work")
    subprocess.run(["mount", "-o", "remount,size=300k", str(disk)], check=True)
    # The state has room, the output has none; what was counted is not counted again.
    with pytest.raises(CountingStopped, match="No space left"):
        count_words(texts(), checkpoint=tmp_path / "state", output=disk / "out.counts", num_threads=1)
    assert list(disk.iterdir()) == []

    def counted_already() -> Iterator[str]:
        yield from texts()
        assert open_counts(next((tmp_path / "state").glob("run-*.counts"))).occurrences > 0

    before = sorted((tmp_path / "state").glob("run-*.counts"))
    count_words(counted_already(), checkpoint=tmp_path / "state", output=tmp_path / "second.counts")
    assert (tmp_path / "second.counts").read_bytes() == wanted
    assert sorted((tmp_path / "state").glob("run-*.counts")) == before
    # Without a state nothing is left anywhere.
    with pytest.raises(UnusablePath, match="No space left"):
        count_words(texts(), output=disk / "out.counts", num_threads=1)
    assert list(disk.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_that_is_always_full(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="No space left"):
        count_words("low lower", output="/dev/full")
    with pytest.raises(CountingStopped, match="No space left"):
        count_words(["low lower"], output="/dev/full", checkpoint=tmp_path / "work")
    again = count_words(["low lower"], output=tmp_path / "out.counts", checkpoint=tmp_path / "work")
    assert dict(again) == {b"low": 1, b" lower": 1}
