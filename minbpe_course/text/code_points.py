r"""Which characters a part of a split pattern matches: one bool for each code point, as one engine's Unicode has it.

The general category of every code point is frozen for "tiktoken" (``text/data``, written by
``tools/unicode_tables.py``), since its engine cannot be asked without work. Its tables are those of Unicode 16, and
Oniguruma in `tokenizers` 0.23 has the very same: a test compares every code point of both. For "regex" the installed
library itself is asked.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np
import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text import properties, unicode_tables
from minbpe_course.text.pattern_parts import CATEGORIES, LAST, Characters

CODE_POINTS = LAST + 1

_CATEGORY_FILE = Path(__file__).parent / "data" / "categories-tiktoken.zlib"


def category_file() -> Path:
    """Where the frozen categories lie."""
    return _CATEGORY_FILE


@cache
def categories() -> np.ndarray:
    """The general category of every code point in tiktoken's engine: uint8[0x110000], places in CATEGORIES.

    >>> [CATEGORIES[categories()[ord(c)]] for c in "aB7 \\n"]
    ['Ll', 'Lu', 'Nd', 'Zs', 'Cc']
    """
    table = unpack_categories(category_file().read_bytes())
    table.setflags(write=False)
    return table


def pack_categories(table: np.ndarray) -> bytes:
    """Pack a table of categories: runs of equal ones, each one little-endian uint32 (length << 5 | category).

    >>> unpack_categories(pack_categories(np.array([0, 0, 29, 3], dtype=np.uint8))).tolist()
    [0, 0, 29, 3]
    """
    starts = np.flatnonzero(np.diff(table, prepend=255))
    lengths = np.diff(starts, append=table.size)
    return zlib.compress((lengths << 5 | table[starts]).astype("<u4").tobytes(), 9)


def unpack_categories(packed: bytes) -> np.ndarray:
    """Undo ``pack_categories``: uint8, one category for each code point."""
    runs = np.frombuffer(zlib.decompress(packed), dtype="<u4")
    return np.repeat((runs & 31).astype(np.uint8), runs >> 5)


def matched_by(characters: Characters, engine: str) -> np.ndarray:
    """Whether a set holds each code point: bool[0x110000].

    Raises UnsupportedPattern where the tables of the engine do not say it.

    >>> from minbpe_course.text.pattern_parts import Property
    >>> [bool(matched_by(Characters((), (Property("L", True),)), "tiktoken")[ord(c)]) for c in "a7"]
    [False, True]
    """
    found = np.zeros(CODE_POINTS, dtype=bool)
    for first, last in characters.ranges:
        found[first : last + 1] = True
    for wanted in characters.properties:
        found |= has_property(wanted.name, engine) != wanted.negated
    return ~found if characters.negated else found


@cache
def has_property(name: str, engine: str) -> np.ndarray:
    """Whether each code point has a property: a category ("L", "Lu"), white space ("s"), characters of words ("w"), or
    for tiktoken another property ("greek")."""
    if engine == "regex":
        return _asked(name)
    if name == "s":
        return unicode_tables.character_classes(engine) >= unicode_tables.SPACE
    if name == "w":
        return properties.members(properties.WORD)
    if name.islower():
        return properties.members(name)
    wanted = [place for place, category in enumerate(CATEGORIES) if category.startswith(name)]
    if not wanted:
        raise UnsupportedPattern(f"the tables of {engine} do not say which characters \\{name} matches.")
    return np.isin(categories(), wanted)


@cache
def newer_than(engine: str) -> np.ndarray:
    """The code points of which ``regex`` may say something else than ``engine``: bool[0x110000].

    Those to which the tables of the engine give no character, and the few that have since changed.

    >>> newer = newer_than("tiktoken")
    >>> bool(newer[ord("a")]), bool(newer[0x0378])
    (False, True)
    """
    if engine == "regex":
        return np.zeros(CODE_POINTS, dtype=bool)
    moved = unicode_tables.character_classes(engine) != unicode_tables.character_classes("regex")
    return moved | (categories() == CATEGORIES.index("Cn"))


def _asked(name: str) -> np.ndarray:
    # Surrogates are in no text.
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, CODE_POINTS)]))
    one = f"\\{name}" if name in ("s", "w") else f"\\p{{{name}}}"
    found = np.zeros(CODE_POINTS, dtype=bool)
    text = "".join(regex.findall(f"{one}+", everything))
    found[np.frombuffer(text.encode("utf-32-le"), dtype="<u4")] = True
    return found


def ranges_of(members: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The runs of True in bool[0x110000], as (first, last).

    >>> ranges_of(np.array([False, True, True, False, True]))
    ((1, 2), (4, 4))
    """
    edges = np.flatnonzero(np.diff(members.astype(np.int8), prepend=0, append=0)).tolist()
    return tuple((begin, end - 1) for begin, end in zip(edges[::2], edges[1::2]))
