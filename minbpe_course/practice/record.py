"""The small file that remembers what is done and how many hints were read: ``.minbpe_course_progress.json``.

It lies in the folder of the notebook, or where the variable MINBPE_COURSE_PROGRESS says. It is only a memory: whatever
is wrong with it costs a note and never a verdict. A damaged file is kept beside under another name. Two kernels that
write at once wait for each other, and a file is always written whole. Where it cannot be written, what was to be
remembered lives until the kernel ends.

Limits: an exercise that was done stays done, also when a later answer is not.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.files import write_whole

NAME = ".minbpe_course_progress.json"
VARIABLE = "MINBPE_COURSE_PROGRESS"
FORMAT = 1
LONGEST_WAIT = 2.0  # seconds for another kernel to finish its few milliseconds of writing
_STATES = ("not started", "not yet", "done")


@dataclass
class Entry:
    """What is remembered of one exercise."""

    state: str = "not started"
    points: float = 0
    hints: int = 0


@dataclass
class Record:
    """What is remembered of all of them, by key, and what there is to say about the file."""

    entries: dict[str, Entry] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


_UNWRITTEN: dict[Path, Record] = {}


def path_of_record(folder: Path | None = None) -> Path:
    """Return where the record is kept for the notebooks of a folder (default: the current one).

    >>> path_of_record(Path("exercises")).suffix
    '.json'
    """
    named = os.environ.get(VARIABLE)
    return Path(named) if named else (folder or Path.cwd()) / NAME


def read_record(path: Path) -> Record:
    """Return what is remembered; a missing file remembers nothing, a damaged one is moved aside, with a note."""
    kept = copy.deepcopy(_UNWRITTEN.get(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return kept or Record()
    except OSError as error:
        return kept or Record(notes=[f"{path.name} cannot be read ({error.strerror}); progress starts from nothing."])
    try:
        record = Record(_entries(json.loads(data.decode("utf-8"))))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return Record(notes=[moved_aside(path)])
    for key, entry in (kept.entries if kept else {}).items():
        _improve(record.entries.setdefault(key, Entry()), entry)
    return record


def update_record(path: Path, change: Callable[[dict[str, Entry]], Any]) -> Record:
    """Read, change and write the record while no other kernel does; return it as it is now.

    ``change`` gets the entries by key. Nothing is written when it changes nothing. Never raises: what went wrong is in
    the notes of what is returned.
    """
    with alone(path):
        record = read_record(path)
        before = _stored(record)
        change(record.entries)
        after = _stored(record)
        try:
            if after != before or path in _UNWRITTEN:
                write_whole(path, after)
        except (OSError, MinbpeCourseError) as error:
            _UNWRITTEN[path] = Record(copy.deepcopy(record.entries))
            # Said each time: whoever closes the notebook now should know.
            record.notes.append(f"progress is kept only until the kernel ends: {error}")
        else:
            _UNWRITTEN.pop(path, None)
    return record


def forget(path: Path, keys: Iterable[str] | None = None) -> list[str]:
    """Forget these exercises (default: all); return notes about what could not be done."""
    gone = None if keys is None else set(keys)

    def without(entries: dict[str, Entry]) -> None:
        for key in list(entries):
            if gone is None or key in gone:
                del entries[key]

    if path in _UNWRITTEN:
        without(_UNWRITTEN[path].entries)
    return update_record(path, without).notes


def remember(path: Path, key: str, state: str, points: float) -> Record:
    """Add a verdict to the record and return it."""
    seen = Entry(state if state in _STATES else "not yet", points)
    return update_record(path, lambda entries: _improve(entries.setdefault(key, Entry()), seen))


def _improve(entry: Entry, seen: Entry) -> None:
    entry.state = max(entry.state, seen.state, key=_STATES.index)
    entry.points = max(entry.points, seen.points)
    entry.hints = max(entry.hints, seen.hints)


# ----------------------------------------------------------------------------------------------------
# The file


def _stored(record: Record) -> bytes:
    # An entry that says nothing is not worth a line, nor a write.
    entries = {key: vars(entry) for key, entry in sorted(record.entries.items()) if entry != Entry()}
    return (json.dumps({"format": FORMAT, "exercises": entries}, indent=1) + "\n").encode("utf-8")


def _entries(stored: Any) -> dict[str, Entry]:
    if stored["format"] != FORMAT:
        raise ValueError("of another format")
    entries = {}
    for key, values in stored["exercises"].items():
        entry = Entry(str(values["state"]), float(values["points"]), int(values["hints"]))
        if entry.state not in _STATES or not 0 <= entry.points <= 1e6 or not 0 <= entry.hints <= 3:
            raise ValueError("no entry")
        entry.points = int(entry.points) if entry.points.is_integer() else entry.points
        entries[str(key)] = entry
    return entries


def moved_aside(path: Path, consequence: str = "progress starts from nothing") -> str:
    """Put a damaged file out of the way, and say so."""
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    try:
        os.replace(path, aside)
    except OSError:
        return f"{path.name} is damaged; {consequence}."
    return f"{path.name} was damaged and is now {aside.name}; {consequence}."


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other kernels out while a file of ours is changed, in a way that a killed kernel cannot leave behind."""
    handle = _locked(path)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _locked(path: Path) -> int | None:
    """Return a handle whose closing lets the next one in; None where the system offers no lock, or nobody lets go."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            return _lock(path)
        except (BlockingIOError, FileExistsError, PermissionError):
            if time.monotonic() > deadline:
                return None
            time.sleep(0.01)
        except OSError:  # a file system without locks
            return None


if sys.platform == "win32":

    def _lock(path: Path) -> int:
        # The system deletes the file when the handle is closed, however that comes about.
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
        return os.open(path.with_name(path.name + ".lock"), flags)

else:
    import fcntl

    def _lock(path: Path) -> int:
        # The folder itself is locked, so that no file of ours is left in it.
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(handle)
            raise
        return handle
