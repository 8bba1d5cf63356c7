"""Whole files: written under another name and renamed; a wrong path raises OSError."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import (
    SentencePieceTokenizer,
    convert,
    count_words,
    encode_corpus,
    files,
    load_tokenizer,
    open_counts,
    open_shards,
    train,
)
from minbpe_course.errors import FolderGiven, MissingFile, UnusablePath
from minbpe_course.files import (
    atomic_file,
    read_whole,
    remove_unfinished,
    temporary_folder,
    unfinished_files,
    write_files,
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


@pytest.mark.parametrize("use", [read_whole, lambda path: write_whole(path, b"x")], ids=["read", "write"])
def test_wrong_paths(tmp_path, use) -> None:
    with pytest.raises(FolderGiven, match="is a folder") as folder:
        use(tmp_path)
    assert isinstance(folder.value, IsADirectoryError)
    with pytest.raises(MissingFile) as missing:
        use(tmp_path / "no such folder" / "file")
    assert isinstance(missing.value, FileNotFoundError)


@pytest.mark.parametrize("ends", [KeyboardInterrupt, ValueError])
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


@pytest.mark.skipif(os.name == "nt", reason="no devices with names of files")
def test_a_device_is_written_to_and_not_replaced(tmp_path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    assert write_whole(tmp_path / "null", b"x").is_symlink()
    assert not (tmp_path / "null").is_file()


def _folder_with_a_pipe(name: str, folder: Path) -> Any:
    """Make a folder whose file ``name`` is a pipe, and return the function that reads the folder."""
    model = train("low lower", 258, pattern="gpt2", special_tokens=["<|x|>"])
    text = folder / "text.txt"
    text.write_text("low lower", encoding="utf-8")
    place, pipe = folder / name.split("/")[0], folder / name
    reader: Any = partial(load_tokenizer, place)
    if name.endswith((".npy", ".parquet")):
        encode_corpus(text, "gpt2", place, format=pipe.suffix[1:])
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        manifest["shards"][0]["bytes"] = 0
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        reader = partial(lambda place: open_shards(place)[0], place)
    elif name == "work/journal.json":
        reader = partial(count_words, text, pattern="gpt2", checkpoint=place)
        reader()
    elif name == "a.counts":
        reader = partial(open_counts, place)
    elif place == pipe:
        reader = partial(SentencePieceTokenizer, model_file=str(place))
    else:
        convert(model, place, "gpt2" if place.name == "gpt2" else "huggingface")
        reader = partial(convert, place, folder / "other", "huggingface")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    return reader


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(
    "name",
    [
        *("gpt2/tokenizer_config.json", "a.model", "a.counts", "work/journal.json"),
        *("shards/shard-00000.npy", "shards/shard-00000.parquet"),
    ],
)
def test_no_reader_waits_for_a_pipe(name: str, tmp_path: Path) -> None:
    read, pipe = _folder_with_a_pipe(name, tmp_path), tmp_path / name
    # A reader that opens the pipe gets nothing, instead of waiting for ever.
    threading.Thread(target=pipe.write_bytes, args=(b"",), daemon=True).start()
    with pytest.raises(UnusablePath, match="pipe"):
        read()
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_where_that_is_wanted(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=(b"seed",), daemon=True).start()
    assert read_whole(pipe, pipes=True) == b"seed"


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


# ---- Several files

OLD = {"one.json": b"old 1", "two.txt": b"old 2"}
NEW = {"one.json": b"new 1", "two.txt": b"new 2"}


def visible(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


class _Stop(BaseException):
    """What Ctrl-C is."""


@pytest.mark.parametrize("kind", [_Stop, OSError])
@pytest.mark.parametrize(("function", "steps"), [(name, step) for name in ("fsync", "replace") for step in range(3)])
def test_whenever_it_stops_every_file_is_whole(
    function: str, steps: int, kind: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New files come before old ones, in the order given, and nothing else is left."""
    assert write_files(tmp_path, OLD) == [tmp_path / name for name in OLD]
    left, call = iter(range(steps)), getattr(os, function)

    def counted(*args: object) -> None:
        if next(left, None) is None:
            raise kind(28, "No space left on device")
        call(*args)

    monkeypatch.setattr(files.os, function, counted)
    with contextlib.suppress(_Stop, UnusablePath):
        write_files(tmp_path, NEW)
    names = list(NEW)
    assert visible(tmp_path) == {name: (NEW if names.index(name) < steps else OLD)[name] for name in names}


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"kept")
    (tmp_path / "secret").chmod(0o400)
    folder = tmp_path / "received"
    folder.mkdir()
    for name, target in (("a", tmp_path / "secret"), ("b", tmp_path / "missing"), ("c", Path("/dev/null"))):
        (folder / name).symlink_to(target)
    write_files(folder, dict.fromkeys("abc", b"new"))
    write_whole(folder / "a", b"new")
    assert visible(folder) == {"a": b"new", "b": b"new", "c": b"new"}
    assert not any(each.is_symlink() for each in folder.iterdir())
    assert os.access(folder / "a", os.W_OK)
    assert (tmp_path / "secret").read_bytes() == b"kept"
    assert not (tmp_path / "missing").exists()


ABANDON = """
import os, sys
from minbpe_course.files import atomic_file, temporary_folder
with atomic_file(sys.argv[1]) as file, temporary_folder(sys.argv[1]) as folder:
    file.write(b"half")
    file.flush()
    (folder / "run").write_bytes(b"half")
    print(flush=True)
    sys.stdin.readline()
    os._exit(1)
"""


@pytest.mark.medium
def test_what_a_killed_process_left_goes_with_the_next_and_not_before(tmp_path):
    path = tmp_path / "ids.npy"
    (tmp_path / ".ids.npy.mine.part").write_bytes(b"x")
    command = [sys.executable, "-c", ABANDON, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
        assert living.stdout is not None
        living.stdout.readline()
        with atomic_file(path, large=True) as file, temporary_folder(path):
            file.write(b"1")
            with atomic_file(path, large=True) as again:
                again.write(b"2")
            assert len(unfinished_files(path)) == 4, "those of the living process, and ours"
        assert len(unfinished_files(path)) == 2
        living.communicate(b"\n")
    with atomic_file(path, large=True) as file:
        file.write(b"3")
    assert sorted(each.name for each in tmp_path.iterdir()) == [".ids.npy.mine.part", "ids.npy"]


def test_an_empty_file_of_a_killed_process_goes_when_it_is_old(tmp_path):
    part = tmp_path / ".ids.npy.0123456789ab.part"
    for age, left in ((0, True), (60, False)):
        part.touch()
        os.utime(part, (time.time() - age,) * 2)
        with atomic_file(tmp_path / "ids.npy", large=True) as file:
            file.write(b"1")
        assert part.exists() is left, age
