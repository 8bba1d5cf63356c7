"""A folder of sorted runs with a journal: the state of a count, from which another process can continue.

    work/
        source-9f86d0.json   what is counted and how, so that no other source is continued by mistake
        journal.json         for each run: its place in the source, and how many bytes of text it counts
        run-000001.counts    runs, each a counts file
        lock                 which process works here

    (0, 0)  --- runs 1, 2 ---  (0, 81920)  --- run 3 ---  (2, 0)          (4, 0)  --- run 4 ---  (5, 0)
                                                               not counted

A place in the source is a pair: the number of a part, and a mark within it. First places in a run are counted from the
beginning of its span; merging adds the length of everything before. So runs may arrive in any order.

Every change writes the runs first and then the journal, each to a temporary name that is renamed when complete. The
next process deletes what a killed one left over, and leaves files that are not its own alone.
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

import numpy as np

from minbpe_course.counting.counts_file import CountsFile, Header, merge_runs, open_counts, prune_counts, write_run
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.counting.word_counts import Rows
from minbpe_course.errors import DifferentCheckpoint, UnreadableCheckpoint, UnusablePath
from minbpe_course.files import atomic_file, read_whole, remove_abandoned, write_whole

Place = tuple[int, int]
START: Place = (0, 0)

# Runs of adjacent spans that are merged into one: this keeps files few, and writes each word few times.
FAN_IN = 24

_FORM, _VERSION = "minbpe_course checkpoint of counting", 3
_RUN, _SOURCE = re.compile(r"run-[0-9]{6,}\.counts"), re.compile(r"source-[0-9a-f]{16}\.json")
_OURS = re.compile(f"{_RUN.pattern}|{_SOURCE.pattern}")
# Temporary names of ``files`` that a killed process leaves behind.
_LEFT_OVER = re.compile(r"\.(?:run-[0-9]{6,}\.counts|journal\.json|source-[0-9a-f]{16}\.json)\.[0-9a-f]{12}\.part")
# Differences that an error message lists at most.
_MOST_LISTED = 10


class Span(NamedTuple):
    """A counted span of the source: its begin and end, its bytes of counted text, and the names of its runs.

    level : how many times it was merged.
    """

    start: Place
    stop: Place
    length: int
    files: tuple[str, ...]
    level: int = 0


class RunStore:
    """The runs of a count in a folder, which is made if it is missing.

    header : how the text is split. source : a description of the source for JSON, to recognise it again. memory : bytes
    for merging. durable : whether the state must survive this process. continues : decides whether this source may
    continue another one, given its description, its counted spans and the notes.

    Raises DifferentCheckpoint, FolderInUse, UnreadableCheckpoint, UnusablePath.

    >>> import tempfile
    >>> from minbpe_course.counting.spill_to_disk import CountingPlan, count_texts
    >>> plan = CountingPlan(r"\\S+|\\s", memory=16_000_000)
    >>> with RunStore(tempfile.mkdtemp(), header=plan.header, source={"kind": "example"}) as store:
    ...     store.add(count_texts(["low low"], plan), 0, 0), store.add(count_texts([" lower"], plan), 1, 1)
    ...     dict(store.finish())
    (3, 2)
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
        self.spans: list[Span] = []
        # Recorded by the counter in the journal, such as checksums.
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
        """Release the folder."""
        self._lock.release()

    # ---- State

    @property
    def length(self) -> int:
        """Bytes of text that are counted and stored."""
        return sum(span.length for span in self.spans)

    @property
    def runs(self) -> int:
        """How many run files there are."""
        return sum(len(span.files) for span in self.spans)

    def counted_from(self, place: Place) -> Place:
        """Return where the first gap after ``place`` begins: ``place`` itself if the source is not counted there."""
        for start, stop in self._counted():
            if start <= place < stop:
                return stop
        return place

    @property
    def position(self) -> Place:
        """Where the first gap begins."""
        return self.counted_from(START)

    @property
    def done_parts(self) -> int:
        """How many parts are counted completely."""
        return sum(max(stop[0] - start[0] - (start[1] > 0), 0) for start, stop in self._counted())

    def missing_parts(self, number: int) -> list[Place]:
        """Return which of ``number`` parts are not counted, each with the mark where its uncounted rest begins."""
        counted = self._counted()
        done = {part for start, stop in counted for part in range(start[0] + (start[1] > 0), min(stop[0], number))}
        begun = {stop[0]: stop for _, stop in counted if stop[1]}
        return [begun.get(part, (part, 0)) for part in range(number) if part not in done]

    def _counted(self) -> list[tuple[Place, Place]]:
        """Return begin and end of what is counted, with adjacent spans joined."""
        found: list[tuple[Place, Place]] = []
        for span in self.spans:
            if found and found[-1][1] == span.start:
                found[-1] = found[-1][0], span.stop
            else:
                found.append((span.start, span.stop))
        return found

    # ---- Input

    def write(self, rows: Rows) -> str:
        """Write a run and return its name. It is not valid before ``commit``."""
        name = self._name()
        write_run(self.folder / name, rows, header=self.header)
        return name

    def commit(self, names: Sequence[str], start: Place, stop: Place, length: int, **notes: Any) -> None:
        """Record that these runs have the counts of the source from ``start`` to ``stop``; then they are safe.

        length : bytes of counted text in all of them; their first places begin with 0 at ``start``. notes : new values
        for ``notes``.
        """
        if stop > start:
            self._write_journal([*self.spans, Span(start, stop, length, tuple(names))], notes)
            self._merge_adjacent()

    def add(self, run: bytes, first_part: int, last_part: int, *, after: int = 0) -> int:
        """Store the run of the parts ``first_part`` to ``last_part``, and return how many words it counts.

        after : the mark in the first part where counting began.
        """
        name = self._name()
        write_whole(self.folder / name, run)
        counts = open_counts(self.folder / name)
        self.commit([name], (first_part, after), (last_part + 1, 0), counts.bytes)
        return counts.occurrences

    # ---- Result

    def finish(self, output: str | os.PathLike[str] | None = None, min_frequency: int = 1) -> CountsFile:
        """Merge all runs and write the counts to ``output``, or leave them in the folder.

        min_frequency : rarer words are not written; the store keeps them. A second call only does what is not done yet.
        Raises UnusablePath.
        """
        if not self.durable and output is not None and self.runs:
            return self._merged(self.spans, Path(output), min_frequency)
        if self.runs != 1:
            name = self._name()
            if self.runs:
                self._merged(self.spans, self.folder / name)
            else:
                nothing = np.empty(0, dtype=np.int64)
                write_run(self.folder / name, Rows(nothing.astype(np.uint8), *3 * [nothing]), header=self.header)
            last = max((span.stop for span in self.spans), default=START)
            self._replace(self.spans, Span(START, last, self.length, (name,), 1 << 20))
        (whole,) = (self.folder / name for span in self.spans for name in span.files)
        if output is None and min_frequency == 1:
            return open_counts(whole)
        place = Path(output) if output is not None else self.folder / f"at-least-{min_frequency}.counts"
        with contextlib.suppress(Exception):
            if place.exists() and open_counts(place).sha256 == self._outputs.get(str(min_frequency)):
                return open_counts(place)
        remove_abandoned(place)
        made = self._copied(whole, place) if min_frequency == 1 else prune_counts(whole, place, min_frequency)
        self._outputs[str(min_frequency)] = made.sha256
        self._write_journal(self.spans, {})
        return made

    def _copied(self, whole: Path, place: Path) -> CountsFile:
        open_counts(whole).check()
        with whole.open("rb") as source, atomic_file(place) as file:
            shutil.copyfileobj(source, file, 1 << 20)
        return open_counts(place)

    # ---- The folder

    def _name(self) -> str:
        with self._naming:
            self._next += 1
            return f"run-{self._next - 1:06}.counts"

    def _open(self, description: dict[str, Any]) -> None:
        """Read the journal, or begin one; delete what an earlier process did not finish."""
        journal = self.folder / "journal.json"
        packed = json.dumps(description, sort_keys=True, indent=0).encode("ascii")
        if not journal.exists():
            self._tidy()
            self._write_source(packed)
            self._write_journal([], {})
            return
        try:
            fields = json.loads(read_whole(journal))
            if fields["form"] != _FORM or fields["version"] != _VERSION:
                raise ValueError("it was written by another program or version")
            if fields.pop("sha256") != _sealed(fields):
                raise ValueError("its checksum is wrong")
            self.spans = _checked_spans(fields["stretches"])
            self._next, self._outputs, self.notes = _whole(fields["next"]), dict(fields["outputs"]), fields["notes"]
            _check_notes(self.notes)
            if any(int(name[4:-7]) >= self._next for span in self.spans for name in span.files):
                raise ValueError("the next run would replace one that it names")
            self._source = str(fields["source"])
            if not _SOURCE.fullmatch(self._source):
                raise ValueError(f"it names {self._source!r:.200}, and no description of a source is called that")
            known = read_whole(self.folder / self._source)
            if self._source != _source_name(known):
                raise ValueError(f"{self._source} was changed")
            before = json.loads(known)
            _check_description(before)
        except (
            ValueError,
            KeyError,
            TypeError,
            IndexError,
            AttributeError,
            RecursionError,
            FileNotFoundError,
        ) as error:
            raise UnreadableCheckpoint(
                f"{journal} is damaged, or not the journal of a count: {error}.",
                f"Delete the folder {self.folder} to count from the beginning, or name another: checkpoint='another'",
            ) from None
        if known != packed:
            now = json.loads(packed)
            if before["header"] != now["header"] or not (
                self._continues and self._continues(before["source"], self._counted(), self.notes)
            ):
                raise _different(self.folder, before, now)
            self._write_source(packed)
            self._write_journal(self.spans, {})
        for span in self.spans:
            for name in span.files:
                if not (self.folder / name).exists():
                    raise UnreadableCheckpoint(
                        f"{self.folder / name} is missing, and with it the counts of {span.length:,} bytes.",
                        f"Restore it, or delete the folder {self.folder} to count from the beginning.",
                    )
        self._tidy()

    def _tidy(self) -> None:
        """Delete runs that are not in the journal, and temporary files; leave everything else alone."""
        known = {self._source, *(name for span in self.spans for name in span.files)}
        for path in self.folder.iterdir():
            if (_OURS.fullmatch(path.name) and path.name not in known) or _LEFT_OVER.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _write_source(self, packed: bytes) -> None:
        self._source = _source_name(packed)
        write_whole(self.folder / self._source, packed)

    def _write_journal(self, spans: Iterable[Span], notes: Mapping[str, Any]) -> None:
        spans = sorted(spans)
        notes = self.notes | dict(notes)
        fields = {
            "form": _FORM,
            "version": _VERSION,
            "source": self._source,
            "stretches": spans,
            "next": self._next,
            "outputs": self._outputs,
            "notes": notes,
        }
        if self.durable:
            fields["sha256"] = _sealed(fields)
            write_whole(self.folder / "journal.json", json.dumps(fields, sort_keys=True).encode("ascii"))
            _sync(self.folder)
        self.spans, self.notes = spans, dict(notes)

    def _merge_adjacent(self) -> None:
        """Merge adjacent runs of one level if there are many."""
        group: list[Span] = []
        for span in [*self.spans, None]:
            if group and (span is None or span.start != group[-1].stop or span.level != group[-1].level):
                if sum(len(each.files) for each in group) >= FAN_IN:
                    break
                group = []
            if span is not None:
                group.append(span)
        else:
            return
        name = self._name()
        self._merged(group, self.folder / name)
        length = sum(each.length for each in group)
        self._replace(group, Span(group[0].start, group[-1].stop, length, (name,), group[0].level + 1))

    def _merged(self, spans: Sequence[Span], output: Path, min_frequency: int = 1) -> CountsFile:
        before = [0, *accumulate(span.length for span in spans)]
        files = [(name, shift) for span, shift in zip(spans, before) for name in span.files]
        return merge_runs(
            [self.folder / name for name, _ in files],
            output,
            shifts=[shift for _, shift in files],
            min_frequency=min_frequency,
            memory=self.memory,
        )

    def _replace(self, old: Sequence[Span], new: Span) -> None:
        gone = set(old)
        self._write_journal([*(each for each in self.spans if each not in gone), new], {})
        for span in gone:
            for name in span.files:
                with contextlib.suppress(OSError):
                    (self.folder / name).unlink()


