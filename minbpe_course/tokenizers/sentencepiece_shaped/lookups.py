"""What the vocabulary says: pieces, ids, scores and kinds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidPieceId, NotText, NotTrained
from minbpe_course.model import BYTE, CONTROL, UNKNOWN, UNUSED, PieceModel
from minbpe_course.model.copies import Copied
from minbpe_course.splitting.words import utf8_or_bytes


class Lookups(Copied):
    """The half of a SentencePiece tokenizer that looks things up and encodes nothing."""

    _model: PieceModel | None = None
    _engine: Any

    @property
    def model(self) -> PieceModel:
        """The frozen record. Raises NotTrained when no model was loaded."""
        if self._model is None:
            raise NotTrained("no model is loaded: tokenizer.load('tokenizer.model'), or model_file= when it is made.")
        return self._model

    def __len__(self) -> int:
        return 0 if self._model is None else len(self._model)

    def __getitem__(self, piece: Any) -> Any:
        return self.piece_to_id(piece)

    def id_to_piece(self, id: Any) -> Any:
        """Return the piece of an id, or a list of pieces. Raises InvalidPieceId, NotText."""
        pieces = self.model.pieces if self.model.pipeline is None else self._engine.shown
        return self._each(id, lambda at: pieces[at])

    def piece_to_id(self, piece: Any) -> Any:
        """Return the id of a piece (the unknown one's, or -1, for a piece that is not there), or a list of ids."""
        if isinstance(piece, (str, bytes, bytearray)):
            return self.model.piece_ids.get(text_of_piece(piece), self.model.unk_id)
        if not isinstance(piece, (Sequence, np.ndarray)):
            raise NotText(f"a piece is a str or bytes, got {type(piece).__name__}.")
        for one in piece:
            if not isinstance(one, (str, bytes, bytearray)):
                raise NotText(f"pieces are str or bytes, got {type(one).__name__} in a list.")
        return [self.piece_to_id(one) for one in piece]

    def get_score(self, id: Any) -> Any:
        """Return the score of an id, or a list of scores: in a BPE model minus the position of a merge, in a unigram
        model the logarithm of a probability.
        """
        scores = self.model.scores
        return self._each(id, lambda at: scores[at])

    def is_unknown(self, id: Any) -> Any:
        """Tell whether the id is that of the unknown piece."""
        return self._each(id, lambda at: self.model.kinds[at] == UNKNOWN)

    def is_control(self, id: Any) -> Any:
        """Tell whether the id is that of a control piece, such as ``<s>``, which no text encodes to."""
        return self._each(id, lambda at: self.model.kinds[at] == CONTROL)

    def is_unused(self, id: Any) -> Any:
        """Tell whether the id is that of an unused piece, which no text encodes to."""
        return self._each(id, lambda at: self.model.kinds[at] == UNUSED)

    def is_byte(self, id: Any) -> Any:
        """Tell whether the id is that of a byte, such as ``<0x0A>``."""
        return self._each(id, lambda at: self.model.kinds[at] == BYTE)

    def vocab_size(self) -> int:
        """Return the number of pieces."""
        return len(self)

    piece_size = get_piece_size = vocab_size

    def unk_id(self) -> int:
        """Return the id of the unknown piece, -1 if there is none."""
        return -1 if self._model is None else self._model.declared_unk_id

    def bos_id(self) -> int:
        """Return the id that begins a text, -1 if there is none."""
        return -1 if self._model is None else self._model.bos_id

    def eos_id(self) -> int:
        """Return the id that ends a text, -1 if there is none."""
        return -1 if self._model is None else self._model.eos_id

    def pad_id(self) -> int:
        """Return the id that fills up a batch, -1 if there is none."""
        return -1 if self._model is None else self._model.pad_id

    # ---- Private

    def _checked(self, token_id: Any) -> int:
        try:
            number = operator.index(token_id)
        except TypeError:
            raise NotText(f"an id is a whole number, got {token_id!r}.") from None
        if not 0 <= number < len(self):
            raise InvalidPieceId(f"id {number} is not in this model; its ids are 0 to {len(self) - 1}.")
        return number

    def _each(self, ids: Any, look: Callable[[int], Any]) -> Any:
        if isinstance(ids, (str, bytes, bytearray)) or not hasattr(ids, "__iter__"):
            return look(self._checked(ids))
        return [look(self._checked(one)) for one in ids]


def text_of_piece(piece: str | bytes | bytearray) -> str:
    """Return a piece as text; bytes that are no UTF-8 become what Python's ``surrogateescape`` makes of them."""
    if isinstance(piece, str):
        utf8_or_bytes(piece)
        return piece
    return bytes(piece).decode("utf-8", "surrogateescape")


def batch_of(texts: Iterable[Any]) -> list[bytes]:
    """Return the bytes of every text of a batch, where a bytearray may stand too. Raises NotText, UnencodableText."""
    return [bytes(text) if isinstance(text, bytearray) else utf8_or_bytes(text) for text in texts]
