"""Files named on a command line, with patterns expanded here too: a shell of Windows passes them on as they are."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

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


def of_exercises(path: Path, notebook: Notebook) -> None:
    """Raise ExercisesProblem for a lesson, whose functions have the names of answers and are none of the learner's.

    >>> from minbpe_course.grading.cells import Cell, Notebook
    >>> of_exercises(Path("mine.ipynb"), Notebook((Cell("", 'check("02.merge", merge)'),)))
    """
    if any(cell.grade_id or "answer" in cell.tags or "check(" in cell.source for cell in notebook.cells):
        return
    raise ExercisesProblem(
        f"{path} is no notebook of exercises: no check stands in it. Those are in the folder exercises, "
        "for example exercises/02_naive_bpe.ipynb"
    )


def _here() -> str:
    return f"You are in {Path.cwd()}: name it as seen from there."
