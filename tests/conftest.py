"""What several test files share."""

from __future__ import annotations

import pytest
from browser import chromium, jupyterlab, new_tab
from playground_hands import one_playground_tab, own_model, playground_page, playground_tab

from minbpe_course.files import write_whole
from minbpe_course.vocabularies import published_files

__all__ = [
    "chromium",
    "filled",
    "jupyterlab",
    "new_tab",
    "one_playground_tab",
    "own_model",
    "playground_page",
    "playground_tab",
]


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A cache folder with every published file in it."""
    folder = tmp_path_factory.mktemp("filled")
    for file in published_files.published_files():
        write_whole(folder / file.cache_name, published_files.rebuild_file(file))
    return folder
