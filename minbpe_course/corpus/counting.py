"""Word counts: all that training needs to know about a text.

The text is split into words, each distinct word is kept once with its count, and the text can then be forgotten.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from queue import Queue
from typing import TypeAlias

import numpy as np

from minbpe_course.corpus.blocks import blocks
from minbpe_course.corpus.word_table import Stretches, WordTable
from minbpe_course.corpus.words import Splitter, Words, must_be_text
from minbpe_course.errors import InvalidSource, InvalidSpecialToken
from minbpe_course.files import read_whole
from minbpe_course.text.patterns import named_pattern

# Blocks that a thread takes at a time: a million characters.
_TASK = 4

Source: TypeAlias = "str | PathLike[str] | Iterable[str | PathLike[str]] | Mapping[bytes, int] | Mapping[str, int]"


class WordCounter:
    """Counts words as texts come in; give it texts with ``add`` or ``add_all`` and take the counts with ``counts``.

    ``special_tokens`` are hard borders: they are cut out and not counted. ``num_threads``: how many cores count, all of
    them unless said; the result does not depend on it, the order in which the words were first seen included.
    Patterns without a compiled scanner are counted on one core, since ``regex`` keeps the others waiting.

    >>> counter = WordCounter(Splitter(None))
    >>> counter.add_all(["low", "lower", "low"])
    >>> dict(counter.counts())
    {b'low': 2, b'lower': 1}
    """

    def __init__(
        self, splitter: Splitter, special_tokens: Iterable[str] = (), *, num_threads: int | None = None
    ) -> None:
        self._splitter = splitter
        specials = sorted(special_texts(special_tokens), key=len, reverse=True)
        self._border = re.compile("|".join(map(re.escape, specials))) if specials else None
        self._threads = cores() if num_threads is None else max(1, num_threads)
        self._tables = [WordTable(splitter)]
        # Which table met which of its words first in which part of the text, in the order of the text.
        self._parts: list[_Part] = []

    def add(self, text: str) -> None:
        """Count the words of one text. Raises NotText, InvalidText, InvalidPattern."""
        self.add_all([text])

    def add_all(self, texts: Iterable[str]) -> None:
        """Count the words of many texts, between which no word reaches. Raises as ``add`` does."""
        if self._splitter.family is None:
            for text in map(must_be_text, texts):
                for part in self._border.split(text) if self._border else (text,):
                    for run in self._splitter.runs(part):
                        self._count_here(run)
            return
        parts = blocks(map(must_be_text, texts), self._border)
        if self._threads > 1:
            # What fits one task is not worth a thread.
            first = list(islice(parts, _TASK))
            following = list(islice(parts, 1))
            parts = chain(first, following, parts)
            if following:
                self._count_side_by_side(iter(lambda: list(islice(parts, _TASK)), []))
                return
        for part in parts:
            self._count_here(part)

    def counts(self) -> WordCounts:
        """Return what has been counted so far."""
        if len(self._tables) == 1:
            return WordCounts(*self._tables[0].arrays())
        joined = WordTable(self._splitter, words=sum(map(len, self._tables)))
        entries = [table.entries() for table in self._tables]
        for part in self._parts:
            joined.add_words(self._tables[part.table], entries[part.table], part.start, part.stop)
        return WordCounts(*joined.arrays())

    def _count_here(self, run_or_block: Words | Stretches) -> None:
        """Count on this thread, in the first table."""
        if not self._parts or self._parts[-1].table != 0:
            self._parts.append(_Part(0, len(self._tables[0]), 0))
        self._tables[0].add(run_or_block)
        self._parts[-1].stop = len(self._tables[0])

    def _count_side_by_side(self, tasks: Iterator[list[Stretches]]) -> None:
        """Count in threads. This one reads, and no faster than they count, so that memory stays bounded.

        Each thread has a table of its own and takes tasks in the order of the text. So what a table has first seen in
        a part of the text is no older than what it has first seen in the parts before.
        """
        while len(self._tables) < self._threads:
            self._tables.append(WordTable(self._splitter))
        waiting: Queue[tuple[int, list[Stretches]] | None] = Queue(2 * self._threads)
        errors: dict[int, Exception] = {}

        def work(table: int) -> None:
            while (taken := waiting.get()) is not None:
                number, task = taken
                part = self._parts[number]
                part.table, part.start = table, len(self._tables[table])
                try:
                    for block in task:
                        # Of several errors the first in the text is told, as it would be on one core.
                        if min(list(errors), default=number) >= number:
                            self._tables[table].add(block)
                except Exception as error:
                    errors[number] = error
                part.stop = len(self._tables[table])

        with ThreadPoolExecutor(self._threads) as pool:
            for table in range(self._threads):
                pool.submit(work, table)
            try:
                for task in tasks:
                    self._parts.append(_Part(0, 0, 0))
                    waiting.put((len(self._parts) - 1, task))
                    if errors:
                        break
            finally:
                for _ in range(self._threads):
                    waiting.put(None)
        if errors:
            raise errors[min(errors)]


@dataclass
class _Part:
    """A part of the text, and which words of which table were first seen in it."""

    table: int
    start: int
    stop: int


def count_words(
    source: Source,
    *,
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] = (),
    num_threads: int | None = None,
) -> WordCounts:
    """Count the words of a text, of files, or of an iterable of texts.

    source : a str is text; a Path is a UTF-8 file; an iterable may mix both; a mapping from words to counts is taken
    as it is. pattern : a regular expression, the name of a known one, or None for no splitting. special_tokens : hard
    borders, not counted. num_threads : how many cores count, all unless said; the result is the same.

    Raises InvalidSource, InvalidPattern, UnusablePath.

    >>> count_words("the cat in the hat")[b" the"]
    1
    """
    if isinstance(source, WordCounts):
        return source
    if isinstance(source, Mapping):
        return WordCounts.from_mapping(source)
    splitter = Splitter(None if pattern is None else named_pattern(pattern))
    counter = WordCounter(splitter, special_tokens, num_threads=num_threads)
    counter.add_all(texts(source))
    return counter.counts()


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def special_texts(special_tokens: Iterable[str]) -> list[str]:
    """Return the special tokens, each once, in the order given. Raises InvalidSpecialToken."""
    if isinstance(special_tokens, str):
        raise InvalidSpecialToken(f"give a list of special tokens: [{special_tokens!r}]")
    specials = list(dict.fromkeys(special_tokens))
    if not all(isinstance(text, str) and text for text in specials):
        raise InvalidSpecialToken(f"special tokens must be non-empty str, got {specials!r}.")
    return specials


def texts(source: Source) -> Iterator[str]:
    """Yield the texts of a source: a str, a path, or an iterable of both. Raises InvalidSource, UnusablePath."""
    if isinstance(source, str):
        yield source
    elif isinstance(source, PathLike):
        data = read_whole(source)
        try:
            yield data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidSource(
                f"{Path(source)} is not UTF-8: byte {error.start} is {data[error.start]:#04x}.\n"
                "Read it with its own encoding and pass the text: path.read_text(encoding='latin-1')"
            ) from None
    elif isinstance(source, (bytes, bytearray)):
        raise InvalidSource("train on text, not bytes: data.decode('utf-8')")
    elif isinstance(source, Iterable):
        for part in source:
            if not isinstance(part, (str, PathLike)):
                raise InvalidSource(f"an iterable source must yield str or paths, got {type(part).__name__}.")
            yield from texts(part)
    else:
        raise InvalidSource(f"cannot train on {type(source).__name__}: give a str, a Path, or an iterable of them.")


def longer(array: np.ndarray, size: int, used: int) -> np.ndarray:
    """Return an array of ``size`` entries that begins with the first ``used`` ones of ``array``.

    >>> longer(np.array([1, 2, 3]), 4, 2)[:2].tolist()
    [1, 2]
    """
    made = np.empty(size, dtype=array.dtype)
    made[:used] = array[:used]
    return made
