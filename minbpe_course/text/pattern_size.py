r"""Bound the size of a split pattern, because engines write counts out before they search.

    (?:(?:x{1000}){1000}){10}|.       25 characters, 10,000,001 parts: 3 GB in ``regex``

A pattern in one of the dialects of ``pattern_reading`` is measured by its parts. ``regex`` understands more than that
dialect: groups that call themselves, conditions, free spacing. Such a pattern is measured by its text: its length times
all its counts. Both need time in proportion to the text, and no memory.
"""

from __future__ import annotations

import math
import re

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text.pattern_parts import Anchor, Back, Characters, Either, Part, Repeat, Series

MOST_PARTS = 1 << 16
"""Sets, anchors and references in a pattern whose counts are written out. The largest published pattern has 73."""

_COUNT = re.compile(r"\{([\s\d,]*\d[\s\d,]*)\}")
# With the flag x, a comment may stand inside of a count.
_CALL = re.compile(r"\(\?(?:R\)|[+-]?\d+\)|&|P>)|\{[\s\d,]*#")


def check_size(part: Part, pattern: str) -> Part:
    """Return ``part``, the pattern that was read. Raises UnsupportedPattern if it has more than MOST_PARTS parts.

    >>> check_size(Repeat(Characters(((97, 97),)), 3, None, ""), "a{3,}")[1]
    3
    """
    if (size := size_of(part)) > MOST_PARTS:
        raise _too_large(f"{size:,}", pattern)
    return part


def size_of(part: Part) -> int:
    """Return how many parts a pattern has once its counts are written out.

    >>> size_of(Repeat(Series((Characters(((97, 97),)), Anchor("text end"))), 2, 5, ""))
    10
    """
    if isinstance(part, (Characters, Anchor, Back)):
        return 1
    if isinstance(part, (Series, Either)):
        # Empty alternatives take room, too.
        return max(len(part.parts), sum(map(size_of, part.parts)))
    inside = max(1, size_of(part.part))
    return inside * max(1, part.least, part.most or 0) if isinstance(part, Repeat) else inside


def largest_size(pattern: str) -> float:
    """Return what the size of a pattern cannot exceed in any dialect; infinite if a group may call itself.

    >>> largest_size("a{10}|b{2,3}"), largest_size("(?R)")
    (360, inf)
    """
    if _CALL.search(pattern):
        return math.inf
    size = len(pattern)
    for found in _COUNT.finditer(pattern):
        digits = ["".join(number.split())[:18] for number in found[1].split(",")]
        size *= max(1, *(int(number or 0) for number in digits))
        if size > MOST_PARTS:
            return math.inf
    return size


def refuse_unmeasured(pattern: str) -> None:
    """Raise UnsupportedPattern for a pattern of ``regex`` that cannot be read, and whose text allows too many parts."""
    if (found := _CALL.search(pattern)) is not None:
        what = "a comment inside of a count" if found[0].startswith("{") else f"{found[0]!r}, a call of a group"
        raise UnsupportedPattern(
            f"this package does not support a split pattern with {what}: it may need memory without end. Write the "
            f"group out.\nThe pattern: {pattern[:1000]!r}"
        )
    raise _too_large("too many", pattern)


def _too_large(size: str, pattern: str) -> UnsupportedPattern:
    return UnsupportedPattern(
        f"this split pattern has {size} parts once its counts are written out; the most is {MOST_PARTS:,}. Use smaller "
        f"counts, or + and *.\nThe pattern: {pattern[:1000]!r}"
    )
