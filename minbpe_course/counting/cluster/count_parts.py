"""Counting on a cluster: parts are counted where there is a worker, and neighbouring runs are merged where they lie.

parts       0 1 2   3 4   5   6  ...       neighbours together, fewer towards the end; a few times for each thread
runs        [---]   [-]   #   #            on the workers
merged      [-----------]   [---]          still there; ``neighbours`` says when
stored      [=======================]      here, in the order in which they are done: ``RunStore``
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
from typing import TYPE_CHECKING, Any, NamedTuple

from minbpe_course.corpus.parts import PARQUET
from minbpe_course.counting.cluster.merge_queue import Neighbours, Stretch
from minbpe_course.counting.cluster.tasks import Lost, Tasks

if TYPE_CHECKING:
    from minbpe_course.corpus.parts import Part
    from minbpe_course.counting.run_store import RunStore
    from minbpe_course.counting.spill_to_disk import CountingPlan

# Bytes of the corpus that are counted in one go at most. What neighbours have in common is then in one table, and need
# not be merged; a worker that dies loses no more than that.
_TOGETHER = 1 << 28
# Bytes from which a run comes here and is merged no more among the workers: a share of the plan's memory, within these.
_SMALLEST, _LARGEST = 1 << 20, 1 << 26

# Runs that are on their way here at most, while others are counted.
_BEHIND = 4


class PartsCounted(NamedTuple):
    """How far the workers are: parts, bytes of counted text, and words; again where they were lost."""

    parts: int
    bytes: int
    words: int


class Held(NamedTuple):
    """What a worker holds for some parts: their run, and a checksum of the text of each that is whole."""

    run: bytes
    checksums: dict[str, int]


class Counting:
    """The counting of parts: what is to be given out, what is out, and what waits for its neighbours."""

    def __init__(
        self,
        tasks: Tasks,
        parts: Sequence[Part],
        plan: CountingPlan,
        store: RunStore,
        progress: Callable[[PartsCounted], None] | None,
    ) -> None:
        self._tasks, self._parts, self._plan, self._store, self._progress = tasks, parts, plan, store, progress
        # Of a part that somebody has begun to count only the rest is missing, behind a mark.
        self._marks = dict(store.missing_parts(len(parts)))
        self._todo = deque(sorted(self._marks))
        self._left = sum(_weight(parts[number]) for number in self._todo)
        limit = max(_SMALLEST, min(plan.memory // 16, _LARGEST))
        self._waiting = Neighbours(
            self._todo,
            limit=limit,
            most=limit * max(4, 2 * tasks.threads),
            alone=[number for number, mark in self._marks.items() if mark],
        )
        self._counted = PartsCounted(0, store.length, 0)
        self._told = time.monotonic()
        # Checksums are for whoever comes back.
        self._checked = store.durable

    def run(self) -> None:
        """Count everything. What is finished when this raises is stored."""
        # Runs are fetched and stored by a thread of their own: nobody who could count waits for that.
        with ThreadPoolExecutor(1) as storing:
            stored: deque[Future[None]] = deque()
            try:
                while self._todo or self._tasks or self._waiting or stored:
                    try:
                        self._give_out()
                        stored.extend(storing.submit(self._store_run, stretch) for stretch in self._waiting.stores())
                        while stored and (stored[0].done() or len(stored) > _BEHIND or not self._tasks):
                            stored.popleft().result()
                        if self._tasks:
                            self._take(*self._tasks.next())
                    except Lost as lost:
                        self._again(lost)
            except BaseException:
                # What ended it is told; what cannot be kept after that is no news.
                with contextlib.suppress(Exception):
                    for stretch in self._worth_keeping():
                        storing.submit(self._store_run, stretch).result()
                raise

    def _give_out(self) -> None:
        """Have further parts counted, and neighbours merged."""
        tasks = self._tasks
        # Tasks are long, so none waits behind another: whoever is done first gets the next.
        while self._todo and tasks.room(1):
            numbers = self._next_parts()
            first, last = numbers[0], numbers[-1]
            parts = [self._part(number) for number in numbers]
            run = tasks.submit("count-words", _counted, parts, self._plan, self._marks[first], self._checked)
            tasks.ask("measure-counts", Stretch(first, last, 0, run), _measured, run, priority=3)
        self._waiting.expect(None if self._todo else len(tasks))
        for together in self._waiting.merges():
            first, last, age = together[0].first, together[-1].last, 1 + max(one.age for one in together)
            run = tasks.submit("merge-counts", _merged, [one.held for one in together], self._plan, priority=2)
            tasks.ask("measure-counts", Stretch(first, last, 0, run, age), _measured, run, priority=3)

    def _next_parts(self) -> list[int]:
        """The numbers of neighbours that are counted in one go: fewer the less is left, so that all end together.

        Guided self-scheduling (Polychronopoulos and Kuck, 1987): what is left, divided by the number of threads.
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
                # A part that was lost goes by itself, so that it is known which one kills its workers.
                or self._tasks.tried(number)
                or self._tasks.tried(numbers[0])
            ):
                break
            numbers.append(self._todo.popleft())
        self._left -= sum(_weight(self._parts[number]) for number in numbers)
        return numbers

    def _part(self, number: int) -> Part:
        """The part with a path that means the same in every folder: workers may have been started elsewhere."""
        part = self._parts[number]
        return replace(part, path=str(Path(part.path).absolute()))

    def _take(self, stretch: Stretch, future: Any) -> None:
        """Take note of a run that is there, on some worker."""
        size, length, words = self._tasks.result(stretch, future)
        self._waiting.add(replace(stretch, size=size))
        if stretch.age == 0:
            parts, all_bytes, all_words = self._counted
            parts += stretch.last - stretch.first + 1
            self._counted = PartsCounted(parts, all_bytes + length, all_words + words)
            if self._progress is not None and (time.monotonic() - self._told >= 1 or not self._todo):
                self._progress(self._counted)
                self._told = time.monotonic()

    def _worth_keeping(self) -> list[Stretch]:
        """What is finished and waits, but for parts of a file that could not be read: mended it may be another."""
        failed = self._tasks.failed
        unreadable = self._files(failed) if isinstance(failed, Stretch) else set()
        waiting = [stretch for stretch in self._waiting.waiting() if stretch.held.status == "finished"]
        return [stretch for stretch in waiting if not unreadable & self._files(stretch)]

    def _files(self, stretch: Stretch) -> set[str]:
        return {self._parts[number].path for number in range(stretch.first, stretch.last + 1)}

    def _store_run(self, stretch: Stretch) -> None:
        held = self._tasks.result(stretch, stretch.held)
        checksums = self._store.notes.get("parts", {}) | held.checksums
        self._store.add(held.run, stretch.first, stretch.last, after=self._marks[stretch.first], parts=checksums)

    def _again(self, lost: Lost) -> None:
        """Count again what is lost, and what else is no more where it was."""
        gone = [lost.item]
        for stretch in self._waiting.clear():
            if stretch.held.status in ("finished", "pending"):
                self._waiting.add(stretch)
            else:
                gone.append(stretch)
        for stretch in gone:
            numbers = range(stretch.first, stretch.last + 1)
            self._todo.extendleft(reversed(self._tasks.again(lost, numbers)))
            self._left += sum(_weight(self._parts[number]) for number in numbers)


