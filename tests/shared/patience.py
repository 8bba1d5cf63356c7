"""How long a test waits for another process, thread or page before it calls it hung.

No result may depend on these numbers: a machine that does ten other things at once must give the same ones. They are
only here so that a hang ends the test and names it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil

PATIENCE = 1800.0
"""Seconds, for one answer of a program, a server or a page."""


def answered(ready: Callable[[float], bool], process: int, cpu_seconds: float) -> bool:
    """Wait for another process, which may hang, and limit the processor time that it takes.

    ready : waits so many seconds at most and tells whether an answer is there · process : its number
    Returns False when the process took ``cpu_seconds`` of processor time, or waited for ever, without an answer.
    """
    program = psutil.Process(process)
    begun, until = _taken(program), time.monotonic() + PATIENCE
    while not ready(0.5):
        if _taken(program) - begun > cpu_seconds or time.monotonic() > until:
            return ready(0)
    return True


def _taken(program: psutil.Process) -> float:
    try:
        times = program.cpu_times()
    except psutil.Error:
        return 0.0  # it has ended: its pipe says so
    return times.user + times.system
