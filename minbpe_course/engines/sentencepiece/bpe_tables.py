"""The tables that one SentencePiece BPE model is encoded with, made once and shared by all threads.

    PieceModel  -->  rules, pieces, pairs, cuts, whole segments  -->  a block of addresses for kernels.documents

Every way to cut a piece into two is a pair, unless the model has a list of merges (``model.pipeline``). A segment may
be looked up whole only if merging its characters gives that piece, which is tried for each.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.layouts.pieces import (
    CODE_POINTS,
    NO_ID,
    RuleTables,
    character_kinds,
    lay_trie,
    pack_rules,
    segment_cuts,
    user_starts,
)
from minbpe_course.engines.sentencepiece.bpe_symbols import number_known, number_pieces
from minbpe_course.errors import InvalidModel
from minbpe_course.kernels.common import memory as packing
from minbpe_course.kernels.common.memory import Block, slots_for
from minbpe_course.model import UNUSED, NormalizerRules, PieceModel
from minbpe_course.text.normalize import Charsmap


class Rules:
    """A normaliser, packed: ``place(block)`` puts it into a block.

    exact : whether user-defined pieces are looked for even where they change nothing but positions.
    """

    def __init__(self, rules: NormalizerRules, user_defined: dict[bytes, int], suffix: bool, exact: bool) -> None:
        from minbpe_course.kernels.sentencepiece import normalize

        charsmap = Charsmap(rules.charsmap)
        spaced = rules.remove_extra_whitespaces and any(b" " in piece for piece in user_defined)
        wanted = user_defined if exact or charsmap.units or spaced else {}
        self.tables: RuleTables = pack_rules(charsmap.units, charsmap.strings, wanted)
        # Where positions are asked for, every character is a step.
        self.kinds = character_kinds(self.tables.units, wanted) if charsmap.units and not exact else None
        self.trie = lay_trie(wanted)
        self.flags = (
            normalize.DUMMY_PREFIX * rules.add_dummy_prefix
            | normalize.REMOVE_SPACES * rules.remove_extra_whitespaces
            | normalize.ESCAPE * rules.escape_whitespaces
            | normalize.SUFFIX * suffix
            | normalize.HIGH_BYTES * self.tables.high
        )
        self.escape = rules.escape_whitespaces

    def place(self, block: Block) -> None:
        """Enter the tables into a block."""
        from minbpe_course.kernels.sentencepiece import normalize

        block.rule_starts = self.tables.starts
        block.units, block.unit_count = self.tables.units, len(self.tables.units)
        block.strings, block.strings_size = self.tables.strings, len(self.tables.strings)
        block.loud = self.tables.loud
        block.character_kinds = 0 if self.kinds is None else self.kinds
        block.flags = self.flags
        place_trie(block, "raw_user", self.trie)
        block.normalizer = normalize.normalize.address


def place_trie(block: Block, name: str, trie: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Enter a trie of pieces in the four fields that begin with ``name``: "user" or "raw_user"."""
    keys, nodes, ids = trie
    for field, value in (("s", keys), ("_mask", len(keys) - 1), ("_nodes", nodes), ("_ids", ids)):
        setattr(block, name + field, value)


def raw_users(model: PieceModel) -> dict[bytes, int]:
    """The user-defined pieces as they are in a text that was not normalised yet; a pipeline finds its own."""
    if model.pipeline is not None:
        return {}
    return {piece.encode("utf-8", "surrogateescape"): model.piece_ids[piece] for piece in model.user_defined}


