"""Files that belong together appear together: whatever dies in between, one whole set is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from minbpe_course import files
from minbpe_course.errors import FolderGiven, MissingFile, UnreadableModel, UnusablePath
from minbpe_course.files import read_together, write_together

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
