"""Copy the lessons into the learner's folder without ever overwriting what the learner wrote.

A small file in that folder records two hashes for each lesson: of its bytes, and of its cells (their types and
sources). A notebook counts as changed only when a cell was changed: running and saving it alters outputs and metadata,
which can be made again. A lesson that was not changed is replaced by a newer version; next to a changed one the newer
version is stored under another name. Nothing here deletes a file or opens JupyterLab.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnusablePath
from minbpe_course.files import read_whole, write_whole

PACKAGE = Path(__file__).resolve().parent.parent
FIRST_LESSON = PurePosixPath("notebooks/00_start_here.ipynb")
DEFAULT_FOLDER = "minbpe_course_lessons"
MANIFEST = ".minbpe_course_lessons.json"
CARRIED = ("notebooks", "exercises")


@dataclass
class Laid:
    """The result for each lesson, by its name in the folder, in the order of the lessons."""

    new: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """A cell was changed by the learner, so the file was left alone."""
    beside: list[str] = field(default_factory=list)
    """Newer versions of kept files, under a name with ``.new`` in it."""

    def summary(self) -> str:
        """Return the result in a few lines.

        >>> print(Laid(new=["a.ipynb"], kept=["b.ipynb"], beside=["b.new.ipynb"]).summary())
        1 new, 0 updated, 0 unchanged, 1 kept as you changed it
          yours, left alone: b.ipynb
          newer version next to it: b.new.ipynb
        """
        counts = f"{len(self.new)} new, {len(self.updated)} updated, {len(self.unchanged)} unchanged"
        lines = [counts + (f", {len(self.kept)} kept as you changed it" if self.kept else "")]
        lines += [f"  yours, left alone: {name}" for name in self.kept]
        lines += [f"  newer version next to it: {name}" for name in self.beside]
        return "\n".join(lines)


def checkout() -> Path | None:
    """Return the root of the repository when the package runs from one, None when it was installed from a wheel."""
    root = PACKAGE.parent
    return root if (root / FIRST_LESSON).is_file() and not (PACKAGE / "_lessons").is_dir() else None


def source_folder() -> Path:
    """Return the folder that holds the lessons of this installation.

    Raises ExercisesProblem if the lessons are missing, which means that the installation is damaged.
    """
    found = PACKAGE / "_lessons" if (PACKAGE / "_lessons" / FIRST_LESSON).is_file() else checkout()
    if found is None:
        raise ExercisesProblem(
            f"this installation carries no lessons ({PACKAGE}). "
            "Install it again: pip install --force-reinstall minbpe-course"
        )
    return found


def default_folder() -> Path:
    """Return where the learner's copies are when no folder is named: in a checkout at its root, else right here.

    git ignores that folder in a checkout, so homework never appears among the files of the course.
    """
    return (checkout() or Path.cwd()) / DEFAULT_FOLDER


def lay(folder: Path, source: Path) -> Laid:
    """Copy every lesson of ``source`` into ``folder`` (made if missing) and return what happened to each.

    Raises UnusablePath when the folder cannot be written, ExercisesProblem when it is the place that the lessons come
    from or its record of earlier lessons is damaged. A second call with the same source changes nothing.
    """
    folder = folder.absolute()
    around = {folder.resolve(), *folder.resolve().parents}
    if folder.resolve() == source.resolve() or around & {PACKAGE, *(source.resolve() / part for part in CARRIED)}:
        raise ExercisesProblem(
            f"{folder} is where the lessons come from; name a folder of your own: minbpe-course learn my_lessons"
        )
    _make(folder)
    record = _Record.read(folder / MANIFEST)
    laid = Laid()
    for name, data in _lessons(source):
        target = folder / name
        state = _state(target, data, name, record)
        if state == "changed":
            laid.kept.append(name)
            # Each new version is offered once; afterwards the learner knows about it.
            if not record.knows(name, data):
                laid.beside.append(_lay_beside(folder, name, data, record))
        else:
            getattr(laid, state).append(name)
            if state != "unchanged":
                _make(target.parent)
                write_whole(target, data)
        record.remember(name, data)
    write_whole(folder / MANIFEST, record.stored())
    return laid


@dataclass
class _Record:
    """The SHA-256 of the bytes and of the cells of each lesson that was copied, by name."""

    laid: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> _Record:
        """Return the record of a folder, or an empty one. Raises ExercisesProblem."""
        if not path.exists():
            return cls()
        try:
            stored = json.loads(read_whole(path).decode("utf-8"))
            both = stored["laid"], stored["cells"]
            return cls(*({str(name): str(digest) for name, digest in hashes.items()} for hashes in both))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExercisesProblem(
                f"{path} is damaged, so your changes cannot be told from ours. Remove that one file and run the "
                "command again: every file that differs from the lesson is kept, and the lesson is stored next to it."
            ) from error

    def knows(self, name: str, data: bytes) -> bool:
        """Return whether this was copied under the name last: the same bytes, or at least the same cells."""
        return self.laid.get(name) == _sha256(data) or self.cells.get(name) == _cells_hash(data)

    def remember(self, name: str, data: bytes) -> None:
        self.laid[name], self.cells[name] = _sha256(data), _cells_hash(data)

    def stored(self) -> bytes:
        record = {"laid": self.laid, "cells": self.cells}
        return (json.dumps(record, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _state(target: Path, fresh: bytes, name: str, record: _Record) -> str:
    """Return whether a lesson is "new", "unchanged", to be "updated", or "changed" by the learner."""
    if not os.path.lexists(target):
        return "new"
    # Not made by this command: a link, or a folder with that name.
    if target.is_symlink() or not target.is_file():
        return "changed"
    present = read_whole(target)
    if present == fresh:
        return "unchanged"
    if record.laid.get(name) == _sha256(present):
        return "updated"
    if _cells_hash(present) == _cells_hash(fresh):
        return "unchanged"
    return "updated" if record.knows(name, present) else "changed"


def _lay_beside(folder: Path, name: str, data: bytes, record: _Record) -> str:
    """Write a new version under a free name, or over an unchanged earlier version; return the name."""
    path = PurePosixPath(name)
    number = 1
    while True:
        beside = str(path.with_name(f"{path.stem}.new{'' if number == 1 else number}{path.suffix}"))
        if _state(folder / beside, data, beside, record) != "changed":
            write_whole(folder / beside, data)
            record.remember(beside, data)
            return beside
        number += 1


def _lessons(source: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every lesson, as copied on this machine."""
    for part in CARRIED:
        for path in sorted((source / part).rglob("*")):
            inside = path.relative_to(source).parts
            # Names with a dot first belong to other programs: checkpoints, a record of progress.
            if path.is_file() and not any(name.startswith(".") or name == "__pycache__" for name in inside):
                yield path.relative_to(source).as_posix(), _for_a_learner(read_whole(path))


