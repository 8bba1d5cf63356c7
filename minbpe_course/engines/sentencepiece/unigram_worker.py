"""What one thread encodes Unigram text with: normalised text, scratch memory, and a cache of segments."""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.sentencepiece.normalized_text_worker import NormalizedTextWorker
from minbpe_course.engines.sentencepiece.unigram_tables import UnigramTables
from minbpe_course.engines.text_worker import FIRST_SCRATCH
from minbpe_course.kernels.common.memory import zeros

CACHE_ENTRIES = 1 << 16
MOST_KEPT_SCRATCH = 1 << 23


class UnigramWorker(NormalizedTextWorker):
    """The state of one encoding thread: not to be used by two at a time."""

    def __init__(self, tables: UnigramTables, objects: int = 0) -> None:
        from minbpe_course.kernels.sentencepiece import documents, segments, unigram

        block = tables.block.copy()
        super().__init__(block, segments.split_segments.address, documents.encode_document.address, objects)
        block.records = np.empty((unigram.BATCH, 3), dtype=np.uint64)
        self.encode_parts_with(unigram.encode_part.address, unigram.encode_part.address)
        self.clear()

    def clear(self) -> None:
        """Forget every segment."""
        from minbpe_course.kernels.sentencepiece import unigram

        self.block.cache = zeros(CACHE_ENTRIES * unigram.ENTRY)
        self.block.cache_mask = CACHE_ENTRIES - 1

    def make_scratch(self, size: int) -> None:
        """Make room to search a segment of so many bytes."""

        if self.block.scratch_size < 20 * size + 64:
            self._scratch(20 * size + 64)

    def shrink(self) -> None:
        """Let go of what an unusually long segment needed."""

        if self.block.scratch_size > MOST_KEPT_SCRATCH:
            self._scratch(FIRST_SCRATCH)

    def _filled(self) -> np.ndarray:
        self.shrink()
        return super()._filled()
