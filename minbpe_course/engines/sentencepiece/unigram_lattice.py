"""The lattice of one text, laid by a kernel: its n best paths, and paths drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minbpe_course.engines.sentencepiece.unigram_tables import UnigramTables
from minbpe_course.engines.sentencepiece.unigram_worker import UnigramWorker
from minbpe_course.engines.text_worker import OUT_SLACK
from minbpe_course.kernels.common.memory import ID, Block

FIRST_ROOM = 1 << 12  # edges


class UnigramLattice:
    """All edges over a normalised text, uint8 with room for reading behind it, which must not be empty.

    worker : what to write ids with; nobody else may use it meanwhile.
    """

    def __init__(self, tables: UnigramTables, worker: UnigramWorker, text: np.ndarray) -> None:
        from minbpe_course.kernels.sentencepiece import lattice

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

    def best(self, number: int, old: bool) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """Return ids, spans and score of the best paths, best first."""
        from minbpe_course.kernels.sentencepiece import lattice

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
        found = lattice.best_paths(work.address, number, int(old))
        written = self._written(lattice.write_found, [(k,) for k in range(found)])
        return [(ids, spans, score) for (ids, spans), score in zip(written, scores.tolist())]

    def sums(self, theta: float) -> np.ndarray:
        """Return, for every byte of the text and its end, the log of the summed weight of all paths to it, float64."""
        from minbpe_course.kernels.sentencepiece import lattice

        sums = np.empty(self.size + 1, dtype=np.float64)
        lattice.forward(self.work.address, float(theta), sums)
        return sums

    def draw(self, theta: float, sums: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and spans of a path drawn at random; luck : float64, from 0 up to 1, one for each character."""
        from minbpe_course.kernels.sentencepiece import lattice

        return self._written(lattice.draw_path, [(float(theta), sums, luck)])[0]

    def _written(
        self, kernel: Callable[..., int], calls: Sequence[tuple[Any, ...]]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Call a kernel that writes ids and spans, once for each of ``calls``, its further arguments."""

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
            self.worker.shrink()
        return written
