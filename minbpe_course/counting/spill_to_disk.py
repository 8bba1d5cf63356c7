"""Counting in bounded memory: when the tables are full their words go to disk as sorted runs, and counting goes on.

    text    --->  blocks  --->  tables, one for each thread  --->  sorted runs  --->  one counts file
            reader        queue         all of them full:  a cut        all counted: merged

A *cut* is a place in the source with everything before it in the runs of the store, and nothing behind it. It is made
when a table is nearly full, and now and then. A table that is full in the middle of a block is written at once, by the
thread that it belongs to; its run counts from the next cut on. Each word's first place is counted from the cut before
it, so nobody needs to know what is in the other tables.
"""

from __future__ import annotations

import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.counting.counts_file import Header, merge_runs, run_bytes
from minbpe_course.counting.run_store import START, Place, RunStore
from minbpe_course.counting.word_table import WordTable
from minbpe_course.splitting.blocks import Stretches, blocks
from minbpe_course.splitting.words import Splitter, Words, must_be_text

__all__ = ["START", "CountingPlan", "Place", "RunCounter", "RunStore", "checksum", "count_texts", "run_of_parts"]

# Seconds of counting that a killed process may lose, unless said.
EVERY = 30.0

# Of the memory, tables get three quarters; texts on their way and their UTF-8 the rest.
_TABLES = 0.75
# A thread whose table has less is not worth it.
_LEAST_TABLE = 4_000_000
# Words that a table has room for at first.
_PLACES = 1 << 13
# Characters of a block: no more than fit the cache, no fewer than make a call worth it.
_LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 18, 1 << 13


@dataclass(frozen=True)
class CountingPlan:
    """How to count, for whoever does it wherever: it can be pickled.

    pattern : a regular expression, or None for no splitting. special_tokens : hard borders, not counted. cleaning : the
    names of the filters that texts went through. memory : bytes that tables and buffers may take.

    >>> CountingPlan(None).header.pattern is None
    True
    """

    pattern: str | None
    special_tokens: tuple[str, ...] = ()
    cleaning: tuple[str, ...] = ()
    memory: int = 1 << 28

    @cached_property
    def header(self) -> Header:
        """What stands in the header of the counts file."""
        return Header(self.pattern, self.special_tokens, self.cleaning)

    @cached_property
    def splitter(self) -> Splitter:
        """What cuts the texts into words."""
        return Splitter(self.pattern)

    @cached_property
    def cutter(self) -> Any:
        """What cuts a corpus into parts and pieces."""
        from minbpe_course.splitting.boundaries import Cutter

        return Cutter(self.pattern, self.special_tokens)

    @cached_property
    def border(self) -> re.Pattern[str] | None:
        """What no word may reach over; the longest special token is meant where several begin."""
        names = sorted(self.special_tokens, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, names))) if names else None

    def __reduce__(self) -> tuple[Any, ...]:
        return CountingPlan, (self.pattern, self.special_tokens, self.cleaning, self.memory)


class Given(NamedTuple):
    """A text to be counted, and where in the source its end is; None where no cut may be.

    >>> Given("low", (1, 0)).stop
    (1, 0)
    """

    text: str
    stop: Place | None


class Task(NamedTuple):
    """What a thread counts in one go, each with its bytes of counted text; all of these; the place behind it."""

    units: list[tuple[Stretches | Words, int]]
    size: int
    stop: Place | None


def run_of_parts(
    parts: Iterable[Any], plan: CountingPlan, after: int = 0, *, checksums: dict[int, int] | None = None
) -> bytes:
    """Return the counts of parts of a corpus, which follow each other, as a run: the bytes of a counts file.

    after : a mark within the first part, behind which it is counted. First places are counted from there. checksums :
    gets that of the text of each part that is counted from its beginning, by the number of the part. The result depends
    on nothing but the text and the plan. Raises what reading and counting raise.
    """
    from minbpe_course.corpus.reading import read_part

    def pieces() -> Iterator[str]:
        mark = after
        for part in parts:
            found = 0
            for piece in read_part(part, plan.cutter, after=mark):
                if checksums is not None:
                    found = checksum(piece.text, found)
                yield piece.text
            if checksums is not None and not mark:
                checksums[part.number] = found
            mark = 0

    return count_texts(pieces(), plan)


