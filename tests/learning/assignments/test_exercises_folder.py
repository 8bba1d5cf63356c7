"""The exercises that are really handed out: made from their sources, without answers, right where they should be right.

One lesson: ``pytest tests/learning/assignments/test_exercises_folder.py -k 02``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.learning.assignments.check_exercises import (
    RULES,
    examples,
    guesses,
    mistakes,
    problems_of_notebook,
    speed,
)
from minbpe_course.learning.assignments.normalise import normalised
from minbpe_course.learning.assignments.release import load_notebook, notebook_bytes, release
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

# The examples are in tests/learning/exercises/learners_answers; test_points_without_work.py guesses, tests/golden errs.
ELSEWHERE = (examples, guesses, mistakes, speed)

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


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_an_exercise_equals_the_release_of_its_source(path: Path) -> None:
    notebook, exercises = load_notebook(path), catalogue.exercises(path.name[:2])
    made = notebook_bytes(release(notebook, path.name, exercises))
    assert (EXERCISES / path.name).read_bytes() == made, "run: minbpe-course release"
    assert path.read_bytes() == notebook_bytes(normalised(notebook, exercises)), "run: minbpe-course release --tidy"


# ----------------------------------------------------------------------------------------------------
# The catalogue


@each_exercise
def test_nothing_is_wrong_with_an_exercise(exercise: Exercise) -> None:
    for rule in RULES:
        if rule not in ELSEWHERE:
            assert list(rule(exercise)) == []
    assert exercise.kind != "test" or len(exercise.mutants) >= 3


@pytest.mark.parametrize("lesson", LESSONS)
def test_solutions_get_full_marks_and_untouched_exercises_nothing(lesson: str) -> None:
    exercises = catalogue.exercises(lesson)
    assert list(problems_of_notebook(catalogue.COURSE, exercises, exercises)) == []


# ----------------------------------------------------------------------------------------------------
# The same in a separate process


def judged_apart(exercise: Exercise, answer: str | None = None):
    from minbpe_course.learning.grading.running import Program, RemoteCaller

    program = Program(**program_of(notebook_of(exercise.lesson), exercise.key, answer))
    with RemoteCaller(program) as caller:
        return judge(exercise, caller)


@each_exercise
def test_the_solution_scores_full_marks_in_the_sandbox(exercise: Exercise) -> None:
    verdict = judged_apart(exercise)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict
