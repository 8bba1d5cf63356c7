"""Check that the cases of lesson 05 show what they are named after."""

from __future__ import annotations

from minbpe_course.learning.exercises.lesson_05.count_between import ALIKE, EXERCISE
from tests.shared.lesson_code import cases_under


def test_the_order_of_the_special_tokens_always_matters() -> None:
    """Else the known mistake "in-the-order-listed" would earn all points under some seeds."""
    wrong = next(mistake.like for mistake in EXERCISE.mistakes if mistake.name == "in-the-order-listed")
    cases = [case for case in cases_under(20, EXERCISE.key) if case.category == ALIKE]
    assert len(cases) >= 20
    for case in cases:
        assert callable(wrong)
        assert wrong(*case.args) != EXERCISE.wanted(*case.args), case.args
