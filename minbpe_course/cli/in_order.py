"""Work shared out among threads: results in the order of the work, and never more of it in hand than needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Work = TypeVar("Work")
Done = TypeVar("Done")


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
