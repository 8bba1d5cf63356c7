r"""Translate split patterns from and to the dialect of Oniguruma, which `tokenizers` runs.

    \p{N}{1,3}+| ?\w+|\s+$      regex
    (?>\p{N}{1,3})|...|\s+\Z    Oniguruma

A pattern with the same meaning in both dialects stays as it is, character for character. Any other is rewritten from
its parts (``pattern_reading``). Oniguruma has the character tables of tiktoken's engine, so a pattern of Oniguruma
becomes one in tiktoken's dialect. A pattern of ``regex``, which knows newer characters, gets its classes written out as
ranges.

Limits: a pattern that is not understood in both dialects raises UnsupportedPattern.
"""

from __future__ import annotations

import string
from functools import lru_cache
from itertools import islice

import numpy as np

from minbpe_course.errors import InvalidPattern, UnsupportedPattern
from minbpe_course.text import code_points
from minbpe_course.text.pattern_parts import (
    ANY,
    LAST,
    NO_LINE_BREAK,
    NOTHING,
    Anchor,
    Back,
    Captured,
    Characters,
    Either,
    Kept,
    Part,
    Property,
    Repeat,
    Series,
    all_parts,
    may_be_empty,
    written,
)
from minbpe_course.text.pattern_reading import ONIGURUMA, REGEX, TIKTOKEN, read_pattern

TABLES = "tiktoken"
"""The engine whose frozen tables are also those of Oniguruma in `tokenizers` 0.23."""

_MOST_PROVEN = 1000
_PLAIN = set(string.ascii_letters + string.digits + " !\"%',/:;<=>@_`")
_PLACES = {
    ONIGURUMA: {
        "text begin": r"\A",
        "text end": r"\z",
        "last line end": r"\Z",
        "line begin": "^",
        "line end": "$",
        "every line begin": r"(?:\A|(?<=\n))",
    },
    TIKTOKEN: {
        "text begin": r"\A",
        "text end": r"\z",
        "last line end": r"(?=\n?\z)",
        "line begin": r"(?:\A|(?<=\n)(?!\z))",
        "line end": r"(?=\n|\z)",
        "every line begin": r"(?:\A|(?<=\n))",
    },
}


@lru_cache(maxsize=64)
def to_oniguruma(pattern: str, engine: str) -> str:
    """Translate a split pattern for Oniguruma. engine : whose dialect it is in, and tables, "tiktoken" or "regex".

    Raises InvalidPattern, UnsupportedPattern.

    >>> to_oniguruma("a{1,3}+|b$", "regex")
    '(?>a{1,3})|b\\\\Z'
    >>> to_oniguruma(r" ?\\p{L}+|\\s+(?!\\S)", "tiktoken")
    ' ?\\\\p{L}+|\\\\s+(?!\\\\S)'
    """
    part = read_pattern(pattern, _dialect(engine))
    if engine == TABLES or _same_tables(part):
        try:
            if read_pattern(pattern, ONIGURUMA) == part:
                return pattern
        except UnsupportedPattern:
            pass
    if may_be_empty(part):
        raise UnsupportedPattern(
            "a split pattern that may match nothing at all cannot be translated between engines, which continue "
            f"differently after an empty match; repeat with + instead of *.\nThe pattern: {pattern[:1000]!r}"
        )
    return _Writer(ONIGURUMA, engine).text(part)


@lru_cache(maxsize=64)
def from_oniguruma(pattern: str) -> str:
    """Translate a split pattern of Oniguruma into tiktoken's dialect.

    Raises UnsupportedPattern.

    >>> from_oniguruma(r"\\p{N}{1,3}+|\\s+$")
    '(?:\\\\p{N}{1,3})+|\\\\s+(?=\\\\n|\\\\z)'
    """
    part = read_pattern(pattern, ONIGURUMA)
    try:
        if read_pattern(pattern, TIKTOKEN) == part:
            return pattern
    except InvalidPattern:
        pass
    return _Writer(TIKTOKEN, None).text(part)


@lru_cache(maxsize=64)
def takes_every_character(pattern: str, engine: str) -> bool:
    """Tell whether a pattern of ``engine`` provably matches at every character, so that matches leave no text between.

    False if it cannot be proven.

    >>> takes_every_character(r" ?\\p{L}+|\\s|[^\\s\\p{L}]", "tiktoken"), takes_every_character("[a-z]+", "regex")
    (True, False)
    """
    try:
        part = read_pattern(pattern, _dialect(engine))
        # Each part of a pattern takes a millisecond.
        if may_be_empty(part) or next(islice(all_parts(part), _MOST_PROVEN, None), None) is not None:
            return False
        found = _surely(part, engine)
    except InvalidPattern:
        return False
    found[0xD800:0xE000] = True  # no text contains a surrogate
    return bool(found.all())