class PieceTables:
    """One model as arrays. Tokens are numbered as in ``piece_symbols``.

    words : uint32, the numbers of pieces that a segment may be looked up as · block : the addresses, with the places of
    ``kernels.layout``.
    """

    def __init__(self, model: PieceModel) -> None:
        from minbpe_course.kernels.common import layout, machine
        from minbpe_course.kernels.encoding import cuts, tables
        from minbpe_course.kernels.sentencepiece import pieces

        pipeline = model.pipeline
        packed = number_pieces(model) if pipeline is None else number_known(model)
        count = len(packed.tokens)
        if count > tables.MOST_TOKENS - 1:
            raise InvalidModel(f"a model of {count:,} pieces and characters; at most {tables.MOST_TOKENS - 1:,} fit.")
        escape = model.normalizer.escape_whitespaces
        token_text, token_start = packing.lay_in_order(packed.tokens)
        self.block = block = Block(layout.BLOCK)
        block.tokens = count
        block.token_text, block.token_starts = token_text, token_start
        block.token_ids, block.ranks, block.leaves = packed.ids, packed.ranks, packed.leaves
        block.leaf_starts, block.leaf_parts = packed.leaf_starts, packed.leaf_parts
        if model.byte_ids:
            block.byte_ids = np.array(model.byte_ids, dtype=np.uint32)
        block.unknown = model.unk_id if model.unk_id >= 0 else NO_ID
        block.escapes = int(escape)
        block.ids_a_byte = self._ids_a_byte(model)
        block.segment_cuts = segment_cuts(token_text, token_start)
        if packed.users:
            block.user_starts = user_starts(packed.users)
            place_trie(block, "user", lay_trie(packed.users))
        Rules(model.normalizer, raw_users(model), model.treat_whitespace_as_suffix, exact=False).place(block)

        self._enter_words(np.arange(count, dtype=np.uint32))
        if pipeline is None or pipeline.merges is None:
            block.merged = np.arange(count, dtype=np.uint32)
            self._enter_pairs(*self._all_splits(int(np.maximum(np.diff(token_start) - 1, 0).sum())))
        else:
            lefts, rights, made = np.ascontiguousarray(pipeline.merges.T)
            block.merged = made
            block.ranks = ranks = np.arange(len(made), dtype=np.uint32)
            # Of a pair that is listed twice the last line counts, and the table keeps the first that it gets.
            self._enter_pairs(lefts[::-1].copy(), rights[::-1].copy(), ranks[::-1].copy())
        block.cuts = np.zeros(1 << cuts.PAIR_BITS - 6, dtype=np.uint64)
        block.cut_bytes = np.zeros(1 << 10, dtype=np.uint64)
        work = block.copy()
        work.characters = np.empty(1 << 16, dtype=np.uint32)
        work.whole_only = count
        machine.run(cuts.note_cuts.address, work.address)
        block.merger, block.merger_bytes = pieces.merge_segment.address, pieces.HEAP_BYTES
        block.settle()
        # Of these most is never touched, so they stay where they are.
        symbols = np.zeros(CODE_POINTS, dtype=np.uint32)
        symbols[packed.symbols[0]] = packed.symbols[1]
        block.symbols = symbols
        self._enter_words(self._reachable(int(np.diff(token_start).max(initial=1))))

    def _enter_words(self, words: np.ndarray) -> None:
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.encoding import tables

        self.words = words
        block = self.block
        slots = slots_for(len(words))
        block.words, block.word_mask = np.full(slots, tables.FREE, dtype=np.uint32), slots - 1
        block.wanted, block.wanted_count = words, len(words)
        machine.run(tables.enter_words.address, block.address)

    def _all_splits(self, room: int) -> list[np.ndarray]:
        """Find every way to cut a token into two: the numbers of left, right and whole, uint32 each."""
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.encoding import tables

        block = self.block
        splits = [np.empty(room, dtype=np.uint32) for _ in range(3)]
        work = block.copy()
        work.lefts, work.rights, work.made = splits
        sizes = np.diff(block.kept["token_starts"])
        work.known_sizes = known = np.zeros(int(sizes.max(initial=0)) + 1, dtype=np.uint8)
        known[sizes] = 1
        found = machine.run(tables.all_splits.address, work.address)
        return [split[:found] for split in splits]

    def _enter_pairs(self, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray) -> None:
        """Enter pairs of numbers and what each becomes, uint32."""
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.encoding import tables

        block = self.block
        slots = 1 << max(4, (5 * len(made) // 4).bit_length())
        block.pairs = np.full(slots, tables.FREE_PAIR, dtype=np.uint64)
        block.pair_mask = slots - 1
        block.filter = np.zeros(1 << tables.FILTER_BITS - 6, dtype=np.uint64)
        work = block.copy()
        work.lefts, work.rights, work.made = lefts, rights, made
        work.pair_count = len(made)
        # Symbols are characters here, not bytes; what two bytes become is never asked, so there are no BYTE_PAIRS.
        machine.run(tables.enter_pairs.address, work.address)

    def _reachable(self, longest: int) -> np.ndarray:
        """The numbers of the pieces that merging their own characters gives."""
        from minbpe_course.kernels.common import machine
        from minbpe_course.kernels.sentencepiece import pieces

        work = self.block.copy()
        work.out = np.empty(3 * longest + 8, dtype=np.uint32)
        work.scratch = np.empty(longest * pieces.HEAP_BYTES + 8192, dtype=np.uint8)
        work.wanted = found = np.empty(work.tokens, dtype=np.uint32)
        number = machine.run(pieces.reachable_pieces.address, work.address)
        return found[:number].copy()

    def _ids_a_byte(self, model: PieceModel) -> int:
        """At most how many ids a byte inside becomes: three for a ▁ that is no piece and so becomes bytes."""
        mark = (model.mergeable if model.pipeline is None else model.piece_ids).get("▁", -1)
        whole = mark >= 0 and model.kinds[mark] != UNUSED and UNUSED not in model.kinds
        return 1 if whole or not model.byte_fallback or not model.normalizer.escape_whitespaces else 3
