"""The state of one encoding thread: a block of addresses, caches of words, scratch memory. Engines lend workers out.

A kernel returns when something is missing, ``provide`` brings it, and the kernel continues where it was.

The caches of a ``WordWorker`` outlive the call, so the next text can reuse the words of this one. They begin small,
filled with the vocabulary where its tables are complete, and grow with the number of words that they did not know.

    cache     32 bytes for a word of up to 15 bytes         2^12 to 2^20 entries, at first by the size of the vocabulary
    long      32 bytes, and the word's text and ids         2^10 to 2^18 entries

All workers of the process share one bound (``resources.worker_memory``). While less than half of it is left, a worker
begins with 2^12 entries, filled with the oldest tokens; at the bound, nothing grows but what a text cannot do without.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.kernels.common.memory import ID, TEXT_SLACK, Block, end_of_page, zeros
from minbpe_course.kernels.lazy import (
    backtracking,
    calls,
    encoding,
    layout,
    machine,
    merging,
    split,
    tables,
    word_cache,
)
from minbpe_course.resources.worker_memory import WORKER_MEMORY
from minbpe_course.splitting.splitter import Splitter

# How many words the splitter passes on at a time.
ROOM = 4096

# Ids that a text may need beyond one for each byte: the kernels store four at a time.
OUT_SLACK = 4

FIRST_SCRATCH = 1 << 13

FEWEST_ENTRIES, MOST_ENTRIES, MOST_LONG_ENTRIES = 1 << 12, 1 << 20, 1 << 18
ENTRY_BYTES, ARENA_BYTES_AN_ENTRY = 32, 96

# However small the arena is, the longest word that is noted, of 256 bytes and as many ids, fits after its end.
ARENA_SLACK = 2048
NEVER = 1 << 62

# The most memory for ids that a worker keeps: enough for 4 MB of text. New memory costs more than writing to it.
MOST_KEPT_IDS = 1 << 22

# The most memory for scratch and for normalised text that a worker keeps.
MOST_KEPT = 1 << 23

# The arrays in a block that belong to one worker; the arena is a part of ``long``.
OWN = ("ends", "tail", "short_out", "records", "cache", "long", "scratch")

# The room for ids that ``count`` begins with: they stay in the processor's cache, and the next ones replace them.
MOST_COUNTED = 1 << 16

# The most scratch memory for merging with a heap where there is another way: a piece of 64 kB takes 3 MB.
MOST_FOR_HEAP = 3 << 20


class TextWorker:
    """The state of one encoding thread; two threads must never use one worker at a time.

    block : the addresses of a vocabulary, which this worker changes · splitter, encoder : addresses of kernels ·
    objects : the result of ``kernels.common.lists.block``.
    """

    # The bytes of memory for normalised text.
    _text_bytes = 0

    def __init__(self, block: Block, splitter: int, encoder: int, objects: int = 0) -> None:
        self.block = block
        self.address = block.address
        block.splitter, block.encoder = splitter, encoder
        block.ends = np.empty(ROOM + layout.SLACK, dtype=np.int64)
        block.room = ROOM
        block.tail = np.zeros(2 * TEXT_SLACK + 64, dtype=np.uint8)
        self.short_out = block.short_out = np.empty(layout.SHORT_IDS, dtype=np.uint32)
        block.objects = objects
        self._kept_ids = np.empty(0, dtype=ID)
        # Whether ids that are counted may replace each other.
        self.replaces = True
        self._set_scratch(FIRST_SCRATCH)
        # Whether the last text needed more memory than there was.
        self._swollen = False
        self.ticket = WORKER_MEMORY.ticket(self, self.size())

    def size(self) -> int:
        """Return how many bytes of memory belong to this worker alone."""
        kept = self.block.kept
        return sum(kept[name].nbytes for name in OWN if name in kept) + self._kept_ids.nbytes + self._text_bytes

    def room(self, ids: int) -> np.ndarray:
        """Return memory for so many ids. The next call may give it out again, so copy the ids."""
        if ids > self._kept_ids.size:
            more = ID().itemsize * (ids - self._kept_ids.size)
            if ids > MOST_KEPT_IDS or not WORKER_MEMORY.grant(self.ticket, more):
                return np.empty(ids, dtype=ID)
            self._kept_ids = np.empty(ids, dtype=ID)
        return self._kept_ids[:ids]

    def clear(self) -> None:
        """Forget the words of earlier texts."""
        raise NotImplementedError

    def provide(self, reason: int) -> None:
        """Bring what the encoder asked for when it returned with ``reason``."""
        assert reason == layout.NEEDS_SCRATCH, reason
        self._set_scratch(2 * self.block.scratch_wanted)
        self.swell()

    def swell(self) -> None:
        """Say that this worker took memory that its text cannot do without."""
        self._swollen = True
        WORKER_MEMORY.set(self.ticket, self.size())

    def give_back(self) -> None:
        """Release the memory that an unusually long text took, or any such memory at the bound."""
        if not self._swollen:
            return
        self._swollen = False
        if self.block.scratch_size + self._text_bytes > MOST_KEPT or not WORKER_MEMORY.make_room():
            self._shrink()
            WORKER_MEMORY.set(self.ticket, self.size())

    def place(self, begin: int, size: int) -> None:
        """Set the address and the size in bytes of the text to encode."""
        block = self.block
        block.at = begin
        block.end = begin + size
        block.limit = end_of_page(begin + size)

    def encode(self, out: np.ndarray) -> np.ndarray:
        """Encode the text that was placed; return its ids, in ``out`` if that is large enough.

        out : uint32, OUT_SLACK more than the text has bytes.
        """
        block = self.block
        self.set_out(out)
        while True:
            reason = machine.run(block.encoder, block.address)
            if reason == layout.DONE:
                return self.take_ids()
            self.provide(reason)

    def count(self, size: int) -> int:
        """Return how many ids the text that was placed has; size : its bytes."""
        block, ids, reason = self.block, min(size, MOST_COUNTED) + OUT_SLACK, layout.NEEDS_OUT
        if not self.replaces:
            return self.encode(self.room(ids)).size
        block.counted = 0
        try:
            while reason != layout.DONE:
                if reason == layout.NEEDS_OUT:
                    out = self.room(ids)
                    block.out = block.count_from = out.ctypes.data
                    block.out_end = block.count_from + out.nbytes
                    # Long words may need more than that.
                    ids *= 2
                else:
                    self.provide(reason)
                reason = machine.run(block.encoder, block.address)
            return block.counted >> 2
        finally:
            block.count_from = 0
            self.give_back()

    def encode_places(
        self, places: np.ndarray, begin: int, end: int, offsets: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Encode the texts ``begin`` to ``end`` of ``places``.

        Return the ids of all of them, in ``out`` if that is large enough, and set ``offsets[k + 1]`` to the end of
        those of text k.
        """
        self.set_out(out)
        again = 0
        while True:
            first = self.out.ctypes.data
            begin = calls.encode_many(self.address, places.ctypes.data, begin, end, offsets.ctypes.data, first, again)
            if begin == end:
                return self.take_ids()
            self.provide(self.block.reason)
            again = 1

    def set_out(self, out: np.ndarray) -> None:
        """Set where the ids go."""
        self.out = out
        self.block.out, self.block.out_end = out, out.ctypes.data + out.nbytes

    def take_ids(self) -> np.ndarray:
        """Return the array with the ids, cut to size, and let go of it."""
        out = self.out
        used = (self.block.out - out.ctypes.data) >> 2
        del self.out, self.block.kept["out"]
        self.give_back()
        if not out.flags.owndata:
            return out[:used]
        out.resize(used, refcheck=False)
        return out

    def _shrink(self) -> None:
        self._set_scratch(FIRST_SCRATCH)

    def _set_scratch(self, size: int) -> None:
        self.block.scratch = np.empty(size, dtype=np.uint8)
        self.block.scratch_size = size


