"""Files named on a command line, with patterns expanded here too: a shell of Windows passes them on as they are."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.lessons import DEFAULT_FOLDER, checkout, default_folder
from minbpe_course.errors import ExercisesProblem, MissingFile

if TYPE_CHECKING:
    from minbpe_course.grading.cells import Notebook


def named(names: Iterable[str]) -> list[Path]:
    """Return the files, each once, in the order of their naming; a pattern gives its matches in sorted order.

    Raises MissingFile for a name without a file and a pattern without a match.

    >>> named(["no_such_folder/*.ipynb"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    minbpe_course.errors.MissingFile: no file matches no_such_folder/*.ipynb. ...
    """
    found: dict[Path, None] = {}
    for name in names:
        if Path(name).exists() or not glob.has_magic(name):
            matches = [name]
        else:
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 (an absolute pattern, too)
            if not matches:
                raise MissingFile(f"no file matches {name}. {_here()}")
        for match in matches:
            if Path(match).is_dir():
                raise MissingFile(f"{match} is a folder. Name the notebooks in it: {Path(match) / '*.ipynb'}")
            if not Path(match).is_file():
                raise MissingFile(f"there is no file {match}. {_here()}")
            found[Path(match)] = None
    return list(found)


def homework_folder() -> Path:
    """Return the folder of the learner's exercises, as seen from here.

    That is this folder when notebooks of exercises are in it; else the copies that ``minbpe-course learn`` made; else
    ``exercises``, when the lessons were copied right here; else this folder.
    """
    here = Path.cwd()
    if any(here.glob("[0-9][0-9]_*.ipynb")):
        return here
    learned = [default_folder()] if here == checkout() else [here, here / DEFAULT_FOLDER]
    return next((each / "exercises" for each in [*learned, here] if (each / "exercises").is_dir()), here)


def homework(pattern: str) -> list[Path]:
    """Return the learner's notebooks whose names match ``pattern``. Raises MissingFile when there are none."""
    found = sorted(homework_folder().glob(pattern))
    if not found:
        raise MissingFile(
            f"there is no notebook of exercises in {homework_folder()}. Name yours, or copy the exercises first: "
            "minbpe-course learn --no-open"
        )
    return found


def of_exercises(path: Path, notebook: Notebook) -> None:
    """Raise ExercisesProblem for a lesson, whose functions have the names of answers and are none of the learner's.

    >>> from minbpe_course.grading.cells import Cell, Notebook
    >>> of_exercises(Path("mine.ipynb"), Notebook((Cell("", 'check("02.merge", merge)'),)))
    """
    if any(cell.grade_id or "answer" in cell.tags or "check(" in cell.source for cell in notebook.cells):
        _mention_the_copy(path)
        return
    raise ExercisesProblem(
        f"{path} is no notebook of exercises: no check stands in it. Those are in the folder exercises, "
        "for example exercises/02_naive_bpe.ipynb"
    )


def _mention_the_copy(path: Path) -> None:
    """Say on stderr when an original of the checkout was named and the learner has a copy of it."""
    root = checkout()
    copy = default_folder() / "exercises" / path.name
    if root is not None and path.absolute().parent == root / "exercises" and copy.is_file():
        print(f"{path} is the original; your copy is {copy}", file=sys.stderr)


def _here() -> str:
    return f"You are in {Path.cwd()}: name it as seen from there."
