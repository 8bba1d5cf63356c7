"""Every exercise gives a verdict on any answer: soon, without an error, without points, in few words.

The rules of an exercise (``accept``, ``measure``, ``when``, ``like``) run in the grader's own process. Here each of
them is given hostile values: as constants, in turn, and as right answers with one change.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.equality import same
from minbpe_course.learning.judge.exercise import Case, Exercise, Outcome, Verdict
from minbpe_course.learning.judge.judge import ROOM, cases_of, judge
from minbpe_course.learning.judge.plain_values import from_json, plain, to_json
from minbpe_course.learning.practice.check import cut_after
from minbpe_course.learning.practice.views.verdicts import VerdictView
from tests.shared.lesson_code import solution_of

pytestmark = pytest.mark.medium

HANGS = 30  # seconds; not a measure of speed, only an end for what would never end
SECRET = "a secret"
LONGEST = {"yours": 700, "given": 5_000, "wanted": 700, "difference": 250, "hint": 1_500, "note": 300, "category": 100}

ANSWERED = [exercise for exercise in catalogue.exercises() if exercise.kind != "test"]
each_answered = pytest.mark.parametrize(
    "exercise",
    [pytest.param(one, marks=[pytest.mark.slow] if one.key == "07.learn_from_words" else []) for one in ANSWERED],
    ids=lambda exercise: exercise.key,
)


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = (value, value)
    return value


HOSTILE: dict[str, Any] = {
    "a huge integer": 10**4000,
    "as long a text as there is room for": "\ud800\x00\u202e\x1b[31m▁a" * (ROOM // 10 - 1),
    "as many bytes as there is room for": b"\x0e\x0f\x10\x11\xff" * (ROOM // 5 - 1),
    "as long a list as there is room for": list(range(ROOM - 1)),
    "pairs that build on each other": [(97, 97), *((at, at) for at in range(256, 3_000))],
    "a dict with odd keys": {None: 1, True: 2, "": 4, b"": 5, ((1,), "a", None): 7, float("nan"): 9, 10**50: [10]},
    "deep tuples beside each other": _nested(12),
    "everything in a list": [None, True, -(2**70), float("nan"), "a", b"a", [], (), {}, set(), [[1]], ("a", 1)],
}


class Says:
    """A caller that answers with the same value or outcome every time, or with the next of several."""

    def __init__(self, *values: Any) -> None:
        self.values = itertools.cycle(values)

    def call(self, case: Any) -> Outcome:
        value = next(self.values)
        return value if isinstance(value, Outcome) else Outcome("value", value)

    try_test = call


def held(exercise: Exercise, caller: Any, *, reveal: bool = True) -> Verdict:
    """The verdict, which came in time and says everything in few words that can be shown."""
    verdict = cut_after(HANGS, lambda: judge(exercise, caller, SECRET, reveal=reveal))
    assert verdict is not None, "the judge was stopped"
    for name, most in LONGEST.items():
        assert len(getattr(verdict, name)) <= most, (name, getattr(verdict, name))
    for text in (repr(VerdictView(verdict)), VerdictView(verdict)._repr_html_()):
        assert text
        text.encode("utf-8")
    assert len(repr(verdict)) < 20_000
    return verdict


def earned(exercise: Exercise, verdict: Verdict, what: object) -> None:
    assert (verdict.points, verdict.state) in ((0, "not yet"), (0, "not started")), (exercise.key, what, verdict)


# ----------------------------------------------------------------------------------------------------
# Constants, and calls without a value


def test_every_hostile_value_survives_the_way_from_the_sandbox() -> None:
    for name, value in HOSTILE.items():
        assert repr(from_json(to_json(plain(value)))) == repr(value), name


@each_answered
def test_no_hostile_value_is_worth_a_point(exercise: Exercise) -> None:
    for name, value in HOSTILE.items():
        earned(exercise, held(exercise, Says(value)), name)
    earned(exercise, held(exercise, Says(*HOSTILE.values()), reveal=False), "by turns")


OUTCOMES = [
    Outcome("raised", error="E" * 60, message="\ud800\x00\u202e" * 150, bases=("E" * 60, "Exception")),
    Outcome("raised", error="KeyError", message="3", bases=("KeyError", "LookupError", "Exception")),
    Outcome("refused"),
    Outcome("too slow", seconds=5.0),
    Outcome("lost"),
]


@pytest.mark.parametrize("exercise", catalogue.exercises(), ids=lambda exercise: exercise.key)
def test_no_call_without_a_value_is_worth_a_point(exercise: Exercise) -> None:
    for outcome in OUTCOMES:
        earned(exercise, held(exercise, Says(outcome)), outcome)
        earned(exercise, held(exercise, Says(outcome, Outcome("value", [])), reveal=False), outcome)


# ----------------------------------------------------------------------------------------------------
# Right answers, spoiled


def _spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing wrong in it, in every way that fits its type."""
    yield "within a list", [value]
    if isinstance(value, bool) or value is None:
        yield "the other one", not value
    elif isinstance(value, (int, float)):
        yield "one more", value + 1
    elif isinstance(value, dict):
        yield "without its end", dict(list(value.items())[:-1])
        yield "without values", dict.fromkeys(value)
    elif isinstance(value, (set, frozenset)):
        yield "without one", set(sorted(value)[1:])
        yield "with one more", {*value, "another"}
    else:
        yield "reversed", value[::-1]
        yield "without its end", value[:-1]
        if value and isinstance(value, (list, tuple)):
            for name, item in itertools.islice(_spoiled(value[-1]), 2):
                yield f"last item {name}", [*value[:-1], item]


