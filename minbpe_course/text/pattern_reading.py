r"""Read a split pattern in the dialect of the engine that runs it.

    [ab]+|c     ->     Either((Repeat(Characters(...), 1, None, ""), Characters(...)))

The dialects are that of the ``regex`` library, in which minbpe's patterns are written, that of Oniguruma with Ruby's
syntax, which `tokenizers` runs, and that of Rust's fancy-regex, which tiktoken runs. They look alike and differ in a
few places:

    written          regex                     Oniguruma                   tiktoken
    ---------------  ------------------------  --------------------------  -----------------------
    $                end of the text, or its   end of every line           end of the text
                     last line break
    ^                begin of the text         begin of every line         begin of the text
    a{1,3}+          possessive                a{1,3}, repeated            possessive
    (?m:.)           ^ and $ at every line     the dot is any character    ^ and $ at every line
    [a[b]]           the characters a [ b ]    a or b                      a or b
    [a-z&&[^s]]      not supported             not supported               all of a to z but s
    \w  \b  \pL      its tables                not supported               its tables

So a pattern is read into parts that do not depend on a dialect (``pattern_parts``): letters that match in either case
are listed, and every anchor has one meaning. Features without a part in the tree are refused by name: back references,
conditions, calls of groups, comments, free spacing, ``\G``, ``\K``, and flags in the middle of a pattern.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NoReturn

import numpy as np
import regex

from minbpe_course.errors import InvalidPattern, UnsupportedPattern
from minbpe_course.text import code_points, properties
from minbpe_course.text.pattern_parts import (
    ANY,
    LAST,
    LAST_LINE_END,
    LINE_BREAK,
    NO_LINE_BREAK,
    TEXT_BEGIN,
    TEXT_END,
    Characters,
    Either,
    Kept,
    Look,
    Part,
    Property,
    Repeat,
    Series,
    joined,
    may_be_empty,
    size_of,
)
from minbpe_course.text.unicode_tables import CATEGORIES

REGEX, ONIGURUMA, TIKTOKEN = "regex", "oniguruma", "tiktoken"

MOST_PARTS = 1 << 16
"""Sets of a pattern whose counts are written out. The largest published pattern has 73."""
CATEGORY_NAMES = frozenset({*CATEGORIES, *(name[0] for name in CATEGORIES)})
LOOKS = {"=": (True, False), "!": (True, True), "<=": (False, False), "<!": (False, True)}
"""The sign of a look-around after its ``(?`` -> ahead, negated."""
SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""The sign of a repetition -> least, most."""

_DEEPEST = 60
_MOST_SET_WORK = 200  # of the published patterns, Kimi's needs the most
_MOST_CASES = 300  # asking regex for the cases of a character takes milliseconds
_FLAGS = {REGEX: "ims", ONIGURUMA: "im", TIKTOKEN: "ims"}
_QUANTIFIER = re.compile(r"[*+?]|\{(\d{0,6})(,?)(\d{0,6})\}")
_LEADING_FLAGS = re.compile(r"\(\?([a-zA-Z]+(?:-[a-zA-Z]+)?)\)")
_GROUP = re.compile(r"\((?:\?([=!>]|<[=!]|(P?)<[A-Za-z_]\w*>|[a-zA-Z]*(?:-[a-zA-Z]+)?:)|(?![?*]))")
_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)([\w =:&.-]+)\}|([A-Z]))")
_CODE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([xu])\{([0-9a-fA-F]{1,6})\})")
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "a": 7}
_CASELESS = frozenset({"N", "Nd", "Nl", "No", "Z", "Zs", "Zl", "Zp", "s"})
_LONG_FOLDS = ("ss", "ff", "fi", "fl", "st")
"""Letters that Oniguruma also finds as one character if case is ignored, such as the sharp s."""

