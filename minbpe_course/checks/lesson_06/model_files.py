"""Toy SentencePiece models of a few pieces, for the exercises of lesson 06 about the file."""

from __future__ import annotations

import struct
from random import Random

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.reference import wire

Piece = tuple[str, float, int]

ALPHABET = "aábcde▁ñ中\u0301😀"
MOST_ADDED = 100  # bytes that a change may add besides the text of a piece


def write_varint(value: int) -> bytes:
    """Return a whole number as a varint; a negative one as the 64 bits that stand for it.

    >>> write_varint(300).hex(), len(write_varint(-1))
    ('ac02', 10)
    """
    value &= 2**64 - 1
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def field(number: int, kind: int, value: int | bytes) -> bytes:
    """Return one field of a message: its tag and its value.

    >>> field(3, 0, 6).hex(" "), field(1, 2, b"hi").hex(" ")
    ('18 06', '0a 02 68 69')
    """
    tag = write_varint(number << 3 | kind)
    if isinstance(value, int):
        return tag + write_varint(value)
    return tag + (write_varint(len(value)) if kind == 2 else b"") + value


def float_bytes(value: float) -> bytes:
    """Return the four bytes of a score.

    >>> float_bytes(-2.0).hex()
    '000000c0'
    """
    return struct.pack("<f", value)


def read_pieces(data: bytes) -> list[Piece]:
    """Return (text, score, type) of every piece of a model. Raises ValueError for a file that ends too early.

    >>> read_pieces(field(1, 2, field(1, 2, b"hi")))
    [('hi', 0.0, 1)]
    """
    try:
        return [(piece.text, piece.score, piece.kind) for piece in wire.read_pieces(data)]
    except MinbpeCourseError as error:
        raise ValueError(str(error)) from None


def fields_except(data: bytes, *numbers: int) -> list[tuple[int, int, int | bytes]]:
    """Return (number, kind, value) of the fields of a message, without those of these numbers.

    >>> fields_except(field(3, 0, 6) + field(9, 0, 7), 3)
    [(9, 0, 7)]
    """
    return [(one.number, one.kind, one.value) for one in wire.read_fields(data) if one.number not in numbers]


def _random_piece(random: Random, text: str, *, plain: bool) -> bytes:
    parts = [field(1, 2, text.encode()), field(2, 5, float_bytes(-float(random.randrange(99))))]
    if random.random() < 0.5:
        parts.append(field(3, 0, random.choice((1, 2, 3, 4, 6))))
    if not plain:
        if random.random() < 0.3:
            del parts[1]
        if random.random() < 0.4:
            parts.insert(0, field(2, 5, float_bytes(5.0)))
        parts.append(random.choice((field(9, 0, 7), field(12, 1, bytes(8)), field(200, 2, b"new"), b"")))
        if random.random() < 0.5:
            parts[-1], parts[0] = parts[0], parts[-1]
    return field(1, 2, b"".join(parts))


def random_text(random: Random, longest: int = 6) -> str:
    """Return up to ``longest`` characters of ALPHABET.

    >>> 1 <= len(random_text(Random(1))) <= 6
    True
    """
    return "".join(random.choice(ALPHABET) for _ in range(random.randint(1, longest)))


def model_file(random: Random, size: int, *, plain: bool) -> bytes:
    """Return a small model: pieces, its training options, its normalizer.

    plain : whether every field is there once and in order, as sentencepiece writes them.

    >>> len(read_pieces(model_file(Random(1), 3, plain=True)))
    3
    """
    parts = [_random_piece(random, f"{random_text(random)}{at}", plain=plain) for at in range(size)]
    parts += [field(2, 2, field(3, 0, 2)), field(3, 2, field(1, 2, b"identity"))]
    if not plain:
        parts.insert(random.randrange(len(parts) + 1), field(17, 2, b"from a newer program"))
        parts.insert(random.randrange(len(parts) + 1), field(2, 2, b"\x0a\x02hi"))
    return b"".join(parts)


HELLO = field(1, 2, field(1, 2, "▁hi".encode()) + field(2, 5, float_bytes(-2.0)))
