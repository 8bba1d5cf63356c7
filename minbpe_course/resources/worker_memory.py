"""One bound for the memory of all encoding threads, for any number of threads and encodings.

    a worker needs memory  -->  within the bound    it gets it
                           -->  over the bound      workers that no call uses are dropped, then it gets it
                           -->  all are in use      it works with what it has, more slowly

Calls that find a worker waiting never come here. There is no lock, so that a ``__del__`` that encodes, or a fork, never
finds one taken: sizes are entered before they are compared with the bound, and each step is one operation of a dict or
a list.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from minbpe_course.errors import InvalidOption
from minbpe_course.resources.memory import number_of_bytes

LEAST = 1_000_000


class WorkerMemory:
    """The bytes of every worker, and the lists of those that no call uses.

    >>> class Worker: pass
    >>> memory, old, new = WorkerMemory(100), Worker(), Worker()
    >>> tickets = memory.ticket(old, 60), memory.ticket(new, 30)
    >>> memory.grant(tickets[1], 20), memory.free()
    (False, 10)
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._sizes: dict[weakref.ref[Any], int] = {}
        self._idle: dict[weakref.ref[Any], list[Any]] = {}

    def lend(self, engine: Any, idle: list[Any]) -> None:
        """Note the list in which an engine has its unused workers; the one at its end was used last."""
        self._idle[weakref.ref(engine, self._idle.pop)] = idle

    def ticket(self, worker: Any, size: int) -> weakref.ref[Any]:
        """Enter a worker of ``size`` bytes, until it is deleted; return what to name it by."""
        ticket = weakref.ref(worker, self._sizes.pop)
        self._sizes[ticket] = size
        self.make_room()
        return ticket

    def set(self, ticket: weakref.ref[Any], size: int) -> None:
        """Enter the size of a worker that has changed."""
        self._sizes[ticket] = size

    def grant(self, ticket: weakref.ref[Any], more: int) -> bool:
        """Return whether a worker may take ``more`` bytes, and enter them if so."""
        self._sizes[ticket] += more
        if self.make_room():
            return True
        self._sizes[ticket] -= more
        return False

    def free(self) -> int:
        """Return how many bytes are left within the bound; below 0 where workers in use take more."""
        return self.bound - sum(self._sizes.values())

    def make_room(self) -> bool:
        """Drop unused workers while all together take more than the bound; return whether they no longer do."""
        while self.free() < 0:
            # The engine whose unused workers take most; of these, the one that was not used for longest.
            idle = max(list(self._idle.values()), key=self._size_of, default=[])
            if not self._size_of(idle):
                return False
            with contextlib.suppress(IndexError):
                del idle[0]
        return True

    def _size_of(self, idle: list[Any]) -> int:
        return sum(self._sizes.get(worker.ticket, 0) for worker in list(idle))


WORKER_MEMORY = WorkerMemory(256_000_000)


def set_worker_memory(memory: int | str) -> None:
    """Set how much memory the encoding threads of this process may take, all of them together; at first "256MB".

    Each call that encodes borrows a worker: buffers, and a cache of the words that it has met. Over the bound, workers
    that no call uses are dropped and the caches of the others stop growing, so that encoding takes longer; ids never
    depend on it. A call that runs keeps a few hundred kilobytes, and what its text needs, in any case.

    memory : a number of bytes, or a str such as "128MB". Raises InvalidOption for anything else, and below a megabyte.

    >>> set_worker_memory("256MB")
    """
    bound = number_of_bytes(memory, "memory")
    if bound < LEAST:
        raise InvalidOption(f'memory={bound:,} bytes are too few to encode with; give "{LEAST // 10**6}MB" or more.')
    WORKER_MEMORY.bound = bound
    WORKER_MEMORY.make_room()
