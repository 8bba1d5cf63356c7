"""``count_words`` for what is larger than memory, than patience, or than one machine.

    source  -->  parts  -->  runs in a folder  -->  a counts file  -->  what was asked for

Each step leaves the folder in a state from which the next process can go on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from minbpe_course.counting.counts_file import CountsFile, prune_counts, write_counts
from minbpe_course.counting.counts_file.layout import SIGNATURE
from minbpe_course.counting.mapped_counts import loaded
from minbpe_course.counting.resumable_sources import FilesSource, TextsSource, cleaning_of, source_of
from minbpe_course.counting.run_store import START, Place, RunStore
from minbpe_course.counting.spill_to_disk import EVERY, CountingPlan, RunCounter, count_texts
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
from minbpe_course.files import workshop
from minbpe_course.resources import memory as amounts


@dataclass(frozen=True)
class CountProgress:
    """How far counting is.

    bytes_done : of counted text. bytes_total : of the files as they lie on disk, which are smaller where they are
    compressed; None where nobody knows. words : counted so far. distinct : different ones in memory. runs : files on
    disk that are waiting to be merged. part : of ``parts``, which is being counted; of an iterable, which item.

    Printing it gives a line for people.
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
    threads: int,
    memory: int | str | None,
    checkpoint: str | PathLike[str] | None,
    engine: Any,
    min_frequency: int,
    output: str | PathLike[str] | None,
    progress: Callable[[CountProgress], object] | None,
    every: float | None = None,
) -> WordCounts | CountsFile:
    """Do what ``count_words`` says.

    every : seconds of counting that are lost at most when the process is killed, EVERY unless said.
    """
    every = EVERY if every is None else every
    budget = amounts.parsed(memory)
    _check_output(output)
    plan = CountingPlan(pattern, tuple(special_tokens), cleaning_of(source))
    # The kernels are loaded before it is seen what the process takes by itself.
    count_texts(["a word"], plan)
    plan = CountingPlan(plan.pattern, plan.special_tokens, plan.cleaning, amounts.for_work(budget))
    reading = source_of(source, plan, kept=checkpoint is not None)
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
        work = _Work(store, plan, reading, threads, every if checkpoint is not None else None, progress)
        with _told(work, checkpoint):
            if engine is None:
                work.count_here()
            else:
                work.count_on(engine)
            made = store.finish(output, min_frequency)
            return made if output is not None else loaded(made, plan.memory // 2)


def from_counts(source: Any, output: str | PathLike[str] | None, min_frequency: int) -> WordCounts | CountsFile | None:
    """Return what ``count_words`` returns for a source that is counts; None for one whose words are to be counted."""
    if isinstance(source, PathLike) and is_counts_file(source):
        source = CountsFile(source)
    if isinstance(source, CountsFile):
        if output is not None:
            _check_output(output)
            return prune_counts(source.path, output, min_frequency)
        return source.load().pruned(min_frequency)
    if not isinstance(source, Mapping):
        return None
    source = source if isinstance(source, WordCounts) else WordCounts.from_mapping(source)
    if output is None:
        return source.pruned(min_frequency)
    _check_output(output)
    made = write_counts(source, output)
    return made if min_frequency == 1 else prune_counts(output, output, min_frequency)


def is_counts_file(path: str | PathLike[str]) -> bool:
    """Whether a file begins as a counts file does, of whatever version.

    >>> is_counts_file("there is no such file")
    False
    """
    try:
        # What is read of a pipe is gone.
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return file.read(len(SIGNATURE) - 1) == SIGNATURE[:-1]
    except (OSError, ValueError):
        return False


class _Work:
    """One count, on its way."""

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
        self._counter = RunCounter(store, plan, threads=threads, every=every, seen=self._seen)

    def count_here(self) -> None:
        """Count what is missing, in threads of this process."""
        place = self.store.position
        while self._parts is None or place < (self._parts, 0):
            texts = self._reading.given(place, self.store.notes.get("checksum") if place > START else 0)
            following = self._until_counted(texts, place)
            self._counter.count(following, place, self._reading.places.note)
            behind = self.store.counted_from(place)
            if self._parts is None or behind == place:
                return
            place = behind

    def _until_counted(self, texts: Iterator[Any], place: Place) -> Iterator[Any]:
        """The texts up to what another process, or its workers, have counted already."""
        starts = {stretch.start for stretch in self.store.stretches if stretch.start > place}
        for given in texts:
            yield given
            if given.stop in starts:
                return

    def count_on(self, engine: Any) -> None:
        """Count what is missing on the workers of a cluster."""
        from minbpe_course.counting.cluster.dask_engine import count_parts

        assert isinstance(self._reading, FilesSource)
        count_parts(engine, self._reading.parts, self._plan, self.store, self._counted_elsewhere)

    def save(self) -> None:
        """Keep what is counted, as far as it can be kept."""
        self._counter.save()

    def _seen(self, counter: RunCounter) -> None:
        if self._progress is not None:
            self._progress(
                CountProgress(
                    counter.bytes_done,
                    self._reading.total,
                    counter.words,
                    counter.distinct,
                    self.store.runs,
                    counter.place[0],
                    self._parts,
                )
            )

    def _counted_elsewhere(self, counted: Any) -> None:
        if self._progress is not None:
            done = len(self.store.done_parts)
            self._progress(
                CountProgress(counted.bytes, self._reading.total, counted.words, 0, self.store.runs, done, self._parts)
            )


def _check_output(output: str | PathLike[str] | None) -> None:
    """Say now, and not after hours, that nothing can be written there."""
    if output is None:
        return
    if Path(output).is_dir():
        raise FolderGiven(f"{output} is a folder; give the name of a file in it: {Path(output) / 'corpus.counts'}")
    if not Path(output).absolute().parent.is_dir():
        raise MissingFile(f"cannot write {output}: there is no folder {Path(output).parent}. Make it first.")


@contextlib.contextmanager
def _folder(checkpoint: str | PathLike[str] | None, output: str | PathLike[str] | None) -> Iterator[Path]:
    """The folder of the runs: the one that is named, or one that is gone afterwards."""
    if checkpoint is not None:
        yield Path(checkpoint)
    elif output is not None:
        with workshop(output) as room:
            yield room
    else:
        with TemporaryDirectory(prefix="minbpe-course-") as made:
            yield Path(made)


@contextlib.contextmanager
def _told(work: _Work, checkpoint: str | PathLike[str] | None) -> Iterator[None]:
    """Whatever ends the work: keep what is counted, and say what is safe and how to go on."""
    try:
        yield
    except BaseException as problem:
        if checkpoint is None or isinstance(problem, DifferentCheckpoint):
            raise
        with contextlib.suppress(MinbpeCourseError, OSError, MemoryError):
            work.save()
        safe = (
            f"{work.store.length:,} bytes of text are counted and safe in {checkpoint}. The same call goes on from "
            f"there: count_words(..., checkpoint={str(checkpoint)!r})"
        )
        if isinstance(problem, KeyboardInterrupt):
            raise Interrupted(f"interrupted. {safe}") from None
        if isinstance(problem, (MinbpeCourseError, OSError, MemoryError)):
            why = str(problem) or type(problem).__name__
            raise CountingStopped(f"{why}\n{safe}") from problem
        raise
