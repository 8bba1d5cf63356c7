"""The engine of SentencePiece Unigram models: the tables of a model, the worker of a thread, N-best lists and samples.

text --kernels.normalize-->  normalised  --kernels.unigram-->  ids
                                         --kernels.lattice-->  the n best, one drawn at random

PieceModel  -->  rules, a trie of pieces, scores, cuts  -->  a block of addresses for the kernels
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minbpe_course.engines.sentencepiece.normalized_text import (
    Encoded,
    NormalizedTextEngine,
    NormalizedTextWorker,
    Random,
)
from minbpe_course.engines.sentencepiece.normalizer import Rules, normalized_with_positions
from minbpe_course.engines.sentencepiece.piece_layout import NO_ID, lay_pieces, lay_trie, segment_cuts
from minbpe_course.engines.vocabulary_tables import in_order
from minbpe_course.engines.workers import OUT_SLACK
from minbpe_course.kernels.common.memory import ID, Block
from minbpe_course.kernels.lazy import documents, lattice, layout, segments, sorting, unigram
from minbpe_course.model import NORMAL, USER_DEFINED, PieceModel

FIRST_ROOM = 1 << 12  # edges of a lattice

UNKNOWN_PENALTY = 10.0
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


class UnigramEngine(NormalizedTextEngine["UnigramWorker"]):
    """Encodes with one Unigram model.

    >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
    >>> engine = UnigramEngine(model)
    >>> engine.encode_list("aaa a"), engine.spell(b"aaa a").spans.tolist()
    ([1, 3, 1], [4, 2, 4])
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        self.unigram = UnigramTables(model, self.rules)
        super().__init__(model)

    def n_best(self, text: bytes, number: int, milliseconds: int = 0) -> list[tuple[Encoded, float]]:
        """Return the ``number`` best encodings of a text, best first, with their scores.

        As in sentencepiece, the score is 0 for ``number`` 1 and for a text that is empty after normalisation; and a
        search that takes longer than ``milliseconds`` (0: no limit) gives the best encoding alone.

        >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
        >>> [(found.ids.tolist(), score) for found, score in UnigramEngine(model).n_best(b"aaa", 3)]
        [([1, 3], -3.0), ([1, 2, 2], -4.0), ([0, 3, 2], -15.5)]
        """
        normalized, positions = normalized_with_positions(self.rules, text)
        if number <= 1 or normalized.size == 0:
            return [(self.spell(text, positions=True), 0.0)]
        seen = self._seen(normalized, positions)
        worker = self._borrow_worker()
        try:
            found = UnigramLattice(self.unigram, worker, normalized).best(number, milliseconds)
        finally:
            self._workers.append(worker)
        return [(Encoded(ids, spans, *seen), score) for ids, spans, score in found]

    def sample(self, text: bytes, alpha: float, rng: Random, nbest_size: int = -1, milliseconds: int = 0) -> Encoded:
        """Return an encoding drawn at random from all of them, or from the ``nbest_size`` best (see ``n_best``).

        alpha : how strongly to prefer good ones; with 0 all are equally likely. rng :
        ``numpy.random.default_rng(seed)`` or ``random.Random(seed)``; the same state draws the same encoding.

        >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
        >>> UnigramEngine(model).sample(b"aaaaa", 0.5, np.random.default_rng(1)).ids.tolist()
        [1, 3, 2, 2]
        """
        if nbest_size >= 0:
            best = self.n_best(text, nbest_size, milliseconds)
            logs = alpha * np.array([score for _, score in best])
            weights = np.exp(logs - logs.max())
            return best[_choose(weights.tolist(), rng.random() * float(weights.sum())) if len(best) > 1 else 0][0]
        normalized, positions = normalized_with_positions(self.rules, text)
        if normalized.size == 0:
            return self.spell(text, positions=True)
        characters = int(np.count_nonzero(normalized & 0xC0 != 0x80))
        luck = np.array([rng.random() for _ in range(characters)])
        worker = self._borrow_worker()
        try:
            made = UnigramLattice(self.unigram, worker, normalized)
            ids, spans = made.draw(alpha, made.sums(alpha), luck)
        finally:
            self._workers.append(worker)
        return Encoded(ids, spans, *self._seen(normalized, positions))

    def _new_worker(self) -> UnigramWorker:
        return UnigramWorker(self.unigram, self._objects)


class UnigramWorker(NormalizedTextWorker):
    """The state of one thread: memory for normalised text, and scratch memory."""

    def __init__(self, tables: UnigramTables, objects: int = 0) -> None:
        block = tables.block.copy()
        super().__init__(block, segments.split_segments.address, documents.encode_document.address, objects)
        self.encode_parts_with(unigram.encode_part.address, unigram.encode_part.address)

    def clear(self) -> None:
        """Do nothing: no segment is remembered."""

    def make_scratch(self, size: int) -> None:
        """Get enough scratch memory to search a segment of ``size`` bytes."""
        if self.block.scratch_size < 12 * size + 64:
            self._set_scratch(12 * size + 64)
            self.swell()


