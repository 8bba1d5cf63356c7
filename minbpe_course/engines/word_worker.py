"""What one thread encodes words with: a ``TextWorker`` with caches. Workers are lent and given back.

The caches of a worker outlive the call: a word that one text has shown is known in the next. They begin small, with the
vocabulary in them, and grow with the number of words that they did not know.

    cache     32 bytes a word of up to 15 bytes       2^12 to 2^20 entries, by the size of the vocabulary at first
    long      32 bytes, and the text and ids of it    2^10 to 2^17 entries
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from minbpe_course.engines.text_worker import TextWorker
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.kernels.common.memory import Block, zeros

MOST_ENTRIES, MOST_LONG_ENTRIES = 1 << 20, 1 << 17
ENTRY_BYTES, ARENA_BYTES_AN_ENTRY = 32, 96

# However small the arena is, the longest word that is noted, of 256 bytes and as many ids, fits behind its end.
ARENA_SLACK = 2048
NEVER = 1 << 62


class Tables(Protocol):
    """What a worker asks of a vocabulary's tables: addresses, and the words that its caches begin with."""

    block: Block
    words: np.ndarray


class Worker(TextWorker):
    """The state of one encoding thread: not to be used by two at a time.

    ``tables`` are shared, ``family`` and ``classes`` say how text is split (None: the words are given), ``objects`` is
    what ``kernels.lists.block`` gave.
    """

    def __init__(self, tables: Tables, family: int | None, classes: np.ndarray | None, objects: int = 0) -> None:
        from minbpe_course.kernels.encoding import encoding
        from minbpe_course.kernels.splitting import split

        self.tables = tables
        splitter = split.given_words if family is None else split.split_words
        super().__init__(tables.block.copy(), splitter.address, encoding.encode_text.address, objects)
        block = self.block
        block.family = -1 if family is None else family
        block.classes = 0 if classes is None else classes
        block.records = np.empty((encoding.BATCH, 4), dtype=np.uint64)
        block.key_masks = _key_masks()
        # Room for the vocabulary to begin with.
        self._entries = min(MOST_ENTRIES, max(1 << 12, 1 << len(tables.words).bit_length()))
        self.clear()

    def clear(self) -> None:
        """Forget every word but the vocabulary."""
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.encoding import word_cache

        block = self.block
        self._cache(self._entries)
        machine.run(word_cache.fill_cache.address, block.address)
        self._long(1 << 10)

    def encode_given(self, begin: int, ends: np.ndarray, limit: int, out: np.ndarray) -> np.ndarray:
        """As ``encode``, for words that are already split: each ends at ``begin`` plus one of ``ends``, int64[n].

        Bytes before the address ``limit``, 16 behind the last word or more, may be read.
        """
        from minbpe_course.kernels.splitting import split

        block = self.block
        block.given, block.given_left, block.given_base = ends, len(ends), begin
        block.end = begin + int(ends[-1]) if len(ends) else begin
        block.at, block.limit = begin, limit
        splitter = block.splitter
        block.splitter = split.given_words.address
        try:
            return self.encode(out)
        finally:
            block.splitter = splitter

    def mend(self, reason: int) -> None:
        """Bring what the encoder came back for."""
        from minbpe_course.kernels.common import layout

        if reason == layout.NEEDS_CACHE:
            self._grow()
        elif reason == layout.NEEDS_LONG:
            self._long(min(4 * (self.block.long_mask + 1), MOST_LONG_ENTRIES))
        elif reason == layout.NEEDS_MERGER:
            self._merger()
        else:
            super().mend(reason)

    def _merger(self) -> None:
        """Get what merges long pieces: the linear way where the vocabulary allows it."""
        from minbpe_course.kernels.encoding import backtracking, merging

        block = self.block
        if block.linear:
            assert isinstance(self.tables, VocabularyTables)
            self.tables.build_trie()
            shared = self.tables.block
            block.take(shared, "trie_mask", "node_tokens", "prefixes", "last_merges", "trie")
            block.merger_bytes = backtracking.BACKTRACK_BYTES
            block.merger = backtracking.backtrack_piece.address
        else:
            block.merger_bytes = merging.HEAP_BYTES
            block.merger = merging.merge_piece.address

    def _cache(self, entries: int) -> None:

        block = self.block
        # Every entry has the other half of its cache line beside it, even if there is only one.
        block.cache = zeros(ENTRY_BYTES * max(2, entries))
        block.cache_mask = entries - 1
        block.misses = 0
        block.grow_after = entries // 4 if entries < MOST_ENTRIES else NEVER

    def _long(self, entries: int) -> None:

        block = self.block
        most = MOST_LONG_ENTRIES
        # Entries and arena side by side.
        room = ENTRY_BYTES * max(2, entries)
        try:
            memory = zeros(room + ARENA_BYTES_AN_ENTRY * entries + ARENA_SLACK)
        except (MemoryError, OSError):
            if "long" not in block.kept:
                raise
            # Where memory is short, what is there has to do, emptied.
            memory, entries = block.kept["long"], block.long_mask + 1
            memory[:] = 0
            room = ENTRY_BYTES * max(2, entries)
            most = entries
        block.long = memory
        block.long_mask = entries - 1
        block.arena = memory[room:]
        block.arena_size = entries * ARENA_BYTES_AN_ENTRY
        block.arena_used = block.long_misses = 0
        block.epoch += 1
        block.long_grow_after = entries // 2 if entries < most else NEVER

    def _grow(self) -> None:
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.encoding import word_cache

        block = self.block
        old, entries = block.kept["cache"], block.cache_mask + 1
        try:
            self._cache(min(4 * entries, MOST_ENTRIES))
        except (MemoryError, OSError):
            # Where memory is short, what is there has to do: only the speed depends on it.
            block.grow_after = NEVER
            return
        work = block.copy()
        work.given, work.given_left = old, entries
        machine.run(word_cache.grow_cache.address, work.address)


def _key_masks() -> np.ndarray:
    """Which bytes belong to the key of a word of 0 to 15 bytes, by its length; a longer one has none: uint64[17, 2]."""
    masks = [((1 << 8 * min(length, 8)) - 1, (1 << 8 * max(0, length - 8)) - 1) for length in range(16)]
    return np.array([*masks, (0, 0)], dtype=np.uint64)
