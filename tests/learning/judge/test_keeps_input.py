"""An exercise that asks for a new value does not accept the old one, changed; every other exercise does not look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minbpe_course.learning.grading.marking import for_report, storable
from minbpe_course.learning.judge.callers import InProcess, implementation_of
from minbpe_course.learning.judge.exercise import Case, Exercise
from minbpe_course.learning.judge.judge import judge
from tests.shared.remote_answers import opened
from tests.shared.submission_cases import exercise as small_exercise

# label -> (source of f, arguments, whether it changes them)
CALLS: dict[str, tuple[str, tuple[Any, ...], bool]] = {
    "a copy": ("def f(a): return sorted(a)", ([2, 1],), False),
    "in place": ("def f(a):\n    a.sort()\n    return a", ([2, 1],), True),
    "a list in a list": ("def f(a):\n    a[0].append(3)", ([[1], [2]],), True),
    "a dict": ("def f(a): return a.pop('b')", ({"b": 1},), True),
    "the second argument": ("def f(a, b): b.clear()", ([1], {1, 2}), True),
    "before an error": ("def f(a):\n    a.clear()\n    raise ValueError", ([1],), True),
    "something that is no plain value": ("def f(a): a.append(object)", ([1],), True),
}


@pytest.mark.parametrize("label", CALLS)
def test_a_change_of_the_arguments_is_seen_in_the_notebook_and_in_a_separate_process(label: str) -> None:
    source, args, changes = CALLS[label]
    with opened(source) as apart:
        for caller in (InProcess(implementation_of(source, "f")), apart):
            assert caller.call(Case(label, args, watched=True)).changed is changes
            assert caller.call(Case(label, args)).changed is False


def _sorting(**more: Any) -> Exercise:
    cases = (Case("two", ([1, 2],)), Case("turned", ([2, 1],)))
    return replace(small_exercise(), wanted=sorted, shown=cases[:1], drawn=lambda random: cases[1:], **more)


def _in_place(numbers: list[int]) -> list[int]:
    numbers.sort()
    return numbers


def test_only_an_exercise_that_keeps_its_input_looks_at_the_arguments() -> None:
    assert judge(_sorting(), InProcess(_in_place)).done
    assert judge(_sorting(keeps_input=True), InProcess(sorted)).done
    verdict = judge(_sorting(keeps_input=True), InProcess(_in_place))
    assert (verdict.state, verdict.mistake) == ("not yet", "changes its input")
    assert verdict.wanted == "the same answer, and the arguments as they were"


def test_a_hidden_change_is_explained_without_the_case() -> None:
    exercise = _sorting(keeps_input=True)
    mark = storable(exercise, for_report(exercise, judge(exercise, InProcess(_in_place), "a", reveal=False)))
    assert mark.hint == "The answer is right, but your code changes what it is given. Build a new list."
    assert (mark.hidden, mark.given, mark.yours, mark.wanted) == (True, "", "", "")
