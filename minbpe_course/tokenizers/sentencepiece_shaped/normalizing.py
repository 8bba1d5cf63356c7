"""A model's normaliser and denormaliser, packed once: text to the bytes that pieces are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minbpe_course.model import NormalizerRules, PieceModel
from minbpe_course.packing_pieces import RuleTables, pack_rules
from minbpe_course.text.normalize import Charsmap


class PieceNormalizer:
    """The part of an engine that does not ask what type of model it is.

    >>> PieceNormalizer(PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))).normalize(b"a  b").decode()
    '▁a▁b'
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        user_defined = {piece.encode("utf-8"): model.piece_ids[piece] for piece in model.user_defined}
        self._rules = _packed(model.normalizer, user_defined, model.treat_whitespace_as_suffix)
        self._denormalizer = _packed(model.denormalizer, {}, False) if model.denormalizer.charsmap else None

    def normalize(self, text: bytes) -> bytes:
        """Return the normalised text."""
        return self.normalize_texts([text])[0].tobytes()

    def normalize_with_positions(self, text: bytes) -> tuple[bytes, list[int]]:
        """Return the normalised text and, for each of its bytes and its end, where in ``text`` it comes from."""
        out, _, positions = self.normalize_texts([text], True)
        return out.tobytes(), [] if positions[out.size] < 0 else positions[: out.size + 1].tolist()

    def denormalize(self, text: str) -> str:
        """Return the text after the model's denormaliser, if it has one."""
        if self._denormalizer is None:
            return text
        data = text.encode("utf-8")
        out, _, _ = _run(self._denormalizer, data, np.array([len(data)], np.int64), False)
        return out.tobytes().decode("utf-8", "replace")

    def normalize_texts(
        self, texts: Sequence[bytes], positions: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (normalised uint8 of all texts, where each ends, int64, and for each byte where in the joined texts it
        comes from, int64, or nothing).
        """
        joined = texts[0] if len(texts) == 1 else b"".join(texts)
        return _run(self._rules, joined, np.cumsum([len(text) for text in texts], dtype=np.int64), positions)


def _packed(rules: NormalizerRules, user_defined: dict[bytes, int], suffix: bool) -> RuleTables:
    charsmap = Charsmap(rules.charsmap)
    flags = (rules.add_dummy_prefix, rules.remove_extra_whitespaces, rules.escape_whitespaces, suffix)
    return pack_rules(charsmap.units, charsmap.strings, user_defined, flags)


def _run(
    rules: RuleTables, text: bytes, ends: np.ndarray, positions: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from minbpe_course.kernels.normalize import normalize_texts

    data = np.frombuffer(text, np.uint8)
    out_ends = np.empty(ends.size, np.int64)
    room = 2 * data.size + 6 * ends.size + 16
    while True:
        out = np.empty(room, np.uint8)
        places = np.empty(room + 1 if positions else 0, np.int64)
        used = normalize_texts(data, ends, *rules, out, places, out_ends)
        if used >= 0:
            return out[:used], out_ends, places
        room = 2 * room
