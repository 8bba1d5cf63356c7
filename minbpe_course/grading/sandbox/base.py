"""What a rung of the ladder is: limits in, a started worker out. And what all rungs have to know about this Python.

Limits       how much an answer may use
Rung         one rung, whether this machine has it, why not, and how to get it
Sandbox      starts workers on one rung
Started      a running worker: two pipes, and ``end()``
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import marshal
import os
import py_compile
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import minbpe_course.grading as grading
from minbpe_course.checks import plain

MEBI = 1 << 20
SECONDS_TO_END = 2.0


@dataclass(frozen=True)
class Limits:
    """How much one answer may use.

    seconds : processor time of one call; right answers take hundredths, and a class may hold hundreds of endless loops.
    whole : processor time of all calls of the question together.
    patience : an answer that sleeps is stopped when the clock shows this many times as much. Time in which it waits for
        a processor does not count.
    unmeasured : the same where the system does not tell how long an answer has run or waited for a processor.
    memory : bytes of address space. threads : at once; other processes there are none, where the rung can forbid them.
    file_bytes : of the work folder, and so of any file in it. result_bytes : of one answer, written down.
    restarts : how often a worker that died is started again for the next case.

    >>> Limits(seconds=1).whole
    20.0
    """

    seconds: float = 2.0
    whole: float = 20.0
    patience: float = 2.0
    unmeasured: float = 5.0
    memory: int = 512 * MEBI
    threads: int = 64
    file_bytes: int = 16 * MEBI
    result_bytes: int = MEBI
    restarts: int = 3


@dataclass(frozen=True)
class Rung:
    """One rung of the ladder on this machine, in words that a report can carry."""

    name: str
    available: bool
    reason: str
    guarantees: str
    how_to_climb: str = ""


@dataclass
class Started:
    """A worker that runs: the process, with pipes on both ends, and how to end everything it has begun."""

    process: subprocess.Popen[bytes]
    inner: bool = False  # whether the worker is in a namespace of processes of which the child is the first

    def worker(self) -> int | None:
        """Return the number of the process in which the answer runs; None when that cannot be found out."""
        if not self.inner:
            return self.process.pid
        first = _children(self.process.pid)
        found = _children(first[0]) if first else []
        return found[0] if found else None

    def end(self) -> None:
        """Kill the worker and everything that it has begun, and wait until it is gone."""
        if self.inner:
            # The first process of a namespace is gone only when all others in it are; its parent waits for it.
            for child in _children(self.process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(SECONDS_TO_END)
        if os.name == "posix" and self.process.returncode is None:
            # The group outlives its leader, and so does its number for as long as anybody is in it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


def _children(parent: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
        ]
    except (OSError, ValueError):
        return []


class Sandbox(Protocol):
    """Whoever can start a worker so that it stays inside its limits."""

    name: str
    guarantees: str
    how_to_climb: str

    @staticmethod
    def missing() -> str:
        """Return why it cannot exist on this machine, as far as that shows without trying; or nothing."""
        ...

    @staticmethod
    def strength() -> str:
        """Return in a few words what it is made of here."""
        ...

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker that may import the packages; ``complaints`` is where its standard error goes."""
        ...


# ----------------------------------------------------------------------------------------------------
# The worker and its files


@functools.cache
def worker_files() -> dict[str, Path]:
    """Return the files that the worker consists of; a sandbox has to show it these and no other of the house.

    They are the compiled ones, made anew: reading the sources would take each worker a fifth of its time.

    >>> sorted(worker_files())
    ['definitions', 'inside', 'plain', 'worker']
    """
    here = Path(grading.__file__).parent
    sources = {
        "worker": here / "worker.py",
        "definitions": here / "definitions.py",
        "inside": here / "sandbox" / "inside.py",
        "plain": Path(plain.__file__),
    }
    return {name: _compiled(source) for name, source in sources.items()}


def _compiled(source: Path) -> Path:
    try:
        made = Path(py_compile.compile(str(source), doraise=True) or source)
    except OSError:  # installed where nobody may write
        return source
    try:
        marshal.loads(made.read_bytes()[16:])
    except (OSError, EOFError, ValueError, TypeError):
        # A full disk leaves half of it, without a word, and with it no later import of this file would work.
        made.unlink(missing_ok=True)
        return source
    return made


def command(python: str, files: Mapping[str, str], settings: Mapping[str, Any]) -> list[str]:
    """Return the command that starts a worker; the settings go with it as one argument.

    Not ``-I`` nor ``-E``: the environment is ours and holds PYTHONHASHSEED, so that the order of a set is the same for
    every run of an answer.
    """
    whole = {"definitions": files["definitions"], "inside": files["inside"], **settings}
    return [python, "-S", "-s", "-B", files["worker"], files["plain"], plain.to_json(whole)]


def settings(limits: Limits, packages: Mapping[str, str], **rights: Any) -> dict[str, Any]:
    """Return what a worker has to know about its limits; ``packages`` names the file that each of them begins with."""
    return {
        "result_bytes": limits.result_bytes,
        "packages": dict(packages),
        "limits": {
            # A worker that escapes the clock of the grader still ends with the processor time of the whole question.
            "CPU": int(limits.whole) + 2,
            "AS": limits.memory,
            "FSIZE": limits.file_bytes,
            "NOFILE": 128,
            "CORE": 0,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
            # The count is of everything that a user runs, so only a user of the worker's own can be held to it.
            **({"NPROC": limits.threads} if rights.pop("own_user", False) else {}),
        },
        **rights,
    }


def environment(work: str) -> dict[str, str]:
    """Return all of the environment that a worker sees."""
    return {
        "PATH": os.defpath,
        "HOME": work,
        "TMPDIR": work,
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONDONTWRITEBYTECODE": "1",
        # Address space is limited: one arena, and one thread in the libraries that would start one a core.
        "MALLOC_ARENA_MAX": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


@functools.cache
def interpreter() -> str:
    """Return the interpreter itself, where ``sys.executable`` may be a link of a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@functools.cache
def standard_library() -> tuple[Path, ...]:
    """Return the folders of the standard library; installed packages may lie in them, see hidden_folders."""
    names = {"installed_base": sys.base_prefix, "base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    names["installed_platbase"] = sys.base_exec_prefix
    folders = [Path(sysconfig.get_path(name, vars=names)) for name in ("stdlib", "platstdlib")]
    folders += [Path(folder) for folder in sys.path if Path(folder).name == "lib-dynload"]
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


@functools.cache
def hidden_folders() -> tuple[Path, ...]:
    """Return the folders inside the standard library that hold installed packages, and may hold this very course."""
    return tuple(
        folder / name
        for folder in standard_library()
        for name in ("site-packages", "dist-packages")
        if (folder / name).is_dir()
    )


@functools.cache
def package_parts(name: str) -> tuple[Path, ...]:
    """Return what has to be visible for a package to be importable: its folder or file, and the libraries beside it.

    A name that is not installed gives nothing, and the answer that imports it a ModuleNotFoundError.

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


def package_origins(names: Sequence[str]) -> dict[str, str]:
    """Return the file that each installed package begins with, counted from the folder that it lies in.

    >>> package_origins(("regex", "no_such_package"))
    {'regex': 'regex/__init__.py'}
    """
    found = {}
    for name in names:
        for top in package_parts(name)[:1]:
            found[name] = f"{top.name}/__init__.py" if top.is_dir() else top.name
    return found
