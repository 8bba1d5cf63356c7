"""The right implementations behind "write the test" are quick enough for any sensible test of a learner's."""

from __future__ import annotations

import itertools
import sys
from random import Random
from types import FrameType
from typing import Any

import pytest

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.lesson_04.vocabularies import publish

RECOVER = catalogue.find("04.test_recover")
STEPS = 300_000  # lines and calls; each is well below a microsecond, and a run of a test may take two seconds


@pytest.mark.parametrize("number", range(len(RECOVER.right)))
def test_three_hundred_merges_are_recovered_in_few_steps(number: int) -> None:
    random = Random(1)
    words = [bytes(random.choices(range(97, 110), k=random.randint(2, 12))) for _ in range(400)]
    published = publish(words, list(range(256)), 300)
    recover = implementation_of(RECOVER.right[number], RECOVER.subject)
    assert len(published.merges) == 300
    assert recover(published.ranks) == published.merges
    steps = itertools.count()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        assert next(steps) < STEPS
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        recover(published.ranks)
    finally:
        sys.settrace(before)
