"""Settings that all test files share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from minbpe_course.files import write_whole
from minbpe_course.vocabularies import published_files
from tests.shared.browser import chromium, jupyterlab, new_tab
from tests.shared.long_run import examples
from tests.shared.playground_hands import one_playground_tab, own_model, playground_page, playground_tab

__all__ = [
    "chromium",
    "filled",
    "jupyterlab",
    "new_tab",
    "one_playground_tab",
    "own_model",
    "playground_page",
    "playground_tab",
    "quick_path",
]


# A busy machine is slow, and examples may be drawn unluckily; neither is a reason to fail.
SLOW_OR_UNLUCKY = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile(
    "any machine",
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=SLOW_OR_UNLUCKY,
    derandomize=True,
)
settings.load_profile("any machine")


@pytest.fixture(scope="session", autouse=True)
def _without_waiting_for_the_disk() -> Iterator[None]:
    """Thousands of small files are written here, and a test that is killed loses nothing that the system has taken."""
    real, os.fsync = os.fsync, os.fstat  # type: ignore[assignment]
    yield
    os.fsync = real


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A cache folder with every published file in it."""
    folder = tmp_path_factory.mktemp("filled")
    for file in published_files.published_files():
        write_whole(folder / file.cache_name, published_files.rebuild_file(file))
    return folder


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """As ``tmp_path``, in memory where there is such a folder, for what waits for the disk all the time."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