@pytest.fixture(scope="module")
def right_answers() -> Callable[[Exercise], dict[int, Outcome]]:
    """A function that returns the outcomes of the solution by the id of the case."""

    def answers(exercise: Exercise) -> dict[int, Outcome]:
        return {id(one.case): run_case(solution_of(exercise), one.case) for one in cases_of(exercise, SECRET)}

    return answers


class _Spoils(Says):
    def __init__(self, answers: dict[int, Outcome], which: int) -> None:
        self.answers, self.which = answers, which
        self.all_right = True

    def call(self, case: Case) -> Outcome:
        if self.answers[id(case)].state == "raised":
            return self.answers[id(case)]
        value = self.answers[id(case)].value
        spoiled = list(_spoiled(value))
        _, mine = spoiled[self.which % len(spoiled)]
        self.all_right = self.all_right and same(mine, value)
        return Outcome("value", mine)


@each_answered
def test_a_right_answer_with_one_change_is_wrong(exercise: Exercise, right_answers: Any) -> None:
    answers = right_answers(exercise)
    for which in range(max(sum(1 for _ in _spoiled(right.value)) for right in answers.values())):
        caller = _Spoils(answers, which)
        verdict = held(exercise, caller)
        if exercise.measure is not None:  # part of the right answer to an open question may be a good one
            assert 0 <= verdict.points <= exercise.points
        elif exercise.accept is None:
            assert verdict.done is caller.all_right, (which, verdict)
        else:
            assert verdict.points == (exercise.points if verdict.done else 0)


@each_answered
def test_one_wrong_answer_among_right_ones(exercise: Exercise, right_answers: Any) -> None:
    """The last case decides as the first does."""
    answers = right_answers(exercise)
    cases = [one.case for one in cases_of(exercise, SECRET)]
    for wrong in (cases[0], cases[len(cases) // 2], cases[-1]):
        for monster in ([None], {"a": 1}, -1.5):
            caller = _Looks({**answers, id(wrong): Outcome("value", monster)})
            earned(exercise, held(exercise, caller), monster)


class _Looks(Says):
    def __init__(self, answers: dict[int, Outcome]) -> None:
        self.answers = answers

    def call(self, case: Case) -> Outcome:
        return self.answers[id(case)]
