"""A model's normaliser and denormaliser, packed once: text to the bytes that pieces are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minbpe_course.engines.layouts.pieces import outside, outside_positions
from minbpe_course.engines.sentencepiece.bpe_tables import Rules, raw_users
from minbpe_course.engines.sentencepiece.normalized_text_worker import room_to_grow
from minbpe_course.kernels.common.memory import Block
from minbpe_course.model import PieceModel


class PieceNormalizer:
    """What happens to text before its pieces are looked for, and after decoding.

    >>> PieceNormalizer(PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))).normalize(b"a a").decode()
    '▁a▁a'
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        self.rules = Rules(model.normalizer, raw_users(model), model.treat_whitespace_as_suffix, exact=True)
        self._denormalizer: Rules | None = None
        if model.denormalizer.charsmap:
            self._denormalizer = Rules(model.denormalizer, {}, suffix=False, exact=True)

    def normalize(self, text: bytes) -> bytes:
        """Return the normalised text."""
        return outside(normalized_with_positions(self.rules, text)[0].tobytes(), self.rules.escape)

    def normalize_with_positions(self, text: bytes) -> tuple[bytes, list[int]]:
        """Return the normalised text and, for each of its bytes and its end, where in ``text`` it comes from."""
        out, positions = normalized_with_positions(self.rules, text)
        if positions[out.size] < 0:
            return b"", []
        if self.rules.escape:
            positions = outside_positions(out, positions)
        return outside(out.tobytes(), self.rules.escape), positions.tolist()

    def normalize_texts(
        self, texts: Sequence[bytes], positions: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (normalised uint8 of all texts, where each ends, int64, and, of one text, for each byte where it comes
        from, int64, if asked for).
        """
        parts = [self.normalize(text) for text in texts]
        places = np.empty(0, np.int64)
        if positions:
            parts[0], found = self.normalize_with_positions(texts[0])
            places = np.array(found or [-1], dtype=np.int64)
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        return np.frombuffer(b"".join(parts), dtype=np.uint8), ends, places

    def denormalize(self, text: str) -> str:
        """Return the text after the model's denormaliser, if it has one."""
        rules = self._denormalizer
        if rules is None:
            return text
        out, _ = normalized_with_positions(rules, text.encode("utf-8", "surrogateescape"))
        return outside(out.tobytes(), rules.escape).decode("utf-8", "replace")


def normalized_with_positions(rules: Rules, text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the normalised text inside the engine, uint8, and where each byte and the end come from, int64."""
    from minbpe_course.kernels.common import layout, machine
    from minbpe_course.kernels.sentencepiece import normalize

    block = Block(layout.BLOCK)
    rules.place(block)
    data = np.frombuffer(text or b"\0", dtype=np.uint8)
    block.at = data
    block.end = data.ctypes.data + len(text)
    room = 2 * len(text) + 4 * normalize.SLACK
    while True:
        out = np.empty(room, dtype=np.uint8)
        places = np.empty(room + 1, dtype=np.int64)
        block.text, block.text_size, block.positions = out, room, places
        if machine.run(block.normalizer, block.address) == layout.DONE:
            used = block.text_end - out.ctypes.data
            return out[:used], places[: used + 1]
        room = room_to_grow(block.text_wanted, len(text))
