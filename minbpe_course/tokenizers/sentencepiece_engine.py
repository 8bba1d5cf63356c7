"""Between the friendly SentencePiece class and the kernels: one BPE model, packed, and the calls that encode with it.

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
from minbpe_course.corpus.words import utf8
from minbpe_course.model import PieceModel
from minbpe_course.packing import Block
from minbpe_course.packing_pieces import outside, outside_positions
from minbpe_course.tokenizers.piece_tables import PieceTables, Rules, raw_users
from minbpe_course.tokenizers.piece_worker import PieceWorker
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


class PieceNormalizer:
    """What happens to text before its pieces are looked for, and after decoding.

    >>> PieceNormalizer(PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))).normalize(b"a a").decode()
    '▁a▁a'
    """

    def __init__(self, model: PieceModel) -> None:
        self.rules = Rules(model.normalizer, raw_users(model), model.treat_whitespace_as_suffix, exact=True)
        self._denormalizer: Rules | None = None
        if model.denormalizer.charsmap:
            self._denormalizer = Rules(model.denormalizer, {}, suffix=False, exact=True)

    def normalize(self, text: bytes) -> bytes:
        """Return the normalised text."""
        return outside(_normalized(self.rules, text)[0].tobytes(), self.rules.escape)

    def normalize_with_positions(self, text: bytes) -> tuple[bytes, list[int]]:
        """Return the normalised text and, for each of its bytes and its end, where in ``text`` it comes from."""
        out, positions = _normalized(self.rules, text)
        if positions[out.size] < 0:
            return b"", []
        if self.rules.escape:
            positions = outside_positions(out, positions)
        return outside(out.tobytes(), self.rules.escape), positions.tolist()

    def denormalize(self, text: str) -> str:
        """Return the text after the model's denormaliser, if it has one."""
        rules = self._denormalizer
        if rules is None:
            return text
        out, _ = _normalized(rules, text.encode("utf-8", "surrogateescape"))
        return outside(out.tobytes(), rules.escape).decode("utf-8", "replace")


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

        Raises NotText, InvalidText for a lone surrogate.
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

    def _lend(self) -> PieceWorker:
        worker = super()._lend()
        assert isinstance(worker, PieceWorker)
        return worker

    def _new_worker(self) -> PieceWorker:
        return PieceWorker(self.tables, self._objects)

    def _bytes_of(self, text: Any) -> bytes:
        return text if isinstance(text, bytes) else utf8(text)

    def _spelled(self, text: bytes, positions: bool) -> Encoded:
        normalized, places = _normalized(self.rules, text)
        worker = self._lend()
        try:
            ids, spans = worker.spell(normalized)
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


def _normalized(rules: Rules, text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return (normalised text as the engine has it, positions)."""
    from minbpe_course.kernels import layout, machine, normalize

    block = Block(layout.SIZE)
    rules.place(block)
    data = np.frombuffer(text or b"\0", dtype=np.uint8)
    block[layout.AT] = data
    block[layout.END] = data.ctypes.data + len(text)
    room = 2 * len(text) + 4 * normalize.SLACK
    while True:
        out = np.empty(room, dtype=np.uint8)
        places = np.empty(room + 1, dtype=np.int64)
        block[layout.TEXT], block[layout.TEXT_SIZE], block[layout.POSITIONS] = out, room, places
        if machine.run(block[layout.NORMALIZER], block.address) == layout.DONE:
            used = block[layout.TEXT_END] - out.ctypes.data
            return out[:used], places[: used + 1]
        room = block[layout.TEXT_WANTED]
