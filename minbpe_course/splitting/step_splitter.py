"""Words from several steps, or words with a mark at their ends; ``splitting.splitter`` is for one pattern."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.kernels.common.memory import Block, padded
from minbpe_course.kernels.lazy import layout, table
from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.pattern_table import NotRegular, PatternTable, table_of
from minbpe_course.splitting.splitter import Splitter, Words, cut_parts, utf8
from minbpe_course.text import code_points, unicode_tables
from minbpe_course.text.pattern_parts import Characters, Part, Property, Repeat, Series
from minbpe_course.text.pattern_reading import ONIGURUMA, TIKTOKEN, read_pattern
from minbpe_course.text.patterns import R50K_PATTERN
from minbpe_course.text.split_steps import splitter_of


class StepSplitter:
    r"""Splits text into words by ``steps`` of ``text.split_steps``, or by ``one`` without steps.

    If every step only cuts at what a regular pattern matches, as in most models, each has a table, and a kernel cuts
    the parts of one step into those of the next.

    mark : bytes added to the end of every word. ``pattern`` is None and ``direct`` is False, as for a Splitter that no
    kernel can run; splits_characters : whether a word may begin or end inside a character. Raises InvalidPattern,
    UnsupportedPattern.

    >>> [run.text[: run.size()].tobytes() for run in StepSplitter((("Digits", True), ("ByteLevel", False, False)),
    ...                                                           Splitter(None), b"!").runs("ab12")]
    [b'ab!1!2!']
    """

    direct = False
    pattern: str | None = None

    def __init__(self, steps: tuple[tuple[Any, ...], ...], one: Splitter, mark: bytes = b"") -> None:
        self._split = splitter_of(steps) if steps else one.words
        self._mark = mark
        self._tables = _tables_of(steps) if steps and not mark else None
        kinds = [step[0] for step in steps]
        self.splits_characters = "ByteLevel" in kinds[:-1]
        self.engine = one.engine

    @cached_property
    def cut_places(self) -> CutPlaces | None:
        """The places where texts may be cut, or None if a step has no table."""
        return CutPlaces.of_steps(self._tables) if self._tables else None

    def runs(self, text: str) -> Iterator[Words]:
        """Yield the words of ``text`` in one run; a text without words yields none. Raises NotText, InvalidText."""
        data = utf8(text)
        if self._tables is not None:
            if data:
                yield _cut(data, self._tables)
            return
        words = self._split(text)
        if words:
            ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
            ends += len(self._mark) * np.arange(1, len(words) + 1)
            yield Words(*padded(self._mark.join([*words, b""])), 0, ends, len(words))


def _cut(data: bytes, tables: list[PatternTable]) -> Words:
    """Return the parts of a text after all steps."""
    text, words = padded(data)
    run = Words(text, words, 0, np.array([text.size], dtype=np.int64), 1)
    for one in tables:
        block = Block(layout.BLOCK)
        one.prepare(block)
        block.splitter = table.split_by_table.address
        run, _ = cut_parts(run, block)
    return run


def _tables_of(steps: tuple[tuple[Any, ...], ...]) -> list[PatternTable] | None:
    """Return the tables of steps that only cut, or None if a step does more or has no table."""
    parts: list[Part] = []
    for number, (kind, *said) in enumerate(steps, 1):
        if kind == "ByteLevel":
            prefix_space, by_pattern = said
            if prefix_space or number < len(steps):
                return None
            parts += [read_pattern(R50K_PATTERN, TIKTOKEN)] if by_pattern else []
        elif kind == "Split":
            source, pattern, behavior, _ = said
            if behavior != "Isolated":
                return None
            if source == "String":
                parts.append(Series(tuple(Characters(((ord(one), ord(one)),)) for one in pattern)))
            else:
                parts.append(read_pattern(pattern, ONIGURUMA))
        elif kind not in ("Digits", "Punctuation"):
            return None
        else:
            (alone,) = said
            members = Characters((), (Property("N", False),))
            if kind == "Punctuation":
                members = Characters(code_points.ranges_of(unicode_tables.punctuation()))
                if alone not in ("Isolated", "Contiguous"):
                    return None
            parts.append(members if alone in (True, "Isolated") else Repeat(members, 1, None, ""))
    try:
        tables = [table_of(part, TIKTOKEN) for part in parts]
    except (NotRegular, UnsupportedPattern):
        return None
    return None if any(one.starts.size for one in tables) else tables
