"""Compare the right fronts of lesson 15 with a plain definition."""

from __future__ import annotations

import itertools
import random

import pytest

from minbpe_course.learning.exercises.lesson_15 import tests_of_front
from minbpe_course.learning.judge.callers import implementation_of

pytestmark = pytest.mark.medium


def points_of_all_kinds() -> list[list[tuple[int, int]]]:
    rng = random.Random(6)
    tried = [list(points) for size in range(4) for points in itertools.product([(0, 0), (0, 1), (1, 0)], repeat=size)]
    tried += [[(rng.randint(-5, 5), rng.randint(-5, 5)) for _ in range(rng.randint(0, 9))] for _ in range(400)]
    return tried


def test_right_fronts_agree_and_do_not_change_their_input() -> None:
    functions = [implementation_of(source, "front") for source in tests_of_front.RIGHT]
    for points in points_of_all_kinds():
        wanted = sorted(
            {
                (cost, gain)
                for cost, gain in points
                if not any(other <= cost and more >= gain and (other, more) != (cost, gain) for other, more in points)
            }
        )
        for function in functions:
            handed = list(points)
            assert list(function(handed)) == wanted
            assert handed == points
