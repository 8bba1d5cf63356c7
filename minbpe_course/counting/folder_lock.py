"""One process at a time in one folder, and no lock that outlives its process.

The operating system holds the lock and lets it go when the process ends, however it ends; the file only says who it is.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
from pathlib import Path

from minbpe_course.errors import FolderInUse, NotPermitted, UnusablePath

_NAME = "lock"
# Locks of the system are between processes; these are the folders that this one is in.
_OURS: set[str] = set()
_ONE_AT_A_TIME = threading.Lock()
# Some file systems (of clusters mostly) have no locks. There whoever begins has to know.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
# Behind what is written there, since on Windows nobody may read what is locked.
_FAR = 1 << 30


class FolderLock:
    """Held from when it is made until ``release``. Raises FolderInUse, UnusablePath.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> first = FolderLock(folder)
    >>> FolderLock(folder)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    minbpe_course.errors.FolderInUse: somebody is working there
    >>> first.release()
    >>> FolderLock(folder).release()
    """

    def __init__(self, folder: Path) -> None:
        path = folder / _NAME
        self._key = os.path.realpath(path)
        with _ONE_AT_A_TIME:
            if self._key in _OURS:
                raise FolderInUse(_told(folder, f"this process, {os.getpid()},"))
            try:
                self._file = path.open("a+b", buffering=0)
            except PermissionError as error:
                raise NotPermitted(f"cannot write to {folder}: {error.strerror}.") from error
            except OSError as error:
                raise UnusablePath(f"cannot write to {folder}: {error.strerror}.") from error
            try:
                _take(self._file.fileno())
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    self._file.seek(0)
                    who = self._file.read(100).decode("ascii", "replace").strip()
                    self._file.close()
                    raise FolderInUse(_told(folder, who or "another process")) from None
            _OURS.add(self._key)
        # Only for those who are sent away: a disk that is full now is told by whatever has to be written.
        with contextlib.suppress(OSError):
            self._file.truncate(0)
            self._file.write(f"process {os.getpid()}\n".encode("ascii"))

    def release(self) -> None:
        """Let others in. Once is enough, twice does no harm."""
        with _ONE_AT_A_TIME:
            if not self._file.closed:
                self._file.close()
                _OURS.discard(self._key)


def _told(folder: Path, who: str) -> str:
    return (
        f"{who} is working in {folder}, and two at once would spoil each other's work.\n"
        "Wait until it has finished, or name another folder: checkpoint='another-folder'"
    )


def _take(file: int) -> None:
    """Lock a byte of an open file, or raise OSError at once."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _FAR)
