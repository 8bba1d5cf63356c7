"""Remove the folder of an answer in bounded time.

An answer can create folders faster than they can be removed, so a question does not wait for the end.
Standard library only: this file is also the program that removes the rest.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import time

SECONDS, SECONDS_LATER = 0.5, 600.0
AT_A_TIME = 500
_RUNNING: list[subprocess.Popen[bytes]] = []


def discard(folder: str) -> None:
    """Remove a folder; leave to another process what takes longer than SECONDS. No error is raised."""
    _RUNNING[:] = [process for process in _RUNNING if process.poll() is None]
    if not remove(folder, SECONDS):
        # Imported here, since the program that this file also is has no packages.
        from minbpe_course.start_python import python_alone

        command = python_alone(os.path.abspath(__file__), folder)  # noqa: PTH100
        nowhere = subprocess.DEVNULL
        with contextlib.suppress(OSError):  # no memory for a process: the folder stays
            _RUNNING.append(
                subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
            )


def remove(folder: str, seconds: float) -> bool:
    """Remove a folder that an untrusted program filled; return False if the time was too short. No error is raised.

    Its folders may be nested deeper than any recursion or path allows, and may be closed to their owner: each is moved
    to the top before it is listed.
    """
    ends, numbers, waiting = time.monotonic() + seconds, itertools.count(), [folder]
    with contextlib.suppress(OSError):
        while waiting:
            if time.monotonic() >= ends:
                return False
            here = waiting[-1]
            os.chmod(here, 0o700)  # noqa: PTH101
            with os.scandir(here) as entries:
                listed = list(itertools.islice(entries, AT_A_TIME))
            for entry in listed:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)  # noqa: PTH108
                elif here == folder:
                    waiting.append(entry.path)
                else:
                    os.chmod(entry.path, 0o700)  # noqa: PTH101 (or its own rights keep it where it is)
                    name = f"{os.path.basename(folder)}-{next(numbers)}"  # noqa: PTH119
                    taken_out = os.path.join(folder, name)  # noqa: PTH118
                    os.rename(entry.path, taken_out)  # noqa: PTH104
            if not listed:
                os.rmdir(waiting.pop())  # noqa: PTH106
    return True


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(19)
    remove(sys.argv[1], SECONDS_LATER)
