"""No test, and no example of a docstring, touches somebody's own record of progress."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def _record_of_nobody():
    before = os.environ.get("MINBPE_COURSE_PROGRESS")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINBPE_COURSE_PROGRESS"] = str(Path(folder, "progress.json"))
        yield
        if before is None:
            del os.environ["MINBPE_COURSE_PROGRESS"]
        else:
            os.environ["MINBPE_COURSE_PROGRESS"] = before
