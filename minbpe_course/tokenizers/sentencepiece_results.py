"""From ids and spans to the results of SentencePieceTokenizer: pieces, messages with places, offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from minbpe_course.engines.sentencepiece.normalized_text import Encoded
from minbpe_course.errors import InvalidOption
from minbpe_course.formats.sentencepiece_message import PieceInText, text_message
from minbpe_course.model import BYTE, PieceModel
from minbpe_course.text.offsets import character_places


def pieces_of(one: Encoded, model: PieceModel) -> list[str]:
    """Return the pieces of the vocabulary, and for unknown ones the text itself."""
    pieces, unk_id, ids = model.pieces, model.unk_id, one.ids.tolist()
    if unk_id not in ids or one.places is not None:
        return [pieces[token_id] for token_id in ids]
    spans, text = one.spans.tolist(), one.normalized.tobytes()
    return [
        text[end - span : end].decode("utf-8") if token_id == unk_id else pieces[token_id]
        for token_id, span, end in zip(ids, spans, accumulate(spans))
    ]


def placed_pieces(one: Encoded, source: bytes, model: PieceModel) -> list[PieceInText]:
    """Return the pieces with the bytes of the source that they stand for.

    Of the byte pieces of one character (in a word model: of one word) only the last has bytes. The added space has
    none. An unknown piece has the bytes of all pieces that fused into it.
    """
    if one.places is not None:
        return [
            PieceInText(piece.encode("utf-8"), token_id, source[begin:end], begin, end)
            for token_id, piece, (begin, end) in zip(one.ids.tolist(), pieces_of(one, model), one.places.tolist())
        ]
    placed = []
    spans, text, places = one.spans.tolist(), one.normalized.tobytes(), one.positions.tolist()
    for token_id, piece, span, end in zip(one.ids.tolist(), pieces_of(one, model), spans, accumulate(spans)):
        begin_at, end_at = places[end - span], places[end]
        surface: bytes | None = source[begin_at:end_at]
        inside = span == 0 or (end < len(text) and text[end] & 0xC0 == 0x80)
        if inside and model.kinds[token_id] == BYTE:
            end_at, surface = begin_at, None
        placed.append(PieceInText(piece.encode("utf-8"), token_id, surface, begin_at, end_at))
    return placed


def serialized(one: Encoded, source: bytes, model: PieceModel, score: float | None = None) -> bytes:
    """Return the message that ``return_type="serialized_proto"`` gives."""
    return text_message(source, placed_pieces(one, source, model), score)


def offset_mapping(
    placed: Sequence[PieceInText], text: bytes, as_bytes: bool, include_text: bool = False
) -> dict[str, Any]:
    """Return ids, pieces and offsets as a dictionary, in bytes of ``text`` or in its characters."""
    result: dict[str, Any] = {}
    if include_text:
        result["text"] = text if as_bytes else text.decode("utf-8")
    result["ids"] = [piece.id for piece in placed]
    if as_bytes:
        result["pieces"] = [piece.piece for piece in placed]
        result["offsets"] = [(piece.begin, piece.end) for piece in placed]
        return result
    places = character_places(text)
    result["pieces"] = [piece.piece.decode("utf-8") for piece in placed]
    if any(piece.end >= len(places) for piece in placed):
        raise InvalidOption(
            "the denormaliser of this model shortened the text, so some places are after its end. "
            "Ask for bytes: return_bytes=True."
        )
    result["offsets"] = [(places[piece.begin], places[piece.end]) for piece in placed]
    return result