def _for_a_learner(data: bytes) -> bytes:
    """Return a notebook without outputs, which would answer its questions; other files as they are.

    It names the version of Python that its kernel will report. JupyterLab would mark the notebook as modified as soon
    as it is opened, if it named another version.
    """
    notebook = _notebook(data)
    if notebook is None:
        return data
    named = notebook.get("metadata", {}).get("language_info", {})
    if named.get("version"):
        named["version"] = sys.version.split()[0]  # as ipykernel reports it
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _cells_hash(data: bytes) -> str:
    """Return the SHA-256 of a notebook's cells, their types and sources; of the bytes if it is not a notebook.

    Empty cells are ignored, because JupyterLab adds one when the last cell is run.
    """
    notebook = _notebook(data)
    if notebook is None:
        return _sha256(data)
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return _sha256(json.dumps([cell for cell in cells if cell[1].strip()]).encode("utf-8"))


def _notebook(data: bytes) -> dict[str, Any] | None:
    """Return the notebook in these bytes, or None."""
    try:
        notebook = json.loads(data.decode("utf-8"))
        well_formed = all(
            isinstance(cell["cell_type"], str) and all(isinstance(line, str) for line in cell["source"])
            for cell in notebook["cells"]
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return notebook if well_formed else None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(
            f"cannot make the folder {folder}: {error.strerror}. Name another: minbpe-course learn FOLDER"
        ) from error


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
