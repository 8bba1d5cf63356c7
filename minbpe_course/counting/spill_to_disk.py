"""Counting in bounded memory: full tables go to disk as sorted runs, which are merged at the end.

    texts  -->  tasks  -->  tables, one for each thread  -->  sorted runs  -->  one counts file
          this thread  queue           when any is full: a cut        at the end: merged

A *cut* is a place in the source: the runs of the store have everything before it and nothing after it. ``RunCounter``
makes one when a table is nearly full, and every few seconds. A table that is full in the middle of a task is written at
once by its thread; that run becomes valid at the next cut. First places are counted from the last cut, so threads need
not know what the other tables contain.
"""

from __future__ import annotations

import contextlib
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from minbpe_course.corpus.reading import Part, read_part
from minbpe_course.counting.counts_file import Header, run_bytes
from minbpe_course.counting.run_store import START, Place, RunStore
from minbpe_course.counting.word_counter import TableThreads
from minbpe_course.counting.word_table import WordTable
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.splitting.blocks import blocks
from minbpe_course.splitting.boundaries import Cutter
from minbpe_course.splitting.splitter import Splitter, must_be_text
from minbpe_course.text.special_places import Finder

# The share of the memory that tables get; texts that wait and their UTF-8 get the rest.
_TABLES = 0.75
# A thread is not worth it with a smaller table, in bytes.
_LEAST_TABLE = 4_000_000
# Words that a table has room for at first.
_PLACES = 1 << 13
# Characters of a block: few enough for the cache, and enough to make a call worthwhile.
_LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 18, 1 << 13


