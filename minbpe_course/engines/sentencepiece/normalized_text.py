"""SentencePiece models whose text is normalised and then encoded by kernels: the common part of BPE and Unigram.

    text --kernels.normalize-->  normalised  --kernels.documents-->  ids

Each thread has its own caches and its own memory for text; the tables are shared. ``encode_list``,
``encode`` and ``encode_many`` give ids (see ``text_engine``); ``spell`` also gives the text that each id stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from minbpe_course.engines.sentencepiece.normalizer import PieceNormalizer, normalized_with_positions, room_to_grow
from minbpe_course.engines.sentencepiece.piece_layout import outside, outside_positions
from minbpe_course.engines.text_engine import TextEngine, join_ids
from minbpe_course.engines.workers import OUT_SLACK, TextWorker
from minbpe_course.kernels.common.memory import ID
from minbpe_course.kernels.lazy import documents, encoding, layout, normalize, segments
from minbpe_course.model import PieceModel
from minbpe_course.splitting.splitter import utf8_or_bytes

# The memory for normalised text at first.
FIRST_TEXT = 1 << 13

_NO_POSITIONS = np.empty(0, np.int64)

Spelling = TypeVar("Spelling", bound="NormalizedTextWorker")


class Random(Protocol):
    """A source of random numbers, such as ``random.Random(seed)`` or ``numpy.random.default_rng(seed)``."""

    def random(self) -> float:
        """Return the next number, from 0 up to, not including, 1."""


class Encoded(NamedTuple):
    """One encoded text.

    ids : uint32 · spans : int32, how many bytes of ``normalized`` each id stands for · normalized : uint8 · positions :
    int64, the place in the text of every byte of ``normalized`` and of its end, empty unless asked for · places :
    int64[n, 2], where in the text each id begins and ends, in place of the last three.
    """

    ids: np.ndarray
    spans: np.ndarray
    normalized: np.ndarray
    positions: np.ndarray
    places: np.ndarray | None = None

    @classmethod
    def of_lists(cls, ids: list[int], spans: list[int], normalized: bytes, positions: list[int]) -> Encoded:
        """Return the same from lists."""
        text = np.frombuffer(normalized, dtype=np.uint8)
        return cls(np.array(ids, dtype=ID), np.array(spans, np.int32), text, np.array(positions, np.int64))


class NormalizedTextEngine(TextEngine[Spelling], PieceNormalizer):
    """The base of the engines whose text is normalised and then encoded by kernels."""

    def __init__(self, model: PieceModel) -> None:
        PieceNormalizer.__init__(self, model)
        TextEngine.__init__(self, len(model), repair=False, direct=True)

    def encode(self, text: str | bytes) -> np.ndarray:
        """Return the ids of a text, uint32[n]. Each byte that is not UTF-8 counts as U+FFFD.

        Raises NotText, InvalidText for a lone surrogate.
        """
        if isinstance(text, bytes) and not _is_utf8(text):
            return self.spell(text).ids
        return super().encode(text)

    def count(self, text: str | bytes) -> int:
        """Return how many ids ``encode`` gives."""
        if isinstance(text, bytes) and not _is_utf8(text):
            return self.spell(text).ids.size
        return super().count(text)

    def encode_many(
        self, texts: Iterable[str | bytes], num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, one text after the other, and where those of each begin, int64[n + 1].

        num_threads : at most so many texts at a time; None for as many as there are cores.
        """
        listed = list(texts)
        broken = {number: text for number, text in enumerate(listed) if isinstance(text, bytes) and not _is_utf8(text)}
        for number in broken:
            listed[number] = b""
        ids, offsets = super().encode_many(listed, num_threads)
        if broken:
            # Broken texts were encoded as empty ones; insert their ids.
            own = {number: self.spell(text).ids for number, text in broken.items()}
            parts = [own.get(number, ids[begin:end]) for number, (begin, end) in enumerate(pairwise(offsets.tolist()))]
            ids, offsets = join_ids(parts)
        return ids, offsets

    def spell(self, text: bytes, positions: bool = False) -> Encoded:
        """Encode a text; return its ids and the bytes that each id stands for."""
        normalized, places = normalized_with_positions(self.rules, text)
        worker = self._borrow_worker()
        try:
            ids, spans = worker.spell(normalized)
        finally:
            self._workers.append(worker)
        return Encoded(ids, spans, *self._seen(normalized, places if positions else _NO_POSITIONS))

    def _bytes_of(self, text: Any) -> bytes:
        return utf8_or_bytes(text)

    def _seen(self, normalized: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return normalised text with ▁ for its spaces, and the positions of its bytes, if any are given."""
        if self.rules.escape and positions.size:
            positions = outside_positions(normalized, positions)
        return np.frombuffer(outside(normalized.tobytes(), self.rules.escape), dtype=np.uint8), positions


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class NormalizedTextWorker(TextWorker):
    """A worker with memory for normalised text, which encodes the parts of a text between user-defined pieces."""

    _spelling: int

    def encode_parts_with(self, part_encoder: int, spelling: int) -> None:
        """Set the kernels that encode a part: a fast one, and one that also writes spans."""
        block = self.block
        block.splitter = segments.split_segments.address
        block.encoder = documents.encode_document.address
        block.part_encoder = part_encoder
        self._spelling = spelling
        # Without ids for bytes, adjacent unknown ids become one at the end.
        self.replaces = part_encoder == encoding.encode_text.address and block.byte_ids != 0
        self._set_text_memory(FIRST_TEXT)

    def provide(self, reason: int) -> None:
        """Bring what the encoder asked for when it returned with ``reason``."""
        if reason == layout.NEEDS_TEXT:
            self._set_text_memory(room_to_grow(self.block.text_wanted, self.block.end - self.block.at))
            self.swell()
        elif reason == layout.NEEDS_OUT:
            self._grow_out()
        else:
            super().provide(reason)

    def spell(self, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of normalised text, uint32, and how many bytes each stands for (▁ counts as three), int32.

        text : uint8, with memory after it that kernels may read.
        """
        block = self.block
        own, own_size, own_encoder = block.kept["text"], block.text_size, block.part_encoder
        most = text.size * block.ids_a_byte + 2 * OUT_SLACK
        spans = np.empty(most, dtype=np.int32)
        begin = text.ctypes.data
        block.text, block.text_size, block.text_end = text, text.size, begin + text.size
        block.at = block.end = begin
        block.limit = begin + text.size + normalize.SLACK
        block.spans, block.part_encoder = spans, self._spelling
        block.first_out = 0
        try:
            ids = self.encode(np.empty(most, dtype=ID))
        finally:
            block.text, block.text_size, block.part_encoder = own, own_size, own_encoder
            block.spans = 0
        return ids, spans[: ids.size]

    def _set_text_memory(self, size: int) -> None:
        # Kernels read in windows, up to 64 bytes past the end of the text.
        self.block.text = np.empty(size + 2 * normalize.SLACK, dtype=np.uint8)
        self.block.text_size = size + normalize.SLACK
        self._text_bytes = size + 2 * normalize.SLACK

    def _grow_out(self) -> None:
        """Get memory for the ids of the text that was just normalised, and as much again for the texts after it."""
        block = self.block
        used = (block.out - self.out.ctypes.data) >> 2
        most = (block.text_end - block.text) * block.ids_a_byte
        out = np.empty(2 * self.out.size + most + 2 * OUT_SLACK, dtype=ID)
        out[:used] = self.out[:used]
        self.out = out
        block.out, block.out_end = out, out.ctypes.data + out.nbytes
        block.out = out.ctypes.data + 4 * used

    def _shrink(self) -> None:
        super()._shrink()
        # Where there are spans, the text belongs to the caller of ``spell``.
        if not self.block.spans:
            self._set_text_memory(FIRST_TEXT)
