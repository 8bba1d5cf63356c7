"""The last rung: a process with limits, and a guard inside it. Named "plain" in reports.

Marks are safe on it as on any rung: expected values are in another process. The machine is not. The guard is a hook of
the interpreter's own that refuses files outside of the work folder and the standard library, other processes and
sockets; it stops what is written in passing and what is copied from the web, and not somebody who knows the interpreter
well. On Linux the filter of system calls and the dropped rights stand behind it, which is much more, but files stay
readable. Windows keeps no limits on memory or time of its own; the grader's clock is all there is.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.grading.sandbox import system_calls
from minbpe_course.grading.sandbox.base import (
    Limits,
    Started,
    command,
    environment,
    hidden_folders,
    interpreter,
    package_origins,
    package_parts,
    settings,
    standard_library,
    worker_files,
)
from minbpe_course.grading.sandbox.removal import discard

PREFIX, OLD = "minbpe-answer-", 3600.0  # seconds


@dataclass
class InFolder(Started):
    """A worker with a work folder of its own, which goes when the worker does."""

    folder: str = ""

    def end(self) -> None:
        """Kill the worker, and remove its folder."""
        super().end()
        discard(self.folder)


@functools.cache
def _sweep() -> None:
    """Remove what a grader that was killed has left behind: folders of ours, older than any answer can live."""
    mine = os.getuid() if hasattr(os, "getuid") else 0
    left = []
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == mine and status.st_mtime < time.time() - OLD:
                left.append(str(path))
    discard(*left)


class Bare:
    """Starts workers as mere processes."""

    name = "plain"
    guarantees = (
        "what is wanted is not in the process of an answer; limits on time and, outside of Windows, on memory and file "
        "sizes. Files and programs of this machine, the gradebook among them, are kept from an answer by a guard that "
        "a determined one gets past."
    )
    how_to_climb = (
        "On Linux: sudo apt install bubblewrap. On macOS and Windows: install Docker, or grade in a Linux machine."
    )

    @staticmethod
    def missing() -> str:
        """Return why this rung cannot exist here: it always can.

        >>> Bare.missing()
        ''
        """
        return ""

    @staticmethod
    def strength() -> str:
        """Return what it is made of here.

        >>> "guard" in Bare.strength()
        True
        """
        filtered = ", a filter of system calls" if sys.platform == "linux" and system_calls.program() else ""
        user = ", a user of its own" if _drops_user((Path(tempfile.gettempdir()), *standard_library())) else ""
        return f"a guard inside the interpreter{filtered}{user}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker in an empty folder."""
        return start_in_folder(limits, packages, complaints, guard=readable(packages), listed=listed())


def start_in_folder(limits: Limits, packages: Sequence[str], complaints: int, **rights: Any) -> InFolder:
    """Start a worker without namespaces: in a folder of its own, with the rights that the settings leave it."""
    _sweep()
    folder = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX))
    if sys.platform == "linux":
        rights |= {"no_rights": True, "parent": os.getpid(), "filter": system_calls.program(outside=True)}
    parts = (part for name in packages for part in package_parts(name))
    if _drops_user((Path(folder).parent, *standard_library(), *parts)):
        Path(folder).chmod(0o777)
        rights |= {
            "own_user": True,
            "user": [1_000_000_000 + os.getpid() % 1_000_000 * 1_000 + id(folder) % 1_000, 65534],
        }
    places = {name: str(package_parts(name)[0].parent / origin) for name, origin in package_origins(packages).items()}
    files = {name: str(path) for name, path in worker_files().items()}
    try:
        process = subprocess.Popen(
            command(interpreter(), files, settings(limits, places, writable=[folder], **rights)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment(folder) | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
            cwd=folder,
            start_new_session=True,
            bufsize=0,
        )
    except BaseException:
        discard(folder)
        raise
    return InFolder(process, folder=folder)


def readable(packages: Sequence[str]) -> list[str]:
    """Return the paths that an answer may read: the parts of the standard library, and the packages of its exercise.

    >>> any(Path(path).name == "collections" for path in readable(()))
    True
    """
    parts = [str(part) for name in packages for part in package_parts(name)]
    return [*_standard_parts(), *parts]


def listed() -> list[str]:
    """Return the folders whose names an answer may see, without being able to read all that is in them."""
    return [str(folder) for folder in standard_library()]


@functools.cache
def _standard_parts() -> tuple[str, ...]:
    parts = (part for folder in standard_library() for part in folder.iterdir() if part not in hidden_folders())
    return tuple(sorted(str(part) for part in parts if part not in standard_library()))


def _drops_user(places: Sequence[Path]) -> bool:
    """Whether this is root, and what an answer needs can be reached by somebody who is not."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return False
    folders = {folder for place in places for folder in (place, *place.parents) if folder.is_dir()}
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
