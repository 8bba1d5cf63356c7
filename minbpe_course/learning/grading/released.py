"""Find the questions to grade: those of the notebooks that were released, in this installation or by teachers.

Submissions are compared with these, never with one another, and the given code always comes from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.learning.assignments.assignment import Assignment, Written
from minbpe_course.learning.assignments.parts import WRITE_HERE, part_of, source_of
from minbpe_course.learning.assignments.release import notebook_of as built
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.notebook_cells import Question, comparable

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
    """Return the released notebook of an exercise's lesson in its collection, or None if it was not released."""
    collection = catalogue.collection_of(exercise.key)
    name = collection.notebook(exercise.lesson)
    path = collection.released / (name or "")
    return path if path.is_file() else None


def _question(exercise: Exercise, around: frozenset[str]) -> Question:
    asked = catalogue.exercises(exercise.lesson)
    above = [answer_code(one).given for one in asked[: asked.index(exercise) + 1]]
    given = tuple(filter(None, above))
    return Question(exercise, answer_code(exercise).blank, given, str(notebook_of(exercise) or ""), around)


def _around(lesson: str) -> frozenset[str]:
    """Return the cells of a lesson's notebooks that belong to no exercise."""
    found = [(each, each.contents(lesson)) for each in catalogue.collections() if lesson in each.lessons()]
    return _outside(cell for each, contents in found for cell in built(contents, each, answers=False)["cells"])


def _outside(cells: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the sources of the cells that belong to no exercise."""
    return frozenset(comparable(source_of(cell)) for cell in cells if part_of(cell) is None)
