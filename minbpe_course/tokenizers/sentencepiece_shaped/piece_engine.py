"""One BPE model, packed, and the calls that encode with it.

    text --kernels.normalize-->  normalised  --kernels.documents-->  ids

Each thread has its own caches and its own room for text; the tables are shared and never change. Ids alone come from
``encode_list`` and ``encode_many`` (see ``text_engine``); ``encode`` also tells what each id stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from minbpe_course import packing
from minbpe_course.model import PieceModel
from minbpe_course.packing_pieces import outside, outside_positions
from minbpe_course.reference.sampling import Random
from minbpe_course.tokenizers.sentencepiece_shaped.lookups import utf8_of
from minbpe_course.tokenizers.sentencepiece_shaped.normalizing import PieceNormalizer, normalized_with_positions
from minbpe_course.tokenizers.sentencepiece_shaped.piece_tables import PieceTables
from minbpe_course.tokenizers.sentencepiece_shaped.piece_worker import PieceWorker
from minbpe_course.tokenizers.text_engine import TextEngine

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


class PieceEngine(TextEngine, PieceNormalizer):
    """One BPE model, packed.

    >>> engine = PieceEngine(PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1)))
    >>> engine.encode_list("aaa"), engine.spell([b"aaa"]).spans.tolist()
    ([0, 2, 1], [3, 2, 1])
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        self.tables = PieceTables(model)
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

    def sample(self, text: bytes, alpha: float, rng: Random, nbest_size: int = -1) -> Encoded:
        """Return an encoding in which each merge was left out with the probability ``alpha`` (BPE-dropout).

        rng : ``random.Random(seed)`` or ``numpy.random.default_rng(seed)``; from the same state it draws the same.
        nbest_size : for other types of model.

        >>> import random
        >>> engine = PieceEngine(PieceModel(("<unk>", "▁", "a", "aa"), (0.0, -3.0, -2.0, -1.0), (2, 1, 1, 1)))
        >>> [engine.sample(b"aa", 0.5, random.Random(seed)).ids.tolist() for seed in range(3)]
        [[1, 2, 2], [1, 2, 2], [1, 3]]
        """
        return self._spelled(text, True, alpha, int(rng.random() * 2**53))

    def _lend(self) -> PieceWorker:
        worker = super()._lend()
        assert isinstance(worker, PieceWorker)
        return worker

    def _new_worker(self) -> PieceWorker:
        return PieceWorker(self.tables, self._objects)

    def _bytes_of(self, text: Any) -> bytes:
        return utf8_of(text)

    def _spelled(self, text: bytes, positions: bool, alpha: float = 0.0, luck: int = 0) -> Encoded:
        normalized, places = normalized_with_positions(self.rules, text)
        worker = self._lend()
        try:
            ids, spans = worker.spell_with_dropout(normalized, alpha, luck) if alpha else worker.spell(normalized)
        finally:
            self._workers.append(worker)
        seen = np.frombuffer(outside(normalized.tobytes(), self.rules.escape), dtype=np.uint8)
        if positions and self.rules.escape:
            places = outside_positions(normalized, places)
        ends, seen_ends = (np.array([array.size], dtype=np.int64) for array in (ids, seen))
        return Encoded(ids, ends, spans, seen, seen_ends, places if positions else _NOTHING)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
