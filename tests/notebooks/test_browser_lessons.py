"""Every lesson is drawn, and runs from top to bottom, in JupyterLab in a real browser, and the page does not complain.

All stored lessons are opened and drawn. nbval runs the cells of each; here three run under JupyterLab: one with a
widget, one with blanks, and one with many pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minbpe_course.cli import lessons as learners
from tests.shared.browser import ENDED_EARLY, ROOT, Lab, Tab, end_kernels, open_notebook, opened, run_all

pytestmark = [pytest.mark.medium, pytest.mark.browser]

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
RUN = [path for path in LESSONS if path.stem[:2] in ("00", "02", "04")]


@pytest.fixture(scope="module")
def lessons(jupyterlab: Lab) -> Lab:
    """The lab, with the copies that ``learn`` makes, so that no test changes a stored lesson."""
    learners.lay(jupyterlab.folder, ROOT)
    return jupyterlab


@pytest.fixture(scope="module")
def tab(chromium, lessons: Lab) -> Iterator[Tab]:
    """One tab for all lessons, since JupyterLab takes longer to load than most lessons to run."""
    with opened(chromium) as tab:
        yield tab


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_stored_lesson_is_drawn(tab: Tab, lessons: Lab, lesson: Path) -> None:
    """Whatever a lesson has put out, formulas and pictures of its text included, is drawn without a complaint."""
    tab.forget()
    open_notebook(tab.page, lessons, f"notebooks/{lesson.name}")
    with_outputs = sum(bool(cell.get("outputs")) for cell in nbformat.read(lesson, as_version=4).cells)
    drawn = "() => [...document.querySelectorAll('.jp-CodeCell')].filter(c => c.querySelector('.jp-OutputArea-output'))"
    tab.page.wait_for_function(f"wanted => ({drawn})().length === wanted", arg=with_outputs)
    expect_unmodified(tab)
    end_kernels(lessons)
    tab.expect_quiet(known=ENDED_EARLY)


def expect_unmodified(tab: Tab) -> None:
    """Fail when JupyterLab has changed the notebook in front, and so marks it as modified, by opening it alone."""
    tab.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.info.then(info => Boolean(info))"
    )
    # The panel writes the kernel's language into the notebook as soon as it has this answer.
    state = "() => { const { model } = jupyterapp.shell.currentWidget.context; return [model.dirty, model.metadata]; }"
    modified, metadata = tab.page.evaluate(f"async () => {{ await null; return ({state})(); }}")
    assert not modified, metadata


def test_an_exercise_that_was_only_opened_and_run_is_not_the_learners(tab: Tab, lessons: Lab) -> None:
    path = min((lessons.folder / "exercises").glob("*.ipynb"), key=lambda path: path.stat().st_size)
    name = f"exercises/{path.name}"
    before = path.read_bytes()
    open_notebook(tab.page, lessons, name)
    expect_unmodified(tab)
    tab.page.evaluate(
        """async () => {
            jupyterapp.shell.currentWidget.content.activeCellIndex = 1;
            await jupyterapp.commands.execute("notebook:run-cell");
            jupyterapp.shell.currentWidget.content.model.setMetadata("seen", true);
            await jupyterapp.commands.execute("docmanager:save");
        }"""
    )
    assert path.read_bytes() != before
    laid = learners.lay(lessons.folder, ROOT)
    assert (laid.kept, laid.beside) == ([], [])
    end_kernels(lessons)


@pytest.mark.parametrize("lesson", RUN, ids=lambda path: path.stem)
def test_a_lesson_runs_in_jupyterlab(tab: Tab, lessons: Lab, lesson: Path) -> None:
    tab.forget()
    open_notebook(tab.page, lessons, f"notebooks/{lesson.name}")
    cells = run_all(tab.page)
    end_kernels(lessons)
    tab.expect_quiet(known=ENDED_EARLY)
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
