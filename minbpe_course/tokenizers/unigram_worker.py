"""What one thread encodes Unigram text with: room for normalised text, scratch memory, and a cache of segments."""

from __future__ import annotations

import numpy as np

from minbpe_course.packing import ID, TEXT_SLACK, zeros
from minbpe_course.tokenizers.sentencepiece_shaped.piece_worker import FIRST_TEXT, PieceWorker
from minbpe_course.tokenizers.unigram_tables import UnigramTables
from minbpe_course.tokenizers.worker import OUT_SLACK, ROOM

CACHE_ENTRIES = 1 << 16
FIRST_SCRATCH, MOST_KEPT_SCRATCH = 1 << 14, 1 << 23


class UnigramWorker(PieceWorker):
    """The state of one encoding thread: not to be used by two at a time."""

    def __init__(self, tables: UnigramTables, objects: int = 0) -> None:
        from minbpe_course.kernels import layout, segments, split, unigram

        # Not calling the parent on purpose: it gets ready what merges pairs.
        self.block = block = tables.block.copy()
        block[layout.SPLITTER] = segments.split_segments.address
        block[layout.ENCODER] = unigram.encode_document.address
        block[layout.ENDS] = np.empty(ROOM + split.SLACK, dtype=np.int64)
        block[layout.ROOM] = ROOM
        block[layout.TAIL] = np.zeros(2 * TEXT_SLACK + 64, dtype=np.uint8)
        self.short_out = block[layout.SHORT_OUT] = np.empty(layout.SHORT_IDS, dtype=np.uint32)
        block[layout.RECORDS] = np.empty((unigram.BATCH, 3), dtype=np.uint64)
        block[layout.OBJECTS] = objects
        self.address = block.address
        self._scratch(FIRST_SCRATCH)
        self._text(FIRST_TEXT)
        self.clear()

    def clear(self) -> None:
        """Forget every segment."""
        from minbpe_course.kernels import layout, unigram

        self.block[layout.CACHE] = zeros(CACHE_ENTRIES * unigram.ENTRY)
        self.block[layout.CACHE_MASK] = CACHE_ENTRIES - 1

    def mend(self, reason: int) -> None:
        """Bring what the encoder came back for."""
        from minbpe_course.kernels import layout

        if reason == layout.NEEDS_SCRATCH:
            self._scratch(self.block[layout.SCRATCH_WANTED])
        else:
            super().mend(reason)

    def make_scratch(self, size: int) -> None:
        """Make room to search a segment of so many bytes."""
        from minbpe_course.kernels import layout

        if self.block[layout.SCRATCH_SIZE] < 20 * size + 64:
            self._scratch(20 * size + 64)

    def shrink(self) -> None:
        """Let go of what an unusually long segment needed."""
        from minbpe_course.kernels import layout

        if self.block[layout.SCRATCH_SIZE] > MOST_KEPT_SCRATCH:
            self._scratch(FIRST_SCRATCH)

    def _filled(self) -> np.ndarray:
        self.shrink()
        return super()._filled()

    def spell(self, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode normalised text, uint8 with room for reading behind it; return its ids, uint32, and how many bytes
        each stands for, ▁ counted as three, int32.
        """
        from minbpe_course.kernels import layout, normalize

        block = self.block
        own, own_size = block.kept[layout.TEXT], block[layout.TEXT_SIZE]
        most = text.size * block[layout.IDS_A_BYTE] + 2 * OUT_SLACK
        spans = np.empty(most, dtype=np.int32)
        begin = text.ctypes.data
        block[layout.TEXT], block[layout.TEXT_SIZE] = text, text.size
        block[layout.AT], block[layout.END] = begin, begin + text.size
        block[layout.TEXT_END] = begin + text.size
        block[layout.LIMIT] = begin + text.size + normalize.SLACK
        block[layout.SPANS] = spans
        block[layout.FIRST_OUT] = 0
        try:
            ids = self.encode(np.empty(most, dtype=ID))
        finally:
            block[layout.TEXT], block[layout.TEXT_SIZE] = own, own_size
            block[layout.SPANS] = 0
        return ids, spans[: ids.size]
