"""The parts of a split pattern, whatever dialect it was written in: a tree in which each part says one thing.

[^\\r\\n]?\\p{L}+     ->     Series((Repeat(Characters(...), 0, 1, ""), Repeat(Characters(...), 1, None, "")))
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

LAST = 0x10FFFF


class Property(NamedTuple):
    """A named set of characters, or all others.

    name : a category of Unicode ("L", "Lu"), white space ("s"), characters of words ("w"), or what ``properties.find``
    returns ("greek").
    """

    name: str
    negated: bool


class Characters(NamedTuple):
    """One character out of a set: ranges (first, last) in ascending order, and properties."""

    ranges: tuple[tuple[int, int], ...]
    properties: tuple[Property, ...] = ()
    negated: bool = False


class Anchor(NamedTuple):
    """A place: "text begin", "text end", "line begin", "line end", or "last line end": the end or a last line break.

    Further places: "every line begin" (also after a line break that ends the text), "search begin" (where the last
    match ended) and "match begin" (what was matched before it does not count).
    """

    place: str


class Series(NamedTuple):
    """Parts one behind the other."""

    parts: tuple[Part, ...]


class Either(NamedTuple):
    """The first of several that matches."""

    parts: tuple[Part, ...]


class Repeat(NamedTuple):
    """A part several times; ``manner``: "" takes much, "?" takes little, "+" takes much and gives nothing back."""

    part: Part
    least: int
    most: int | None
    manner: str


class Look(NamedTuple):
    """A part that must stand ahead of here or behind, or must not."""

    part: Part
    ahead: bool
    negated: bool


class Kept(NamedTuple):
    """A part that gives nothing back."""

    part: Part


class Captured(NamedTuple):
    """A part whose text a ``Back`` repeats. Groups that nothing refers to are read as the part inside."""

    part: Part
    number: int


class Back(NamedTuple):
    """The text that a group matched last."""

    number: int


Part: TypeAlias = "Characters | Anchor | Series | Either | Repeat | Look | Kept | Captured | Back"

ANY = Characters(((0, LAST),))
NO_LINE_BREAK = Characters(((10, 10),), (), True)


def joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges in ascending order, those that touch joined.

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
    """Whether a part may match nothing."""
    if isinstance(part, Characters):
        return False
    if isinstance(part, (Anchor, Look, Back)):
        return True
    if isinstance(part, Repeat):
        return part.least == 0 or may_be_empty(part.part)
    if isinstance(part, (Kept, Captured)):
        return may_be_empty(part.part)
    empty = map(may_be_empty, part.parts)
    return all(empty) if isinstance(part, Series) else any(empty)


def holds(part: Part, wanted: Part | type[Part]) -> bool:
    """Return whether ``wanted``, a part or a kind of parts, is this part or inside it.

    >>> holds(Series((Back(1), ANY)), Back), holds(Series((Back(1), ANY)), NO_LINE_BREAK)
    (True, False)
    """
    if part == wanted or (isinstance(wanted, type) and isinstance(part, wanted)):
        return True
    if isinstance(part, (Series, Either)):
        return any(holds(one, wanted) for one in part.parts)
    return not isinstance(part, (Characters, Anchor, Back)) and holds(part.part, wanted)
