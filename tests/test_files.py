"""Whole files: written beside and renamed, and a wrong path gets an exception that is also the system's own."""

from __future__ import annotations

import os
import stat

import pytest

from minbpe_course.errors import FolderGiven, MissingFile, UnusablePath
from minbpe_course.files import read_whole, write_whole


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
