"""Compare the answers of lesson 15 with NumPy, the package and a plain definition."""

from __future__ import annotations

import itertools
import random
from functools import partial

import numpy as np
import pytest

from minbpe_course.learning.exercises.lesson_15 import efficiency, gini, tests_of_front
from minbpe_course.learning.judge.callers import implementation_of
from minbpe_course.reference import measures
from tests.shared.lesson_code import cases_under

pytestmark = pytest.mark.medium

drawn = partial(cases_under, 6)


def test_gini_is_the_mean_difference_of_all_pairs_of_people() -> None:
    for case in drawn("15.gini"):
        costs, people = (np.array(numbers, dtype=float) for numbers in case.args)
        wanted = people @ np.abs(costs[:, None] - costs) @ people / (2 * people.sum() * (people @ costs))
        assert gini.gini(*case.args) == pytest.approx(wanted, abs=1e-12)


def test_efficiency_is_that_of_the_package() -> None:
    for case in drawn("15.efficiency"):
        if case.category != "fewer than two tokens in use":
            assert efficiency.efficiency(*case.args) == pytest.approx(measures.renyi_efficiency(*case.args), abs=1e-12)


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
