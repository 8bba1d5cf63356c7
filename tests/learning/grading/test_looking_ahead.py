"""No call is in the process of an answer before it is made, and no drawn case comes back to the learner."""

from __future__ import annotations

import builtins
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import pytest

from minbpe_course.learning.grading.marking import mark
from minbpe_course.learning.grading.sandbox.choose_sandbox import by_name
from minbpe_course.learning.judge.catalogue import find
from minbpe_course.learning.judge.judge import cases_of
from minbpe_course.learning.submissions.notebook_cells import Answer, Question
from tests.learning.grading.hostile.looking_ahead import AHEAD, FUTURE
from tests.learning.grading.hostile.world import SEED, outcomes_of, rungs, verdict_of
from tests.shared.submission_cases import Local

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", FUTURE)
def test_future_calls_cannot_be_found(name: str, rung: str) -> None:
    key, source = FUTURE[name]
    verdict = verdict_of(source, by_name(rung), key=key)
    assert verdict.points == 0, verdict


@pytest.mark.parametrize("rung", rungs())
def test_no_case_is_on_its_way_before_the_last_one_is_answered(rung: str) -> None:
    verdict, outcomes = outcomes_of(AHEAD, by_name(rung), key="06.signed")
    assert {outcome.value for outcome in outcomes} == {""}, verdict


# ----------------------------------------------------------------------------------------------------
# An answer cannot choose what the learner's report says about a drawn case

MARK = "Quetzalcoatl"


class NotPlainAtAll:
    """Refused: the message names the type."""


NotPlainAtAll.__name__ = MARK


def _raise(error: type[BaseException]) -> Any:
    raise type(MARK, (error,), {})(MARK)


WAYS = {
    "returns it": lambda: MARK,
    "returns an object of it": NotPlainAtAll,
    "raises it": lambda: _raise(ValueError),
    "raises it as a blank": lambda: _raise(NotImplementedError),
    "raises it as an assert": lambda: _raise(AssertionError),
}


@pytest.mark.parametrize("key", ["02.merge", "05.allowed_set"])
@pytest.mark.parametrize("way", WAYS)
def test_a_report_quotes_nothing_that_an_answer_does_on_drawn_cases(key: str, way: str) -> None:
    exercise = find(key)
    right = {repr(one.case.args): one.wanted for one in cases_of(exercise, SEED) if not one.drawn}

    def answer(*args: Any) -> Any:
        known = right.get(repr(args))
        if known is None:
            return WAYS[way]()
        if known.state == "raised":
            raise getattr(builtins, known.error)
        return known.value

    @contextmanager
    def opened(question: Question, answered: Answer, helpers: tuple = ()):
        yield Local(answer)

    made = mark(Question(exercise, ""), Answer("a source"), opened, SEED)
    assert made.state == "not yet"
    assert MARK not in repr(asdict(made))
