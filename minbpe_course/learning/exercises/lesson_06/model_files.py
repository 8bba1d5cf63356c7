"""Toy SentencePiece models of a few pieces, for the exercises of lesson 06 about the file."""

import struct

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats.protobuf_fields import FOUR_BYTES, field_bytes, varint
from minbpe_course.reference import wire

ALPHABET = "aábcde▁ñ中\u0301😀"
MOST_ADDED = 100  # bytes that a change may add besides the text of a piece


def score_field(score):
    """Return the field of a piece for its score.

    >>> score_field(-2.0).hex(" ")
    '15 00 00 00 c0'
    """
    return field_bytes(2, struct.pack("<f", score), FOUR_BYTES)


def read_pieces(data):
    """Return (piece, score, kind) of every piece of a model. Raises ValueError for a file that ends too early.

    >>> read_pieces(field_bytes(1, field_bytes(1, b"hi")))
    [('hi', 0.0, 1)]
    """
    try:
        return [(piece.text, piece.score, piece.kind) for piece in wire.read_pieces(data)]
    except MinbpeCourseError as error:
        raise ValueError(str(error)) from None


def fields_except(data, *numbers):
    """Return (number, kind, value) of the fields of a message, without those of these numbers.

    >>> fields_except(field_bytes(3, 6) + field_bytes(9, 7), 3)
    [(9, 0, 7)]
    """
    return [(one.number, one.kind, one.value) for one in wire.read_fields(data) if one.number not in numbers]


def complaint_about(data, yours, longer, pieces):
    """Return what is wrong with a file made from ``data``, which may be ``longer`` by some bytes, or None.

    pieces : returns what is wrong with the pieces of the file, or None.

    >>> complaint_about(HELLO, HELLO + field_bytes(2, 7), 9, lambda: None)
    'every other field of the file as it was'
    """
    if not isinstance(yours, bytes):
        return "bytes: the whole file"
    if len(yours) > len(data) + longer:
        return f"a file that is hardly longer; yours grows from {len(data):,} to {len(yours):,} bytes"
    try:
        same = fields_except(yours, 1) == fields_except(data, 1)
        return pieces() or (None if same else "every other field of the file as it was")
    except (ValueError, TypeError) as error:
        return f"a file that can be read; yours cannot: {error}"


def _random_piece(random, text, *, plain):
    parts = [field_bytes(1, text.encode()), score_field(-float(random.randrange(99)))]
    if random.random() < 0.5:
        parts.append(field_bytes(3, random.choice((1, 2, 3, 4, 6))))
    if not plain:
        if random.random() < 0.3:
            del parts[1]
        if random.random() < 0.4:
            parts.insert(0, score_field(5.0))
        parts.append(random.choice((field_bytes(9, 7), varint(12 << 3 | 1) + bytes(8), field_bytes(200, b"new"), b"")))
        if random.random() < 0.5:
            parts[-1], parts[0] = parts[0], parts[-1]
    return field_bytes(1, b"".join(parts))


def random_text(random, longest=6):
    """Return up to ``longest`` characters of ALPHABET.

    >>> from random import Random
    >>> 1 <= len(random_text(Random(1))) <= 6
    True
    """
    return "".join(random.choices(ALPHABET, k=random.randint(1, longest)))


def model_file(random, size, *, plain):
    """Return a small model: pieces, its training options, its normalizer.

    plain : whether every field is there once and in order, as sentencepiece writes them.

    >>> from random import Random
    >>> len(read_pieces(model_file(Random(1), 3, plain=True)))
    3
    """
    parts = [_random_piece(random, f"{random_text(random)}{at}", plain=plain) for at in range(size)]
    parts += [field_bytes(2, field_bytes(3, 2)), field_bytes(3, field_bytes(1, b"identity"))]
    if not plain:
        parts.insert(random.randrange(len(parts) + 1), field_bytes(17, b"from a newer program"))
        parts.insert(random.randrange(len(parts) + 1), field_bytes(2, b"\x0a\x02hi"))
    return b"".join(parts)


HELLO = field_bytes(1, field_bytes(1, "▁hi".encode()) + score_field(-2.0))
