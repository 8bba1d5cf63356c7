"""How much memory a work may take: said in words, and seen by the operating system.

    parsed("64MB")   64000000        a number of bytes is one, too
    resident()                       what this process takes now
    physical()                       what this machine has, or what a container leaves of it
    keep_buffers()                   in a worker of Dask: as quick with memory as anywhere else

One megabyte is a million bytes, as on every disk; "64MiB" is 64 x 1024 x 1024.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from minbpe_course.errors import InvalidOption, WrongOptionType

# A process that has loaded Numba and its kernels holds more than this by itself; counting needs a few buffers.
LEAST = 16_000_000

# Unless said: a quarter of the machine, and no more than this.
_MOST = 2_000_000_000

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _UNITS |= {f"{_letter}": 1000**_power, f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}

# With so much for the work, what the C library keeps is within its share for texts on their way.
_PLENTY = 150_000_000

# What glibc calls them in malloc.h, and how much memory nobody uses it may hold.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 1 << 25

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def parsed(memory: int | str | None) -> int:
    """Return a number of bytes; None: a quarter of the machine's memory, at most two gigabytes.

    Raises WrongOptionType, and InvalidOption for what is no amount, or too little to work with.

    >>> parsed("64MB"), parsed("1.5 GiB"), parsed(100_000_000)
    (64000000, 1610612736, 100000000)
    """
    if memory is None:
        return max(LEAST, min(physical() // 4, _MOST))
    memory = number_of_bytes(memory, "memory")
    if memory < LEAST:
        raise InvalidOption(f'memory={memory:,} bytes are too few to count with; give "{LEAST // 10**6}MB" or more.')
    return memory


def number_of_bytes(amount: int | str, name: str) -> int:
    """Return how many bytes an amount is; ``name`` : what it is the amount of. Raises WrongOptionType, InvalidOption.

    >>> number_of_bytes("1.5kB", "part_size")
    1500
    """
    if isinstance(amount, bool) or not isinstance(amount, (int, str)):
        raise WrongOptionType(f'{name} must be a number of bytes or a str such as "2GB", got {amount!r}.')
    if isinstance(amount, int):
        return amount
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", amount)
    if not found or found[2].upper() not in _UNITS:
        raise InvalidOption(f'{name}={amount!r} is no amount of bytes. Say for example "64MB", "1.5GB" or "2GiB".')
    return int(float(found[1]) * _UNITS[found[2].upper()])


def for_work(memory: int) -> int:
    """How many bytes tables and buffers may take, so that the whole process stays below ``memory`` where it can.

    What the process holds already is taken off, but never more than half: so it grows by less than ``memory`` anyway.

    >>> for_work(100_000_000_000) > 90_000_000_000
    True
    """
    return max(memory - resident(), memory // 2)


@contextlib.contextmanager
def returned_early(memory: int) -> Iterator[None]:
    """Let pieces of memory go back to the system as soon as they are free, while the block runs, if there is little.

    memory : bytes for the work. The C library of Linux learns from what is freed, and soon keeps pieces of many
    megabytes for later; a text that is read in pieces then takes some forty megabytes more than is in use. To ask the
    system again and again takes half as much time again, so with plenty of memory nothing happens, and nothing
    elsewhere. What was learned before cannot be brought back; afterwards it is as in a process that has freed a few
    megabytes at once.

    >>> with returned_early(32_000_000):
    ...     len(bytes(1_000_000))
    1000000
    """
    set_option = _mallopt() if memory < _PLENTY else None
    if set_option is None:
        yield
        return
    try:
        set_option(_MMAP_THRESHOLD, 1 << 18)
        set_option(_TRIM_THRESHOLD, 1 << 19)
        yield
    finally:
        set_option(_MMAP_THRESHOLD, 1 << 22)
        set_option(_TRIM_THRESHOLD, 1 << 23)


def _mallopt() -> Callable[[int, int], object] | None:
    """The function of glibc, where it is the C library."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    # Others have no such function, or one that does nothing.
    return library.mallopt if hasattr(library, "gnu_get_libc_version") else None


def resident() -> int:
    """How many bytes of memory this process takes now; where nobody can say, the most it has ever taken.

    >>> resident() > 1_000_000
    True
    """
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return _resident_on_windows()
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def physical() -> int:
    """How many bytes of memory this machine has, or the container that the process lives in.

    >>> physical() > 100_000_000
    True
    """
    if sys.platform == "win32":
        return _physical_on_windows()
    amounts = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in _LIMITS:
        try:
            amounts.append(int(Path(limit).read_bytes()))
        except (OSError, ValueError):
            # No container, or one with the word "max".
            continue
    return min(amount for amount in amounts if amount > 0)


def keep_buffers() -> bool:
    """Let glibc keep buffers that are freed and asked for again at once; return whether it was told to.

    By itself it learns which sizes these are. MALLOC_TRIM_THRESHOLD_ in the environment ends that, and Dask gives this
    to its workers: each buffer of a text on its way, some megabytes, then comes from the system, page by page, and goes
    back. That takes as long as counting what is in it. What is kept is at most _KEPT bytes.

    >>> keep_buffers() in (True, False)
    True
    """
    if sys.platform != "linux" or "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return False
    say = _mallopt()
    return say is not None and bool(say(_MMAP_THRESHOLD, _KEPT // 4) and say(_TRIM_THRESHOLD, _KEPT))


def _resident_on_windows() -> int:
    sizes = ("peak", "now", "a", "b", "c", "d", "file", "most_file")
    kinds = [("size", ctypes.c_uint32), ("faults", ctypes.c_uint32), *((name, ctypes.c_size_t) for name in sizes)]
    counters = type("Counters", (ctypes.Structure,), {"_fields_": kinds})()
    counters.size = ctypes.sizeof(counters)
    windows = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    windows.GetCurrentProcess.restype = ctypes.c_void_p
    ask = windows.K32GetProcessMemoryInfo
    ask.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    ask(windows.GetCurrentProcess(), ctypes.byref(counters), counters.size)
    return int(counters.now)


def _physical_on_windows() -> int:
    sizes = ("physical", "free", "pages", "free_pages", "addresses", "free_addresses", "more")
    kinds = [("size", ctypes.c_uint32), ("load", ctypes.c_uint32), *((name, ctypes.c_uint64) for name in sizes)]
    status = type("Status", (ctypes.Structure,), {"_fields_": kinds})()
    status.size = ctypes.sizeof(status)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined,unused-ignore]
    return int(status.physical)
