"""Read the released exercise notebooks, of this installation and of teachers, as the questions to grade.

Submissions are compared with these, never with one another, and the given code always comes from here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.learning.assignments.parts import part_of, source_of
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.notebook_cells import Question, comparable

PACKAGE = Path(__file__).resolve().parents[2]


def questions(exercises: Sequence[Exercise], *, untouched: bool = True) -> tuple[Question, ...]:
    """Return the questions for these exercises, in their order.

    untouched : whether to refuse a notebook in which an answer has been run; it no longer shows what was handed out.

    Raises ExercisesProblem when a notebook was not released, has no cell for its exercise, or is refused as run.
    """
    read: dict[Path, list[dict[str, Any]]] = {}
    made = []
    for exercise in exercises:
        path = notebook_of(exercise)
        if path is not None and path not in read:
            read[path] = _cells(path, exercise)
        question, was_run = (None, False) if path is None else _question(exercise, path, read[path])
        if question is None or (untouched and was_run):
            collection = catalogue.collection_of(exercise.key)
            what = f"has no answer cell for {exercise.key}" if question is None else "has been worked in"
            raise ExercisesProblem(
                f"{path or collection.released} {what}. Release it again: minbpe-course release{_option(exercise)}"
            )
        made.append(question)
    return tuple(made)


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
    return tuple(exercise for exercise in catalogue.exercises() if notebook_of(exercise) is not None)


def notebook_of(exercise: Exercise) -> Path | None:
    """Return the released notebook of an exercise's lesson in its collection, or None if it was not released."""
    collection = catalogue.collection_of(exercise.key)
    name = collection.notebook(exercise.lesson)
    path = None if name is None else collection.released / name
    return path if path is not None and path.is_file() else None


def lesson_names() -> dict[str, str]:
    """Return the names of the lessons' notebooks, such as "02_naive_bpe", by lesson; the course's where it has one."""
    names: dict[str, str] = {}
    for exercise in all_released():
        path = notebook_of(exercise)
        if path is not None:
            names.setdefault(exercise.lesson, path.stem)
    return names


def _cells(path: Path, exercise: Exercise) -> list[dict[str, Any]]:
    try:
        cells = json.loads(read_whole(path))["cells"]
        if not all(isinstance(cell, dict) for cell in cells):
            raise TypeError("a cell that is not an object")
    except (ValueError, KeyError, TypeError) as error:
        raise ExercisesProblem(
            f"{path} cannot be read as a notebook: {error!r}. Write it again: minbpe-course release{_option(exercise)}"
        ) from None
    return list(cells)


def _option(exercise: Exercise) -> str:
    """Return the option that names the collection of an exercise, "" for the course."""
    collection = catalogue.collection_of(exercise.key)
    return "" if collection == catalogue.COURSE else f" --exercises {collection.checks.parent}"


def _question(exercise: Exercise, path: Path, cells: Sequence[dict[str, Any]]) -> tuple[Question | None, bool]:
    """Return the question, and whether its answer cell was run since it was released."""
    given: list[str] = []
    around = frozenset(comparable(source_of(cell)) for cell in cells if part_of(cell) is None)
    for cell in cells:
        part = part_of(cell)
        if part is not None and part.role == "given" and cell.get("cell_type") == "code":
            given.append(source_of(cell))
        elif part is not None and part.role == "answer" and part.exercise.key == exercise.key:
            was_run = bool(cell.get("execution_count") or cell.get("outputs"))
            return Question(exercise, source_of(cell), tuple(given), str(path), around), was_run
    return None, False
