"""Reading and writing whole files so that a crash never leaves half of one, and a wrong path gets a clear answer."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minbpe_course.errors import FolderGiven, MissingFile, NotPermitted, UnusablePath


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` to ``path``: into a file beside it first, then renamed, so readers see the old file or the new
    one.

    Raises UnusablePath when the folder is missing, is not writable, or ``path`` is itself a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise FolderGiven(f"{path} is a folder; give the name of a file in it, for example {path / 'my_tokenizer'}.")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        file = beside.open("xb")
    except OSError as error:
        raise _kind(error)(f"cannot write {path}: {error.strerror}. Does the folder {path.parent} exist?") from error
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            # Whoever may read the old file may read the new one, and nobody else.
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _kind(error)(f"cannot write {path}: {error.strerror}. What was there before is unchanged.") from error
        raise
    return path


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file.

    Raises UnusablePath when it is missing, a folder, or may not be read.
    """
    path = Path(path)
    if path.is_dir():
        raise FolderGiven(f"{path} is a folder, not a file; name the file in it.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise _kind(error)(f"cannot read {path}: {error.strerror}.") from error


@contextmanager
def workshop(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty folder beside ``path``, for files that are to be looked at before they take their places.

    ``take_places`` moves them; whatever is still there at the end is thrown away, also after an error or Ctrl-C. Raises
    UnusablePath when no folder can be made there.
    """
    path = Path(path)
    room = path.parent / f".{path.name}.{secrets.token_hex(6)}.part"
    try:
        room.mkdir()
    except OSError as error:
        raise _kind(error)(f"cannot write {path}: {error.strerror}. Does the folder {path.parent} exist?") from error
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


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
        try:
            if path.exists():
                # Whoever may read the old file may read the new one, and nobody else.
                shutil.copymode(path, source)
            os.replace(source, path)
        except OSError as error:
            raise _kind(error)(f"cannot write {path}: {error.strerror}.") from error
        moved.append(path)
    return moved


def _kind(error: OSError) -> type[UnusablePath]:
    """The exception of ours that is also of the kind of the system's."""
    if isinstance(error, FileNotFoundError):
        return MissingFile
    return NotPermitted if isinstance(error, PermissionError) else UnusablePath
