"""Every lesson is drawn, and runs from top to bottom, in JupyterLab in a real browser, and the page does not complain.

All stored lessons are opened and drawn, and the copies of learners have no outputs that would answer a question. nbval
runs the cells of each; here three run under JupyterLab: one with a widget, one with blanks, and one with many pictures.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minbpe_course.cli import lessons as learners
from tests.shared.browser import (
    ENDED_EARLY,
    ROOT,
    Lab,
    Tab,
    choose_theme,
    end_kernels,
    open_notebook,
    opened,
    run_all,
)

pytestmark = [pytest.mark.medium, pytest.mark.browser]

# JupyterLab draws only the cells in view, and says this now and then when the window changes its size meanwhile.
RESIZED_WHILE_DRAWING = (
    "uncaught: Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node."
)
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STORED = "stored"  # the folder of the lessons with their outputs
RUN = [path for path in LESSONS if path.stem[:2] in ("00", "02", "04")]


@pytest.fixture(scope="module")
def lessons(jupyterlab: Lab) -> Lab:
    """The lab, with the copies that ``learn`` makes, so that no test changes a stored lesson."""
    learners.lay(jupyterlab.folder, ROOT)
    (jupyterlab.folder / STORED).mkdir()
    for lesson in LESSONS:
        notebook = nbformat.read(lesson, as_version=4)
        # As the copies have it, or opening the notebook would change it.
        notebook.metadata.language_info.version = platform.python_version()
        nbformat.write(notebook, jupyterlab.folder / STORED / lesson.name)
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
    open_notebook(tab.page, lessons, f"{STORED}/{lesson.name}")
    with_outputs = sum(bool(cell.get("outputs")) for cell in nbformat.read(lesson, as_version=4).cells)
    drawn = "() => [...document.querySelectorAll('.jp-CodeCell')].filter(c => c.querySelector('.jp-OutputArea-output'))"
    tab.page.wait_for_function(f"wanted => ({drawn})().length === wanted", arg=with_outputs)
    expect_unmodified(tab)
    end_kernels(lessons)
    tab.expect_quiet(known=ENDED_EARLY)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_nothing_is_given_away_before_a_cell_runs(tab: Tab, lessons: Lab, lesson: Path) -> None:
    tab.forget()
    open_notebook(tab.page, lessons, f"notebooks/{lesson.name}")
    code = sum(cell.cell_type == "code" for cell in nbformat.read(lesson, as_version=4).cells)
    assert tab.page.locator(".jp-CodeCell").count() == code
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        choose_theme(tab.page, theme)
        for width in (900, 1300):
            tab.page.set_viewport_size({"width": width, "height": 1000})
            shown = tab.page.locator(".jp-OutputArea-output, .jp-OutputArea-child").all()
            assert not any(output.is_visible() for output in shown)
    expect_unmodified(tab)
    end_kernels(lessons)
    tab.expect_quiet(known=(*ENDED_EARLY, RESIZED_WHILE_DRAWING))


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
    # Stored lessons have run without what an earlier one keeps.
    named = filter(None, [os.environ.get("MINBPE_COURSE_MY_TOKENIZER")])
    for kept in (*lessons.folder.rglob("my_tokenizer.py"), *map(Path, named)):
        kept.unlink(missing_ok=True)
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
