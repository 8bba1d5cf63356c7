"""No test touches the user's own record of progress, and none gives up on a kernel because the machine is busy."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Give the kernels of the lessons time to start; the option is only there when nbval is."""
    if hasattr(config.option, "nbval_kernel_startup_timeout"):
        config.option.nbval_kernel_startup_timeout = 1800


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
