"""The number of threads of a call, the meaning of ``num_threads`` everywhere, and work shared among them in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from numbers import Real
from typing import TypeVar

from minbpe_course.errors import InvalidOption

Work = TypeVar("Work")
Done = TypeVar("Done")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_of(num_threads: float | None) -> int:
    """Return ``num_threads`` as a whole number, or one thread for each core when it is None.

    Raises InvalidOption for anything but a number from 1 up.

    >>> threads_of(2), threads_of(None) == cores()
    (2, True)
    """
    if num_threads is None:
        return cores()
    if not isinstance(num_threads, Real):
        raise InvalidOption(f"num_threads is a number or None, got {num_threads!r:.80}.")
    # Not ``<= 0``, which would accept NaN.
    if not num_threads > 0:
        raise InvalidOption(f"num_threads must be at least 1, got {num_threads!r}; None takes every core.")
    # No system starts more threads than that; it also makes infinity a whole number.
    return max(1, int(min(float(num_threads), 1 << 16)))


def in_order(work: Callable[[Work], Done], pieces: Iterable[Work], jobs: int) -> Iterator[Done]:
    """Yield ``work(piece)`` for each piece, in order, with at most two pieces in memory for each of ``jobs`` threads.

    An error is raised at its place in the order, after the results before it.
    """
    if jobs == 1:
        yield from map(work, pieces)
        return
    waiting: deque[Future[Done]] = deque()
    source = iter(pieces)
    problem: Exception | None = None
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                try:
                    waiting.append(pool.submit(work, next(source)))
                except StopIteration:
                    break
                except Exception as error:
                    problem = error
                    break
                if len(waiting) == 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()
    if problem is not None:
        raise problem
