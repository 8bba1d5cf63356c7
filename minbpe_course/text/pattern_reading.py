r"""Read a split pattern in the dialect of the engine that runs it.

    [ab]+|c     ->     Either((Repeat(Characters(...), 1, None, ""), Characters(...)))

Three dialects are supported: that of the ``regex`` library, in which minbpe's patterns are written, that of Oniguruma
with Ruby's syntax, which `tokenizers` runs, and tiktoken's (``tiktoken_patterns``). They look alike and differ in a few
places. For the first two:

    written     regex                                Oniguruma
    ----------  -----------------------------------  --------------------------------------------
    $  ^        end of the text (or its last line      end and begin of every line
                break), begin of the text
    a{1,3}+     possessive                            a{1,3}, once or several times
    (?m:.)      ^ and $ at every line                 the dot is any character
    \Z          the end of the text                   the end, or before a last line break
    (?i:ss)     four spellings                        also the sharp s, which is one character
    [a[b]]      the characters a [ b and a ]          a or b
    \h  \N      spaces and tabs, a named character    hexadecimal digits, no line break

So a pattern is read into parts that do not depend on a dialect: letters that match in either case are listed, and every
anchor has one meaning. Constructs with a doubtful meaning are refused.

Limits, apart from tiktoken's dialect: no back references, conditions, comments or free spacing. ``\w`` and ``\b`` are
refused, since engines disagree about the characters of a word, except in the dialect of ``regex``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NoReturn

import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text import tiktoken_patterns
from minbpe_course.text.code_points import every_character
from minbpe_course.text.pattern_parts import (
    ANY,
    LAST,
    LOOKS,
    NO_LINE_BREAK,
    SIGNS,
    Anchor,
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
)
from minbpe_course.text.pattern_size import MOST_PARTS, check_size
from minbpe_course.text.unicode_tables import CATEGORIES

REGEX, ONIGURUMA, TIKTOKEN = "regex", "oniguruma", "tiktoken"

_MOST_TIMES = 1000
_DEEPEST = 60
_QUANTIFIER = re.compile(r"[*+?]|\{(?:(\d{1,6})(?:(,)(\d{0,6}))?|,(\d{1,6}))\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_PROPERTY = re.compile(r"\\([pP])\{([A-Za-z]{1,2})\}")
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "a": 7}
_CASELESS_PROPERTIES = frozenset({"N", "Nd", "Nl", "No", "Z", "Zs", "Zl", "Zp", "s"})
# Oniguruma also matches these for s and k when case is ignored.
_LONG_S, _KELVIN = 0x17F, 0x212A


def read_pattern(pattern: str, dialect: str) -> Part:
    """Return the parts of a pattern in a dialect: REGEX, ONIGURUMA or TIKTOKEN.

    For the first two dialects, the pattern must be valid. Raises UnsupportedPattern with the position and the construct
    that is not supported, and InvalidPattern if tiktoken refuses the pattern.

    >>> read_pattern("a+$", REGEX) == read_pattern("a+$", ONIGURUMA)
    False
    >>> read_pattern("ab|[^c]", REGEX) == read_pattern("ab|[^c]", ONIGURUMA)
    True
    """
    if dialect == TIKTOKEN:
        return tiktoken_patterns.read(pattern)
    return check_size(_Reader(pattern, dialect).result(), pattern)


class _Reader:
    def __init__(self, pattern: str, dialect: str) -> None:
        self.pattern = pattern
        self.ruby = dialect == ONIGURUMA
        self.at = 0
        self.depth = 0

    def result(self) -> Part:
        flags = frozenset[str]()
        while (found := _FLAGS.match(self.pattern, self.at)) and found[3] == ")":
            flags = self.flags(found, flags)
            self.at = found.end()
        part = self.either(flags)
        if self.at < len(self.pattern):
            self.refuse("a bracket that closes nothing")
        if may_be_empty(part):
            self.refuse("an end: the pattern can match the empty text, and engines continue differently from there")
        return part

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
            self.refuse(f"the {_DEEPEST + 1}th nested bracket")

    def row(self, flags: frozenset[str]) -> Part:
        parts: list[Part] = []
        begin = self.at
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self.quantified(self.one(flags), flags))
        if self.ruby and "i" in flags:
            self.refuse_long_folds(parts, begin)
        return parts[0] if len(parts) == 1 else Series(tuple(parts))

    def one(self, flags: frozenset[str]) -> Part:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(flags)
        if character == "[":
            return self.set_of_characters(flags)
        if character == "\\":
            return self.escape(flags)
        if character in "*+?":
            self.refuse("a repetition of nothing; where the character is meant, write a \\ before it")
        if character == "{":
            self.refuse("a { that repeats nothing; where the character is meant, write \\{")
        self.at += 1
        if character == ".":
            return ANY if ("m" if self.ruby else "s") in flags else NO_LINE_BREAK
        if character in "^$":
            lines = self.ruby or "m" in flags
            if character == "^":
                return Anchor("line begin" if self.ruby else "every line begin" if lines else "text begin")
            return Anchor("line end" if lines else "last line end")
        return self.letters(ord(character), flags)

    def quantified(self, part: Part, flags: frozenset[str]) -> Part:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            if self.here("{"):
                self.refuse("a { that begins no count; where the character is meant, write \\{")
            return part
        least, most = _times(found)
        if max(least, most or 0) > (_MOST_TIMES if self.ruby else MOST_PARTS):
            self.refuse(f"a repetition of more than {_MOST_TIMES if self.ruby else MOST_PARTS:,} times")
        if most is not None and most < least:
            self.refuse("a repetition whose most is less than its least")
        if may_be_empty(part):
            self.refuse("a repetition of something that can be empty")
        if self.ruby and "i" in flags and most != 1 and _folds_further(part):
            self.refuse("a repetition of letters of which two may match one character where case is ignored")
        self.at = found.end()
        counted = found[0].startswith("{")
        manner = self.pattern[self.at : self.at + 1]
        manner = manner if manner in ("?", "+") else ""
        if self.ruby and counted and manner == "?" and least == most:
            self.refuse("a count with a question mark, which Oniguruma reads differently")
        self.at += len(manner)
        if _QUANTIFIER.match(self.pattern, self.at):
            self.refuse("two repetitions of one thing")
        if self.ruby and counted and manner == "+":
            # It looks possessive, but means the repetition, repeated.
            if least == 0:
                self.refuse("a repetition of something that can be empty")
            return Repeat(Repeat(part, least, most, ""), 1, None, "")
        return Repeat(part, least, most, manner)

    def group(self, flags: frozenset[str]) -> Part:
        rest = self.pattern[self.at : self.at + 4]
        look = next((sign for sign in LOOKS if rest.startswith(f"({sign}")), None)
        if look:
            self.at += 1 + len(look)
            ahead, negated = LOOKS[look]
            inside = self.either(flags)
            self.close()
            if not ahead and not _plain(inside):
                self.refuse("a look behind with a repetition or a look in it")
            return Look(inside, ahead, negated)
        if rest.startswith("(?>"):
            self.at += 3
            inside = self.either(flags)
            self.close()
            return Kept(inside)
        if (found := _FLAGS.match(self.pattern, self.at)) and found[3] == ":":
            flags = self.flags(found, flags)
            self.at = found.end()
        elif rest.startswith(("(?", "(*")):
            self.refuse("a kind of bracket that is not supported")
        else:
            self.at += 1
        inside = self.either(flags)
        self.close()
        return inside

    def close(self) -> None:
        if not self.here(")"):
            self.refuse("an end where a bracket should be closed")
        self.at += 1

    def flags(self, found: re.Match[str], flags: frozenset[str]) -> frozenset[str]:
        known = "im" if self.ruby else "ism"
        on, off = found[1], found[2] or ""
        if set(on + off) - set(known) or not (on or off or found[3] == ":"):
            self.refuse(f"the flags {found[0]!r}; only {', '.join(known)} are supported")
        return (flags | set(on)) - set(off)

    def escape(self, flags: frozenset[str]) -> Part:
        letter = self.pattern[self.at + 1 : self.at + 2]
        places = {"A": "text begin", "z": "text end", "Z": "last line end" if self.ruby else "text end"}
        if letter in places and letter:
            self.at += 2
            return Anchor(places[letter])
        found = self.escaped()
        if isinstance(found, Property):
            return self.property_alone(found, flags)
        return self.letters(found, flags)

    def property_alone(self, found: Property, flags: frozenset[str]) -> Part:
        self.check_property(found, flags)
        return Characters((), (found._replace(negated=False),), found.negated)

    def check_property(self, found: Property, flags: frozenset[str]) -> None:
        if "i" in flags and found.name not in _CASELESS_PROPERTIES:
            self.refuse("a property where case is ignored")

    def escaped(self) -> int | Property:
        """Read a character or a property spelled with a backslash; ``at`` moves past it."""
        if found := _PROPERTY.match(self.pattern, self.at):
            name = found[2]
            if name not in CATEGORIES and name not in {category[0] for category in CATEGORIES}:
                self.refuse(f"the property {found[0]}; general categories such as \\p{{L}} or \\p{{Nd}} are supported")
            self.at = found.end()
            return Property(name, found[1] == "P")
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ("s", "S", "d", "D", "w", "W"):
            if letter in "wW" and self.ruby:
                self.refuse(f"\\{letter}: engines do not agree which characters make a word")
            self.at += 2
            return Property("Nd" if letter in "dD" else letter.lower(), letter.isupper())
        widths = {"x": 2, "u": 4} if self.ruby else {"x": 2, "u": 4, "U": 8}
        if letter in widths and letter:
            digits = self.pattern[self.at + 2 : self.at + 2 + widths[letter]]
            braced = re.match(r"\{([0-9a-fA-F]{1,6})\}", self.pattern[self.at + 2 :])
            if letter == "x" and braced and self.ruby:
                self.at += 2 + braced.end()
                return self.code(int(braced[1], 16))
            if not re.fullmatch(r"[0-9a-fA-F]+", digits) or len(digits) < widths[letter]:
                self.refuse(f"\\{letter} without its {widths[letter]} digits")
            if self.ruby and letter == "x" and int(digits, 16) > 0x7F:
                self.refuse(f"\\x{digits}, which is a byte to Oniguruma, not a character")
            self.at += 2 + len(digits)
            return self.code(int(digits, 16))
        if letter in _CONTROLS and letter:
            self.at += 2
            return _CONTROLS[letter]
        if letter and not (letter.isalnum() or letter == "_") and letter.isascii():
            self.at += 2
            return ord(letter)
        self.refuse(f"\\{letter}" if letter else "a backslash at the end")

    def code(self, number: int) -> int:
        if number > LAST or 0xD800 <= number < 0xE000:
            self.refuse(f"U+{number:04X}, which is not a character")
        return number

    def letters(self, code: int, flags: frozenset[str]) -> Part:
        if 0xD800 <= code < 0xE000:
            self.refuse(f"the lone surrogate U+{code:04X}")
        if "i" not in flags:
            return Characters(((code, code),))
        return Characters(joined([(found, found) for found in self.cases(code)]))

    def cases(self, code: int) -> frozenset[int]:
        """Return the characters that match ``code`` if case is ignored."""
        if not self.ruby:
            return _cases_in_regex(code)
        letter = chr(code)
        if letter.isascii() and letter.isalpha():
            further = {"s": {_LONG_S}, "k": {_KELVIN}}.get(letter.lower(), set())
            return frozenset({ord(letter.lower()), ord(letter.upper())} | further)
        if len({letter, letter.lower(), letter.upper(), letter.casefold()}) > 1 or len(_cases_in_regex(code)) > 1:
            self.refuse(f"{letter!r} where case is ignored: only ASCII letters are supported there")
        return frozenset({code})

    def set_of_characters(self, flags: frozenset[str]) -> Characters:
        begin = self.at
        self.deeper()
        self.at += 1
        negated = self.here("^")
        self.at += negated
        if self.here("]"):
            self.refuse("a ] at the start of its brackets; write \\]")
        ranges: list[tuple[int, int]] = []
        properties: list[Property] = []
        while not self.here("]"):
            if self.ruby and self.here("[") and not self.here("[:"):
                nested = self.set_of_characters(flags)
                if nested.negated or self.here("-"):
                    self.refuse("a negated set or a range inside of brackets", begin)
                ranges += nested.ranges
                properties += nested.properties
                continue
            first = self.member()
            if isinstance(first, Property):
                self.check_property(first, flags)
                properties.append(first)
                continue
            ranges.append((first, self.end_of_range(first)))
        self.at += 1
        self.depth -= 1
        if "i" in flags:
            if sum(last - first + 1 for first, last in ranges) > 300:
                self.refuse(f"{self.pattern[begin : self.at]!r} where case is ignored: the set is too large")
            ranges = [(c, c) for first, last in ranges for code in range(first, last + 1) for c in self.cases(code)]
        ordered = tuple(sorted(set(properties)))
        return Characters(joined(ranges), ordered, bool(negated))

    def end_of_range(self, first: int) -> int:
        if not self.here("-") or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return first
        self.at += 1
        last = self.member()
        if isinstance(last, Property) or last < first:
            self.refuse("a range that goes backwards or to no character")
        return last

    def member(self) -> int | Property:
        character = self.pattern[self.at : self.at + 1]
        if not character:
            self.refuse("an end inside of brackets")
        if character == "[":
            self.refuse("a [ inside of brackets; where the character is meant, write \\[")
        doubled = self.pattern[self.at : self.at + 2]
        if doubled in ("&&", "--", "||", "~~"):
            self.refuse(f"{doubled!r} inside of brackets, an operator in one engine, two characters in another")
        if character == "\\":
            return self.escaped()
        self.at += 1
        return self.code(ord(character))

    def refuse_long_folds(self, parts: list[Part], begin: int) -> None:
        """Refuse letters that Oniguruma also matches with one character if case is ignored: ss and the sharp s."""
        letters = "".join(chr(max(_spelled(part), default=0)) for part in parts).lower()
        for fold in _long_folds():
            if fold in letters:
                self.refuse(f"{fold!r} where case is ignored: Oniguruma also finds one character there", at=begin)

    def here(self, sign: str) -> bool:
        return self.pattern.startswith(sign, self.at)

    def refuse(self, what: str, at: int | None = None) -> NoReturn:
        place = self.at if at is None else at
        name = "Oniguruma (tokenizers)" if self.ruby else "regex"
        raise UnsupportedPattern(
            f"this split pattern is not understood well enough: at position {place}, as {name} reads it, there is "
            f"{what}.\nThe pattern: {self.pattern[:1000]!r}"
        )


def _plain(part: Part) -> bool:
    """Tell whether both engines allow a part in a look behind."""
    if isinstance(part, (Series, Either)):
        return all(map(_plain, part.parts))
    return isinstance(part, (Characters, Anchor))


def _spelled(part: Part) -> set[int]:
    """Return the ASCII letter that a part stands for, if it is one letter in any case."""
    if not isinstance(part, Characters) or part.negated or part.properties:
        return set()
    codes = [code for first, last in part.ranges if last - first < 2 for code in range(first, last + 1)]
    plain = {chr(code).casefold() for code in codes}
    return {ord(plain.pop())} if len(plain) == 1 else set()


def _folds_further(part: Part) -> bool:
    letters = _spelled(part)
    return not isinstance(part, Characters) or any(fold[0] == chr(code) for code in letters for fold in _long_folds())


def _times(found: re.Match[str]) -> tuple[int, int | None]:
    if found[0] in SIGNS:
        return SIGNS[found[0]]
    low, comma, high, only_high = found.groups()
    if only_high:
        return 0, int(only_high)
    return int(low), int(high) if high else None if comma else int(low)


@cache
def _cases_in_regex(code: int) -> frozenset[int]:
    one = regex.escape(chr(code))
    return frozenset(map(ord, regex.findall(f"(?i:{one})", every_character())))


@cache
def _long_folds() -> frozenset[str]:
    return frozenset(c.casefold() for c in every_character() if len(c.casefold()) > 1)
