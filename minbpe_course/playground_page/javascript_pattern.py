r"""Translate a custom split pattern into a regular expression of JavaScript that cuts the same words.

    \p{L}+|\d|[^\w]     ->     [A-Za-z\u00aa...]+|[0-9\u0660-...]|[\u0000-\u002f...]

The two dialects share alternatives from left to right, greedy and lazy repetition, lookahead and lookbehind. For each
construct that matches one character, the ``regex`` library finds all matching code points, which are written as ranges,
so the browser's version of Unicode and its case rules do not matter. Possessive and atomic constructs (``++``,
``(?>...)``), which JavaScript lacks, become a lookahead and a back reference.

A pattern with any other construct is refused with UnsupportedPattern.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.splitting.splitter import compile_pattern
from minbpe_course.text.code_points import every_character

_MOST_TIMES = 1000
_LARGEST = 20_000  # characters of the pattern with counted repetitions written out
_QUANTIFIER = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_POSIX = re.compile(r"\[:\^?[A-Za-z0-9_]+:\]")
_PROPERTY = re.compile(r"\\[pP](?:\{\^?[A-Za-z0-9_ =:&.\-]+\}|[A-Z])")
_NAMED = re.compile(r"\\N\{[A-Z0-9 \-]+\}")
_CODE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|0[0-7]{0,2}(?![0-7]))")
_FLAGS = re.compile(r"\(\?([a-zA-Z0-9]*)(?:-([a-zA-Z]+))?([:)])")
_GROUP_NAME = re.compile(r"\(\?P?<[A-Za-z_]\w*>")
_SEVERAL = set("dDsSwW")  # one-letter escapes of many characters
_ONE = set("nrtfva")  # and of one
_PLAIN = set(string.ascii_letters + string.digits)


def javascript_pattern(pattern: str) -> dict[str, list[Any]]:
    """Return a pattern for JavaScript: ``parts`` to be joined, in which a number is an index into ``sets``.

    The joined text is a regular expression with the flag ``u``, to be tried at one position (flag ``y``).

    Raises UnsupportedPattern for a construct that cannot be translated, and InvalidPattern.

    >>> javascript_pattern("[ab]+|c")
    {'parts': [0, '+|c'], 'sets': ['[a-b]']}
    """
    compile_pattern(pattern)
    return _Translation(pattern).result()


class _Node(NamedTuple):
    """A translated part: its text and sets, whether it may match the empty string, its size with counts written out,
    and whether it is an atomic group, which a lookbehind must not contain."""

    parts: tuple[str | int, ...]
    may_be_empty: bool
    size: int = 1
    one: bool = False  # a single character, which needs no group before a quantifier
    keeps: bool = False


def _joined(nodes: list[_Node], parts: tuple[str | int, ...], may_be_empty: bool) -> _Node:
    return _Node(parts, may_be_empty, sum(node.size for node in nodes), keeps=any(node.keeps for node in nodes))


class _Translation:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.sets: dict[str, int] = {}
        self.kept = 0

    def result(self) -> dict[str, list[Any]]:
        flags = frozenset[str]()
        while (found := _FLAGS.match(self.pattern, self.at)) and found[3] == ")":
            flags = self.flags(found, flags)
            self.at = found.end()
        node = self.alternatives(flags)
        if self.at < len(self.pattern):
            self.refuse("a bracket that closes nothing")
        if node.may_be_empty:
            self.refuse("it may match nothing at all, and then the two say otherwise where to go on", at=0)
        if node.size > _LARGEST:
            self.refuse("its repetitions are too many", at=0)
        parts: list[str | int] = []
        for part in node.parts:
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        return {"parts": parts, "sets": list(self.sets)}

    def alternatives(self, flags: frozenset[str]) -> _Node:
        nodes = [self.sequence(flags)]
        while self.pattern[self.at : self.at + 1] == "|":
            self.at += 1
            nodes.append(self.sequence(flags))
        if len(nodes) == 1:
            return nodes[0]
        parts = tuple(part for node in nodes for part in ("|", *node.parts))[1:]
        return _joined(nodes, parts, any(node.may_be_empty for node in nodes))

    def sequence(self, flags: frozenset[str]) -> _Node:
        nodes = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            node = self.atom(flags)
            if node is not None:
                nodes.append(self.quantified(node))
        if len(nodes) == 1:
            return nodes[0]
        parts = tuple(part for node in nodes for part in node.parts)
        return _joined(nodes, parts, all(node.may_be_empty for node in nodes))

    def quantified(self, node: _Node) -> _Node:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            if self.pattern[self.at : self.at + 1] == "{":
                self.refuse("a { that begins no count; where the character is meant, write \\{")
            return node
        least, most = self.times(found)
        self.at = found.end()
        how = self.pattern[self.at : self.at + 1]
        how = how if how in ("?", "+") else ""
        self.at += len(how)
        if _QUANTIFIER.match(self.pattern, self.at):
            self.refuse("two repetitions of one thing")
        if node.may_be_empty and most != 1:
            self.refuse("a repetition of what may be nothing")
        count = f"{{{least},{'' if most is None else most}}}"
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most), count)
        inside = node.parts if node.one else ("(?:", *node.parts, ")")
        parts, size = (*inside, sign + how.replace("+", "")), node.size * max(least, most or 1, 1)
        repeated = _Node(parts, node.may_be_empty or least == 0, size, keeps=node.keeps)
        return self.kept_whole(repeated) if how == "+" else repeated

    def times(self, found: re.Match[str]) -> tuple[int, int | None]:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if found[0] in simple:
            return simple[found[0]]
        low, comma, high = found.groups()
        if not low and not high:
            self.refuse("a { that begins no count; where the character is meant, write \\{")
        if max(int(low or 0), int(high or 0)) > _MOST_TIMES:
            self.refuse(f"a repetition of more than {_MOST_TIMES} times")
        return int(low or 0), int(high) if high else None if comma else int(low)

    def kept_whole(self, node: _Node) -> _Node:
        """Return an atomic group: a lookahead does not backtrack into its match."""
        self.kept += 1
        name = f"k{self.kept}"
        parts = (f"(?=(?<{name}>", *node.parts, f"))\\k<{name}>")
        return _Node(parts, node.may_be_empty, node.size, keeps=True)

    def atom(self, flags: frozenset[str]) -> _Node | None:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(flags)
        if character == "[":
            return self.characters(self.end_of_set(), flags)
        if character == "\\":
            return self.escape(flags)
        if character in "^$":
            self.at += 1
            line = {"^": "(?<![^\\n])", "$": "(?![^\\n])"} if "m" in flags else {"^": "^", "$": "(?=\\n?$)"}
            return _Node(("(?:", line[character], ")"), True)
        if character in "*+?{":
            self.refuse("a repetition of nothing; where the character is meant, write a \\ before it")
        return self.characters(self.at + 1, flags)

    def group(self, flags: frozenset[str]) -> _Node | None:
        begin = self.at
        rest = self.pattern[begin:]
        if rest.startswith("(?#"):
            self.at = self.pattern.index(")", begin) + 1
            return None
        look = next((sign for sign in ("(?=", "(?!", "(?<=", "(?<!") if rest.startswith(sign)), None)
        kept = rest.startswith("(?>")
        if look or kept:
            self.at += len(look or "(?>")
        elif found := _GROUP_NAME.match(self.pattern, begin):
            self.at = found.end()
        elif (found := _FLAGS.match(self.pattern, begin)) and found[3] == ":":
            flags = self.flags(found, flags)
            self.at = found.end()
        elif rest.startswith(("(?", "(*")):
            self.refuse("a bracket of a kind that JavaScript does not have")
        else:
            self.at += 1
        node = self.alternatives(flags)
        self.at += 1  # the closing bracket: regex has compiled the pattern, so it is there
        if look:
            if look.startswith("(?<") and node.keeps:
                self.refuse("taking without giving back inside a look behind", at=begin)
            return _Node(("(?:", look, *node.parts, "))"), True, node.size, keeps=node.keeps)
        node = _Node(("(?:", *node.parts, ")"), node.may_be_empty, node.size, one=True, keeps=node.keeps)
        return self.kept_whole(node) if kept else node

    def flags(self, found: re.Match[str], flags: frozenset[str]) -> frozenset[str]:
        on = found[1].replace("V0", "").replace("u", "")
        off = found[2] or ""
        if set(on + off) - set("ism"):
            self.refuse(f"the flags {found[0]!r}; i, s and m are understood")
        return (flags | set(on)) - set(off)

    def escape(self, flags: frozenset[str]) -> _Node:
        rest = self.pattern[self.at :]
        letter = rest[1]
        if letter in "AZ":
            self.at += 2
            return _Node(("^" if letter == "A" else "$",), True)
        if letter in "bB":
            self.at += 2
            word = self.set_number("\\w", frozenset())
            behind_word, behind_none = ("(?!", "(?=") if letter == "b" else ("(?=", "(?!")
            parts = ("(?:(?<=", word, ")", behind_word, word, ")|(?<!", word, ")", behind_none, word, "))")
            return _Node(parts, True)
        for known in (_PROPERTY, _NAMED, _CODE):
            if found := known.match(rest):
                return self.characters(self.at + found.end(), flags)
        if letter in _SEVERAL or letter in _ONE or not (letter.isalnum() or letter == "_"):
            return self.characters(self.at + 2, flags)
        self.refuse(f"\\{letter}")

    def end_of_set(self) -> int:
        end = self.at + 1
        end += self.pattern[end] == "^"
        first = True
        while first or self.pattern[end] != "]":
            first = False
            if self.pattern.startswith("[:", end):
                found = _POSIX.match(self.pattern, end)
                if found is None:
                    self.refuse("a [ inside brackets; where the character is meant, write \\[")
                end = found.end()
            else:
                end += 2 if self.pattern[end] == "\\" else 1
            if end >= len(self.pattern):
                self.refuse("brackets that are not closed")
        return end + 1

    # ---- One character

    def characters(self, end: int, flags: frozenset[str]) -> _Node:
        """Return the node of a construct that matches one character, which ends at ``end``."""
        source = self.pattern[self.at : end]
        self.at = end
        # Two adjacent surrogates would be one character in JavaScript; as sets they match nothing, as in Python.
        surrogate = "\ud800" <= source <= "\udfff"
        if len(source) == 1 and source != "." and "i" not in flags and not surrogate:
            return _Node((_spelled(ord(source)),), False, one=True)
        return _Node((self.set_number(source, flags - {"m"}),), False, one=True)

    def set_number(self, source: str, flags: frozenset[str]) -> int:
        kept = flags if source == "." else flags - {"s"}
        return self.sets.setdefault(_written(source, "".join(sorted(kept))), len(self.sets))

    def refuse(self, what: str, at: int | None = None) -> NoReturn:
        place = self.at if at is None else at
        raise UnsupportedPattern(
            f"the page cannot run this split pattern: at position {place} there is {what}.\n"
            f"The pattern: {self.pattern!r}\n"
            "Use one of the named patterns (text.patterns.PATTERNS), say it in another way, or use the widget in a "
            "notebook, which asks Python."
        )


@lru_cache(maxsize=256)
def _written(source: str, flags: str) -> str:
    """Return a set of characters for JavaScript: all code points that ``regex`` matches."""
    one = f"(?{flags}:{source})" if flags else source
    # Runs of matching characters. A run may include the surrogates, because the text contains none by then.
    runs = (found.span() for found in regex.finditer(f"(?:{one})++", every_character()))
    ranges = [(_code_at(begin), _code_at(end - 1)) for begin, end in runs]
    spelled = (_spelled(a) if a == b else f"{_spelled(a)}-{_spelled(b)}" for a, b in ranges)
    return f"[{''.join(spelled)}]"


def _code_at(place: int) -> int:
    return place if place < 0xD800 else place + 0x800


def _spelled(code: int) -> str:
    if chr(code) in _PLAIN:
        return chr(code)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
