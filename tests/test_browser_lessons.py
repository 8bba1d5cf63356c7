"""Every lesson runs from top to bottom in JupyterLab in a real browser, and neither a cell nor the page complains."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser import ROOT, Lab, close_notebook, open_notebook, run_all

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def lessons(jupyterlab: Lab) -> Lab:
    """The lab, with a copy of every lesson: what is run here changes nothing that is stored."""
    shutil.copytree(ROOT / "notebooks", jupyterlab.folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    return jupyterlab


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_in_jupyterlab(new_tab, lessons: Lab, lesson: Path) -> None:
    tab = new_tab()
    open_notebook(tab.page, lessons, f"notebooks/{lesson.name}")
    cells = run_all(tab.page)
    close_notebook(tab.page, lessons)
    tab.expect_quiet()
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    stored = [cell for cell in nbformat.read(lesson, as_version=4).cells if cell.cell_type == "code"]
    for cell, before in zip(code, stored, strict=True):
        assert kinds(cell["outputs"]) == kinds(before.outputs), cell["source"]


def kinds(outputs: list[dict[str, Any]]) -> list[str]:
    """Return what was put out, in order: the streams, the errors by name, and the formats of what was displayed."""
    return [str(output.get("name") or output.get("ename") or sorted(output["data"])) for output in outputs]
