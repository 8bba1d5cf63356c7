"""The cases named ``test_small...`` of this folder again: as plain Python, and with loops in place of vectors.

As plain Python, a write outside an array is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MODES = ("NUMBA_DISABLE_JIT=1", "MINBPE_COURSE_VECTORS=off")


@pytest.mark.parametrize(("mode", "files"), list(zip(MODES, ([""], ["test_utf8.py", "test_word_cache.py"]))))
def test_small_cases_in_another_mode(mode: str, files: list[str]) -> None:
    name, _, value = mode.partition("=")
    if any(os.environ.get(each.partition("=")[0]) == each.partition("=")[2] for each in MODES):
        pytest.skip("this is the run that is started below")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-k", "test_small and not another_mode"]
    # Plain NumPy warns where the hash functions overflow on purpose.
    options += ["-W", "ignore:overflow encountered:RuntimeWarning"]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(Path(__file__).parent / file) for file in files)],
        env=os.environ | {"PYTHONPATH": path, name: value},
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
