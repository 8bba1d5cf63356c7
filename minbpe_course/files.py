"""Reading and writing whole files so that a crash never leaves half of one, and a wrong path gets a clear answer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from minbpe_course.errors import UnusablePath


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` to ``path``: into a file beside it first, then renamed, so readers see the old file or the new
    one.

    Raises UnusablePath when the folder is missing, is not writable, or ``path`` is itself a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise UnusablePath(f"{path} is a folder; give the name of a file in it, for example {path / 'my_tokenizer'}.")
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise UnusablePath(f"cannot write {path}: {error.strerror}. Does the folder {path.parent} exist?") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; a saved model should be as readable as one written with open().
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException as error:
        Path(beside).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UnusablePath(f"cannot write {path}: {error.strerror}. What was there before is unchanged.") from error
        raise
    return path


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file.

    Raises UnusablePath when it is missing, a folder, or may not be read.
    """
    path = Path(path)
    if path.is_dir():
        raise UnusablePath(f"{path} is a folder, not a file; name the file in it.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusablePath(f"cannot read {path}: {error.strerror}.") from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
