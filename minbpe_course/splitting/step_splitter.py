"""Words from several steps, or words with a mark at their ends: like ``splitting.words.Splitter`` for one pattern."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minbpe_course.kernels.common.memory import padded
from minbpe_course.splitting.words import Splitter, Words, utf8
from minbpe_course.text.split_steps import splitter_of


class StepSplitter:
    r"""Splits text into words by ``steps`` of ``text.split_steps``, or by ``one`` without steps.

    mark : bytes added to the end of every word. ``family`` and ``pattern`` are None, as for a Splitter that no kernel
    can run; splits_characters : whether a word may begin or end inside a character. Raises InvalidPattern,
    UnsupportedPattern.

    >>> [run.text[: run.size()].tobytes() for run in StepSplitter((("Digits", True), ("ByteLevel", False, False)),
    ...                                                           Splitter(None), b"!").runs("ab12")]
    [b'ab!1!2!']
    """

    family: int | None = None
    pattern: str | None = None

    def __init__(self, steps: tuple[tuple[Any, ...], ...], one: Splitter, mark: bytes = b"") -> None:
        self._split = splitter_of(steps) if steps else one.words
        self._mark = mark
        kinds = [step[0] for step in steps]
        self.splits_characters = "ByteLevel" in kinds[:-1]
        self.engine = one.engine

    def runs(self, text: str) -> Iterator[Words]:
        """Yield the words of ``text`` in one run; a text without words yields none. Raises NotText, InvalidText."""
        utf8(text)
        words = self._split(text)
        if words:
            ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
            ends += len(self._mark) * np.arange(1, len(words) + 1)
            yield Words(*padded(self._mark.join([*words, b""])), 0, ends, len(words))
