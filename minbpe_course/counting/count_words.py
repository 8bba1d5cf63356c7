"""Word counts: all that training needs to know about a text.

The text is split into words, each distinct word is kept once with its count, and the text can then be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from queue import Queue
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.word_counts import WordCounts as WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidSpecialToken, WrongOptionType
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.blocks import Stretches, blocks
from minbpe_course.splitting.words import Splitter, Words, must_be_text
from minbpe_course.text.patterns import named_pattern

if TYPE_CHECKING:
    from minbpe_course.counting.bounded import CountProgress
    from minbpe_course.counting.counts_file import CountsFile

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
        self._threads = threads_of(num_threads)
        self._tables = [WordTable(splitter)]
        # Bytes of all words so far, which is the place of the next one.
        self._place = 0
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
        self._tables[0].add(run_or_block, self._place)
        self._place += self._tables[0].size
        self._parts[-1].stop = len(self._tables[0])

    def _count_side_by_side(self, tasks: Iterator[list[Stretches]]) -> None:
        """Count in threads. This one reads, and no faster than they count, so that memory stays bounded.

        Each thread has a table of its own and takes tasks in the order of the text. So what a table has first seen in
        a part of the text is no older than what it has first seen in the parts before.
        """
        while len(self._tables) < self._threads:
            self._tables.append(WordTable(self._splitter))
        waiting: Queue[tuple[int, int, list[Stretches]] | None] = Queue(2 * self._threads)
        errors: dict[int, Exception] = {}

        def work(table: int) -> None:
            while (taken := waiting.get()) is not None:
                number, place, task = taken
                part = self._parts[number]
                part.table, part.start = table, len(self._tables[table])
                try:
                    for block in task:
                        # Of several errors the first in the text is told, as it would be on one core.
                        if min(list(errors), default=number) >= number:
                            self._tables[table].add(block, place)
                            place += self._tables[table].size
                except Exception as error:
                    errors[number] = error
                part.stop = len(self._tables[table])

        with ThreadPoolExecutor(self._threads) as pool:
            for table in range(self._threads):
                pool.submit(work, table)
            try:
                for task in tasks:
                    self._parts.append(_Part(0, 0, 0))
                    waiting.put((len(self._parts) - 1, self._place, task))
                    self._place += sum(block.size() for block in task)
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


@overload
def count_words(
    source: Source,
    *,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    num_threads: int | None = ...,
    memory: int | str | None = ...,
    checkpoint: str | PathLike[str] | None = ...,
    engine: Any = ...,
    min_frequency: int = ...,
    output: None = ...,
    progress: Callable[[CountProgress], object] | None = ...,
) -> WordCounts: ...


@overload
def count_words(
    source: Source,
    *,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    num_threads: int | None = ...,
    memory: int | str | None = ...,
    checkpoint: str | PathLike[str] | None = ...,
    engine: Any = ...,
    min_frequency: int = ...,
    output: str | PathLike[str],
    progress: Callable[[CountProgress], object] | None = ...,
) -> CountsFile: ...


def count_words(
    source: Source,
    *,
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] = (),
    num_threads: int | None = None,
    memory: int | str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    engine: Any = None,
    min_frequency: int = 1,
    output: str | PathLike[str] | None = None,
    progress: Callable[[CountProgress], object] | None = None,
) -> WordCounts | CountsFile:
    """Count the words of a text, of files, or of an iterable of texts; of more than the memory holds, if need be.

    source : a str is text; a Path is a UTF-8 file, compressed or not; an iterable may mix both; a Corpus says more
    about files. A mapping from words to counts, or a counts file, is taken as it is. pattern : a regular expression,
    the name of a known one, or None for no splitting. special_tokens : hard borders, not counted. num_threads : how
    many cores count, all unless said; the result is the same.

    memory : bytes, or a str such as "64MB", that the process should stay below; what does not fit goes to disk for a
    while. None: as much as there are distinct words, unless one of the next three is given. checkpoint : a folder for
    the state of the work. However it ended, the same call goes on from there. engine : a Dask client whose workers
    count. output : a file for the counts; then it is returned as a CountsFile.

    min_frequency : rarer words are left out, and ``dropped`` says how many. progress : called with a CountProgress
    about once a second and at the end; ``print`` will do.

    Warns with TextNamesFiles when a str names an existing file. Raises InvalidSource, InvalidPattern, InvalidOption,
    UnusablePath; with a checkpoint CountingStopped, which says how
    to go on, DifferentCheckpoint, UnreadableCheckpoint, FolderInUse; of an engine ClusterProblem, MissingPackage.

    >>> count_words("the cat in the hat")[b" the"]
    1
    """
    if isinstance(min_frequency, bool) or not isinstance(min_frequency, (int, np.integer)):
        raise WrongOptionType(f"min_frequency must be a whole number, got {min_frequency!r}.")
    if min_frequency < 1:
        raise InvalidOption(f"min_frequency must be 1 or more, got {min_frequency}.")
    if isinstance(source, (Mapping, PathLike)):
        from minbpe_course.counting.bounded import from_counts

        known = from_counts(source, output, int(min_frequency))
        if known is not None:
            return known
    warn_if_path(source)
    splitter = Splitter(None if pattern is None else named_pattern(pattern))
    if all(option is None for option in (memory, checkpoint, engine, output, progress)):
        counter = WordCounter(splitter, special_tokens, num_threads=num_threads)
        counter.add_all(texts(source, splitter.pattern, special_tokens))
        return counter.counts().pruned(min_frequency)
    from minbpe_course.counting.bounded import count_bounded

    return count_bounded(
        source,
        splitter.pattern,
        special_texts(special_tokens),
        threads=threads_of(num_threads),
        memory=memory,
        checkpoint=checkpoint,
        engine=engine,
        min_frequency=int(min_frequency),
        output=output,
        progress=progress,
    )


def special_texts(special_tokens: Iterable[str]) -> list[str]:
    """Return the special tokens, each once, in the order given. Raises InvalidSpecialToken."""
    if isinstance(special_tokens, str):
        raise InvalidSpecialToken(f"give a list of special tokens: [{special_tokens!r}]")
    specials = list(dict.fromkeys(special_tokens))
    if not all(isinstance(text, str) and text for text in specials):
        raise InvalidSpecialToken(f"special tokens must be non-empty str, got {specials!r}.")
    return specials


def texts(source: Source, pattern: str | None = None, special_tokens: Iterable[str] = ()) -> Iterator[str]:
    """Yield the texts of a source: a str, a path, a corpus, or an iterable of them.

    Files come in pieces of whole words, as pattern and special tokens cut them. Raises InvalidSource, UnusablePath.
    """
    if isinstance(source, str):
        yield source
        return
    from minbpe_course.corpus.reading import Corpus, as_corpus, read_part
    from minbpe_course.counting.resumable_sources import PART
    from minbpe_course.splitting.boundaries import Cutter

    if isinstance(source, (PathLike, Corpus)):
        corpus = as_corpus(source)
        assert corpus is not None
        cutter = Cutter(pattern, special_texts(special_tokens))
        for part in corpus.parts(cutter, PART):
            for piece in read_part(part, cutter):
                yield piece.text
    elif isinstance(source, (bytes, bytearray)):
        raise InvalidSource("train on text, not bytes: data.decode('utf-8')")
    elif isinstance(source, Iterable):
        for item in source:
            if not isinstance(item, (str, PathLike)):
                raise InvalidSource(f"an iterable source must yield str or paths, got {type(item).__name__}.")
            yield from texts(item, pattern, special_tokens)
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
