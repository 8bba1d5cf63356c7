"""GPT-2's printable bytes: one visible character for each of the 256 byte values.

    byte      0x21..0x7E  0xA1..0xAC  0xAE..0xFF      stand for themselves (as Latin-1 characters)
    byte      the other 68, in ascending order        U+0100, U+0101, U+0102 ... U+0143

So a space is written ``\u0120`` and a line break ``\u010a``. Every token, even one that is not valid UTF-8, fits into a
text file with one token per line. The table was made for GPT-2's ``encoder.json`` and ``vocab.bpe``, and every
``merges.txt`` and byte-level ``tokenizer.json`` still uses it.

The order in which GPT-2 lists these characters (visible ones first) is also where the shuffled bytes of its successors
come from: ``PRINTABLE_ORDER[i]`` is the byte with id i in gpt2, r50k_base, p50k_base, cl100k_base and o200k_base.

Limit: this is a spelling of bytes, not an encoding of text. Text goes through UTF-8 first.
"""

from __future__ import annotations

from minbpe_course.errors import InvalidText

_VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))

PRINTABLE_ORDER = bytes(_VISIBLE) + bytes(byte for byte in range(256) if byte not in _VISIBLE)
"""All 256 bytes in GPT-2's order: those that show as themselves, then the others, each group ascending."""


_CHARACTERS = {
    byte: chr(byte) if byte in _VISIBLE else chr(0x100 + place - len(_VISIBLE))
    for place, byte in enumerate(PRINTABLE_ORDER)
}
BYTE_OF = {character: byte for byte, character in _CHARACTERS.items()}
"""GPT-2's printable character -> byte."""
# Characters up to U+00FF that spell no byte become one that Latin-1 cannot encode.
_CODES = {code: BYTE_OF.get(chr(code), 0xFFFF) for code in {*range(0x100), *map(ord, BYTE_OF)}}


def printable_bytes() -> dict[int, str]:
    """Return byte -> character for all 256 bytes, in GPT-2's order.

    >>> alphabet = printable_bytes()
    >>> alphabet[ord("A")], alphabet[ord(" ")], len(set(alphabet.values()))
    ('A', '\u0120', 256)
    """
    return dict(_CHARACTERS)


def to_printable(data: bytes) -> str:
    """Spell bytes with GPT-2's characters, one character a byte. Never fails.

    >>> to_printable(b" caf\\xc3\\xa9")
    '\u0120caf\u00c3\u00a9'
    """
    # Latin-1 makes one character of each byte; the table then swaps the 68 that do not show.
    return data.decode("latin-1").translate(_CHARACTERS)


def from_printable(text: str) -> bytes:
    """Read bytes that ``to_printable`` spelled.

    Raises InvalidText for a character that is not one of the 256.

    >>> from_printable("\u0120hello")
    b' hello'
    """
    try:
        return text.translate(_CODES).encode("latin-1")
    except UnicodeEncodeError as error:
        at = error.start
        raise InvalidText(
            f"character {at} of {text[:80]!r} is {text[at]!r} (U+{ord(text[at]):04X}), which is not one of GPT-2's 256 "
            "printable bytes.\nOrdinary text is spelled with to_printable(text.encode('utf-8'))."
        ) from None
