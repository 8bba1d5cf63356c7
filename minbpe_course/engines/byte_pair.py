"""One byte-level vocabulary, ready to encode with: its tables, its splitter, its workers.

    text --splitter--> words --kernels.encoding--> ids

The engine encodes ordinary text. Special tokens belong to the tokenizer classes, which are built on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.text_engine import TextEngine, join_ids
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.engines.word_ends import MARK, with_marks
from minbpe_course.engines.workers import OUT_SLACK, WordWorker
from minbpe_course.errors import InvalidText
from minbpe_course.kernels.common.memory import ID, padded
from minbpe_course.kernels.lazy import lists, machine, merging
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.splitting.splitter import Splitter, Words, must_be_text, repaired
from minbpe_course.splitting.step_splitter import StepSplitter
from minbpe_course.text.normalizer_steps import normalizer


class BytePairEngine(TextEngine[WordWorker]):
    """Encodes ordinary text with one vocabulary.

    Make one with ``from_model`` or ``from_vocabulary``. Threads may share it: each call borrows a separate worker.
    """

    def __init__(
        self,
        tables: VocabularyTables,
        splitter: Splitter | StepSplitter,
        repair: bool,
        normalization: tuple[tuple[Any, ...], ...] = (),
        prefix_space: bool = False,
        whole: Mapping[bytes, int] = MappingProxyType({}),
        lacking: Lacking | None = None,
    ) -> None:
        self.tables = tables
        self.splitter = splitter
        self.composes = normalization == (("NFC",),)
        self._normalize = normalizer(normalization) if normalization else None
        self._prefix_space = prefix_space
        # Tokens that are taken whole, for words that are not UTF-8 and that kernels therefore cannot look up.
        self._whole = whole
        self._changes = self._normalize is not None or prefix_space
        # Whether the ids are those of the text as it is, so that decoding gives it back.
        self.keeps_text = not self._changes
        self._uses_trie = True
        # Bytes without a token, if a text may have them.
        self._lacking = lacking
        super().__init__(int(tables.ids.max()) + 1, repair, direct=splitter.direct and lacking is None)
        # Whether ``encode_places`` may be called: the text stays unchanged, and kernels split it.
        self.reads_utf8 = self._direct and not self._changes

    @property
    def needs_whole_texts(self) -> bool:
        """Whether a part of a text may have other words than it has in the whole text, wherever the text is cut."""
        if self._changes and not (self.composes and not self._prefix_space):
            return True
        return isinstance(self.splitter, StepSplitter) and self.splitter.cut_places is None

    @classmethod
    def from_model(cls, model: BytePairModel, repair: bool = False, *, proven: bool = False) -> BytePairEngine:
        """Return an engine that merges pairs exactly as the merges of ``model`` say, as minbpe does.

        repair : replace lone surrogates as tiktoken does instead of raising InvalidText. proven : skip the test whether
        merging the bytes of each token gives that token.
        """
        return cls(VocabularyTables.from_model(model, proven=proven), Splitter(model.pattern), repair)

    @classmethod
    def from_vocabulary(cls, model: VocabularyModel, repair: bool = False, *, keep_all: bool = True) -> BytePairEngine:
        """Return the engine of a vocabulary with any ids, by its merges or by ranks, without special tokens and frame.

        repair : as for ``from_model``. keep_all : text between the matches of the split pattern raises InvalidPattern;
        otherwise it is dropped, as in tiktoken.

        >>> tokens = {300 - byte: bytes([byte]) for byte in range(256)} | {2**31: b"ab", 7: b"abc"}
        >>> model = VocabularyModel(tokens, merges=[(203, 202, 2**31)], whole_words=True)
        >>> engine = BytePairEngine.from_vocabulary(model)
        >>> engine.encode("abc").tolist(), engine.encode("abcd").tolist()
        ([7], [2147483648, 201, 200])
        """
        one = Splitter(model.pattern, keep_all=keep_all, engine=model.pattern_engine)
        splitter: Splitter | StepSplitter = one
        if model.split_steps or model.word_end:
            splitter = StepSplitter(model.split_steps, one, MARK if model.word_end else b"")
        tables = VocabularyTables.from_vocabulary(with_marks(model) if model.word_end else model)
        whole = model.ranks if model.whole_words and model.split_steps else {}
        lacking = None
        if IN_TEXTS.intersection(model.lacking):
            lacking = Lacking(model.vocab_size, model.lacking, model.unknown, model.fuse_unknown)
        return cls(tables, splitter, repair, model.normalization_steps, model.prefix_space, whole, lacking)

    def encode(self, text: str, *, normalized: bool = False) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]; normalized : the text is a result of ``normalized`` already.

        Raises NotText, InvalidText, InvalidPattern.
        """
        if self._changes:
            text = self.prefixed(text) if normalized else self.prepared(text)
        return self._encode_prepared(text)

    def count(self, text: str, *, normalized: bool = False) -> int:
        """Return how many ids ``encode`` gives."""
        if self._changes:
            text = self.prefixed(text) if normalized else self.prepared(text)
        return super().count(text) if self._direct else self._encode_prepared(text).size

    def count_many(self, texts: Iterable[Any], num_threads: int) -> np.ndarray:
        """Return how many ids ``encode`` gives for each text, int64[n]."""
        if not self._direct:
            return super().count_many(texts, num_threads)
        return super().count_many(map(self.prepared, texts) if self._changes else texts, num_threads)

    def encode_many(
        self, texts: Iterable[Any], num_threads: int | None = None, *, normalized: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, one text after the other, and where those of each begin, int64[n + 1].

        num_threads : at most so many texts at a time; None for as many as there are cores · normalized : as for
        ``encode``.
        """
        if self._changes:
            texts = map(self.prefixed if normalized else self.prepared, texts)
        if not self._direct:
            return join_ids([self._encode_prepared(text) for text in list(texts)])
        return super().encode_many(texts, num_threads)

    def _encode_prepared(self, text: str) -> np.ndarray:
        ids = super().encode(text) if self.splitter.direct else self._encode_split_before(text)
        if self._lacking is None or ids.max(initial=0) < self._lacking.first:
            return ids
        runs = self.splitter.runs(repaired(text) if self.repair else text)
        return join_ids([part for run in runs for part in self._encode_lacking(run, self._lacking)])[0]

    def _encode_lacking(self, run: Words, lacking: Lacking) -> Iterator[np.ndarray]:
        """Yield the ids of words of which some have bytes without a token."""
        begin = run.start
        for number, end in enumerate(run.ends[: run.number].tolist()):
            word = run.text[begin:end].tobytes()
            begin = end
            parts = lacking.parts(word)
            if len(parts) == 1:
                yield self.encode_parts(_part(run, number, number + 1))
            elif lacking.unknown is None and not lacking.fuse:
                yield np.array(self.merge_word(b"".join(parts)), dtype=ID)
            else:
                for place, part in enumerate(parts):
                    fused = lacking.fuse and place > 1 and not parts[place - 1]
                    if place and lacking.unknown is not None and not fused:
                        yield np.array([lacking.unknown], dtype=ID)
                    yield np.array(self.merge_word(part), dtype=ID)

    def encode_run(self, run: Words) -> np.ndarray:
        """Return the ids of words that are already split, uint32[n]."""
        if not run.number:
            return np.empty(0, dtype=ID)
        ends = np.ascontiguousarray(run.ends[: run.number]) - run.start
        out = np.empty(int(ends[-1]) + OUT_SLACK, dtype=ID)
        begin = run.text.ctypes.data
        worker = self._borrow_worker()
        try:
            return worker.encode_given(begin + run.start, ends, begin + 8 * run.words.size, out)
        finally:
            self._workers.append(worker)

    def encode_parts(self, run: Words) -> np.ndarray:
        """Encode as ``encode_run`` does, for words that may begin or end inside a character.

        The kernels read characters, so each word that is not UTF-8 is merged separately.
        """
        data = run.text[run.start :].tobytes()
        ends = run.ends[: run.number] - run.start
        parts: list[np.ndarray] = []
        begin = done = 0
        for number, end in enumerate(ends.tolist()):
            word = data[begin:end]
            if not _is_text(word):
                parts.append(self.encode_run(_part(run, done, number)))
                whole = self._whole.get(word)
                ids = self.merge_word(word) if whole is None else [whole]
                parts.append(np.array(ids, dtype=ID))
                done = number + 1
            begin = end
        return np.concatenate([*parts, self.encode_run(_part(run, done, run.number))])

    def merge_word(self, word: bytes) -> list[int]:
        """Return the ids of one word, any bytes, by merging alone, even where the word itself is a token.

        >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"nd", 257: b"abc"}
        >>> engine = BytePairEngine.from_vocabulary(VocabularyModel(tokens))
        >>> engine.merge_word(bytes([167]) + b"nd"), engine.merge_word(b"abc")
        ([167, 256], [97, 98, 99])
        """
        block = self.tables.block.copy()
        data, _ = padded(word)
        out = np.empty(len(word) + 4, dtype=ID)
        block.scratch = np.empty(len(word) * merging.HEAP_BYTES + 64, dtype=np.uint8)
        block.piece, block.piece_length, block.piece_out = data, len(word), out
        end = machine.run(merging.merge_piece.address, block.address) if word else out.ctypes.data
        return out[: (end - out.ctypes.data) >> 2].tolist()

    def without_trie(self) -> BytePairEngine:
        """Return an engine with the same tables that merges every long word with a heap.

        The trie is up to eight times slower on runs of one character of which the vocabulary has tokens of any length.
        """
        other = copy(self)
        other._uses_trie = False
        other._begin_workers()
        return other

    def _new_worker(self) -> WordWorker:
        splitter = self.splitter if isinstance(self.splitter, Splitter) else None
        worker = WordWorker(self.tables, splitter, self._objects)
        if not self._uses_trie:
            worker.block.heap_first = 0
        return worker

    def normalized(self, text: str) -> str:
        """Return the text after normalization; lone surrogates stay."""
        if self._normalize is None:
            return text
        return self._normalize(repaired(must_be_text(text)) if self.repair else must_be_text(text))

    def prepared(self, text: str) -> str:
        """Return the text that is split into words: normalized, and with the space that the model puts first."""
        return self.prefixed(self.normalized(text))

    def prefixed(self, text: str) -> str:
        """Return a normalized text with the space that the model puts first."""
        if self._prefix_space and must_be_text(text) and not text.startswith(" "):
            return " " + text
        return text

    def _list_encoder(self) -> Callable[[Any], list[int]]:
        if not self._changes:
            return super()._list_encoder()
        if not self.composes or self._prefix_space or not self._direct:
            encode, list_from = self.encode, lists.list_from
            return lambda text: list_from(encode(text))
        encode_list = super()._list_encoder()
        return lambda text: encode_list(text if type(text) is str and text.isascii() else self.normalized(text))

    def _encode_split_before(self, text: str) -> np.ndarray:
        """Encode with a splitter that the encoder cannot call: a pattern that is not regular, or several steps."""
        steps = isinstance(self.splitter, StepSplitter) and self.splitter.splits_characters
        encode = self.encode_parts if steps else self.encode_run
        try:
            parts = [encode(run) for run in self.splitter.runs(text)]
        except InvalidText:
            if not self.repair:
                raise
            parts = [encode(run) for run in self.splitter.runs(repaired(text))]
        return join_ids(parts)[0]


# The other bytes never occur in UTF-8.
IN_TEXTS = frozenset(range(256)) - {0xC0, 0xC1, *range(0xF5, 256)}


class Lacking(NamedTuple):
    """Bytes without a token.

    first : the first id that stands for one of them in the tables · single : which they are · unknown : the id that a
    text has in their place, None for nothing · fuse : whether adjacent ones become one id or, without one, keep the
    parts of the word on both sides apart.
    """

    first: int
    single: bytes
    unknown: int | None
    fuse: bool

    def parts(self, word: bytes) -> list[bytes]:
        """Return the parts of a word between such bytes."""
        return re.split(b"[" + re.escape(self.single) + b"]", word)


def _is_text(word: bytes) -> bool:
    if word.isascii():
        return True
    try:
        word.removesuffix(MARK).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _part(run: Words, begin: int, end: int) -> Words:
    """Return the words ``begin`` to ``end`` of a run."""
    start = int(run.ends[begin - 1]) if begin else run.start
    return Words(run.text, run.words, start, run.ends[begin:end], end - begin)
