"""Measure how long another process has run, and how long it has waited for a processor.

Limits on these two do not depend on what else the machine does. Linux knows both to the nanosecond; macOS and Windows
know the first, Windows in steps of a sixtieth of a second.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

PRECISE = os.name == "posix"  # whether ``used`` can time a call of a millisecond
TELLS_WAITS = Path("/proc/self/schedstat").exists()  # whether ``waited`` knows
_NANO = 1e-9


def used(pid: int) -> float | None:
    """Return the processor time of all threads of a process; None if it has ended or cannot be measured."""
    try:
        return _reader()(pid)
    except (OSError, AttributeError, ValueError, OverflowError):
        return None


def waited(pid: int | Literal["thread-self"]) -> float:
    """Return how long the main thread of a process, or the calling thread, had no processor; 0.0 if unknown."""
    try:
        # Read three times for every call of an answer: opening it by a Path takes five times as long.
        file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) * _NANO
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        return 0.0


@functools.cache
def _reader() -> Callable[[int], float | None]:
    return {"linux": _on_linux, "darwin": _on_macos, "win32": _on_windows}.get(sys.platform, lambda pid: None)


def _on_linux(pid: int) -> float:
    # The clock of another process, as clock_getcpuclockid(3) names it.
    return time.clock_gettime(~pid << 3 | 2)


def _on_macos(pid: int) -> float | None:
    found = (ctypes.c_uint64 * 12)()  # struct rusage_info_v0: a UUID in two of them, then user and system time
    if ctypes.CDLL("/usr/lib/libproc.dylib").proc_pid_rusage(pid, 0, found) != 0:
        return None
    return (found[2] + found[3]) * _tick_of_macos()


@functools.cache
def _tick_of_macos() -> float:
    base = (ctypes.c_uint32 * 2)()
    ctypes.CDLL("/usr/lib/libSystem.dylib").mach_timebase_info(base)
    return _NANO * base[0] / base[1]


def _on_windows(pid: int) -> float | None:
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return None
    times = [ctypes.c_uint64() for _ in range(4)]  # made, ended, in the kernel, in the program: units of 100 ns
    known = kernel.GetProcessTimes(ctypes.c_void_p(handle), *map(ctypes.byref, times))
    kernel.CloseHandle(ctypes.c_void_p(handle))
    return (times[2].value + times[3].value) * 1e-7 if known else None
