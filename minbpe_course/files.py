"""Reading and writing whole files, so that a crash never leaves half of one, and a wrong path gets a clear error.

A file is written next to its place, under a name that begins with a dot and ends in ``.part``, and is renamed when it
is complete. Exceptions, including Ctrl-C, remove it; if that is interrupted too, it is removed when the process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

from minbpe_course.errors import FolderGiven, MissingFile, NotPermitted, UnusablePath
from minbpe_course.file_lock import lock_file

_T = TypeVar("_T")

# Unfinished files, and the process that writes each: a fork must not remove them.
_UNFINISHED: dict[Path, int] = {}
# The locked file in a temporary folder.
_WRITER = "writer"
_UNCHANGED = "What was there before is unchanged."
# Seconds between two requests to write a large file to the disk.
_SYNC_EVERY = 0.2
# Seconds after which a process has certainly locked its file.
_NEW = 10.0
_MAYBE_WRITTEN = "It is not a regular file, and may have received some of the data."


# ---- One file


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` to ``path``, so that readers see either the old file or the new one; return the path.

    Raises UnusablePath when the folder is missing or not writable, or ``path`` is itself a folder.
    """
    with atomic_file(path) as file:
        file.write(data)
    return Path(path)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str], *, large: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to, which becomes ``path`` at the end of the block, but not after an exception.

    large : start the disk while the block is still writing, so that the end does not wait for a gigabyte, and first
    remove what killed processes left of the same file. A link is replaced, and the file that it points to stays as it
    is. A device or a named pipe is written to directly, also through a link such as /dev/stdout. Raises as
    ``write_whole``.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "ids.txt")
    >>> with atomic_file(path) as file:
    ...     file.write(b"31373 995")
    ...     path.exists()
    9
    False
    >>> path.read_bytes()
    b'31373 995'
    """
    path = Path(path)
    _refuse_folder(path)
    if large:
        remove_abandoned(path)
    if _is(_not_regular, path):
        with _opened(path, path, "wb") as file, _explained(path, path, _MAYBE_WRITTEN):
            yield file
        return
    with _replacing(path, large=large) as file:
        yield file


def _refuse_folder(path: Path) -> None:
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder; give the name of a file in it, for example {path / 'my_tokenizer'}.")


@contextlib.contextmanager
def _replacing(path: Path, *, large: bool = False) -> Iterator[BinaryIO]:
    """Yield a file next to ``path`` that takes its place at the end of the block."""
    part = _part_of(path)
    try:
        with _explained(path, part, _UNCHANGED):
            with _opened(path, part, "xb") as file:
                lock_file(file.fileno())
                with _synced_meanwhile(file) if large else contextlib.nullcontext():
                    yield file
                file.flush()
                os.fsync(file.fileno())
            _rename(part, path)
    finally:
        _remove(part)


@contextlib.contextmanager
def _synced_meanwhile(file: BinaryIO) -> Iterator[None]:
    """Sync the file to the disk from time to time while the block runs."""
    done = threading.Event()
    problems: list[OSError] = []
    number = file.fileno()

    def sync() -> None:
        while not done.wait(_SYNC_EVERY) and not problems:
            try:
                os.fsync(number)
            except OSError as problem:
                # The system reports a failure only once.
                problems.append(problem)

    thread = threading.Thread(target=sync, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    if problems:
        raise problems[0]


def read_whole(path: str | os.PathLike[str], *, pipes: bool = False) -> bytes:
    """Return the bytes of a file. Raises UnusablePath when it is missing, a folder, or not readable.

    pipes : whether pipes and devices are read too. Without it they are refused: one in a folder from elsewhere might
    never end, or never begin.
    """
    return _read(path, Path.read_bytes, pipes)


def open_to_read(path: str | os.PathLike[str], buffering: int = -1, *, pipes: bool = False) -> BinaryIO:
    """Open a file that is too large to be read whole. Arguments and errors as for ``read_whole``."""
    return _read(path, lambda path: path.open("rb", buffering=buffering), pipes)


def _read(path: str | os.PathLike[str], read: Callable[[Path], _T], pipes: bool) -> _T:
    path = Path(path)
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder, not a file; name the file in it.")
    if not pipes and _is(_not_regular, path):
        raise UnusablePath(f"{path} is a pipe or a device. Save what it gives as a file first, and name that.")
    try:
        return read(path)
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot read {path}: {_why(error)}.") from error


# ---- Several files


def write_files(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> list[Path]:
    """Write ``files`` (name -> content) to ``folder``, each as ``write_whole`` does, in this order; return the paths.

    The caller did not choose these names, so a link is replaced, even one to a device, and never followed. After a
    crash the first files are new and the others old. Raises UnusablePath.
    """
    paths = [Path(folder, name) for name in files]
    for path in paths:
        _refuse_folder(path)
    for path, data in zip(paths, files.values()):
        with _replacing(path) as file:
            file.write(data)
    return paths


def remove_file(path: Path) -> None:
    """Remove a file or a link, if it is there. Raises UnusablePath."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _kind(error)(f"cannot remove {path}: {_why(error)}.") from error


