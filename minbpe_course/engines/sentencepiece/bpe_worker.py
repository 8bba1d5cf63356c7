"""What one thread encodes SentencePiece BPE with: normalised text, and the caches of words."""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.sentencepiece.bpe_tables import PieceTables
from minbpe_course.engines.sentencepiece.normalized_text_worker import NormalizedTextWorker
from minbpe_course.engines.word_worker import Worker


class PieceWorker(NormalizedTextWorker, Worker):
    """The state of one encoding thread: not to be used by two at a time."""

    def __init__(self, tables: PieceTables, objects: int = 0) -> None:
        from minbpe_course.kernels.encoding import encoding
        from minbpe_course.kernels.sentencepiece import documents

        Worker.__init__(self, tables, None, None, objects)
        self.encode_parts_with(encoding.encode_text.address, documents.spell_part.address)

    def spell_with_dropout(self, text: np.ndarray, alpha: float, luck: int) -> tuple[np.ndarray, np.ndarray]:
        """As ``spell``, and each merge is left out with the probability ``alpha``. luck : what begins the random
        numbers, from 0 to 2**63 - 1.
        """
        from minbpe_course.kernels.sentencepiece import pieces

        block = self.block
        usual = block.merger
        block.merger, block.luck = pieces.drop_segment.address, luck
        block.dropout = round(min(alpha, 1.0) * 2**32)
        try:
            return self.spell(text)
        finally:
            block.merger, block.dropout = usual, 0
