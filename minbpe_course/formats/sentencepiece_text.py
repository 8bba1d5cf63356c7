"""What sentencepiece calls a ``SentencePieceText``: a text cut into pieces, as a protocol-buffer message.

    SentencePieceText       1 text   2 pieces, each {1 piece  2 id  3 surface  4 begin  5 end}   3 score
    NBestSentencePieceText  1 nbests, each a SentencePieceText

The messages are written by hand: text may hold bytes that are no UTF-8, which the classes of protobuf do not take.
``parsed`` makes the message object that sentencepiece returns for ``return_type="proto"``.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple


class PieceInText(NamedTuple):
    """One piece: what it is called, its id, the bytes of the text that it stands for (None: not said), and where."""

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
    out = bytearray(_block(1, text))
    for piece in pieces:
        out += _block(2, _piece(piece))
    if score is not None:
        out += b"\x1d" + struct.pack("<f", score)
    return bytes(out)


def nbest_message(texts: Iterable[bytes]) -> bytes:
    r"""Return a serialised NBestSentencePieceText of serialised texts, best first.

    >>> nbest_message([b"\n\x00"])
    b'\n\x02\n\x00'
    """
    return b"".join(_block(1, text) for text in texts)


def parsed(message: bytes, name: str = "SentencePieceText") -> Any:
    """Return the message object of a serialised message.

    >>> parsed(text_message(b"a b", [])).text
    'a b'
    """
    result = getattr(importlib.import_module("sentencepiece.sentencepiece_pb2"), name)()
    result.ParseFromString(message)
    return result


def _piece(piece: PieceInText) -> bytes:
    out = _block(1, piece.piece) + b"\x10" + _varint(piece.id)
    if piece.surface is not None:
        out += _block(3, piece.surface)
    return out + b"\x20" + _varint(piece.begin) + b"\x28" + _varint(piece.end)


def _block(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
