"""A lock on a folder that never outlives its process.

The operating system holds the lock and releases it when the process ends or is killed; the file only says which
process that was.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path

from minbpe_course.errors import FolderInUse, NotPermitted, UnusablePath
from minbpe_course.file_lock import lock_file

_NAME = "lock"
# The system's locks work between processes; these are the folders that this process has locked.
_OURS: set[str] = set()
_ONE_AT_A_TIME = threading.Lock()


class FolderLock:
    """Lock a folder until ``release``. Raises FolderInUse, UnusablePath.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> first = FolderLock(folder)
    >>> FolderLock(folder)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    minbpe_course.errors.FolderInUse: this process is working in the folder
    >>> first.release()
    >>> FolderLock(folder).release()
    """

    def __init__(self, folder: Path) -> None:
        self._path = path = folder / _NAME
        self._key = os.path.realpath(path)
        with _ONE_AT_A_TIME:
            if self._key in _OURS:
                raise _in_use(folder, f"this process, {os.getpid()},")
            if path.is_symlink():
                # It would be written to wherever the link leads, and the folder may come from anyone.
                raise UnusablePath(
                    f"{path} is a link, and not a lock of this package: delete it, or name another folder."
                )
            while not self._locked(folder):
                self._file.close()
            _OURS.add(self._key)
        # Only informative, so a full disk does not matter here.
        with contextlib.suppress(OSError):
            self._file.truncate(0)
            self._file.write(f"process {os.getpid()}\n".encode("ascii"))

    def _locked(self, folder: Path) -> bool:
        """Open and lock the file; return False if another process has deleted it meanwhile."""
        try:
            self._file = self._path.open("a+b", buffering=0)
        except OSError as error:
            kind = NotPermitted if isinstance(error, PermissionError) else UnusablePath
            raise kind(f"cannot write to {folder}: {error.strerror}.") from error
        # Without locks, mostly on file systems of clusters, the user has to take care.
        if lock_file(self._file.fileno()) is False:
            self._file.seek(0)
            owner = self._file.read(100).decode("ascii", "replace").strip()
            self._file.close()
            raise _in_use(folder, owner or "another process")
        return self._path.exists() and os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))

    def release(self, *, remove: bool = False) -> None:
        """Release the lock; a second call does nothing. remove : delete its file, too."""
        with _ONE_AT_A_TIME:
            if not self._file.closed:
                if remove and sys.platform != "win32":
                    # Before another process can lock it.
                    with contextlib.suppress(OSError):
                        self._path.unlink()
                self._file.close()
                if remove and sys.platform == "win32":
                    # Only now possible, and not if another process has it open.
                    with contextlib.suppress(OSError):
                        self._path.unlink()
                _OURS.discard(self._key)


def _in_use(folder: Path, owner: str) -> FolderInUse:
    return FolderInUse(
        f"{owner} is working in {folder}, and two at once would spoil each other's work.",
        "Wait until it has finished, or name another folder.",
    )