_LINE_BEGIN, _LINE_END = Look(NO_LINE_BREAK, False, True), Look(NO_LINE_BREAK, True, True)
_RUBY_LINE_BEGIN = Either((TEXT_BEGIN, Series((Look(LINE_BREAK, False, False), Look(ANY, True, False)))))
_WORD = Characters((), (Property("w", False),))
_AFTER, _NOT_AFTER, _BEFORE, _NOT_BEFORE = (
    Look(_WORD, ahead, negated) for ahead in (False, True) for negated in (False, True)
)
_BOUNDARIES: dict[str, Part] = {
    "b": Either((Series((_AFTER, _NOT_BEFORE)), Series((_NOT_AFTER, _BEFORE)))),
    "B": Either((Series((_AFTER, _BEFORE)), Series((_NOT_AFTER, _NOT_BEFORE)))),
}
_PLACES: dict[str, dict[str, Part]] = {
    REGEX: {"A": TEXT_BEGIN, "z": TEXT_END, "Z": TEXT_END, **_BOUNDARIES},
    ONIGURUMA: {"A": TEXT_BEGIN, "z": TEXT_END, "Z": LAST_LINE_END},
    TIKTOKEN: {"A": TEXT_BEGIN, "z": TEXT_END, **_BOUNDARIES},
}


@lru_cache(maxsize=64)
def read_pattern(pattern: str, dialect: str) -> Part:
    """Return the parts of a pattern in a dialect: REGEX, ONIGURUMA or TIKTOKEN.

    Raises InvalidPattern for a pattern that no engine accepts, and UnsupportedPattern for what this package does not
    support; both name the position and the construct.

    >>> read_pattern("a+$", REGEX) == read_pattern("a+$", ONIGURUMA)
    False
    >>> read_pattern("ab|[^c]", REGEX) == read_pattern("ab|[^c]", ONIGURUMA)
    True
    >>> read_pattern(r"[a-d&&[^b]]", TIKTOKEN)
    Characters(ranges=((97, 97), (99, 100)), properties=(), negated=False)
    """
    return _Reader(pattern, dialect).result()


def tables_of(dialect: str) -> str:
    """Return the engine whose Unicode tables a dialect has: Oniguruma in `tokenizers` 0.23 has those of tiktoken."""
    return REGEX if dialect == REGEX else TIKTOKEN