def _checked_spans(given: Any) -> list[Span]:
    """Return the spans of a journal, which may come from anyone. Raises ValueError, TypeError.

    Their files are merged and deleted, so their names have to be those that a store gives to runs.
    """
    spans: list[Span] = []
    for start, stop, length, files, level in given:
        names = tuple(map(str, files))
        span = Span(_place(start), _place(stop), _whole(length), names, _whole(level))
        for name in span.files:
            if not _RUN.fullmatch(name):
                raise ValueError(f"it names {name!r:.200}, and no run is called that")
        if span.stop <= span.start:
            raise ValueError(f"it counts from {span.start} to {span.stop}")
        if spans and span.start < spans[-1].stop:
            raise ValueError(f"it counts twice from {span.start} on")
        spans.append(span)
    runs = [name for span in spans for name in span.files]
    if len(set(runs)) < len(runs):
        raise ValueError("it names a run twice")
    return spans


def _place(given: Any) -> Place:
    part, mark = map(_whole, given)
    return part, mark


def _whole(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"it has {number!r:.60} in place of a whole number")
    return number


def _check_notes(notes: Any) -> None:
    """Raise ValueError unless these are what counters and stores note."""
    known: dict[str, Any] = {"checksum": (int, type(None))}
    if not isinstance(notes, dict) or not all(isinstance(notes[name], known[name]) for name in known.keys() & notes):
        raise ValueError("its notes are of another kind")


