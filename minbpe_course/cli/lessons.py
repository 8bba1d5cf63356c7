"""Lay the lessons into a learner's folder without ever overwriting what the learner wrote.

What was laid is remembered in one small file in that folder, as the SHA-256 of each lesson. A file that still has the
remembered hash is ours and may be replaced by a newer version; any other is the learner's, and a newer version is laid
beside it. Nothing here deletes a file or opens JupyterLab.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from minbpe_course.errors import LessonsProblem, UnusablePath
from minbpe_course.files import read_whole, write_whole

PACKAGE = Path(__file__).resolve().parent.parent
FIRST_LESSON = PurePosixPath("notebooks/00_start_here.ipynb")
MANIFEST = ".minbpe_course_lessons.json"
CARRIED = ("notebooks", "exercises")
SKIPPED = ("__pycache__",)


@dataclass
class Laid:
    """What happened to each lesson, by its name in the folder, in the order of the lessons."""

    new: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Changed by the learner and left alone."""
    beside: list[str] = field(default_factory=list)
    """Newer versions of kept files, under a name with ``.new`` in it."""

    def summary(self) -> str:
        """Say it in a few lines, for a person.

        Example:
            >>> print(Laid(new=["a.ipynb"], kept=["b.ipynb"], beside=["b.new.ipynb"]).summary())
            1 new, 0 updated, 0 unchanged, 1 kept as you changed it
              yours, left alone: b.ipynb
              newer version beside it: b.new.ipynb
        """
        counts = f"{len(self.new)} new, {len(self.updated)} updated, {len(self.unchanged)} unchanged"
        lines = [counts + (f", {len(self.kept)} kept as you changed it" if self.kept else "")]
        lines += [f"  yours, left alone: {name}" for name in self.kept]
        lines += [f"  newer version beside it: {name}" for name in self.beside]
        return "\n".join(lines)


def checkout() -> Path | None:
    """Return the root of the repository when the package runs from one, None when it was installed from a wheel."""
    root = PACKAGE.parent
    return root if (root / FIRST_LESSON).is_file() and not (PACKAGE / "_lessons").is_dir() else None


def source_folder() -> Path:
    """Return the folder that holds the lessons of this installation.

    Raises LessonsProblem when there are none, which is a damaged installation.
    """
    found = PACKAGE / "_lessons" if (PACKAGE / "_lessons" / FIRST_LESSON).is_file() else checkout()
    if found is None:
        raise LessonsProblem(
            f"this installation carries no lessons ({PACKAGE}). "
            "Install it again: pip install --force-reinstall minbpe-course"
        )
    return found


def lay(folder: Path, source: Path) -> Laid:
    """Lay every lesson of ``source`` into ``folder`` (made if missing) and return what happened to each.

    Raises UnusablePath when the folder cannot be written, LessonsProblem when it is the place that the lessons come
    from or its record of earlier lessons is damaged. A second call with the same source changes nothing.

    Example:
        >>> import tempfile
        >>> source, folder = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
        >>> (source / "notebooks").mkdir()
        >>> _ = (source / "notebooks" / "a.ipynb").write_text("one", encoding="utf-8")
        >>> lay(folder, source).new
        ['notebooks/a.ipynb']
        >>> lay(folder, source).unchanged
        ['notebooks/a.ipynb']
    """
    folder = folder.absolute()
    if folder.resolve() == source.resolve() or PACKAGE in (folder.resolve(), *folder.resolve().parents):
        raise LessonsProblem(
            f"{folder} is where the lessons come from; name a folder of your own: minbpe-course learn my_lessons"
        )
    _make(folder)
    remembered = _remembered(folder)
    laid = Laid()
    for name, data in _lessons(source):
        fresh = _sha256(data)
        target = folder / name
        state = _state(target, fresh, remembered.get(name))
        if state == "changed":
            laid.kept.append(name)
            # Each new version is offered once; afterwards the learner knows about it.
            if remembered.get(name) != fresh:
                laid.beside.append(_lay_beside(folder, name, data, remembered))
        else:
            getattr(laid, state).append(name)
            if state != "unchanged":
                _make(target.parent)
                write_whole(target, data)
        remembered[name] = fresh
    record = json.dumps({"laid": remembered}, indent=1, sort_keys=True) + "\n"
    write_whole(folder / MANIFEST, record.encode("utf-8"))
    return laid


def trust(folder: Path) -> None:
    """Sign the lessons in ``folder`` that are as they were published, so that JupyterLab shows their outputs in colour.

    JupyterLab strips the style from outputs that it has not seen made here. A lesson that the learner changed is not
    signed: its outputs were made by the learner, whose JupyterLab signed them when it saved them.
    """
    from nbformat import reads
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for name, data in _lessons(source_folder()):
        target = folder / name
        if target.suffix == ".ipynb" and _state(target, _sha256(data), None) == "unchanged":
            notary.sign(reads(data.decode("utf-8"), as_version=4))


def _state(target: Path, fresh: str, remembered: str | None) -> str:
    """Tell whether a lesson is "new", "unchanged", ours to be "updated", or "changed" by the learner."""
    if not os.path.lexists(target):
        return "new"
    # A link leads out of the folder, and a folder of that name is certainly not ours.
    if target.is_symlink() or not target.is_file():
        return "changed"
    present = _sha256(read_whole(target))
    if present == fresh:
        return "unchanged"
    return "updated" if present == remembered else "changed"


def _lay_beside(folder: Path, name: str, data: bytes, remembered: dict[str, str]) -> str:
    """Write a new version under a free name, or one that still holds what was laid there earlier; return the name."""
    path = PurePosixPath(name)
    number = 1
    while True:
        beside = str(path.with_name(f"{path.stem}.new{'' if number == 1 else number}{path.suffix}"))
        if _state(folder / beside, _sha256(data), remembered.get(beside)) != "changed":
            write_whole(folder / beside, data)
            remembered[beside] = _sha256(data)
            return beside
        number += 1


def _lessons(source: Path) -> Iterator[tuple[str, bytes]]:
    for part in CARRIED:
        for path in sorted((source / part).rglob("*")):
            inside = path.relative_to(source).parts
            # What begins with a dot is some program's own: checkpoints, a record of progress.
            if path.is_file() and not any(name.startswith(".") or name in SKIPPED for name in inside):
                yield path.relative_to(source).as_posix(), read_whole(path)


def _remembered(folder: Path) -> dict[str, str]:
    manifest = folder / MANIFEST
    if not manifest.exists():
        return {}
    try:
        laid = json.loads(read_whole(manifest).decode("utf-8"))["laid"]
        return {str(name): str(digest) for name, digest in laid.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LessonsProblem(
            f"{manifest} is damaged, so your changes cannot be told from ours. Remove that one file and run the "
            "command again: every file that differs from the lesson will be kept, and the lesson laid beside it."
        ) from error


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(
            f"cannot make the folder {folder}: {error.strerror}. Name another: minbpe-course learn FOLDER"
        ) from error


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
