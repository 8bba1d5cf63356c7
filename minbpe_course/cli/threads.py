"""Share work among threads: results in the order of the work, and a bounded number of pieces in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from minbpe_course.errors import InvalidOption
from minbpe_course.resources.threads import cores

# One thread reads and writes for all of them and cannot keep more busy; each has its own tables.
MOST_THREADS = 8

Work = TypeVar("Work")
Done = TypeVar("Done")


def threads(asked: int) -> int:
    """Return the number of threads: ``asked``, or one for each core, at most MOST_THREADS. Raises InvalidOption."""
    if asked < 0:
        raise InvalidOption(f"--jobs {asked}: a number of threads is 1 or more.")
    return asked or min(cores(), MOST_THREADS)


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
