"""The table in which words are counted: the arrays of ``kernels.counting``, which grow, and the calls that fill them.

One table belongs to one thread. Several are joined word by word, in the order in which the words stand in the text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.corpus.words import Splitter, Words, utf8
from minbpe_course.text import unicode_tables

# How many words' ends are written before these words are counted.
_ENDS = 1 << 14


class Stretches(NamedTuple):
    """Parts of a text that are split on their own: ``text[places[0]:places[1]]``, ``text[places[2]:places[3]]``, ...

    ``joined`` says that several texts were put together to this one.
    """

    text: str
    places: list[int]
    joined: bool = False


class WordTable:
    """Distinct words with their counts, in the order first seen.

    >>> from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
    >>> table = WordTable(Splitter(GPT4_SPLIT_PATTERN))
    >>> table.add(Stretches("low low lower", [0, 13]))
    >>> text, ends, counts = table.arrays()
    >>> text.tobytes(), ends.tolist(), counts.tolist()
    (b'low low lower', [3, 7, 13], [1, 1, 1])
    """

    def __init__(self, splitter: Splitter, *, words: int = 1 << 13, arena: int = 1 << 16) -> None:
        from minbpe_course.kernels import counting, split

        self._kernel = counting
        size = 2 << max(words - 1, 1).bit_length()
        self._table = np.zeros(size * counting.ENTRY, dtype=np.uint8)
        self._arena = np.empty(arena + counting.SLACK, dtype=np.uint8)
        self._batch = np.empty(3 * counting.TOGETHER, dtype=np.uint64)
        self._ends = np.empty(_ENDS + split.SLACK, dtype=np.int64)
        self._bytes = np.empty(0, dtype=np.uint8)
        self._split = np.zeros(split.BLOCK, dtype=np.int64)
        self._block = np.zeros(counting.BLOCK, dtype=np.int64)
        self._set(
            TABLE=self._table.ctypes.data,
            MASK=size - 1,
            ROOM=size // 2,
            ARENA=self._arena.ctypes.data,
            SIZE=self._arena.size,
            BATCH=self._batch.ctypes.data,
            SPLIT=self._split.ctypes.data,
        )
        if splitter.family is not None:
            # Held here, since the kernel only knows where it lies.
            self._classes = unicode_tables.character_classes(splitter.engine)
            self._set(SPLITTER=split.split_words.address)
            self._split[split.FAMILY // 8] = splitter.family
            self._split[split.CLASSES // 8] = self._classes.ctypes.data
            self._split[split.ENDS // 8] = self._ends.ctypes.data
            self._split[split.ROOM // 8] = _ENDS

    def __len__(self) -> int:
        return self._get("WORDS")

    def add(self, words: Stretches | Words) -> None:
        """Count words, after splitting them where that is not done. Raises InvalidText, having counted nothing."""
        if isinstance(words, Words):
            self._add_run(words)
        else:
            self._add_stretches(words)

    def _add_stretches(self, stretches: Stretches) -> None:
        from minbpe_course.kernels import split
        from minbpe_course.kernels.utf8 import room_for, write_utf8

        text, places, joined = stretches
        borders = np.array(places, dtype=np.int64)
        number = len(places) // 2
        characters = int(borders[1::2].sum() - borders[0::2].sum())
        room = room_for(text, characters) + split.AHEAD
        if self._bytes.size < room:
            self._bytes = np.empty(room, dtype=np.uint8)
        begin = self._bytes.ctypes.data
        if write_utf8(text, borders.ctypes.data, number, begin) < 0:
            # What raises names the place of the surrogate in the text that the caller knows.
            for start, stop in zip(places[0::2], places[1::2]):
                utf8(text[start:stop] if joined else text)
        self._split[split.LIMIT // 8] = begin + self._bytes.size
        self._set(STRETCHES=borders.ctypes.data, LEFT=number, ENDS=self._ends.ctypes.data, NEXT=0, NUMBER=0)
        self._count()

    def _add_run(self, run: Words) -> None:
        base = run.text.ctypes.data
        ends = run.ends[: run.number] + base
        self._set(BEGIN=base + run.start, ENDS=ends.ctypes.data, NEXT=0, NUMBER=run.number, LEFT=0)
        self._count()

    def add_words(self, other: WordTable, entries: np.ndarray, start: int, stop: int) -> None:
        """Count the words ``start`` .. ``stop`` of another table, whose ``entries`` are given, as often as there."""
        while start < stop:
            start += self._kernel.add_words(
                self._block.ctypes.data, other._block.ctypes.data, entries.ctypes.data, start, stop
            )
            if start < stop and len(self) == self._get("ROOM"):
                self._grow_table()
            elif start < stop:
                self._grow_arena()

    def entries(self) -> np.ndarray:
        """Where the entry of each word lies, in the order first seen; valid until the next word is counted."""
        entries = np.empty(len(self), dtype=np.int64)
        self._kernel.find_entries(self._block.ctypes.data, entries.ctypes.data)
        return entries

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The words end to end, uint8; one past each word, int64; how often each occurs, int64."""
        entries = self.entries()
        text = np.empty(self._get("BYTES") + self._kernel.SLACK, dtype=np.uint8)
        ends, counts = (np.empty(len(self), dtype=np.int64) for _ in range(2))
        places = [array.ctypes.data for array in (entries, text, ends, counts)]
        self._kernel.write_words(self._block.ctypes.data, *places)
        return text[: self._get("BYTES")], ends, counts

    def _count(self) -> None:
        while reason := self._kernel.count_words(self._block.ctypes.data):
            if reason == self._kernel.NEEDS_TABLE:
                self._grow_table()
            else:
                self._grow_arena()

    def _grow_table(self) -> None:
        size = 4 * (self._get("MASK") + 1) if len(self) < 1 << 16 else 2 * (self._get("MASK") + 1)
        table = np.zeros(size * self._kernel.ENTRY, dtype=np.uint8)
        self._kernel.move_words(self._block.ctypes.data, table.ctypes.data, size)
        self._table = table
        self._set(TABLE=table.ctypes.data, MASK=size - 1, ROOM=size // 2)

    def _grow_arena(self) -> None:
        arena = np.empty(2 * self._arena.size + self._get("WANTED"), dtype=np.uint8)
        used = self._get("USED")
        arena[:used] = self._arena[:used]
        self._arena = arena
        self._set(ARENA=arena.ctypes.data, SIZE=arena.size)

    def _get(self, place: str) -> int:
        return int(self._block[getattr(self._kernel, place) // 8])

    def _set(self, **values: int) -> None:
        for place, value in values.items():
            self._block[getattr(self._kernel, place) // 8] = value