class Tables(Protocol):
    """The part of a vocabulary's tables that a worker needs: addresses, and the words that its caches begin with."""

    block: Block
    words: np.ndarray


class WordWorker(TextWorker):
    """A worker with caches of words.

    tables : shared by all workers · splitter : splits the text; without one, the words are given · objects : the
    result of ``kernels.common.lists.block``.
    """

    def __init__(self, tables: Tables, splitter: Splitter | None, objects: int = 0) -> None:
        self.tables = tables
        super().__init__(tables.block.copy(), split.given_words.address, encoding.encode_text.address, objects)
        block = self.block
        if splitter is not None:
            splitter.prepare(block)
        block.records = np.empty((encoding.BATCH, 4), dtype=np.uint64)
        block.key_masks = _key_masks()
        block.key_maker, block.copier = encoding.make_keys.address, encoding.copy_known.address
        self.clear()

    def clear(self) -> None:
        """Forget every word but the vocabulary, or but its oldest words where memory is short."""
        words = len(self.tables.words)
        entries = entries_for(self.tables.words)
        if WORKER_MEMORY.free() - ENTRY_BYTES * entries < WORKER_MEMORY.bound // 2:
            entries = FEWEST_ENTRIES
        self._set_cache(entries)
        self.block.wanted_count = min(words, entries)
        machine.run(word_cache.fill_cache.address, self.block.address)
        self._set_long_cache(1 << 10)
        WORKER_MEMORY.set(self.ticket, self.size())
        WORKER_MEMORY.make_room()

    def encode_given(self, begin: int, ends: np.ndarray, limit: int, out: np.ndarray) -> np.ndarray:
        """Encode words that are already split: each ends at ``begin`` plus one of ``ends``, int64[n].

        The kernel may read bytes before the address ``limit``, at least 16 after the last word.
        """
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

    def provide(self, reason: int) -> None:
        """Bring what the encoder asked for when it returned with ``reason``."""
        if reason == layout.NEEDS_CACHE:
            self._grow_cache()
        elif reason == layout.NEEDS_LONG:
            self._grow_long_cache()
        elif reason == layout.NEEDS_MERGER or (self.block.heap_first and self.block.scratch_wanted > MOST_FOR_HEAP):
            self._choose_merger()
        else:
            super().provide(reason)

    def _choose_merger(self) -> None:
        """Choose the kernel that merges long pieces.

        Where the vocabulary allows it, there is one in linear time, but its trie takes longer to build than a heap
        takes to merge as many bytes as all tokens have. Few texts have so many, so a heap merges them first.
        """
        block = self.block
        if block.merger == 0:
            block.merger_bytes = merging.HEAP_BYTES
            block.merger = merging.merge_piece.address
            block.merger_left = block.heap_first or NEVER
        else:
            assert isinstance(self.tables, VocabularyTables)
            self.tables.build_trie()
            shared = self.tables.block
            block.take(shared, "trie_mask", "node_tokens", "prefixes", "last_merges", "trie")
            block.merger_bytes = backtracking.BACKTRACK_BYTES
            block.merger = backtracking.backtrack_piece.address
            block.merger_left, block.heap_first = NEVER, 0

    def _set_cache(self, entries: int) -> None:
        block = self.block
        # A word may be in four entries, so there are at least four.
        block.cache = zeros(ENTRY_BYTES * max(4, entries))
        block.cache_mask = entries - 1
        block.misses = 0
        block.grow_after = entries // 4 if entries < MOST_ENTRIES else NEVER

    def _set_long_cache(self, entries: int) -> None:
        block = self.block
        # The entries and the arena share one piece of memory.
        room = ENTRY_BYTES * max(4, entries)
        memory = zeros(room + ARENA_BYTES_AN_ENTRY * entries + ARENA_SLACK)
        block.long = memory
        block.long_mask = entries - 1
        block.arena = memory[room:]
        block.arena_size = entries * ARENA_BYTES_AN_ENTRY
        block.arena_used = block.long_misses = 0
        block.epoch += 1
        block.long_grow_after = entries // 2 if entries < MOST_LONG_ENTRIES else NEVER

    def _grow_long_cache(self) -> None:
        block = self.block
        old, arena, entries = block.kept["long"], block.kept["arena"], block.long_mask + 1
        used, epoch, larger = block.arena_used, block.epoch, min(4 * entries, MOST_LONG_ENTRIES)
        if not WORKER_MEMORY.grant(self.ticket, (ENTRY_BYTES + ARENA_BYTES_AN_ENTRY) * larger):
            # The cache stays as it is for as many words again: only the speed depends on it.
            block.long_grow_after += entries // 2
            return
        try:
            self._set_long_cache(larger)
        except (MemoryError, OSError):
            block.long_grow_after = NEVER
            return
        finally:
            WORKER_MEMORY.set(self.ticket, self.size())
        block.kept["arena"][:used] = arena[:used]
        block.arena_used, block.epoch = used, epoch
        work = block.copy()
        work.given, work.given_left = old, entries
        machine.run(encoding.grow_long_cache.address, work.address)

    def _grow_cache(self) -> None:
        block = self.block
        old, entries = block.kept["cache"], block.cache_mask + 1
        larger = min(4 * entries, MOST_ENTRIES)
        if not WORKER_MEMORY.grant(self.ticket, ENTRY_BYTES * larger):
            # As for the other cache.
            block.grow_after += entries // 4
            return
        try:
            self._set_cache(larger)
        except (MemoryError, OSError):
            block.grow_after = NEVER
            return
        finally:
            WORKER_MEMORY.set(self.ticket, self.size())
        work = block.copy()
        work.given, work.given_left = old, entries
        machine.run(word_cache.grow_cache.address, work.address)


def entries_for(words: np.ndarray) -> int:
    """Return the entries of a cache that begins with these words: at least as many as there are words."""
    return min(MOST_ENTRIES, max(FEWEST_ENTRIES, 1 << len(words).bit_length()))


def _key_masks() -> np.ndarray:
    """Return uint64[3, 17], for words of 0 to 15 bytes and for longer ones, which have no key.

    The rows are masks for the first and the second half of the key, and what the second half is besides its bytes.
    """
    first = [(1 << 8 * min(length, 8)) - 1 for length in range(16)]
    second = [(1 << 8 * max(length - 8, 0)) - 1 for length in range(16)]
    others = [length << 56 ^ int(tables.KEY_BITS) for length in range(17)]
    return np.array([[*first, 0], [*second, 0], others], dtype=np.uint64)
