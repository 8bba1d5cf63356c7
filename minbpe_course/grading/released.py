"""Read the released exercise notebooks of this installation as the questions to grade.

Submissions are compared with these, never with one another, and the given code always comes from here. ``version`` is a
fingerprint of everything that decides a mark; a mark made under another one is made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minbpe_course.assignments.parts import part_of, source_of
from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.grading.notebook_cells import Question

PACKAGE = Path(__file__).resolve().parent.parent
# The files that decide a mark, besides the notebook that was handed out.
_DECIDE = (
    "checks/**/*.py",
    "reference/**/*.py",
    "grading/worker.py",
    "grading/definitions.py",
    "grading/notebook_cells.py",
    "grading/marking.py",
)


def exercises_folder() -> Path:
    """Return the folder of the exercise notebooks: next to the package in a checkout, inside it when installed."""
    inside = PACKAGE / "_lessons" / "exercises"
    return inside if inside.is_dir() else PACKAGE.parent / "exercises"


def questions(exercises: Sequence[Exercise]) -> tuple[Question, ...]:
    """Return the questions for these exercises, in their order.

    Raises ExercisesProblem when a notebook was not released or has no cell for its exercise.
    """
    names, folder = lesson_names(), exercises_folder()
    cells = {
        lesson: json.loads(read_whole(folder / f"{names[lesson]}.ipynb"))["cells"] if lesson in names else []
        for lesson in {exercise.lesson for exercise in exercises}
    }
    return tuple(_question(exercise, cells[exercise.lesson]) for exercise in exercises)


def chosen(names: Sequence[str]) -> tuple[Exercise, ...]:
    """Return the exercises named by lessons ("02"), keys ("02.merge") or both, in the order of the catalogue.

    Raises UnknownExercise for a name that is neither.
    """
    wanted = {
        exercise.key
        for name in names
        for exercise in (catalogue.exercises(name) if "." not in name else (catalogue.find(name),))
    }
    return tuple(exercise for exercise in catalogue.exercises() if exercise.key in wanted)


def all_released() -> tuple[Exercise, ...]:
    """Return the exercises of every lesson whose notebook was released, in the order of the catalogue."""
    names = lesson_names()
    return tuple(exercise for exercise in catalogue.exercises() if exercise.lesson in names)


def lesson_names() -> dict[str, str]:
    """Return the names of the lessons' notebooks, such as "02_naive_bpe", by their two digits."""
    return {path.stem[:2]: path.stem for path in sorted(exercises_folder().glob("[0-9][0-9]_*.ipynb"))}


def version(question: Question, rules: str) -> str:
    """Return the fingerprint of everything that decides the mark of this question; ``rules`` is ``rules_version()``."""
    parts = [rules, question.exercise.key, question.blank, *question.given]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def rules_version() -> str:
    """Return the fingerprint of the files that decide every mark."""
    seen = hashlib.sha256()
    for pattern in _DECIDE:
        for path in sorted(PACKAGE.glob(pattern)):
            seen.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode())
            seen.update(read_whole(path))
    return seen.hexdigest()[:16]


def _question(exercise: Exercise, cells: Sequence[dict[str, Any]]) -> Question:
    given: list[str] = []
    for cell in cells:
        part = part_of(cell)
        if part is not None and part.role == "given" and cell.get("cell_type") == "code":
            given.append(source_of(cell))
        elif part is not None and part.role == "answer" and part.exercise.key == exercise.key:
            return Question(exercise, source_of(cell), tuple(given))
    raise ExercisesProblem(
        f"{exercises_folder()} has no notebook with an answer cell for {exercise.key}. Write it: minbpe-course release"
    )
