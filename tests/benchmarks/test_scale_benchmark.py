"""Power laws are found again in made-up measurements; nothing is timed and nothing downloaded."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import zipfile
from pathlib import Path

import pytest

from benchmarks.scale import corpus
from benchmarks.scale.fits import backtests, growing, line, power
from benchmarks.scale.plan import grown

pytestmark = pytest.mark.slow

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


def test_a_line_of_relative_errors_minds_the_small_ones_too() -> None:
    fitted = line([1, 10, 1000], [2.0, 20.0, 2200.0])
    assert fitted.fixed < 0.1
    assert 2 < fitted.slope < 2.2
    assert 0.02 < fitted.error < 0.1


def test_a_wheel_becomes_documents(tmp_path: Path) -> None:
    wheel = tmp_path / "botocore-1-py3-none-any.whl"
    says = "Describes what a service does, in a sentence that is long enough to be kept. "
    digests = [hashlib.sha256(bytes([at])).hexdigest() for at in range(9)]
    catalogue = 'msgid "a"\nmsgstr "Eine Übersetzung, die lang genug ist"\n' * 40
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("a.py", "# some code\n" * 40)
        made.writestr("same.py", "# some code\n" * 40)
        made.writestr("bundle.js", "x" * 5000)
        made.writestr("numbers.csv", "123456,7890\n" * 100)
        made.writestr(
            "d.json.gz",
            gzip.compress(json.dumps([{"documentation": f"<p>{says}{digest}</p>"} for digest in digests]).encode()),
        )
        made.writestr("locale/de.po", catalogue)
    found = list(corpus.documents([wheel]))
    assert sorted(each.kind for each in found) == ["code", "english", "multilingual"], (
        "each once; no bundle, no numbers"
    )
    english = next(each.text.decode() for each in found if each.kind == "english")
    assert english.count("\n") == 9
    assert "<p>" not in english
    assert all(each.text.endswith(b"\n") for each in found)
