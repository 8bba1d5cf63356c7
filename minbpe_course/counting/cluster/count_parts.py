"""Counting on a cluster: workers count parts and merge adjacent runs, and only large runs are sent here.

parts       0 1 2   3 4   5   6  ...       consecutive parts in one task, fewer towards the end
runs        [---]   [-]   #   #            on the workers
merged      [-----------]   [---]          still there; ``MergeQueue`` decides when
stored      [=======================]      here, in the order in which they are finished: ``RunStore``
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from minbpe_course.corpus.parts import PARQUET, Part
from minbpe_course.counting.cluster import dask_engine
from minbpe_course.counting.cluster.dask_engine import PATIENCE, Lost, Tasks
from minbpe_course.counting.cluster.merge_queue import MergeQueue, Result
from minbpe_course.counting.counts_file import merge_runs
from minbpe_course.counting.counts_file.blocks import BlockReader
from minbpe_course.counting.run_store import RunStore
from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts
from minbpe_course.resources.memory import keep_buffers

# Bytes of the corpus in one task at most. More need fewer merges, but a worker that dies loses them.
_TOGETHER = 1 << 28
# Bytes from which a run is sent here and no longer merged on the workers: a share of the memory, within these limits.
_SMALLEST, _LARGEST = 1 << 20, 1 << 26
# Runs on their way here at most, while others are counted.
_STORING = 4


class Held(NamedTuple):
    """A result on a worker: a run, and the checksum of each part that it has from the beginning."""

    run: bytes
    checksums: dict[str, int]


def count_parts(
    engine: Any,
    parts: Sequence[Part],
    plan: CountingPlan,
    store: RunStore,
    progress: Callable[[int, int], None] | None = None,
    *,
    patience: float = PATIENCE,
) -> None:
    """Count all parts that ``store`` does not have yet, and store their runs.

    How much may wait on the workers depends on the memory of the plan, not on the corpus. progress : called with the
    bytes of counted text and the words so far, including repeated work.

    Raises what counting raises, such as InvalidSource with file and byte, and ClusterProblem, WrongOptionType,
    MissingPackage; runs that are stored by then stay stored.
    """
    with dask_engine.client_of(engine) as client, Tasks(client, patience) as tasks:
        Counting(tasks, parts, plan, store, progress).run()


class Counting:
    """The state of a count: parts to submit, tasks of the cluster, and runs that wait to be merged."""

    def __init__(
        self,
        tasks: Tasks,
        parts: Sequence[Part],
        plan: CountingPlan,
        store: RunStore,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._tasks, self._parts, self._plan, self._store, self._progress = tasks, parts, plan, store, progress
        # The mark in each missing part where its uncounted rest begins.
        self._marks = dict(store.missing_parts(len(parts)))
        self._todo = deque(sorted(self._marks))
        self._left = sum(_weight(parts[number]) for number in self._todo)
        limit = max(_SMALLEST, min(plan.memory // 16, _LARGEST))
        self._waiting = MergeQueue(
            self._todo,
            limit=limit,
            most=limit * max(4, 2 * tasks.threads),
            alone=[number for number, mark in self._marks.items() if mark],
        )
        self._bytes, self._words = store.length, 0
        self._told = time.monotonic()

    def run(self) -> None:
        """Count everything. After an error, finished runs are stored."""
        # One thread fetches and stores runs, so that the workers never wait for that.
        with ThreadPoolExecutor(1) as storing:
            stored: deque[Future[None]] = deque()
            try:
                while self._todo or self._tasks or self._waiting or stored:
                    try:
                        self._submit()
                        stored.extend(storing.submit(self._store_run, result) for result in self._waiting.stores())
                        while stored and (stored[0].done() or len(stored) > _STORING or not self._tasks):
                            stored.popleft().result()
                        if self._tasks:
                            self._take(*self._tasks.next())
                    except Lost as lost:
                        self._again(lost)
            except BaseException:
                # Report the first error; ignore errors while saving partial results.
                with contextlib.suppress(Exception):
                    for result in self._worth_storing():
                        storing.submit(self._store_run, result).result()
                raise

    def _submit(self) -> None:
        """Submit further parts, and merges of adjacent runs."""
        tasks = self._tasks
        # One task per thread is enough, since tasks are long: the first thread that is free gets the next one.
        while self._todo and tasks.room(1):
            numbers = self._next_parts()
            parts = [self._part(number) for number in numbers]
            run = tasks.submit("count-words", _counted, parts, self._plan, self._marks[numbers[0]], self._store.durable)
            tasks.ask("measure-counts", Result(numbers[0], numbers[-1], 0, run), _measured, run, priority=3)
        self._waiting.expect(None if self._todo else len(tasks))
        for together in self._waiting.merges():
            first, last, age = together[0].first, together[-1].last, 1 + max(one.age for one in together)
            run = tasks.submit("merge-counts", _merged, [one.held for one in together], self._plan, priority=2)
            tasks.ask("measure-counts", Result(first, last, 0, run, age), _measured, run, priority=3)

    def _next_parts(self) -> list[int]:
        """Return the consecutive parts of the next task: fewer the less is left, so that all threads end together.

        Guided self-scheduling (Polychronopoulos and Kuck, 1987): the rest, divided by the number of threads.
        """
        room = min(_TOGETHER, self._left // self._tasks.threads)
        numbers: list[int] = []
        while self._todo:
            number = self._todo[0]
            room -= _weight(self._parts[number])
            if numbers and (
                room < 0
                or number != numbers[-1] + 1
                or self._marks[number]
                # A part that was lost is submitted alone, to find out which one kills its workers.
                or self._tasks.tried(number)
                or self._tasks.tried(numbers[0])
            ):
                break
            numbers.append(self._todo.popleft())
        self._left -= sum(_weight(self._parts[number]) for number in numbers)
        return numbers

    def _part(self, number: int) -> Part:
        """Return a part with an absolute path, since workers may have another working directory."""
        part = self._parts[number]
        return replace(part, path=str(Path(part.path).absolute()))

    def _take(self, result: Result, future: Any) -> None:
        """Add a run that a worker has finished to those that wait."""
        size, length, words = self._tasks.result(result, future)
        self._waiting.add(replace(result, size=size))
        if result.age == 0:
            self._bytes += length
            self._words += words
            if self._progress is not None and (time.monotonic() - self._told >= 1 or not self._todo):
                self._progress(self._bytes, self._words)
                self._told = time.monotonic()

    def _worth_storing(self) -> list[Result]:
        """Return the finished results, except those for an unreadable file: once repaired, it may be different."""
        failed = self._tasks.failed
        unreadable = self._files(failed) if isinstance(failed, Result) else set()
        waiting = [result for result in self._waiting.waiting() if result.held.status == "finished"]
        return [result for result in waiting if not unreadable & self._files(result)]

    def _files(self, result: Result) -> set[str]:
        return {self._parts[number].path for number in range(result.first, result.last + 1)}

    def _store_run(self, result: Result) -> None:
        held = self._tasks.result(result, result.held)
        checksums = self._store.notes.get("parts", {}) | held.checksums
        self._store.add(held.run, result.first, result.last, after=self._marks[result.first], parts=checksums)

    def _again(self, lost: Lost) -> None:
        """Queue the parts again whose results are lost."""
        gone = [lost.item]
        for result in self._waiting.clear():
            if result.held.status in ("finished", "pending"):
                self._waiting.add(result)
            else:
                gone.append(result)
        for result in gone:
            numbers = range(result.first, result.last + 1)
            self._todo.extendleft(reversed(self._tasks.again(lost, numbers)))
            self._left += sum(_weight(self._parts[number]) for number in numbers)


def _weight(part: Part) -> int:
    """Return the bytes that are read for a part, or more."""
    return part.size if part.stop is None or part.kind == PARQUET else part.stop - part.start


# ---- On the workers


def _counted(parts: list[Part], plan: CountingPlan, after: int, checked: bool) -> Held:
    keep_buffers()
    checksums: dict[int, int] = {}
    run = run_of_parts(parts, plan, after=after, checksums=checksums if checked else None)
    return Held(run, {str(number): found for number, found in checksums.items()})


def _merged(together: list[Held], plan: CountingPlan) -> Held:
    checksums = {number: found for held in together for number, found in held.checksums.items()}
    with TemporaryDirectory(prefix="minbpe-course-") as folder:
        run = Path(folder, "run")
        merge_runs([held.run for held in together], run, memory=plan.memory, header=plan.header)
        return Held(run.read_bytes(), checksums)


def _measured(held: Held) -> tuple[int, int, int]:
    """Return the bytes of a run, the bytes of text that it counts, and how many words these are."""
    with BlockReader(held.run) as reader:
        return len(held.run), reader.totals.bytes, reader.totals.occurrences
