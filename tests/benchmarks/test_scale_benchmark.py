"""The plan for large corpora follows from made-up slopes as it should; nothing is timed and nothing downloaded."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks.scale.fits import backtests, growing, power
from benchmarks.scale.plan import SIZES, driver_waits, grown, model_of, plan

pytestmark = pytest.mark.medium

STEPS = [10 ** (6 + step / 8) for step in range(25)]


def made_up() -> dict[str, Any]:
    """Numbers of a run on a machine where every law holds exactly."""
    distinct = [4 * size**0.6 for size in STEPS]
    grew: dict[str, Any] = {
        "bytes": STEPS, "distinct": [int(each) for each in distinct], "kept": [int(12 * each) for each in distinct],
        "words": [int(size / 5) for size in STEPS], "seconds": [size / 3e8 for size in STEPS],
        "rare": {"2": {"words": 10, "occurrences": 10, "bytes": 90}},
        "ranks": {"rank": list(range(1, 60_000, 50)), "count": [int(1e6 / rank) + 5 for rank in range(1, 60_000, 50)]},
    }  # fmt: skip
    grew |= {f"from {least}": [int(each / least) for each in distinct] for least in (2, 3, 5, 10, 100)}
    kind = {"bytes": 4e7, "seconds": [0.1] * 5, "decoding": 0.1, "distinct": 1000, "words": 8_000_000}
    merges = [
        {
            "size": size, "fan_in": fan, "seconds": [1e-7 * fan * size] * 3, "words_in": fan * size,
            "words_of_run": size, "sorting": 2e-7 * size,
        }
        for size in (20_000, 90_000)
        for fan in (2, 4)
    ]  # fmt: skip
    files = [
        {"distinct": each, "file": int(10 * each), "writing": 1e-7 * each, "loading": 1e-7 * each}
        for each in (10_000, 100_000, 1_000_000)
    ]
    trained = [{"distinct": each, "seconds": [1e-6 * each] * 3, "added": 2e-4 * each} for each in (10**5, 10**6, 10**7)]
    return {
        "price": 0.05,
        "sizes": {"english": 10**8, "code": 9 * 10**8},
        "kinds": {"english": kind, "all": {**kind, "seconds": [0.2] * 5}},
        "parts": {"english": {"bytes": 4e7, "seconds": [0.2] * 3}, "all": {"bytes": 4e7, "seconds": [0.3] * 3}},
        "growth": {"english": grew, "all": grew},
        "reduced": {"merges": merges},
        "files": {"files": files},
        "trained": trained,
    }  # fmt: skip


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


@pytest.mark.parametrize("size", SIZES)
def test_more_cores_make_counting_shorter_and_nothing_else(size: float) -> None:
    model = model_of(made_up())
    few, many = plan(model, size, 2), plan(model, size, 64)
    assert math.isclose(few.counting, 32 * many.counting)
    assert (few.driver, few.training, few.moved) == (many.driver, many.training, many.moved)
    assert many.partitioned() < many.seconds
    assert few.price(0.05) > 0
    assert math.isclose(driver_waits(model, size) * plan(model, size, 1).driver, plan(model, size, 1).counting)
