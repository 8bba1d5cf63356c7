"""Compiled kernels on disk: found again, not trusted when damaged, and kept where one may write."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from minbpe_course.kernels.common import compiled
from minbpe_course.kernels.common.store import MAGIC, SUFFIX, KernelStore

SOURCES = {"__init__.py": "", "one.py": "a = 1\n", "two.py": "b = 2\n"}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "package" / "kernels"
    folder.mkdir(parents=True)
    for name, source in SOURCES.items():
        (folder / name).write_text(source, encoding="utf-8")
    return folder


def store_of(sources: Path, chosen: str | None = None, versions: tuple[str, ...] = ("1.0",)) -> KernelStore:
    return KernelStore(sources, versions, chosen, str(sources.parents[1] / "user"))


def kept_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


def forbid(folder: Path) -> None:
    """Nobody, not even root, can write into a folder whose name a file has."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("not a folder", encoding="utf-8")


def test_the_next_process_reads_kept_code(sources: Path) -> None:
    store_of(sources).write("one.f", "int64", b"code")
    again = store_of(sources)
    assert again.read("one.f", "int64") == b"code"
    assert again.read("one.f", "float64") is None
    assert again.read("one.g", "int64") is None
    assert [path.parent for path in kept_files(sources)] == [sources / "__pycache__"]
    # Nothing but the file itself stays behind.
    assert len(list((sources / "__pycache__").iterdir())) == 1


@pytest.mark.parametrize("change", ["an own source", "another source", "a new source", "a source is gone", "Numba"])
def test_every_change_of_a_source_invalidates_kept_code(sources: Path, change: str) -> None:
    store_of(sources).write("one.f", "int64", b"code")
    changes = {"an own source": "one.py", "another source": "two.py", "a new source": "three.py"}
    if change in changes:
        (sources / changes[change]).write_text("c = 3\n", encoding="utf-8")
    elif change == "a source is gone":
        (sources / "two.py").unlink()
    later = store_of(sources, versions=("1.1" if change == "Numba" else "1.0",))
    assert later.read("one.f", "int64") is None
    later.write("one.f", "int64", b"new code")
    assert later.read("one.f", "int64") == b"new code"
    assert len(kept_files(sources)) == 1, "what older sources left behind is dropped"


