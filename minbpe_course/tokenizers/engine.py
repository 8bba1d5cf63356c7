"""One vocabulary, ready to run: its tables, its splitter, and the calls into the kernels.

    text --splitter--> words --kernels.encoding--> ids

The classes that people use are thin coats around this; special tokens are theirs, not the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import Splitter, Words, repaired, utf8
from minbpe_course.errors import InvalidText
from minbpe_course.model import BytePairModel
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.tokenizers.vocabulary_tables import VocabularyTables
from minbpe_course.tokenizers.worker import Worker

# Ids that a text may have beyond one a byte: the kernels store four at a time.
OUT_SLACK = 4


class BytePairEngine:
    """Encodes ordinary text with one vocabulary.

    Make one with ``from_model`` or ``from_ranks``. Threads may share one: each call works with a worker of its own.
    """

    def __init__(self, tables: VocabularyTables, splitter: Splitter, repair: bool) -> None:
        self.tables = tables
        self.splitter = splitter
        self.repair = repair
        self._classes = None
        if splitter.family is not None:
            assert splitter.pattern is not None
            self._classes = unicode_tables.character_classes(patterns.engine_of(splitter.pattern))
        self._workers = [Worker(tables, splitter.family, self._classes)]

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
        try:
            return self._encode(text)
        except InvalidText:
            if not self.repair:
                raise
            return self._encode(repaired(text))

    def clear_caches(self) -> None:
        """Forget the words of earlier texts; only the speed of the next calls depends on them."""
        for worker in self._workers:
            worker.clear()

    def encode_run(self, run: Words) -> np.ndarray:
        """Return the ids of words that are already split, uint32[n]."""
        size = int(run.ends[run.number - 1]) - run.start if run.number else 0
        out = np.empty(size + OUT_SLACK, dtype=packing.ID)
        worker = self._lend()
        try:
            return out[: self._encode_run(worker, run, out.ctypes.data)].copy()
        finally:
            self._workers.append(worker)

    def _lend(self) -> Worker:
        try:
            return self._workers.pop()
        except IndexError:
            return Worker(self.tables, self.splitter.family, self._classes)

    def _encode(self, text: str) -> np.ndarray:
        if self.splitter.family is None:
            parts = [self.encode_run(run) for run in self.splitter.runs(text)]
            return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID)
        data = np.frombuffer(utf8(text), dtype=np.uint8)
        out = np.empty(data.size + OUT_SLACK, dtype=packing.ID)
        worker = self._lend()
        try:
            begin = data.ctypes.data
            end = begin + data.size
            used = (worker.encode(begin, end, end, out.ctypes.data) - out.ctypes.data) >> 2
        finally:
            self._workers.append(worker)
        out.resize(used, refcheck=False)
        return out

    def _encode_run(self, worker: Worker, run: Words, out: int) -> int:
        begin = run.text.ctypes.data
        limit = begin + 8 * run.words.size
        if not run.number:
            return 0
        ends = np.ascontiguousarray(run.ends[: run.number])
        end = worker.encode_given(begin + run.start, ends - run.start, limit, out)
        return (end - out) >> 2
