"""Answers without understanding earn nothing, under every secret of the teacher.

Constants, echoes, what was handed out, the first idea for an open question, tests that accept all, reject all, or toss
a coin. And the other way round: luck of the draw. A right answer has all points under every secret, a wrong one under
none, so that no two learners with the same answer get different marks. MINBPE_COURSE_LONG_TESTS=1 tries more secrets.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from minbpe_course.assignments.worthless_answers import Says, worthless_answers
from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import InProcess, run_case
from minbpe_course.checks.exercise import Exercise, Verdict
from minbpe_course.checks.judge import cases_of, judge
from minbpe_course.checks.lesson_02 import fair_merges
from minbpe_course.practice import check
from minbpe_course.practice.check import TimedCaller
from tests.checks.first_ideas import FIRST_IDEAS
from tests.checks.learners_answers import written
from tests.shared.lesson_code import names_after, solution_of, solved

pytestmark = pytest.mark.medium

SECRETS = ["practice", "spring", "autumn"]
LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
RIGHT_SECRETS, WRONG_SECRETS = (25, 5) if LONG else (6, 3)

ALL = catalogue.exercises()
SHELF = written("wrong")
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)


def worth(exercise: Exercise, answer: Callable[..., Any]) -> list[Verdict]:
    return [judge(exercise, InProcess(answer, exercise.subject), secret, reveal=False) for secret in SECRETS]


@each_exercise
def test_worthless_answers_earn_nothing(exercise: Exercise) -> None:
    """Constants (the likeliest are those that are wanted somewhere), echoes, and tests that test nothing."""
    for secret in SECRETS:
        for what, caller in worthless_answers(exercise, secret):
            assert judge(exercise, caller, secret).points == 0, what


# ----------------------------------------------------------------------------------------------------
# The first idea for an open question


def test_there_is_a_first_idea_for_every_open_question() -> None:
    assert set(FIRST_IDEAS) == {exercise.key for exercise in ALL if exercise.kind == "design"}


@pytest.mark.parametrize(
    ("key", "name"), [(key, name) for key, ideas in FIRST_IDEAS.items() for name in ideas], ids=lambda value: value
)
def test_a_first_idea_is_worth_nothing(key: str, name: str) -> None:
    exercise = catalogue.find(key)
    for verdict in worth(exercise, FIRST_IDEAS[key][name]):
        assert verdict.points == 0, verdict


@pytest.mark.parametrize("key", FIRST_IDEAS)
def test_a_good_answer_to_other_cases_is_worth_nothing(key: str) -> None:
    """A right answer for other cases, written into the code as a constant."""
    exercise = catalogue.find(key)
    for one in cases_of(exercise, "last year")[-4:]:
        outcome = run_case(solution_of(exercise), one.case)
        for secret in SECRETS:
            assert judge(exercise, Says(outcome), secret).points == 0


def test_a_list_for_all_the_languages_of_the_course_is_worth_nothing() -> None:
    """The text of the course is public: training on all of it gives a good list, but not in these letters."""
    exercise = catalogue.find("02.fair_merges")
    everything = {name: "".join(fair_merges.sentences(name)).encode("utf-8") for name in fair_merges.LANGUAGES}
    everything["English"] = fair_merges.stories()[:3000].encode("utf-8")
    merges = fair_merges.train_for_the_worst_off(everything, fair_merges.MERGES)
    assert [verdict.points for verdict in worth(exercise, lambda texts, number: merges)] == [0] * len(SECRETS)


# ----------------------------------------------------------------------------------------------------
# Luck of the draw


@each_exercise
def test_a_right_answer_has_all_points_under_every_secret(exercise: Exercise) -> None:
    """Of a test, which has no cases to draw, the secret decides only about the order of what it is tried on."""
    answer = solution_of(exercise)
    for turn in range(WRONG_SECRETS if exercise.kind == "test" and not LONG else RIGHT_SECRETS):
        verdict = judge(exercise, InProcess(answer, exercise.subject), f"secret {turn}")
        assert (verdict.state, verdict.points) == ("done", exercise.points), (turn, verdict)


@each_exercise
def test_a_wrong_answer_has_the_same_points_under_every_secret(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in [wrong for wrong in SHELF if wrong.key == exercise.key]:
        # Stop an endless answer soon, and give every other one time on a busy machine.
        monkeypatch.setattr(check, "LONGEST_CALL", 0.5 if wrong.hint == "too slow" else 10.0)
        answer = names_after([wrong.code], dict(solved(exercise.lesson)))[exercise.entry]
        for turn in range(1 if wrong.hint == "too slow" else WRONG_SECRETS):
            caller = TimedCaller(InProcess(answer, exercise.subject))
            verdict = judge(exercise, caller, f"secret {turn}", reveal=False)
            assert (verdict.state, verdict.points) == (wrong.state, wrong.points), (wrong.name, turn, verdict)
            if exercise.kind not in ("test", "design") and verdict.hidden:
                # A single drawn case that fails is luck, unless it is drawn every time; then it may as well be shown.
                assert sum(verdict.failures.values()) > 1, (wrong.name, turn, verdict)
