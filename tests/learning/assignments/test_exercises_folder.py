"""The exercises that are really handed out: made from their sources, without answers, right where they should be right.

One lesson: ``pytest tests/learning/assignments/test_exercises_folder.py -k 02``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.learning.assignments.check_exercises import (
    RULES,
    guesses,
    in_notebook,
    mistakes,
    speed,
)
from minbpe_course.learning.assignments.release import release_files
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.judge import judge
from tests.shared.lesson_code import (
    EXERCISES,
    SOLUTIONS,
    notebook_of,
    program_of,
)

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

LESSONS = catalogue.lessons()
ALL = catalogue.exercises()

# test_points_without_work.py guesses, tests/golden errs.
ELSEWHERE = (guesses, mistakes, speed)

FIRST = list({one.lesson: one for one in reversed(ALL)}.values())
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)


def sources() -> list[Path]:
    return sorted(SOLUTIONS.glob("*.ipynb"))


# ----------------------------------------------------------------------------------------------------
# The files


def test_there_is_one_exercise_notebook_for_each_source_and_one_source_for_each_lesson() -> None:
    names = [path.name for path in sources()]
    assert sorted(path.name for path in EXERCISES.glob("*.ipynb")) == names
    assert tuple(name[:2] for name in names) == LESSONS
    lessons = {path.name for path in (SOLUTIONS.parent / "notebooks").glob("*.ipynb")}
    assert set(names) <= lessons, "an exercise notebook has the name of its lesson"


def test_the_notebooks_are_those_of_the_files() -> None:
    wrong = [one for one in release_files(catalogue.COURSE, write=False) if one.state != "same"]
    assert wrong == [], "run: minbpe-course release"


# ----------------------------------------------------------------------------------------------------
# The catalogue


@each_exercise
def test_nothing_is_wrong_with_an_exercise(exercise: Exercise) -> None:
    for rule in RULES:
        if rule not in ELSEWHERE:
            assert list(rule(exercise)) == []
    assert list(in_notebook(exercise, catalogue.exercises(exercise.lesson))) == []
    assert exercise.kind != "test" or len(exercise.mutants) >= 3


# ----------------------------------------------------------------------------------------------------
# The same in a separate process


def judged_apart(exercise: Exercise, answer: str | None = None):
    from minbpe_course.learning.grading.running import Program, RemoteCaller

    program = Program(**program_of(notebook_of(exercise.lesson), exercise.key, answer))
    with RemoteCaller(program) as caller:
        return judge(exercise, caller)


@pytest.mark.parametrize(
    "exercise",
    [pytest.param(one, marks=[] if one in FIRST else [pytest.mark.slow]) for one in ALL],
    ids=lambda exercise: exercise.key,
)
def test_the_solution_scores_full_marks_in_the_sandbox(exercise: Exercise) -> None:
    verdict = judged_apart(exercise)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict
