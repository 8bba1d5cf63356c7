"""One Unigram model, packed, and the calls that encode with it.

    text --kernels.normalize-->  normalised  --kernels.unigram-->  ids
                                             --kernels.lattice-->  the n best, one drawn at random

Each thread has its own cache and its own room for text; the tables are shared and never change. Ids alone come from
``encode_list``, ``encode`` and ``encode_many`` (see ``text_engine``); the others also tell what each id stands for.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.sentencepiece.normalized_text_engine import (
    Encoded,
    NormalizedTextEngine,
    encoded_text,
)
from minbpe_course.engines.sentencepiece.normalizer import normalized_with_positions
from minbpe_course.engines.sentencepiece.unigram_lattice import UnigramLattice
from minbpe_course.engines.sentencepiece.unigram_tables import UnigramTables
from minbpe_course.engines.sentencepiece.unigram_worker import UnigramWorker
from minbpe_course.model import PieceModel
from minbpe_course.reference.sampling import Random, choose


class UnigramEngine(NormalizedTextEngine):
    """One Unigram model, packed; ``old`` for one that encodes as sentencepiece did up to 0.2.1.

    >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
    >>> engine = UnigramEngine(model)
    >>> engine.encode_list("aaa a"), engine.spell([b"aaa a"]).spans.tolist()
    ([1, 3, 1], [4, 2, 4])
    """

    def __init__(self, model: PieceModel, old: bool = False) -> None:
        self.old = old
        self.unigram = UnigramTables(model, old)
        super().__init__(model)

    def n_best(self, text: bytes, number: int) -> list[tuple[Encoded, float]]:
        """Return the ``number`` best encodings of a text, best first, with their scores.

        As in sentencepiece, one alone has the score 0, and so has that of a text of which nothing is left.

        >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
        >>> [(found.ids.tolist(), score) for found, score in UnigramEngine(model).n_best(b"aaa", 3)]
        [([1, 3], -3.0), ([1, 2, 2], -4.0), ([0, 3, 2], -15.5)]
        """
        normalized, positions = normalized_with_positions(self.rules, text)
        if number <= 1 or normalized.size == 0:
            return [(self.spell([text], positions=True), 0.0)]
        seen = self._seen(normalized, positions)
        worker = self._lend_unigram()
        try:
            found = UnigramLattice(self.unigram, worker, normalized).best(number, self.old)
        finally:
            self._workers.append(worker)
        return [(encoded_text(ids, spans, *seen), score) for ids, spans, score in found]

    def sample(self, text: bytes, alpha: float, rng: Random, nbest_size: int = -1) -> Encoded:
        """Return an encoding drawn at random: from all of them, or from the ``nbest_size`` best.

        alpha : how sharply to prefer good ones; with 0 all are alike. rng : ``numpy.random.default_rng(seed)`` or
        ``random.Random(seed)``; from the same state it draws the same.

        >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
        >>> UnigramEngine(model).sample(b"aaaaa", 0.5, np.random.default_rng(1)).ids.tolist()
        [1, 3, 2, 2]
        """
        if nbest_size >= 0:
            best = self.n_best(text, nbest_size)
            logs = alpha * np.array([score for _, score in best])
            weights = np.exp(logs - logs.max())
            return best[choose(weights.tolist(), rng.random() * float(weights.sum())) if len(best) > 1 else 0][0]
        normalized, positions = normalized_with_positions(self.rules, text)
        if normalized.size == 0:
            return self.spell([text], positions=True)
        characters = int(np.count_nonzero(normalized & 0xC0 != 0x80))
        luck = np.array([rng.random() for _ in range(characters)])
        worker = self._lend_unigram()
        try:
            made = UnigramLattice(self.unigram, worker, normalized)
            ids, spans = made.draw(alpha, made.sums(alpha), luck)
        finally:
            self._workers.append(worker)
        return encoded_text(ids, spans, *self._seen(normalized, positions))

    def _new_worker(self) -> UnigramWorker:
        return UnigramWorker(self.unigram, self._objects)

    def _lend_unigram(self) -> UnigramWorker:
        worker = self._lend()
        assert isinstance(worker, UnigramWorker)
        return worker
