"""Fixtures for every test: a temporary record of progress, charts without windows, and each lesson cell run twice."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Give the kernels of the lessons time to start, and let Ctrl-C reach the programs that tests run.

    A shell starts its background jobs with SIGINT ignored, and every child process inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The option is only there when nbval is.
    if hasattr(config.option, "nbval_kernel_startup_timeout"):
        config.option.nbval_kernel_startup_timeout = 1800


@pytest.fixture(scope="session", autouse=True)
def _temporary_record():
    before = os.environ.get("MINBPE_COURSE_PROGRESS")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINBPE_COURSE_PROGRESS"] = str(Path(folder, "progress.json"))
        yield
        if before is None:
            del os.environ["MINBPE_COURSE_PROGRESS"]
        else:
            os.environ["MINBPE_COURSE_PROGRESS"] = before


@pytest.fixture(autouse=True)
def _charts_without_windows(request: pytest.FixtureRequest) -> None:
    if "charts" in request.node.path.parts:
        import matplotlib

        matplotlib.use("agg")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run each cell of a notebook a second time before the next one, and compare its outputs again.

    A learner runs a cell as often as they like. The kernel is nbval's, so the second run costs only the cell itself.
    """
    result = yield
    if type(item).__module__ == "nbval.plugin":
        try:
            item.runtest()
        except Exception as problem:
            problem.args = (f"the second run of this cell failed: {problem}", *problem.args[1:])
            raise
    return result
