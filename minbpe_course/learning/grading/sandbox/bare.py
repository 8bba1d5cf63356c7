"""The last rung: a process with limits, and a guard inside it. Named "plain" in reports.

Marks are safe here as on any rung, because expected values are in another process. The machine is not. The guard is an
audit hook in the interpreter that refuses files outside the work folder and the standard library, other processes and
sockets. It stops code that does so casually or was copied from the web, but not an author who knows the interpreter
well. On Linux the filter of system calls and the dropped rights add much more, but files stay readable. Windows has no
limits on memory or processor time, only the grader's clock.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.learning.grading.sandbox import base, system_calls
from minbpe_course.learning.grading.sandbox.base import Limits, Started, hidden_folders, package_parts, standard_library
from minbpe_course.learning.grading.sandbox.removal import discard

SMALLEST = 4096  # bytes that a file or folder takes at least


@dataclass
class InFolder(Started):
    """A worker with its own work folder, which is removed when the worker ends."""

    folder: str = ""

    def written(self, most: int) -> int:
        taken, waiting = _without_a_name(self.process.pid), [self.folder]
        while waiting and taken <= most:
            try:
                with os.scandir(waiting.pop()) as entries:
                    for entry in itertools.islice(entries, most // SMALLEST + 1):
                        taken += max(_on_disk(entry), SMALLEST)
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError:  # closed to us, or nested too deeply: not what an honest answer does
                return most + 1
        return taken

    def end(self) -> None:
        """Kill the worker, and remove its folder."""
        super().end()
        discard(self.folder)


def _on_disk(entry: os.DirEntry[str]) -> int:
    with contextlib.suppress(FileNotFoundError):
        status = entry.stat(follow_symlinks=False)
        return int(getattr(status, "st_blocks", status.st_size // 512)) * 512
    return 0


def _without_a_name(pid: int) -> int:
    """Return the bytes of the files that a process holds open and has removed, as far as this system tells."""
    taken = 0
    with contextlib.suppress(OSError):
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                taken += status.st_blocks * 512 if stat.S_ISREG(status.st_mode) and not status.st_nlink else 0
    return taken


class Bare:
    """Starts workers as ordinary processes."""

    name = "plain"
    guarantees = (
        "what is wanted is not in the process of an answer; limits on time, the work folder and, outside of Windows, "
        "memory. Files and programs of this machine, the gradebook among them, are kept from an answer by a guard "
        "that a determined one gets past."
    )
    how_to_climb = (
        "On Linux: sudo apt install bubblewrap. On macOS and Windows: install Docker, or grade in a Linux machine."
    )

    @staticmethod
    def missing() -> str:
        return ""

    @staticmethod
    def strength() -> str:
        filtered = ", a filter of system calls" if sys.platform == "linux" and system_calls.program() else ""
        return f"a guard inside the interpreter{filtered}{user()}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        return start_in_folder(limits, packages, complaints, guard=readable(packages))


def start_in_folder(limits: Limits, packages: Sequence[str], complaints: int, **rights: Any) -> InFolder:
    """Start a worker without namespaces: in its own folder, with the rights that the settings leave it."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="minbpe-answer-"))
    if sys.platform == "linux":
        rights |= {"no_rights": True, "parent": os.getpid(), "filter": system_calls.program(outside=True)}
    parts = (part for name in packages for part in package_parts(name))
    if _drops_user((Path(folder).parent, *standard_library(), *parts)):
        Path(folder).chmod(0o777)
        rights |= {"own_user": True, "user": base.unused_user()}
    # An answer may list these, though it must not read all that is in them.
    rights["listed"] = [str(folder) for folder in standard_library()]
    settings = base.settings(limits, base.package_origins(packages), writable=[folder], **rights)
    inherited = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    try:
        process = base.launch(
            base.command(base.interpreter(), base.worker_files(), settings),
            complaints,
            env=base.environment(folder) | inherited,
            cwd=folder,
        )
    except BaseException:
        discard(folder)
        raise
    return InFolder(process, folder=folder)


def readable(packages: Sequence[str]) -> list[str]:
    """Return the paths that an answer may read: the parts of the standard library, and the packages of its exercise."""
    return [*_standard_parts(), *(str(part) for name in packages for part in package_parts(name))]


@functools.cache
def _standard_parts() -> tuple[str, ...]:
    parts = (part for folder in standard_library() for part in folder.iterdir() if part not in hidden_folders())
    return tuple(sorted(str(part) for part in parts if part not in standard_library()))


def user() -> str:
    """Return in a few words as which user an answer runs, "" for the ordinary user who started this process."""
    if _drops_user((Path(tempfile.gettempdir()), *standard_library())):
        return ", a user of its own"
    return ", still as root" if hasattr(os, "getuid") and os.getuid() == 0 else ""


def _drops_user(places: Sequence[Path]) -> bool:
    """Tell whether this is root who may become another user, and other users can reach what an answer needs."""
    if not base.becomes_another_user():
        return False
    folders = {folder for place in places for folder in (place, *place.parents) if folder.is_dir()}
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
