"""The engine of SentencePiece BPE models: the tables of a model, the worker of a thread, and dropout.

    PieceModel  -->  symbols, rules, pieces, pairs, cuts, whole segments  -->  a block of addresses for
    kernels.documents

Symbols are what a text consists of while it merges: every character that is a piece or occurs in one, and every piece
that merges, each with a number. User-defined pieces are not symbols: they are cut out before anything merges.

Every way to cut a piece into two is a pair, unless the model has a list of merges (``model.pipeline``). A segment may
be looked up whole only if merging its characters gives that piece; each piece is tested for this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.engines.sentencepiece.normalized_text import (
    Encoded,
    NormalizedTextEngine,
    NormalizedTextWorker,
    Random,
)
from minbpe_course.engines.sentencepiece.normalizer import Rules, normalized_with_positions
from minbpe_course.engines.sentencepiece.piece_layout import (
    CODE_POINTS,
    NO_ID,
    first_bytes,
    inside,
    lay_pieces,
    score_ranks,
    segment_cuts,
    trie_of,
)
from minbpe_course.engines.sentencepiece.unused_pieces import unused_parts
from minbpe_course.engines.vocabulary_tables import all_splits, set_pair_table
from minbpe_course.engines.workers import NEVER, WordWorker
from minbpe_course.errors import InvalidModel
from minbpe_course.kernels.common.memory import Block, lay_in_order, slots_for
from minbpe_course.kernels.lazy import BUILDING, cuts, documents, encoding, layout, machine, pieces, tables
from minbpe_course.model import NORMAL, UNUSED, USER_DEFINED, PieceModel
from minbpe_course.model.piece_rules import is_text

NO_LEAVES = 0xFFFFFFFF


class PieceEngine(NormalizedTextEngine["PieceWorker"]):
    """Encodes with one BPE model.

    >>> engine = PieceEngine(PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1)))
    >>> engine.encode_list("aaa"), engine.spell(b"aaa").spans.tolist()
    ([0, 2, 1], [3, 2, 1])
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        self.tables = PieceTables(model, self.rules)
        super().__init__(model)

    def sample(self, text: bytes, alpha: float, rng: Random, nbest_size: int = -1) -> Encoded:
        """Return an encoding in which each merge was left out with probability ``alpha`` (BPE-dropout).

        An UNUSED piece comes apart as it does without dropout.

        rng : ``random.Random(seed)`` or ``numpy.random.default_rng(seed)``; the same state draws the same encoding.
        nbest_size : ignored; other types of model use it.

        >>> import random
        >>> engine = PieceEngine(PieceModel(("<unk>", "▁", "a", "aa"), (0.0, -3.0, -2.0, -1.0), (2, 1, 1, 1)))
        >>> [engine.sample(b"aa", 0.5, random.Random(seed)).ids.tolist() for seed in range(3)]
        [[1, 2, 2], [1, 2, 2], [1, 3]]
        """
        normalized, positions = normalized_with_positions(self.rules, text)
        worker = self._borrow_worker()
        try:
            ids, spans = worker.spell_with_dropout(normalized, alpha, int(rng.random() * 2**53))
        finally:
            self._workers.append(worker)
        return Encoded(ids, spans, *self._seen(normalized, positions))

    def _new_worker(self) -> PieceWorker:
        return PieceWorker(self.tables, self._objects)


class PieceWorker(NormalizedTextWorker, WordWorker):
    """The state of one thread: memory for normalised text, and the caches of words."""

    def __init__(self, tables: PieceTables, objects: int = 0) -> None:
        WordWorker.__init__(self, tables, None, objects)
        self.encode_parts_with(encoding.encode_text.address, documents.spell_part.address)

    def spell_with_dropout(self, text: np.ndarray, alpha: float, luck: int) -> tuple[np.ndarray, np.ndarray]:
        """Spell as ``spell`` does, but leave out each merge with probability ``alpha``.

        luck : the seed of the random numbers, from 0 to 2**63 - 1.
        """
        block = self.block
        if not block.filter:
            self._finish()
        usual = block.merger
        block.merger, block.luck = pieces.drop_segment.address, luck
        block.dropout = round(min(alpha, 1.0) * 2**32)
        try:
            return self.spell(text)
        finally:
            block.merger, block.dropout = usual, 0

    def provide(self, reason: int) -> None:
        """Bring what the encoder asked for when it returned with ``reason``."""
        if self.block.filter or reason not in (layout.NEEDS_CACHE, layout.NEEDS_LONG, layout.NEEDS_MERGER):
            super().provide(reason)
        else:
            self._finish()

    def _finish(self) -> None:
        """Use the tables that pay off after many texts."""
        assert isinstance(self.tables, PieceTables)
        self.tables.finish()
        shared = self.tables.block
        self.block.take(shared, *shared.kept, "word_mask", "pair_mask", "wanted_count")
        self.clear()


