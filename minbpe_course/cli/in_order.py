"""Work shared out among threads: results in the order of the work, and never more of it in hand than needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from minbpe_course.errors import InvalidOption
from minbpe_course.resources.threads import cores

# One thread reads and writes for all of them, and keeps no more busy; each has tables of its own.
MOST = 8

Work = TypeVar("Work")
Done = TypeVar("Done")


def threads(asked: int) -> int:
    """Return how many threads work: as many as asked for, or what the machine has, up to MOST. Raises InvalidOption.

    >>> threads(3), threads(0) <= MOST
    (3, True)
    """
    if asked < 0:
        raise InvalidOption(f"--jobs is how many threads work, 1 or more, and not {asked}.")
    return asked or min(cores(), MOST)


def in_order(work: Callable[[Work], Done], pieces: Iterable[Work], jobs: int) -> Iterator[Done]:
    """Yield ``work(piece)`` for each piece, in order; at most two pieces for each of ``jobs`` threads are in hand.

    What goes wrong is raised where it stands in the order: what comes before it has been yielded.

    >>> list(in_order(str.upper, ["a", "b"], 2))
    ['A', 'B']
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
