"""Define what every rung shares: limits, the started process, and the files and packages that a worker needs."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Protocol

import minbpe_course.learning.grading as grading
from minbpe_course.learning.judge import plain_values
from minbpe_course.start_python import interpreter as interpreter
from minbpe_course.start_python import python_alone

MEBI = 1 << 20
# Where an answer sees the files of the worker, its packages and its own folder, where it sees no file of the machine.
GRADER, PACKAGES, WORK = "/grader", "/packages", "/work"
SECONDS_TO_END, SECONDS_TO_DIE = 2.0, 1.0
KILLED = getattr(signal, "SIGKILL", 9)
_USERS = itertools.count()


@dataclass(frozen=True)
class Limits:
    """How much one answer may use, and the cells that run before it.

    cell : seconds for which one cell may run or sleep: a learner's patience. cells : all cells up to the question.
    notebook : everything that is run for one notebook.
    seconds : processor time of one call; right answers take hundredths, and a class may hold hundreds of endless loops.
    whole : processor time of all calls of the question together.
    patience : an answer that sleeps is stopped when the clock shows this many times as much, and all its calls together
        may sleep once less than that. Time in which it waits for a processor does not count.
    unmeasured : the same where the system does not tell how long an answer has run or waited for a processor.
    memory : bytes of address space. threads : at once; a second process is refused where the rung can do that.
    file_bytes : of the work folder, and so of any file in it. result_bytes : of one answer, written down.
    restarts : how often a worker that died is started again for the next case.
    """

    cell: float = 30.0
    cells: float = 60.0
    notebook: float = 900.0
    seconds: float = 2.0
    whole: float = 20.0
    patience: float = 2.0
    unmeasured: float = 5.0
    memory: int = 2048 * MEBI
    threads: int = 64
    file_bytes: int = 64 * MEBI
    result_bytes: int = MEBI
    restarts: int = 3

    def with_patience(self, factor: float) -> Limits:
        """Return limits that let cells and notebooks run so many times as long.

        >>> Limits().with_patience(2).notebook
        1800.0
        """
        return replace(self, cell=self.cell * factor, cells=self.cells * factor, notebook=self.notebook * factor)


@dataclass(frozen=True)
class Rung:
    """One rung of the ladder on this machine, in words for reports."""

    name: str
    available: bool
    reason: str
    guarantees: str
    how_to_climb: str = ""


@dataclass
class Ends:
    """Our ends of the pipes of a process that another one has started; named as in a Popen."""

    stdin: IO[bytes]
    stdout: IO[bytes]


@dataclass
class Started:
    """A running worker: the process with pipes on both ends, and how to end everything that it has started."""

    process: subprocess.Popen[bytes]
    inner: bool = False  # whether the worker is in a process namespace whose first process is our child

    def written(self, most: int) -> int:
        """Return the bytes that its files take on the disk of the machine; any larger number if more than ``most``."""
        return 0

    def worker(self) -> int | None:
        """Return the id of the process in which the answer runs, or None where that is unknown."""
        if not self.inner:
            return self.process.pid
        return next((inner for first in _children(self.process.pid) for inner in _children(first)), None)

    def interrupt(self) -> bool:
        """Interrupt the worker, as a notebook interrupts its kernel; return False where that is impossible."""
        number = self.worker()
        if os.name == "posix" and number is not None:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGINT)
                return True
        return False

    def killed(self) -> bool:
        """Tell whether something outside has killed the worker, which has hung up; an answer cannot do that here."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(SECONDS_TO_DIE)
        # bubblewrap passes the signal on in its own code.
        return self.process.returncode in ((-KILLED, 128 + KILLED) if self.inner else (-KILLED,))

    def end(self) -> None:
        """Kill the worker and everything that it has started, and wait until they are gone."""
        if self.inner:
            # The first process of a namespace ends only after all others in it; its parent waits for it.
            for child in _children(self.process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(SECONDS_TO_END)
        if os.name == "posix" and self.process.returncode is None:
            # The group outlives its leader, and keeps its number while it has members.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


def _children(parent: int) -> list[int]:
    try:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
        return [int(child) for child in found]
    except (OSError, ValueError):
        return []


def last_line(said: bytes) -> str:
    """Return the last line of what a program wrote, "" for none."""
    return "".join(said.decode("utf-8", "replace").strip().splitlines()[-1:])[:300]


class Sandbox(Protocol):
    """A rung that can start workers within limits."""

    name: str
    guarantees: str
    how_to_climb: str

    @staticmethod
    def missing() -> str:
        """Return why it cannot work on this machine, as far as one can tell without trying it; "" if it can."""

    @staticmethod
    def strength() -> str:
        """Return in a few words which protections it consists of here."""

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker that may import the packages; ``complaints`` is where its standard error goes."""


# ----------------------------------------------------------------------------------------------------
# Starting a worker


def worker_files(folder: str | None = None) -> dict[str, str]:
    """Return the files of which the worker consists, inside ``folder`` (default: where they are installed).

    A sandbox shows it these and no others of the package.
    """
    here = Path(grading.__file__).parent
    files = {
        "worker": here / "worker.py",
        "cells": here / "cells.py",
        "inside": here / "sandbox" / "inside.py",
        "plain": Path(plain_values.__file__),
    }
    return {name: str(path) if folder is None else f"{folder}/{path.name}" for name, path in files.items()}


def shown_elsewhere(packages: Sequence[str]) -> list[tuple[Path, Path]]:
    """Return the files of the worker and the packages, each with the place at which a closed rung shows it."""
    shown = [(Path(path), Path(GRADER, Path(path).name)) for path in worker_files().values()]
    return shown + [(part, Path(PACKAGES, part.name)) for name in packages for part in package_parts(name)]


def command_elsewhere(python: str, limits: Limits, packages: Sequence[str], **rights: Any) -> list[str]:
    """Return the command that starts a worker where its files are shown by ``shown_elsewhere``."""
    return command(python, worker_files(GRADER), settings(limits, package_origins(packages, PACKAGES), **rights))


def command(python: str, files: Mapping[str, str], settings: Mapping[str, Any]) -> list[str]:
    """Return the command that starts a worker, with the settings as one argument.

    Without ``-I`` and ``-E``: the environment is ours and sets PYTHONHASHSEED, so that sets have the same order in
    every run of an answer. A file is run, not a module, so the path begins with the folder of the worker.
    """
    whole = {"cells": files["cells"], "inside": files["inside"], **settings}
    return [python, "-S", "-s", "-B", files["worker"], files["plain"], plain_values.to_json(whole)]


def launch(arguments: Sequence[str], complaints: int, **more: Any) -> subprocess.Popen[bytes]:
    """Start a command with unbuffered pipes, in a session that can be killed as a whole."""
    more |= {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": complaints}
    return subprocess.Popen(arguments, bufsize=0, start_new_session=True, **more)


def settings(limits: Limits, packages: Mapping[str, str], **rights: Any) -> dict[str, Any]:
    """Return what a worker has to know about its limits; ``packages`` maps each package to its first file."""
    return {
        "result_bytes": limits.result_bytes,
        "packages": dict(packages),
        "limits": {
            # Ends a worker that escapes the grader's clock, as something outside would. So it is out of reach of the
            # threads of one call, which burn the time of many processors before the clock of the call has run.
            "CPU": int(limits.cells + limits.whole + limits.threads * limits.seconds) + 2,
            "AS": limits.memory,
            "FSIZE": limits.file_bytes,
            "NOFILE": 128,
            "CORE": 0,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
            # The limit counts all processes of a user, so it can hold only a worker with its own user.
            **({"NPROC": limits.threads} if rights.pop("own_user", False) else {}),
        },
        **rights,
    }


def unused_user() -> list[int]:
    """Return a user far above those that systems give out, another one for each living worker; and one to fall back on.

    They are tried in this order.
    """
    return [1_000_000_000 + os.getpid() % 1_000_000 * 1_000 + next(_USERS) % 1_000, 65534]


@functools.cache
def becomes_another_user() -> bool:
    """Tell whether this is root and may become another user, by trying it: a container can forbid that."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return False
    other = unused_user()[-1]
    try:
        subprocess.run(["/bin/sh", "-c", ":"], user=other, group=other, extra_groups=[], check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@functools.cache
def loader_path() -> dict[str, str]:
    """Return the variable in which this Python's own shared library is found, where it does not start without it."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    if (
        folders == [""]
        or not subprocess.run(python_alone("-c", ""), env={}, capture_output=True, check=False).returncode
    ):
        return {}
    return {"LD_LIBRARY_PATH": os.pathsep.join(os.path.realpath(folder) for folder in folders if folder)}


def environment(work: str) -> dict[str, str]:
    """Return the whole environment of a worker."""
    return {
        "PATH": os.defpath,
        "HOME": work,
        "TMPDIR": work,
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONDONTWRITEBYTECODE": "1",
        # Address space is limited: one arena, and one thread in libraries that would start one per core.
        "MALLOC_ARENA_MAX": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        **loader_path(),
    }


# ----------------------------------------------------------------------------------------------------
# This Python and its packages


@functools.cache
def standard_library() -> tuple[Path, ...]:
    """Return the folders of the standard library; they may contain installed packages, see hidden_folders."""
    names = {"installed_base": sys.base_prefix, "base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    names["installed_platbase"] = sys.base_exec_prefix
    folders = [Path(sysconfig.get_path(name, vars=names)) for name in ("stdlib", "platstdlib")]
    folders += [Path(folder) for folder in sys.path if Path(folder).name == "lib-dynload"]
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


@functools.cache
def hidden_folders() -> tuple[Path, ...]:
    """Return the folders inside the standard library that no answer needs.

    Installed packages, this course among them, and large files, which an answer might use to leave a trace in memory.
    """
    names = ("site-packages", "dist-packages", "config-*", "test", "idlelib", "ensurepip")
    found = (path for folder in standard_library() for name in names for path in folder.glob(name))
    return tuple(folder for folder in found if folder.is_dir())


@functools.cache
def package_parts(name: str) -> tuple[Path, ...]:
    """Return the paths that make a package importable: its folder or file, and its folder of shared libraries.

    A package that is not installed has no paths, and importing it raises ModuleNotFoundError in the answer.

    >>> [part.name for part in package_parts("regex")]
    ['regex']
    """
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return ()
    origin = Path(spec.origin)
    top = origin.parent if spec.submodule_search_locations else origin
    libraries = top.parent / f"{name}.libs"
    return (top, libraries) if libraries.is_dir() else (top,)


def package_origins(names: Sequence[str], folder: str | None = None) -> dict[str, str]:
    """Return the first file of each installed package, inside ``folder`` (default: where it is installed).

    >>> package_origins(("regex", "no_such_package"), "/packages")
    {'regex': '/packages/regex/__init__.py'}
    """
    found = {}
    for name in names:
        for top in package_parts(name)[:1]:
            inside = f"{top.name}/__init__.py" if top.is_dir() else top.name
            found[name] = f"{folder or top.parent}/{inside}"
    return found
