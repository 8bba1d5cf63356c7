"""One vocabulary, ready to run: its tables, its splitter, its workers, and the calls into the kernels.

    text --splitter--> words --kernels.encoding--> ids

The classes that people use are thin coats around this; special tokens are theirs, not the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import Splitter, Words, must_be_text, repaired
from minbpe_course.errors import InvalidText
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.tables.vocabulary_tables import VocabularyTables
from minbpe_course.text import unicode_tables
from minbpe_course.text.composing import nfc
from minbpe_course.tokenizers.text_engine import TextEngine
from minbpe_course.tokenizers.text_worker import OUT_SLACK
from minbpe_course.tokenizers.worker import Worker


class BytePairEngine(TextEngine):
    """Encodes ordinary text with one vocabulary.

    Make one with ``from_model``, ``from_vocabulary`` or ``from_ranks``. Threads may share one: each call works with a
    worker of its own.
    """

    def __init__(
        self, tables: VocabularyTables, splitter: Splitter, repair: bool, normalization: str | None = None
    ) -> None:
        self.tables = tables
        self.splitter = splitter
        self.composes = normalization == "NFC"
        self._classes = None
        if splitter.family is not None:
            self._classes = unicode_tables.character_classes(splitter.engine)
        super().__init__(int(tables.ids.max()) + 1, repair, direct=splitter.family is not None)

    @classmethod
    def from_model(cls, model: BytePairModel, repair: bool = False, *, proven: bool = False) -> BytePairEngine:
        """Prepare a model. Pairs merge exactly as its merges say, so this is minbpe's meaning of encoding.

        repair : replace lone surrogates as tiktoken does, in place of raising InvalidText. proven : every token of the
        model is known to be what merging its own bytes gives, which is tested otherwise.
        """
        return cls(VocabularyTables.from_model(model, proven=proven), Splitter(model.pattern), repair)

    @classmethod
    def from_vocabulary(cls, model: VocabularyModel, repair: bool = False, *, keep_all: bool = True) -> BytePairEngine:
        """Prepare a vocabulary with any ids, by its merges or by ranks; special tokens and the frame are not its part.

        repair : as for ``from_model``. keep_all : what the split pattern leaves between its matches raises
        InvalidPattern; otherwise it is left out, as tiktoken does.

        >>> tokens = {300 - byte: bytes([byte]) for byte in range(256)} | {2**31: b"ab", 7: b"abc"}
        >>> model = VocabularyModel(tokens, merges=[(203, 202, 2**31)], whole_words=True)
        >>> engine = BytePairEngine.from_vocabulary(model)
        >>> engine.encode("abc").tolist(), engine.encode("abcd").tolist()
        ([7], [2147483648, 201, 200])
        """
        splitter = Splitter(model.pattern, keep_all=keep_all, engine=model.pattern_engine)
        return cls(VocabularyTables.from_vocabulary(model), splitter, repair, model.normalization)

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str) -> BytePairEngine:
        """Prepare tiktoken's meaning of encoding: two neighbours merge when their joined bytes are a token, lowest id
        first.

        ``ranks`` maps bytes to ids and holds all 256 single bytes.
        """
        return cls(
            VocabularyTables.from_ranks(ranks), Splitter(pattern, keep_all=False, engine="tiktoken"), repair=True
        )

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText, InvalidPattern."""
        text = self.normalized(text)
        if self.splitter.family is None:
            return self._matched(text)
        return super().encode(text)

    def encode_many(self, texts: Iterable[Any], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts one behind the other, uint32, and int64[n + 1]: where each text's ids begin.

        num_threads : how many texts at a time, at most; as many as there are cores if None.
        """
        if self.composes and self.splitter.family is not None:
            # Without a scanner ``encode`` is called for each text, and sees to it.
            texts = map(self.normalized, texts)
        return super().encode_many(texts, num_threads)

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

    def merge_word(self, word: bytes) -> list[int]:
        """Return the ids of one word by merging alone: any bytes, and not looked up even where they are a token.

        >>> engine = BytePairEngine.from_ranks({bytes([b]): b for b in range(256)} | {b"nd": 256, b"abc": 257}, ".+")
        >>> engine.merge_word(bytes([167]) + b"nd"), engine.merge_word(b"abc")
        ([167, 256], [97, 98, 99])
        """
        from minbpe_course.kernels import layout, machine, merging

        block = self.tables.block.copy()
        data, _ = packing.padded(word)
        out = np.empty(len(word) + 4, dtype=packing.ID)
        block[layout.SCRATCH] = np.empty(len(word) * merging.HEAP_BYTES + 64, dtype=np.uint8)
        block[layout.PIECE], block[layout.PIECE_LENGTH], block[layout.PIECE_OUT] = data, len(word), out
        end = machine.run(merging.merge_piece.address, block.address) if word else out.ctypes.data
        return out[: (end - out.ctypes.data) >> 2].tolist()

    def _new_worker(self) -> Worker:
        return Worker(self.tables, self.splitter.family, self._classes, self._objects)

    def normalized(self, text: str) -> str:
        """The text as its words are to be found, still with lone surrogates, if any."""
        if not self.composes:
            return text
        return nfc(repaired(must_be_text(text)) if self.repair else must_be_text(text))

    def _list_encoder(self) -> Callable[[Any], list[int]]:
        encode_list = super()._list_encoder()
        if not self.composes:
            return encode_list
        return lambda text: encode_list(text if type(text) is str and text.isascii() else self.normalized(text))

    def _matched(self, text: str) -> np.ndarray:
        """Encode with a pattern that only ``regex`` can run."""
        try:
            parts = [self.encode_run(run) for run in self.splitter.runs(text)]
        except InvalidText:
            if not self.repair:
                raise
            parts = [self.encode_run(run) for run in self.splitter.runs(repaired(text))]
        return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID)
