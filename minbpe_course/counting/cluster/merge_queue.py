"""Results for consecutive parts of a corpus that wait for their neighbours, so that they can become one.

    parts     0 1 2 3 4 5 6 7 8 9 ...
    waiting   [-----] [-] [-]   [-]        0..2 were merged before; 5 and 8 are still at work
    merged    when FAN_IN of the same age stand side by side, or when they are large enough together
    stored    when one is large enough, when it has no neighbour left, when too much is waiting, or when too few come

It is a binary counter, only with a greater base: whatever is in a result was merged as often as the logarithm of the
number of parts says. Parts may finish in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

FAN_IN = 16


@dataclass(frozen=True)
class Stretch:
    """The result for the parts ``first`` .. ``last``: where it is held, how many bytes it has, how often merged."""

    first: int
    last: int
    size: int
    held: Any
    age: int = 0


class Neighbours:
    """Takes results, and says which are to be merged with each other and which are to be stored.

    parts : the numbers of all parts that are still to come. limit : bytes from which a result is stored and no more
    merged; what is merged at once is less than twice as much. most : bytes that may wait. alone : parts that do not
    join the one before, since something lies between.

    >>> waiting = Neighbours(range(4), limit=100, most=1000, fan_in=2)
    >>> waiting.add(Stretch(0, 0, 10, "a"))
    >>> waiting.add(Stretch(1, 1, 10, "b"))
    >>> [[one.held for one in together] for together in waiting.merges()], list(waiting.stores())
    ([['a', 'b']], [])
    """

    def __init__(
        self, parts: Iterable[int], *, limit: int, most: int, fan_in: int = FAN_IN, alone: Iterable[int] = ()
    ) -> None:
        # Parts of which no result is waiting: not yet counted, being counted, or being merged.
        self._out = set(parts)
        self._limit, self._most, self._fan_in = limit, most, fan_in
        self._alone = frozenset(alone)
        self._by_first: dict[int, Stretch] = {}
        self._by_last: dict[int, Stretch] = {}
        self._ready: list[Stretch] = []
        self._touched: list[int] = []
        self._coming: int | None = None

    def __len__(self) -> int:
        return len(self._by_first) + len(self._ready)

    def waiting(self) -> list[Stretch]:
        """What waits, in no order."""
        return [*self._by_first.values(), *self._ready]

    def add(self, stretch: Stretch) -> None:
        """Take a result, which waits from now on."""
        self._out.difference_update(range(stretch.first, stretch.last + 1))
        if stretch.size >= self._limit:
            self._ready.append(stretch)
            self._touch_beside(stretch)
        else:
            self._by_first[stretch.first] = self._by_last[stretch.last] = stretch
            self._touched.append(stretch.first)

    def expect(self, coming: int | None) -> None:
        """Say how many results are still to come at most; None when nobody knows.

        Where they and what waits are too few to be merged, nothing waits for them any more.
        """
        self._coming = coming
        if self._few_left():
            self._touched += self._by_first

    def clear(self) -> list[Stretch]:
        """Give back everything that is waiting: it is lost, and its parts will come again."""
        gone = self.waiting()
        self._by_first, self._by_last, self._ready, self._touched = {}, {}, [], []
        for stretch in gone:
            self._out.update(range(stretch.first, stretch.last + 1))
        return gone

    def merges(self) -> Iterator[list[Stretch]]:
        """Yield neighbours that are to become one; they wait no more, and their sum is to be added."""
        while self._touched:
            stretch = self._by_first.get(self._touched.pop())
            if stretch is None:
                continue
            chain = self._chain(stretch)
            together = self._of_one_age(stretch, chain)
            if not together and self._closed(chain):
                together = self._few(chain)
                if len(together) < self._fan_in:
                    # Nobody will ever come to stand beside them.
                    for one in chain:
                        self._take(one)
                    self._ready += chain
                    continue
            if len(together) > 1:
                for one in together:
                    self._take(one)
                    self._out.update(range(one.first, one.last + 1))
                yield together

    def stores(self) -> Iterator[Stretch]:
        """Yield what is to be stored, and waits no more: ask ``merges`` first."""
        while self._ready:
            yield self._ready.pop(0)
        while self._by_first and sum(one.size for one in self._by_first.values()) > self._most:
            largest = max(self._by_first.values(), key=lambda one: one.size)
            self._take(largest)
            self._touch_beside(largest)
            yield largest

    def _touch_beside(self, stretch: Stretch) -> None:
        """Neighbours that waited for it may now have nobody else to wait for."""
        for other in (self._by_last.get(stretch.first - 1), self._by_first.get(stretch.last + 1)):
            if other is not None:
                self._touched.append(other.first)

    def _take(self, stretch: Stretch) -> None:
        del self._by_first[stretch.first], self._by_last[stretch.last]

    def _chain(self, stretch: Stretch) -> list[Stretch]:
        """All that wait side by side with it."""
        chain = [stretch]
        while chain[0].first not in self._alone and (before := self._by_last.get(chain[0].first - 1)) is not None:
            chain.insert(0, before)
        while (number := chain[-1].last + 1) not in self._alone and (behind := self._by_first.get(number)) is not None:
            chain.append(behind)
        return chain

    def _of_one_age(self, stretch: Stretch, chain: list[Stretch]) -> list[Stretch]:
        """Neighbours of the same age, if they are enough."""
        at = chain.index(stretch)
        begin, end = at, at + 1
        while begin and chain[begin - 1].age == stretch.age:
            begin -= 1
        while end < len(chain) and chain[end].age == stretch.age:
            end += 1
        together = self._few(chain[begin:end])
        enough = len(together) == self._fan_in or sum(one.size for one in together) >= self._limit
        return together if enough else []

    def _few(self, chain: list[Stretch]) -> list[Stretch]:
        """The first of a chain, no more than are merged at once."""
        size = number = 0
        for one in chain:
            if number == self._fan_in or size >= self._limit:
                break
            size += one.size
            number += 1
        return chain[:number]

    def _closed(self, chain: list[Stretch]) -> bool:
        """Whether what stands on both sides of a chain will never wait there, or in vain."""
        if self._few_left():
            return True
        first, behind = chain[0].first, chain[-1].last + 1
        before_comes = first - 1 in self._out and first not in self._alone
        behind_comes = behind in self._out and behind not in self._alone
        return not before_comes and not behind_comes

    def _few_left(self) -> bool:
        return self._coming is not None and self._coming + len(self._by_first) < self._fan_in
