"""``count_words`` with bounded memory, a checkpoint, or a cluster: the steps, and what happens when one fails.

    source  -->  texts  -->  runs in a folder  -->  a counts file  -->  WordCounts or CountsFile
        sources     spill_to_disk       run_store            counts_file
                    (here or on a cluster)

After each step, the folder has a state from which another process can continue.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from minbpe_course.counting.counts_file import CountsFile
from minbpe_course.counting.run_store import START, Place, RunStore
from minbpe_course.counting.sources import FilesSource, TextsSource, resumable
from minbpe_course.counting.spill_to_disk import CountingPlan, Given, RunCounter, counted_run, load_kernels
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import (
    CountingStopped,
    DifferentCheckpoint,
    FolderGiven,
    Interrupted,
    InvalidOption,
    MinbpeCourseError,
    MissingFile,
)
from minbpe_course.files import temporary_folder
from minbpe_course.resources import memory as amounts

# Seconds of counting that a killed process loses at most.
EVERY = 30.0


@dataclass(frozen=True)
class CountProgress:
    """How far counting is; printing it gives a readable line.

    bytes_done : of counted text. bytes_total : of the files as stored, so less if they are compressed; None if unknown.
    words : counted so far. distinct : distinct words in memory. runs : files waiting to be merged. part : the number of
    the current part, of ``parts``; for an iterable, of the current item.
    """

    bytes_done: int
    bytes_total: int | None
    words: int
    distinct: int
    runs: int
    part: int
    parts: int | None

    def __str__(self) -> str:
        part = f"part {self.part:,}" + ("" if self.parts is None else f" of {self.parts:,}")
        total = "" if self.bytes_total is None else f" of {self.bytes_total / 1e6:,.0f}"
        return f"{part}, {self.bytes_done / 1e6:,.0f}{total} MB, {self.words:,} words, {self.runs} runs"


def count_bounded(
    source: Any,
    pattern: str | None,
    special_tokens: list[str],
    *,
    threads: int = 1,
    memory: int | str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    engine: Any = None,
    min_frequency: int = 1,
    output: str | PathLike[str] | None = None,
    progress: Callable[[CountProgress], object] | None = None,
    every: float | None = None,
) -> WordCounts | CountsFile:
    """Count as ``count_words`` describes.

    every : seconds of counting that a killed process loses at most, by default EVERY.
    """
    budget = amounts.parsed(memory)
    check_output(output)
    plan = CountingPlan(pattern, tuple(special_tokens))
    # Load the kernels before measuring what the process takes by itself.
    load_kernels(plan)
    plan = replace(plan, memory=amounts.for_work(budget))
    reading = resumable(source, plan, kept=checkpoint is not None)
    if engine is not None and not isinstance(reading, FilesSource):
        raise InvalidOption("engine= counts files: give paths, patterns or a Corpus, which its workers can read too.")
    with (
        amounts.returned_early(plan.memory),
        _folder(checkpoint, output) as folder,
        RunStore(
            folder,
            header=plan.header,
            source=reading.description,
            memory=plan.memory,
            durable=checkpoint is not None,
            continues=reading.continues,
        ) as store,
    ):
        cuts = None if checkpoint is None else EVERY if every is None else every
        work = _Work(store, plan, reading, threads, cuts, progress)
        with _explained(store, checkpoint):
            if engine is None:
                work.count_here()
            else:
                work.count_on(engine)
            counts = store.finish(output, min_frequency)
            return counts if output is not None else counts.load()


class _Work:
    """A running count: counts what the store does not have yet, and reports progress."""

    def __init__(
        self,
        store: RunStore,
        plan: CountingPlan,
        reading: FilesSource | TextsSource,
        threads: int,
        every: float | None,
        progress: Callable[[CountProgress], object] | None,
    ) -> None:
        self.store = store
        self._plan, self._reading, self._progress = plan, reading, progress
        self._parts = len(reading.parts) if isinstance(reading, FilesSource) else None
        self.counter = RunCounter(store, plan, threads=threads, every=every, seen=self._report)

    def count_here(self) -> None:
        """Count what is missing, in threads of this process."""
        place = self.store.position
        while self._parts is None or place < (self._parts, 0):
            texts = self._reading.given(place, self.store.notes.get("checksum") if place > START else 0)
            self.counter.count(self._until_counted(texts, place), place, self._reading.checksums.note)
            stop = self.store.counted_from(place)
            if self._parts is None or stop == place:
                return
            place = stop

    def _until_counted(self, texts: Iterator[Given], place: Place) -> Iterator[Given]:
        """Yield the texts up to the next span that another process, or its workers, counted already."""
        starts = {span.start for span in self.store.spans if span.start > place}
        for given in texts:
            yield given
            if given.stop in starts:
                return

    def count_on(self, engine: Any) -> None:
        """Count what is missing on the workers of a cluster; the store receives each run as it is finished."""
        from minbpe_course.counting.cluster.dask_engine import run_parts

        assert isinstance(self._reading, FilesSource)
        store, words, told = self.store, 0, time.monotonic()
        tasks = list(self._reading.tasks(store.missing_parts(len(self._reading.parts))))
        for number, run in run_parts(engine, counted_run, tasks, self._plan, name="count-words"):
            parts, after = tasks[number]
            words += store.add(run, parts[0].number, parts[-1].number, after=after)
            if time.monotonic() - told >= 1:
                self._tell(store.length, words, 0, store.done_parts)
                told = time.monotonic()
        self._tell(store.length, words, 0, store.done_parts)

    def _report(self, counter: RunCounter) -> None:
        self._tell(counter.bytes_done, counter.words, counter.distinct, counter.place[0])

    def _tell(self, size: int, words: int, distinct: int, part: int) -> None:
        if self._progress is not None:
            total = self._reading.total
            self._progress(CountProgress(size, total, words, distinct, self.store.runs, part, self._parts))


def check_output(output: str | PathLike[str] | None) -> None:
    """Raise FolderGiven or MissingFile before hours of counting if nothing can be written to ``output``."""
    if output is None:
        return
    if Path(output).is_dir():
        raise FolderGiven(f"{output} is a folder; give the name of a file in it: {Path(output) / 'corpus.counts'}")
    if not Path(output).absolute().parent.is_dir():
        raise MissingFile(f"cannot write {output}: there is no folder {Path(output).parent}. Make it first.")


@contextlib.contextmanager
def _folder(checkpoint: str | PathLike[str] | None, output: str | PathLike[str] | None) -> Iterator[Path]:
    """Yield the folder for the runs: the checkpoint, or a temporary one, next to the output if there is one."""
    if checkpoint is not None:
        yield Path(checkpoint)
    elif output is not None:
        with temporary_folder(output) as folder:
            yield folder
    else:
        with TemporaryDirectory(prefix="minbpe-course-") as name:
            yield Path(name)


@contextlib.contextmanager
def _explained(store: RunStore, checkpoint: str | PathLike[str] | None) -> Iterator[None]:
    """Say after an error what is safe in the checkpoint, and how to continue."""
    try:
        yield
    except BaseException as error:
        if checkpoint is None or isinstance(error, DifferentCheckpoint):
            raise
        safe = f"{store.length:,} bytes of text are counted and safe in {checkpoint}."
        remedy = f"The same call continues from there: count_words(..., checkpoint={str(checkpoint)!r})"
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(f"interrupted. {safe}", remedy) from None
        if isinstance(error, (MinbpeCourseError, OSError, MemoryError)):
            why = str(error) or type(error).__name__
            raise CountingStopped(f"{why}\n{safe}", remedy) from error
        raise