class PieceTables:
    """One model as arrays. Tokens have the numbers of ``PieceSymbols``.

    Most of the time goes into tables that pay off after many texts. They are made when a worker has met so many
    segments that its first cache is full, or one that is too long for ``pieces.merge_segment`` without them.

    words : uint32, the numbers of the pieces that a whole segment can be · block : the addresses, at the places
    of ``kernels.layout``.
    """

    def __init__(self, model: PieceModel, rules: Rules) -> None:
        self._pipeline = pipeline = model.pipeline
        self.complete = False
        packed = number_pieces(model) if pipeline is None else number_known(model)
        count = len(packed.ids)
        if count > tables.MOST_TOKENS - 1:
            raise InvalidModel(f"a model of {count:,} pieces and characters; at most {tables.MOST_TOKENS - 1:,} fit.")
        escape = model.normalizer.escape_whitespaces
        self.block = block = Block(layout.BLOCK)
        block.tokens = count
        block.token_text, block.token_starts = packed.text, packed.starts
        block.token_ids, block.ranks, block.leaves = packed.ids, packed.ranks, packed.leaves
        block.leaf_starts, block.leaf_parts = packed.leaf_starts, packed.leaf_parts
        block.symbols = packed.symbols
        if model.byte_ids:
            block.byte_ids = np.array(model.byte_ids, dtype=np.uint32)
        block.unknown = model.unk_id if model.unk_id >= 0 else NO_ID
        block.escapes = int(escape)
        block.ids_a_byte = _ids_a_byte(model, packed)
        block.segment_cuts = segment_cuts(packed.text, packed.starts)
        if packed.users:
            block.user_starts, block.users = first_bytes(packed.users), trie_of(packed.users)
        rules.place(block)
        block.merger, block.merger_bytes, block.merger_left = pieces.merge_segment.address, pieces.HEAP_BYTES, NEVER
        block.merged = np.arange(count, dtype=np.uint32)
        # Every piece can be a part of another.
        _enter_words(block, np.arange(count, dtype=np.uint32))
        if pipeline is not None and pipeline.merges is not None:
            self.finish()
        else:
            # At first a pair is found by its text, and every segment is merged.
            block.pairs, block.pair_mask = block.kept["words"], block.word_mask
            self.words = np.empty(0, dtype=np.uint32)
            _enter_words(block, self.words)

    def finish(self) -> None:
        """Make the tables that pay off after many texts: pairs, cuts, and the pieces that a whole segment can be."""
        with BUILDING:
            if not self.complete:
                self.block, self.words = self._finished(self.block.copy())
                self.complete = True

    def _finished(self, block: Block) -> tuple[Block, np.ndarray]:
        pipeline, token_start, symbols = self._pipeline, block.kept["token_starts"], block.kept.pop("symbols")
        if pipeline is None or pipeline.merges is None:
            block.words, block.word_mask = block.kept["pairs"], block.pair_mask
            _enter_pairs(block, *all_splits(block, token_start))
        else:
            lefts, rights, made = np.ascontiguousarray(pipeline.merges.T)
            block.merged = made
            block.ranks = ranks = np.arange(len(made), dtype=np.uint32)
            # In reverse: of a pair that is listed twice the last line counts, and the table keeps the first.
            _enter_pairs(block, lefts[::-1].copy(), rights[::-1].copy(), ranks[::-1].copy())
        block.cuts = np.zeros(1 << cuts.PAIR_BITS - 6, dtype=np.uint64)
        block.cut_bytes = np.zeros(1 << 10, dtype=np.uint64)
        work = block.copy()
        work.characters = np.empty(1 << 16, dtype=np.uint32)
        work.whole_only = block.tokens
        machine.run(cuts.note_cuts.address, work.address)
        block.settle()
        # Placed after ``settle``: most of this array is never touched, so it is not worth moving.
        block.symbols = symbols
        words = _reachable(block, int(np.diff(token_start).max(initial=1)))
        _enter_words(block, words)
        return block, words


def _ids_a_byte(model: PieceModel, packed: PieceSymbols) -> int:
    """Return the most ids for a byte inside the engine: three for a ▁ without a piece, which becomes bytes."""
    if not model.byte_fallback or not model.normalizer.escape_whitespaces:
        return 1
    if model.pipeline is not None:
        known = "▁" in model.piece_ids
    else:
        mark = int(packed.symbols[0x20])
        known = b" " in packed.users or (mark > 0 and packed.ids[mark - 1] != NO_ID)
    return 1 if known and not model.ids_of_kind(UNUSED) else 3