def _dialect(engine: str) -> str:
    return TIKTOKEN if engine == TABLES else REGEX


def _surely(part: Part, engine: str) -> np.ndarray:
    """Return the characters at which a part matches one character or more in every context."""
    if isinstance(part, Characters):
        return code_points.matched_by(part, engine)
    found = np.zeros(LAST + 1, dtype=bool)
    if isinstance(part, Either):
        # An earlier alternative could only be given up if something after it fails, which is excluded below.
        for one in part.parts:
            found |= _surely(one, engine)
    elif isinstance(part, Kept) or (isinstance(part, Repeat) and part.least <= 1 and part.manner != "?"):
        found = _surely(part.part, engine)
    elif isinstance(part, Series):
        skipped = np.ones(LAST + 1, dtype=bool)
        for place, one in enumerate(part.parts):
            if all(map(_never_fails, part.parts[place + 1 :])):
                found |= _surely(one, engine) & skipped
            if not _never_fails(one):
                break
            if isinstance(one, Repeat) and one.manner == "+":
                if not isinstance(one.part, Characters):
                    break
                skipped &= ~_surely(one.part, engine)
            elif not isinstance(one, Repeat):
                break
    return found


def _never_fails(part: Part) -> bool:
    if isinstance(part, Series):
        return all(map(_never_fails, part.parts))
    return isinstance(part, Repeat) and part.least == 0


def _same_tables(part: Part) -> bool:
    """Tell whether every set in a pattern contains the same characters by the tables of regex and of Oniguruma."""
    named = (wanted.name for one in all_parts(part) if isinstance(one, Characters) for wanted in one.properties)
    return all(name != "w" and _agreed(name) for name in named)


def _agreed(name: str) -> bool:
    return bool((code_points.has_property(name, "regex") == code_points.has_property(name, TABLES)).all())


class _Writer:
    """Writes parts in one dialect. tables : the engine whose classes are written out, or None to name them."""

    def __init__(self, dialect: str, tables: str | None) -> None:
        self.dialect = dialect
        self.tables = tables

    def text(self, part: Part) -> str:
        places = _PLACES[self.dialect]
        for one in all_parts(part):
            if isinstance(one, (Captured, Back)) or (isinstance(one, Anchor) and one.place not in places):
                raise UnsupportedPattern(
                    r"a back reference, \G or \K in a split pattern cannot be translated between engines."
                )
        return written(part, self.characters, places.__getitem__)

    def characters(self, part: Characters) -> str:
        if part == ANY:
            return r"[\s\S]" if self.dialect == TIKTOKEN else "(?m:.)"
        if part == NO_LINE_BREAK:
            return "."
        if part.properties and self.tables and not all(self.may_be_named(one) for one in part.properties):
            part = Characters(code_points.ranges_of(code_points.matched_by(part, self.tables)))
        if not part.ranges and not part.properties and not part.negated:
            return NOTHING
        if (
            len(part.ranges) == 1
            and not part.properties
            and part.ranges[0][0] == part.ranges[0][1]
            and not part.negated
        ):
            return self.spelled(part.ranges[0][0])
        if len(part.properties) == 1 and not part.ranges:
            return self.property(part.properties[0], part.negated)
        inside = "".join(self.property(one, False) for one in part.properties)
        for first, last in part.ranges:
            inside += self.spelled(first)
            if last > first:
                inside += ("-" if last > first + 1 else "") + self.spelled(last)
        return f"[{'^' if part.negated else ''}{inside}]"

    def may_be_named(self, one: Property) -> bool:
        """Tell whether Oniguruma has the same set under this name."""
        if one.name == "s" or not one.name.islower():
            return self.tables == TABLES or _agreed(one.name)
        return False

    def property(self, one: Property, turned: bool) -> str:
        negated = one.negated != turned
        if one.name == "s":
            return r"\S" if negated else r"\s"
        return f"\\{'P' if negated else 'p'}{{{one.name}}}"

    def spelled(self, code: int) -> str:
        known = {10: r"\n", 13: r"\r", 9: r"\t"}
        if code in known:
            return known[code]
        if chr(code) in _PLAIN:
            return chr(code)
        if 0x20 < code < 0x7F:
            return f"\\{chr(code)}"
        if self.dialect == ONIGURUMA:
            return f"\\x{{{code:X}}}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
