r"""UTF-8 from its rules: code points to bytes and back, one step at a time.

    code point            bytes                                   free bits
    0     .. 0x7f         0xxxxxxx                                        7
    0x80  .. 0x7ff        110xxxxx 10xxxxxx                              11
    0x800 .. 0xffff       1110xxxx 10xxxxxx 10xxxxxx                     16
    above .. 0x10ffff     11110xxx 10xxxxxx 10xxxxxx 10xxxxxx            21

The surrogates 0xd800..0xdfff have no UTF-8 form, and each code point has only one: the shortest. So a first byte 0xc0,
0xc1 or 0xf5..0xff is never right, and after 0xe0, 0xed, 0xf0 and 0xf4 not every second byte is.

Slow on purpose: ``str.encode`` and ``bytes.decode`` do the same, and the tests compare with them everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from minbpe_course.errors import InvalidText

LAST_CODE_POINT = 0x10FFFF
REPLACEMENT = "\ufffd"

# The roles of a byte. The names of the leads contain the number of bytes of the character.
ASCII, CONTINUATION, NEVER = "ASCII", "continuation", "never"
LEAD_2, LEAD_3, LEAD_4 = "lead of 2", "lead of 3", "lead of 4"

# First bytes after which the second is narrowed: a shorter form exists below, a surrogate or no code point lies above.
_SECOND_BYTE = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


@dataclass(frozen=True)
class DecodeStep:
    """One character read, or one faulty stretch: ``data[start : start + size]``; ``code`` is None if it is faulty."""

    start: int
    size: int
    code: int | None


def is_surrogate(code: int) -> bool:
    """Tell whether the code point is one half of a UTF-16 pair, which is not a character by itself.

    >>> is_surrogate(0xD83D), is_surrogate(0x1F44B)
    (True, False)
    """
    return 0xD800 <= code <= 0xDFFF


def encode_code_point(code: int) -> bytes:
    """Return the one to four bytes of a code point.

    Raises InvalidText for a surrogate and for a number outside 0..0x10ffff.

    >>> encode_code_point(ord("€")).hex(" ")
    'e2 82 ac'
    """
    if not 0 <= code <= LAST_CODE_POINT or is_surrogate(code):
        kind = "a surrogate" if is_surrogate(code) else "outside 0..0x10ffff"
        raise InvalidText(f"{code:#x} is {kind}, so it has no UTF-8 form; chr(0xfffd) may stand in for it.")
    if code < 0x80:
        return bytes([code])
    if code < 0x800:
        return bytes([0xC0 | code >> 6, 0x80 | code & 0x3F])
    if code < 0x10000:
        return bytes([0xE0 | code >> 12, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F])
    return bytes([0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F])


def encode(text: str) -> bytes:
    r"""Return the UTF-8 bytes of a text.

    Raises InvalidText at the first lone surrogate, with its position.

    >>> encode("naïve")
    b'na\xc3\xafve'
    """
    parts = []
    for position, character in enumerate(text):
        try:
            parts.append(encode_code_point(ord(character)))
        except InvalidText as error:
            raise InvalidText(f"position {position}: {error}") from None
    return b"".join(parts)


def byte_role(byte: int) -> str:
    """Return what a byte value is for: "ASCII", "continuation", "lead of 2", "lead of 3", "lead of 4" or "never".

    >>> [byte_role(byte) for byte in "é!".encode()]
    ['lead of 2', 'continuation', 'ASCII']
    """
    if byte < 0x80:
        return ASCII
    if byte < 0xC0:
        return CONTINUATION
    if byte < 0xC2 or byte > 0xF4:
        return NEVER
    return LEAD_2 if byte < 0xE0 else LEAD_3 if byte < 0xF0 else LEAD_4


def decode_steps(data: bytes) -> Iterator[DecodeStep]:
    r"""Yield each character and each faulty stretch, in order; together they cover all bytes.

    A faulty stretch is as long as it could still have become a character, and at least one byte. Unicode calls it a
    maximal subpart. ``bytes.decode`` puts one replacement character in the place of each.

    >>> list(decode_steps(b"\xe2\x82!"))
    [DecodeStep(start=0, size=2, code=None), DecodeStep(start=2, size=1, code=33)]
    """
    start = 0
    while start < len(data):
        step = _decode_at(data, start)
        yield step
        start += step.size


def decode(data: bytes, errors: str = "strict") -> str:
    r"""Return the text of UTF-8 bytes.

    With ``errors="replace"`` each faulty stretch becomes U+FFFD; with "strict" it raises InvalidText.

    >>> decode(b"na\xc3\xafve")
    'naïve'
    >>> decode(b"na\xc3", errors="replace")
    'na�'
    """
    if errors not in ("strict", "replace"):
        raise InvalidText(f"errors={errors!r} is unknown; type errors='strict' or errors='replace'.")
    characters = []
    for step in decode_steps(data):
        if step.code is not None:
            characters.append(chr(step.code))
        elif errors == "replace":
            characters.append(REPLACEMENT)
        else:
            stretch = data[step.start : step.start + step.size].hex(" ")
            raise InvalidText(
                f"byte {step.start}: {stretch} is no character in UTF-8.\n"
                "If the bytes may be cut or damaged: decode(data, errors='replace')"
            )
    return "".join(characters)


def _decode_at(data: bytes, start: int) -> DecodeStep:
    first = data[start]
    role = byte_role(first)
    if role == ASCII:
        return DecodeStep(start, 1, first)
    if role in (CONTINUATION, NEVER):
        return DecodeStep(start, 1, None)
    length = {LEAD_2: 2, LEAD_3: 3, LEAD_4: 4}[role]
    code = first & (0x7F >> length)
    low, high = _SECOND_BYTE.get(first, (0x80, 0xBF))
    for size in range(1, length):
        if start + size == len(data) or not low <= data[start + size] <= high:
            return DecodeStep(start, size, None)
        code = code << 6 | data[start + size] & 0x3F
        low, high = 0x80, 0xBF
    return DecodeStep(start, length, code)
