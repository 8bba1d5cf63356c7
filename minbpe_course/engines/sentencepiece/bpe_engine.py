"""One BPE model, packed, and what only BPE can do: to leave merges out."""

from __future__ import annotations

from minbpe_course.engines.sentencepiece.bpe_tables import PieceTables
from minbpe_course.engines.sentencepiece.bpe_worker import PieceWorker
from minbpe_course.engines.sentencepiece.normalized_text_engine import (
    Encoded,
    NormalizedTextEngine,
    encoded_text,
)
from minbpe_course.engines.sentencepiece.normalizer import normalized_with_positions
from minbpe_course.model import PieceModel
from minbpe_course.reference.sampling import Random


class PieceEngine(NormalizedTextEngine):
    """One BPE model, packed.

    >>> engine = PieceEngine(PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1)))
    >>> engine.encode_list("aaa"), engine.spell([b"aaa"]).spans.tolist()
    ([0, 2, 1], [3, 2, 1])
    """

    def __init__(self, model: PieceModel) -> None:
        self.tables = PieceTables(model)
        super().__init__(model)

    def sample(self, text: bytes, alpha: float, rng: Random, nbest_size: int = -1) -> Encoded:
        """Return an encoding in which each merge was left out with the probability ``alpha`` (BPE-dropout).

        rng : ``random.Random(seed)`` or ``numpy.random.default_rng(seed)``; from the same state it draws the same.
        nbest_size : for other types of model.

        >>> import random
        >>> engine = PieceEngine(PieceModel(("<unk>", "▁", "a", "aa"), (0.0, -3.0, -2.0, -1.0), (2, 1, 1, 1)))
        >>> [engine.sample(b"aa", 0.5, random.Random(seed)).ids.tolist() for seed in range(3)]
        [[1, 2, 2], [1, 2, 2], [1, 3]]
        """
        normalized, positions = normalized_with_positions(self.rules, text)
        worker = self._lend()
        assert isinstance(worker, PieceWorker)
        try:
            ids, spans = worker.spell_with_dropout(normalized, alpha, int(rng.random() * 2**53))
        finally:
            self._workers.append(worker)
        return encoded_text(ids, spans, *self._seen(normalized, positions))

    def _new_worker(self) -> PieceWorker:
        return PieceWorker(self.tables, self._objects)
