"""The character classes that split patterns ask for, frozen per engine: which code points are letters, numbers, spaces.

    class     0 other   1 upper   2 lower   3 either   4 mark   5 number   6 space   7 newline
    means               Lu Lt     Ll        Lm Lo      M        N          \\s       \\r \\n
    examples  ! '       A Dž      a         中 ه        ́       7 ½ Ⅷ      blank tab

`\\p{L}` is upper, lower or either; `\\s` is space or newline. Every code point has exactly one class.

Two engines disagree about the newest characters, since each was built from one version of the Unicode tables:
tiktoken's Rust engine ("tiktoken") and the `regex` module ("regex"). To give tiktoken's ids, tiktoken's classes must be
used, whatever the running Python or `regex` believe. So both tables are data, in ``text/data``, and the maintainer's
tool ``tools/unicode_tables.py`` writes them.

Limits: the tables are those of the releases named in VERSIONS. If another release of `regex` is installed, built from a
newer Unicode, then patterns that only `regex` can run know its new characters, and patterns with a compiled scanner
still follow the table here. A test compares every code point with what is installed and says which ones moved.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np

OTHER, UPPER, LOWER, EITHER, MARK, NUMBER, SPACE, NEWLINE = range(8)
CLASS_NAMES = ("other", "upper", "lower", "either", "mark", "number", "space", "newline")

ENGINES = ("tiktoken", "regex")
VERSIONS = {"tiktoken": "0.14.0", "regex": "2026.11.15"}
CODE_POINTS = 0x110000

_DATA = Path(__file__).parent / "data"


@cache
def character_classes(engine: str) -> np.ndarray:
    """Return the class of every code point, uint8[0x110000], shared and read-only.

    engine : "tiktoken" or "regex"; any other name raises KeyError. Surrogates are OTHER: no UTF-8 text holds them.

    >>> classes = character_classes("tiktoken")
    >>> [CLASS_NAMES[classes[ord(c)]] for c in "aB中7 !"]
    ['lower', 'upper', 'either', 'number', 'space', 'other']
    """
    if engine not in ENGINES:
        raise KeyError(f"no character classes for {engine!r}; there are {' and '.join(map(repr, ENGINES))}.")
    classes = unpack(data_file(engine).read_bytes())
    classes.setflags(write=False)
    return classes


def data_file(engine: str) -> Path:
    """Where the frozen table of an engine lies."""
    return _DATA / f"classes-{engine}.zlib"


def pack(classes: np.ndarray) -> bytes:
    """Pack a table of classes: runs of equal classes, each one little-endian uint32 (length << 3 | class), deflated.

    >>> table = np.array([0, 0, 7, 7, 7], dtype=np.uint8)
    >>> unpack(pack(table)).tolist()
    [0, 0, 7, 7, 7]
    """
    starts = np.flatnonzero(np.diff(classes, prepend=255))
    lengths = np.diff(starts, append=classes.size)
    return zlib.compress((lengths << 3 | classes[starts]).astype("<u4").tobytes(), 9)


def unpack(packed: bytes) -> np.ndarray:
    """Undo ``pack``: uint8, one class per code point."""
    runs = np.frombuffer(zlib.decompress(packed), dtype="<u4")
    return np.repeat((runs & 7).astype(np.uint8), runs >> 3)
