"""No call is in the process of an answer before it is made."""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.sandbox.choose_sandbox import by_name
from tests.learning.grading.hostile.looking_ahead import AHEAD, FUTURE
from tests.learning.grading.hostile.world import outcomes_of, rungs, verdict_of

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
