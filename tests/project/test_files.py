"""Whole files: written under another name and renamed, alone or together; a wrong path raises OSError."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from minbpe_course import files
from minbpe_course.errors import FolderGiven, MissingFile, UnreadableModel, UnusablePath
from minbpe_course.files import (
    atomic_file,
    move_files,
    read_together,
    read_whole,
    remove_unfinished,
    temporary_folder,
    write_together,
    write_whole,
)


def test_what_is_written_comes_back_and_nothing_stays_beside_it(tmp_path) -> None:
    path = tmp_path / "a file"
    for data in (b"", b"first\r\n", bytes(range(256)) * 1000):
        assert write_whole(path, data) == path
        assert read_whole(path) == data
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_modes(tmp_path) -> None:
    new, opened = write_whole(tmp_path / "new", b"x"), tmp_path / "opened"
    opened.write_bytes(b"x")
    assert new.stat().st_mode == opened.stat().st_mode
    new.chmod(0o600)
    write_whole(new, b"y")
    assert stat.S_IMODE(new.stat().st_mode) == 0o600


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_when_writing_fails_the_old_file_is_whole(tmp_path, monkeypatch, fails) -> None:
    path = write_whole(tmp_path / "file", b"old")

    def no_space(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fails, no_space)
    with pytest.raises(UnusablePath, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("use", [read_whole, lambda path: write_whole(path, b"x")], ids=["read", "write"])
def test_wrong_paths(tmp_path, use) -> None:
    with pytest.raises(FolderGiven, match="is a folder") as folder:
        use(tmp_path)
    assert isinstance(folder.value, IsADirectoryError)
    with pytest.raises(MissingFile) as missing:
        use(tmp_path / "no such folder" / "file")
    assert isinstance(missing.value, FileNotFoundError)


@pytest.mark.parametrize("ends", [KeyboardInterrupt, MemoryError, BrokenPipeError, ValueError])
def test_whoever_writes_piece_by_piece_may_fail_too(tmp_path, ends) -> None:
    path = write_whole(tmp_path / "file", b"old")

    def write() -> None:
        with atomic_file(path) as file:
            file.write(b"half")
            assert path.read_bytes() == b"old"
            raise ends

    with pytest.raises(ends):
        write()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_with_another_file_is_not_said_to_be_of_this_one(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="other") as raised, atomic_file(tmp_path / "file"):
        (tmp_path / "other").read_bytes()
    assert not isinstance(raised.value, UnusablePath)
    with pytest.raises(UnusablePath, match=r"cannot write .*file: No space"), atomic_file(tmp_path / "file"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_what_ctrl_c_leaves_in_the_worst_moment_goes_with_the_process(tmp_path, monkeypatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as hit:
        hit.setattr(type(tmp_path), "unlink", interrupted)
        with pytest.raises(KeyboardInterrupt), atomic_file(tmp_path / "file"):
            raise ValueError
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    remove_unfinished()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_stays_one(tmp_path) -> None:
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write_whole(path, b"through it")
    reader.join()
    assert got == [b"through it"]
    assert path.is_fifo()


def test_names_at_the_edge(tmp_path) -> None:
    longest = "é" * 126 + ".m"
    assert write_whole(tmp_path / longest, b"x").read_bytes() == b"x"
    for use in (read_whole, lambda path: write_whole(path, b"x")):
        with pytest.raises(UnusablePath, match="null"):
            use("a\0b")
        with pytest.raises(UnusablePath, match="too long"):
            use(tmp_path / ("x" * 300))


def test_what_fails_in_a_workshop_is_told_of_the_file_that_was_wanted(tmp_path) -> None:
    def write() -> None:
        with temporary_folder(tmp_path / "wanted") as room:
            (room / "half").write_bytes(b"x")
            (room / "no such folder" / "file").write_bytes(b"x")

    with pytest.raises(MissingFile, match=r"cannot write .*wanted: No such file"):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="no devices with names of files")
def test_a_device_is_written_to_and_not_replaced(tmp_path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "null").write_bytes(b"into nothing")
    assert move_files(tmp_path / "room", tmp_path) == [tmp_path / "null"]
    assert write_whole(tmp_path / "null", b"x").is_symlink()
    assert not (tmp_path / "null").is_file()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
@pytest.mark.parametrize(
    "write", [write_whole, lambda path, data: temporary_folder(path).__enter__()], ids=["file", "folder"]
)
def test_a_folder_that_may_not_be_written_is_said_to_be_so(tmp_path, monkeypatch, number, write):
    def refuse(path, *rest, **more):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.chdir(tmp_path)
    for name in (Path("ids.txt"), tmp_path / "ids.txt"):
        with pytest.raises(UnusablePath, match="is not writable") as caught:
            write(name, b"1")
        assert str(tmp_path) in str(caught.value), "the folder has its whole name, not ."
        assert "exist" not in str(caught.value)


def test_a_missing_folder_and_a_file_in_its_place_are_named(tmp_path):
    with pytest.raises(MissingFile, match=r"There is no folder .*nowhere: make it first"):
        write_whole(tmp_path / "nowhere" / "ids.txt", b"1")
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(UnusablePath, match=r"taken is not a folder"):
        write_whole(tmp_path / "taken" / "ids.txt", b"1")


# ---- Files that belong together

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("one.json", "two.txt", "three.json")
OLD = {"one.json": b"old 1", "two.txt": b"old 2", "three.json": b"old 3"}
NEW = {"one.json": b"new 1", "two.txt": b"new 2"}


def visible(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def test_a_set_takes_the_place_of_another(tmp_path: Path) -> None:
    assert write_together(tmp_path, OLD) == [tmp_path / name for name in OLD]
    assert read_together(tmp_path, NAMES) == OLD == visible(tmp_path)
    write_together(tmp_path, NEW, gone=NAMES)
    assert read_together(tmp_path, NAMES) == NEW == visible(tmp_path)


class _Stop(BaseException):
    """What Ctrl-C is."""


@pytest.mark.parametrize("kind", [_Stop, OSError])
@pytest.mark.parametrize("steps", range(12))
def test_whenever_it_stops_the_old_set_is_read_or_the_new_one(
    steps: int, kind: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_together(tmp_path, OLD)
    left = iter(range(steps))

    def counted(function):
        def call(*args, **options):
            if next(left, None) is None:
                raise kind(28, "No space left on device")
            return function(*args, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", counted(os.fsync))
        patch.setattr(files.os, "replace", counted(os.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        try:
            write_together(tmp_path, NEW, gone=NAMES)
            ended = None
        except (_Stop, UnusablePath) as error:
            ended = error
    files.remove_unfinished()
    assert read_together(tmp_path, NAMES) == (OLD if ended and files._NOTE not in visible(tmp_path) else NEW)
    # Whoever writes next finds a tidy folder.
    write_together(tmp_path, OLD)
    assert visible(tmp_path) == OLD


def test_what_somebody_changed_after_a_crash_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_together(tmp_path, OLD)
    replaced = []

    def once(source, target):
        replaced.append(target)
        if len(replaced) == 3:  # the note, the first file, and then no more
            raise _Stop
        os_replace(source, target)

    os_replace = os.replace
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", once)
        with pytest.raises(_Stop):
            write_together(tmp_path, NEW)
    assert visible(tmp_path)["one.json"] + visible(tmp_path)["two.txt"] == b"new 1old 2"
    assert read_together(tmp_path, NAMES) == NEW | {"three.json": b"old 3"}
    (tmp_path / "one.json").write_bytes(b"another's")
    with pytest.raises(UnreadableModel, match="interrupted"):
        read_together(tmp_path, NAMES)


def test_folders_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "two.txt").mkdir()
    with pytest.raises(FolderGiven):
        write_together(tmp_path, NEW)
    with pytest.raises(MissingFile, match=r"one\.json: .*There is no folder"):
        write_together(tmp_path / "missing", NEW)
    assert read_together(tmp_path / "missing", NAMES) == {}
    (tmp_path / files._NOTE).write_bytes(b"{")
    with pytest.raises(UnreadableModel, match="damaged"):
        read_together(tmp_path, ["one.json"])


SAVE_FOR_EVER = """
import sys
from minbpe_course.files import write_together
sets = [{"one.json": b"1" * 50_000, "two.txt": b"1" * 9}, {"one.json": b"2" * 50_000, "two.txt": b"2" * 9}]
print("saving", flush=True)
while True:
    for files in sets:
        write_together(sys.argv[1], files)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs kill -9")
def test_a_killed_save_leaves_one_whole_set(tmp_path: Path) -> None:
    for attempt in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", SAVE_FOR_EVER, tmp_path], stdout=subprocess.PIPE, cwd=ROOT
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"saving\n"
            while not (tmp_path / "two.txt").exists():
                time.sleep(0.001)
            time.sleep(0.004 * attempt)
            process.send_signal(signal.SIGKILL)
        found = read_together(tmp_path, ["one.json", "two.txt"])
        assert set(found["one.json"]) == set(found["two.txt"])
        assert len(found["one.json"]) == 50_000


def test_who_reads_while_another_writes_gets_one_set(tmp_path: Path) -> None:
    sets = [{"one.json": bytes([65 + at]) * 2000, "two.txt": bytes([65 + at]) * 10} for at in range(2)]
    write_together(tmp_path, sets[0])
    over = threading.Event()

    def write() -> None:
        for at in range(60):
            write_together(tmp_path, sets[at % 2])
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not over.is_set():
        found = read_together(tmp_path, ["one.json", "two.txt"])
        assert found in sets
    writer.join()