@dataclass(frozen=True)
class CountingPlan:
    """How to count, in this process or on a worker; it can be pickled.

    pattern : a regular expression, or None for no splitting. special_tokens : hard borders, not counted. memory :
    bytes for tables and buffers.
    """

    pattern: str | None
    special_tokens: tuple[str, ...] = ()
    memory: int = 1 << 28

    @cached_property
    def header(self) -> Header:
        """The header of the counts file."""
        return Header(self.pattern, self.special_tokens)

    @cached_property
    def splitter(self) -> Splitter:
        """Splits texts into words."""
        return Splitter(self.pattern)

    @cached_property
    def cutter(self) -> Cutter:
        """Cuts a corpus into parts and pieces."""
        return Cutter(self.pattern, self.special_tokens)

    @cached_property
    def border(self) -> Finder:
        """Finds what no word may span."""
        return Finder(self.special_tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        return CountingPlan, (self.pattern, self.special_tokens, self.memory)


class Given(NamedTuple):
    """A text to count, and the place in the source where it ends; None where no cut is possible."""

    text: str
    stop: Place | None


# ---- One run, in memory


def run_of_parts(parts: Iterable[Part], plan: CountingPlan, after: int = 0) -> bytes:
    """Return the counts of consecutive parts of a corpus as a run: the bytes of a counts file.

    after : the mark in the first part where counting begins; first places are counted from there. The result depends
    only on the text and the plan. Raises what reading and counting raise.
    """

    def pieces() -> Iterator[str]:
        mark = after
        for part in parts:
            yield from (piece.text for piece in read_part(part, plan.cutter, after=mark))
            mark = 0

    return count_texts(pieces(), plan)


def counted_run(task: tuple[Sequence[Part], int], plan: CountingPlan) -> bytes:
    """Call ``run_of_parts`` on a worker of a cluster."""
    return run_of_parts(task[0], plan, after=task[1])


def checksum(text: str, before: int = 0) -> int:
    """Return the crc32 of a text's UTF-8, continuing from the checksum ``before``."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), before)


def count_texts(texts: Iterable[str], plan: CountingPlan) -> bytes:
    """Return the counts of texts as a run, in bounded memory. Raises what counting raises."""
    given = (Given(text, (number, 0)) for number, text in enumerate(texts, start=1))
    with (
        TemporaryDirectory(prefix="minbpe-course-") as folder,
        RunStore(folder, header=plan.header, source={}, memory=plan.memory, durable=False) as store,
    ):
        RunCounter(store, plan).count(given, START)
        return store.finish().path.read_bytes()


def load_kernels(plan: CountingPlan) -> None:
    """Load the kernels of counting."""
    table = WordTable(plan.splitter, words=_PLACES)
    for units, _ in _units([Given("a word", None)], plan, _SMALLEST_BLOCK):
        for unit in units:
            table.add(unit)
    run_bytes(table.take(), header=plan.header)


# ---- Many runs, in a store


class RunCounter:
    """Count texts in threads into the runs of a store.

    every : the most seconds between two cuts, or None to cut only when tables are full. seen : called with the counter
    about once a second, and at the end. After an error or Ctrl-C, what was counted is kept.

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
        # Most patterns without places run on ``regex``, which holds the interpreter lock.
        threads = 1 if plan.splitter.cut_places is None else max(1, min(threads, room // _LEAST_TABLE))
        self._store, self._plan, self._every, self._seen = store, plan, every, seen
        self._block = _block_size(plan.memory, threads)
        self._tables = [WordTable(plan.splitter, words=_PLACES, ceiling=room // threads) for _ in range(threads)]
        self._start = START
        self._notes: Callable[[Place], dict[str, Any]] = lambda _: {}
        # The bytes since the last cut, and the last place at which a cut is possible; whether that is the end of them.
        self._length, self.place, self._can_cut = 0, START, False
        self._names: list[str] = []
        self._words = 0
        self._lock = threading.Lock()
        self._full = threading.Event()

    @property
    def bytes_done(self) -> int:
        """Bytes of text that threads have counted, or are counting."""
        return self._store.length + self._length

    @property
    def distinct(self) -> int:
        """Distinct words in the tables."""
        return sum(map(len, self._tables))

    @property
    def words(self) -> int:
        """Words counted by this process."""
        return self._words + sum(table.occurrences() for table in self._tables)

    def count(
        self, texts: Iterable[Given], start: Place, notes: Callable[[Place], dict[str, Any]] | None = None
    ) -> None:
        """Count consecutive texts, of which the first begins at ``start``, and make a cut after the last.

        notes : returns what the journal records with a cut. Raises what reading, counting and writing raise.
        """
        self._start, self.place, self._notes = start, start, notes or self._notes
        waiting = len(self._tables)
        try:
            with TableThreads(self._tables, waiting=waiting, full=self._spill, counted=self._task_counted) as threads:
                self._give_out(texts, threads)
        except BaseException:
            # The threads have counted by now what they were given.
            if self._can_cut and not threads.failed:
                with contextlib.suppress(MinbpeCourseError, OSError, MemoryError):
                    self._cut()
            raise
        threads.raise_error()
        self._cut()
        if self._seen is not None:
            self._seen(self)

    def _give_out(self, texts: Iterable[Given], threads: TableThreads) -> None:
        place, cut_at, seen_at = 0, time.monotonic(), time.monotonic()
        for units, stop in _units(texts, self._plan, self._block):
            task = list(units)
            size = sum(unit.size() for unit in task)
            # Ctrl-C usually comes during this wait.
            threads.wait_for_room()
            self._can_cut = False
            threads.give(task, place)
            place += size
            self._length, self.place = place, stop or self.place
            self._can_cut = stop is not None
            if threads.failed:
                return
            now = time.monotonic()
            late = self._every is not None and now - cut_at >= self._every
            if stop is not None and (late or self._full.is_set()):
                threads.join()
                threads.raise_error()
                self._cut()
                place, cut_at = 0, time.monotonic()
            if self._seen is not None and now - seen_at >= 1:
                self._seen(self)
                seen_at = now

    def _task_counted(self, table: WordTable) -> None:
        if table.nearly_full():
            self._full.set()

    def _spill(self, table: WordTable) -> None:
        """Write the words of a table as a run that the next cut makes valid."""
        rows = table.take()
        name = self._store.write(rows)
        with self._lock:
            self._names.append(name)
            self._words += int(rows.counts.sum())
        self._full.set()

    def _cut(self) -> None:
        """Write all tables and make the written runs valid, while no thread counts."""
        self._can_cut = False
        for table in self._tables:
            if len(table):
                self._spill(table)
        self._store.commit(sorted(self._names), self._start, self.place, self._length, **self._notes(self.place))
        self._names, self._length, self._start = [], 0, self.place
        self._full.clear()


def _block_size(memory: int, threads: int) -> int:
    """Return the characters of a block: waiting blocks and their UTF-8 have four bytes per character each."""
    tasks = 3 * threads + 2
    return min(_LARGEST_BLOCK, max(_SMALLEST_BLOCK, int((1 - _TABLES) * memory / 2 / 4 / tasks)))


def _units(texts: Iterable[Given], plan: CountingPlan, block: int) -> Iterator[tuple[Iterable[Any], Place | None]]:
    """Yield what ``WordTable.add`` counts, about ``block`` characters at a time, and the place where it ends."""
    cuts = plan.splitter.cut_places
    if cuts is None:
        yield from _units_of_words(texts, plan)
        return
    gathered: list[str] = []
    length = 0
    stop: Place | None = None
    for text, end in texts:
        must_be_text(text)
        if gathered and length + len(text) > block:
            yield blocks(gathered, cuts, plan.border, block), stop
            gathered, length = [], 0
        gathered.append(text)
        length += len(text)
        stop = end
    if gathered:
        yield blocks(gathered, cuts, plan.border, block), stop


def _units_of_words(texts: Iterable[Given], plan: CountingPlan) -> Iterator[tuple[Iterable[Any], Place | None]]:
    """Yield the same for a pattern without cut places."""
    for text, stop in texts:
        must_be_text(text)
        for begin, end in plan.border.between(text):
            for run in plan.splitter.runs(text[begin:end]):
                yield [run], None
        yield [], stop