def _weight(part: Part) -> int:
    """Bytes that are read for a part, or more."""
    return part.size if part.stop is None or part.kind == PARQUET else part.stop - part.start


def _counted(parts: list[Part], plan: CountingPlan, after: int, checked: bool) -> Held:
    from minbpe_course.counting.spill_to_disk import run_of_parts
    from minbpe_course.resources.memory import keep_buffers

    keep_buffers()
    checksums: dict[int, int] = {}
    run = run_of_parts(parts, plan, after=after, checksums=checksums if checked else None)
    return Held(run, {str(number): found for number, found in checksums.items()})


def _merged(together: list[Held], plan: CountingPlan) -> Held:
    from minbpe_course.counting.counts_file import merge_runs

    checksums = {number: found for held in together for number, found in held.checksums.items()}
    with TemporaryDirectory(prefix="minbpe-course-") as room:
        merge_runs([held.run for held in together], Path(room, "run"), memory=plan.memory, header=plan.header)
        return Held(Path(room, "run").read_bytes(), checksums)


def _measured(held: Held) -> tuple[int, int, int]:
    """Bytes of a run, bytes of the text that it covers, and how many words that has."""
    from minbpe_course.counting.counts_file.blocks import BlockReader

    with BlockReader(held.run) as reader:
        return len(held.run), reader.totals.bytes, reader.totals.occurrences
