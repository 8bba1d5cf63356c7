"""Cut normalised text for a SentencePiece model between characters whose kinds never touch in any piece, readable.

    pieces  ▁the  ▁year  ,  2  0  4  ing        no two digits, no letter next to a comma, no letter before ▁
    text    ▁the▁year▁2024,                     ▁the | ▁year | ▁ | 2 | 0 | 2 | 4 | ,

A merge joins two neighbours only if a piece holds them side by side, so nothing ever merges across such a place, and
the segments can be encoded one by one, from a cache. Kinds are coarser than characters: a cut may be missed, never
wrong. ``kernels.sentencepiece.segments`` is the compiled version.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

KINDS = ("letter", "digit", "space", "control", "punctuation", "high")


def kind_of(byte: int) -> str:
    """Return the kind of a byte of text, in which ▁ is a space.

    >>> [kind_of(byte) for byte in "a1 \\n,é".encode()]
    ['letter', 'digit', 'space', 'control', 'punctuation', 'high', 'high']
    """
    if byte >= 0x80:
        return "high"
    character = chr(byte)
    if character.isalpha():
        return "letter"
    if character.isdigit():
        return "digit"
    if character == " ":
        return "space"
    return "control" if byte < 0x20 else "punctuation"


def touching_kinds(pieces: Iterable[bytes]) -> set[tuple[str, str]]:
    """Return the pairs of kinds that some piece holds side by side, and the bytes of one character.

    >>> sorted(touching_kinds([b" ab"]))
    [('high', 'high'), ('letter', 'letter'), ('space', 'letter')]
    """
    return {("high", "high")} | {(kind_of(a), kind_of(b)) for piece in pieces for a, b in pairwise(piece)}


def split_segments(text: bytes, touching: set[tuple[str, str]]) -> list[bytes]:
    """Cut a text wherever the kinds on both sides never touch.

    >>> split_segments(b" ab ab,12", touching_kinds([b" ab"]))
    [b' ab', b' ab', b',', b'1', b'2']
    """
    cuts = [at for at in range(1, len(text)) if (kind_of(text[at - 1]), kind_of(text[at])) not in touching]
    return [text[begin:end] for begin, end in pairwise([0, *cuts, len(text)]) if begin < end]
