r"""Split patterns in the dialect of tiktoken's engine: Rust's fancy-regex, on top of the regex crate.

    [\p{L}&&[^\p{Han}]]+     letters of every script but Han
    \h  \Z  a{,3}  $         a hexadecimal digit; the end or line breaks up to it; up to three; the end of the text

``read`` turns such a pattern into the parts of ``pattern_parts``, the ones that ``pattern_reading`` makes of the other
dialects. A set that needs more than names and ranges (set operations, nested sets, properties where case is ignored)
is worked out here with tiktoken's own tables.

Two habits of the engine are easy to miss. A flag that is set inside a group, as in ``((?i)a)b``, stays set after the
group; only ``(?i:...)`` and ``(?:...)`` restore it. And a ``{`` that does not begin a count, as in ``a{x}``, is text.

Limits: no conditions, no calls of groups; a back reference comes after its group.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NoReturn

import numpy as np

from minbpe_course.errors import InvalidPattern, UnsupportedPattern
from minbpe_course.text import code_points, properties
from minbpe_course.text.pattern_parts import (
    ANY,
    LAST,
    LOOKS,
    NO_LINE_BREAK,
    SIGNS,
    Anchor,
    Back,
    Captured,
    Characters,
    Either,
    Kept,
    Look,
    Part,
    Property,
    Repeat,
    Series,
    all_parts,
    holds,
    inner_parts,
    joined,
    may_be_empty,
)
from minbpe_course.text.pattern_size import check_size
from minbpe_course.text.unicode_tables import CATEGORIES

ENGINE = "tiktoken"

_DEEPEST = 63
_MOST_TIMES = 65_535
_MOST_SET_WORK = 200  # of the published patterns, Kimi's needs the most
_SPACES = " \r\n\t"
_NUMBER = re.compile(r"[0-9]{1,18}")
_NAME = re.compile(r"\w+")
_HEX = {"x": 2, "u": 4, "U": 8}
_CONTROLS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "e": 27}
_NAMED_SETS = frozenset("dDsSwWpP")
_IN_SETS = frozenset("kAzBKGR")
"""Escaped letters that stand for themselves inside a set; outside they mean something else."""
_POSIX = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "ascii": "\0\x7f",
    "blank": "\t\t  ",
    "cntrl": "\0\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\r  ",
    "upper": "AZ",
    "word": "09AZ__az",
    "xdigit": "09AFaf",
}
"""The first and the last character of each range."""
_NOTHING = Look(Series(()), True, True)
_CR, _LF = Characters(((13, 13),)), Characters(((10, 10),))
_LINE_BREAK = Characters(((10, 13), (0x85, 0x85), (0x2028, 0x2029)))
_WORD = Characters((), (Property("w", False),))
_HEX_DIGITS = ((48, 57), (65, 70), (97, 102))
_BOUNDARIES: dict[str, Part] = {
    "start": Series((Look(_WORD, False, True), Look(_WORD, True, False))),
    "end": Series((Look(_WORD, False, False), Look(_WORD, True, True))),
    "start-half": Look(_WORD, False, True),
    "end-half": Look(_WORD, True, True),
}
_BOUNDARY = Either((_BOUNDARIES["start"], _BOUNDARIES["end"]))
_NO_BOUNDARY = Either(
    (
        Series((Look(_WORD, False, True), Look(_WORD, True, True))),
        Series((Look(_WORD, False, False), Look(_WORD, True, False))),
    )
)
_EMPTY = Series(())


def read(pattern: str) -> Part:
    r"""Return what a pattern says to tiktoken's engine.

    Raises InvalidPattern where tiktoken refuses the pattern, and UnsupportedPattern where it goes further than this
    module supports; both name the place.

    >>> read(r"[a-d&&[^b]]")
    Characters(ranges=((97, 97), (99, 100)), properties=(), negated=False)
    """
    return check_size(_Reader(pattern).result(), pattern)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.flags = frozenset[str]()
        self.groups = 0
        self.open: list[int] = []
        self.names: dict[str, int] = {}
        self.used: set[int] = set()
        self.ambiguous: set[str] = set()
        self.called: dict[str, int] = {}
        self.work = 0

    def result(self) -> Part:
        part = self.either()
        if self.at < len(self.pattern):
            self.invalid("a ) that closes nothing; where the character is meant, write \\)")
        if missing := [number for number in self.used if not 0 < number <= self.groups]:
            self.invalid(f"a back reference to group {missing[0]}, of {self.groups}")
        for name in self.ambiguous & self.called.keys():
            self.invalid(f"a back reference to {name!r}, which names several groups", self.called[name])
        part = self.settled(part)
        if is_hard(part) and _repeats_empty(part):
            # Two engines take turns here, and they continue differently after an empty round.
            self.unsupported(
                "or later a repetition that prefers the empty match, like (?:a??)* or (?:|a)*; use + or ? inside", 0
            )
        return part

    # Groups and repetition

    def either(self) -> Part:
        parts = [self.row()]
        while self.here("|"):
            self.at += 1
            parts.append(self.row())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def row(self) -> Part:
        parts: list[Part] = []
        while True:
            self.skip()
            if self.at == len(self.pattern) or self.pattern[self.at] in "|)":
                break
            if (part := self.piece()) is not None:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Series(tuple(parts))

    def piece(self) -> Part | None:
        """Read one item and its repetition; None for an item that matches nothing by itself, such as flags."""
        repeatable, part = self.one()
        self.skip()
        begin = self.at
        times = self.times()
        if times is None:
            return part
        if not repeatable:
            self.invalid(
                "a repetition of nothing or of a look-around; to mean the character, write a \\ before it", begin
            )
        assert part is not None
        least, most = times
        if max(least, most or 0) > _MOST_TIMES or (most is not None and most < least):
            self.unsupported("a count whose least is more than its most, or that is too large", begin)
        self.skip()
        lazy = self.here("?")
        self.at += lazy
        repeat = Repeat(part, least, most, "?" if lazy != ("U" in self.flags) else "")
        if not self.here("+"):
            return repeat
        self.at += 1
        return repeat._replace(manner="+") if repeat.manner == "" else Kept(repeat)

    def times(self) -> tuple[int, int | None] | None:
        """Read how often; None if there is no repetition. A { that does not begin a count is left unread."""
        sign = self.pattern[self.at : self.at + 1]
        if sign in SIGNS:
            self.at += 1
            return SIGNS[sign]
        if sign != "{":
            return None
        begin = self.at
        self.at += 1
        low = self.number()
        comma = self.here(",")
        self.at += comma
        high = self.number() if comma else low
        if not self.here("}") or (low is None and not comma):
            self.at = begin
            return None
        self.at += 1
        return low or 0, high

    def number(self) -> int | None:
        self.skip()
        found = _NUMBER.match(self.pattern, self.at)
        if found:
            self.at = found.end()
        self.skip()
        return int(found[0]) if found else None

    def one(self) -> tuple[bool, Part | None]:
        """Read the next item; return whether it may be repeated, and the item."""
        character = self.pattern[self.at]
        if character in "*+?":
            return False, None
        if character == "(":
            return self.group()
        if character == "[":
            return True, self.simplest_of(self.set_of_characters())
        if character == "\\":
            return self.escape()
        self.at += 1
        if character == ".":
            but_breaks = Characters(((10, 10), (13, 13)), (), True) if "R" in self.flags else NO_LINE_BREAK
            return True, ANY if "s" in self.flags else but_breaks
        if character in "^$":
            return True, self.line_edge(character == "$")
        return True, self.letter(ord(character))

    def line_edge(self, end: bool) -> Part:
        """Return the meaning of ^ or, at the ``end``, of $."""
        if "m" not in self.flags:
            return Anchor("text end" if end else "text begin")
        if "R" not in self.flags:
            return Anchor("line end" if end else "every line begin")
        if end:
            lone = Series((Look(_CR, False, True), Look(_LF, True, False)))
            return Either((Anchor("text end"), Look(_CR, True, False), lone))
        lone = Series((Look(_CR, False, False), Look(_LF, True, True)))
        return Either((Anchor("text begin"), Look(_LF, False, False), lone))

    def group(self) -> tuple[bool, Part | None]:
        begin = self.at
        self.depth += 1
        if self.depth > _DEEPEST:
            self.invalid(f"the {_DEEPEST + 1}th nested bracket")
        self.at += 1
        self.skip()
        found = self.inside_of_group(begin)
        self.depth -= 1
        return found

    def inside_of_group(self, begin: int) -> tuple[bool, Part | None]:
        look = next(filter(self.here, LOOKS), None)
        if look:
            ahead, negated = LOOKS[look]
            inside = self.closed(len(look))
            if holds(inside, Anchor("match begin")):
                self.unsupported("a \\K in a look ahead or behind", begin)
            if not ahead:
                self.check_look_behind(inside, begin)
            return False, Look(inside, ahead, negated)
        if self.here("?>"):
            return True, Kept(self.closed(2))
        if self.here("?~"):
            if self.here("?~|"):
                self.invalid("an absent expression", begin)
            return True, Repeat(Series((Look(self.closed(2), True, True), ANY)), 0, None, "")
        if self.here("*FAIL)") or self.here("*F)"):
            self.at = self.pattern.index(")", self.at) + 1
            return False, _NOTHING
        for sign, end in (("?P<", ">"), ("?<", ">"), ("?'", "'")):
            if self.here(sign):
                self.at += len(sign)
                return True, self.captured(self.name(end))
        if self.here("?P="):
            self.at += 3
            return True, self.back(self.name(")"), begin)
        if self.here("?(") or self.here("?P>"):
            self.unsupported("a condition or a call of a group; write it out with | and look-arounds", begin)
        if self.here("?"):
            self.at += 1
            return self.flagged(begin)
        if self.here("*"):
            self.invalid("a control verb that tiktoken does not know", begin)
        return True, self.captured(None)

    def captured(self, name: str | None) -> Part:
        self.groups += 1
        number = self.groups
        if name is not None:
            if name in self.names:
                self.ambiguous.add(name)
            self.names[name] = number
        self.open.append(number)
        part = self.closed(0)
        self.open.pop()
        return Captured(part, number)

    def closed(self, sign: int) -> Part:
        """Read a group to its ), after an opening of ``sign`` characters."""
        self.at += sign
        part = self.either()
        if not self.here(")"):
            self.invalid("an end where a bracket should be closed")
        self.at += 1
        return part

    def flagged(self, begin: int) -> tuple[bool, Part | None]:
        before, on, said = self.flags, True, 0
        while True:
            self.skip()
            letter = self.pattern[self.at : self.at + 1]
            self.at += 1
            if letter in (")", ":") and letter:
                break
            if letter == "u" and on:
                pass
            elif letter == "-" and on:
                on = False
            elif letter and letter in "imsUxR":
                self.flags = self.flags | {letter} if on else self.flags - {letter}
            else:
                self.invalid(f"{self.pattern[begin : self.at]!r}, which does not begin a group", begin)
            said += letter != "-"
        if (not said and not on) or (letter == ")" and not said):
            self.invalid(f"{self.pattern[begin : self.at]!r}, which does not begin a group", begin)
        if letter == ")":
            return False, None
        part = self.closed(0)
        self.flags = before
        alone = isinstance(part, Look) or (isinstance(part, Anchor) and part.place in ("search begin", "match begin"))
        return not (alone or part == _EMPTY), part

    def name(self, end: str) -> str:
        found = _NAME.match(self.pattern, self.at)
        if not found or not self.pattern.startswith(end, found.end()):
            self.invalid("a group without a name")
        self.at = found.end() + len(end)
        return found[0]

    def back(self, name: str, begin: int) -> Part:
        if name in self.names:
            number = self.names[name]
            self.called[name] = begin
        elif name.isascii() and name.isdigit():
            number = int(name)
        else:
            self.invalid(f"a back reference to {name!r}, which is not the name of a group before it", begin)
        return self.back_to(number, begin)

    def back_to(self, number: int, begin: int) -> Part:
        if "i" in self.flags:
            self.unsupported("a back reference where case is ignored; put it where (?-i:...) applies", begin)
        if number in self.open or number > self.groups:
            self.unsupported("a back reference to a group that does not end before it", begin)
        self.used.add(number)
        return Back(number)

    # Escapes

    def escape(self) -> tuple[bool, Part]:
        begin = self.at
        letter = self.pattern[begin + 1 : begin + 2]
        rest = self.pattern[begin + 2 :]
        if letter.isdigit() and letter.isascii():
            found = _NUMBER.match(self.pattern, begin + 1)
            assert found is not None
            self.at = found.end()
            return True, self.back_to(int(found[0]), begin)
        if letter == "k" and rest[:1] in ("<", "'"):
            self.at += 3
            end = ">" if rest[0] == "<" else "'"
            relative = re.compile(r"-(\d{1,6})").match(self.pattern, self.at)
            if relative and self.pattern.startswith(end, relative.end()):
                self.at = relative.end() + 1
                return True, self.back_to(self.groups + 1 - int(relative[1]), begin)
            return True, self.back(self.name(end), begin)
        if letter in ("b", "B") and (found := re.compile(r"\{([a-z-]+)\}").match(rest)):
            if letter == "B" or found[1] not in _BOUNDARIES:
                self.invalid(f"\\{letter}{found[0]}, which tiktoken does not know", begin)
            self.at += 2 + found.end()
            return True, _BOUNDARIES[found[1]]
        if letter in ("g", "k") and letter:
            self.unsupported(f"\\{letter}, a call of a group; write the group out", begin)
        if letter in ("G", "K") and letter:
            self.at += 2
            return False, Anchor("search begin" if letter == "G" else "match begin")
        if letter == "Z":
            self.at += 2
            return True, Look(Series((Repeat(_LF, 0, None, ""), Anchor("text end"))), True, False)
        parts: dict[str, Part] = {
            "A": Anchor("text begin"),
            "z": Anchor("text end"),
            "b": _BOUNDARY,
            "B": _NO_BOUNDARY,
            "<": _BOUNDARIES["start"],
            ">": _BOUNDARIES["end"],
            "O": ANY,
            "N": NO_LINE_BREAK,
            "R": Kept(Either((Series((_CR, _LF)), _LINE_BREAK))),
        }
        if letter in parts:
            self.at += 2
            return True, parts[letter]
        return True, self.simplest_of(self.escaped(in_set=False))

    def escaped(self, in_set: bool) -> Characters:
        """Read the characters that an escape stands for, inside a set or outside."""
        begin = self.at
        letter = self.pattern[begin + 1 : begin + 2]
        if not letter:
            self.invalid("a backslash at the end; where the character is meant, write \\\\")
        self.at += 2
        if letter in "dDsSwW":
            return Characters((), (Property({"d": "Nd"}.get(letter.lower(), letter.lower()), letter.isupper()),))
        if letter in "hH":
            return Characters(_HEX_DIGITS, (), letter == "H")
        if letter in "pP":
            return self.property(begin, letter == "P")
        if letter in _HEX:
            code = self.hexadecimal(_HEX[letter], begin)
            return Characters(((code, code),)) if in_set else self.letter(code)
        if letter in _CONTROLS:
            return Characters(((_CONTROLS[letter], _CONTROLS[letter]),))
        if letter.isascii() and letter.isalnum() and not (in_set and letter in _IN_SETS):
            self.invalid(f"\\{letter}, an escape that tiktoken does not know", begin)
        code = self.code(letter)
        return Characters(((code, code),))

    def hexadecimal(self, digits: int, begin: int) -> int:
        found = re.compile(rf"[0-9a-fA-F]{{{digits}}}|\{{([0-9a-fA-F]{{1,8}})\}}").match(self.pattern, self.at)
        if not found:
            self.invalid(f"{self.pattern[begin : begin + 2]} without {digits} digits or {{...}}", begin)
        self.at = found.end()
        code = int(found[1] or found[0], 16)
        if code > LAST or 0xD800 <= code < 0xE000:
            self.invalid(f"U+{code:04X}, which is not a character", begin)
        return code

    def property(self, begin: int, negated: bool) -> Characters:
        name = self.pattern[self.at : self.at + 1]
        self.at += 1
        if name == "{":
            end = self.pattern.find("}", self.at)
            if end < 0:
                self.invalid("a \\p{ without its }", begin)
            name = self.pattern[self.at : end]
            self.at = end + 1
            if name.startswith("^"):
                negated, name = not negated, name[1:]
            if "!=" in name:
                negated, name = not negated, name.replace("!=", "=", 1)
        key = properties.find(name)
        if key is None:
            self.invalid(
                f"the property {name!r}, which tiktoken does not know; \\p{{L}} are letters, for example", begin
            )
        found = Property(_categories().get(properties.number(key), key), False)
        if "i" in self.flags:
            plain = code_points.has_property(found.name, ENGINE)
            folded = properties.fold(plain)
            if (folded != plain).any():
                return Characters(code_points.ranges_of(folded), (), negated)
        return Characters((), (found._replace(negated=negated),))

    # Sets

    def set_of_characters(self) -> Characters:
        """Read a set: united, or several with && -- or ~~ between them."""
        begin = self.at
        self.at += 1
        self.depth += 1
        if self.depth > 200:
            self.invalid("more than 200 nested brackets", begin)
        negated = self.here("^")
        self.at += negated
        ranges: list[tuple[int, int]] = []
        # A - or a ] at the start is a character.
        while self.here("-"):
            self.at += 1
            ranges.append((45, 45))
        if not ranges and self.here("]"):
            self.at += 1
            ranges.append((93, 93))
        left: np.ndarray | None = None
        sign = ""
        nested: list[Characters] = []
        while True:
            found = self.members(ranges, nested, begin)
            ended = self.here("]")
            if ended and left is None:
                break
            right = self.plain(self.folded(found))
            left = right if left is None else _combined(left, sign, right)
            if ended:
                found = Characters(code_points.ranges_of(left))
                break
            sign = self.pattern[self.at : self.at + 2]
            self.at += 2
            ranges, nested = [], []
        self.at += 1
        self.depth -= 1
        if "i" in self.flags and left is None:
            found = self.folded(found)
        return found._replace(negated=found.negated != negated)

    def members(self, ranges: list[tuple[int, int]], nested: list[Characters], begin: int) -> Characters:
        """Read the members up to the next ] or operator, and unite them."""
        named: list[Property] = []
        while not self.here("]") and self.pattern[self.at : self.at + 2] not in ("&&", "--", "~~"):
            if self.at >= len(self.pattern):
                self.invalid("a [ that is not closed; where the character is meant, write \\[", begin)
            if self.here("["):
                nested.append(self.posix() or self.set_of_characters())
                continue
            named_set = self.pattern[self.at] == "\\" and self.pattern[self.at + 1 : self.at + 2] in _NAMED_SETS
            item = self.item()
            if named_set or len(item.ranges) != 1 or item.ranges[0][0] != item.ranges[0][1]:
                if named_set and self.here("-") and self.pattern[self.at + 1 : self.at + 2] not in ("]", "-", ""):
                    self.invalid("a range from or to a set of characters; write the - last, or \\-")
                if item.properties and not item.ranges and not item.negated:
                    named += item.properties
                else:
                    nested.append(item)
                continue
            first = last = item.ranges[0][0]
            if self.here("-") and self.pattern[self.at + 1 : self.at + 2] not in ("]", "-", ""):
                self.at += 1
                place = self.at
                end = self.item()
                if self.pattern[place] == "[" or end.properties or end.negated or len(end.ranges) > 1:
                    self.invalid("a range to a set of characters; write \\[ or \\-", place)
                last = end.ranges[0][0]
                if last < first:
                    self.invalid("a range that goes backwards", place)
            ranges.append((first, last))
        united = Characters(joined(ranges), tuple(sorted(set(named))))
        for one in nested:
            if not one.negated:
                more = tuple(sorted(set(united.properties + one.properties)))
                united = Characters(joined([*united.ranges, *one.ranges]), more)
            else:
                united = Characters(code_points.ranges_of(self.plain(united) | self.plain(one)))
        return united

    def item(self) -> Characters:
        """Read one character of a set, or an escape, as written: case is handled later."""
        if self.here("\\"):
            return self.escaped(in_set=True)
        code = self.code(self.pattern[self.at])
        self.at += 1
        return Characters(((code, code),))

    def posix(self) -> Characters | None:
        found = re.compile(r"\[:(\^?)([a-z]+):\]").match(self.pattern, self.at)
        if not found or found[2] not in _POSIX:
            return None
        self.at = found.end()
        ends = _POSIX[found[2]]
        ranges = tuple((ord(first), ord(last)) for first, last in zip(ends[::2], ends[1::2]))
        return self.folded(Characters(ranges))._replace(negated=bool(found[1]))

    def folded(self, found: Characters) -> Characters:
        """Return a set that is not negated, with all cases if case is ignored."""
        if "i" not in self.flags:
            return found
        if not found.properties and sum(last - first for first, last in found.ranges) < 300:
            codes = [code for first, last in found.ranges for code in range(first, last + 1)]
            return Characters(joined([(case, case) for code in codes for case in properties.cases(code)]))
        plain = self.plain(found)
        folded = properties.fold(plain)
        if found.properties and (folded == plain).all():
            return found
        if not found.properties or (folded != plain).any():
            return self.with_cases(found, folded)
        return found

    def plain(self, found: Characters) -> np.ndarray:
        """Return the characters of a set, which takes milliseconds: bool[0x110000]."""
        self.work += 1
        if self.work > _MOST_SET_WORK:
            self.unsupported("set operation, negated set in a set or set in any case more than it supports")
        return code_points.matched_by(found, ENGINE)

    def with_cases(self, found: Characters, folded: np.ndarray) -> Characters:
        """Add the other cases; keep the properties by name if they already contain theirs."""
        ranges = Characters(found.ranges)
        more = Characters(code_points.ranges_of(properties.fold(self.plain(ranges))), found.properties)
        return more if (self.plain(more) == folded).all() else Characters(code_points.ranges_of(folded))

    def letter(self, code: int) -> Characters:
        if 0xD800 <= code < 0xE000:
            self.invalid(f"the lone surrogate U+{code:04X}")
        if "i" not in self.flags:
            return Characters(((code, code),))
        return Characters(joined([(case, case) for case in properties.cases(code)]))

    def code(self, character: str) -> int:
        if "\ud800" <= character <= "\udfff":
            self.invalid(f"the lone surrogate U+{ord(character):04X}")
        return ord(character)

    def simplest_of(self, found: Characters) -> Characters:
        """Return the one spelling of each set: a single negated property becomes a negated set."""
        if len(found.properties) == 1 and not found.ranges and found.properties[0].negated:
            return Characters((), (found.properties[0]._replace(negated=False),), not found.negated)
        return found

    # Afterwards

    def check_look_behind(self, part: Part, begin: int) -> None:
        if holds(part, Back):
            self.unsupported("a back reference in a look behind", begin)
        if not _can_look_behind(part):
            self.invalid("a look behind in which something of many lengths is atomic or looks further", begin)

    def settled(self, part: Part) -> Part:
        """Return the part without groups that are never referred to."""
        if isinstance(part, Captured):
            inside = self.settled(part.part)
            return part._replace(part=inside) if part.number in self.used else inside
        if isinstance(part, (Series, Either)):
            return type(part)(tuple(map(self.settled, part.parts)))
        return part if isinstance(part, (Characters, Anchor, Back)) else part._replace(part=self.settled(part.part))

    def skip(self) -> None:
        """Skip comments, and spaces if the flag x is set."""
        while True:
            if self.here("(?#"):
                found = re.compile(r"\(\?#(?:[^)\\]|\\.)*\)", re.DOTALL).match(self.pattern, self.at)
                if not found:
                    self.invalid("a comment that does not end")
                self.at = found.end()
            elif "x" in self.flags and self.at < len(self.pattern) and self.pattern[self.at] in _SPACES:
                self.at += 1
            elif "x" in self.flags and self.here("#"):
                end = self.pattern.find("\n", self.at)
                self.at = len(self.pattern) if end < 0 else end + 1
            else:
                return

    def here(self, sign: str) -> bool:
        return self.pattern.startswith(sign, self.at)

    def invalid(self, what: str, at: int | None = None) -> NoReturn:
        raise InvalidPattern(self.message("tiktoken does not accept a", what, at))

    def unsupported(self, what: str, at: int | None = None) -> NoReturn:
        raise UnsupportedPattern(self.message("this package does not support a", what, at))

    def message(self, who: str, what: str, at: int | None) -> str:
        place = self.at if at is None else at
        return (
            f"{who} split pattern like this: at position {place} there is {what}.\nThe pattern: {self.pattern[:1000]!r}"
        )


def _combined(left: np.ndarray, sign: str, right: np.ndarray) -> np.ndarray:
    if sign == "&&":
        return left & right
    return left & ~right if sign == "--" else left ^ right


def _length(part: Part) -> int | None:
    """Return how many characters a part matches, None if that varies."""
    if isinstance(part, Characters):
        return 1
    if isinstance(part, (Anchor, Look)):
        return 0
    if isinstance(part, Back):
        return None
    if isinstance(part, (Kept, Captured)):
        return _length(part.part)
    if isinstance(part, Repeat):
        inside = _length(part.part)
        return None if inside is None or part.least != part.most else inside * part.least
    lengths = [_length(one) for one in part.parts]
    known = [length for length in lengths if length is not None]
    if len(known) < len(lengths):
        return None
    if isinstance(part, Series):
        return sum(known)
    return known[0] if len(set(known)) == 1 else None


def _can_look_behind(part: Part) -> bool:
    """Tell whether tiktoken allows a part in a look behind: a part of varying length must be simple."""
    if _length(part) is not None or not is_hard(part):
        return True
    return isinstance(part, (Series, Either)) and all(map(_can_look_behind, part.parts))


def is_hard(part: Part) -> bool:
    """Tell whether the plain regex crate cannot run a part, so that fancy-regex runs it itself."""
    if isinstance(part, (Kept, Look, Back)) or (isinstance(part, Repeat) and part.manner == "+"):
        return True
    return part not in (_BOUNDARY, _NO_BOUNDARY) and any(map(is_hard, inner_parts(part)))


def _repeats_empty(part: Part) -> bool:
    """Tell whether a repeated part prefers the empty match."""
    return any(isinstance(one, Repeat) and one.most != 1 and _prefers_empty(one.part) for one in all_parts(part))


def _prefers_empty(part: Part) -> bool:
    if isinstance(part, (Characters, Anchor, Look, Back)) or not may_be_empty(part):
        return False
    if isinstance(part, Either):
        return any(map(may_be_empty, part.parts[:-1])) or _prefers_empty(part.parts[-1])
    if isinstance(part, Series):
        return any(map(_prefers_empty, part.parts))
    if isinstance(part, Repeat) and part.manner == "?" and part.least == 0:
        return True
    return _prefers_empty(part.part)


@cache
def _categories() -> dict[int, str]:
    """Return the short name of each category, by the number of its set in ``properties``."""
    names = [*CATEGORIES, *{name[0] for name in CATEGORIES}]
    return {properties.number(key): name for name in names if (key := properties.find(f"gc={name}")) is not None}
