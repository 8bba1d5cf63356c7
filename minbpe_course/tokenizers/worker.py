"""What one thread encodes with: a block of addresses, its caches, its scratch. Workers are lent and given back.

The caches of a worker outlive the call: a word that one text has shown is known in the next. They begin small, with the
vocabulary in them, and grow with the number of words that they did not know.

    cache     32 bytes a word of up to 15 bytes       2^12 to 2^20 entries, by the size of the vocabulary at first
    long      32 bytes, and the text and ids of it    2^10 to 2^17 entries
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from minbpe_course.packing import TEXT_SLACK, Block, zeros
from minbpe_course.tokenizers.vocabulary_tables import VocabularyTables

MOST_ENTRIES, MOST_LONG_ENTRIES = 1 << 20, 1 << 17
ENTRY_BYTES, ARENA_BYTES_AN_ENTRY = 32, 96

# However small the arena is, the longest word that is noted, of 256 bytes and as many ids, fits behind its end.
ARENA_SLACK = 2048
NEVER = 1 << 62

# Words that the splitter hands over at a time.
ROOM = 256

# Ids that a text may have beyond one a byte: the kernels store four at a time.
OUT_SLACK = 4


class Tables(Protocol):
    """What a worker asks of a vocabulary's tables: addresses, and the words that its caches begin with."""

    block: Block
    words: np.ndarray


