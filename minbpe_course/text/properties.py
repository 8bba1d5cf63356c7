r"""Unicode properties and case folding in tiktoken's engine: the sets of ``\p{...}``, and the letters of ``(?i:...)``.

    find("Script=Greek")      the name of a set, or None if tiktoken does not know it
    members("sc=greek")       bool[0x110000]
    cases(ord("k"))           (75, 107, 8490): K, k and the Kelvin sign

The table is data, in ``text/data``; ``tools/unicode_properties.py`` makes it by asking tiktoken about every code point.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

CODE_POINTS = 0x110000
DATA_FILE = Path(__file__).parent / "data" / "properties-tiktoken.zlib"
WORD = "perl word"
r"""The name of the set that ``\w`` matches."""

_DROPPED = str.maketrans("", "", " _-")


def find(name: str) -> str | None:
    r"""Return the key of a property as written between the braces of ``\p{...}``, or None if there is no such property.

    Case, spaces, hyphens, underscores and a leading "is" do not matter.
    """
    key = normalized(name)
    if key in _POSIX and name.lower() != key:
        return None
    return key if key in _table()["names"] and key != WORD else None


def scripts() -> list[str]:
    """Return the keys of all scripts; some have two, which ``number`` tells to be equal.

    >>> [key for key in scripts() if number(key) == number("sc=grek")]
    ['sc=greek', 'sc=grek']
    """
    return [key for key in _table()["names"] if key.startswith("sc=")]


def number(key: str) -> int:
    """Return a number that equal sets share."""
    return int(_table()["names"][key])


def normalized(name: str) -> str:
    """Return a property name without spelling variants.

    >>> normalized("General_Category:Uppercase Letter")
    'gc=uppercaseletter'
    """
    first, sign, value = name.replace(":", "=", 1).partition("=")
    first = _loose(first)
    return f"{_ALIASES.get(first, first)}={_loose(value)}" if sign else first


def members(key: str) -> np.ndarray:
    """Return which code points have the property that ``find`` returned: bool[0x110000], read-only.

    >>> [bool(members("greek")[ord(c)]) for c in "aω"]
    [False, True]
    """
    table = _table()
    begin, end = table["places"][table["names"][key] : table["names"][key] + 2]
    lengths = np.diff(table["edges"][begin:end], prepend=0, append=CODE_POINTS)
    found = np.repeat(np.arange(lengths.size) % 2 == 1, lengths)
    found.setflags(write=False)
    return found


def cases(code: int) -> tuple[int, ...]:
    """Return the code points that match ``code`` if case is ignored, itself included."""
    return _groups().get(code, (code,))


def fold(found: np.ndarray) -> np.ndarray:
    """Return the set, bool[0x110000], with every other case of its members.

    >>> some = np.zeros(CODE_POINTS, dtype=bool)
    >>> some[ord("k")] = True
    >>> np.flatnonzero(fold(some)).tolist() == [ord("K"), ord("k"), 0x212A]
    True
    """
    codes, group = _folding()
    chosen = np.unique(group[found[codes]])
    found = found.copy()
    found[codes[np.isin(group, chosen)]] = True
    return found


def pack(sets: Mapping[str, np.ndarray], groups: Iterable[tuple[int, ...]]) -> bytes:
    """Pack named sets, bool[0x110000], and groups of characters that differ in case only."""
    edges: list[np.ndarray] = []
    numbers: dict[bytes, int] = {}
    names = {}
    for name, found in sets.items():
        # The places where the set begins or ends: an even number of them, or an odd one if it reaches the last.
        own = np.flatnonzero(np.diff(found.astype(np.int8), prepend=0)).astype("<u4")
        names[name] = numbers.setdefault(own.tobytes(), len(edges))
        if names[name] == len(edges):
            edges.append(own)
    places = np.cumsum([0, *map(len, edges)]).tolist()
    header = {"names": names, "places": places, "groups": [list(group) for group in groups]}
    told = json.dumps(header, separators=(",", ":")).encode()
    data = np.concatenate([np.diff(own, prepend=np.uint32(0)) for own in edges]).astype("<u4")
    return zlib.compress(told + b"\n" + data.view(np.uint8).reshape(-1, 4).T.tobytes(), 9)


@cache
def _table() -> dict[str, Any]:
    told, _, packed = zlib.decompress(DATA_FILE.read_bytes()).partition(b"\n")
    table = json.loads(told)
    steps = np.frombuffer(packed, dtype=np.uint8).reshape(4, -1).T.copy().view("<u4").reshape(-1).astype(np.int64)
    places = table["places"]
    table["edges"] = np.concatenate([np.cumsum(steps[a:b]) for a, b in pairwise(places)] or [steps])
    return table


@cache
def _groups() -> dict[int, tuple[int, ...]]:
    return {code: tuple(group) for group in _table()["groups"] for code in group}


@cache
def _folding() -> tuple[np.ndarray, np.ndarray]:
    groups = _table()["groups"]
    codes = np.array([code for group in groups for code in group], dtype=np.int64)
    return codes, np.repeat(np.arange(len(groups)), [len(group) for group in groups])


def _loose(name: str) -> str:
    given = name.translate(_DROPPED).lower()
    return given[2:] if name[:2].lower() == "is" and given != "isc" else given


# These are not Unicode's: the engine takes them in this spelling only.
_POSIX = frozenset({"alnum", "blank", "graph", "print", "word"})
_ALIASES = {
    "generalcategory": "gc",
    "script": "sc",
    "scriptextensions": "scx",
    "graphemeclusterbreak": "gcb",
    "wordbreak": "wb",
    "sentencebreak": "sb",
}
