"""Read and write a small JSON file that several kernels share, and lock out the others while it is changed.

A file is only a memory: a missing, unreadable or damaged one costs a note and never an exception.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.files import write_whole

LONGEST_WAIT = 10.0  # seconds for other kernels to finish their few milliseconds of writing, on a busy machine, too
LARGEST_FILE = 1 << 20
FORMAT = 1  # of all these files
T = TypeVar("T")


def read_shared(path: Path, parse: Callable[[Any], T], consequence: str) -> tuple[T | None, list[str]]:
    """Return the parsed content, or None with notes; a missing file has no notes, a damaged one is moved aside.

    parse : raises ValueError, TypeError, KeyError or AttributeError for invalid content. JSON may hold NaN.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return None, []
    except OSError as error:
        return None, [f"{path.name} cannot be read ({error.strerror}); {consequence}."]
    try:
        if len(data) > LARGEST_FILE:
            raise ValueError("too large")
        stored = json.loads(data.decode("utf-8"))
        if stored["format"] != FORMAT:
            raise ValueError("another format")
        return parse(stored), []
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, OverflowError):
        aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    try:
        os.replace(path, aside)
    except OSError:
        return None, [f"{path.name} is damaged; {consequence}."]
    return None, [f"{path.name} was damaged and is now {aside.name}; {consequence}."]


def write_shared(path: Path, content: dict[str, Any]) -> str:
    """Replace the file as a whole; return what went wrong, or ""."""
    try:
        write_whole(path, (json.dumps({"format": FORMAT, **content}, indent=1) + "\n").encode("utf-8"))
    except (OSError, MinbpeCourseError) as error:
        return str(error)
    return ""


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Lock out other kernels while a file is changed. The lock ends with the kernel, even a killed one."""
    handle = _locked(path)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _locked(path: Path) -> int | None:
    """Return a handle to close after use; None where the system has no locks, or another kernel keeps the lock."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            return _lock(path)
        except (BlockingIOError, FileExistsError, PermissionError):
            if time.monotonic() > deadline:
                return None
            time.sleep(0.01)
        except OSError:  # a file system without locks
            return None


if sys.platform == "win32":

    def _lock(path: Path) -> int:
        # The system deletes the file when the handle is closed, or its process ends.
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
        return os.open(path.with_name(path.name + ".lock"), flags)

else:
    import fcntl

    def _lock(path: Path) -> int:
        # The folder itself is locked, so that no lock file is left in it.
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(handle)
            raise
        return handle