@contextlib.contextmanager
def temporary_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a folder next to ``path``, which is removed at the end; remove those of killed processes first.

    Raises UnusablePath.
    """
    path = Path(path)
    remove_abandoned(path)
    folder = _part_of(path)
    try:
        try:
            folder.mkdir()
        except (OSError, ValueError) as error:
            raise _kind(error)(f"cannot write {path}: {_why(error)}. {_advice(path.parent, error)}") from error
        with _explained(path, folder, _UNCHANGED), (folder / _WRITER).open("xb", buffering=0) as file:
            lock_file(file.fileno())
            file.write(b"\n")
            yield folder
    finally:
        _remove(folder)


# ---- Temporary names


def _part_of(path: Path) -> Path:
    """Return an unused name next to ``path``, and register it for removal."""
    # Shortened, so that the longest possible name has room for the additions.
    part = path.parent / f".{path.name[:40]}.{secrets.token_hex(6)}.part"
    _UNFINISHED[part] = os.getpid()
    return part


def unfinished_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the temporary files for ``path``, of writers that were killed or are at work.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "ids.txt")
    >>> with atomic_file(path):
    ...     len(unfinished_files(path))
    1
    >>> unfinished_files(path)
    []
    """
    path = Path(path)
    named = re.compile(re.escape(f".{path.name[:40]}.") + r"[0-9a-f]{12}\.part")
    return sorted(each for each in path.absolute().parent.iterdir() if named.fullmatch(each.name))


def remove_abandoned(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files and folders for ``path`` whose processes were killed."""
    ours = {part.absolute() for part in _UNFINISHED}
    with contextlib.suppress(OSError):
        for part in unfinished_files(path):
            # Opening a file of this process would release its lock.
            if part not in ours and _is_abandoned(part):
                _remove(part)


def _is_abandoned(part: Path) -> bool:
    """Return whether no process writes to a temporary file or folder: it would hold a lock."""
    try:
        with (part / _WRITER if part.is_dir() else part).open("r+b") as file:
            if lock_file(file.fileno()) is not True:
                return False
            found = os.fstat(file.fileno())
            # A new file may be empty because its process is about to lock it.
            return found.st_size > 0 or time.time() - found.st_mtime > _NEW
    except OSError:
        return False


@atexit.register
def remove_unfinished() -> None:
    """Remove what interrupted writes of this process left behind."""
    for part, process in list(_UNFINISHED.items()):
        if process == os.getpid():
            _remove(part)


def _remove(part: Path) -> None:
    """Remove a temporary file or folder; if that is not possible now, it stays registered."""
    with contextlib.suppress(OSError, ValueError):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        part.unlink(missing_ok=True)
    if not os.path.lexists(part):
        _UNFINISHED.pop(part, None)


def _rename(part: Path, path: Path) -> None:
    """Replace ``path`` by ``part``, with the same permissions; of a link, the link itself."""
    if path.exists() and not path.is_symlink():
        shutil.copymode(path, part)
    os.replace(part, path)


# ---- Errors


def _opened(path: Path, part: Path, mode: Literal["xb", "wb"]) -> BinaryIO:
    try:
        return part.open(mode)
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot write {path}: {_why(error)}. {_advice(path.parent, error)}") from error


@contextlib.contextmanager
def _explained(path: Path, part: Path, afterwards: str) -> Iterator[None]:
    """Turn an error of the system about ``path`` or ``part`` into UnusablePath; leave those about other files alone."""
    try:
        yield
    except OSError as error:
        name = path if error.filename is None else Path(str(error.filename))
        ours = name in (path, part) or name.is_relative_to(part)
        if isinstance(error, (UnusablePath, BrokenPipeError)) or not ours:
            raise
        raise _kind(error)(f"cannot write {path}: {_why(error)}. {afterwards}") from error


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Return whether there is something of this kind; False for an impossible name, which fails when it is opened."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _not_regular(mode: int) -> bool:
    return not stat.S_ISREG(mode)


def _why(error: Exception) -> str:
    # ValueError: a name with a NUL.
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _advice(folder: Path, error: Exception) -> str:
    """Say why no file could be created in a folder, and what to do."""
    refused = isinstance(error, PermissionError) or (isinstance(error, OSError) and error.errno == errno.EROFS)
    if refused and _is(stat.S_ISDIR, folder):
        return f"The folder {folder.absolute()} is not writable: name a file in another one."
    if not os.path.lexists(folder):
        return f"There is no folder {folder.absolute()}: make it first, or name a file in another one."
    if not _is(stat.S_ISDIR, folder):
        return f"{folder.absolute()} is not a folder: name a file in another one."
    return "Name another file."


def _kind(error: Exception) -> type[UnusablePath]:
    """Return our exception that is also a subclass of the system's."""
    if isinstance(error, FileNotFoundError):
        return MissingFile
    return NotPermitted if isinstance(error, PermissionError) else UnusablePath
