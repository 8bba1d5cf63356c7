"""Unicode tables frozen per engine: one small number for every code point, read from ``text/data``.

    class     0 other   1 upper   2 lower   3 either   4 mark   5 number   6 space   7 newline
    means               Lu Lt     Ll        Lm Lo      M        N          \\s       \\r \\n
    examples  ! '       A Dž      a         中 ه        ́       7 ½ Ⅷ      space tab

`\\p{L}` is upper, lower or either; `\\s` is space or newline. Every code point has exactly one class.

Engines disagree about the newest characters, since each was built from one version of Unicode: tiktoken's Rust engine
and Oniguruma in `tokenizers` 0.23 have Unicode 16, the normalizers of `tokenizers` have Unicode 9, and so has
SentencePiece's trainer. To give the same ids, the tables must be theirs and not those of the running Python. So each
table is data; ``tools/unicode_tables.py`` and ``tools/unicode_scripts.py`` write them by asking the engines.

Limits: the tables are those of the releases named in VERSIONS. If a newer release of `regex` is installed, patterns
of minbpe know its new characters, and patterns with a dedicated scanner follow the table here. A test
compares every code point with what is installed and names those that moved.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np

OTHER, UPPER, LOWER, EITHER, MARK, NUMBER, SPACE, NEWLINE = range(8)
CLASS_NAMES = ("other", "upper", "lower", "either", "mark", "number", "space", "newline")
CATEGORIES = (
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"),
    *("Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"),
)
"""The general categories of Unicode."""
COMMON, INHERITED = 0, 1
"""Two scripts: characters that every script uses, and marks, which take the script of what they follow."""
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000"
"""Unicode's white space, which is Rust's. Python's ``str.isspace`` has four control characters more."""

ENGINES = ("tiktoken", "regex")
VERSIONS = {"tiktoken": "0.14.0", "regex": "2026.11.15"}
CODE_POINTS = 0x110000

CLASS_BITS, CATEGORY_BITS, SCRIPT_BITS = 3, 5, 8


def data_file(name: str) -> Path:
    """Return the path of a frozen table: ``data_file("classes-tiktoken")``."""
    return Path(__file__).parent / "data" / f"{name}.zlib"


def pack(table: np.ndarray, bits: int = CLASS_BITS) -> bytes:
    """Pack a table: each run of equal values is a little-endian uint32 (length << bits | value); then deflate.

    >>> unpack(pack(np.array([0, 0, 7, 7, 7], dtype=np.uint8))).tolist()
    [0, 0, 7, 7, 7]
    """
    starts = np.flatnonzero(np.diff(table.astype(np.int16), prepend=-1))
    lengths = np.diff(starts, append=table.size)
    return zlib.compress((lengths << bits | table[starts]).astype("<u4").tobytes(), 9)


def unpack(packed: bytes, bits: int = CLASS_BITS) -> np.ndarray:
    """Undo ``pack``: uint8, one value per code point, read-only."""
    runs = np.frombuffer(zlib.decompress(packed), dtype="<u4")
    table = np.repeat((runs & (1 << bits) - 1).astype(np.uint8), runs >> bits)
    table.setflags(write=False)
    return table


@cache
def _read(name: str, bits: int = CLASS_BITS) -> np.ndarray:
    return unpack(data_file(name).read_bytes(), bits)


def character_classes(engine: str) -> np.ndarray:
    """Return the class of every code point, uint8[0x110000], shared and read-only.

    engine : "tiktoken" or "regex"; any other name raises KeyError. Surrogates are OTHER: no UTF-8 text holds them.

    >>> classes = character_classes("tiktoken")
    >>> [CLASS_NAMES[classes[ord(c)]] for c in "aB中7 !"]
    ['lower', 'upper', 'either', 'number', 'space', 'other']
    """
    if engine not in ENGINES:
        raise KeyError(f"no character classes for {engine!r}; there are {' and '.join(map(repr, ENGINES))}.")
    return _read(f"classes-{engine}")


def categories() -> np.ndarray:
    """Return the general category of every code point in tiktoken's engine: uint8[0x110000], indices of CATEGORIES.

    >>> [CATEGORIES[categories()[ord(c)]] for c in "aB7 \\n"]
    ['Ll', 'Lu', 'Nd', 'Zs', 'Cc']
    """
    return _read("categories-tiktoken", CATEGORY_BITS)


def scripts() -> np.ndarray:
    """Return the script of every code point in SentencePiece's trainer: uint8[0x110000].

    Scripts are numbers without names: training only asks whether two are equal. Japanese mixes three scripts, which
    are one here. Characters newer than Unicode 9.0 are COMMON.

    >>> table = scripts()
    >>> table[ord("a")] == table[ord("é")], table[ord("a")] == table[ord("я")], table[ord("か")] == table[ord("漢")]
    (np.True_, np.False_, np.True_)
    >>> [int(table[ord(character)]) for character in ("!", "7", "\\u0301")] == [COMMON, COMMON, INHERITED]
    True
    """
    return _read("scripts-sentencepiece", SCRIPT_BITS)


def composing_characters() -> np.ndarray:
    """Return the characters that NFC in `tokenizers` may change, alone or next to others: bool[0x110000]."""
    return _read("composing-tokenizers").astype(bool)


def compatible_characters() -> np.ndarray:
    """Return the characters that NFKD in `tokenizers` changes: bool[0x110000]."""
    return _read("compatible-tokenizers").astype(bool)


REMOVED, ACCENT, ANY_MARK = 1, 2, 4


def removed_characters() -> np.ndarray:
    """Return which normalizers of `tokenizers` remove a character: uint8[0x110000], a sum of flags."""
    return _read("bert-tokenizers")


@cache
def bert_characters(wanted: int) -> np.ndarray:
    """Return the characters that BERT's normalizer takes away: bool[0x110000].

    wanted : REMOVED for control characters and their like, ACCENT for accents, ANY_MARK for what StripAccents removes.

    >>> [bool(bert_characters(ACCENT)[ord(c)]) for c in "e\u0301"], bool(bert_characters(REMOVED)[0])
    ([False, True], True)
    """
    return (removed_characters() & wanted).astype(bool)


@cache
def chinese_characters() -> np.ndarray:
    """Return the characters that BERT's normalizer puts spaces around: bool[0x110000].

    >>> [bool(chinese_characters()[ord(c)]) for c in "中か"]
    [True, False]
    """
    found = np.zeros(CODE_POINTS, dtype=bool)
    for first, last in CHINESE:
        found[first : last + 1] = True
    return found


CHINESE = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F)),
)


@cache
def punctuation() -> np.ndarray:
    """Return the characters that `tokenizers` treats as punctuation: bool[0x110000].

    >>> [bool(punctuation()[ord(c)]) for c in "a.$»"]
    [False, True, True, True]
    """
    return _read("punctuation-tokenizers").astype(bool)
