"""Settings of every test run: a temporary record of progress, charts without windows, and the long run.

``MINBPE_COURSE_LONG_TESTS=1`` asks for the long run, as ``make test-slow`` does: each cell of a lesson twice, and ten
times the examples of Hypothesis (``tests/shared/long_run.py``).
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
# The files that take longest. Each runs in one process, so the last one to start would run alone.
LONGEST = ("19_beyond_bpe.ipynb", "03_regex_splitting.ipynb", "test_site.py", "test_browser_lessons.py")


def pytest_configure(config: pytest.Config) -> None:
    """End the run when a test process crashes, bound kernels, and let Ctrl-C reach the programs that tests run.

    A shell starts its background jobs with SIGINT ignored, and every child process inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The small models of the lessons gain nothing from a second thread, and its waiting slows down other tests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # xdist 3.8 may wait forever after it has replaced a process that crashed (pytest-dev/pytest-xdist#1378). Without a
    # replacement, the run ends soon and names the test.
    config.option.maxworkerrestart = "0"
    # The option is only there when nbval is.
    if hasattr(config.option, "nbval_kernel_startup_timeout"):
        # Three starts, or two runs of a cell, take less than faulthandler_timeout, so nbval reports what hangs.
        config.option.nbval_kernel_startup_timeout = 240
        config.option.nbval_cell_timeout = 400
        _start_kernels_again()


def _start_kernels_again() -> None:
    """Let nbval start a kernel again that ended before it answered, or whose answer came late.

    A kernel chooses free ports, and a kernel of another test process may open them before it does.
    """
    from nbval import plugin

    start = plugin.RunningKernel

    def running_kernel(*given: Any, **options: Any) -> Any:
        for _ in range(2):
            with contextlib.suppress(RuntimeError):
                return start(*given, **options)
        return start(*given, **options)

    plugin.RunningKernel = running_kernel


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import the files that ``-m "not medium and not ..."`` leaves out: importing them takes longest."""
    terms = config.option.markexpr.split(" and ")
    if collection_path.suffix != ".py" or not all(term.startswith("not ") for term in terms):
        return None
    marks = re.search(r"^pytestmark = (.+)$", collection_path.read_text(encoding="utf-8"), re.MULTILINE)
    left_out = {f"pytest.mark.{term.removeprefix('not ')}" for term in terms}
    return True if marks and left_out & set(re.findall(r"pytest\.mark\.\w+", marks[1])) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Take the lessons into the long run."""
    if LONG and _is_cell(item):
        item.add_marker("slow")


def _is_cell(item: pytest.Item) -> bool:
    return type(item).__module__ == "nbval.plugin"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that the test processes end together."""

    def place(item: pytest.Item) -> tuple[int, bool]:
        name = item.path.name
        return LONGEST.index(name) if name in LONGEST else len(LONGEST), item.path.suffix != ".ipynb"

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run one test process more than there are processors: many slow tests wait for another program."""
    return (os.cpu_count() or 1) + ("not medium" not in config.option.markexpr)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Keep the learner's progress, and the tokenizer that the lessons write, out of the checkout.

    Fixtures do not apply to the cells of a notebook.
    """
    folder = tempfile.TemporaryDirectory()
    session.config.add_cleanup(folder.cleanup)
    names = {"MINBPE_COURSE_PROGRESS": "progress.json", "MINBPE_COURSE_MY_TOKENIZER": "my_tokenizer.py"}
    os.environ.update({name: str(Path(folder.name, file)) for name, file in names.items()})


@pytest.fixture(autouse=True)
def _charts_without_windows(request: pytest.FixtureRequest) -> None:
    if "charts" in request.node.path.parts:
        import matplotlib

        matplotlib.use("agg")


_NOTEBOOK: list[Path | None] = [None]
"""The notebooks whose cells have run, the current one last."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """In the long run, run each cell a second time before the next one, and compare its outputs again.

    A learner runs a cell as often as they like. The kernel is nbval's, so the second run costs only the cell itself.
    """
    if _is_cell(item) and _NOTEBOOK[-1] != item.path:
        # A stored notebook ran without what the lessons before it keep.
        _NOTEBOOK.append(item.path)
        Path(os.environ["MINBPE_COURSE_MY_TOKENIZER"]).unlink(missing_ok=True)
    result = yield
    if LONG and _is_cell(item):
        try:
            item.runtest()
        except Exception as problem:
            problem.args = (f"the second run of this cell failed: {problem}", *problem.args[1:])
            raise
    return result
