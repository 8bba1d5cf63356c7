"""Every exercise gives a verdict on any answer: soon, without an error, without points, in few words.

The rules of an exercise (``accept``, ``measure``, ``when``, ``like``) run in the grader's own process. Here each of
them is given odd values: as constants, in turn, and as right answers with one change.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import InProcess, run_case
from minbpe_course.checks.equality import same
from minbpe_course.checks.exercise import Case, Exercise, Outcome, Verdict
from minbpe_course.checks.judge import ROOM, cases_of, judge
from minbpe_course.checks.plain_values import from_json, plain, to_json
from minbpe_course.practice.check import cut_after
from minbpe_course.visual.verdicts import VerdictView
from tests.shared.lesson_code import lesson_names, notebook_of

pytestmark = pytest.mark.medium

HANGS = 30  # seconds; not a measure of speed, only an end for what would never end
SECRET = "a secret"
LONGEST = {"yours": 700, "given": 5_000, "wanted": 700, "difference": 250, "hint": 1_500, "note": 300, "category": 100}

ANSWERED = [exercise for exercise in catalogue.exercises() if exercise.kind != "test"]
each_answered = pytest.mark.parametrize("exercise", ANSWERED, ids=lambda exercise: exercise.key)
TESTS = [exercise for exercise in catalogue.exercises() if exercise.kind == "test"]
each_test = pytest.mark.parametrize("exercise", TESTS, ids=lambda exercise: exercise.key)


def _nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = []
    for _ in range(depth):
        value = wrap(value)
    return value


ODD_KEYS = {None: 1, True: 2, 1.5: 3, "": 4, b"": 5, (): 6, ((1,), "a", None): 7, -1: [8], float("nan"): 9, 10**50: 10}

MONSTERS: dict[str, Any] = {
    "None": None,
    "true": True,
    "a huge integer": 10**4000,
    "a huge negative one": -(10**4000),
    "minus one": -1,
    "beyond 64 bits": 2**64,
    "minus zero": -0.0,
    "infinity": float("inf"),
    "no number": float("nan"),
    "no text": "",
    "half a pair": "\ud800",
    "halves, NUL, right to left": "\udc00\ud800\x00\u202e\u200d\x1b[31m\ufeff" * 9,
    "markup": "<script>&</script>`%s{}\\" * 9,
    "a digit": "1",
    "a text of a megabyte": "▁a" * 500_000,
    "as long a text as there is room for": "▁a" * (ROOM // 2 - 1),
    "no bytes": b"",
    "bytes that are no text": bytes(range(256)),
    "as many bytes as there is room for": b"\x0e\x0f\x10\x11\xff" * (ROOM // 5 - 1),
    "nothing but first bytes": b"\x0a" * (ROOM - 1),
    "marks of more to come": b"\xff" * (ROOM - 1),
    "an empty list": [],
    "an empty tuple": (),
    "an empty dict": {},
    "an empty set": set(),
    "a list of nothing": [None],
    "a list of lists": [[]],
    "numbers": [1, 2, 3],
    "numbers below zero": [-1, -(2**70)],
    "numbers that are none": [float("nan"), float("-inf"), -0.0],
    "truth values": [True, False],
    "huge numbers": [10**4000] * 9,
    "a long list": [0] * 100_000,
    "as long a list as there is room for": list(range(ROOM - 1)),
    "the same pair, again and again": [(97, 97)] * (ROOM // 3 - 1),
    "pairs that build on each other": [(97, 97), *((at, at) for at in range(256, 3_000))],
    "pairs of numbers from nowhere": [(10**30, -5), (2.5, True), (None, None)],
    "pairs and others": [(1, 2), (1,), (), (1, 2, 3), "ab", b"ab", 5, None, [1, 2], {1: 2}],
    "texts": ["a", "b"],
    "odd texts": ["\ud800", "", "\x00", "▁" * 40, "a" * 5_000],
    "texts for bytes": ["ab", "\xff", b"ab"],
    "many short texts": ["a"] * (ROOM // 2 - 1),
    "many different texts": [f"{at:x}" for at in range(2_000)],
    "many words of one byte": [b"a"] * (ROOM // 2 - 1),
    "one long word": [b"ab" * (ROOM // 2 - 1)],
    "long words in turn": [b"a" * 4_000, b"ab" * 2_000],
    "a dict of everything": ODD_KEYS,
    "a long dict": {at: str(at) for at in range(2_000)},
    "a dict of pairs": {(1, 2): 3, (3, 4): -1},
    "a dict of lists of dicts": {"a": [{"b": [{}]}]},
    "a set of everything": {1, "a", b"a", (1, 2), None, 2.5},
    "deep lists": _nested(55, lambda inner: [inner]),
    "deep tuples beside each other": _nested(12, lambda inner: (inner, inner)),
    "deep dicts": _nested(50, lambda inner: {"a": inner}),
    "pieces of a stream": [[("a", None)], [("<|end|>", 300)], []],
    "no pieces of a stream": [[("a",)], [5], None, "ab", [(None, None)], [("", 0)], [[1, 2]]],
    "pieces of a model": [("a", 0.0, 1), ("", float("nan"), -1), ("b", None)],
    "everything in a list": [None, True, 1, -1.5, "a", b"a", [], (), {}, set(), [[1]], ("a", 1)],
}

REFUSED = {
    "an integer of 16,000 bits": 10**5000,
    "deeper than is read": _nested(70, lambda inner: [inner]),
    "an object": object(),
    "a class": dict,
    "a dict with a list inside a key": {(1, range(2)): 1},
    "an object with a great name": type("N" * 10_000, (), {})(),
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
# Constants


def test_every_odd_value_survives_the_way_from_the_sandbox() -> None:
    """Each goes through the line between the sandbox and the grader as it is."""
    for name, monster in MONSTERS.items():
        assert repr(from_json(to_json(plain(monster)))) == repr(monster) or isinstance(monster, set), name


@each_answered
def test_no_constant_is_worth_a_point(exercise: Exercise) -> None:
    for name, monster in MONSTERS.items():
        earned(exercise, held(exercise, Says(monster)), name)


@pytest.mark.parametrize("exercise", [one for one in ANSWERED if one.shown[0].script], ids=lambda one: one.key)
def test_no_class_with_constant_methods_is_worth_a_point(exercise: Exercise) -> None:
    lengths = {len(one.case.script) for one in cases_of(exercise, SECRET)}
    assert len(lengths) > 1

    class Scripted(Says):
        def call(self, case: Case) -> Outcome:
            return Outcome("value", [next(self.values) for _ in case.script])

    for name, monster in MONSTERS.items():
        earned(exercise, held(exercise, Scripted(monster)), name)
    earned(exercise, held(exercise, Scripted(*MONSTERS.values())), "by turns")


@each_answered
def test_values_that_are_not_plain_are_refused(exercise: Exercise) -> None:
    for name, value in REFUSED.items():
        verdict = held(exercise, InProcess(_class_or_function(exercise, value)))
        earned(exercise, verdict, name)
        assert verdict.mistake, name


def _class_or_function(exercise: Exercise, value: Any) -> Any:
    if not exercise.shown[0].script:
        return lambda *arguments: value
    methods = {name: lambda self, *arguments: value for name, _ in exercise.shown[0].script}
    return type(exercise.entry, (), {"__init__": lambda self, *arguments: None, **methods})


# ----------------------------------------------------------------------------------------------------
# By turns, and other ends than a value


@each_answered
def test_no_series_of_constants_is_worth_a_point(exercise: Exercise) -> None:
    values = list(MONSTERS.values())
    for start in range(0, len(values), 13):
        turned = values[start:] + values[:start]
        earned(exercise, held(exercise, Says(*turned)), start)
        earned(exercise, held(exercise, Says(*turned[:3]), reveal=False), start)


OUTCOMES = [
    Outcome("raised", error="", message=""),
    Outcome("raised", error="E" * 60, message="\ud800\x00\u202e" * 150, bases=("E" * 60, "Exception")),
    Outcome("raised", error="IndexError", message="m" * 500, bases=("IndexError", "LookupError", "Exception")),
    Outcome("raised", error="KeyError", message="3", bases=("KeyError", "LookupError", "Exception")),
    Outcome("raised", error="Exception", bases=("Exception",)),
    Outcome("refused", error="NotPlain", message="the answer is an object of type X"),
    Outcome("refused"),
    Outcome("too slow", seconds=5.0),
    Outcome("lost"),
    Outcome("value", None),
]


@each_answered
def test_no_call_without_a_value_is_worth_a_point(exercise: Exercise) -> None:
    for outcome in OUTCOMES:
        earned(exercise, held(exercise, Says(outcome)), outcome)
        earned(exercise, held(exercise, Says(outcome, Outcome("value", [])), reveal=False), outcome)


# ----------------------------------------------------------------------------------------------------
# Right answers, spoiled


def _spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing wrong in it, in every way that fits its type."""
    yield "within a list", [value]
    yield "as text", repr(value)
    if isinstance(value, bool) or value is None:
        yield "the other one", not value
    elif isinstance(value, (int, float)):
        yield "one more", value + 1
        yield "with another sign", -value - 1
    elif isinstance(value, (str, bytes)):
        yield "reversed", value[::-1]
        yield "twice", value * 2
        yield "without its end", value[:-1]
        yield (
            "of the other kind",
            value.encode("utf-8", "replace") if isinstance(value, str) else value.decode("latin-1"),
        )
    elif isinstance(value, (list, tuple)):
        yield "reversed", value[::-1]
        yield "twice", value * 2
        yield "without its end", value[:-1]
        for at in sorted({0, len(value) // 2, len(value) - 1} - {-1}) if value else ():
            for name, item in [("None", None), ("-1", -1), *itertools.islice(_spoiled(value[at]), 4)]:
                yield f"item {at} {name}", [*value[:at], item, *value[at + 1 :]]
    elif isinstance(value, dict):
        yield "reversed", dict(reversed(value.items()))
        yield "without values", dict.fromkeys(value)
        yield "the other way round", {repr(item): key for key, item in value.items()}
        yield "without its end", dict(list(value.items())[:-1])
        yield "the items", list(value.items())


@pytest.fixture(scope="module")
def right_answers() -> Callable[[Exercise], dict[int, Outcome]]:
    """A function that returns the outcomes of the solution by the id of the case; each lesson runs once."""
    names: dict[str, dict[str, Any]] = {}

    def answers(exercise: Exercise) -> dict[int, Outcome]:
        if exercise.lesson not in names:
            names[exercise.lesson] = lesson_names(notebook_of(exercise.lesson))
        entry = names[exercise.lesson][exercise.entry]
        return {id(one.case): run_case(entry, one.case) for one in cases_of(exercise, SECRET)}

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


# ----------------------------------------------------------------------------------------------------
# Tests that the learner writes


@each_test
def test_the_return_value_of_a_learners_test_does_not_matter(exercise: Exercise) -> None:
    for name, value in [*list(MONSTERS.items())[::12], *REFUSED.items()]:
        verdict = held(exercise, InProcess(lambda subject, value=value: value, exercise.subject))
        earned(exercise, verdict, name)
        assert verdict.mistake.startswith("misses:")


@each_test
def test_a_learners_test_that_never_returns_earns_nothing(exercise: Exercise) -> None:
    for outcome in OUTCOMES:
        earned(exercise, held(exercise, Says(outcome)), outcome)
        earned(exercise, held(exercise, Says(Outcome("value"), outcome)), outcome)
