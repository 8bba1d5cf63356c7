"""Every exercise has wrong answers, and every hint has been tried on one.

A mistake carries its wrong answer itself (``like=``). The folder ``learners_answers`` holds further ones: other code
for a known mistake, mistakes that are recognised by a look at the case (``when=``) and carry no example, and those
that are not recognised at all. ``tests/golden`` compares the verdict on each of them with the stored one.
"""

from __future__ import annotations

import pytest

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from tests.learning.exercises.learners_answers import written

pytestmark = pytest.mark.medium

FEWEST_WRONG = 3
WRITTEN = written("wrong")

EXERCISES = catalogue.exercises()
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.key)


@each_exercise
def test_there_are_wrong_answers_to_every_exercise(exercise: Exercise) -> None:
    names = [wrong.name for wrong in WRITTEN if wrong.key == exercise.key]
    assert len(set(names)) == len(names)
    assert len(names) + sum(mistake.like is not None for mistake in exercise.mistakes) >= FEWEST_WRONG


@each_exercise
def test_every_hint_is_given_to_a_wrong_answer(exercise: Exercise) -> None:
    tried = {wrong.hint for wrong in WRITTEN if wrong.key == exercise.key}
    assert [one.name for one in exercise.mistakes if one.like is None and one.name not in tried] == []
    assert all(one.hint for one in exercise.mistakes)
