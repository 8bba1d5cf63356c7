"""The laws that the plan for large corpora is made of are found again in made-up numbers; nothing is timed."""

from __future__ import annotations

import math

import pytest

from benchmarks.scale.fits import backtests, growing, power
from benchmarks.scale.plan import grown

pytestmark = pytest.mark.medium

STEPS = [10 ** (6 + step / 8) for step in range(25)]


def test_a_power_law_is_found_again_and_its_predictions_are_right() -> None:
    fitted = power(STEPS, [4 * size**0.6 for size in STEPS])
    assert math.isclose(fitted.scale, 4)
    assert math.isclose(fitted.exponent, 0.6)
    assert fitted.exponent_error() < 1e-9
    assert fitted.band(1e13) < 1.000001
    assert all(math.isclose(test.off, 1) for test in backtests(STEPS, [4 * size**0.6 for size in STEPS], 8))


def test_a_curve_that_bends_has_a_wide_band() -> None:
    bent = [math.exp(0.9 * math.log(size) - 0.01 * math.log(size) ** 2) for size in STEPS]
    found = grown(STEPS, bent)
    assert found.errors.drift > 0, "every fit on a beginning says too many"
    assert math.isclose(found.errors.bend, 0.01, rel_tol=0.3), "and the farther out, the more"
    assert found.factor(1e13) > found.factor(1e11) > 1
    assert found(1e12) / found.factor(1e12) / 1.05 < math.exp(0.9 * math.log(1e12) - 0.01 * math.log(1e12) ** 2)
    assert growing([]).rate == math.inf, "who has not tried knows nothing"
