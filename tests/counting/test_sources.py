"""Files that end too early, vanish, or change during or between counts; other and damaged checkpoints.

Each ends with a named error and a checkpoint that continues, or with the right counts; never with wrong ones.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.corpus.reading import Corpus, read_part
from minbpe_course.counting import sources
from minbpe_course.counting.bounded import count_bounded
from minbpe_course.counting.counts_file import CountsFile
from minbpe_course.errors import (
    CountingStopped,
    DifferentCheckpoint,
    MinbpeCourseError,
    NotPermitted,
    UnreadableCheckpoint,
    UnreadableInput,
    UnusablePath,
)
from minbpe_course.text.patterns import named_pattern
from tests.counting.hostile_corpora import PACKED, hostile_documents, shrink, written
from tests.shared.mutated_files import mutants

pytestmark = pytest.mark.medium

MUTANTS = 40
PATTERN = named_pattern("o200k_base")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, memory=40_000, block=300, part=700)


def count(source: Any, folder: Path, pattern: str | None = PATTERN, specials: Any = ()) -> CountsFile:
    where = dict(checkpoint=folder / "work", output=folder / "out.counts")
    return count_bounded(source, pattern, specials, every=0.0, **where)


def outcome(source: Any, folder: Path, **more: Any) -> CountsFile | Exception:
    """Return the counts, or the named error."""
    try:
        return count(source, folder, **more)
    except MinbpeCourseError as error:
        return error


def texts_of(seed: int, number: int = 5) -> list[str]:
    chance = random.Random(seed)
    return ["".join(hostile_documents(chance, 6, 200)) + f" the end of {at}" for at in range(number)]


def bytes_of(source: Any, folder: Path) -> bytes:
    folder.mkdir()
    return count(source, folder).path.read_bytes()


class Disturbed:
    """Replaces ``read_part``: does something after a number of pieces."""

    def __init__(self, pieces: int, disturb: Callable[[], object]) -> None:
        self.left, self.disturb = pieces, disturb

    def __call__(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        for piece in read_part(*arguments, **options):
            if self.left == 0:
                self.disturb()
            self.left -= 1
            yield piece


def stop() -> None:
    raise OSError(5, "the disk was removed")


def interrupted(source: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, pieces: int) -> None:
    """Leave an unfinished count in ``folder``, with this many pieces counted."""
    with monkeypatch.context() as patched:
        patched.setattr(sources, "read_part", Disturbed(pieces, stop))
        with pytest.raises(CountingStopped, match="was removed"):
            count(source, folder)


# ---- Files that end too early


@pytest.mark.parametrize("packed", [name for name in PACKED if name])
def test_a_file_that_ends_too_early(packed: str, quick_path: Path) -> None:
    paths, _ = written(quick_path / "files", texts_of(1), "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    whole = paths[2].read_bytes()
    times = paths[2].stat().st_mtime_ns
    # None of these is where a member ends: there, the file would look complete.
    for cut in (1, 5, len(whole) // 2, len(whole) - 1):
        folder = quick_path / str(cut)
        folder.mkdir()
        paths[2].write_bytes(whole[:cut])
        with pytest.raises(CountingStopped) as caught:
            count(paths, folder)
        assert isinstance(caught.value.__cause__, UnreadableInput), caught.value
        assert str(paths[2]) in str(caught.value)
        assert "safe in" in str(caught.value)
        assert not (folder / "out.counts").exists()
        paths[2].write_bytes(whole)
        os.utime(paths[2], ns=(times, times))
        assert count(paths, folder).path.read_bytes() == wanted, cut
        shutil.rmtree(folder)


# ---- Files that change

CHANGES: dict[str, Callable[[Path], object]] = {
    "vanishes": lambda path: path.unlink(),
    "shrinks": lambda path: os.truncate(path, path.stat().st_size // 2),
    "is emptied": lambda path: path.write_bytes(b""),
    "grows": lambda path: path.write_bytes(path.read_bytes() + b" and more"),
    "is written over": lambda path: path.write_bytes(b"x" * path.stat().st_size),
    "is exchanged": lambda path: (path.unlink(), path.write_bytes(b"something else")),
    "becomes a folder": lambda path: (path.unlink(), path.mkdir()),
    "leads nowhere": lambda path: (path.unlink(), path.symlink_to("nowhere")),
}


# which : of five files, of which the third is being read.
CASES = [(change, packed, which) for change in CHANGES for packed in ("", "gz") for which in (0, 2, 4)]


def restored(path: Path, data: bytes, time_ns: int) -> None:
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(time_ns, time_ns))


def cutter() -> Any:
    from minbpe_course.splitting.boundaries import Cutter

    return Cutter(PATTERN, ())


def pieces_of(paths: list[Path]) -> int:
    return sum(1 for part in Corpus(*paths).parts(cutter(), 700) for _ in read_part(part, cutter()))


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files from being changed, and makes no such links")
@pytest.mark.parametrize("while_counting", [True, False], ids=["while it is counted", "between two counts"])
@pytest.mark.parametrize(("change", "packed", "which"), random.Random(7).sample(CASES, 12))
def test_a_file_that_changes(
    while_counting: bool, change: str, packed: str, which: int, quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the third file has been opened, and when it is counted in part."""
    paths, _ = written(quick_path / "files", [text * 3 for text in texts_of(3)], "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    data, time_ns = paths[which].read_bytes(), paths[which].stat().st_mtime_ns
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with monkeypatch.context() as patched:
        if while_counting:
            changing = Disturbed(pieces_of(paths[:2]), lambda: CHANGES[change](paths[which]))
            patched.setattr(sources, "read_part", changing)
        else:
            interrupted(paths, quick_path, patched, pieces_of(paths[:2]) + 2)
            CHANGES[change](paths[which])
        found = outcome(paths, quick_path)
    if isinstance(found, CountsFile) and while_counting:
        # The file was read completely, or is still open without a name.
        assert which == 0 or change in ("vanishes", "is exchanged", "becomes a folder", "leads nowhere")
        assert found.path.read_bytes() == wanted
        return
    if isinstance(found, CountsFile):
        # The change is in text that was not counted yet.
        assert which == 4 or (which == 2 and change == "grows"), change
        assert found.path.read_bytes() == bytes_of(paths, quick_path / "fresh")
        return
    if while_counting:
        assert isinstance(found, CountingStopped)
        assert isinstance(found.__cause__, (UnusablePath, UnreadableInput)), found
    assert isinstance(found, (DifferentCheckpoint, CountingStopped, UnusablePath, UnreadableInput)), found
    assert str(paths[which]) in str(found) or isinstance(found, DifferentCheckpoint), found
    restored(paths[which], data, time_ns)
    assert count(paths, quick_path).path.read_bytes() == wanted


# ---- Checkpoints


def test_a_folder_that_cannot_be_a_checkpoint(quick_path: Path) -> None:
    (quick_path / "work").write_text("a file", encoding="utf-8")
    with pytest.raises(UnusablePath, match="is a file"):
        count(["low"], quick_path)
    (quick_path / "work").unlink()
    (quick_path / "work").mkdir()
    (quick_path / "work").chmod(0o500)
    if not os.access(quick_path / "work", os.W_OK):
        with pytest.raises(NotPermitted, match="work"):
            count(["low"], quick_path)
    (quick_path / "work").chmod(0o700)
    assert dict(count(["low"], quick_path)) == {b"low": 1}


def test_damaged_checkpoints_never_give_wrong_counts(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, _ = written(quick_path / "files", texts_of(6, 4), "text")
    wanted = bytes_of(paths, quick_path / "wanted")
    states = {}
    for label, pieces in {"early": pieces_of(paths) // 4, "late": pieces_of(paths) - 2}.items():
        folder = quick_path / label
        folder.mkdir()
        interrupted(paths, folder, monkeypatch, pieces)
        states[label] = {path.name: path.read_bytes() for path in (folder / "work").iterdir() if path.name != "lock"}
    refused = 0
    for mutant in mutants(states, seed=8, count=MUTANTS):
        mutant.write(quick_path / "work")
        found = outcome(paths, quick_path)
        if isinstance(found, CountsFile):
            assert found.path.read_bytes() == wanted, mutant.name
            found.path.unlink()
            continue
        refused += 1
        assert isinstance(found, (UnreadableCheckpoint, DifferentCheckpoint, CountingStopped)), mutant.name
        if isinstance(found, CountingStopped):
            assert isinstance(found.__cause__, UnreadableInput), mutant.name
        assert not (quick_path / "out.counts").exists(), mutant.name
    assert refused > MUTANTS // 4
