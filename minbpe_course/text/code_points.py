r"""Which characters a part of a split pattern matches: one bool for each code point, by the tables of one engine.

For "tiktoken" the frozen tables decide (``unicode_tables``); Oniguruma in `tokenizers` 0.23 has the very same, which a
test proves for every code point. For "regex" the installed library is asked.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text import properties, unicode_tables
from minbpe_course.text.pattern_parts import LAST, Characters
from minbpe_course.text.unicode_tables import CATEGORIES, categories

CODE_POINTS = LAST + 1


def matched_by(characters: Characters, engine: str) -> np.ndarray:
    """Return which code points a set contains: bool[0x110000].

    Raises UnsupportedPattern if the engine has no table for a property.

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


@lru_cache(maxsize=64)  # a megabyte each, and there are a thousand properties
def has_property(name: str, engine: str) -> np.ndarray:
    """Return which code points have a property: a category ("L", "Lu"), white space ("s"), word characters ("w"), or
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
    """Return the code points on which ``regex`` and ``engine`` may disagree: bool[0x110000].

    These are the code points without a character in the tables of the engine, and a few that have changed since.
    """
    if engine == "regex":
        return np.zeros(CODE_POINTS, dtype=bool)
    moved = unicode_tables.character_classes(engine) != unicode_tables.character_classes("regex")
    return moved | (categories() == CATEGORIES.index("Cn"))


@cache
def every_character() -> str:
    """Return all characters in order. Surrogates are not characters."""
    codes = np.delete(np.arange(CODE_POINTS, dtype="<u4"), slice(0xD800, 0xE000))
    return codes.tobytes().decode("utf-32-le")


def _asked(name: str) -> np.ndarray:
    one = f"\\{name}" if name in ("s", "w") else f"\\p{{{name}}}"
    found = np.zeros(CODE_POINTS, dtype=bool)
    text = "".join(regex.findall(f"{one}+", every_character()))
    found[np.frombuffer(text.encode("utf-32-le"), dtype="<u4")] = True
    return found


def ranges_of(members: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Return the runs of True in bool[0x110000], as (first, last).

    >>> ranges_of(np.array([False, True, True, False, True]))
    ((1, 2), (4, 4))
    """
    edges = np.flatnonzero(np.diff(members.astype(np.int8), prepend=0, append=0)).tolist()
    return tuple((begin, end - 1) for begin, end in zip(edges[::2], edges[1::2]))


def edges_of(characters: Characters, engine: str) -> np.ndarray:
    """Return where a set begins and ends, in turn: int64[2n], ascending, up to 0x110000. Raises as ``matched_by``.

    >>> edges_of(Characters(((97, 99), (98, 122)), (), True), "tiktoken").tolist() == [0, 97, 123, CODE_POINTS]
    True
    """
    listed = np.array(characters.ranges, dtype=np.int64).reshape(-1, 2)
    ends = [listed + np.array([0, 1])]
    for wanted in characters.properties:
        edges = _edges_of_property(wanted.name, engine)
        ends.append((_complement(edges) if wanted.negated else edges).reshape(-1, 2))
    every = np.concatenate(ends)
    every = every[np.argsort(every[:, 0], kind="stable")]
    reach = np.maximum.accumulate(every[:, 1])
    apart = every[1:, 0] > reach[:-1]
    begins = every[np.concatenate([[True], apart])[: len(every)], 0]
    stops = reach[np.concatenate([apart, [True]])[-len(every) :]] if len(every) else reach
    found = np.stack([begins, stops], axis=1).reshape(-1)
    return _complement(found) if characters.negated else found


@lru_cache(maxsize=256)
def _edges_of_property(name: str, engine: str) -> np.ndarray:
    return np.flatnonzero(np.diff(has_property(name, engine).astype(np.int8), prepend=0, append=0))


def _complement(edges: np.ndarray) -> np.ndarray:
    return np.setxor1d(edges, [0, CODE_POINTS])


def kinds_of(sets: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Divide the characters into kinds, so that two of one kind are in the same sets, given as ``edges_of`` each.

    Returns where the runs of characters of one kind begin, and the kind of each run, int64 from 0.

    >>> [found.tolist() for found in kinds_of([np.array([2, 3])])]
    [[0, 2, 3], [0, 1, 0]]
    """
    edges = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), *sets]))
    edges = edges[edges < CODE_POINTS]
    if not sets:
        return edges, np.zeros(1, dtype=np.int64)
    rows = np.packbits(np.stack([inside(each, edges) for each in sets]), axis=0).T
    return edges, np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def inside(edges: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return which code points are in a set, given as ``edges_of``: bool[n]."""
    return np.searchsorted(edges, points, side="right") % 2 == 1
