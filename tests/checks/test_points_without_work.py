"""Answers without understanding earn nothing, under every secret of the teacher.

Constants, echoes, what was handed out, the first idea for an open question, tests that accept all, reject all, or toss
a coin. And the other way round: luck of the draw. A right answer has all points under every secret, a wrong one under
none, so that no two learners with the same answer get different marks. MINBPE_COURSE_LONG_TESTS=1 tries more secrets.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import InProcess, run_case
from minbpe_course.checks.exercise import Case, Exercise, Outcome, Verdict
from minbpe_course.checks.judge import cases_of, judge
from minbpe_course.checks.lesson_02 import fair_merges
from minbpe_course.practice import check
from minbpe_course.practice.check import TimedCaller
from tests.checks.first_ideas import FIRST_IDEAS
from tests.checks.wrong_answers import wrong_answers
from tests.shared.lesson_code import names_after, solution_of, solved

pytestmark = pytest.mark.slow

SECRETS = ["practice", "spring", "autumn"]
LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
RIGHT_SECRETS, WRONG_SECRETS = (25, 5) if LONG else (6, 3)

ALL = catalogue.exercises()
SHELF = wrong_answers()
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)
each_answered = pytest.mark.parametrize(
    "exercise", [one for one in ALL if one.kind != "test"], ids=lambda exercise: exercise.key
)
each_test = pytest.mark.parametrize(
    "exercise", [one for one in ALL if one.kind == "test"], ids=lambda exercise: exercise.key
)


def worth(exercise: Exercise, answer: Callable[..., Any]) -> list[Verdict]:
    return [judge(exercise, InProcess(answer, exercise.subject), secret, reveal=False) for secret in SECRETS]


def is_a_class(exercise: Exercise) -> bool:
    return bool(exercise.shown and exercise.shown[0].script)


class Says:
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def call(self, case: Case) -> Outcome:
        return self.outcome

    def try_test(self, implementation: str) -> Outcome:
        return self.outcome


# ----------------------------------------------------------------------------------------------------
# Constants and echoes


@each_answered
def test_no_right_answer_to_one_case_is_right_for_all(exercise: Exercise) -> None:
    """The likeliest constants are those that are wanted somewhere; a wanted exception is one, too."""
    cases = cases_of(exercise, SECRETS[1])
    for outcome in {repr((one.wanted.value, one.wanted.error)): one.wanted for one in cases if one.wanted}.values():
        verdict = judge(exercise, Says(outcome), SECRETS[1])
        assert verdict.points == 0, outcome


def _pick(place: int) -> Callable[..., Any]:
    return lambda *arguments: arguments[place] if place < len(arguments) else None


def _listed(*arguments: Any) -> Any:
    return list(arguments[0]) if isinstance(arguments[0], (str, bytes, list, dict)) else arguments


def _emptied(*arguments: Any) -> Any:
    return type(arguments[0])()


ECHOES: dict[str, Callable[..., Any]] = {
    "the first argument": _pick(0),
    "the second": _pick(1),
    "the last": lambda *arguments: arguments[-1],
    "all of them": lambda *arguments: arguments,
    "none of it": _emptied,
    "its items": _listed,
    "sorted": lambda *arguments: sorted(_listed(*arguments), key=repr),
    "reversed": lambda *arguments: arguments[0][::-1],
    "its length": lambda *arguments: len(arguments[0]),
    "as text": lambda *arguments: str(arguments[0]),
    "as bytes": lambda *arguments: bytes(arguments[0]),
    "the first of it": lambda *arguments: arguments[0][:1],
    "raises": lambda *arguments: 1 / 0,
    "raises ValueError": lambda *arguments: int("x"),
}


@each_answered
def test_an_echo_is_worth_nothing(exercise: Exercise) -> None:
    for name, echo in ECHOES.items():
        answer = _as_class(exercise, echo) if is_a_class(exercise) else echo
        assert [verdict.points for verdict in worth(exercise, answer)] == [0] * len(SECRETS), name


def _as_class(exercise: Exercise, method: Callable[..., Any]) -> type:
    methods = {name: (lambda self, *rest: method(*(rest or [""]))) for name, _ in exercise.shown[0].script}
    return type(exercise.entry, (), {"__init__": lambda self, *arguments: None, **methods})


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
# Tests without a test in them


TESTS: dict[str, Callable[[Random], Callable[[Any], Any]]] = {
    "accepts all": lambda random: lambda subject: None,
    "rejects all": lambda random: lambda subject: 1 / 0,
    "asserts nothing": lambda random: lambda subject: "assert False",
    "rejects by a coin": lambda random: lambda subject: 1 / (random.random() < 0.5),
    "rejects now and then": lambda random: lambda subject: 1 / (random.random() < 0.9),
    "rejects mostly": lambda random: lambda subject: 1 / (random.random() < 0.1),
    "accepts the first": lambda random: _counting(lambda count: count <= 1),
    "accepts the first four": lambda random: _counting(lambda count: count <= 4),
    "accepts every other": lambda random: _counting(lambda count: count % 2 == 1),
    "rejects what has another name": lambda random: lambda subject: 1 / (subject.__name__ != ""),
    "accepts what it met before": lambda random: _met([]),
}


def _counting(accepts: Callable[[int], bool]) -> Callable[[Any], Any]:
    turns = itertools.count(1)
    return lambda subject: 1 / accepts(next(turns))


def _met(seen: list[bytes]) -> Callable[[Any], Any]:
    def test(subject: Any) -> None:
        seen.append(subject.__code__.co_code)
        assert len(set(seen)) == 1

    return test


@each_test
@pytest.mark.parametrize("name", TESTS)
def test_a_test_that_tests_nothing_is_worth_nothing(exercise: Exercise, name: str) -> None:
    for turn in range(12):
        answer = TESTS[name](Random(turn))
        verdict = judge(exercise, InProcess(answer, exercise.subject), f"{SECRETS[0]} {turn}")
        assert verdict.points == 0, (turn, verdict)


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
