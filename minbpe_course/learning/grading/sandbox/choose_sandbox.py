"""Try the rungs of this machine once, best first, by running an answer on each."""

from __future__ import annotations

import functools
import subprocess
from contextlib import suppress
from typing import Any

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.base import Limits, Rung, Sandbox, last_line
from minbpe_course.learning.grading.sandbox.bubblewrap import Bubblewrap
from minbpe_course.learning.grading.sandbox.container import Container
from minbpe_course.learning.grading.sandbox.landlock import Landlock
from minbpe_course.learning.judge.plain_values import from_json, to_json

SANDBOXES: tuple[type[Sandbox], ...] = (Bubblewrap, Landlock, Container, Bare)
SECONDS_TO_TRY = 20.0


def best() -> Sandbox:
    """Return the best sandbox that works on this machine. Raises GradingProblem where none does."""
    for kind in SANDBOXES:
        if _tried(kind).available:
            return kind()
    why = "\n".join(f"  {rung.name}: {rung.reason}" for rung in probe())
    raise GradingProblem(f"no answer can be run here, not even without protection:\n{why}\nSee: minbpe-course doctor")


def by_name(name: str) -> Sandbox:
    """Return the sandbox of this name. Raises GradingProblem if it does not work here or does not exist."""
    for kind in SANDBOXES:
        if kind.name == name:
            rung = _tried(kind)
            if not rung.available:
                raise GradingProblem(f"the sandbox {name} does not work here: {rung.reason}.\n{rung.how_to_climb}")
            return kind()
    names = ", ".join(kind.name for kind in SANDBOXES)
    raise GradingProblem(f"there is no sandbox called {name!r}.\nChoose one of: {names}.")


def probe() -> tuple[Rung, ...]:
    """Return every rung, best first, each tried once per process."""
    return tuple(_tried(kind) for kind in SANDBOXES)


@functools.cache
def _tried(kind: type[Sandbox]) -> Rung:
    problem = kind.missing()
    if not problem:
        problem = _run_one(kind())
    reason = problem or kind.strength()
    return Rung(kind.name, not problem, reason, kind.guarantees, kind.how_to_climb)


def _run_one(sandbox: Sandbox) -> str:
    """Run one answer; return why that did not work, or ""."""
    job = {"cells": ["def twice(n): return 2 * n"], "entry": "twice", "key": "", "subject": "", "begins": 0}
    job |= {"own": None, "right": [], "bound": {}, "skip": []}
    lines = "".join(f"{to_json(message)}\n" for message in (job, {"id": 1, "args": (21,)}))
    try:
        started = sandbox.start(Limits(), (), subprocess.PIPE)
    except Exception as error:  # any error here means that the next rung is tried
        return f"it could not be started: {type(error).__name__}: {error}"[:300]
    try:
        out, complaint = started.process.communicate(lines.encode("ascii"), timeout=SECONDS_TO_TRY)
    except subprocess.TimeoutExpired:
        return f"it did not answer in {SECONDS_TO_TRY:.0f} seconds"
    finally:
        started.end()
    answer: dict[str, Any] = {}
    with suppress(ValueError, IndexError):
        answer = from_json(out.splitlines()[-1])
    if answer.get("value") == 42:
        return ""
    return answer.get("problem") or last_line(complaint) or "the answer that was tried on it did not come back"
