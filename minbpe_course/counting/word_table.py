"""The table in which words are counted: growing arrays, and the kernels of ``kernels.counting`` that fill them.

A table belongs to one thread. A table with a ceiling on its memory may be full in the middle of a text: it then calls
``full``, which has to ``take`` its words, and continues.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minbpe_course.counting.word_counts import Rows
from minbpe_course.kernels.common.memory import Block, zeros
from minbpe_course.splitting.blocks import TextBlock
from minbpe_course.splitting.splitter import Splitter, Words

# How many ends of words the splitter writes before these words are counted.
_ENDS = 1 << 14

# A table grows when this many eighths of its places are in use: with six look-ups are slower, four take more memory.
_USED = 5

# Bytes per place of the table while counting: its entry, and the used share of an 8-byte first place. When the words
# are taken, the same share of an address, an end, a count and 8 bytes of text comes on top.
_HELD, _TAKEN = 32 + _USED, 32 + _USED + 4 * _USED


class WordTable:
    """Distinct words with their counts, in the order first seen.

    words, arena : initial room, in words and in bytes of long words. ceiling : bytes of memory for the table and for
    the arrays that ``take`` returns, or None for no limit; a single word always fits, however long.

    >>> from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
    >>> table = WordTable(Splitter(GPT4_SPLIT_PATTERN))
    >>> table.add(TextBlock("low low lower", [0, 13]))
    >>> text, ends, counts, firsts = table.arrays()
    >>> text.tobytes(), ends.tolist(), counts.tolist(), firsts.tolist()
    (b'low low lower', [3, 7, 13], [1, 1, 1], [0, 3, 7])
    """

    def __init__(
        self, splitter: Splitter, *, words: int = 1 << 13, arena: int = 1 << 16, ceiling: int | None = None
    ) -> None:
        from minbpe_course.kernels.common import layout
        from minbpe_course.kernels.counting import counting

        self._kernel = counting
        self._ceiling = ceiling
        self._bytes = np.empty(0, dtype=np.uint8)
        # Keeps the arrays alive that the kernel reads, until it has finished.
        self._given: object = None
        # Bytes of the words given to the last ``add``.
        self.size = 0
        self._split, self._block = Block(layout.BLOCK), Block(counting.BLOCK)
        self._least = 2 << max(words - 1, 1).bit_length(), arena + counting.SLACK
        self._begin(*self._least)
        self._block.batch = np.empty(3 * counting.TOGETHER, dtype=np.uint64)
        self._block.split = self._split.address
        if splitter.cut_places is not None:
            splitter.prepare(self._split)
            self._block.splitter = self._split.splitter
            self._split.ends = np.empty(_ENDS + layout.SLACK, dtype=np.int64)
            self._split.room = _ENDS

    def __len__(self) -> int:
        return self._block.words

    def add(
        self,
        words: TextBlock | Words,
        place: int = 0,
        full: Callable[[WordTable], object] | None = None,
        weights: np.ndarray | None = None,
        numbers: np.ndarray | None = None,
    ) -> None:
        """Count words, splitting ``TextBlock`` first.

        place : how many bytes of counted text come before the first word. full : called with the table each time it is
        full, to ``take`` its words; without a ceiling it is never full. weights : int64, how often each of ``Words``
        occurs, by default once · numbers : uint32, filled with the number of each of
        ``Words``: its place in the order first seen. Raises InvalidText, having counted nothing.
        """
        if isinstance(words, Words):
            self._add_run(words, place)
        else:
            self._add_stretches(words, place)
        count, given = self._kernel.count_words, list[int]()
        if weights is not None or numbers is not None:
            count = self._kernel.count_numbered
            given = [0 if array is None else array.ctypes.data for array in (weights, numbers)]
        while reason := count(self._block.address, *given):
            if not (self._grow_table() if reason == self._kernel.NEEDS_TABLE else self._grow_arena()):
                assert full is not None, "a table with a ceiling needs ``full``"
                full(self)
        self._given = None

    def occurrences(self) -> int:
        """Return how many words were counted."""
        return int(self._block.kept["table"].view(np.int64)[2::4].sum())

    def nearly_full(self) -> bool:
        """Return whether the table is nearly full: a good time to take its words, between two texts."""
        if self._ceiling is None or len(self) == 0:
            return False
        places, arena, block = self._places, self._block.size, self._block
        return (4 * len(self) > 3 * block.room and not self._fits(2 * places, arena)) or (
            4 * block.used > 3 * arena and not self._fits(places, arena + arena // 4)
        )

    def take(self) -> Rows:
        """Return the words, as ``arrays`` does, and empty the table; its memory goes back to the system."""
        places, arena = self._places, self._block.size
        if not self._fits(places, arena):
            # A single long word was larger than the ceiling. The next ones need less.
            places, arena = self._least
        taken = self._words()
        # Freed before new memory is allocated. Another thread may read these meanwhile, to report progress.
        self._block.table = self._block.arena = np.empty(0, dtype=np.uint8)
        self._block.firsts = np.empty(0, dtype=np.int64)
        self._begin(places, arena)
        return taken

    def _begin(self, places: int, arena: int) -> None:
        """Become an empty table with this many places, and an arena of this many bytes."""
        block = self._block
        block.words = block.bytes = block.used = 0
        self._set_table(self._memory(places * self._kernel.ENTRY, np.uint8, np.zeros), places)
        self._set_arena(self._memory(arena, np.uint8))

    def _set_table(self, table: np.ndarray, places: int) -> None:
        block = self._block
        firsts = self._memory(_room(places), np.int64)
        if len(self):
            firsts[: len(self)] = self.firsts()
        block.table, block.mask, block.firsts, block.room = table, places - 1, firsts, _room(places)

    def _set_arena(self, arena: np.ndarray) -> None:
        self._block.arena, self._block.size = arena, arena.size

    @property
    def _places(self) -> int:
        return self._block.mask + 1

    def _memory(self, size: int, kind: type, make: Callable[..., np.ndarray] = np.empty) -> np.ndarray:
        """Allocate an array; with a ceiling, a large one goes back to the system as soon as it is no longer used."""
        return make(size, dtype=kind) if self._ceiling is None else zeros(size * np.dtype(kind).itemsize).view(kind)

    def _fits(self, places: int, arena: int) -> bool:
        """Return whether growing to this size, and taking the words afterwards, stays below the ceiling."""
        if self._ceiling is None:
            return True
        made = _HELD * places * (places != self._places) + arena * (arena != self._block.size)
        growing = _HELD * self._places + self._block.size + made
        return max(growing, _TAKEN * places + 2 * arena) <= self._ceiling

    def _add_stretches(self, stretches: TextBlock, place: int) -> None:
        room = stretches.room()
        if self._bytes.size < room:
            self._bytes = np.empty(room, dtype=np.uint8)
        borders, self.size = stretches.write_utf8(self._bytes)
        begin = self._bytes.ctypes.data
        self._split.limit = begin + self._bytes.size
        block = self._block
        block.stretches, block.left, block.ends, block.next, block.number = (
            borders, borders.size // 2, self._split.ends, 0, 0
        )  # fmt: skip
        block.shift = place - begin

    def _add_run(self, run: Words, place: int) -> None:
        base = run.text.ctypes.data
        ends = run.ends[: run.number] + base
        block, self._given, self.size = self._block, run, run.size()
        block.begin, block.ends, block.next, block.number, block.left = base + run.start, ends, 0, run.number, 0
        block.shift = place - base - run.start

    def add_words(self, other: WordTable, entries: np.ndarray, start: int, stop: int) -> None:
        """Add the words ``start`` .. ``stop`` of another table with their counts; ``entries`` : its ``entries()``."""
        while start < stop:
            start += self._kernel.add_words(self._block.address, other._block.address, entries.ctypes.data, start, stop)
            if start < stop and len(self) == self._block.room:
                self._grow_table()
            elif start < stop:
                self._grow_arena()

    def firsts(self) -> np.ndarray:
        """Return the first place of each word, in the order first seen; valid until the next word is counted."""
        return self._block.kept["firsts"][: len(self)]

    def entries(self) -> np.ndarray:
        """Return the address of each word's entry, in the order first seen; valid until the next word is counted."""
        entries = self._memory(len(self), np.int64)
        self._kernel.find_entries(self._block.address, entries.ctypes.data)
        return entries

    def arrays(self) -> Rows:
        """Return a copy of the words so far, in the order first seen."""
        return self._words()._replace(firsts=self.firsts().copy())

    def _words(self) -> Rows:
        entries = self.entries()
        size = self._block.bytes
        text = self._memory(size + self._kernel.SLACK, np.uint8)
        ends, counts = (self._memory(len(self), np.int64) for _ in range(2))
        places = [array.ctypes.data for array in (entries, text, ends, counts)]
        self._kernel.write_words(self._block.address, *places)
        return Rows(text[:size], ends, counts, self.firsts())

    def _grow_table(self) -> bool:
        """Enlarge the table unless the ceiling forbids it; return whether it did."""
        old = self._places
        size = 4 * old if len(self) < 1 << 16 and self._fits(4 * old, self._block.size) else 2 * old
        if len(self) and not self._fits(size, self._block.size):
            return False
        table = self._memory(size * self._kernel.ENTRY, np.uint8, np.zeros)
        self._kernel.move_words(self._block.address, table.ctypes.data, size)
        self._set_table(table, size)
        return True

    def _grow_arena(self) -> bool:
        """Enlarge the arena, as ``_grow_table`` does the table."""
        old, wanted, used = self._block.size, self._block.wanted, self._block.used
        sizes = [2 * old + wanted, old + old // 4 + wanted]
        size = next((size for size in sizes if self._fits(self._places, size)), sizes[-1])
        if len(self) and not self._fits(self._places, size):
            return False
        arena = self._memory(size, np.uint8)
        arena[:used] = self._block.kept["arena"][:used]
        self._set_arena(arena)
        return True


def _room(places: int) -> int:
    """Return how many words a table with this many places may hold."""
    return places * _USED // 8
