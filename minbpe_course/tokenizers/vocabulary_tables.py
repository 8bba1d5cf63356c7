"""The tables that one vocabulary is encoded with, made once and shared by all threads.

    merges or ranks  -->  pairs, whole words, cuts, last merges  -->  a block of addresses for kernels.encoding

Two meanings of encoding lead here. A **model** says which pairs merge, as minbpe does; a word may be looked up whole
only if merging its bytes gives that token, which a hand-made list of merges can break. **Ranks** say that two
neighbours merge when their joined bytes are a token, and that a word that is a token stays whole, as tiktoken does.

Where every token is what merging its own bytes gives (true of all published vocabularies, tested for any other), the
two meanings agree, one pair for each token is enough, and words may be cut (``kernels.cuts``) and long ones encoded in
linear time (``kernels.backtracking``). Elsewhere the slower ways are taken, with the same meaning.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np

from minbpe_course import packing
from minbpe_course.errors import InvalidModel
from minbpe_course.model import BytePairModel
from minbpe_course.packing import Block, slots_for


class VocabularyTables:
    """One vocabulary as arrays. Tokens are numbered in the order of their ids; ``ids[number]`` is the id.

    token_text, token_start : see ``packing``, by number · ids : uint32[v] · words : uint32, the tokens that may be
    looked up whole · block : the addresses, with the places of ``kernels.layout``.
    """

    def __init__(
        self, token_text: np.ndarray, token_start: np.ndarray, ids: np.ndarray, byte_numbers: np.ndarray
    ) -> None:
        from minbpe_course.kernels import layout, merging, tables

        count = len(ids)
        if count > tables.MOST_TOKENS:
            raise InvalidModel(f"a vocabulary of {count:,} tokens; at most {tables.MOST_TOKENS:,} can be encoded with.")
        self.token_text, self.token_start, self.ids = token_text, token_start, ids
        self.bytes_first = bool((np.sort(byte_numbers) == np.arange(256)).all())
        self._trie_lock = threading.Lock()
        self._last_merges: tuple[np.ndarray, ...] = ()
        self.block = block = Block(layout.SIZE)
        block[layout.TOKENS] = count
        block[layout.SMALL_PIECES] = merging.SMALL
        block[layout.TOKEN_TEXT] = token_text
        block[layout.TOKEN_STARTS] = token_start
        block[layout.TOKEN_IDS] = ids
        block[layout.BYTE_NUMBERS] = byte_numbers.astype(np.uint32)
        words = slots_for(count)
        block[layout.WORDS] = np.full(words, tables.FREE, dtype=np.uint32)
        block[layout.WORD_MASK] = words - 1

    @classmethod
    def from_model(cls, model: BytePairModel, *, proven: bool = False) -> VocabularyTables:
        """Lay out a model. proven : every token is known to be what merging its own bytes gives."""
        made = np.asarray(model.merge_ids, dtype=np.int64)
        token_text, token_start = _lay_model(model, made)
        count = len(token_start) - 1
        byte_numbers = np.frombuffer(model.byte_ids, dtype=np.uint8)
        tables = cls(token_text, token_start, np.arange(count, dtype=packing.ID), byte_numbers)
        pairs = np.ascontiguousarray(model.pairs.T, dtype=np.uint32)
        merged = made.astype(np.uint32)
        if not proven:
            pairs, merged = _last_of_each(pairs, merged)
        tables._enter_pairs(pairs[0], pairs[1], merged)
        filled = np.flatnonzero(np.diff(token_start)).astype(np.uint32)
        words = filled if proven else tables._reachable()
        tables._enter_words(words)
        if len(words) == len(filled):
            tables._allow_shortcuts()
        tables.block.settle()
        return tables

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int]) -> VocabularyTables:
        """Lay out ``ranks``: bytes -> id, all 256 single bytes among them."""
        from minbpe_course.kernels import layout, machine
        from minbpe_course.kernels import tables as kernel

        ordered = sorted(ranks.items(), key=lambda item: item[1])
        largest = ordered[-1][1]
        # Ids are numbers where that wastes little; otherwise the tokens are numbered one after the other.
        spread = largest + 1 <= 2 * len(ordered) + 4096
        ids = np.arange(largest + 1) if spread else np.array([token_id for _, token_id in ordered])
        tokens = {token_id if spread else place: token for place, (token, token_id) in enumerate(ordered)}
        number_of = {token: number for number, token in tokens.items()}
        token_text, token_start = packing.lay_tokens(tokens, len(ids))
        byte_numbers = np.array([number_of[bytes([byte])] for byte in range(256)])
        tables = cls(token_text, token_start, ids.astype(packing.ID), byte_numbers)

        words = np.flatnonzero(np.diff(token_start)).astype(np.uint32)
        tables._enter_words(words)
        room = int(np.maximum(np.diff(token_start) - 1, 0).sum())
        lefts, rights, made = splits = [np.empty(room, dtype=np.uint32) for _ in range(3)]
        block = tables.block
        block[layout.LEFTS], block[layout.RIGHTS], block[layout.MADE] = splits
        found = machine.run(kernel.all_splits.address, block.address)
        tables._enter_pairs(lefts[:found], rights[:found], made[:found])
        if len(tables._reachable()) == len(words):
            count = block[layout.PAIR_COUNT]
            merges = [part[:count].copy() for part in tables._last_merges]
            if count == len(words) - 256 and tables._parts_are_older(*merges):
                # Of all the ways to cut a token in two, only its last merge can ever come up.
                tables._enter_pairs(*merges)
                tables._allow_shortcuts()
        tables.block.settle()
        return tables

    def build_trie(self) -> None:
        """Make the trie for ``kernels.backtracking``; it takes some megabytes, and few texts need it."""
        from minbpe_course.kernels import backtracking as kernel
        from minbpe_course.kernels import layout, machine, tables

        with self._trie_lock:
            if self.block[layout.TRIE]:
                return
            count = len(self.ids)
            room = len(self.token_text) + 1
            work = self.block.copy()
            work[layout.TRIE] = np.full(slots_for(room), 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
            work[layout.TRIE_MASK] = slots_for(room) - 1
            work[layout.NODE_TOKENS] = np.full(room, tables.FREE, dtype=np.uint32)
            work[layout.PREFIXES] = np.empty(count, dtype=np.uint32)
            work[layout.LAST_MERGES] = np.empty((count, 2), dtype=np.uint32)
            machine.run(kernel.build_trie.address, work.address)
            for place in (layout.TRIE_MASK, layout.NODE_TOKENS, layout.PREFIXES, layout.LAST_MERGES, layout.TRIE):
                # The trie last: another thread that sees it sees the rest.
                self.block[place] = work.kept.get(place, work[place])

    def _enter_pairs(self, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray) -> None:
        from minbpe_course.kernels import layout, machine, tables

        block = self.block
        # Fuller than other tables: half the size is worth more than a second look, mostly in the same cache line.
        slots = 1 << max(4, (5 * len(made) // 4).bit_length())
        block[layout.PAIRS] = np.full(slots, tables.FREE_PAIR, dtype=np.uint64)
        block[layout.PAIR_MASK] = slots - 1
        block[layout.FILTER] = np.zeros(1 << tables.FILTER_BITS - 6, dtype=np.uint64)
        block[layout.BYTE_PAIRS] = np.empty(1 << 16, dtype=np.uint32)
        self._last_merges = (np.ascontiguousarray(lefts), np.ascontiguousarray(rights), made)
        block[layout.LEFTS], block[layout.RIGHTS], block[layout.MADE] = self._last_merges
        block[layout.PAIR_COUNT] = len(made)
        machine.run(tables.enter_pairs.address, block.address)

    def _enter_words(self, words: np.ndarray) -> None:
        from minbpe_course.kernels import layout, machine, tables

        self.words = words
        self.block[layout.WANTED], self.block[layout.WANTED_COUNT] = words, len(words)
        machine.run(tables.enter_words.address, self.block.address)

    def _reachable(self) -> np.ndarray:
        """The numbers of the tokens that merging their own bytes gives; what they were merged from is noted."""
        from minbpe_course.kernels import layout, machine, merging

        work = self.block.copy()
        longest = int(np.diff(self.token_start).max())
        work[layout.OUT] = np.empty(longest + 4, dtype=np.uint32)
        work[layout.SCRATCH] = np.empty(longest * merging.HEAP_BYTES + 4096, dtype=np.uint8)
        work[layout.WANTED] = found = np.empty(len(self.ids), dtype=np.uint32)
        merges = [np.empty(len(self.ids), dtype=np.uint32) for _ in range(3)]
        work[layout.LEFTS], work[layout.RIGHTS], work[layout.MADE] = merges
        number = machine.run(merging.reachable_tokens.address, work.address)
        self.block[layout.PAIR_COUNT] = work[layout.PAIR_COUNT]
        self._last_merges = tuple(merges)
        return found[:number].copy()

    def _parts_are_older(self, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray) -> bool:
        """Whether each merge joins single bytes or tokens with smaller numbers, as in every vocabulary that was
        trained: else merges do not happen in the order of their numbers, on which all shortcuts rely."""
        sizes = np.diff(self.token_start)
        return all(bool(((sizes[parts] == 1) | (parts < made)).all()) for parts in (lefts, rights))

    def _allow_shortcuts(self) -> None:
        """Every token is reached by merging: words may be cut, and long ones need no merging."""
        from minbpe_course.kernels import cuts, layout, machine, tables

        block = self.block
        block[layout.CUTS] = np.zeros(1 << cuts.PAIR_BITS - 6, dtype=np.uint64)
        block[layout.CUT_BYTES] = np.zeros(1 << 10, dtype=np.uint64)
        block[layout.CHARACTERS] = np.full(1 << 16, tables.FREE, dtype=np.uint32)
        machine.run(cuts.note_cuts.address, block.address)
        block[layout.LINEAR] = int(self.bytes_first and len(self.token_text) < 1 << 24)


def _last_of_each(pairs: np.ndarray, made: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave out a pair that a later merge has again: in ``model.ranks`` and in minbpe, the last one counts."""
    packed = pairs[0].astype(np.uint64) << np.uint64(32) | pairs[1]
    last = len(packed) - 1 - np.unique(packed[::-1], return_index=True)[1]
    if len(last) == len(packed):
        return pairs, made
    last.sort()
    return np.ascontiguousarray(pairs[:, last]), made[last]


def _lay_model(model: BytePairModel, made: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from minbpe_course.kernels import decoding as kernel

    number = int(made[-1]) + 1 if len(made) else 256
    token_start = np.empty(number + 1, dtype=np.int64)
    token_start[:257] = np.arange(257)
    size = kernel.lay_merges(model.pairs, made, token_start, np.empty(0, dtype=np.uint8))
    token_text = np.zeros(size + packing.TOKEN_SLACK, dtype=np.uint8)
    token_text[:256] = np.frombuffer(model.byte_order, dtype=np.uint8)
    kernel.lay_merges(model.pairs, made, token_start, token_text)
    # Numba compiles a kernel once for arrays that may be written and once for those that may not; one will do.
    token_text.setflags(write=False)
    return token_text, token_start
