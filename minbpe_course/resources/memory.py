"""How much memory a work may take: said in words, and seen by the operating system.

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

from minbpe_course.errors import InvalidOption

# A process that has loaded Numba and its kernels holds more than this by itself; counting needs a few buffers.
LEAST = 16_000_000

# The default is a quarter of the machine's memory, and at most this.
_MOST = 2_000_000_000

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _UNITS |= {f"{_letter}": 1000**_power, f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}

# With at least this much for the work, the memory that the C library keeps does not matter.
_PLENTY = 150_000_000

# Options of glibc's mallopt (malloc.h), and how much free memory it may keep.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 1 << 25

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def parsed(memory: int | str | None) -> int:
    """Return a number of bytes; None: a quarter of the machine's memory, at most two gigabytes.

    Raises InvalidOption for a value that is not an amount or is too small to work with.

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
    """Return an amount as a number of bytes; name : of the option. Raises InvalidOption.

    >>> number_of_bytes("1.5kB", "part_size")
    1500
    """
    if isinstance(amount, bool) or not isinstance(amount, (int, str)):
        raise InvalidOption(f'{name} must be a number of bytes or a str such as "2GB", got {amount!r}.')
    if isinstance(amount, int):
        return amount
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", amount)
    if not found or found[2].upper() not in _UNITS:
        raise InvalidOption(f'{name}={amount!r} is no amount of bytes. Say for example "64MB", "1.5GB" or "2GiB".')
    return int(float(found[1]) * _UNITS[found[2].upper()])


def for_work(memory: int) -> int:
    """Return how many bytes tables and buffers may take, so that the process stays below ``memory`` if possible.

    The memory that the process already uses is subtracted, but never more than half of ``memory``.
    """
    return max(memory - resident(), memory // 2)


@contextlib.contextmanager
def returned_early(memory: int) -> Iterator[None]:
    """Return freed memory to the system at once while the block runs, if ``memory``, the bytes for the work, is small.

    glibc adapts to the sizes that are freed and soon keeps many megabytes for later; a text that is read in pieces then
    takes some forty megabytes more than it uses. Returning memory at once takes half as much time again, so nothing
    happens with plenty of memory, or with another C library. Afterwards the thresholds are those of a process that has
    freed a few megabytes.
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
    """Return mallopt if the C library is glibc."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    # Other libraries have no such function, or one that does nothing.
    return library.mallopt if hasattr(library, "gnu_get_libc_version") else None


def resident() -> int:
    """Return how many bytes of memory this process uses now, or, where that is unknown, the most it has used."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return _resident_on_windows()
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def physical() -> int:
    """Return how many bytes of memory this machine has, or the container of the process."""
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
    """Make glibc keep up to _KEPT bytes of freed buffers for reuse; return whether its thresholds were changed.

    glibc adapts its thresholds by itself, unless MALLOC_TRIM_THRESHOLD_ is set, as in the workers of Dask. Then each
    buffer of some megabytes is mapped page by page and returned, which takes as long as counting its words.
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
