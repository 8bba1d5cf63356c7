"""Reading and writing whole files so that a crash never leaves half of one, and a wrong path gets a clear answer.

    write_whole, atomic_file, read_whole    one file
    write_together, read_together              files that mean something only together: vocab.json and merges.txt

Whatever is written lies beside its place first, under a name that begins with a dot and ends in ``.part``, and is
renamed when it is whole. An exception removes it, Ctrl-C and a signal that a program turns into an exception too;
what such a signal hits in the wrong moment is removed when the process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

from minbpe_course.errors import FolderGiven, MissingFile, NotPermitted, UnreadableModel, UnusablePath

# What lies beside its place just now, and which process puts it there: a fork of it has nothing to tidy up.
_UNFINISHED: dict[Path, int] = {}
_UNCHANGED = "What was there before is unchanged."
_A_PART = "It is no file that could be replaced, and may have got a part."


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` to ``path``: into a file beside it first, then renamed, so readers see the old file or the new
    one.

    Raises UnusablePath when the folder is missing, is not writable, or ``path`` is itself a folder.
    """
    with atomic_file(path) as file:
        file.write(data)
    return Path(path)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write into, which becomes ``path`` when the block is left; after an exception nothing is there.

    For what is too large to be held whole. A device or a named pipe is written to as it is: nothing can be renamed onto
    it. Raises what ``write_whole`` raises.

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
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder; give the name of a file in it, for example {path / 'my_tokenizer'}.")
    if _is(_no_file, path):
        with _opened(path, path, "wb") as file, _told(path, path, _A_PART):
            yield file
        return
    beside = _place_beside(path)
    try:
        with _told(path, beside, _UNCHANGED):
            with _opened(path, beside, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                # Whoever may read the old file may read the new one, and nobody else.
                shutil.copymode(path, beside)
            os.replace(beside, path)
    finally:
        _tidy(beside)


def _place_beside(path: Path) -> Path:
    """A name beside ``path`` that nothing has, noted for ``_tidy``."""
    # Only so much of the name that the longest one has room for what is added.
    beside = path.parent / f".{path.name[:40]}.{secrets.token_hex(6)}.part"
    _UNFINISHED[beside] = os.getpid()
    return beside


def unfinished_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return what lies beside ``path`` and was to become it: of writers that were killed, or that are at work.

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


def _tidy(beside: Path) -> None:
    """Remove what still lies beside; what cannot be removed now stays noted, for the end of the process."""
    with contextlib.suppress(OSError, ValueError):
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        beside.unlink(missing_ok=True)
    if not os.path.lexists(beside):
        _UNFINISHED.pop(beside, None)


def _opened(path: Path, beside: Path, mode: Literal["xb", "wb"]) -> BinaryIO:
    try:
        return beside.open(mode)
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot write {path}: {_why(error)}. {_remedy(path.parent, error)}") from error


@contextlib.contextmanager
def _told(path: Path, beside: Path, afterwards: str) -> Iterator[None]:
    """Say of an error of the system that it met ``path``; one that names another file was met by whoever writes."""
    try:
        yield
    except OSError as error:
        name = path if error.filename is None else Path(str(error.filename))
        of_ours = name in (path, beside) or name.is_relative_to(beside)
        if isinstance(error, (UnusablePath, BrokenPipeError)) or not of_ours:
            raise
        raise _kind(error)(f"cannot write {path}: {_why(error)}. {afterwards}") from error


@atexit.register
def remove_unfinished() -> None:
    """Remove what an interrupted write of this process has left beside its place; mostly there is nothing."""
    for beside, process in list(_UNFINISHED.items()):
        if process == os.getpid():
            _tidy(beside)


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


def open_to_read(path: str | os.PathLike[str], buffering: int = -1) -> BinaryIO:
    """Open a file of bytes, for what is too large to be read whole; whoever calls closes it.

    Raises UnusablePath when it is missing, a folder, or may not be read.
    """
    path = Path(path)
    if _is(stat.S_ISDIR, path):
        raise FolderGiven(f"{path} is a folder, not a file; name the file in it.")
    try:
        return path.open("rb", buffering=buffering)
    except (OSError, ValueError) as error:
        raise _kind(error)(f"cannot read {path}: {_why(error)}.") from error


@contextlib.contextmanager
def temporary_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty folder beside ``path``, for files that are to be looked at before they take their places.

    ``move_files`` moves them; whatever is still there at the end is thrown away, also after an error or Ctrl-C. Raises
    UnusablePath when no folder can be made there.
    """
    path = Path(path)
    room = _place_beside(path)
    try:
        try:
            room.mkdir()
        except (OSError, ValueError) as error:
            raise _kind(error)(f"cannot write {path}: {_why(error)}. {_remedy(path.parent, error)}") from error
        with _told(path, room, _UNCHANGED):
            yield room
    finally:
        _tidy(room)


def move_files(room: Path, folder: Path) -> list[Path]:
    """Move what is in ``room`` to ``folder``, each file, or folder that is new there, in one step; return where it is.

    Other files in ``folder`` stay. Raises UnusablePath.
    """
    moved = []
    for source in sorted(room.iterdir()):
        path = folder / source.name
        if path.is_dir():
            if not source.is_dir():
                raise FolderGiven(f"{path} is a folder; give the name of a file in it.")
            moved += move_files(source, path)
            continue
        if _is(_no_file, path):
            # A device or a pipe, which nothing can be renamed onto.
            with atomic_file(path) as file:
                file.write(source.read_bytes())
            moved.append(path)
            continue
        try:
            if path.exists():
                # Whoever may read the old file may read the new one, and nobody else.
                shutil.copymode(path, source)
            os.replace(source, path)
        except OSError as error:
            raise _kind(error)(f"cannot write {path}: {_why(error)}.") from error
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


def _remedy(folder: Path, error: Exception) -> str:
    """Say what is the matter with a folder in which no file could be made, and what to do."""
    refused = isinstance(error, PermissionError) or (isinstance(error, OSError) and error.errno == errno.EROFS)
    if refused and _is(stat.S_ISDIR, folder):
        return f"The folder {folder.absolute()} is not writable: name a file in another one."
    if not os.path.lexists(folder):
        return f"There is no folder {folder.absolute()}: make it first, or name a file in another one."
    if not _is(stat.S_ISDIR, folder):
        return f"{folder.absolute()} is not a folder: name a file in another one."
    return "Name another file."


def _kind(error: Exception) -> type[UnusablePath]:
    """The exception of ours that is also of the kind of the system's."""
    if isinstance(error, FileNotFoundError):
        return MissingFile
    return NotPermitted if isinstance(error, PermissionError) else UnusablePath


# Files that belong together. No file system renames two files at once, so what is to be done is written down first:
#
#     1. every new file is written beside its place          a crash up to here leaves the old files
#     2. a note says which file takes which place            from here on the new files are the ones that are read
#     3. the files take their places, the note goes          a crash between the two: readers follow the note
#
# Who knows nothing of the note can see old and new files together, but only after a crash in step 3, and only until
# somebody writes there again.


def write_together(folder: str | os.PathLike[str], files: Mapping[str, bytes], gone: Iterable[str] = ()) -> list[Path]:
    """Write ``files`` (name -> content) to ``folder`` and take away ``gone``: for ``read_together`` all at once or not
    at all.

    Raises UnusablePath; then, and when the program dies, the old files or the new ones are read, never some of each.
    """
    folder = Path(folder)
    gone = [name for name in gone if name not in files]
    for name in (*files, *gone):
        if (folder / name).is_dir():
            raise FolderGiven(f"{folder / name} is a folder, and a file of this name is to be written.")
    _finish(folder)
    note = folder / _NOTE
    beside = {name: _place_beside(folder / name) for name in files}
    try:
        for name, data in files.items():
            with _opened(folder / name, beside[name], "xb") as file, _told(folder / name, beside[name], _UNCHANGED):
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if (folder / name).exists():
                # Whoever may read the old file may read the new one, and nobody else.
                shutil.copymode(folder / name, beside[name])
        said = {name: [beside[name].name, _sha256(data)] for name, data in files.items()}
        write_whole(note, json.dumps({"files": said, "gone": gone}).encode("ascii"))
    finally:
        written = note.exists()
        for place in beside.values():
            if written:
                # What a note names is no left-over any more.
                _UNFINISHED.pop(place, None)
            else:
                _tidy(place)
    _finish(folder)
    if any(read_whole(folder / name) != data for name, data in files.items()):
        raise UnusablePath(f"another program wrote to {folder} at the same time; what is there is of both. Try again.")
    return [folder / name for name in files]


def read_together(folder: str | os.PathLike[str], names: Sequence[str]) -> dict[str, bytes]:
    """Return name -> content of those of ``names`` that are in ``folder``, all from one call of ``write_together``.

    Raises UnusablePath, and UnreadableModel when a writer died and somebody else changed a file since.
    """
    folder = Path(folder)
    for _ in range(50):
        before = _state(folder, names)
        files = {}
        note = _note(folder)
        for name in names:
            if name in note["gone"]:
                continue
            beside, sha256 = note["files"].get(name, ("", ""))
            try:
                files[name] = read_whole(folder / (beside if beside and (folder / beside).exists() else name))
            except MissingFile:
                if not beside:
                    continue
                files[name] = b""
            if beside and _sha256(files[name]) != sha256 and _state(folder, names) == before:
                raise UnreadableModel(
                    f"{folder / name}: the writing of {' and '.join(note['files'])} was interrupted, and the file was "
                    "changed since, so they do not belong together. Write them again."
                )
        if _state(folder, names) == before:
            return files
        time.sleep(0.01)
    raise UnusablePath(f"{folder} is being written to all the time; try again when that is over.")


_NOTE = ".to-be-renamed.json"


def _note(folder: Path) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(read_whole(folder / _NOTE))
    except MissingFile:
        return {"files": {}, "gone": []}
    except ValueError:
        raise UnreadableModel(f"{folder / _NOTE} is damaged. Delete it, and write the files beside it again.") from None
    return said


def _finish(folder: Path) -> None:
    """Do what the note says, whoever wrote it."""
    note = _note(folder)
    try:
        for name, (beside, _) in note["files"].items():
            if (folder / beside).exists():
                os.replace(folder / beside, folder / name)
        for name in note["gone"]:
            (folder / name).unlink(missing_ok=True)
        (folder / _NOTE).unlink(missing_ok=True)
    except OSError as error:
        raise _kind(error)(f"cannot write to {folder}: {_why(error)}.") from error


def _state(folder: Path, names: Iterable[str]) -> list[tuple[int, int, int] | None]:
    """What changes when a file is replaced."""
    seen: list[tuple[int, int, int] | None] = []
    for name in (_NOTE, *names):
        try:
            found = (folder / name).stat()
            seen.append((found.st_mtime_ns, found.st_size, found.st_ino))
        except OSError:
            seen.append(None)
    return seen


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
