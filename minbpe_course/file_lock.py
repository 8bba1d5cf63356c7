"""The operating system's lock on a file, which ends with the process that holds it, even when that is killed."""

from __future__ import annotations

import errno
import os
import sys

# File systems without locks, mostly of clusters.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
# The locked byte, far after any text: on Windows a locked byte cannot be read.
_FAR = 1 << 30


def lock_file(file: int) -> bool | None:
    """Lock an open file until it is closed, without waiting; False if another process has locked it.

    file : its descriptor, open for writing. None on a file system without locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _FAR, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _FAR)
    except OSError as error:
        return None if error.errno in _NO_LOCKS else False
    return True