def _enter_words(block: Block, words: np.ndarray) -> None:
    slots = slots_for(len(words))
    block.words, block.word_mask = np.full(slots, tables.FREE, dtype=np.uint32), slots - 1
    block.wanted, block.wanted_count = words, len(words)
    machine.run(tables.enter_words.address, block.address)


def _enter_pairs(block: Block, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray) -> None:
    """Enter pairs of numbers and what each becomes, uint32."""
    set_pair_table(block, len(made))
    work = block.copy()
    work.lefts, work.rights, work.made = lefts, rights, made
    work.pair_count = len(made)
    machine.run(tables.enter_pairs.address, work.address)


def _reachable(block: Block, longest: int) -> np.ndarray:
    """Return the numbers of the pieces that merging their own characters gives."""
    work = block.copy()
    work.out = np.empty(3 * longest + 8, dtype=np.uint32)
    work.scratch = np.empty(longest * pieces.HEAP_BYTES + 8192, dtype=np.uint8)
    work.wanted = found = np.empty(work.tokens, dtype=np.uint32)
    number = machine.run(pieces.reachable_pieces.address, work.address)
    return found[:number].copy()


class PieceSymbols(NamedTuple):
    """The symbols by number: first the pieces that merge, then characters that only occur in pieces.

    text, starts : by number, bytes inside the engine · ids : uint32, NO_ID for an UNUSED piece or no piece · ranks :
    uint32 · symbols : uint32[CODE_POINTS], the number of each character + 1 · leaves : uint32, for an UNUSED piece the
    entry of ``leaf_starts`` (int64) that lists the parts it comes apart into, else NO_LEAVES · leaf_parts :
    uint32[n, 2], id or NO_ID, and bytes inside · users : the user-defined pieces, bytes inside -> id
    """

    text: np.ndarray
    starts: np.ndarray
    ids: np.ndarray
    ranks: np.ndarray
    symbols: np.ndarray
    leaves: np.ndarray
    leaf_starts: np.ndarray
    leaf_parts: np.ndarray
    users: dict[bytes, int]


def number_pieces(model: PieceModel) -> PieceSymbols:
    """Number the symbols of a BPE model."""
    escape = model.normalizer.escape_whitespaces
    unused = unused_parts(model)
    # User-defined pieces are cut out before anything merges.
    laid = lay_pieces(model, (NORMAL, UNUSED), characters=True)
    assert laid.symbols is not None
    pieces = laid.places[laid.places >= 0]
    ranks = np.zeros(len(laid.ids), dtype=np.uint32)
    ranks[: len(pieces)] = score_ranks(model.flat.scores)[pieces]
    leaves = np.full(len(laid.ids), NO_LEAVES, dtype=np.uint32)
    leaf_starts, leaf_parts = [0], []
    for number in np.flatnonzero(laid.ids[: len(pieces)] == NO_ID).tolist():
        leaves[number] = len(leaf_starts) - 1
        for leaf_id, text in unused[int(pieces[number])]:
            leaf_parts.append((leaf_id if leaf_id >= 0 else NO_ID, len(inside(text, escape) or b"")))
        leaf_starts.append(len(leaf_parts))
    users = [(inside(model.flat.piece(at), escape), at) for at in model.ids_of_kind(USER_DEFINED)]
    return PieceSymbols(
        laid.text,
        laid.starts,
        laid.ids,
        ranks,
        laid.symbols,
        leaves,
        np.array(leaf_starts, dtype=np.int64),
        np.array(leaf_parts, dtype=np.uint32).reshape(-1, 2),
        # A piece that is not UTF-8 is in no text.
        {data: at for data, at in users if data is not None and is_text(model.flat.piece(at))},
    )


def number_known(model: PieceModel) -> PieceSymbols:
    """Number the symbols of a BPE model with a pipeline: the number of a piece is its id, and nothing else merges."""
    assert model.pipeline is not None
    count = model.pipeline.known
    # A piece with a real space is in no text, where all spaces are ▁ by then. Without bytes it is never found.
    tokens = [inside(piece, True) or b"" for piece in model.pieces[:count]]
    symbols = np.zeros(CODE_POINTS, dtype=np.uint32)
    for number, token in enumerate(tokens):
        if _is_character(token):
            symbols[ord(token.decode("utf-8"))] = number + 1
    return PieceSymbols(
        *lay_in_order(tokens),
        np.arange(count, dtype=np.uint32),
        np.zeros(count, dtype=np.uint32),
        symbols,
        np.full(count, NO_LEAVES, dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
        np.empty((0, 2), dtype=np.uint32),
        {},
    )


def _is_character(token: bytes) -> bool:
    return 0 < len(token) <= 4 and len(token.decode("utf-8")) == 1
