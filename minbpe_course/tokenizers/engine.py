"""One vocabulary, ready to run: its tables, its splitter, its workers, and the calls into the kernels.

    text --splitter--> words --kernels.encoding--> ids

The classes that people use are thin coats around this; special tokens are theirs, not the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import Splitter, Words, repaired
from minbpe_course.errors import InvalidText
from minbpe_course.model import BytePairModel
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.tokenizers.text_engine import TextEngine
from minbpe_course.tokenizers.text_worker import OUT_SLACK
from minbpe_course.tokenizers.vocabulary_tables import VocabularyTables
from minbpe_course.tokenizers.worker import Worker


class BytePairEngine(TextEngine):
    """Encodes ordinary text with one vocabulary.

    Make one with ``from_model`` or ``from_ranks``. Threads may share one: each call works with a worker of its own.
    """

    def __init__(self, tables: VocabularyTables, splitter: Splitter, repair: bool) -> None:
        self.tables = tables
        self.splitter = splitter
        self._classes = None
        if splitter.family is not None:
            assert splitter.pattern is not None
            self._classes = unicode_tables.character_classes(patterns.engine_of(splitter.pattern))
        super().__init__(int(tables.ids[-1]) + 1, repair, direct=splitter.family is not None)

    @classmethod
    def from_model(cls, model: BytePairModel, repair: bool = False, *, proven: bool = False) -> BytePairEngine:
        """Prepare a model. Pairs merge exactly as its merges say, so this is minbpe's meaning of encoding.

        repair : replace lone surrogates as tiktoken does, in place of raising InvalidText. proven : every token of the
        model is known to be what merging its own bytes gives, which is tested otherwise.
        """
        return cls(VocabularyTables.from_model(model, proven=proven), Splitter(model.pattern), repair)

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str) -> BytePairEngine:
        """Prepare tiktoken's meaning of encoding: two neighbours merge when their joined bytes are a token, lowest id
        first.

        ``ranks`` maps bytes to ids and holds all 256 single bytes.
        """
        return cls(VocabularyTables.from_ranks(ranks), Splitter(pattern, keep_all=False), repair=True)

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText, InvalidPattern."""
        if self.splitter.family is None:
            return self._matched(text)
        return super().encode(text)

    def encode_run(self, run: Words) -> np.ndarray:
        """Return the ids of words that are already split, uint32[n]."""
        if not run.number:
            return np.empty(0, dtype=packing.ID)
        ends = np.ascontiguousarray(run.ends[: run.number]) - run.start
        out = np.empty(int(ends[-1]) + OUT_SLACK, dtype=packing.ID)
        begin = run.text.ctypes.data
        worker = self._lend()
        assert isinstance(worker, Worker)
        try:
            return worker.encode_given(begin + run.start, ends, begin + 8 * run.words.size, out)
        finally:
            self._workers.append(worker)

    def _new_worker(self) -> Worker:
        return Worker(self.tables, self.splitter.family, self._classes, self._objects)

    def _matched(self, text: str) -> np.ndarray:
        """Encode with a pattern that only ``regex`` can run."""
        try:
            parts = [self.encode_run(run) for run in self.splitter.runs(text)]
        except InvalidText:
            if not self.repair:
                raise
            parts = [self.encode_run(run) for run in self.splitter.runs(repaired(text))]
        return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID)
