"""A pytest plugin that records which test executes which line, and how long each test takes.

``RECORD_TO`` is the folder for the record, ``RECORD_PACKAGES`` the folders whose lines are recorded. Each test process
writes one file of coverage, whose contexts are the tests, and one with the seconds of each test that passed: those of
the processor, which other programs disturb little.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

FOLDER = Path(os.environ.get("RECORD_TO", "build/mutants"))
SECONDS: dict[str, float] = {}
FAILED: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Iterator[None]:
    """Begin to record, in a process that runs tests itself."""
    yield
    if getattr(session.config.option, "dist", "no") != "no" and not hasattr(session.config, "workerinput"):
        return
    packages = os.environ["RECORD_PACKAGES"].split(os.pathsep)
    cover = coverage.Coverage(
        data_file=str(FOLDER / "coverage"), data_suffix=str(os.getpid()), source=packages, config_file=False
    )
    session.config.pluginmanager.register(_Recording(cover))
    cover.start()


def _processor() -> float:
    """Return the processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


class _Recording:
    """The hooks of a process that records."""

    def __init__(self, cover: coverage.Coverage) -> None:
        self.cover = cover

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.cover.switch_context(nodeid)
        SECONDS[nodeid] = -_processor()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        SECONDS[nodeid] += _processor()
        self.cover.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            FAILED.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.cover.stop()
        self.cover.save()
        passed = {test: seconds for test, seconds in SECONDS.items() if test not in FAILED}
        (FOLDER / f"times-{os.getpid()}.json").write_text(json.dumps(passed), encoding="utf-8")
