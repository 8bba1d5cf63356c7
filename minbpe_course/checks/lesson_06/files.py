"""What the exercises of lesson 06 about the file are tried on: cases, references, and known wrong answers.

Files here are toy models made by this module, a few pieces long; the full ones stand in the lesson.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from random import Random

from minbpe_course.checks.equality import shown
from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.reference import wire

Piece = tuple[str, float, int]

ALPHABET = "aábcde▁ñ中\u0301😀"
MOST_AROUND = 100  # bytes that a new piece may add beside its text

# ----------------------------------------------------------------------------------------------------
# Numbers


def signed_cases(random: Random) -> Iterator[Case]:
    """Yield numbers as a varint holds them."""
    for value in (0, 1, 2**31 - 1, 2**63 - 1):
        yield Case("a number that is not negative", (value,))
    for value in (2**64 - 1, 2**63, 2**64 - 2**31):
        yield Case("a negative number", (value,))
    for _ in range(30):
        value = random.getrandbits(64)
        yield Case("a negative number" if value >> 63 else "a number that is not negative", (value,))


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


def varint_cases(random: Random) -> Iterator[Case]:
    """Yield numbers to write, small ones first."""
    yield Case("zero", (0,))
    for bits in range(1, 64, 2):
        value = random.getrandbits(bits) | 1 << (bits - 1)
        yield Case("one byte" if bits < 8 else "several bytes", (value,))
    for power in (7, 14, 21, 28):
        yield Case("at the border of a byte", (2**power - 1,))
        yield Case("at the border of a byte", (2**power,))
    for value in (-1, -2, -(2**31), -random.getrandbits(40) - 1):
        yield Case("a negative number", (value,))


def highest_first(value: int) -> bytes:
    """Write the groups of seven bits in the wrong order."""
    value &= 2**64 - 1
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F)
    return bytes([group | 0x80 for group in groups[:0:-1]] + groups[:1])


def always_marked(value: int) -> bytes:
    """Set the eighth bit of the last byte as well."""
    return bytes(byte | 0x80 for byte in write_varint(value))


def stops_below_128(value: int) -> bytes:
    """Take 128 for a number of one byte, and go wrong on negative ones."""
    written = bytearray()
    while value > 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value]) if 0 <= value < 256 else b""


# ----------------------------------------------------------------------------------------------------
# Messages


def field(number: int, kind: int, value: int | bytes) -> bytes:
    """Return one field of a message: its tag and its value.

    >>> field(3, 0, 6).hex(" "), field(1, 2, b"hi").hex(" ")
    ('18 06', '0a 02 68 69')
    """
    tag = write_varint(number << 3 | kind)
    if isinstance(value, int):
        return tag + write_varint(value)
    return tag + (write_varint(len(value)) if kind == 2 else b"") + value


def read_pieces(data: bytes) -> list[Piece]:
    """Return (text, score, type) of every piece of a model; ValueError for a file that ends too early.

    >>> read_pieces(field(1, 2, field(1, 2, b"hi")))
    [('hi', 0.0, 1)]
    """
    try:
        return [(piece.text, piece.score, piece.kind) for piece in wire.read_pieces(data)]
    except MinbpeCourseError as problem:
        raise ValueError(str(problem)) from None


def _piece(random: Random, text: str, *, plain: bool) -> bytes:
    score = struct.pack("<f", -float(random.randrange(99)))
    parts = [field(1, 2, text.encode()), field(2, 5, score)]
    if random.random() < 0.5:
        parts.append(field(3, 0, random.choice((1, 2, 3, 4, 6))))
    if not plain:
        if random.random() < 0.3:
            del parts[1]
        if random.random() < 0.4:
            parts.insert(0, field(2, 5, struct.pack("<f", 5.0)))
        parts.append(random.choice((field(9, 0, 7), field(12, 1, bytes(8)), field(200, 2, b"new"), b"")))
        if random.random() < 0.5:
            parts[-1], parts[0] = parts[0], parts[-1]
    return field(1, 2, b"".join(parts))


def _text(random: Random, longest: int = 6) -> str:
    return "".join(random.choice(ALPHABET) for _ in range(random.randint(1, longest)))


def model_file(random: Random, size: int, *, plain: bool) -> bytes:
    """Return a small model: pieces, the description of its training, its normaliser.

    >>> len(read_pieces(model_file(Random(1), 3, plain=True)))
    3
    """
    parts = [_piece(random, f"{_text(random)}{at}", plain=plain) for at in range(size)]
    parts += [field(2, 2, field(3, 0, 2)), field(3, 2, field(1, 2, b"identity"))]
    if not plain:
        parts.insert(random.randrange(len(parts) + 1), field(17, 2, b"from a newer program"))
        parts.insert(random.randrange(len(parts) + 1), field(2, 2, b"\x0a\x02hi"))
    return b"".join(parts)


def file_cases(random: Random) -> Iterator[Case]:
    """Yield toy models: as usual, then with fields absent, repeated, unknown or cut short."""
    for size in range(1, 12):
        yield Case("pieces as usual", (model_file(random, size, plain=True),))
    for size in range(1, 24):
        yield Case(
            "fields that are absent, repeated, unknown or in another order", (model_file(random, size, plain=False),)
        )
    whole = model_file(random, 6, plain=True)
    long = field(1, 2, field(1, 2, ("é" * 300).encode()))
    yield Case("a file that ends inside a number", (long[:1],))
    yield Case("a file that ends inside a number", (long[:2],))
    yield Case("a file that ends inside a field", (whole[:-1],))
    yield Case("a file that ends inside a piece", (whole[: random.randrange(5, 12)],))
    for length in (125, 126):  # the whole piece has 127 bytes, then 128
        yield Case("a piece at the border of one byte for its length", (field(1, 2, field(1, 2, b"a" * length)),))
    yield Case("a long piece", (long,))


def kind_always_there(data: bytes) -> list[Piece]:
    """Read pieces as if every field were always there."""
    found = []
    for outer in wire.read_fields(data):
        if outer.number == 1 and isinstance(outer.value, bytes):
            inner = {each.number: each.value for each in wire.read_fields(outer.value)}
            found.append((bytes(inner[1]).decode(), wire.read_float(bytes(inner[2])), int(inner[3])))
    return found


def add_piece(data: bytes, text: str, kind: int) -> bytes:
    """Return the file with one more piece."""
    return data + field(1, 2, field(1, 2, text.encode()) + field(2, 5, struct.pack("<f", 0.0)) + field(3, 0, kind))


def added(case: Case, yours: object) -> str | None:
    """Say what is wrong with a file that should hold one more piece, or None."""
    data, text, kind = case.args
    if not isinstance(yours, bytes):
        return "bytes: the whole file"
    if len(yours) > len(data) + len(text.encode()) + MOST_AROUND:
        return f"a file longer by the new piece; yours grows from {len(data):,} to {len(yours):,} bytes"
    try:
        before, after = read_pieces(data), read_pieces(yours)
        kept, others = (
            [(each.number, each.kind, each.value) for each in wire.read_fields(file) if each.number != 1]
            for file in (data, yours)
        )
    except (ValueError, TypeError, UnicodeDecodeError) as problem:
        return f"a file that can be read; yours cannot: {problem}"
    if after[: len(before)] != before:
        return "the old pieces, unchanged and in their places: their ids must stay what they were"
    if after[len(before) :] != [(text, 0.0, kind)]:
        return f"one new piece at the end, {shown((text, 0.0, kind))}; yours adds {shown(after[len(before) :])}"
    return None if others == kept else "every other field of the file as it was"


def add_cases(random: Random) -> Iterator[Case]:
    """Yield toy models and the piece to add to each."""
    for size in range(1, 10):
        yield Case("a short piece", (model_file(random, size, plain=True), _text(random, 4), 4))
    for size in range(1, 8):
        yield Case("a piece of more than 127 bytes", (model_file(random, size, plain=True), _text(random) * 60, 4))
        yield Case("a file with unknown fields", (model_file(random, size, plain=False), _text(random), 3))


def length_in_characters(data: bytes, text: str, kind: int) -> bytes:
    """Count characters where the file counts bytes."""
    inner = write_varint(1 << 3 | 2) + write_varint(len(text)) + text.encode()
    return data + field(1, 2, inner + field(2, 5, struct.pack("<f", 0.0)) + field(3, 0, kind))


def one_byte_lengths(data: bytes, text: str, kind: int) -> bytes:
    """Write every length as one byte."""
    raw = text.encode()
    inner = b"\x0a" + bytes([len(raw)]) + raw + field(2, 5, bytes(4)) + field(3, 0, kind)
    return data + b"\x0a" + bytes([len(inner)]) + inner


def only_pieces_kept(case: Case, outcome: Outcome, wanted: bytes) -> bool:
    """Tell whether the pieces of a file are right, and only they."""
    if not isinstance(outcome.value, bytes) or len(outcome.value) > 2 * len(wanted):
        return False
    return read_pieces(outcome.value) == read_pieces(wanted)


def is_bare(case: Case, yours: object) -> bool:
    """Tell whether the fields of the new piece stand in the file itself, without the field that should hold them."""
    data, text, _ = case.args
    return isinstance(yours, bytes) and yours[len(data) :].startswith(field(1, 2, text.encode()))
