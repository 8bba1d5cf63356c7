r"""The fields of a protocol-buffer message: found, stepped over, and written.

    0A 05 68 65 6C 6C 6F | 15 00 00 00 C0       field 1, five bytes "hello"; field 2, the float32 -2.0

A reader must skip fields that it does not know, and a writer must keep them.

The C++ library that sentencepiece is built with decides which bytes are a valid message. Limits: this module
has neither message descriptions nor names; the caller must know the field numbers. ``reference.wire`` is the readable
reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, EIGHT_BYTES, LENGTH, GROUP, GROUP_END, FOUR_BYTES = 0, 1, 2, 3, 4, 5
DEEPEST = 100  # messages and groups within one another
_LONGEST_LENGTH = 0x7FFFFFFF - 16


class BrokenMessage(ValueError):
    """The bytes are not a message; the text says where and why."""


class Field(NamedTuple):
    """One field: number, kind, where it begins, its value (an int of a VARINT, else where the bytes begin), its end."""

    number: int
    kind: int
    begin: int
    value: int
    end: int


def read_varint(data: bytes, at: int, end: int, most: int = 10) -> tuple[int, int]:
    """Return the number that begins at ``at``, of 64 bits, and where the next thing begins.

    >>> read_varint(bytes([0b1010_1100, 0b0000_0010]), 0, 2)
    (300, 2)
    """
    value = 0
    for place in range(min(most, end - at)):
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + place + 1
    if end - at < most:
        raise BrokenMessage(f"byte {at}: the data ends inside a number")
    raise BrokenMessage(f"byte {at}: a number of more than {most} bytes")


def read_fields(data: bytes, begin: int = 0, end: int | None = None, depth: int = 0) -> Iterator[Field]:
    r"""Yield the fields of the message ``data[begin:end]`` in file order. Raises BrokenMessage.

    depth : how many messages contain this one. A group of unknown fields (an old form of message, kinds 3 and 4) is one
    field.

    >>> [tuple(field) for field in read_fields(b"\x0a\x02hi\x18\x06")]
    [(1, 2, 0, 2, 4), (3, 0, 4, 6, 6)]
    """
    end = len(data) if end is None else end
    at = begin
    while at < end:
        tag, value_at = read_varint(data, at, end, 5)
        number, kind = (tag & 0xFFFFFFFF) >> 3, tag & 7
        if number == 0:
            raise BrokenMessage(f"byte {at}: a field with the number 0, which no message has")
        if kind == VARINT:
            value, after = read_varint(data, value_at, end)
        elif kind == GROUP:
            value, after = value_at, _group_end(data, value_at, end, number, depth)
        else:
            value, after = _bytes_of(data, at, value_at, end, number, kind)
        yield Field(number, kind, at, value, after)
        at = after


def _bytes_of(data: bytes, at: int, value_at: int, end: int, number: int, kind: int) -> tuple[int, int]:
    if kind == LENGTH:
        size, value_at = read_varint(data, value_at, end, 5)
        if size > _LONGEST_LENGTH:
            raise BrokenMessage(f"byte {at}: field {number} claims {size:,} bytes")
    elif kind in (EIGHT_BYTES, FOUR_BYTES):
        size = 8 if kind == EIGHT_BYTES else 4
    else:
        raise BrokenMessage(f"byte {at}: field {number} is of kind {kind}, which is not valid here")
    if size > end - value_at:
        raise BrokenMessage(f"byte {at}: field {number} needs {size:,} bytes, {end - value_at:,} are left")
    return value_at, value_at + size


def _group_end(data: bytes, at: int, end: int, number: int, depth: int) -> int:
    """Return where the group ends whose content begins at ``at``: after the GROUP_END with its number."""
    open_groups = [number]
    while open_groups:
        if depth + len(open_groups) > DEEPEST:
            raise BrokenMessage(f"byte {at}: more than {DEEPEST} nested messages")
        if at >= end:
            raise BrokenMessage(f"byte {at}: the data ends inside the group {open_groups[-1]}")
        tag, value_at = read_varint(data, at, end, 5)
        inner, kind = (tag & 0xFFFFFFFF) >> 3, tag & 7
        if inner == 0:
            raise BrokenMessage(f"byte {at}: a field with the number 0, which no message has")
        if kind == GROUP:
            open_groups.append(inner)
            at = value_at
        elif kind == GROUP_END:
            if open_groups.pop() != inner:
                raise BrokenMessage(f"byte {at}: the end of the group {inner}, which did not begin")
            at = value_at
        elif kind == VARINT:
            at = read_varint(data, value_at, end)[1]
        else:
            at = _bytes_of(data, at, value_at, end, inner, kind)[1]
    return at


def varint(value: int) -> bytes:
    r"""Return the bytes of a number; a negative one takes ten.

    >>> varint(300)
    b'\xac\x02'
    """
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field_bytes(number: int, value: int | bytes, kind: int | None = None) -> bytes:
    r"""Return a whole field: a VARINT for an int, else a LENGTH; with ``kind`` FOUR_BYTES, four bytes without a length.

    >>> field_bytes(1, b"hi"), field_bytes(3, 6)
    (b'\n\x02hi', b'\x18\x06')
    """
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    if kind == FOUR_BYTES:
        return varint(number << 3 | FOUR_BYTES) + value
    return varint(number << 3 | LENGTH) + varint(len(value)) + value