class _Reader:
    def __init__(self, pattern: str, dialect: str) -> None:
        self.pattern = pattern
        self.dialect = dialect
        self.ruby = dialect == ONIGURUMA
        self.tables = tables_of(dialect)
        self.at = 0
        self.depth = 0
        self.work = 0

    def result(self) -> Part:
        flags = frozenset[str]()
        while found := _LEADING_FLAGS.match(self.pattern, self.at):
            flags = self.flags(found[1], flags)
            self.at = found.end()
        part = self.either(flags)
        if self.at < len(self.pattern):
            self.invalid("a ) closes nothing; to match the character, write \\)")
        if may_be_empty(part):
            self.refuse("the pattern can match the empty text; repeat with + instead of *", 0)
        if (size := size_of(part)) > MOST_PARTS:
            self.refuse(f"written out, the counts make {size:,} parts, of at most {MOST_PARTS:,}; use smaller ones", 0)
        return part

    # Groups and repetition

    def either(self, flags: frozenset[str]) -> Part:
        self.deeper()
        parts = [self.row(flags)]
        while self.here("|"):
            self.at += 1
            parts.append(self.row(flags))
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.refuse(f"brackets are nested more than {_DEEPEST} deep")

    def row(self, flags: frozenset[str]) -> Part:
        parts: list[Part] = []
        begin = self.at
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self.quantified(self.one(flags), flags))
        if self.ruby and "i" in flags:
            letters = "".join(map(_letter, parts))
            if fold := next((fold for fold in _LONG_FOLDS if fold in letters), None):
                self.refuse(f"{fold!r} where case is ignored also matches one character in Oniguruma", begin)
        return parts[0] if len(parts) == 1 else Series(tuple(parts))

    def one(self, flags: frozenset[str]) -> Part:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(flags)
        if character == "[":
            return _simplest(self.set_of_characters(flags))
        if character in "*+?":
            self.invalid(f"{character} repeats nothing; to match the character, write \\{character}")
        if character == "{":
            self.refuse("a { repeats nothing; to match the character, write \\{")
        if character in ".^$":
            self.at += 1
            if character == ".":
                return ANY if ("m" if self.ruby else "s") in flags else NO_LINE_BREAK
            if character == "^":
                return _RUBY_LINE_BEGIN if self.ruby else _LINE_BEGIN if "m" in flags else TEXT_BEGIN
            if self.ruby or "m" in flags:
                return _LINE_END
            return TEXT_END if self.dialect == TIKTOKEN else LAST_LINE_END
        if character == "\\" and (place := _PLACES[self.dialect].get(self.pattern[self.at + 1 : self.at + 2])):
            self.at += 2
            return place
        found = self.item()
        return _simplest(self.cased(found, found, flags))

    def quantified(self, part: Part, flags: frozenset[str]) -> Part:
        begin = self.at
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None or not (found[0] in SIGNS or found[1] or found[3]):
            if self.here("{"):
                self.refuse("a { does not begin a count; to match the character, write \\{")
            return part
        least, most = SIGNS.get(found[0]) or (
            int(found[1] or 0),
            int(found[3]) if found[3] else None if found[2] else int(found[1]),
        )
        if most is not None and most < least:
            self.refuse("the most of a count is less than its least")
        if may_be_empty(part):
            self.refuse("something that can match the empty text is repeated")
        if self.ruby and "i" in flags and most != 1 and (not isinstance(part, Characters) or _letter(part) in "fs"):
            self.refuse("letters are repeated where case is ignored, and Oniguruma may find two as one character")
        counted = self.here("{")
        self.at = found.end()
        manner = self.pattern[self.at : self.at + 1]
        manner = manner if manner in ("?", "+") else ""
        if self.ruby and counted and manner == "?" and least == most:
            self.refuse("Oniguruma reads a ? after an exact count as an option, not as lazy", begin)
        self.at += len(manner)
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?", "{"):
            self.refuse("one thing has two repetitions; write (?:...) around the inner one")
        if self.ruby and counted and manner == "+":
            # It looks possessive, but means the repetition, repeated.
            if least == 0:
                self.refuse("something that can match the empty text is repeated", begin)
            return Repeat(Repeat(part, least, most, ""), 1, None, "")
        return Repeat(part, least, most, manner)

    def group(self, flags: frozenset[str]) -> Part:
        begin = self.at
        found = _GROUP.match(self.pattern, self.at)
        if found is None or (self.ruby and found[2]):
            self.refuse(f"{self.pattern[begin : begin + 4]!r} begins a kind of group that is not supported")
        self.at = found.end()
        kind = found[1] or ""
        if kind.endswith(":"):
            flags = self.flags(kind[:-1], flags)
        inside = self.either(flags)
        if not self.here(")"):
            self.invalid("a ( is not closed; to match the character, write \\(", begin)
        self.at += 1
        if kind not in LOOKS:
            return Kept(inside) if kind == ">" else inside
        ahead, negated = LOOKS[kind]
        if not ahead and not _plain(inside):
            self.refuse("a look-behind contains a repetition, a look-around or an atomic group", begin)
        return Look(inside, ahead, negated)

    def flags(self, said: str, flags: frozenset[str]) -> frozenset[str]:
        known = _FLAGS[self.dialect]
        on, _, off = said.partition("-")
        if set(on + off) - set(known):
            self.refuse(f"the flags {said!r} are not supported; {', '.join(known)} are")
        return (flags | set(on)) - set(off)

    # Characters

    def item(self) -> int | Property:
        """Read one character or one property, as it is written."""
        character = self.pattern[self.at]
        if character != "\\":
            self.at += 1
            return self.code(ord(character))
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ("s", "S", "d", "D", "w", "W"):
            if letter in "wW" and self.ruby:
                self.refuse(f"\\{letter} means other characters in other engines; use \\p{{L}} and \\p{{N}}")
            self.at += 2
            return Property("Nd" if letter in "dD" else letter.lower(), letter.isupper())
        if found := _PROPERTY.match(self.pattern, self.at):
            return self.property(found)
        if found := _CODE.match(self.pattern, self.at):
            code = int(next(filter(None, (found[1], found[2], found[3], found[5]))), 16)
            if self.ruby and (found[3] or found[4] == "u" or (found[1] and code > 0x7F)):
                self.refuse(f"{found[0]} is not a character in Oniguruma; write the character itself")
            if self.dialect == REGEX and found[4]:
                self.invalid(f"regex does not know {found[0]}; write the character itself")
            self.at = found.end()
            return self.code(code)
        odd = "<>" if self.dialect == TIKTOKEN else ""
        if letter not in _CONTROLS and (not letter.isascii() or letter.isalnum() or letter in f"_{odd}"):
            self.refuse(f"the escape \\{letter} is not supported" if letter else "the pattern ends with a backslash")
        self.at += 2
        return _CONTROLS.get(letter, ord(letter))

    def code(self, number: int) -> int:
        if number > LAST or 0xD800 <= number < 0xE000:
            self.refuse(f"U+{number:04X} is not a character")
        return number

    def property(self, found: re.Match[str]) -> Property:
        name: str | None = found[3] or found[4]
        if self.ruby and (found[4] or name not in CATEGORY_NAMES):
            self.refuse(f"{found[0]} is not supported in Oniguruma; general categories such as \\p{{Lu}} are")
        if self.dialect == TIKTOKEN:
            key = properties.find(name or "")
            if key is None:
                self.invalid(f"tiktoken does not know the property {name!r}; \\p{{L}} are letters, for example")
            name = _categories().get(properties.number(key), key)
        self.at = found.end()
        return Property(name or "", (found[1] == "P") != bool(found[2]))

    def cased(self, first: int | Property, last: int | Property, flags: frozenset[str]) -> Characters:
        """Return a property, or the characters from ``first`` to ``last``; in every case if case is ignored."""
        if isinstance(first, Property):
            if "i" not in flags or first.name in _CASELESS:
                return Characters((), (first,))
            if self.dialect != TIKTOKEN:
                self.refuse("a property is used where case is ignored; put it where (?-i:...) applies")
            plain = self.plain(Characters((), (first._replace(negated=False),)))
            folded = properties.fold(plain)
            if (folded == plain).all():
                return Characters((), (first,))
            return Characters(code_points.ranges_of(folded != first.negated))
        assert isinstance(last, int)
        if "i" not in flags:
            return Characters(((first, last),))
        if self.ruby and last > 0x7F:
            self.refuse("only ASCII characters are supported where case is ignored")
        if self.dialect == REGEX and last - first > _MOST_CASES:
            self.refuse(f"a range of more than {_MOST_CASES} characters is used where case is ignored")
        cases = _cases_in_regex if self.dialect == REGEX else properties.cases
        return Characters(joined([(case, case) for code in range(first, last + 1) for case in cases(code)]))

    def set_of_characters(self, flags: frozenset[str]) -> Characters:
        """Read a set, or sets with && or -- between them."""
        self.deeper()
        begin = self.at
        self.at += 1
        negated = self.here("^")
        self.at += negated
        if self.here("]"):
            self.refuse("a ] begins a set; to match the character, write \\]")
        found = self.members(flags, begin)
        while not self.here("]"):
            both = self.here("&&")
            self.at += 2
            left, right = self.plain(found), self.plain(self.members(flags, begin))
            found = Characters(code_points.ranges_of(left & (right if both else ~right)))
        self.at += 1
        self.depth -= 1
        return found._replace(negated=negated)

    def members(self, flags: frozenset[str], begin: int) -> Characters:
        """Read the members of a set up to its ] or the next operator, and unite them."""
        ranges: list[tuple[int, int]] = []
        named: set[Property] = set()
        rust = self.dialect == TIKTOKEN
        while not self.here("]"):
            if self.at == len(self.pattern):
                self.invalid("a [ is not closed; to match the character, write \\[", begin)
            doubled = self.pattern[self.at : self.at + 2]
            if rust and doubled in ("&&", "--"):
                break
            if doubled == "~~" or (not rust and doubled in ("&&", "--", "||")):
                self.refuse(f"{doubled} in a set is an operator in some engines; write a \\ before each character")
            if self.here("["):
                found = self.nested(flags)
            else:
                first = last = self.item()
                after = self.pattern[self.at + 1 : self.at + 2]
                if self.here("-") and after not in ("]", "-" if rust else "]", ""):
                    if isinstance(first, int):
                        self.at += 1
                        last = self.item() if after != "[" else Property("", False)
                    elif rust:
                        last = -1
                if isinstance(last, Property) != isinstance(first, Property) or (
                    isinstance(first, int) and isinstance(last, int) and last < first
                ):
                    self.invalid("a range goes backwards, or from or to a set; to match a -, write \\-")
                found = self.cased(first, last, flags)
            ranges += found.ranges
            named.update(found.properties)
        return Characters(joined(ranges), tuple(sorted(named)))

    def nested(self, flags: frozenset[str]) -> Characters:
        """Read a set inside a set."""
        begin = self.at
        if self.dialect == REGEX or self.here("[:"):
            self.refuse("a [ in a set is not supported; to match the character, write \\[")
        found = self.set_of_characters(flags)
        if self.here("-") and not self.here("--"):
            self.refuse("a - follows a set in a set; to match the character, write \\-")
        if found.negated:
            if self.ruby:
                self.refuse("a negated set in a set is not supported", begin)
            found = Characters(code_points.ranges_of(self.plain(found)))
        return found

    def plain(self, found: Characters) -> np.ndarray:
        """Return the characters of a set, which takes milliseconds: bool[0x110000]."""
        self.work += 1
        if self.work > _MOST_SET_WORK:
            self.refuse("the pattern has too many set operations, negated sets in sets, and properties in any case")
        return code_points.matched_by(found, self.tables)

    def here(self, sign: str) -> bool:
        return self.pattern.startswith(sign, self.at)

    def invalid(self, what: str, at: int | None = None) -> NoReturn:
        raise InvalidPattern(self.message("the split pattern is not a regular expression", what, at))

    def refuse(self, what: str, at: int | None = None) -> NoReturn:
        raise UnsupportedPattern(self.message("this package does not support this split pattern", what, at))

    def message(self, verdict: str, what: str, at: int | None) -> str:
        place = self.at if at is None else at
        name = {ONIGURUMA: "Oniguruma (tokenizers)"}.get(self.dialect, self.dialect)
        return f"{verdict}, as {name} reads it. At position {place}: {what}.\nThe pattern: {self.pattern[:1000]!r}"


def _simplest(found: Characters) -> Characters:
    """Return the one spelling of each set: a single negated property becomes a negated set."""
    if len(found.properties) == 1 and not found.ranges and found.properties[0].negated:
        return Characters((), (found.properties[0]._replace(negated=False),), not found.negated)
    return found


def _plain(part: Part) -> bool:
    """Tell whether all engines allow a part in a look-behind."""
    if isinstance(part, (Series, Either)):
        return all(map(_plain, part.parts))
    return isinstance(part, Characters) or part == TEXT_BEGIN


def _letter(part: Part) -> str:
    """Return the letter that a part stands for in any case, or a space."""
    if not isinstance(part, Characters) or part.negated or part.properties:
        return " "
    letters = {chr(code).casefold() for first, last in part.ranges for code in (first, last)}
    return letters.pop() if len(letters) == 1 else " "


@cache
def _cases_in_regex(code: int) -> tuple[int, ...]:
    one = regex.escape(chr(code))
    return tuple(map(ord, regex.findall(f"(?i:{one})", code_points.every_character())))


@cache
def _categories() -> dict[int, str]:
    """Return the short name of each category, by the number of its set in ``properties``."""
    known = ((properties.find(f"gc={name}"), name) for name in (*CATEGORIES, *sorted({n[0] for n in CATEGORIES})))
    return {properties.number(key): name for key, name in known if key is not None}
