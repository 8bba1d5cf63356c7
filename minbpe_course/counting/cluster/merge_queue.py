"""A queue of results for consecutive parts of a corpus, which wait until adjacent ones can be merged.

    parts     0 1 2 3 4 5 6 7 8 9 ...
    waiting   [-----] [-] [-]   [-]        0..2 were merged before; 5 and 8 are not finished yet
    merged    when FAN_IN adjacent ones have the same age, or when they are large enough together
    stored    when one is large enough or has nothing left to wait for, and when too much is waiting

This is a binary counter with a larger base: no result is merged more often than the logarithm of the number of parts.
Parts may finish in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

FAN_IN = 16


@dataclass(frozen=True)
class Result:
    """The result for the parts ``first`` .. ``last``: its bytes, where it is held, and how often it was merged."""

    first: int
    last: int
    size: int
    held: Any
    age: int = 0


class MergeQueue:
    """Takes results, and decides which of them to merge and which to store.

    parts : the numbers of all parts that are still to come. limit : bytes from which a result is stored instead of
    merged; a merge has less than twice as many. most : bytes that may wait. alone : parts that must not be merged with
    the part before, because something else comes between them.

    >>> queue = MergeQueue(range(4), limit=100, most=1000, fan_in=2)
    >>> queue.add(Result(0, 0, 10, "a"))
    >>> queue.add(Result(1, 1, 10, "b"))
    >>> [[one.held for one in together] for together in queue.merges()], list(queue.stores())
    ([['a', 'b']], [])
    """

    def __init__(
        self, parts: Iterable[int], *, limit: int, most: int, fan_in: int = FAN_IN, alone: Iterable[int] = ()
    ) -> None:
        # Parts without a waiting result: not yet counted, being counted, or being merged.
        self._out = set(parts)
        self._limit, self._most, self._fan_in = limit, most, fan_in
        self._alone = frozenset(alone)
        self._by_first: dict[int, Result] = {}
        self._by_last: dict[int, Result] = {}
        self._ready: list[Result] = []
        # The first parts of results whose situation has changed.
        self._touched: list[int] = []
        self._coming: int | None = None

    def __len__(self) -> int:
        return len(self._by_first) + len(self._ready)

    def waiting(self) -> list[Result]:
        """Return the waiting results in no particular order."""
        return [*self._by_first.values(), *self._ready]

    def add(self, result: Result) -> None:
        """Add a result to those that wait."""
        self._out.difference_update(range(result.first, result.last + 1))
        if result.size >= self._limit:
            self._ready.append(result)
            self._touch_adjacent(result)
        else:
            self._by_first[result.first] = self._by_last[result.last] = result
            self._touched.append(result.first)

    def expect(self, coming: int | None) -> None:
        """Set how many results are still to come at most; None for an unknown number.

        If too few are left for a merge, results stop waiting for each other.
        """
        self._coming = coming
        if self._few_left():
            self._touched += self._by_first

    def clear(self) -> list[Result]:
        """Remove and return all waiting results; their parts are expected again."""
        removed = self.waiting()
        self._by_first, self._by_last, self._ready, self._touched = {}, {}, [], []
        for result in removed:
            self._out.update(range(result.first, result.last + 1))
        return removed

    def merges(self) -> Iterator[list[Result]]:
        """Remove and yield groups of adjacent results to merge; ``add`` each merged result afterwards."""
        while self._touched:
            result = self._by_first.get(self._touched.pop())
            if result is None:
                continue
            chain = self._chain(result)
            together = self._of_one_age(result, chain)
            if not together and self._closed(chain):
                together = self._few(chain)
                if len(together) < self._fan_in:
                    # Nothing will ever come next to them.
                    for one in chain:
                        self._remove(one)
                    self._ready += chain
                    continue
            if len(together) > 1:
                for one in together:
                    self._remove(one)
                    self._out.update(range(one.first, one.last + 1))
                yield together

    def stores(self) -> Iterator[Result]:
        """Remove and yield the results to store; call ``merges`` first."""
        while self._ready:
            yield self._ready.pop(0)
        while self._by_first and sum(one.size for one in self._by_first.values()) > self._most:
            largest = max(self._by_first.values(), key=lambda one: one.size)
            self._remove(largest)
            self._touch_adjacent(largest)
            yield largest

    def _touch_adjacent(self, result: Result) -> None:
        """Have the adjacent results examined again: they may have nothing left to wait for."""
        for other in (self._by_last.get(result.first - 1), self._by_first.get(result.last + 1)):
            if other is not None:
                self._touched.append(other.first)

    def _remove(self, result: Result) -> None:
        del self._by_first[result.first], self._by_last[result.last]

    def _chain(self, result: Result) -> list[Result]:
        """Return the waiting results that are adjacent to each other, around this one."""
        chain = [result]
        while chain[0].first not in self._alone and (before := self._by_last.get(chain[0].first - 1)) is not None:
            chain.insert(0, before)
        while (number := chain[-1].last + 1) not in self._alone and (after := self._by_first.get(number)) is not None:
            chain.append(after)
        return chain

    def _of_one_age(self, result: Result, chain: list[Result]) -> list[Result]:
        """Return adjacent results of the same age if they are enough for a merge."""
        at = chain.index(result)
        begin, end = at, at + 1
        while begin and chain[begin - 1].age == result.age:
            begin -= 1
        while end < len(chain) and chain[end].age == result.age:
            end += 1
        together = self._few(chain[begin:end])
        enough = len(together) == self._fan_in or sum(one.size for one in together) >= self._limit
        return together if enough else []

    def _few(self, chain: list[Result]) -> list[Result]:
        """Return the first results of a chain, no more than are merged at once."""
        size = number = 0
        for one in chain:
            if number == self._fan_in or size >= self._limit:
                break
            size += one.size
            number += 1
        return chain[:number]

    def _closed(self, chain: list[Result]) -> bool:
        """Whether no result will come next to a chain that could be merged with it."""
        if self._few_left():
            return True
        first, following = chain[0].first, chain[-1].last + 1
        before_comes = first - 1 in self._out and first not in self._alone
        after_comes = following in self._out and following not in self._alone
        return not before_comes and not after_comes

    def _few_left(self) -> bool:
        return self._coming is not None and self._coming + len(self._by_first) < self._fan_in
