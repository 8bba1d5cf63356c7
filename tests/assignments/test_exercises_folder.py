"""The exercises that are really handed out: made from their sources, without answers, right where they should be right.

One lesson: ``pytest tests/assignments/test_exercises_folder.py -k 02``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from minbpe_course.assignments.check_exercises import RULES, examples, guesses, mistakes, problems_of_notebook, speed
from minbpe_course.assignments.markers import answer_lines, survives
from minbpe_course.assignments.normalise import normalised
from minbpe_course.assignments.parts import source_of
from minbpe_course.assignments.release import load_notebook, notebook_bytes, release
from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.checks.judge import RIGHT, judge
from minbpe_course.practice import check
from minbpe_course.practice.check import judged
from tests.checks.learners_answers import Written, written
from tests.shared.lesson_code import (
    EXERCISES,
    SOLUTIONS,
    names_after,
    notebook_of,
    parts_of,
    program_of,
    solved,
)

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

LESSONS = catalogue.lessons()
ALL = catalogue.exercises()
SHELF = written("wrong")
FEWEST_EXERCISES = 3
KINDS = {"fill", "write", "repair", "match", "design"}

# The examples are in tests/checks/learners_answers; test_points_without_work.py guesses, test_known_mistakes.py errs.
ELSEWHERE = (examples, guesses, mistakes, speed)

each_lesson = pytest.mark.parametrize("lesson", LESSONS)
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)
each_wrong_answer = pytest.mark.parametrize("wrong", SHELF, ids=lambda wrong: f"{wrong.key} {wrong.name}")


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


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_no_line_of_an_answer_survives_in_any_exercise(path: Path) -> None:
    lines = [
        line for _, role, source in parts_of(load_notebook(path)) if role == "answer" for line in answer_lines(source)
    ]
    assert len(lines) >= len(catalogue.exercises(path.name[:2])), "there must be something to look for"
    released = {
        (other.name, cell["id"]): source_of(cell)
        for other in EXERCISES.glob("*.ipynb")
        for cell in load_notebook(other)["cells"]
    }
    found = [
        f"{line!r} in {name}, cell {cell_id}"
        for line in lines
        for (name, cell_id), source in released.items()
        # A line such as "else:" gives nothing away in another notebook.
        if survives(line, source) and (name == path.name or tells_something(line))
    ]
    assert found == []


def tells_something(line: str) -> bool:
    """Whether a line that is also in another lesson's exercise could be recognised as an answer."""
    return len(line) >= 30


# ----------------------------------------------------------------------------------------------------
# The catalogue


@each_lesson
def test_a_lesson_has_exercises_of_several_kinds(lesson: str) -> None:
    exercises = catalogue.exercises(lesson)
    assert len(exercises) >= FEWEST_EXERCISES
    assert len({exercise.kind for exercise in exercises}) > 1
    assert len({exercise.difficulty for exercise in exercises}) > 1, "some are easier than others"


def test_the_course_has_exercises_of_all_kinds() -> None:
    assert {exercise.kind for exercise in ALL} >= KINDS


def test_learners_write_tests_too() -> None:
    assert sum(exercise.kind == "test" for exercise in ALL) >= 2 or len(LESSONS) < 6


def test_keys_and_entries_are_unique() -> None:
    assert [key for key, count in Counter(exercise.key for exercise in ALL).items() if count > 1] == []
    # The answers to lessons 01 to 05 become one module.
    entries = Counter(exercise.entry for exercise in ALL if exercise.lesson <= "05")
    assert [entry for entry, count in entries.items() if count > 1] == []


@each_exercise
def test_nothing_is_wrong_with_an_exercise(exercise: Exercise) -> None:
    for rule in RULES:
        if rule not in ELSEWHERE:
            assert list(rule(exercise)) == []
    assert exercise.kind != "test" or len(exercise.mutants) >= 3


@each_lesson
def test_solutions_get_full_marks_and_untouched_exercises_nothing(lesson: str) -> None:
    exercises = catalogue.exercises(lesson)
    assert list(problems_of_notebook(catalogue.COURSE, exercises, exercises)) == []


# ----------------------------------------------------------------------------------------------------
# Wrong answers


@each_wrong_answer
def test_a_wrong_answer_gets_its_hint(wrong: Written, monkeypatch) -> None:
    monkeypatch.setattr(check, "LONGEST_CALL", 1.0)
    exercise = catalogue.find(wrong.key)
    names = names_after([wrong.code], dict(solved(exercise.lesson)))
    verdict, _ = judged(exercise, names[exercise.entry])
    assert (verdict.state, verdict.mistake, verdict.points) == (wrong.state, wrong.hint, wrong.points), verdict
    assert bool(verdict.hint) == (verdict.mistake not in ("", "untouched", "below the level"))
    assert verdict.hint or verdict.note or verdict.yours, "without a hint the verdict shows what differs"


# ----------------------------------------------------------------------------------------------------
# The same in a separate process


def judged_apart(exercise: Exercise, answer: str | None = None):
    from minbpe_course.grading.running import Program, RemoteCaller

    program = Program(**program_of(notebook_of(exercise.lesson), exercise.key, answer))
    with RemoteCaller(program) as caller:
        return judge(exercise, caller)


@each_exercise
def test_the_solution_scores_full_marks_in_the_sandbox(exercise: Exercise) -> None:
    verdict = judged_apart(exercise)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict


@pytest.mark.parametrize(
    "wrong", [wrong for wrong in SHELF if wrong.hint != "too slow"][::7], ids=lambda wrong: f"{wrong.key} {wrong.name}"
)
def test_a_wrong_answer_gets_its_hint_in_the_sandbox(wrong: Written) -> None:
    verdict = judged_apart(catalogue.find(wrong.key), wrong.code)
    assert (verdict.state, verdict.mistake, verdict.points) == (wrong.state, wrong.hint, wrong.points), verdict


def test_the_sample_is_not_empty() -> None:
    assert SHELF
    assert RIGHT.name not in {wrong.hint for wrong in SHELF}
