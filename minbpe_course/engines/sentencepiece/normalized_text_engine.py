"""A SentencePiece model whose text is normalised and then encoded by kernels: what BPE and Unigram share.

    text --kernels.normalize-->  normalised  --kernels.documents-->  ids

Each thread has its own caches and its own room for text; the tables are shared and never change. Ids alone come from
``encode_list``, ``encode`` and ``encode_many`` (see ``text_engine``); ``spell`` also tells what each id stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.layouts.pieces import outside, outside_positions
from minbpe_course.engines.sentencepiece.normalized_text_worker import NormalizedTextWorker
from minbpe_course.engines.sentencepiece.normalizer import PieceNormalizer, normalized_with_positions
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.kernels.common import memory as packing
from minbpe_course.model import PieceModel
from minbpe_course.splitting.words import utf8_or_bytes

_NOTHING = np.empty(0, np.int64)
_NO_SPANS = np.empty(0, np.int32)


class Encoded(NamedTuple):
    """Some encoded texts.

    ids : uint32 of all texts · ends : int64, where each text's ids end · spans : int32, how many bytes of
    ``normalized`` each id stands for · normalized : uint8 · normalized_ends : int64 · positions : int64, the place in
    the text of every byte of ``normalized`` and of its end, empty unless asked for (of one text only).
    """

    ids: np.ndarray
    ends: np.ndarray
    spans: np.ndarray
    normalized: np.ndarray
    normalized_ends: np.ndarray
    positions: np.ndarray


class NormalizedTextEngine(TextEngine, PieceNormalizer):
    """The part of an engine that all models share whose parts are encoded by a kernel."""

    def __init__(self, model: PieceModel) -> None:
        PieceNormalizer.__init__(self, model)
        TextEngine.__init__(self, len(model), repair=False, direct=True)

    def encode(self, text: str | bytes) -> np.ndarray:
        """Return the ids of a text, uint32[n]. Bytes that are no UTF-8 count as U+FFFD, one by one.

        Raises NotText, UnencodableText for a lone surrogate.
        """
        if isinstance(text, bytes) and not _is_utf8(text):
            return self.spell([text]).ids
        return super().encode(text)

    def encode_many(
        self, texts: Iterable[str | bytes], num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts one behind the other, uint32, and int64[n + 1]: where each text's ids begin.

        num_threads : how many texts at a time, at most; as many as there are cores if None.
        """
        listed = list(texts)
        broken = {number: text for number, text in enumerate(listed) if isinstance(text, bytes) and not _is_utf8(text)}
        for number in broken:
            listed[number] = b""
        ids, offsets = super().encode_many(listed, num_threads)
        if broken:
            # Few texts are: what they give is put where nothing was.
            own = {number: self.spell([text]).ids for number, text in broken.items()}
            parts = [own.get(number, ids[begin:end]) for number, (begin, end) in enumerate(pairwise(offsets.tolist()))]
            ids = np.concatenate(parts)
            offsets = np.cumsum([0, *(part.size for part in parts)], dtype=np.int64)
        return ids, offsets

    def spell(self, texts: Sequence[bytes], positions: bool = False) -> Encoded:
        """Encode texts and tell what each id stands for."""
        parts = [self._spelled(text, positions) for text in texts]
        if len(parts) == 1:
            return parts[0]
        ends = np.cumsum([part.ids.size for part in parts], dtype=np.int64)
        normalized_ends = np.cumsum([part.normalized.size for part in parts], dtype=np.int64)
        if not parts:
            return Encoded(np.empty(0, packing.ID), ends, _NO_SPANS, np.empty(0, np.uint8), normalized_ends, _NOTHING)
        joined = [np.concatenate([part[at] for part in parts]) for at in (0, 2, 3)]
        return Encoded(joined[0], ends, joined[1], joined[2], normalized_ends, _NOTHING)

    def _lend(self) -> NormalizedTextWorker:
        worker = super()._lend()
        assert isinstance(worker, NormalizedTextWorker)
        return worker

    def _bytes_of(self, text: Any) -> bytes:
        return utf8_or_bytes(text)

    def _spelled(self, text: bytes, positions: bool) -> Encoded:
        normalized, places = normalized_with_positions(self.rules, text)
        worker = self._lend()
        try:
            ids, spans = worker.spell(normalized)
        finally:
            self._workers.append(worker)
        return encoded_text(ids, spans, *self._seen(normalized, places if positions else _NOTHING))

    def _seen(self, normalized: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The text as people see it, and where it comes from, if that is known."""
        if self.rules.escape and positions.size:
            positions = outside_positions(normalized, positions)
        return np.frombuffer(outside(normalized.tobytes(), self.rules.escape), dtype=np.uint8), positions


def encoded_text(ids: np.ndarray, spans: np.ndarray, seen: np.ndarray, positions: np.ndarray) -> Encoded:
    """Return what one text became; seen : the normalised text."""
    ends, seen_ends = (np.array([array.size], dtype=np.int64) for array in (ids, seen))
    return Encoded(ids, ends, spans, seen, seen_ends, positions)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
