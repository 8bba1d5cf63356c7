"""Counting in threads: each thread has its own table, and the order of the words does not depend on the threads.

    text  -->  blocks  -->  tasks  -->  a table for each thread  -->  one table, in the order first seen

Each thread takes the tasks in the order of the text. So the first places in its table ascend, and for each task one
table has all words that were first seen in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from queue import Queue
from threading import Semaphore, Thread
from typing import TypeAlias

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.errors import InvalidSpecialToken
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.blocks import TextBlock, blocks
from minbpe_course.splitting.splitter import Splitter, Words, must_be_text
from minbpe_course.text.special_places import Finder

# Blocks in a task: a million characters.
_TASK = 4

Units: TypeAlias = "Sequence[TextBlock | Words]"


class TableThreads:
    """A thread for each table; all of them take tasks from one queue. Use it in a ``with``.

    waiting : how many tasks may wait, so that memory stays bounded. full : takes the words of a table that is full,
    called by its thread. counted : called by the thread after each task.
    """

    def __init__(
        self,
        tables: Sequence[WordTable],
        *,
        waiting: int,
        full: Callable[[WordTable], object] | None = None,
        counted: Callable[[WordTable], object] | None = None,
    ) -> None:
        self._tables, self._full, self._counted = tables, full, counted
        self._waiting: Queue[tuple[int, Units, int] | None] = Queue()
        self._room = Semaphore(waiting)
        self._tasks = 0
        self._errors: dict[int, BaseException] = {}

    def __enter__(self) -> TableThreads:
        # Python does not wait for daemons when it exits: a signal in __exit__ may leave some of them waiting for work.
        self._threads = [Thread(target=self._work, args=(table,), daemon=True) for table in self._tables]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    @property
    def failed(self) -> bool:
        """Whether a task has failed."""
        return bool(self._errors)

    def wait_for_room(self) -> None:
        """Wait until there is room for a task."""
        with self._room:
            pass

    def give(self, units: Units, place: int) -> None:
        """Queue a task, waiting for room; ``place`` : how many bytes of counted text come before it."""
        self._room.acquire()
        self._waiting.put((self._tasks, units, place))
        self._tasks += 1

    def join(self) -> None:
        """Wait until all tasks are done."""
        self._waiting.join()

    def raise_error(self) -> None:
        """Raise the error of the earliest task that failed, the one that a single thread would have met."""
        if self._errors:
            raise self._errors[min(self._errors)]

    def _work(self, table: WordTable) -> None:
        while (task := self._waiting.get()) is not None:
            self._room.release()
            number, units, place = task
            try:
                for unit in units:
                    # Tasks after one that failed are skipped.
                    if min(list(self._errors), default=number) < number:
                        break
                    table.add(unit, place, self._full)
                    place += table.size
                else:
                    if self._counted is not None:
                        self._counted(table)
            except BaseException as error:
                self._errors[number] = error
            finally:
                self._waiting.task_done()


class WordCounter:
    """Count words in memory as texts come in: ``add`` texts, then take the ``counts``.

    special_tokens : hard borders between words, not counted. num_threads : how many cores count, by default all; the
    result is the same. Patterns without cut places are counted on one core: most run on ``regex``, which holds the
    interpreter lock.

    >>> counter = WordCounter(Splitter(None))
    >>> counter.add_all(["low", "lower", "low"])
    >>> dict(counter.counts())
    {b'low': 2, b'lower': 1}
    """

    def __init__(
        self, splitter: Splitter, special_tokens: Iterable[str] = (), *, num_threads: int | None = None
    ) -> None:
        self._splitter = splitter
        self._border = Finder(special_tokens)
        self._threads = threads_of(num_threads)
        self._tables = [WordTable(splitter)]
        # Bytes of counted text so far, and where each task begins.
        self._place = 0
        self._begins = [0]

    def add(self, text: str) -> None:
        """Count the words of one text. Raises NotText, InvalidText, InvalidPattern."""
        self.add_all([text])

    def add_all(self, texts: Iterable[str]) -> None:
        """Count the words of several texts; no word spans two of them. Raises as ``add`` does."""
        if len(self._tables) > 1:
            self._begins.append(self._place)
        cuts = self._splitter.cut_places
        if cuts is None:
            for text in map(must_be_text, texts):
                for start, stop in self._border.between(text):
                    for run in self._splitter.runs(text[start:stop]):
                        self._count_here(run)
            return
        parts = blocks(map(must_be_text, texts), cuts, self._border)
        if self._threads > 1:
            # Starting threads is not worth it for a single task.
            first = list(islice(parts, _TASK))
            following = list(islice(parts, 1))
            parts = chain(first, following, parts)
            if following:
                self._count_in_threads(parts)
                return
        for part in parts:
            self._count_here(part)

    def counts(self) -> WordCounts:
        """Return what has been counted so far."""
        if len(self._tables) == 1:
            return WordCounts(*self._tables[0].arrays())
        joined = WordTable(self._splitter, words=sum(map(len, self._tables)))
        tables = [(table, table.entries(), table.firsts()) for table in self._tables]
        begins = [*self._begins, self._place]
        cuts = [np.searchsorted(firsts, begins).tolist() for _, _, firsts in tables]
        for number in range(len(begins) - 1):
            for (table, entries, _), cut in zip(tables, cuts):
                if cut[number] < cut[number + 1]:
                    joined.add_words(table, entries, cut[number], cut[number + 1])
        return WordCounts(*joined.arrays())

    def _count_here(self, unit: Words | TextBlock) -> None:
        """Count on this thread, in the first table."""
        self._tables[0].add(unit, self._place)
        self._place += self._tables[0].size

    def _count_in_threads(self, parts: Iterable[TextBlock]) -> None:
        """Count in threads while this thread reads, no faster than they count."""
        self._tables += [WordTable(self._splitter) for _ in range(self._threads - len(self._tables))]
        parts = iter(parts)
        with TableThreads(self._tables, waiting=2 * self._threads) as threads:
            while task := list(islice(parts, _TASK)):
                self._begins.append(self._place)
                threads.give(task, self._place)
                self._place += sum(block.size() for block in task)
                if threads.failed:
                    break
        threads.raise_error()


def special_texts(special_tokens: Iterable[str]) -> list[str]:
    """Return the special tokens, each once, in the order given. Raises InvalidSpecialToken."""
    if isinstance(special_tokens, str):
        raise InvalidSpecialToken(f"give a list of special tokens: [{special_tokens!r}]")
    specials = list(dict.fromkeys(special_tokens))
    if not all(isinstance(text, str) and text for text in specials):
        raise InvalidSpecialToken(f"special tokens must be non-empty str, got {specials!r}.")
    return specials
