r"""Run a split pattern exactly as the engine of its dialect would, on the ``regex`` library.

    [\p{L}&&[^\p{Han}]]+|\s     two sets; a character is in the first, in the second, or in neither

``regex`` reads some patterns differently and has the tables of another Unicode. So a pattern is first read in its own
dialect (``pattern_reading``). Its sets divide the characters into kinds: two characters of one kind are in the same
sets. Then ``regex`` does not see the text, but the kind of each of its characters, and the pattern is written in kinds:

    text     k e y 漢 \n        table     uint8[0x110000]: the kind of every code point
    kinds    1 1 1 0 2          pattern   \x01+|\x02

No name of a property, no case and no Unicode version is left for ``regex`` to interpret, and its sets are tiny.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.text import code_points
from minbpe_course.text.pattern_parts import all_sets
from minbpe_course.text.pattern_reading import ONIGURUMA, read_pattern, tables_of
from minbpe_course.text.pattern_writing import NOTHING, written

_MOST_KINDS, _MOST_SETS, _LONGEST_WRITTEN = 0xD800, 1000, 1 << 20


class Runner:
    """Finds the matches of a pattern in one of the dialects of ``pattern_reading``.

    Raises InvalidPattern, UnsupportedPattern. ``runner_for`` returns a cached one.
    """

    def __init__(self, pattern: str, dialect: str) -> None:
        part = read_pattern(pattern, dialect)
        sets = list(dict.fromkeys(all_sets(part)))
        if len(sets) > _MOST_SETS:
            raise self._too_much(f"it has more than {_MOST_SETS} different sets of characters", pattern)
        edges_of = [code_points.edges_of(each, tables_of(dialect)) for each in sets]
        edges, kinds = code_points.kinds_of(edges_of)
        size = int(kinds.max()) + 1
        if size > _MOST_KINDS:
            raise self._too_much(f"its sets divide the characters into more than {_MOST_KINDS:,} kinds", pattern)
        self._encoding = "latin-1" if size <= 256 else "utf-16-le"
        lengths = np.diff(edges, append=code_points.CODE_POINTS)
        self._kinds = np.repeat(kinds.astype("u1" if size <= 256 else "<u2"), lengths)
        inside = (np.bincount(kinds[code_points.inside(each, edges)], minlength=size) > 0 for each in edges_of)
        spelled = {each: _spelled(members) for each, members in zip(sets, inside)}
        if sum(len(spelled[one]) for one in all_sets(part)) > _LONGEST_WRITTEN:
            raise self._too_much(f"its sets have more than {_LONGEST_WRITTEN:,} characters of ranges", pattern)
        try:
            self._compiled = regex.compile(written(part, spelled.__getitem__), regex.V0)
        except (regex.error, ValueError, OverflowError, RecursionError) as error:
            raise self._too_much(error, pattern) from None

    @staticmethod
    def _too_much(why: object, pattern: str) -> UnsupportedPattern:
        return UnsupportedPattern(
            f"this split pattern is too much for the regex library: {why}.\nThe pattern: {pattern[:1000]!r}"
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each match begins and ends."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        for match in self._compiled.finditer(self._kinds[codes].tobytes().decode(self._encoding)):
            yield match.span()


@lru_cache(maxsize=64)
def runner_for(pattern: str, dialect: str) -> Runner:
    """Return the runner of a pattern. Raises InvalidPattern, UnsupportedPattern."""
    return Runner(pattern, dialect)


@lru_cache(maxsize=64)
def span_finder(kind: str, said: str) -> Callable[[str], list[tuple[int, int]]]:
    """Return the function that lists where every match begins and ends, as `tokenizers` finds them.

    kind : "Regex" for a pattern of Oniguruma, "String" for a literal text · said : the pattern.

    Raises InvalidPattern and UnsupportedPattern; the function itself never raises.

    >>> span_finder("Regex", r"\\d+")("a12b3"), span_finder("String", "a.")("aba.")
    ([(1, 3), (4, 5)], [(2, 4)])
    """
    if kind == "Regex":
        runner = runner_for(said, ONIGURUMA)
        return lambda text: list(runner.spans(text))

    def places(text: str) -> list[tuple[int, int]]:
        found = []
        at = text.find(said)
        while at >= 0:
            found.append((at, at + len(said)))
            at = text.find(said, at + len(said))
        return found

    return places


def _spelled(members: np.ndarray) -> str:
    """Return a set of kinds as ``regex`` reads it. It takes [^a]|[^b] for [^ab], so negated sets are not used."""
    if members.all():
        return r"[\s\S]"
    ranges = "".join(
        _escape(first) + (f"-{_escape(end)}" if end > first else "") for first, end in code_points.ranges_of(members)
    )
    return f"[{ranges}]" if ranges else NOTHING


def _escape(kind: int) -> str:
    return f"\\x{kind:02x}" if kind < 256 else f"\\u{kind:04x}"