class Worker:
    """The state of one encoding thread: not to be used by two at a time.

    ``tables`` are shared, ``family`` and ``classes`` say how text is split (None: the words are given), ``objects`` is
    what ``kernels.lists.block`` gave.
    """

    def __init__(self, tables: Tables, family: int | None, classes: np.ndarray | None, objects: int = 0) -> None:
        from minbpe_course.kernels import encoding, layout, split

        self.tables = tables
        self.block = block = tables.block.copy()
        splitter = split.given_words if family is None else split.split_words
        block[layout.SPLITTER] = splitter.address
        block[layout.FAMILY] = -1 if family is None else family
        block[layout.CLASSES] = 0 if classes is None else classes
        block[layout.ENDS] = np.empty(ROOM + split.SLACK, dtype=np.int64)
        block[layout.ROOM] = ROOM
        block[layout.RECORDS] = np.empty((encoding.BATCH, 4), dtype=np.uint64)
        block[layout.KEY_MASKS] = _key_masks()
        block[layout.TAIL] = np.zeros(2 * TEXT_SLACK + 64, dtype=np.uint8)
        block[layout.ENCODER] = encoding.encode_text.address
        self.short_out = block[layout.SHORT_OUT] = np.empty(layout.SHORT_IDS, dtype=np.uint32)
        block[layout.OBJECTS] = objects
        self.address = block.address
        self._scratch(1 << 13)
        # Room for the vocabulary to begin with.
        self._entries = min(MOST_ENTRIES, max(1 << 12, 1 << len(tables.words).bit_length()))
        self.clear()

    def clear(self) -> None:
        """Forget every word but the vocabulary."""
        from minbpe_course.kernels import machine, word_cache

        block = self.block
        self._cache(self._entries)
        machine.run(word_cache.fill_cache.address, block.address)
        self._long(1 << 10)

    def place(self, begin: int, size: int) -> None:
        """Say where the text to encode lies."""
        from minbpe_course.kernels import layout

        block = self.block
        block[layout.AT] = begin
        block[layout.END] = block[layout.LIMIT] = begin + size

    def encode(self, out: np.ndarray) -> np.ndarray:
        """Encode the text that was placed; return its ids, in ``out`` if that is large enough.

        out : uint32, OUT_SLACK more than the text has bytes.
        """
        from minbpe_course.kernels import layout, machine

        block = self.block
        self._out = out
        block[layout.OUT], block[layout.OUT_END] = out, out.ctypes.data + out.nbytes
        while True:
            reason = machine.run(block[layout.ENCODER], block.address)
            if reason == layout.DONE:
                return self._filled()
            self.mend(reason)

    def encode_places(
        self, kernel: Callable[..., int], places: np.ndarray, begin: int, end: int, offsets: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Encode the texts ``begin`` to ``end`` of ``places`` one behind the other with ``kernels.calls.encode_many``;
        return their ids, in ``out`` if that is large enough. ``offsets[k + 1]`` becomes where those of text k end.
        """
        from minbpe_course.kernels import layout

        block = self.block
        self._out = out
        block[layout.OUT], block[layout.OUT_END] = out, out.ctypes.data + out.nbytes
        again = 0
        while True:
            first = self._out.ctypes.data
            begin = kernel(self.address, places.ctypes.data, begin, end, offsets.ctypes.data, first, again)
            if begin == end:
                return self._filled()
            self.mend(block[layout.REASON])
            again = 1

    def _filled(self) -> np.ndarray:
        """Take the ids out: the array they are in, cut to size."""
        from minbpe_course.kernels import layout

        out = self._out
        used = (self.block[layout.OUT] - out.ctypes.data) >> 2
        del self._out, self.block.kept[layout.OUT]
        if not out.flags.owndata:
            return out[:used]
        out.resize(used, refcheck=False)
        return out

    def encode_given(self, begin: int, ends: np.ndarray, limit: int, out: np.ndarray) -> np.ndarray:
        """As ``encode``, for words that are already split: each ends at ``begin`` plus one of ``ends``, int64[n].

        Bytes before the address ``limit``, 16 behind the last word or more, may be read.
        """
        from minbpe_course.kernels import layout, split

        block = self.block
        block[layout.GIVEN], block[layout.GIVEN_LEFT], block[layout.GIVEN_BASE] = ends, len(ends), begin
        block[layout.END] = begin + int(ends[-1]) if len(ends) else begin
        block[layout.AT], block[layout.LIMIT] = begin, limit
        splitter = block[layout.SPLITTER]
        block[layout.SPLITTER] = split.given_words.address
        try:
            return self.encode(out)
        finally:
            block[layout.SPLITTER] = splitter

    def mend(self, reason: int) -> None:
        """Bring what the encoder came back for."""
        from minbpe_course.kernels import layout

        block = self.block
        if reason == layout.NEEDS_SCRATCH:
            self._scratch(2 * block[layout.SCRATCH_WANTED])
        elif reason == layout.NEEDS_CACHE:
            self._grow()
        elif reason == layout.NEEDS_LONG:
            self._long(min(4 * (block[layout.LONG_MASK] + 1), MOST_LONG_ENTRIES))
        else:
            self._merger()

    def _merger(self) -> None:
        """Get what merges long pieces: the linear way where the vocabulary allows it."""
        from minbpe_course.kernels import backtracking, layout, merging

        block = self.block
        if block[layout.LINEAR]:
            assert isinstance(self.tables, VocabularyTables)
            self.tables.build_trie()
            shared = self.tables.block
            for place in (layout.TRIE_MASK, layout.NODE_TOKENS, layout.PREFIXES, layout.LAST_MERGES, layout.TRIE):
                block[place] = shared.kept.get(place, shared[place])
            block[layout.MERGER_BYTES] = backtracking.BACKTRACK_BYTES
            block[layout.MERGER] = backtracking.backtrack_piece.address
        else:
            block[layout.MERGER_BYTES] = merging.HEAP_BYTES
            block[layout.MERGER] = merging.merge_piece.address

    def _scratch(self, size: int) -> None:
        from minbpe_course.kernels import layout

        self.block[layout.SCRATCH] = np.empty(size, dtype=np.uint8)
        self.block[layout.SCRATCH_SIZE] = size

    def _cache(self, entries: int) -> None:
        from minbpe_course.kernels import layout

        block = self.block
        # Every entry has the other half of its cache line beside it, even if there is only one.
        block[layout.CACHE] = zeros(ENTRY_BYTES * max(2, entries))
        block[layout.CACHE_MASK] = entries - 1
        block[layout.MISSES] = 0
        block[layout.GROW_AFTER] = entries // 4 if entries < MOST_ENTRIES else NEVER

    def _long(self, entries: int) -> None:
        from minbpe_course.kernels import layout

        block = self.block
        # Entries and arena side by side.
        room = ENTRY_BYTES * max(2, entries)
        memory = zeros(room + ARENA_BYTES_AN_ENTRY * entries + ARENA_SLACK)
        block[layout.LONG] = memory
        block[layout.LONG_MASK] = entries - 1
        block[layout.ARENA] = memory[room:]
        block[layout.ARENA_SIZE] = entries * ARENA_BYTES_AN_ENTRY
        block[layout.ARENA_USED] = block[layout.LONG_MISSES] = 0
        block[layout.EPOCH] += 1
        block[layout.LONG_GROW_AFTER] = entries // 2 if entries < MOST_LONG_ENTRIES else NEVER

    def _grow(self) -> None:
        from minbpe_course.kernels import layout, machine, word_cache

        block = self.block
        old, entries = block.kept[layout.CACHE], block[layout.CACHE_MASK] + 1
        self._cache(min(4 * entries, MOST_ENTRIES))
        work = block.copy()
        work[layout.GIVEN], work[layout.GIVEN_LEFT] = old, entries
        machine.run(word_cache.grow_cache.address, work.address)


def _key_masks() -> np.ndarray:
    """Which bytes belong to the key of a word of 0 to 15 bytes, by its length; a longer one has none: uint64[17, 2]."""
    masks = [((1 << 8 * min(length, 8)) - 1, (1 << 8 * max(0, length - 8)) - 1) for length in range(16)]
    return np.array([*masks, (0, 0)], dtype=np.uint64)
