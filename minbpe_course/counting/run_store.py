"""A folder of sorted runs and a journal of what they are: the state of a count, which survives the end of the process.

    work/
        source-9f86d0.json   what is counted and how: another source is not continued by mistake
        journal.json         which runs there are, from where to where in the source, how many bytes of counted text
        run-000001.counts    a counts file each
        lock                 who works here

    (0, 0)  --- runs 1, 2 ---  (0, 81920)  --- run 3 ---  (2, 0)          (4, 0)  --- run 4 ---  (5, 0)
                                                               not counted

A place in the source is a pair: the number of a part, and a mark within it. First places in a run are counted from
where its stretch begins; what is added to them is known when all before it is counted. So runs may come in any order.

Every change writes the runs first, beside their place, and then the journal, which is renamed whole. What a process
that was killed has left beside is removed by the next one; files of others are left alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.counting.counts_file import CountsFile, Header, merge_runs, open_counts, prune_counts, write_run
from minbpe_course.counting.differences import different
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.counting.word_table import Taken
from minbpe_course.errors import DifferentCheckpoint, FolderGiven, UnreadableCheckpoint, UnusablePath
from minbpe_course.files import left_beside, read_whole, write_whole, written_beside

Place = tuple[int, int]
START: Place = (0, 0)

# So many files of neighbouring stretches become one: few files, and each word is written few times.
FAN_IN = 24

_FORM, _VERSION = "minbpe_course checkpoint of counting", 1
_OURS = re.compile(r"run-[0-9]{6,}\.counts|source-[0-9a-f]{16}\.json")
# What ``files`` leaves beside its place when the process is killed.
_LEFT_OVER = re.compile(r"\.(?:run-[0-9]{6,}\.counts|journal\.json|source-[0-9a-f]{16}\.json)\.[0-9a-f]{12}\.part")


class Stretch(NamedTuple):
    """A counted stretch of the source: from where to where, how many bytes of counted text, in which files.

    level : how many times it was merged.
    """

    start: Place
    stop: Place
    length: int
    files: tuple[str, ...]
    level: int = 0


class RunStore:
    """The runs of a count in a folder, which is made when it is not there.

    header : how the text is cut into words. source : what JSON can hold about the source, to know it again. memory :
    bytes that merging may take. durable : whether all of it is to survive this process. continues : says of another
    source, what is counted of it and the notes whether this one may go on from there.

    Raises DifferentCheckpoint, FolderInUse, UnreadableCheckpoint, UnusablePath.

    >>> import tempfile
    >>> from minbpe_course.counting.spill_to_disk import CountingPlan, count_texts
    >>> plan = CountingPlan(r"\\S+|\\s", memory=16_000_000)
    >>> with RunStore(tempfile.mkdtemp(), header=plan.header, source={"kind": "example"}) as store:
    ...     store.add(count_texts(["low low"], plan), 0, 0)
    ...     store.add(count_texts([" lower"], plan), 1, 1)
    ...     dict(store.finish())
    {b' ': 2, b'low': 2, b'lower': 1}
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        header: Header,
        source: Mapping[str, Any],
        memory: int = 1 << 26,
        durable: bool = True,
        continues: Callable[[Any, list[tuple[Place, Place]], dict[str, Any]], bool] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.header = header
        self.memory = memory
        self.stretches: list[Stretch] = []
        # What whoever counts wants to find again beside the runs.
        self.notes: dict[str, Any] = {}
        self.durable, self._continues = durable, continues
        self._next, self._naming = 1, threading.Lock()
        self._outputs: dict[str, str] = {}
        self._source = ""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise UnusablePath(f"{self.folder} is a file; the state of a count is a folder.") from None
        except OSError as error:
            raise UnusablePath(f"cannot make the folder {self.folder}: {error.strerror}.") from error
        self._lock = FolderLock(self.folder)
        try:
            self._open({"header": _plain(header), "source": dict(source)})
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.release()

    # ---- What is there

    @property
    def length(self) -> int:
        """Bytes of text that are counted and safe."""
        return sum(stretch.length for stretch in self.stretches)

    @property
    def runs(self) -> int:
        """How many files the counts are in."""
        return sum(len(stretch.files) for stretch in self.stretches)

    def counted_from(self, place: Place) -> Place:
        """Return up to where the source is counted without a gap from ``place`` on; ``place`` itself if it is not."""
        for start, stop in self._spans():
            if start <= place < stop:
                return stop
        return place

    @property
    def position(self) -> Place:
        """Up to where the source is counted without a gap."""
        return self.counted_from(START)

    @property
    def done_parts(self) -> set[int]:
        """The numbers of the parts that are counted from beginning to end."""
        return {part for start, stop in self._spans() for part in range(start[0] + (start[1] > 0), stop[0])}

    def missing_parts(self, number: int) -> list[Place]:
        """Return what of ``number`` parts is not counted: the part, and the mark behind which it is not.

        A part of which the beginning is counted has a mark above 0.
        """
        done = self.done_parts
        begun = {stop[0]: stop for _, stop in self._spans() if stop[1]}
        return [begun.get(part, (part, 0)) for part in range(number) if part not in done]

    def _spans(self) -> list[tuple[Place, Place]]:
        """What is counted, neighbours put together."""
        spans: list[tuple[Place, Place]] = []
        for stretch in self.stretches:
            if spans and spans[-1][1] == stretch.start:
                spans[-1] = spans[-1][0], stretch.stop
            else:
                spans.append((stretch.start, stretch.stop))
        return spans

    # ---- What comes in

    def write(self, taken: Taken, length: int) -> str:
        """Write a run and return its name. It counts for nothing before ``commit``."""
        name = self._name()
        write_run(self.folder / name, *taken, length=length, header=self.header)
        return name

    def commit(self, names: Sequence[str], start: Place, stop: Place, length: int, **notes: Any) -> None:
        """Let the runs count for the source from ``start`` to ``stop``; afterwards they are safe.

        length : bytes of counted text of all runs together, whose first places begin at 0 at ``start``. notes : what
        ``notes`` of the store is to say from then on.
        """
        if stop > start:
            self._write_journal([*self.stretches, Stretch(start, stop, length, tuple(names))], notes)
            self._merge_neighbours()

    def add(self, run: bytes, first_part: int, last_part: int, *, after: int = 0, **notes: Any) -> None:
        """Take the run of whole parts, ``first_part`` to ``last_part``, as ``run_of_parts`` made it.

        after : the mark within the first part, behind which it is counted. notes : as ``commit`` takes them.
        """
        name = self._name()
        write_whole(self.folder / name, run)
        length = open_counts(self.folder / name).bytes
        self.commit([name], (first_part, after), (last_part + 1, 0), length, **notes)

    # ---- What comes out

    def finish(self, output: str | os.PathLike[str] | None = None, min_frequency: int = 1) -> CountsFile:
        """Merge all runs and write the counts to ``output``, or leave them in the folder.

        min_frequency : rarer words are not written; the store keeps them. What was finished before is not done again.
        Raises UnusablePath.
        """
        if output is not None and Path(output).is_dir():
            raise FolderGiven(f"{output} is a folder; give the name of a file in it: {Path(output) / 'corpus.counts'}")
        if not self.durable and output is not None and self.runs:
            return self._merged(self.stretches, Path(output), min_frequency)
        if self.runs != 1:
            name = self._name()
            if self.runs:
                self._merged(self.stretches, self.folder / name)
            else:
                write_run(self.folder / name, *_nothing(), length=0, header=self.header)
            last = max((stretch.stop for stretch in self.stretches), default=START)
            self._replace(self.stretches, Stretch(START, last, self.length, (name,), 1 << 20))
        (whole,) = (self.folder / name for stretch in self.stretches for name in stretch.files)
        if output is None and min_frequency == 1:
            return open_counts(whole)
        place = Path(output) if output is not None else self.folder / f"at-least-{min_frequency}.counts"
        with contextlib.suppress(Exception):
            if place.exists() and open_counts(place).sha256 == self._outputs.get(str(min_frequency)):
                return open_counts(place)
        self._begin_output(place)
        made = self._copied(whole, place) if min_frequency == 1 else prune_counts(whole, place, min_frequency)
        self._outputs[str(min_frequency)] = made.sha256
        self._write_journal(self.stretches, {})
        return made

    def _begin_output(self, place: Path) -> None:
        """Note which file is written, and take away what the last process left there if it was killed writing it."""
        name = os.path.abspath(place)  # noqa: PTH100
        if self.notes.get("output") == name:
            for path in left_beside(place):
                with contextlib.suppress(OSError):
                    path.unlink()
        self._write_journal(self.stretches, {"output": name})

    def _copied(self, whole: Path, place: Path) -> CountsFile:
        open_counts(whole).check()
        with whole.open("rb") as source, written_beside(place) as file:
            shutil.copyfileobj(source, file, 1 << 20)
        return open_counts(place)

    # ---- Inside

    def _name(self) -> str:
        with self._naming:
            self._next += 1
            return f"run-{self._next - 1:06}.counts"

    def _open(self, said: dict[str, Any]) -> None:
        """Read the journal, or begin one; clear away what an earlier process did not finish."""
        journal = self.folder / "journal.json"
        packed = json.dumps(said, sort_keys=True, indent=0).encode("ascii")
        if not journal.exists():
            self._tidy()
            self._write_source(packed)
            self._write_journal([], {})
            return
        try:
            there = json.loads(read_whole(journal))
            if there["form"] != _FORM or there["version"] != _VERSION:
                raise ValueError("it is of another program or version")
            if there.pop("sha256") != _sealed(there):
                raise ValueError("its checksum is wrong")
            self.stretches = [
                Stretch(tuple(each[0]), tuple(each[1]), int(each[2]), tuple(each[3]), int(each[4]))
                for each in there["stretches"]
            ]
            self._source, self._next = str(there["source"]), int(there["next"])
            self._outputs, self.notes = dict(there["outputs"]), dict(there["notes"])
            known = read_whole(self.folder / self._source)
            if self._source != _source_name(known):
                raise ValueError(f"{self._source} was changed")
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, FileNotFoundError) as error:
            raise UnreadableCheckpoint(
                f"{journal} is not the journal of a count, or is damaged: {error}.\n"
                f"Delete the folder {self.folder} to count from the beginning, or name another: checkpoint='another'"
            ) from None
        if known != packed:
            before, now = json.loads(known), json.loads(packed)
            if before["header"] != now["header"] or not (
                self._continues and self._continues(before["source"], self._spans(), self.notes)
            ):
                raise DifferentCheckpoint(different(self.folder, before, now))
            self._write_source(packed)
            self._write_journal(self.stretches, {})
        for stretch in self.stretches:
            for name in stretch.files:
                if not (self.folder / name).exists():
                    raise UnreadableCheckpoint(
                        f"{self.folder / name} is missing, and with it the counts of {stretch.length:,} bytes.\n"
                        f"Bring it back, or delete the folder {self.folder} to count from the beginning."
                    )
        self._tidy()

    def _tidy(self) -> None:
        """Remove runs that the journal does not know, and what was never renamed; nothing else is ours."""
        known = {self._source, *(name for stretch in self.stretches for name in stretch.files)}
        for path in self.folder.iterdir():
            if (_OURS.fullmatch(path.name) and path.name not in known) or _LEFT_OVER.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _write_source(self, packed: bytes) -> None:
        self._source = _source_name(packed)
        write_whole(self.folder / self._source, packed)

    def _write_journal(self, stretches: Iterable[Stretch], notes: Mapping[str, Any]) -> None:
        stretches = sorted(stretches)
        notes = self.notes | dict(notes)
        said = {
            "form": _FORM,
            "version": _VERSION,
            "source": self._source,
            "stretches": stretches,
            "next": self._next,
            "outputs": self._outputs,
            "notes": notes,
        }
        if self.durable:
            said["sha256"] = _sealed(said)
            write_whole(self.folder / "journal.json", json.dumps(said, sort_keys=True).encode("ascii"))
            _sync(self.folder)
        self.stretches, self.notes = stretches, dict(notes)

    def _merge_neighbours(self) -> None:
        """Make one run of many neighbouring ones that were merged equally often."""
        group: list[Stretch] = []
        for stretch in [*self.stretches, None]:
            if group and (stretch is None or stretch.start != group[-1].stop or stretch.level != group[-1].level):
                if sum(len(each.files) for each in group) >= FAN_IN:
                    break
                group = []
            if stretch is not None:
                group.append(stretch)
        else:
            return
        name = self._name()
        self._merged(group, self.folder / name)
        length = sum(each.length for each in group)
        self._replace(group, Stretch(group[0].start, group[-1].stop, length, (name,), group[0].level + 1))

    def _merged(self, stretches: Sequence[Stretch], output: Path, min_frequency: int = 1) -> CountsFile:
        before = [0, *accumulate(stretch.length for stretch in stretches)]
        files = [(name, shift) for stretch, shift in zip(stretches, before) for name in stretch.files]
        return merge_runs(
            [self.folder / name for name, _ in files],
            output,
            shifts=[shift for _, shift in files],
            min_frequency=min_frequency,
            memory=self.memory,
            header=self.header,
        )

    def _replace(self, old: Sequence[Stretch], new: Stretch) -> None:
        gone = set(old)
        self._write_journal([*(each for each in self.stretches if each not in gone), new], {})
        for stretch in gone:
            for name in stretch.files:
                with contextlib.suppress(OSError):
                    (self.folder / name).unlink()


def _sealed(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode("ascii")).hexdigest()


def _source_name(packed: bytes) -> str:
    return f"source-{hashlib.sha256(packed).hexdigest()[:16]}.json"


def _plain(header: Header) -> dict[str, Any]:
    return {"pattern": header.pattern, "special_tokens": header.special_tokens, "cleaning": header.cleaning}


def _nothing() -> Taken:
    import numpy as np

    return Taken(np.empty(0, dtype=np.uint8), *(np.empty(0, dtype=np.int64) for _ in range(3)))


def _sync(folder: Path) -> None:
    """Let the names in a folder survive a power cut, where the system can."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
