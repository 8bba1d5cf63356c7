"""The targets of hostile answers: a folder to change, listeners to reach, a secret to find."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sqlite3
import sys
import sysconfig
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import minbpe_course
from minbpe_course.learning.grading.running import Limits, Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.base import Sandbox
from minbpe_course.learning.grading.sandbox.bubblewrap import Bubblewrap
from minbpe_course.learning.grading.sandbox.choose_sandbox import best, probe
from minbpe_course.learning.judge.catalogue import find
from minbpe_course.learning.judge.exercise import Case, Outcome, Verdict
from minbpe_course.learning.judge.judge import judge
from tests.learning.grading.hostile.honest import RIGHT

SEED = "a seed that only the test knows"
SECRET = "secret-of-the-teacher-4711"
LITTLE_TIME = Limits(seconds=1.0, whole=2.0)
_NUMBERS = itertools.count(os.getpid() % 10_000 * 100)


def rungs(*names: str) -> list[Any]:
    """Return the rungs that work on this machine as parameters of a test; all but the best one are slow.

    names : only these rungs, if any is given.
    """
    found = [rung.name for rung in probe() if rung.available and (not names or rung.name in names)]
    return [name if name == best().name else pytest.param(name, marks=pytest.mark.slow) for name in found]


class World:
    """A folder, listeners and a secret, for one hostile answer."""

    def __init__(self, folder: Path) -> None:
        self.canary, self.home, self.hidden = folder / "canary", folder / "home", folder / "hidden"
        for made in (self.canary, self.home, self.hidden):
            made.mkdir(mode=0o777)
        (self.canary / "file").write_text("as it was", encoding="utf-8")
        (self.hidden / "solution.py").write_text(RIGHT + f"\n# {SECRET}\n", encoding="utf-8")
        with contextlib.closing(sqlite3.connect(self.hidden / "solutions.sqlite")) as database:
            database.execute("create table solutions (source)")
            database.execute("insert into solutions values (?)", [RIGHT])
            database.commit()
        (self.home / ".netrc").write_text(SECRET, encoding="utf-8")
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        self.listeners, self.receivers = [tcp], [udp]
        if hasattr(socket, "AF_UNIX"):
            # The path of a socket may have about a hundred characters, and a folder of pytest has more.
            here = Path.cwd()
            os.chdir(self.canary)
            self.listeners.append(_unix("socket"))
            self.receivers.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            self.receivers[-1].bind("datagrams")
            os.chdir(here)
            if sys.platform == "linux":
                self.listeners.append(_unix(f"\0minbpe-{os.getpid()}"))
        for each in (*self.listeners, *self.receivers):
            each.setblocking(False)
        self.before = self.seen()

    def fill(self, source: str) -> str:
        """Put the names of this world into an answer."""
        names = {
            "CANARY": self.canary,
            "HOME": self.home,
            "FOLDER": self.hidden,
            "SOLUTION": self.hidden / "solution.py",
            "RELATIVE": os.path.relpath(self.hidden / "solution.py"),
            "CHECKOUT": Path(minbpe_course.__file__).parent.parent,
            "SITE": sysconfig.get_path("purelib"),
            "PORT": self.port,
            "GRADER": os.getpid(),
        }
        for name, value in names.items():
            source = source.replace(f"@{name}@", str(value))
        return source

    def seen(self) -> list[tuple[str, bytes, int, int]]:
        """Return what is in the folder: names, contents, modes, times."""
        found = []
        for path in sorted(self.canary.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found.append((path.name, content, status.st_mode, status.st_mtime_ns))
        return found

    def reached(self) -> list[str]:
        """Return what has come in over the network."""
        found = []
        for listener in self.listeners:
            with contextlib.suppress(BlockingIOError):
                listener.accept()[0].close()
                found.append("a connection")
        for receiver in self.receivers:
            with contextlib.suppress(BlockingIOError):
                found.append(f"{receiver.recv(1000)!r}")
        return found

    def close(self) -> None:
        """Close the listeners."""
        for each in (*self.listeners, *self.receivers):
            each.close()


def _unix(name: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(name)
    made.listen()
    return made


def marked(limits: Limits) -> Limits:
    """Return limits with a unique bound on memory, which the kernel shows for every process of a worker."""
    return replace(limits, memory=limits.memory + next(_NUMBERS))


def left_behind(limits: Limits, seconds: float = 3.0) -> list[str]:
    """Return the processes that still have these limits; they get a moment to be gone."""
    ends = time.monotonic() + seconds
    while (found := _limited_to(limits.memory)) and time.monotonic() < ends:
        time.sleep(0.02)
    return found


def _limited_to(memory: int) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "status").read_text("utf-8").splitlines()[2]
            started = f'["AS", {memory}]'.encode() in (folder / "cmdline").read_bytes()
            if started or (f" {memory} " in (folder / "limits").read_text("utf-8") and "Z" not in state):
                found.append(f"{folder.name}: {state}")
    return found


def verdict_of(
    source: str,
    sandbox: Sandbox,
    limits: Limits | None = None,
    *,
    key: str = "02.merge",
    others: tuple[str, ...] = (),
    packages: tuple[str, ...] = (),
) -> Verdict:
    """Judge an answer as the batch would."""
    exercise = find(key)
    program = Program((*others, source), exercise.entry, packages=packages, subject=exercise.subject)
    with RemoteCaller(program, sandbox=sandbox, limits=limits) as caller:
        return judge(exercise, caller, SEED, reveal=False)


def outcomes_of(
    source: str, sandbox: Sandbox, limits: Limits | None = None, *, key: str = "02.merge"
) -> tuple[Verdict, list[Outcome]]:
    """Judge an answer as the batch would, and return everything that it brought back as well."""
    exercise = find(key)
    with Recording(Program((source,), exercise.entry), sandbox=sandbox, limits=limits) as caller:
        return judge(exercise, caller, SEED, reveal=False), caller.outcomes


class Recording(RemoteCaller):
    """A caller that keeps everything that its calls brought back."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.outcomes: list[Outcome] = []

    def call(self, case: Case) -> Outcome:
        """Call, and keep the outcome."""
        self.outcomes.append(super().call(case))
        return self.outcomes[-1]


class Alone(Bubblewrap):
    """Bubblewrap without forks, as where it is old."""

    start = staticmethod(Bubblewrap.start_alone)
