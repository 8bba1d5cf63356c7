r"""Run a split pattern exactly as tiktoken's engine would, on the ``regex`` library.

    [\p{L}&&[^\p{Han}]]+|\s     two sets; a character is in the first, in the second, or in neither

``regex`` reads some patterns differently and has the tables of another Unicode. So a pattern is first read in
tiktoken's dialect (``tiktoken_patterns``). Its sets divide the characters into a few kinds: two characters of one kind
are in exactly the same sets. Then ``regex`` does not see the text, but the kind of each of its characters, one byte
each, and the pattern is written in kinds:

    text     k e y 漢 \n        table     uint8[0x110000]: the kind of every code point
    kinds    1 1 1 0 2          pattern   \x01+|\x02

No name of a property, no case and no Unicode version is left for ``regex`` to interpret, and its sets are tiny.

A back reference compares characters and not kinds. A pattern with one runs on the text itself, with its sets written
out as ranges; so does a pattern whose sets only list characters, such as ``[a-z]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text import code_points, tiktoken_patterns
from minbpe_course.text.oniguruma import from_oniguruma
from minbpe_course.text.pattern_parts import (
    LAST,
    NOTHING,
    Anchor,
    Back,
    Characters,
    Either,
    Look,
    Part,
    all_parts,
    holds,
    may_be_empty,
    written,
)

_LF = Characters(((10, 10),))
_PLACES: dict[str, str | Part] = {
    "text begin": r"\A",
    "text end": r"\Z",
    "search begin": r"\G",
    "match begin": r"\K",
    "every line begin": Either((Anchor("text begin"), Look(_LF, False, False))),
    "line end": Either((Anchor("text end"), Look(_LF, True, False))),
}
_MOST_KINDS, _MOST_SETS, _LONGEST_WRITTEN = 0xD800, 1000, 1 << 20


class Runner:
    """Finds the matches of a pattern in tiktoken's dialect.

    Raises InvalidPattern, UnsupportedPattern. ``runner_for`` returns a cached one.
    """

    def __init__(self, pattern: str) -> None:
        part = tiktoken_patterns.read(pattern)
        self._steps = may_be_empty(part)
        sets = list(dict.fromkeys(_sets_of(part)))
        wide = any(each.properties or each.negated for each in sets)
        if wide and len(sets) > _MOST_SETS:
            raise self._too_much(f"it has more than {_MOST_SETS} different sets of characters", pattern)
        edges_of = [code_points.edges_of(each, tiktoken_patterns.ENGINE) for each in sets]
        ranges: Iterator[Sequence[Sequence[int]]] = ((edges.reshape(-1, 2) - [0, 1]).tolist() for edges in edges_of)
        self._kinds: np.ndarray | None = None
        last = LAST
        # Sets of a few listed characters need no kinds: they are written out as ranges.
        if wide and not holds(part, Back):
            edges, kinds = code_points.kinds_of(edges_of)
            size = int(kinds.max()) + 1
            if size < _MOST_KINDS:
                self._encoding = "latin-1" if size <= 256 else "utf-16-le"
                lengths = np.diff(edges, append=code_points.CODE_POINTS)
                self._kinds = np.repeat(kinds.astype("u1" if size <= 256 else "<u2"), lengths)
                last = size - 1
                inside = (np.bincount(kinds[code_points.inside(each, edges)], minlength=size) > 0 for each in edges_of)
                ranges = (code_points.ranges_of(members) for members in inside)
        spelled = {each: _spelled(listed, last) for each, listed in zip(sets, ranges)}
        length = sum(len(spelled[one]) for one in _sets_of(part))
        if length > _LONGEST_WRITTEN:
            raise self._too_much(
                f"its sets have {length:,} characters of ranges; the most is {_LONGEST_WRITTEN:,}", pattern
            )
        try:
            written = _written(part, spelled)
            self._compiled = regex.compile(written, regex.V0)
            # For searches that do not begin where a match ended.
            self._elsewhere = regex.compile(written.replace(r"\G", "(?!)"), regex.V0)
        except (regex.error, ValueError, OverflowError, RecursionError) as error:
            raise self._too_much(error, pattern) from None

    @staticmethod
    def _too_much(why: object, pattern: str) -> UnsupportedPattern:
        return UnsupportedPattern(
            f"this split pattern is too much for the regex library: {why}.\nThe pattern: {pattern[:1000]!r}"
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each match begins and ends; matches of no characters are left out."""
        seen = text
        if self._kinds is not None:
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
            seen = self._kinds[codes].tobytes().decode(self._encoding)
        if self._steps:
            yield from self._with_empty_matches(seen)
        else:
            for match in self._compiled.finditer(seen):
                yield match.span()

    def matches_empty_text(self) -> bool:
        """Return whether the pattern matches an empty text, on which tiktoken would panic."""
        return self._compiled.match("") is not None

    def _with_empty_matches(self, seen: str) -> Iterator[tuple[int, int]]:
        """Continue one character after an empty match, as Rust does, even if that leaves the character out."""
        at, compiled = 0, self._compiled
        while at <= len(seen) and (match := compiled.search(seen, at)):
            begin, end = match.span()
            if end > begin:
                at, compiled = end, self._compiled
                yield begin, end
            else:
                at, compiled = end + 1, self._elsewhere


@lru_cache(maxsize=64)
def runner_for(pattern: str) -> Runner:
    """Return the runner of a pattern. Raises InvalidPattern, UnsupportedPattern."""
    return Runner(pattern)


@lru_cache(maxsize=64)
def span_finder(kind: str, said: str) -> Callable[[str], list[tuple[int, int]]]:
    """Return the function that lists where every match begins and ends, as `tokenizers` finds them.

    kind : "Regex" for a pattern of Oniguruma, "String" for a literal text · said : the pattern.

    Raises InvalidPattern and UnsupportedPattern; the function itself never raises.

    >>> span_finder("Regex", r"\\d+")("a12b3"), span_finder("String", "a.")("aba.")
    ([(1, 3), (4, 5)], [(2, 4)])
    """
    if kind == "Regex":
        runner = runner_for(from_oniguruma(said))
        return lambda text: list(runner.spans(text))

    def places(text: str) -> list[tuple[int, int]]:
        found = []
        at = text.find(said)
        while at >= 0:
            found.append((at, at + len(said)))
            at = text.find(said, at + len(said))
        return found

    return places


def _sets_of(part: Part) -> Iterator[Characters]:
    for one in all_parts(part):
        if isinstance(one, Characters):
            yield one
        elif isinstance(one, Anchor) and not isinstance(place := _PLACES[one.place], str):
            yield from _sets_of(place)


def _spelled(ranges: Sequence[Sequence[int]], last: int) -> str:
    """Return a set, of kinds or of characters up to ``last``, as ``regex`` reads it."""
    if not ranges:
        return NOTHING
    if tuple(ranges[0]) == (0, last):
        return r"[\s\S]"
    # Negated sets are not used: ``regex`` takes [^a]|[^b] for [^ab].
    inside = "".join(_escape(first) + (f"-{_escape(end)}" if end > first else "") for first, end in ranges)
    return inside if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else f"[{inside}]"


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"


def _written(part: Part, spelled: dict[Characters, str], alone: bool = True) -> str:
    """Return the pattern for ``regex``."""

    def place(name: str) -> str:
        found = _PLACES[name]
        return found if isinstance(found, str) else _written(found, spelled, alone=False)

    return written(part, spelled.__getitem__, place, alone)
