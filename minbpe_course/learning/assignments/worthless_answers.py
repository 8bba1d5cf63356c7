"""Answers without understanding, which must earn nothing: constants, echoes of the input, tests that test nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.exercise import Caller, Case, Exercise, Outcome
from minbpe_course.learning.judge.judge import PRACTICE_SEED, cases_of


class Says:
    """A caller that gives the same outcome every time."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def call(self, case: Case) -> Outcome:
        """Return the outcome."""
        del case
        return self.outcome

    def try_test(self, implementation: str) -> Outcome:
        """Return the outcome."""
        del implementation
        return self.outcome


def worthless_answers(exercise: Exercise) -> Iterator[tuple[str, Caller]]:
    """Yield answers, each with a description: constants that some case wants, echoes of the input, tests that guess."""
    if exercise.kind == "test":
        for name, accepts in TESTS.items():
            for seed in range(3):
                yield f"a test that {name}", InProcess(_test(accepts, Random(seed).random), exercise.subject)
        return
    wanted = [one.wanted for one in cases_of(exercise, PRACTICE_SEED) if one.wanted]
    for outcome in {repr((one.value, one.error)): one for one in wanted}.values():
        what = f"returns {repr(outcome.value)[:60]}" if outcome.state == "value" else f"raises {outcome.error}"
        yield f"an answer that always {what}", Says(outcome)
    for name, echo in ECHOES.items():
        script = exercise.shown[0].script if exercise.shown else ()
        answer = _as_class(exercise.entry, [method for method, _ in script], echo) if script else echo
        yield f"an answer that returns {name}", InProcess(answer)


def _as_class(name: str, methods: list[str], echo: Callable[..., Any]) -> type:
    made = {method: (lambda self, *rest: echo(*(rest or [""]))) for method in methods}
    return type(name, (), {"__init__": lambda self, *arguments: None, **made})


def _pick(place: int) -> Callable[..., Any]:
    return lambda *arguments: arguments[place] if place < len(arguments) else None


def _listed(*arguments: Any) -> Any:
    return list(arguments[0]) if isinstance(arguments[0], (str, bytes, list, dict)) else arguments


ECHOES: dict[str, Callable[..., Any]] = {
    "the first argument": _pick(0),
    "the second argument": _pick(1),
    "the last argument": lambda *arguments: arguments[-1],
    "all arguments": lambda *arguments: arguments,
    "an empty value like the first argument": lambda *arguments: type(arguments[0])(),
    "the items of the first argument": _listed,
    "the first argument, sorted": lambda *arguments: sorted(_listed(*arguments), key=repr),
    "the first argument, reversed": lambda *arguments: arguments[0][::-1],
    "the length of the first argument": lambda *arguments: len(arguments[0]),
    "the first argument as text": lambda *arguments: str(arguments[0]),
    "the first argument as bytes": lambda *arguments: bytes(arguments[0]),
    "the beginning of the first argument": lambda *arguments: arguments[0][:1],
    "nothing, but raises ZeroDivisionError": lambda *arguments: 1 / 0,
    "nothing, but raises ValueError": lambda *arguments: int("x"),
}


def _test(accepts: Callable[..., bool], luck: Callable[[], float]) -> Callable[[Any], None]:
    met: list[bytes] = []

    def test(subject: Any) -> None:
        met.append(subject.__code__.co_code)
        assert accepts(met, luck)

    return test


# Each is given the code of all implementations so far, the newest last, and a source of chance.
TESTS: dict[str, Callable[..., bool]] = {
    "accepts all": lambda met, luck: True,
    "rejects all": lambda met, luck: False,
    "rejects by a coin": lambda met, luck: luck() < 0.5,
    "rejects now and then": lambda met, luck: luck() < 0.9,
    "rejects mostly": lambda met, luck: luck() < 0.1,
    "accepts the first": lambda met, luck: len(met) <= 1,
    "accepts the first four": lambda met, luck: len(met) <= 4,
    "accepts every other": lambda met, luck: len(met) % 2 == 1,
    "accepts what it met before": lambda met, luck: len(set(met)) == 1,
}
