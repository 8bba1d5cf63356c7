"""A small file or pattern ends with a named error, or works, in little memory and time.

All bombs run in one separate process with little address space, so that a failure costs a red test and not the machine.
"""

from __future__ import annotations

import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.playground_page.page_data import LIMITS
from minbpe_course.tokenizers.warm_up import warm_up
from tests.formats.bombs import BOMBS
from tests.formats.other_process import Elsewhere

pytestmark = pytest.mark.medium

MOST_MEMORY = 300 << 20
# Two seconds where nothing else runs.
MOST_CPU_SECONDS = 10.0
# Address space that is never touched: stacks and reserved memory.
SPARE = 1 << 30


class Met(NamedTuple):
    """How a program met a bomb: the name of an error of the package, or "" if all went well; seconds; bytes."""

    error: str
    seconds: float
    memory: int


@cache
def bounded() -> None:
    """Compile and load everything, then leave no more than MOST_MEMORY and SPARE."""
    warm_up()
    try:
        import resource
    except ImportError:  # Windows
        return
    most = psutil.Process().memory_info().vms + MOST_MEMORY + SPARE
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def peak() -> int:
    """Return the most memory that this process ever used, in bytes; 0 where the system does not say.

    The system's ``ru_maxrss`` begins with the memory of the process that started this one.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii", errors="replace"))
    return int(found[1]) << 10 if found else 0


def meet(question: tuple[str, str]) -> Met:
    """Set off one bomb."""
    bounded()
    group, name = question
    used, highest, begun = psutil.Process().memory_info().rss, peak(), time.process_time()
    error = ""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            BOMBS[group][name](Path(folder))
        except MinbpeCourseError as problem:
            error = type(problem).__name__
    return Met(error, time.process_time() - begun, peak() - used if peak() > highest else 0)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere(meet) as process:
        yield process


@pytest.mark.parametrize("group", BOMBS)
def test_small_files_and_patterns_cost_little(elsewhere: Elsewhere, group: str) -> None:
    met = {name: elsewhere.ask((group, name), MOST_CPU_SECONDS) for name in BOMBS[group]}
    assert {name: how for name, how in met.items() if not isinstance(how, Met)} == {}
    assert {name: how for name, how in met.items() if how.memory > MOST_MEMORY} == {}
    # If every file worked, none of them would be a bomb.
    assert any(how.error for how in met.values())


def test_security_md_has_the_limits() -> None:
    page = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    said = set(re.findall(r"\d+(?:,\d{3})*", page.partition("| what a file or a pattern may have |")[2]))
    assert {f"{limit:,}" for limit in LIMITS.values()} - said == set()
