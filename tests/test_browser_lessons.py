"""Every lesson runs from top to bottom in JupyterLab in a real browser, and neither a cell nor the page complains."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser import ROOT, Lab, Tab, end_kernels, open_notebook, opened, run_all

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def lessons(jupyterlab: Lab) -> Lab:
    """The lab, with a copy of every lesson: what is run here changes nothing that is stored."""
    shutil.copytree(ROOT / "notebooks", jupyterlab.folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    return jupyterlab


@pytest.fixture(scope="module")
def tab(chromium, lessons: Lab) -> Iterator[Tab]:
    """One tab for all lessons, since JupyterLab takes longer to load than most lessons to run."""
    with opened(chromium) as tab:
        yield tab


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_in_jupyterlab(tab: Tab, lessons: Lab, lesson: Path) -> None:
    tab.forget()
    open_notebook(tab.page, lessons, f"notebooks/{lesson.name}")
    cells = run_all(tab.page)
    end_kernels(lessons)
    tab.expect_quiet()
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    stored = [cell for cell in nbformat.read(lesson, as_version=4).cells if cell.cell_type == "code"]
    for cell, before in zip(code, stored, strict=True):
        assert kinds(cell["outputs"]) == kinds(before.outputs), cell["source"]


def kinds(outputs: list[dict[str, Any]]) -> set[str]:
    """Return what was put out: the streams, the errors by name, and the formats of what was displayed.

    How a stream is cut into pieces depends on the moment, so neither pieces nor their order are compared. A widget is
    never stored, only its words.
    """
    widget = {"application/vnd.jupyter.widget-view+json"}
    return {str(output.get("name") or output.get("ename") or sorted({*output["data"]} - widget)) for output in outputs}
