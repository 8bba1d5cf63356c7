"""Files that end too early, vanish, shrink, grow or are exchanged while they are counted or between two runs, states of
another count, damaged states, and two at once: a named error and a state that continues, or the right counts; never
wrong ones.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.corpus.reading import Corpus, read_part
from minbpe_course.counting import sources as counted_sources
from minbpe_course.counting.bounded import count_bounded
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import CountsFile
from minbpe_course.errors import (
    ChangedFile,
    CountingStopped,
    DamagedFile,
    DifferentCheckpoint,
    FolderInUse,
    MinbpeCourseError,
    MissingFile,
    NotPermitted,
    UnreadableCheckpoint,
    UnreadableCounts,
    UnusablePath,
)
from minbpe_course.text.patterns import named_pattern
from tests.counting.hostile_corpora import PACKED, hostile_documents, in_small_steps, members, written
from tests.shared.mutated_files import mutants

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
MUTANTS = 1_500 if LONG else 40
PATTERN = named_pattern("o200k_base")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_steps(monkeypatch, random.Random(0))
    monkeypatch.setattr(counted_sources, "PART", 700)
    monkeypatch.setattr("minbpe_course.counting.spill_to_disk._LARGEST_BLOCK", 300)
    monkeypatch.setattr("minbpe_course.resources.memory.for_work", lambda memory: 40_000)


def count(source: Any, folder: Path, every: float = 0.0, pattern: str | None = PATTERN, **more: Any) -> CountsFile:
    options = dict(threads=1, memory=None, engine=None, min_frequency=1, progress=None) | more
    return count_bounded(
        source, pattern, more.pop("specials", []), checkpoint=folder / "work", output=folder / "out.counts",
        every=every, **{name: value for name, value in options.items() if name != "specials"},
    )  # fmt: skip


def outcome(source: Any, folder: Path, **more: Any) -> CountsFile | Exception:
    """What comes of a count: the counts or a named error, and nothing else."""
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
    """In place of ``read_part``: does something after so many pieces."""

    def __init__(self, pieces: int, disturb: Callable[[], object]) -> None:
        self.left, self.disturb = pieces, disturb

    def __call__(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        for piece in read_part(*arguments, **options):
            if self.left == 0:
                self.disturb()
            self.left -= 1
            yield piece


def stop() -> None:
    raise OSError(5, "the disk fell out")


def begun(source: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, pieces: int) -> None:
    """Leave a count in ``folder`` of which so many pieces are done."""
    with monkeypatch.context() as patched:
        patched.setattr(counted_sources, "read_part", Disturbed(pieces, stop))
        with pytest.raises(CountingStopped, match="fell out"):
            count(source, folder)


# ---- Files that end too early


@pytest.mark.parametrize("packed", [name for name in PACKED if name])
def test_a_file_that_ends_too_early(packed: str, quick_path: Path) -> None:
    paths, _ = written(quick_path / "files", texts_of(1), "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    whole = paths[2].read_bytes()
    times = paths[2].stat().st_mtime_ns
    # Where one of several members ends, nobody can know that there were more.
    ends_of_members = members(texts_of(1)[2].encode("utf-8"), packed)
    cuts = sorted({1, 5, len(whole) // 2, len(whole) - 1})
    for cut in range(1, len(whole), max(1, len(whole) // 300)) if LONG else cuts:
        folder = quick_path / str(cut)
        folder.mkdir()
        paths[2].write_bytes(whole[:cut])
        if cut in ends_of_members:
            continue
        with pytest.raises(CountingStopped) as caught:
            count(paths, folder)
        assert isinstance(caught.value.__cause__, DamagedFile), caught.value
        assert str(paths[2]) in str(caught.value)
        assert "safe in" in str(caught.value)
        assert not (folder / "out.counts").exists()
        paths[2].write_bytes(whole)
        os.utime(paths[2], ns=(times, times))
        assert count(paths, folder).path.read_bytes() == wanted, cut
        shutil.rmtree(folder)


@pytest.mark.parametrize("packed", ["gz", "xz"])
def test_a_file_in_which_bits_are_wrong(packed: str, quick_path: Path) -> None:
    """What the checksum of the format tells is told; nothing else than the right counts is ever an answer."""
    paths, _ = written(quick_path / "files", texts_of(2, 2), "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    whole, chance = paths[1].read_bytes(), random.Random(2)
    for turn in range(300 if LONG else 6):
        folder = quick_path / str(turn)
        folder.mkdir()
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        paths[1].write_bytes(data)
        found = outcome(paths, folder)
        if isinstance(found, CountsFile):
            # A bit that means nothing, such as one of the time in a header.
            assert found.path.read_bytes() == wanted, turn
        else:
            assert isinstance(found, CountingStopped)
            assert str(paths[1]) in str(found)
            paths[1].write_bytes(whole)
            assert count(paths, folder).path.read_bytes() == wanted
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


# Which of five files: the third is the one that is being read. All of it takes half a minute.
CASES = [(change, packed, which) for change in CHANGES for packed in ("", "gz") for which in (0, 2, 4)]
each_case = pytest.mark.parametrize(
    ("change", "packed", "which"), CASES if LONG else random.Random(7).sample(CASES, 12)
)


def restored(path: Path, data: bytes, time_ns: int) -> None:
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(time_ns, time_ns))


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files from being changed")
@each_case
def test_a_file_that_changes_while_it_is_counted(
    change: str, packed: str, which: int, quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, _ = written(quick_path / "files", [text * 3 for text in texts_of(3)], "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    data, time_ns = paths[which].read_bytes(), paths[which].stat().st_mtime_ns
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with monkeypatch.context() as patched:
        # When the third file has been opened.
        before = sum(1 for part in Corpus(*paths[:2]).parts(cutter(), 700) for _ in read_part(part, cutter()))
        patched.setattr(counted_sources, "read_part", Disturbed(before, lambda: CHANGES[change](paths[which])))
        found = outcome(paths, quick_path)
    if isinstance(found, CountsFile):
        # A file of which all was read, or that is still open under no name.
        assert which == 0 or change in ("vanishes", "is exchanged", "becomes a folder", "leads nowhere")
        assert found.path.read_bytes() == wanted
        return
    assert isinstance(found, CountingStopped)
    assert isinstance(found.__cause__, (ChangedFile, UnusablePath, DamagedFile)), found
    assert str(paths[which]) in str(found)
    restored(paths[which], data, time_ns)
    assert count(paths, quick_path).path.read_bytes() == wanted


def cutter() -> Any:
    from minbpe_course.splitting.boundaries import Cutter

    return Cutter(PATTERN, ())


@each_case
def test_a_file_that_changed_before_counting_goes_on(
    change: str, packed: str, which: int, quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, _ = written(quick_path / "files", [text * 3 for text in texts_of(4)], "text", packed)
    wanted = bytes_of(paths, quick_path / "wanted")
    before = sum(1 for part in Corpus(*paths[:2]).parts(cutter(), 700) for _ in read_part(part, cutter()))
    begun(paths, quick_path, monkeypatch, before + 2)
    data, time_ns = paths[which].read_bytes(), paths[which].stat().st_mtime_ns
    try:
        CHANGES[change](paths[which])
    except OSError:
        pytest.skip("this system makes no such link")
    found = outcome(paths, quick_path)
    if isinstance(found, CountsFile):
        # Of what was not counted yet there may be something else now: then that is counted.
        assert which == 4 or (which == 2 and change == "grows"), change
        assert found.path.read_bytes() == bytes_of(paths, quick_path / "fresh")
        return
    assert isinstance(found, (DifferentCheckpoint, CountingStopped, UnusablePath, DamagedFile)), found
    assert str(paths[which]) in str(found) or isinstance(found, DifferentCheckpoint), found
    restored(paths[which], data, time_ns)
    assert count(paths, quick_path).path.read_bytes() == wanted


def test_what_cannot_be_read_is_told_by_name(quick_path: Path) -> None:
    good = quick_path / "good.txt"
    good.write_text("low lower", encoding="utf-8")
    with pytest.raises(MissingFile, match="gone"):
        count([good, quick_path / "gone.txt"], quick_path)
    (quick_path / "folder.txt").mkdir()
    with pytest.raises(UnusablePath, match=r"folder\.txt"):
        count([good, quick_path / "folder.txt"], quick_path)
    closed = quick_path / "closed.txt"
    closed.write_text("secret", encoding="utf-8")
    closed.chmod(0)
    if not os.access(closed, os.R_OK):
        with pytest.raises((NotPermitted, CountingStopped), match="closed"):
            count([good, closed], quick_path)
    closed.chmod(0o600)
    closed.write_bytes(b"no \xff UTF-8")
    with pytest.raises(CountingStopped, match="closed"):
        count([good, closed], quick_path)
    closed.write_bytes(b" lowest")
    assert dict(count([good, closed], quick_path)) == {b" lower": 1, b" lowest": 1, b"low": 1}


# ---- States


def test_a_folder_that_cannot_hold_a_state(quick_path: Path) -> None:
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


def test_the_state_of_another_count(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, _ = written(quick_path / "files", texts_of(5), "text")
    begun(paths, quick_path, monkeypatch, 6)
    kept = {path.name: path.read_bytes() for path in (quick_path / "work").iterdir()}
    for source, options in [
        (paths[1:], {}),
        ([*reversed(paths)], {}),
        (paths, {"pattern": named_pattern("gpt2")}),
        (paths, {"pattern": None}),
        (paths, {"specials": ["<|end|>"]}),
        (Corpus(*paths, lines=True), {}),
        (Corpus(*paths, errors="replace"), {}),
        (["some text"], {}),
    ]:
        with pytest.raises(DifferentCheckpoint) as caught:
            count(source, quick_path, **options)
        assert "differ" in str(caught.value)
    assert kept == {path.name: path.read_bytes() for path in (quick_path / "work").iterdir()} | {"lock": kept["lock"]}
    assert count(paths, quick_path).path.read_bytes() == bytes_of(paths, quick_path / "fresh")


def test_damaged_states_never_give_wrong_counts(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, _ = written(quick_path / "files", texts_of(6, 4), "text")
    wanted = bytes_of(paths, quick_path / "wanted")
    states = {}
    pieces_of_all = sum(1 for part in Corpus(*paths).parts(cutter(), 700) for _ in read_part(part, cutter()))
    for label, pieces in {"early": pieces_of_all // 4, "late": pieces_of_all - 2}.items():
        folder = quick_path / label
        folder.mkdir()
        begun(paths, folder, monkeypatch, pieces)
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
            assert isinstance(found.__cause__, UnreadableCounts), mutant.name
        assert not (quick_path / "out.counts").exists(), mutant.name
    assert refused > MUTANTS // 4


def _count_slowly(paths: list[Path], folder: Path, started: Any, go: Any) -> None:
    def texts() -> Iterator[str]:
        started.set()
        go.wait(300)
        yield from (path.read_text(encoding="utf-8") for path in paths)

    count(texts(), folder)


def test_two_at_once_in_one_folder(quick_path: Path) -> None:
    paths, _ = written(quick_path / "files", ["low lower", " lowest"], "text")
    context = multiprocessing.get_context("spawn")
    started, go = context.Event(), context.Event()
    other = context.Process(target=_count_slowly, args=(paths, quick_path, started, go))
    other.start()
    try:
        assert started.wait(300)
        with pytest.raises(FolderInUse, match=str(other.pid)):
            count(["low lower", " lowest"], quick_path)
    finally:
        go.set()
        other.join(300)
    assert other.exitcode == 0
    # The other has finished undisturbed, and whoever comes now finds it finished.
    assert dict(count_words(["low lower", " lowest"], pattern=PATTERN, checkpoint=quick_path / "work")) == {
        b"low": 1, b" lower": 1, b" lowest": 1,
    }  # fmt: skip
