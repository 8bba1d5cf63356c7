"""The syntax tree of a split pattern, independent of its dialect: each part has one meaning.

[^\\r\\n]?\\p{L}+     ->     Series((Repeat(Characters(...), 0, 1, ""), Repeat(Characters(...), 1, None, "")))

Anchors are look-arounds: the text ends where no character follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

LAST = 0x10FFFF


class Property(NamedTuple):
    """A named set of characters, or all others.

    name : a category of Unicode ("L", "Lu"), white space ("s"), characters of words ("w"), or another property by the
    name that its engine knows.
    """

    name: str
    negated: bool


class Characters(NamedTuple):
    """One character out of a set: ranges (first, last) in ascending order, and properties."""

    ranges: tuple[tuple[int, int], ...]
    properties: tuple[Property, ...] = ()
    negated: bool = False


class Series(NamedTuple):
    """Parts in sequence."""

    parts: tuple[Part, ...]


class Either(NamedTuple):
    """Alternatives, of which the first that matches counts."""

    parts: tuple[Part, ...]


class Repeat(NamedTuple):
    """A repeated part. manner : "" is greedy, "?" lazy, "+" possessive (greedy without backtracking)."""

    part: Part
    least: int
    most: int | None
    manner: str


class Look(NamedTuple):
    """A look-around: the part must, or must not, match after or before this place."""

    part: Part
    ahead: bool
    negated: bool


class Kept(NamedTuple):
    """An atomic group: a part without backtracking."""

    part: Part


Part: TypeAlias = "Characters | Series | Either | Repeat | Look | Kept"

ANY = Characters(((0, LAST),))
LINE_BREAK = Characters(((10, 10),))
NO_LINE_BREAK = Characters(((10, 10),), (), True)
TEXT_BEGIN, TEXT_END = Look(ANY, False, True), Look(ANY, True, True)
LAST_LINE_END = Look(Series((Repeat(LINE_BREAK, 0, 1, ""), TEXT_END)), True, False)


def joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the ranges in ascending order, with touching ones joined.

    >>> joined([(5, 6), (1, 2), (3, 3)])
    ((1, 3), (5, 6))
    """
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def may_be_empty(part: Part) -> bool:
    """Tell whether a part can match the empty text."""
    if isinstance(part, (Characters, Look)):
        return isinstance(part, Look)
    if isinstance(part, Repeat):
        return part.least == 0 or may_be_empty(part.part)
    if isinstance(part, Kept):
        return may_be_empty(part.part)
    empty = map(may_be_empty, part.parts)
    return all(empty) if isinstance(part, Series) else any(empty)


def all_sets(part: Part) -> Iterator[Characters]:
    """Yield every set of characters in a part."""
    if isinstance(part, Characters):
        yield part
    else:
        for one in part.parts if isinstance(part, (Series, Either)) else (part.part,):
            yield from all_sets(one)


def size_of(part: Part) -> int:
    """Return how many sets a pattern has once its counts are written out, as engines do before they search.

    >>> size_of(Repeat(Series((ANY, TEXT_END)), 2, 5, ""))
    10
    """
    if isinstance(part, Characters):
        return 1
    if isinstance(part, (Series, Either)):
        # Empty alternatives take room, too.
        return max(len(part.parts), sum(map(size_of, part.parts)))
    inside = max(1, size_of(part.part))
    return inside * max(1, part.least, part.most or 0) if isinstance(part, Repeat) else inside