class UnigramLattice:
    """The lattice of one text: its n best paths, and paths drawn at random.

    worker : writes the ids, so no other call may use it meanwhile · text : normalised, not empty, uint8 with memory
    after it that kernels may read.
    """

    def __init__(self, tables: UnigramTables, worker: UnigramWorker, text: np.ndarray) -> None:
        self.worker = worker
        self.work = work = Block(lattice.WORK)
        self.size = text.size
        work.scores, work.text, work.size = tables.lattice_scores, text, text.size
        work.starts = np.empty(text.size + 2, dtype=np.uint32)
        room = max(FIRST_ROOM, 4 * text.size)
        while True:
            work.edges, work.room = np.empty(lattice.EDGE * room, dtype=np.uint8), room
            work.order = np.empty(room, dtype=np.uint32)
            self.edges = lattice.lay_lattice(worker.address, work.address)
            if self.edges <= room:
                break
            room = self.edges

    def best(self, number: int, milliseconds: int = 0) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """Return ids, spans and score of the best paths, best first; of the very best if that takes too long."""
        begun = time.monotonic()
        work = self.work
        most = lattice.MOST_ENDS + self.edges + self.size + 8
        scores = np.empty(number, dtype=np.float32)
        work.edge_sums = np.empty(self.edges, dtype=np.float32)
        work.before = np.empty(self.size + 1, dtype=np.uint32)
        work.hypotheses = np.empty(lattice.HYPOTHESIS * most, dtype=np.uint8)
        waiting = lattice.MOST_WAITING + lattice.KEPT_WAITING + self.edges + 8
        work.heap = np.empty(waiting, dtype=np.uint32)
        work.seen = np.zeros(most, dtype=np.uint8)
        work.found, work.found_scores = np.empty(number, dtype=np.uint32), scores
        late = False
        while (found := lattice.best_paths(work.address, number, int(late))) == lattice.UNFINISHED:
            late = milliseconds > 0 and 1000 * (time.monotonic() - begun) >= milliseconds
        written = self._written(lattice.write_found, [(k,) for k in range(found)])
        return [(ids, spans, score) for (ids, spans), score in zip(written, scores.tolist())]

    def sums(self, theta: float) -> np.ndarray:
        """Return, for every byte of the text and its end, the log of the summed weight of all paths to it, float64."""
        sums = np.empty(self.size + 1, dtype=np.float64)
        lattice.forward(self.work.address, float(theta), sums)
        return sums

    def draw(self, theta: float, sums: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and spans of a path drawn at random; luck : float64 in [0, 1), one for each character."""
        return self._written(lattice.draw_path, [(float(theta), sums, luck)])[0]

    def _written(
        self, kernel: Callable[..., int], calls: Sequence[tuple[Any, ...]]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Call a kernel that writes ids and spans once for each tuple of further arguments in ``calls``."""
        self.worker.make_scratch(self.size)
        block, address, work = self.worker.block, self.worker.address, self.work.address
        most = self.size * block.ids_a_byte + OUT_SLACK
        out, spans = np.empty(most, dtype=ID), np.empty(most, dtype=np.int32)
        block.out, block.spans, block.first_out = out, spans, out.ctypes.data
        written = []
        try:
            for call in calls:
                used = kernel(address, work, *call)
                written.append((out[:used].copy(), spans[:used].copy()))
        finally:
            block.spans = 0
            self.worker.give_back()
        return written


class UnigramTables:
    """One model as arrays.

    block : the addresses, at the places of ``kernels.layout`` · lattice_scores : float32 of each id, for
    ``kernels.lattice``.
    """

    def __init__(self, model: PieceModel, rules: Rules) -> None:
        flat = model.flat
        normal = flat.scores[flat.kinds == NORMAL]
        unknown = np.float32(float(normal.min(initial=LARGEST_FLOAT32)) - UNKNOWN_PENALTY)
        escape = model.normalizer.escape_whitespaces
        laid = lay_pieces(model, (NORMAL, USER_DEFINED))
        scores, self.lattice_scores = flat.scores.copy(), flat.scores.copy()
        # A user-defined piece has a score by its length: Viterbi counts bytes, the lattice characters.
        for piece_id in laid.places[flat.kinds[laid.places] == USER_DEFINED].tolist():
            piece = flat.piece(piece_id)
            scores[piece_id] = 0.1 * (len(piece.encode("utf-8")) - 1)
            self.lattice_scores[piece_id] = 0.1 * (len(piece) - 1)
        text, starts, ids = in_order_of_bytes(laid.text, laid.starts, laid.ids)
        lengths = np.zeros(len(scores), dtype=np.uint32)
        lengths[ids] = np.diff(starts)
        self.block = block = Block(layout.BLOCK)
        block.nodes = lay_trie(text, starts, ids)
        block.scores, block.lengths, block.longest = scores, lengths, int(lengths.max(initial=1))
        block.unknown_score = int(unknown.view(np.uint32))
        block.segment_cuts = segment_cuts(text, starts)
        if model.byte_ids:
            block.byte_ids = np.array(model.byte_ids, dtype=np.uint32)
        block.unknown = model.unk_id if model.unk_id >= 0 else NO_ID
        block.escapes = int(escape)
        # A ▁ without a piece becomes three bytes.
        spaces = laid.text[laid.starts[:-1][np.diff(laid.starts) == 1]] == 0x20
        block.ids_a_byte = 3 if model.byte_ids and escape and not spaces.any() else 1
        rules.place(block)
        block.settle()


def in_order_of_bytes(
    text: np.ndarray, starts: np.ndarray, ids: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pieces and their ids in the order of their bytes: uint8, int64[n + 1], uint32[n]."""
    count = len(ids)
    order, keys = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.uint64)
    waiting = np.empty(3 * sorting.WAITING, dtype=np.int64)
    at, ends, *work = (array.ctypes.data for array in (text, starts[1:], keys, order, waiting))
    sorting.sort_words(at, ends, count, *work)
    return *in_order(text, starts, order), ids[order].astype(np.uint32)


def _choose(weights: Sequence[float], left: float) -> int:
    """Return the number of the weight that contains the point ``left`` when the weights are laid end to end.

    Rounding can lead past the end: then it is the last weight above 0, or 0 if all are 0.
    """
    chosen = 0
    for number, weight in enumerate(weights):
        if weight > 0:
            chosen = number
            left -= weight
            if left < 0:
                break
    return chosen
