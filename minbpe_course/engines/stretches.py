"""Encode many texts in several threads, which take stretches of them from one queue.

    work = Stretches(places, number)
    work.encode(worker)                 in each thread
    ids, offsets = work.finish()        when all have returned

The queue and the encoding are in ``kernels.encoding.stretches``; this file has the memory.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.workers import TextWorker
from minbpe_course.kernels.common.memory import ID, Block
from minbpe_course.kernels.lazy import layout, stretches

# The ids that a thread's room holds at least.
LEAST_ROOM = 1 << 19


class Stretches:
    """The texts at ``places``, int64[n, 2], in up to ``number`` stretches of about the same size."""

    def __init__(self, places: np.ndarray, number: int) -> None:
        self._borders, self._sizes = borders_of(places, number)
        self._counts = np.full(self._sizes.size, -1, dtype=np.int64)
        self._next, self._room = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        self._offsets = np.zeros(len(places) + 1, dtype=np.int64)
        self._ids = np.empty(0, dtype=ID)
        # Ids that are copied to their place at the end, by the number of their stretch.
        self._left: dict[int, np.ndarray] = {}
        queue = self._queue = Block(layout.QUEUE)
        queue.places, queue.borders, queue.sizes, queue.number = places, self._borders, self._sizes, self._sizes.size
        queue.next, queue.counts, queue.offsets, queue.room = self._next, self._counts, self._offsets, self._room

    def encode(self, worker: TextWorker) -> None:
        """Encode stretches until none is left."""
        share = Block(layout.SHARE)
        share.held = np.empty((stretches.MOST_HELD, 3), dtype=np.int64)
        worker.set_out(worker.room(LEAST_ROOM))
        try:
            while True:
                share.room = worker.out.ctypes.data
                share.room_end = share.room + worker.out.nbytes
                reason = stretches.encode_stretches(worker.address, self._queue.address, share.address)
                if reason == layout.NEEDS_ROOM:
                    self._leave(worker, share)
                    wanted = int(self._sizes[share.stretch]) + stretches.AFTER
                    worker.set_out(worker.room(max(wanted, LEAST_ROOM)))
                    share.first = 0
                elif reason == layout.NEEDS_IDS:
                    self._offer_ids()
                elif reason == layout.DONE:
                    self._leave(worker, share)
                    return
                elif reason != layout.PAUSES:
                    worker.provide(reason)
        except BaseException:
            # Ctrl-C, or no memory: the other threads stop as well.
            self._next[0] = self._sizes.size
            raise
        finally:
            worker.take_ids()

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts, uint32, and where those of each begin and the last one ends, int64[n + 1]."""
        starts = np.concatenate([[0], np.cumsum(self._counts)])
        self._ids.resize(starts[-1], refcheck=False)
        for stretch, ids in self._left.items():
            start, (begin, stop) = starts[stretch], self._borders[stretch : stretch + 2]
            self._ids[start : start + ids.size] = ids
            self._offsets[begin + 1 : stop + 1] += start
        return self._ids, self._offsets

    def _leave(self, worker: TextWorker, share: Block) -> None:
        """Leave the ids that the thread holds to ``finish``."""
        for stretch, first, count in share.kept["held"][share.held_from : share.held_to].tolist():
            self._left[stretch] = worker.out[first >> 2 : (first >> 2) + count].copy()
        share.held_from = share.held_to = 0

    def _offer_ids(self) -> None:
        """Get memory for all ids, by what the first stretch took.

        Memory for one id for each byte would do for any text, but so much is always fresh memory, which costs as much
        time as the encoding. The C library still has about as much as the ids of the last batch took.
        """
        expected = int(self._counts[0]) * int(self._sizes.sum()) // max(1, int(self._sizes[0]))
        self._ids = np.empty(expected + expected // 8, dtype=ID)
        stretches.offer_ids(self._queue.address, self._ids.ctypes.data, self._ids.size)


def borders_of(places: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where up to ``number`` stretches of about the same size begin and the last one ends, and their sizes."""
    ahead = np.concatenate([[0], np.cumsum(places[:, 1])])
    total = int(ahead[-1])
    middle = np.searchsorted(ahead, [total * k // number for k in range(1, number)])
    borders = np.unique(np.concatenate([[0], middle, [len(places)]]))
    return borders, np.diff(ahead[borders])
