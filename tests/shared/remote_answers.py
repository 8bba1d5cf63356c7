"""Answers in a process of their own, for the tests of the grader and of what it agrees with."""

from __future__ import annotations

from typing import Any

from minbpe_course.learning.grading.running import Limits, Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.base import Sandbox


def opened(
    *cells: str, entry: str = "f", limits: Limits | None = None, sandbox: Sandbox | None = None, **program: Any
) -> RemoteCaller:
    """Return a caller of ``entry`` in a notebook of these cells; the other options are those of ``Program``."""
    return RemoteCaller(Program(cells, entry, **program), limits=limits, sandbox=sandbox)