def _check_description(known: Any) -> None:
    """Raise ValueError, or another error, unless this describes a header and a source (``counting.sources``)."""
    files = known["source"].get("files", [])
    if not isinstance(known["header"], dict) or not isinstance(files, list):
        raise ValueError("it describes its source in another way")
    for name, size, modified, parts in files:
        if not isinstance(name, str) or not all(type(number) is int for number in (size, modified, parts)):
            raise ValueError("it describes its files in another way")


def _sealed(fields: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode("ascii")).hexdigest()


def _source_name(packed: bytes) -> str:
    return f"source-{hashlib.sha256(packed).hexdigest()[:16]}.json"


def _plain(header: Header) -> dict[str, Any]:
    return {"pattern": header.pattern, "special_tokens": header.special_tokens}


def _sync(folder: Path) -> None:
    """Make the names in a folder survive a power failure, where the system can."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _different(folder: Path, known: Any, asked: Any) -> DifferentCheckpoint:
    """Return the error for a folder with the state of the count ``known`` when the count ``asked`` is wanted.

    >>> print(_different(Path("work"), {"pattern": "a", "lines": True}, {"pattern": "b", "lines": True}))
    work holds the state of another count. What differs:
    pattern: 'a' then, 'b' now
    Ask for the same count again, delete the folder to start over, or name another: checkpoint='work-2'
    """
    lines = _differences("", known, asked)
    more = [f"and {len(lines) - _MOST_LISTED:,} more"] if len(lines) > _MOST_LISTED else []
    return DifferentCheckpoint(
        "\n".join([f"{folder} holds the state of another count. What differs:", *lines[:_MOST_LISTED], *more]),
        f"Ask for the same count again, delete the folder to start over, or name another: checkpoint='{folder}-2'",
    )


def _differences(name: str, one: Any, other: Any) -> list[str]:
    """Return a line for each value that differs, with the names that lead to it."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(key, one.get(key), other.get(key)) for key in sorted({*one, *other})]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(_name_in_list(number, mine), mine, theirs) for number, (mine, theirs) in enumerate(zip(one, other))]
    else:
        return [] if one == other else [f"{name}: {_short(one)} then, {_short(other)} now"]
    return [line for key, mine, theirs in pairs for line in _differences(f"{name} {key}".strip(), mine, theirs)]


def _name_in_list(number: int, value: Any) -> str:
    """Return the name with which a list in a list begins, or else its number."""
    if isinstance(value, list):
        return str(value[0]) if value and isinstance(value[0], str) else str(number)
    return ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
