"""Find the questions to grade: those of the notebooks that were released, in this installation or by teachers.

Submissions are compared with these, never with one another, and the given code always comes from here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from minbpe_course.files import read_whole
from minbpe_course.learning.assignments.assignment import Assignment, Written
from minbpe_course.learning.assignments.parts import WRITE_HERE, part_of, source_of
from minbpe_course.learning.assignments.release import notebook_of as built
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.notebook_cells import Question, comparable

LESSONS = "notebooks"  # the folder, next to that of the exercises
PACKAGE = Path(__file__).resolve().parents[2]


def questions(exercises: Sequence[Exercise]) -> tuple[Question, ...]:
    """Return the questions for these exercises, in their order.

    Raises ExercisesProblem for an exercise without an answer.

    >>> questions([catalogue.find("02.merge")])[0].blank.splitlines()[-1]
    '    raise NotImplementedError("merge is still blank")'
    """
    around = {lesson: _around(lesson) for lesson in {one.lesson for one in exercises}}
    return tuple(_question(one, around[one.lesson]) for one in exercises)


def questions_of(assignment: Assignment) -> tuple[Question, ...]:
    """Return the questions of an assignment. They are judged for the points of their exercises, which are scaled later.

    Raises ExercisesProblem for an exercise without an answer.
    """
    collection = assignment.collection if assignment.own else catalogue.COURSE
    notebook = built(assignment.contents(), collection, answers=False, unchecked=assignment.unchecked)
    around = _outside(notebook["cells"])
    made: list[Question] = []
    given: tuple[str, ...] = ()
    for one in assignment.questions:
        if isinstance(one, Written):
            made.append(Question(one, WRITE_HERE, (), str(assignment.notebook), around))
            continue
        exercise = catalogue.find(one.key)
        code = answer_code(exercise)
        given += (code.given,) if code.given else ()
        made.append(Question(exercise, code.blank, given, str(assignment.notebook), around))
    return tuple(made)


def all_released() -> tuple[Exercise, ...]:
    """Return the exercises of every lesson whose notebook was released, in the order of the catalogue."""
    return tuple(exercise for exercise in catalogue.exercises() if notebook_of(exercise) is not None)


def notebook_of(exercise: Exercise) -> Path | None:
    """Return the notebook that asks an exercise, its lesson's or that of the exercises, or None if there is none."""
    collection = catalogue.collection_of(exercise.key)
    name = collection.notebook(exercise.lesson)
    folder = collection.released
    if catalogue.is_blank(exercise):
        folder = folder.with_name(LESSONS)
        if exercise.cell_id in (parts := _parts_of_lesson(folder, exercise.lesson)):
            return parts[exercise.cell_id]
    path = folder / (name or "")
    return path if path.is_file() else None


@cache
def _parts_of_lesson(folder: Path, lesson: str) -> dict[str, Path]:
    """Return the notebook of each cell of a lesson, which may have several, by the cell's id."""
    return {
        cell.get("id", ""): path
        for path in sorted(folder.glob(f"{lesson}_*.ipynb"))
        for cell in json.loads(read_whole(path))["cells"]
    }


def _question(exercise: Exercise, around: frozenset[str]) -> Question:
    asked = [one for one in catalogue.exercises(exercise.lesson) if notebook_of(one) == notebook_of(exercise)]
    above = [answer_code(one).given for one in asked[: asked.index(exercise) + 1]]
    given = tuple(filter(None, above))
    return Question(exercise, answer_code(exercise).blank, given, str(notebook_of(exercise) or ""), around)


def _around(lesson: str) -> frozenset[str]:
    """Return the cells of a lesson's notebooks that belong to no exercise."""
    found = [(each, each.contents(lesson)) for each in catalogue.collections() if lesson in each.lessons()]
    cells = [
        cell for each, contents in found if contents.exercises for cell in built(contents, each, answers=False)["cells"]
    ]
    for path in catalogue.COURSE.released.with_name(LESSONS).glob(f"{lesson}_*.ipynb"):
        cells += json.loads(read_whole(path))["cells"]
    return _outside(cells)


def _outside(cells: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the sources of the cells that belong to no exercise."""
    return frozenset(comparable(source_of(cell)) for cell in cells if part_of(cell) is None)
