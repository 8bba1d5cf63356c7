"""The best rung: Linux namespaces by bubblewrap. An answer sees an interpreter and the worker, nothing else.

Visible and read-only are the standard library, the shared libraries that it loads, the packages that the exercise
allows, and four files of the grader. The work folder is empty and bounded in size. The answer is the only process, in a
network without other hosts. No home, checkout, submission, solution or environment is visible. With the filter of
system calls the answer is one process, so the limit on address space bounds its memory.

A worker is a fork (``forks``) of a process that keeps the right to make namespaces and runs no answer: the fork moves
into separate namespaces, a new work folder and another user, then gives up every right. Where that does not work, each
worker gets a new bubblewrap and a new interpreter.

Started by root, the worker becomes an unused user inside, where the interpreter is already visible, because a limit on
the number of processes does not bind root. Started by other users, or by a root who may not do that, user namespaces
have to be allowed.

Limits: the kernel enforces all this, so a flaw in the kernel breaks it. Versions of bubblewrap before 0.7 cannot bound
a work folder, so there it is read-only.
"""

from __future__ import annotations

import functools
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minbpe_course.learning.grading.sandbox import base, system_calls
from minbpe_course.learning.grading.sandbox.base import PACKAGES, WORK, Limits, Started
from minbpe_course.learning.grading.sandbox.forks import Forked, start_fork
from minbpe_course.learning.grading.sandbox.libraries import libraries
from minbpe_course.start_python import program


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
        if sys.platform != "linux":
            return f"bubblewrap is a program for Linux; this is {sys.platform}"
        return "" if bwrap() else "bwrap is not installed"

    @staticmethod
    def strength() -> str:
        filtered = "with" if system_calls.program() else "without"
        folder = "" if _bounds_folders() else "; the work folder is read-only, since this bwrap is older than 0.7"
        return f"{bwrap()}, {filtered} the filter of system calls{folder}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        forked = None if complaints != subprocess.DEVNULL else _fork(limits, tuple(packages))
        return forked or self.start_alone(limits, packages, complaints)

    @staticmethod
    def start_alone(limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker in a new interpreter, which takes four times as long as a fork."""
        rights = _rights() | {"filter": system_calls.program()}
        worker = base.command_elsewhere(base.interpreter(), limits, packages, **rights)
        process = base.launch([*_isolation(tuple(packages), limits.file_bytes), *worker], complaints, env={})
        return Started(process, inner=True)


def _fork(limits: Limits, packages: tuple[str, ...]) -> Forked | None:
    """Start a worker as a fork of a process that is in a sandbox already; None where that does not work."""
    confined = system_calls.program()
    if not confined or not _bounds_folders():
        return None
    rights = _rights() | {"no_rights": True, "parent": 0, "filter": confined, "folder": WORK}
    rights["inside"] = ""  # a fork has been through this already
    settings = base.settings(limits, base.package_origins(packages, PACKAGES), **rights)
    return start_fork(_forking, packages, settings)


def _forking(packages: tuple[str, ...], requests: int) -> list[str]:
    """Return the command of a process that forks workers, in the sandbox that they all begin in."""
    settings = {"requests": requests, "packages": base.package_origins(packages, PACKAGES)}
    worker = base.command(base.interpreter(), base.worker_files(base.GRADER), settings)
    return [*_isolation(packages), *worker]


def _rights() -> dict[str, Any]:
    user = {"user": base.unused_user()} if base.becomes_another_user() else {}
    return {"own_user": bool(user) or _counts_by_namespace(), **user}


@functools.lru_cache(maxsize=64)
def _isolation(packages: tuple[str, ...], file_bytes: int | None = None) -> tuple[str, ...]:
    """Return the command for a worker, or without ``file_bytes``, for a process that forks them.

    The latter keeps the right to make namespaces, and has no work folder: each worker mounts its own.
    """
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    rights = ["--cap-drop", "ALL"]
    if file_bytes is None:
        rights += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    if base.becomes_another_user():
        rights += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        spaces += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    arguments = [bwrap() or "bwrap", *spaces, "--die-with-parent", "--new-session", "--clearenv", *rights]
    shown = _shown(packages)
    # Made explicitly: bubblewrap gives the parent folders it makes itself the rights of the originals, maybe closed.
    for way in sorted({str(folder) for _, target in shown for folder in target.parents} - {"/"}):
        arguments += ["--dir", way]
    for source, target in shown:
        arguments += ["--ro-bind", str(source), str(target)]
    for folder in base.hidden_folders():
        arguments += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
    for link in (Path("/lib"), Path("/lib64")):
        if link.is_symlink():
            arguments += ["--symlink", str(link.readlink()), str(link)]
    arguments += ["--proc", "/proc", "--dir", "/dev"]
    for device in ("null", "zero", "full", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    bounded = ["--perms", "0777", "--size", str(file_bytes), "--tmpfs", WORK]
    arguments += bounded if _bounds_folders() and file_bytes is not None else ["--dir", WORK]
    for name, value in base.environment(WORK).items():
        arguments += ["--setenv", name, value]
    # Without this, the root is a folder in memory that an answer could fill.
    return (*arguments, "--chdir", WORK, "--remount-ro", "/")


def _shown(packages: Sequence[str]) -> list[tuple[Path, Path]]:
    shown = [(folder, folder) for folder in base.standard_library()]
    shown += [(Path(path), Path(path)) for path in libraries(tuple(packages))]
    return shown + base.shown_elsewhere(packages)


@functools.cache
def _counts_by_namespace() -> bool:
    """Tell whether this kernel counts a user's processes per namespace, as Linux does since 5.14."""
    return [int(part) for part in re.findall(r"\d+", platform.release())[:2]] >= [5, 14]


@functools.cache
def bwrap() -> str | None:
    """Return the path of bubblewrap, or None where it is not installed."""
    return program("bwrap")


@functools.cache
def _bounds_folders() -> bool:
    """Tell whether this bubblewrap has ``--size``, which came with 0.7."""
    path = bwrap()
    if path is None:
        return False
    run = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=10, check=False)
    return "--size" in run.stdout + run.stderr
