r"""Write the tree of a split pattern in the dialect of an engine: Oniguruma, which `tokenizers` runs, or JavaScript.

    \p{N}{1,3}+|\w+|\s+$            tiktoken
    (?>\p{N}{1,3})|[0-9A-Z...]+|\s+\z    Oniguruma

Oniguruma has the character tables of tiktoken. A class of ``regex``, which knows newer characters, is written out as
ranges, and so is every class in JavaScript, whose tables depend on the browser.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from typing import Any

from minbpe_course.errors import InvalidPattern, UnsupportedPattern
from minbpe_course.text import code_points
from minbpe_course.text.pattern_parts import (
    ANY,
    LAST_LINE_END,
    NO_LINE_BREAK,
    TEXT_BEGIN,
    TEXT_END,
    Characters,
    Either,
    Kept,
    Look,
    Part,
    Property,
    Series,
    all_sets,
    size_of,
)
from minbpe_course.text.pattern_reading import (
    CATEGORY_NAMES,
    LOOKS,
    ONIGURUMA,
    REGEX,
    SIGNS,
    TIKTOKEN,
    read_pattern,
)

NOTHING = "(?:(?!).)"
"""The pattern of a set without characters."""
_LARGEST_IN_JAVASCRIPT = 20_000
_PLAIN = set(string.ascii_letters + string.digits + " !\"%',/:;<=>@_`")
_ESCAPED = {10: r"\n", 13: r"\r", 9: r"\t"}
_LOOK_SIGNS = {meaning: sign for sign, meaning in LOOKS.items()}
_REPEAT_SIGNS = {times: sign for sign, times in SIGNS.items()}


def written(
    part: Part,
    characters: Callable[[Characters], str],
    kept: Callable[[str], str] | None = None,
    places: dict[Part, str] | None = None,
) -> str:
    """Return a part as a pattern.

    characters : spells a set · kept : spells an atomic group, if it has another form · places : other parts, spelled.

    >>> written(Either((ANY, TEXT_END)), lambda _: ".", places={TEXT_END: r"\\z"})
    '.|\\\\z'
    """
    atomic = kept or "(?>{})".format

    def text(part: Part) -> str:
        if isinstance(part, Characters):
            return characters(part)
        if isinstance(part, Either):
            return "|".join(map(text, part.parts))
        if isinstance(part, Series):
            return "".join(f"(?:{text(one)})" if isinstance(one, Either) else text(one) for one in part.parts)
        if places and part in places:
            return places[part]
        inside = text(part.part)
        if isinstance(part, Look):
            return f"(?{_LOOK_SIGNS[part.ahead, part.negated]}{inside})"
        if isinstance(part, Kept):
            return atomic(inside)
        if not isinstance(part.part, Characters):
            inside = f"(?:{inside})"
        if not (sign := _REPEAT_SIGNS.get((part.least, part.most))):
            most = "" if part.most is None else part.most
            sign = f"{{{most}}}" if part.least == most else f"{{{part.least},{most}}}"
        if part.manner == "+":
            return inside + sign + "+" if kept is None and sign in SIGNS else atomic(inside + sign)
        return inside + sign + (part.manner if part.least != part.most else "")

    return text(part)


@lru_cache(maxsize=64)
def to_oniguruma(pattern: str, engine: str) -> str:
    """Translate a split pattern for Oniguruma. engine : whose dialect it is in, and tables, "tiktoken" or "regex".

    A pattern with the same meaning in both dialects stays as it is. Raises InvalidPattern, UnsupportedPattern.

    >>> to_oniguruma("a{1,3}+|b$", "tiktoken")
    '(?>a{1,3})|b\\\\z'
    >>> to_oniguruma(r" ?\\p{L}+|\\s+(?!\\S)", "tiktoken")
    ' ?\\\\p{L}+|\\\\s+(?!\\\\S)'
    """
    part = read_pattern(pattern, engine)

    def named(one: Property) -> bool:
        """Tell whether Oniguruma has the same set under this name."""
        if one.name != "s" and one.name not in CATEGORY_NAMES:
            return False
        mine, theirs = (code_points.has_property(one.name, tables) for tables in (engine, TIKTOKEN))
        return mine is theirs or bool((mine == theirs).all())

    if all(named(one) for each in all_sets(part) for one in each.properties):
        try:
            if read_pattern(pattern, ONIGURUMA) == part:
                return pattern
        except InvalidPattern:
            pass

    def characters(each: Characters) -> str:
        if each == ANY:
            return "(?m:.)"
        if each == NO_LINE_BREAK:
            return "."
        if not all(map(named, each.properties)):
            each = Characters(code_points.ranges_of(code_points.matched_by(each, engine)))
        if len(each.properties) == 1 and not each.ranges:
            return _property(each.properties[0], each.negated)
        inside = "".join(_property(one, False) for one in each.properties) + _listed(each.ranges, _in_oniguruma)
        if each.ranges and each == Characters(each.ranges[:1]) and each.ranges[0][0] == each.ranges[0][1]:
            return inside
        return f"[{'^' if each.negated else ''}{inside}]" if each != Characters(()) else NOTHING

    return written(part, characters, places={TEXT_BEGIN: r"\A", TEXT_END: r"\z", LAST_LINE_END: r"\Z"})


def to_javascript(pattern: str) -> dict[str, list[Any]]:
    """Translate a split pattern of ``regex``: ``parts`` to be joined, in which a number is an index into ``sets``.

    The joined text is a regular expression with the flag ``u``, to be tried at one position (flag ``y``). An atomic
    group, which JavaScript lacks, becomes a lookahead, which does not backtrack, and a back reference to its match.

    Raises UnsupportedPattern, InvalidPattern.

    >>> to_javascript("[ab]+|c")
    {'parts': [0, '+|c'], 'sets': ['[ab]']}
    """
    part = read_pattern(pattern, REGEX)
    if (size := size_of(part)) > _LARGEST_IN_JAVASCRIPT:
        raise UnsupportedPattern(
            f"written out, the counts make {size:,} parts, of at most {_LARGEST_IN_JAVASCRIPT:,}; use smaller counts."
        )
    sets: dict[str, int] = {}
    numbers = count(1)

    def characters(each: Characters) -> str:
        edges = code_points.edges_of(each, REGEX).reshape(-1, 2) - [0, 1]
        listed = _listed(edges.tolist(), _in_javascript)
        if len(edges) == 1 and edges[0][0] == edges[0][1]:
            return listed
        return f"\0{sets.setdefault(f'[{listed}]', len(sets))}\0"

    def kept(inside: str) -> str:
        name = f"k{next(numbers)}"
        return f"(?=(?<{name}>{inside}))\\k<{name}>"

    pieces = written(part, characters, kept).split("\0")
    parts: list[str | int] = [int(one) if at % 2 else one for at, one in enumerate(pieces) if one]
    return {"parts": parts, "sets": list(sets)}


def _listed(ranges: Any, spelled: Callable[[int], str]) -> str:
    """Return ranges as they are written in a set."""
    dash = ("", "", "-")
    return "".join(spelled(a) + (dash[min(b - a, 2)] + spelled(b) if b > a else "") for a, b in ranges)


def _property(one: Property, turned: bool) -> str:
    negated = one.negated != turned
    if one.name == "s":
        return r"\S" if negated else r"\s"
    return f"\\{'P' if negated else 'p'}{{{one.name}}}"


def _in_oniguruma(code: int) -> str:
    letter = chr(code)
    if code in _ESCAPED:
        return _ESCAPED[code]
    if 0x20 < code < 0x7F and letter not in _PLAIN:
        return f"\\{letter}"
    return letter if letter in _PLAIN else f"\\x{{{code:X}}}"


def _in_javascript(code: int) -> str:
    if chr(code).isascii() and chr(code).isalnum():
        return chr(code)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