def checksum(text: str, before: int = 0) -> int:
    """Return the crc32 of a text's UTF-8 behind what has the checksum ``before``.

    >>> checksum("lower", checksum("low ")) == checksum("low lower")
    True
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), before)


def count_texts(texts: Iterable[str], plan: CountingPlan) -> bytes:
    """Return the counts of texts as a run, in bounded memory. Raises what counting raises.

    >>> run = count_texts(["low low", "lower"], CountingPlan(None, memory=16_000_000))
    >>> len(run) == len(count_texts(["low low", "lower"], CountingPlan(None)))
    True
    """
    table = WordTable(plan.splitter, words=_PLACES, ceiling=int(_TABLES * plan.memory))
    with TemporaryDirectory(prefix="minbpe-course-") as room:
        runs: list[Path] = []

        def packed() -> bytes:
            words = table.take()
            length = int((np.diff(words.ends, prepend=0) * words.counts).sum())
            return run_bytes(*words, length=length, header=plan.header)

        def spill() -> None:
            runs.append(Path(room, f"{len(runs)}.counts"))
            runs[-1].write_bytes(packed())

        place = 0
        for units, _ in _units((Given(text, None) for text in texts), plan, _block_size(plan.memory, 1)):
            for unit in units:
                done = table.add(unit, place)
                while not done:
                    spill()
                    done = table.go_on()
                place += table.size
        if not runs:
            return packed()
        spill()
        whole = Path(room, "all.counts")
        merge_runs(runs, whole, shifts=[0] * len(runs), memory=plan.memory, header=plan.header)
        return whole.read_bytes()


class RunCounter:
    """Counts texts in threads into the runs of a store.

    start : where in the source the texts begin. every : seconds between two cuts at most, None for none but those that
    full tables make. After an error ``save`` keeps what is whole; the store stays as it was at the last cut otherwise.

    >>> import tempfile
    >>> plan = CountingPlan(None, memory=16_000_000)
    >>> with RunStore(tempfile.mkdtemp(), header=plan.header, source={}) as store:
    ...     counter = RunCounter(store, plan, threads=2)
    ...     counter.count([Given("low", (1, 0)), Given("lower", (2, 0))], START)
    ...     store.position, dict(store.finish())
    ((2, 0), {b'low': 1, b'lower': 1})
    """

    def __init__(
        self,
        store: RunStore,
        plan: CountingPlan,
        *,
        threads: int = 1,
        every: float | None = None,
        seen: Callable[[RunCounter], object] | None = None,
    ) -> None:
        room = int(_TABLES * plan.memory)
        # The regex library keeps all other threads waiting.
        threads = 1 if plan.splitter.family is None else max(1, min(threads, room // _LEAST_TABLE))
        self._store, self._plan, self._every, self._seen = store, plan, every, seen
        self._block = _block_size(plan.memory, threads)
        self._tables = [WordTable(plan.splitter, words=_PLACES, ceiling=room // threads) for _ in range(threads)]
        self._start = START
        self._notes: Callable[[Place], dict[str, Any]] = _nothing_noted
        # Tasks since the last cut: what was given out, without its text, and how many of them are counted.
        self._given: list[Task] = []
        self._counted = 0
        self._names: list[str] = []
        self._words = 0
        self._several = threading.Lock()
        self._full = threading.Event()
        self._broken: BaseException | None = None

    @property
    def bytes_done(self) -> int:
        """Bytes of counted text, those among them that are in no run yet."""
        return self._store.length + sum(task.size for task in self._given[: self._counted])

    @property
    def distinct(self) -> int:
        """Distinct words in the tables."""
        return sum(map(len, self._tables))

    @property
    def words(self) -> int:
        """Words counted, those of this process only."""
        return self._words + sum(table.occurrences() for table in self._tables)

    @property
    def place(self) -> Place:
        """Behind what was given out last."""
        return next((task.stop for task in reversed(self._given) if task.stop is not None), self._start)

    def count(
        self, texts: Iterable[Given], start: Place, notes: Callable[[Place], dict[str, Any]] | None = None
    ) -> None:
        """Count all texts, which follow each other from ``start`` on, and make a cut behind the last.

        notes : what is to be written to the journal with a cut. Raises what reading, counting and writing raise.
        """
        self._start, self._notes = start, notes or _nothing_noted
        waiting: Queue[tuple[Task, int] | None] = Queue(len(self._tables))
        with ThreadPoolExecutor(len(self._tables)) as pool:
            for table in self._tables:
                pool.submit(self._work, table, waiting)
            try:
                self._give_out(texts, waiting)
            finally:
                for _ in self._tables:
                    waiting.put(None)
        self._raise()
        self._cut()
        if self._seen is not None:
            self._seen(self)  # whoever watches hears of the end, too

    def save(self) -> None:
        """After an error: make a cut behind the last task that was counted, where that can be done."""
        # The threads have ended, and whatever was given out is counted. A last task may not have been given out.
        del self._given[self._counted :]
        if self._broken is None and self._given and self._given[-1].stop is not None:
            self._cut()

    def _give_out(self, texts: Iterable[Given], waiting: Queue[tuple[Task, int] | None]) -> None:
        place, cut_at, seen_at = 0, time.monotonic(), time.monotonic()
        for task in _tasks(texts, self._plan, self._block):
            # Noted first: after Ctrl-C between the two it is found that nobody has counted it. Without its text, which
            # would stay in memory until the next cut.
            self._given.append(task._replace(units=[]))
            waiting.put((task, place))
            place += task.size
            if self._broken is not None:
                return
            now = time.monotonic()
            late = self._every is not None and now - cut_at >= self._every
            if task.stop is not None and (late or self._full.is_set()):
                waiting.join()
                self._raise()
                self._cut()
                place, cut_at = 0, time.monotonic()
            if self._seen is not None and now - seen_at >= 1:
                self._seen(self)
                seen_at = now
        waiting.join()

    def _work(self, table: WordTable, waiting: Queue[tuple[Task, int] | None]) -> None:
        """What each thread does: count, and write its own table where it is full."""
        while (taken := waiting.get()) is not None:
            task, place = taken
            try:
                if self._broken is None:
                    for unit, size in task.units:
                        done = table.add(unit, place)
                        while not done:
                            self._spill(table)
                            done = table.go_on()
                        place += size
                    if table.nearly_full():
                        self._full.set()
                    with self._several:
                        self._counted += 1
            except BaseException as error:
                self._broken = self._broken or error
            finally:
                waiting.task_done()

    def _spill(self, table: WordTable) -> None:
        words = table.take()
        length = int((np.diff(words.ends, prepend=0) * words.counts).sum())
        name = self._store.write(words, length)
        with self._several:
            self._names.append(name)
            self._words += int(words.counts.sum())
        self._full.set()

    def _cut(self) -> None:
        """Write all tables, and let what was written count. Nobody else is at work."""
        if not self._given:
            return
        stop = self._given[-1].stop
        assert stop is not None
        # Whoever is interrupted from here on has tables and runs that do not belong together.
        self._broken = InterruptedError("between a table and its run")
        for table in self._tables:
            if len(table):
                self._spill(table)
        length = sum(task.size for task in self._given)
        self._store.commit(sorted(self._names), self._start, stop, length, **self._notes(stop))
        self._names, self._given, self._counted, self._start = [], [], 0, stop
        self._full.clear()
        self._broken = None

    def _raise(self) -> None:
        if self._broken is not None:
            raise self._broken


def _nothing_noted(_: Place) -> dict[str, Any]:
    return {}


def _block_size(memory: int, threads: int) -> int:
    """Characters of a block: those on their way have four bytes each, and so has the room for their UTF-8."""
    tasks = 3 * threads + 2
    return min(_LARGEST_BLOCK, max(_SMALLEST_BLOCK, int((1 - _TABLES) * memory / 2 / 4 / tasks)))


def _tasks(texts: Iterable[Given], plan: CountingPlan, block: int) -> Iterator[Task]:
    """What threads count in one go: how long all before it is must be known before that is counted."""
    for units, stop in _units(texts, plan, block):
        sized = [(unit, unit.size()) for unit in units]
        yield Task(sized, sum(size for _, size in sized), stop)


def _units(
    texts: Iterable[Given], plan: CountingPlan, block: int
) -> Iterator[tuple[Iterable[Stretches | Words], Place | None]]:
    """Gather short texts, so that each time there are about ``block`` characters, and cut longer ones into blocks."""
    if plan.splitter.family is None:
        yield from _units_of_words(texts, plan)
        return
    gathered: list[str] = []
    length = 0
    stop: Place | None = None
    for text, behind in texts:
        must_be_text(text)
        if gathered and length + len(text) > block:
            yield blocks(gathered, plan.border, block), stop
            gathered, length = [], 0
        gathered.append(text)
        length += len(text)
        stop = behind
    if gathered:
        yield blocks(gathered, plan.border, block), stop


def _units_of_words(
    texts: Iterable[Given], plan: CountingPlan
) -> Iterator[tuple[Iterable[Stretches | Words], Place | None]]:
    """The same for a pattern that only ``regex`` can run: it looks as far ahead as it likes, so a text stays whole."""
    for text, stop in texts:
        must_be_text(text)
        parts = plan.border.split(text) if plan.border else (text,)
        for run in chain.from_iterable(plan.splitter.runs(part) for part in parts):
            yield [run], None
        yield [], stop