@pytest.mark.parametrize("damage", ["empty", "half", "a bit", "another file"])
def test_a_damaged_file_is_ignored(sources: Path, damage: str) -> None:
    store = store_of(sources)
    store.write("one.f", "int64", b"code" * 100)
    (path,) = kept_files(sources)
    whole = path.read_bytes()
    damaged = {
        "empty": b"",
        "half": whole[: len(whole) // 2],
        "a bit": whole[:-9] + bytes([whole[-9] ^ 4]) + whole[-8:],
        "another file": b"something else",
    }
    path.write_bytes(damaged[damage])
    assert store.read("one.f", "int64") is None
    store.write("one.f", "int64", b"code")
    assert store.read("one.f", "int64") == b"code"
    assert whole.startswith(MAGIC)


def test_a_folder_that_cannot_be_written_is_noted_once(sources: Path, caplog: pytest.LogCaptureFixture) -> None:
    forbid(sources / "__pycache__")
    with caplog.at_level(logging.WARNING):
        store = store_of(sources)
        assert store.read("one.f", "int64") is None
        assert caplog.messages == []
        store.write("one.f", "int64", b"code")
        store.write("one.g", "int64", b"code")
        (note,) = caplog.messages
        assert str(sources / "__pycache__") in note
        assert str(store.folder) in note
        assert "NUMBA_CACHE_DIR" in note
        # The next processes find the folder in use: they say nothing, even when they add to it.
        later = store_of(sources)
        assert later.read("one.f", "int64") == b"code"
        later.write("one.h", "int64", b"more")
        assert store_of(sources).read("one.h", "int64") == b"more"
    assert len(caplog.messages) == 1
    assert (sources.parents[1] / "user") in kept_files(sources.parents[1])[0].parents


def test_a_chosen_folder_is_the_only_one(sources: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store_of(sources).write("one.f", "int64", b"beside the sources")
    chosen = str(tmp_path / "chosen")
    store = store_of(sources, chosen)
    assert store.read("one.f", "int64") is None
    store.write("one.f", "int64", b"chosen")
    assert store_of(sources, chosen).read("one.f", "int64") == b"chosen"
    assert store_of(sources).read("one.f", "int64") == b"beside the sources"
    assert len(kept_files(Path(chosen))) == 1
    assert caplog.messages == []


def test_files_of_a_read_only_folder_are_read(
    sources: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store_of(sources).write("one.f", "int64", b"by whoever installed it")
    beside, touch = sources / "__pycache__", Path.touch

    def refuse(path: Path, *args: object, **kwargs: object) -> None:
        if path.parent == beside:
            raise PermissionError(13, "Permission denied")
        touch(path)

    monkeypatch.setattr(Path, "touch", refuse)
    store = store_of(sources)
    assert store.read("one.f", "int64") == b"by whoever installed it"
    store.write("one.g", "int64", b"mine")
    assert store.read("one.g", "int64") == b"mine"
    assert beside not in kept_files(sources.parents[1] / "user")[0].parents
    assert len(caplog.messages) == 1


# ---- Who may have written a file


posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to give files away")
STRANGER = 54_321

# A change of the file or its folder, and whether the file may still be loaded.
RIGHTS: dict[str, tuple[Callable[[Path], None], bool]] = {
    "as written": (lambda path: None, True),
    "all may write to the file": (lambda path: path.chmod(0o646), False),
    "all may write in the folder": (lambda path: path.parent.chmod(0o757), False),
    "a folder like /tmp": (lambda path: path.parent.chmod(0o1777), True),
    "readable only": (lambda path: path.chmod(0o444), True),
    "a folder that anybody may replace": (lambda path: path.parents[1].chmod(0o777), True),
}
OWNERS: dict[str, tuple[Callable[[Path], None], bool]] = {
    "a file of another user": (lambda path: os.chown(path, STRANGER, -1), False),
    "a folder of another user": (lambda path: os.chown(path.parent, STRANGER, -1), False),
    "a file of another user in a folder like /tmp": (
        lambda path: (path.parent.chmod(0o1777), os.chown(path, STRANGER, -1)),
        False,
    ),
    "the owner's own group may write": (lambda path: (path.chmod(0o664), path.parent.chmod(0o775)), True),
    "a group may write to the file": (lambda path: (os.chown(path, -1, STRANGER), path.chmod(0o664)), False),
    "a group may write in the folder": (
        lambda path: (os.chown(path.parent, -1, STRANGER), path.parent.chmod(0o775)),
        False,
    ),
    "a group that may write the sources": (
        lambda path: [
            (os.chown(each, -1, STRANGER), each.chmod(each.stat().st_mode | 0o020))
            for each in (path, path.parent, path.parents[1])
        ],
        True,
    ),
    "all of another user's": (
        lambda path: [os.chown(each, STRANGER, -1) for each in (path, path.parent, path.parents[1])],
        True,
    ),
}


@posix
@pytest.mark.parametrize("rights", [*RIGHTS, *(pytest.param(name, marks=as_root) for name in OWNERS)])
def test_a_file_that_a_stranger_may_have_written_is_compiled_again(
    sources: Path, rights: str, caplog: pytest.LogCaptureFixture
) -> None:
    store_of(sources).write("one.f", "int64", b"code")
    (path,) = kept_files(sources)
    change, safe = (RIGHTS | OWNERS)[rights]
    change(path)
    store = store_of(sources)
    assert store.holds_any() == safe
    assert store.read("one.f", "int64") == (b"code" if safe else None)
    store.write("one.f", "int64", b"mine")
    assert store.read("one.f", "int64") == b"mine"
    assert store.place().is_dir()
    # One note, at the time of compiling again; the next process finds what this one kept.
    assert len(caplog.messages) == (0 if safe else 1)
    assert store_of(sources).read("one.f", "int64") == b"mine"
    assert [str(path.parent) in note and "other users" in note for note in caplog.messages] == [True] * (not safe)


@posix
def test_a_link_and_a_pipe_in_the_place_of_a_kernel_are_not_read(sources: Path, tmp_path: Path) -> None:
    store_of(sources).write("one.f", "int64", b"code")
    (path,) = kept_files(sources)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store_of(sources).read("one.f", "int64") is None
    path.unlink()
    os.mkfifo(path)
    assert store_of(sources).read("one.f", "int64") is None


@posix
@pytest.mark.parametrize("readers", [0o000, 0o040, 0o044])
def test_whoever_may_read_the_sources_may_read_the_kernels(sources: Path, readers: int) -> None:
    for path in sources.iterdir():
        path.chmod(0o600 | readers)
    sources.chmod(0o700 | readers | readers >> 2)
    before = os.umask(0o077)
    try:
        store_of(sources).write("one.f", "int64", b"code")
    finally:
        os.umask(before)
    (path,) = kept_files(sources)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 | readers
    assert path.parent.stat().st_mode & readers == readers
    assert not path.parent.stat().st_mode & 0o022
    assert store_of(sources).read("one.f", "int64") == b"code"


def test_without_a_home_no_cache_of_the_current_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where HOME is not set and the user has no entry, ``~`` stays as it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    folder = Path(compiled._caches_of_user())
    assert folder.is_absolute()
    assert tmp_path not in folder.parents
