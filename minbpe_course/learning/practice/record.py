"""Store which exercises are done and how many hints were read: ``.minbpe_course_progress.json``.

The file is in the folder of the notebook, or where the variable MINBPE_COURSE_PROGRESS says. Whatever is wrong with it
costs a note and never a verdict. A damaged file is kept under another name. Two kernels that write at once wait for
each other, and the file is always replaced as a whole. If it cannot be written, the record lives until the kernel ends.

Limits: an exercise that was done stays done, even if a later answer is wrong.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from minbpe_course.learning.practice.shared_file import alone, read_shared, write_shared

NAME = ".minbpe_course_progress.json"
VARIABLE = "MINBPE_COURSE_PROGRESS"
_STATES = ("not started", "not yet", "done")


@dataclass
class ExerciseRecord:
    """The best state and points of one exercise, and how many of its hints were read."""

    state: str = "not started"
    points: float = 0
    hints: int = 0


@dataclass
class Record:
    """The exercises by key, and notes about problems with the file."""

    entries: dict[str, ExerciseRecord] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


_UNWRITTEN: dict[Path, dict[str, ExerciseRecord]] = {}


def path_of_record(folder: Path | None = None) -> Path:
    """Return the path of the record for the notebooks of a folder (default: the current one)."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else (folder or Path.cwd()) / NAME


def read_record(path: Path) -> Record:
    """Return the record, empty if the file is missing; a damaged file is moved aside, with a note."""
    entries, notes = read_shared(path, _entries, "progress starts from nothing")
    record = Record(entries or {}, notes)
    for key, entry in _UNWRITTEN.get(path, {}).items():
        _improve(record.entries.setdefault(key, ExerciseRecord()), entry)
    return record


def update_record(path: Path, change: Callable[[dict[str, ExerciseRecord]], Any]) -> Record:
    """Read, change and write the record while other kernels wait; return the changed record.

    ``change`` gets the entries by key. Nothing is written if nothing changes. Never raises: the notes of the returned
    record say what went wrong.
    """
    with alone(path):
        record = read_record(path)
        before = _stored(record)
        change(record.entries)
        after = _stored(record)
        unwritten = _UNWRITTEN.pop(path, None)
        if (after != before or unwritten) and (problem := write_shared(path, {"exercises": after})):
            _UNWRITTEN[path] = copy.deepcopy(record.entries)
            # Repeated each time: the learner should know before closing the notebook.
            record.notes.append(f"progress is kept only until the kernel ends: {problem}")
    return record


def forget(path: Path, keys: Iterable[str] | None = None) -> list[str]:
    """Clear the record of these exercises (default: all); return notes about problems."""
    gone = None if keys is None else set(keys)

    def without(entries: dict[str, ExerciseRecord]) -> None:
        for key in list(entries):
            if gone is None or key in gone:
                del entries[key]

    without(_UNWRITTEN.get(path, {}))
    return update_record(path, without).notes


def remember(path: Path, key: str, state: str, points: float) -> Record:
    """Add a verdict to the record and return it."""
    seen = ExerciseRecord(state if state in _STATES else "not yet", points)
    return update_record(path, lambda entries: _improve(entries.setdefault(key, ExerciseRecord()), seen))


def _improve(entry: ExerciseRecord, seen: ExerciseRecord) -> None:
    entry.state = max(entry.state, seen.state, key=_STATES.index)
    entry.points = max(entry.points, seen.points)
    entry.hints = max(entry.hints, seen.hints)


# ----------------------------------------------------------------------------------------------------
# The file


def _stored(record: Record) -> dict[str, dict[str, Any]]:
    return {key: asdict(entry) for key, entry in sorted(record.entries.items()) if entry != ExerciseRecord()}


def _entries(stored: Any) -> dict[str, ExerciseRecord]:
    entries = {}
    for key, values in stored["exercises"].items():
        entry = ExerciseRecord(str(values["state"]), float(values["points"]), int(values["hints"]))
        if entry.state not in _STATES or not 0 <= entry.points <= 1e6 or not 0 <= entry.hints <= 4:
            raise ValueError("not a record of an exercise")
        entry.points = int(entry.points) if entry.points.is_integer() else entry.points
        entries[str(key)] = entry
    return entries
