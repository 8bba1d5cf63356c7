"""The best rung: Linux namespaces by bubblewrap. Nothing of the machine is visible but an interpreter and the worker.

What an answer sees: the standard library, the shared libraries that it loads, the packages that its exercise allows,
four files of the grader, all read-only; an empty work folder of bounded size; itself as the only process; a network
with nobody in it. No home, no checkout, no other submission, no solution, no environment. With the filter of system
calls it is one process, so the limit on its address space bounds its memory.

Started by root, the worker becomes a user that nobody else is, inside, where the interpreter is already visible: a
limit on the number of processes does not bind root. Started by anybody else, namespaces of users have to be allowed.

Limits: the wall is the kernel's; a flaw in the kernel is a hole in it. Versions of bubblewrap before 0.7 cannot bound a
work folder, so there it is read-only.
"""

from __future__ import annotations

import functools
import itertools
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

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
from minbpe_course.grading.sandbox.libraries import libraries

GRADER, PACKAGES, WORK = "/grader", "/packages", "/work"
_USERS = itertools.count()


class Bubblewrap:
    """Starts workers under ``bwrap``."""

    name = "bubblewrap"
    guarantees = (
        "marks cannot be forged; an answer sees an interpreter and an empty folder, no file, process or network of "
        "this machine; memory, time, processes and files are bounded."
    )
    how_to_climb = (
        "Linux: sudo apt install bubblewrap (dnf, pacman and zypper call it the same). "
        "Ubuntu 24.04 and later also keep normal users from making namespaces; a profile that lets bubblewrap do so:\n"
        "  printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap /usr/bin/bwrap flags=(unconfined) "
        "{\\n  userns,\\n}\\n' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap\n"
        "In a container: run it with --security-opt seccomp=unconfined, or as root with --privileged."
    )

    @staticmethod
    def missing() -> str:
        """Return why this rung cannot exist here, or nothing."""
        if sys.platform != "linux":
            return f"bubblewrap is a program for Linux; this is {sys.platform}"
        return "" if bwrap() else "bwrap is not installed"

    @staticmethod
    def strength() -> str:
        """Return what it is made of here."""
        filtered = "with" if system_calls.program() else "without"
        folder = "" if _bounds_folders() else "; the work folder is read-only, since this bwrap is older than 0.7"
        return f"{bwrap()}, {filtered} the filter of system calls{folder}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker in namespaces of its own."""
        filtered = system_calls.program()
        read, write = os.pipe()
        try:
            os.write(write, filtered)
            os.close(write)
            arguments = [*_walls(tuple(packages), limits.file_bytes), *(["--seccomp", str(read)] if filtered else [])]
            process = subprocess.Popen(
                [*arguments, *_worker(limits, packages)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env={},
                pass_fds=(read,),
                start_new_session=True,
                bufsize=0,
            )
        finally:
            os.close(read)
        return Started(process, inner=True)


def _worker(limits: Limits, packages: Sequence[str]) -> list[str]:
    files = {name: f"{GRADER}/{path.name}" for name, path in worker_files().items()}
    rights = {"user": [_own_user(), 65534]} if os.getuid() == 0 else {}
    own_user = os.getuid() == 0 or _counts_by_namespace()
    origins = {name: f"{PACKAGES}/{origin}" for name, origin in package_origins(packages).items()}
    return command(interpreter(), files, settings(limits, origins, own_user=own_user, **rights))


def _own_user() -> int:
    """A user that nobody is: far above those that systems give out, another one for each worker alive."""
    return 1_000_000_000 + os.getpid() % 1_000_000 * 1_000 + next(_USERS) % 1_000


@functools.lru_cache(maxsize=64)
def _walls(packages: tuple[str, ...], file_bytes: int) -> tuple[str, ...]:
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    rights = ["--cap-drop", "ALL"]
    if os.getuid() == 0:
        rights += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        spaces += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    arguments = [bwrap() or "bwrap", *spaces, "--die-with-parent", "--new-session", "--clearenv", *rights]
    shown = _shown(packages)
    # Made by bubblewrap itself, a folder on the way is closed to others when the one it stands for is.
    for way in sorted({str(folder) for _, target in shown for folder in target.parents} - {"/"}):
        arguments += ["--dir", way]
    for source, target in shown:
        # Every mount costs a third of a millisecond; a library's other names can be links here as they are there.
        real = source.resolve() if source.is_symlink() else source
        alias = real != source and (real, real) in shown
        arguments += ["--symlink", str(real), str(target)] if alias else ["--ro-bind", str(source), str(target)]
    for folder in hidden_folders():
        arguments += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
    for link in (Path("/lib"), Path("/lib64")):
        if link.is_symlink():
            arguments += ["--symlink", str(link.readlink()), str(link)]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += (
        ["--perms", "0777", "--size", str(file_bytes), "--tmpfs", WORK] if _bounds_folders() else ["--dir", WORK]
    )
    for name, value in environment(WORK).items():
        arguments += ["--setenv", name, value]
    # Without these two, the root and /dev are folders in memory that anybody may fill.
    return (*arguments, "--chdir", WORK, "--remount-ro", "/dev", "--remount-ro", "/")


def _shown(packages: Sequence[str]) -> list[tuple[Path, Path]]:
    shown = [(folder, folder) for folder in standard_library()]
    shown += [(Path(path), Path(path)) for path in libraries(tuple(packages))]
    shown += [(path, Path(GRADER, path.name)) for path in worker_files().values()]
    for name in packages:
        shown += [(part, Path(PACKAGES, part.name)) for part in package_parts(name)]
    return shown


@functools.cache
def _counts_by_namespace() -> bool:
    """Whether this kernel counts the processes of a user in each namespace by itself, as Linux 5.14 began to."""
    numbers = [int(part) for part in re.findall(r"\d+", platform.release())[:2]]
    return numbers >= [5, 14]


@functools.cache
def bwrap() -> str | None:
    """Return the path of bubblewrap, None where it is not installed."""
    return shutil.which("bwrap")


@functools.cache
def _bounds_folders() -> bool:
    """Whether this bubblewrap knows ``--size``, which came with 0.7."""
    path = bwrap()
    if path is None:
        return False
    run = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=10, check=False)
    return "--size" in run.stdout + run.stderr
