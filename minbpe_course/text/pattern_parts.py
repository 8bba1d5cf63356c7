"""The parts of a split pattern, independent of its dialect: a tree in which each part has one meaning.

[^\\r\\n]?\\p{L}+     ->     Series((Repeat(Characters(...), 0, 1, ""), Repeat(Characters(...), 1, None, "")))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

LAST = 0x10FFFF
LOOKS = {"?=": (True, False), "?!": (True, True), "?<=": (False, False), "?<!": (False, True)}
"""The sign of a look-around -> ahead, negated."""
SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""The sign of a repetition -> least, most."""


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

    Others: "every line begin" (also after a line break that ends the text), "search begin" (where the last match ended)
    and "match begin" (text matched before it is not part of the match).
    """

    place: str


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
    """A look-around: the part must match ahead of this place or behind it, or must not."""

    part: Part
    ahead: bool
    negated: bool


class Kept(NamedTuple):
    """An atomic group: a part without backtracking."""

    part: Part


class Captured(NamedTuple):
    """A group that a ``Back`` refers to. Other groups are read as the part inside."""

    part: Part
    number: int


class Back(NamedTuple):
    """A back reference: the text that a group matched last."""

    number: int


Part: TypeAlias = "Characters | Anchor | Series | Either | Repeat | Look | Kept | Captured | Back"

ANY = Characters(((0, LAST),))
NO_LINE_BREAK = Characters(((10, 10),), (), True)


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


def inner_parts(part: Part) -> tuple[Part, ...]:
    """Return the parts directly inside a part."""
    if isinstance(part, (Series, Either)):
        return part.parts
    return () if isinstance(part, (Characters, Anchor, Back)) else (part.part,)


def all_parts(part: Part) -> Iterator[Part]:
    """Yield a part and every part inside it."""
    yield part
    for one in inner_parts(part):
        yield from all_parts(one)


def holds(part: Part, wanted: Part | type[Part]) -> bool:
    """Tell whether ``wanted``, a part or a kind of part, is this part or inside it.

    >>> holds(Series((Back(1), ANY)), Back), holds(Series((Back(1), ANY)), NO_LINE_BREAK)
    (True, False)
    """
    return any(one == wanted or (isinstance(wanted, type) and isinstance(one, wanted)) for one in all_parts(part))


def written(
    part: Part, characters: Callable[[Characters], str], place: Callable[[str], str], alone: bool = True
) -> str:
    """Return a part as a pattern. characters, place : spell a set and an anchor · alone : nothing is next to the part.

    >>> written(Repeat(Either((ANY, Anchor("text end"))), 1, 2, ""), lambda _: ".", {"text end": r"\\z"}.__getitem__)
    '(?:.|\\\\z){1,2}'
    """
    if isinstance(part, Characters):
        return characters(part)
    if isinstance(part, Anchor):
        return place(part.place)
    if isinstance(part, (Series, Either)):
        parts = [written(one, characters, place, alone=False) for one in part.parts]
        if isinstance(part, Series):
            return "".join(parts)
        return "|".join(parts) if alone else f"(?:{'|'.join(parts)})"
    if isinstance(part, Back):
        return f"(?P=g{part.number})"
    inside = written(part.part, characters, place)
    if isinstance(part, Look):
        return f"({_LOOK_SIGNS[part.ahead, part.negated]}{inside})"
    if isinstance(part, Kept):
        return f"(?>{inside})"
    if isinstance(part, Captured):
        return f"(?P<g{part.number}>{inside})"
    if not isinstance(part.part, Characters) or inside == NOTHING:
        inside = f"(?:{inside})"
    if sign := _REPEAT_SIGNS.get((part.least, part.most)):
        return inside + sign + part.manner
    times = f"{part.least}" if part.least == part.most else f"{part.least},{'' if part.most is None else part.most}"
    counted = f"{inside}{{{times}}}"
    if part.manner == "+":
        return f"(?>{counted})"
    return counted if part.least == part.most else counted + part.manner


NOTHING = "(?!)"
"""The pattern of a set without characters."""
_LOOK_SIGNS = {meaning: sign for sign, meaning in LOOKS.items()}
_REPEAT_SIGNS = {times: sign for sign, times in SIGNS.items()}
