"""The second rung: Landlock, rules that a Linux process imposes on itself and can never lift.

It needs no rights and no program, so it works where namespaces are forbidden: in most containers, and for normal users
on Ubuntu 24.04. An answer can read the standard library and the packages of its exercise, and write in an empty folder.
The filter of system calls keeps it one process without sockets and signals. Names and sizes of other files can be seen,
but the files cannot be opened.

Limits: the work folder is on disk. The grader ends an answer whose files take more than ``Limits.file_bytes``, but it
looks only twice a second.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Sequence

from minbpe_course.learning.grading.sandbox import system_calls
from minbpe_course.learning.grading.sandbox.bare import readable, start_in_folder, user
from minbpe_course.learning.grading.sandbox.base import Limits, Started
from minbpe_course.learning.grading.sandbox.libraries import libraries

# The rights on files that each version of the rules added; a right that is not handled is not restricted.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}


class Landlock:
    """Starts workers that put Landlock's rules on themselves."""

    name = "landlock"
    guarantees = (
        "marks cannot be forged; no file of this machine can be read or written, no other process and no socket used, "
        "and memory and the work folder are bounded. Names of files can be seen."
    )
    how_to_climb = "Needs Linux 5.13 or later with Landlock switched on (lsm=landlock in the kernel's command line)."

    @staticmethod
    def missing() -> str:
        if sys.platform != "linux":
            return f"Landlock is part of Linux; this is {sys.platform}"
        if version() < 1:
            return "this kernel has no Landlock, or has it switched off"
        if not system_calls.program():
            return "the filter of system calls is not known for this processor, and Landlock alone leaves UDP open"
        return ""

    @staticmethod
    def strength() -> str:
        return f"version {version()} of the rules{user()}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        known = version()
        handled = sum(rights for since, rights in _FILE_RIGHTS.items() if since <= known)
        paths = [*readable(packages), "/dev/null", *libraries(tuple(packages))]
        return start_in_folder(limits, packages, complaints, readable=paths, handled=handled)


def version() -> int:
    """Return the version of Landlock's rules that this kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None, use_errno=True).syscall(444, None, ctypes.c_size_t(0), 1)))
