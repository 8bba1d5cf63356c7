"""Sentencepiece's message ``SentencePieceText``: a text cut into pieces, in protocol-buffer form.

    SentencePieceText       1 text   2 pieces, each {1 piece  2 id  3 surface  4 begin  5 end}   3 score
    NBestSentencePieceText  1 nbests, each a SentencePieceText

The messages are written by hand because text may contain bytes that are not UTF-8, which protobuf's classes refuse.
``parsed`` makes the message object that sentencepiece returns for ``return_type="proto"``.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from minbpe_course.extras import needed
from minbpe_course.formats.protobuf_fields import FOUR_BYTES, field_bytes


class PieceInText(NamedTuple):
    """One piece: its name, its id, the bytes of text that it covers (None if unknown), and their place in the text."""

    piece: bytes
    id: int
    surface: bytes | None
    begin: int
    end: int


def text_message(text: bytes, pieces: Iterable[PieceInText], score: float | None = None) -> bytes:
    r"""Return a serialised SentencePieceText.

    >>> text_message(b"a", [PieceInText(b"a", 5, b"a", 0, 1)])
    b'\n\x01a\x12\x0c\n\x01a\x10\x05\x1a\x01a \x00(\x01'
    """
    out = bytearray(field_bytes(1, text))
    for piece in pieces:
        out += field_bytes(2, _piece(piece))
    if score is not None:
        out += field_bytes(3, struct.pack("<f", score), FOUR_BYTES)
    return bytes(out)


def nbest_message(texts: Iterable[bytes]) -> bytes:
    """Return a serialised NBestSentencePieceText of serialised texts, best first."""
    return b"".join(field_bytes(1, text) for text in texts)


def parsed(message: bytes, name: str = "SentencePieceText") -> Any:
    """Return the message object of a serialised message. Raises MissingPackage without sentencepiece and protobuf."""
    without = 'Without them: return_type="serialized_proto"'
    with needed("a message object", "sentencepiece", "protobuf", otherwise=without):
        module = importlib.import_module("sentencepiece.sentencepiece_pb2")
    result = getattr(module, name)()
    result.ParseFromString(message)
    return result


def _piece(piece: PieceInText) -> bytes:
    out = field_bytes(1, piece.piece) + field_bytes(2, piece.id)
    if piece.surface is not None:
        out += field_bytes(3, piece.surface)
    return out + field_bytes(4, piece.begin) + field_bytes(5, piece.end)
