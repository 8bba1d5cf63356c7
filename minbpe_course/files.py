"""Reading and writing whole files so that a crash never leaves half of one, and a wrong path gets a clear answer.

Whatever is written lies beside its place first, under a name that begins with a dot and ends in ``.part``, and is
renamed when it is whole. An exception removes it, Ctrl-C and a signal that a program turns into an exception too;
what such a signal hits in the wrong moment is removed when the process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

from minbpe_course.errors import FolderGiven, MissingFile, NotPermitted, UnusablePath

# What lies beside its place just now, and which process puts it there: a fork of it has nothing to tidy up.
_UNFINISHED: dict[Path, int] = {}
_UNCHANGED = "What was there before is unchanged."
_A_PART = "It is no file that could be replaced, and may have got a part."


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` to ``path``: into a file beside it first, then renamed, so readers see the old file or the new
    one.

    Raises UnusablePath when the folder is missing, is not writable, or ``path`` is itself a folder.
    """
    with written_beside(path) as file:
        file.write(data)
    return Path(path)


@contextlib.contextmanager
def written_beside(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write into, which becomes ``path`` when the block is left; after an exception nothing is there.

    For what is too large to be held whole. A device or a named pipe is written to as it is: nothing can be renamed onto
    it. Raises what ``write_whole`` raises.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "ids.txt")
    >>> with written_beside(path) as file:
    ...     file.write(b"31373 995")
    ...     path.exists()
    9
    False
    >>> path.read_bytes()
    b'31373 995'
    """
    path = Path(path)
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder; give the name of a file in it, for example {path / 'my_tokenizer'}.")
    if _is(_no_file, path):
        with _opened(path, path, "wb") as file, _told(path, path, _A_PART):
            yield file
        return
    with _kept_in_mind(path) as beside, _told(path, beside, _UNCHANGED):
        with _opened(path, beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _replace(beside, path)


@contextlib.contextmanager
def _kept_in_mind(path: Path) -> Iterator[Path]:
    """Give a free name beside ``path``; what is there at the end goes, and with the process what could not go then."""
    # Only so much of the name that the longest one has room for what is added.
    beside = path.parent / f".{path.name[:40]}.{secrets.token_hex(6)}.part"
    _UNFINISHED[beside] = os.getpid()
    try:
        yield beside
    finally:
        _remove(beside)


def _remove(beside: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        if beside.is_dir():
            shutil.rmtree(beside)
        else:
            beside.unlink(missing_ok=True)
    if not os.path.lexists(beside):
        _UNFINISHED.pop(beside, None)


def _replace(source: Path, path: Path) -> None:
    if path.exists():
        # Whoever may read the old file may read the new one, and nobody else.
        shutil.copymode(path, source)
    os.replace(source, path)


def _opened(path: Path, beside: Path, mode: Literal["xb", "wb"]) -> BinaryIO:
    try:
        return beside.open(mode)
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot write {path}: {_why(error)}. Does the folder {path.parent} exist?") from error


@contextlib.contextmanager
def _told(path: Path, beside: Path, afterwards: str) -> Iterator[None]:
    """Say of an error of the system that it met ``path``; one that names another file was met by whoever writes."""
    try:
        yield
    except OSError as error:
        of_ours = error.filename is None or str(error.filename) in (str(path), str(beside))
        if isinstance(error, (UnusablePath, BrokenPipeError)) or not of_ours:
            raise
        raise _kind(error)(f"cannot write {path}: {_why(error)}. {afterwards}") from error


@atexit.register
def leave_nothing_unfinished() -> None:
    """Remove what an interrupted write of this process has left beside its place; mostly there is nothing."""
    for beside, process in list(_UNFINISHED.items()):
        if process == os.getpid():
            _remove(beside)


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file.

    Raises UnusablePath when it is missing, a folder, or may not be read.
    """
    path = Path(path)
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder, not a file; name the file in it.")
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot read {path}: {_why(error)}.") from error


@contextlib.contextmanager
def workshop(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty folder beside ``path``, for files that are to be looked at before they take their places.

    ``take_places`` moves them; whatever is still there at the end is thrown away, also after an error or Ctrl-C. Raises
    UnusablePath when no folder can be made there.
    """
    path = Path(path)
    with _kept_in_mind(path) as room:
        try:
            room.mkdir()
        except (OSError, ValueError) as error:
            raise _kind(error)(f"cannot write {path}: {_why(error)}. Does the folder {path.parent} exist?") from error
        yield room


def take_places(room: Path, folder: Path) -> list[Path]:
    """Move what is in ``room`` to ``folder``, each file, or folder that is new there, in one step; return where it is.

    Other files in ``folder`` stay. Raises UnusablePath.
    """
    moved = []
    for source in sorted(room.iterdir()):
        path = folder / source.name
        if path.is_dir():
            if not source.is_dir():
                raise FolderGiven(f"{path} is a folder; give the name of a file in it.")
            moved += take_places(source, path)
            continue
        if _is(_no_file, path):
            with _opened(path, path, "wb") as file, _told(path, path, _A_PART):
                file.write(source.read_bytes())
        else:
            with _told(path, source, "Other files of the same tokenizer may be new already: write all of them again."):
                _replace(source, path)
        moved.append(path)
    return moved


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether there is something of this kind; a name that none can have gets its answer when it is opened."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _no_file(mode: int) -> bool:
    return not stat.S_ISREG(mode)


def _why(error: Exception) -> str:
    # ValueError: a name with a NUL in it, which is none.
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _kind(error: Exception) -> type[UnusablePath]:
    """The exception of ours that is also of the kind of the system's."""
    if isinstance(error, FileNotFoundError):
        return MissingFile
    return NotPermitted if isinstance(error, PermissionError) else UnusablePath
