"""The script of every character, as SentencePiece's trainer sees it: no piece joins two scripts, ``F1`` is none.

    a  B  é      one number, Latin     я    another, Cyrillic     か カ 漢 ー   one number: Japanese mixes them
    !  7  €      COMMON                   U+0301    INHERITED: it takes the script of what stands before it

SentencePiece carries a table of Unicode 9.0 and never renews it, so a character that is younger is COMMON, whatever
the running Python believes. Scripts are numbers here, and have no names: all that training asks is whether two are
equal. The table is data, in ``text/data``; ``tools/unicode_scripts.py`` made it by asking sentencepiece itself.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np

COMMON, INHERITED = 0, 1
CODE_POINTS = 0x110000
DATA_FILE = Path(__file__).parent / "data" / "scripts-sentencepiece.zlib"


@cache
def scripts() -> np.ndarray:
    """Return the script of every code point, uint8[0x110000], shared and read-only.

    >>> table = scripts()
    >>> table[ord("a")] == table[ord("é")], table[ord("a")] == table[ord("я")], table[ord("か")] == table[ord("漢")]
    (np.True_, np.False_, np.True_)
    >>> [int(table[ord(character)]) for character in ("!", "7", "\\u0301")] == [COMMON, COMMON, INHERITED]
    True
    """
    table = unpack(DATA_FILE.read_bytes())
    table.setflags(write=False)
    return table


def pack(table: np.ndarray) -> bytes:
    """Pack a table: runs of equal scripts, each one little-endian uint32 (length << 8 | script), deflated.

    >>> unpack(pack(np.array([0, 0, 7, 7, 7], dtype=np.uint8))).tolist()
    [0, 0, 7, 7, 7]
    """
    starts = np.flatnonzero(np.diff(table.astype(np.int16), prepend=-1))
    lengths = np.diff(starts, append=table.size)
    return zlib.compress((lengths << 8 | table[starts]).astype("<u4").tobytes(), 9)


def unpack(packed: bytes) -> np.ndarray:
    """Undo ``pack``: uint8, one script per code point."""
    runs = np.frombuffer(zlib.decompress(packed), dtype="<u4")
    return np.repeat((runs & 255).astype(np.uint8), runs >> 8)
