"""The engine of models in which nothing merges: char and word.

    word    "▁hello▁world"  cut at ▁, two dictionary lookups
    char    "▁hello"        cut into characters and user-defined pieces, one lookup for each

Python's own dictionary is hard to beat, so these models have no kernel. Parts without a piece take a slower path: they
become bytes, or unknown pieces that fuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from minbpe_course.engines.sentencepiece.normalized_text import Encoded
from minbpe_course.engines.sentencepiece.normalizer import PieceNormalizer
from minbpe_course.model import UNUSED, PieceModel
from minbpe_course.splitting.splitter import utf8_or_bytes
from minbpe_course.text.normalize import MOST_NESTED_PIECES

SPACE_MARK = "▁"


class CharWordEngine(PieceNormalizer):
    """Encodes with one char or word model, with the methods of ``PieceEngine``.

    >>> engine = CharWordEngine(PieceModel(("<unk>", "▁a", "▁b"), (0.0, -1.0, -2.0), (2, 1, 1), model_type="word"))
    >>> engine.encode_list("a b c d"), engine.spell(b"a x y").spans.tolist()
    ([1, 2, 0], [4, 8])
    """

    def __init__(self, model: PieceModel) -> None:
        super().__init__(model)
        kinds = model.kinds
        self._ids = {piece: at for piece, at in model.mergeable.items() if kinds[at] != UNUSED}
        self._split = _words if model.model_type == "word" else _symbols(model.user_defined)

    def encode_list(self, text: str | bytes) -> list[int]:
        """Return the ids of one text."""
        parts = self._split(self.normalize(utf8_or_bytes(text)).decode("utf-8"))
        ids = list(map(self._ids.get, parts))
        if None in ids:
            return self._with_unknown(parts, ids)[0]
        return ids  # type: ignore[return-value]

    def count(self, text: str | bytes) -> int:
        """Return how many ids ``encode`` gives."""
        return len(self.encode_list(text))

    def encode(self, text: str | bytes) -> np.ndarray:
        """Return the ids of one text, uint32[n]."""
        return np.array(self.encode_list(text), dtype=np.uint32)

    def encode_lists(self, texts: Iterable[str | bytes], num_threads: int | None = None) -> list[list[int]]:
        """Return the ids of many texts. Lookups hold Python's lock, so threads would not help."""
        return [self.encode_list(text) for text in texts]

    def encode_many(
        self, texts: Iterable[str | bytes], num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, and where those of each text begin, int64[n + 1]."""
        lists = self.encode_lists(texts)
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return np.array(list(chain.from_iterable(lists)), dtype=np.uint32), offsets

    def spell(self, text: bytes, positions: bool = False) -> Encoded:
        """Encode a text; see ``PieceEngine.spell``. The last byte of a part that becomes bytes has the whole span."""
        if positions:
            normalized, places = self.normalize_with_positions(text)
        else:
            normalized, places = self.normalize(text), []
        parts = self._split(normalized.decode("utf-8"))
        ids, spans = self._with_unknown(parts, list(map(self._ids.get, parts)))
        return Encoded.of_lists(ids, spans, normalized, places or [-1] * positions)

    def _with_unknown(self, parts: Sequence[str], found: Sequence[int | None]) -> tuple[list[int], list[int]]:
        """Return ids and spans where some parts have no piece."""
        byte_ids, unk_id = self.model.byte_ids, self.model.unk_id
        ids: list[int] = []
        spans: list[int] = []
        for part, token_id in zip(parts, found):
            data = part.encode("utf-8")
            if token_id is not None:
                ids.append(token_id)
                spans.append(len(data))
            elif byte_ids:
                ids += [byte_ids[byte] for byte in data]
                spans += [0] * (len(data) - 1) + [len(data)]
            elif ids and ids[-1] == unk_id:
                spans[-1] += len(data)
            else:
                ids.append(unk_id)
                spans.append(len(data))
        return ids, spans


def _words(text: str) -> list[str]:
    first, *rest = text.split(SPACE_MARK)
    words = [SPACE_MARK + part for part in rest]
    return [first, *words] if first else words


def _symbols(user_defined: Sequence[str]) -> Callable[[str], list[str]]:
    """Return the function that cuts text into user-defined pieces, the longest first, and single characters.

    >>> _symbols(["<a>", "<a><b>"])("x<a><b><a>")
    ['x', '<a><b>', '<a>']
    """
    known = frozenset(user_defined)
    # A piece that begins with too many shorter ones is never found.
    found = [piece for piece in known if sum(piece[:end] in known for end in range(1, len(piece))) < MOST_NESTED_PIECES]
    if not found:
        return list
    first = "".join(re.escape(character) for character in sorted({piece[0] for piece in found}))
    pieces = "|".join(map(re.escape, sorted(found, key=len, reverse=True)))
    return re.compile(f"(?=[{first}])(?:{pieces})|.", re.DOTALL).findall
