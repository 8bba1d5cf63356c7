"""The cases named ``test_small...`` again as plain Python, where a write outside an array is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="this is the run that is started below")
def test_small_cases_without_compiling() -> None:
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-k", "test_small and not without_compiling"]
    # Plain NumPy warns where the hash functions overflow on purpose.
    options += ["-W", "ignore:overflow encountered:RuntimeWarning"]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    # Ten times the examples would take ten minutes.
    changed = {"PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1", "MINBPE_COURSE_LONG_TESTS": ""}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(Path(__file__).parent)],
        env=os.environ | changed,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
