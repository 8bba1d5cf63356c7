r"""The wire format of protocol buffers, read by hand: how a SentencePiece ``.model`` looks as bytes.

    0A 0B | 0A 02 68 69 | 15 00 00 00 C0       a field: a tag, then a value, one after another to the end
    |  |    |  |  'hi'     tag, float32 -2.0
    |  |    |  2 bytes
    |  |    tag: field 1 (piece), kind 2: a length and that many bytes
    |  11 bytes follow
    tag 0x0A = 1 << 3 | 2: field 1 (pieces), kind 2

A tag is ``field number << 3 | kind``. Four kinds are in use: 0 a varint, 1 eight bytes, 2 a length and that many bytes
(text, or again a message), 5 four bytes. The file contains no names; they come from the description of the
message. A reader can skip a field whose number it does not know, which is how old programs read new files.

Limits: the two group kinds that the format gave up long ago (3 and 4) are refused. The package itself reads files with
``formats.protobuf_fields``; tests compare both with the protobuf library.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from minbpe_course.errors import UnreadableModel

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


class Field(NamedTuple):
    """One field: its number, its kind, its value (an int, or bytes), and where in the data it begins and ends."""

    number: int
    kind: int
    value: int | bytes
    begin: int
    value_begin: int
    end: int


class Piece(NamedTuple):
    """One piece as the file holds it; kind 1 (NORMAL) is what an absent field means.

    Bytes of the text that are not UTF-8 are kept as lone surrogates, one each.
    """

    text: str
    score: float
    kind: int


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at ``at`` and where the next thing begins. Seven bits a byte, lowest first.

    >>> read_varint(bytes([0b1010_1100, 0b0000_0010]), 0)      # 0101100 + 2 * 128
    (300, 2)
    """
    value = 0
    for place in range(10):
        if at + place >= len(data):
            raise UnreadableModel(f"byte {at}: the data ends inside a number.")
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + place + 1
    raise UnreadableModel(f"byte {at}: a number of more than ten bytes.")


def read_fields(data: bytes, begin: int = 0, end: int | None = None) -> Iterator[Field]:
    r"""Yield the fields of one message, in file order.

    >>> [(field.number, field.value) for field in read_fields(b"\x0a\x02hi\x18\x06")]
    [(1, b'hi'), (3, 6)]
    """
    at, end = begin, len(data) if end is None else end
    while at < end:
        tag, value_at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise UnreadableModel(f"byte {at}: a field with the number 0, which no message has.")
        value: int | bytes
        if kind == VARINT:
            value, after = read_varint(data, value_at)
        elif kind in (EIGHT_BYTES, FOUR_BYTES, LENGTH):
            size = 8 if kind == EIGHT_BYTES else 4
            if kind == LENGTH:
                size, value_at = read_varint(data, value_at)
            after = value_at + size
            value = data[value_at:after]
        else:
            raise UnreadableModel(f"byte {at}: field {number} is of kind {kind}, which is not in use.")
        if after > end:
            raise UnreadableModel(
                f"byte {at}: field {number} needs {after - value_at} bytes, {max(end - value_at, 0)} are left."
            )
        yield Field(number, kind, value, at, value_at, after)
        at = after


def read_float(four_bytes: bytes) -> float:
    r"""Return the float32 in four bytes, lowest byte first.

    >>> read_float(b"\x00\x00\x00\xc0")
    -2.0
    """
    value: float = struct.unpack("<f", four_bytes)[0]
    return value


def read_signed(value: int) -> int:
    """Return a varint as the signed number it stands for.

    >>> read_signed(2**64 - 1)
    -1
    """
    return value - 2**64 if value >= 2**63 else value


def read_piece(data: bytes) -> Piece:
    r"""Read the message of one piece: field 1 its text, 2 its score, 3 its kind.

    >>> read_piece(b"\x0a\x02hi\x15\x00\x00\x00\xc0")
    Piece(text='hi', score=-2.0, kind=1)
    """
    text, score, kind = b"", 0.0, 1
    for field in read_fields(data):
        if field.number == 1 and field.kind == LENGTH and isinstance(field.value, bytes):
            text = field.value
        elif field.number == 2 and field.kind == FOUR_BYTES and isinstance(field.value, bytes):
            score = read_float(field.value)
        elif field.number == 3 and isinstance(field.value, int):
            kind = read_signed(field.value)
    return Piece(text.decode("utf-8", "surrogateescape"), score, kind)


def read_pieces(data: bytes) -> Iterator[Piece]:
    """Yield the pieces of a ``.model`` file: every field 1 of the outermost message."""
    for field in read_fields(data):
        if field.number == 1 and field.kind == LENGTH and isinstance(field.value, bytes):
            yield read_piece(field.value)
