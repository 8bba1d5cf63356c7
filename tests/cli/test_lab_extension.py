"""The course in JupyterLab, in a browser: links between lessons, the Check button, code that wraps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest

from minbpe_course.cli import lessons as learners
from tests.shared.browser import (
    ENDED_EARLY,
    ROOT,
    Lab,
    Tab,
    cells,
    end_kernels,
    open_notebook,
    opened,
    serious_faults,
    wait_for_notebook,
)

pytestmark = [pytest.mark.medium, pytest.mark.browser]

LESSON, EXERCISES = "notebooks/02_naive_bpe.ipynb", "exercises/02_naive_bpe.ipynb"
OURS = (".mbc-lessons", ".mbc-check")
RIGHT = """def merge(ids, pair, new_id):
    merged, at = [], 0
    while at < len(ids):
        found = tuple(ids[at : at + 2]) == tuple(pair)
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged"""
# The answer that is written, and what the button then says.
ANSWERS = [
    ("def merge(ids, pair, new_id):\n    return list(ids)", "✗ not yet"),
    ("def merge(:", "stopped by an error"),
    ("merge = earlier", "earlier is not defined: have you run the cells above?"),
    (RIGHT, "✓ done"),
]


@pytest.fixture(scope="module")
def lab(jupyterlab: Lab) -> Lab:
    learners.lay(jupyterlab.folder, ROOT)
    return jupyterlab


@pytest.fixture(scope="module")
def tab(chromium: Any, lab: Lab) -> Iterator[Tab]:
    """One tab as wide as half a laptop's screen, with the list of files open."""
    with opened(chromium, viewport={"width": 900, "height": 1000}) as tab:
        yield tab


def wait_for_links(tab: Tab) -> list[str]:
    links = tab.page.locator(".jp-NotebookPanel:visible .mbc-lessons a")
    links.first.wait_for()
    return list(links.all_inner_texts())


def buttons(tab: Tab) -> int:
    """Return how many Check buttons there are, once the links are there, which come last."""
    wait_for_links(tab)
    tab.page.locator(".mbc-check").first.wait_for()
    return int(tab.page.locator(".mbc-check").count())


def test_links_lead_to_the_neighbors_and_need_no_mouse(tab: Tab, lab: Lab) -> None:
    open_notebook(tab.page, lab, LESSON)
    assert wait_for_links(tab) == ["← Lesson 01", "Exercises 02", "Lesson 03 →"]
    tab.page.get_by_role("link", name="Exercises 02").focus()
    for key, wanted in (("Enter", EXERCISES), (None, "exercises/03_regex_splitting.ipynb")):
        if key:
            tab.page.keyboard.press(key)
        else:
            tab.page.get_by_role("navigation", name="Lessons").get_by_role("link", name="Exercises 03").click()
        wait_for_notebook(tab.page, wanted)
    for name, wanted in (("00_start_here", ["Lesson 01 →"]), ("19_beyond_bpe", ["← Lesson 18", "Exercises 19"])):
        open_notebook(tab.page, lab, f"notebooks/{name}.ipynb")
        assert wait_for_links(tab) == wanted
    end_kernels(lab)
    tab.expect_quiet(known=ENDED_EARLY)


def test_a_button_checks_an_exercise_in_a_fresh_kernel(tab: Tab, lab: Lab) -> None:
    open_notebook(tab.page, lab, EXERCISES)
    assert buttons(tab) == 7
    at = next(at for at, cell in enumerate(cells(tab.page)) if cell["id"] == "02-merge")
    bar = tab.page.locator(".jp-Notebook .jp-Cell").nth(at).locator(".mbc-check")
    for source, said in ANSWERS:
        tab.page.evaluate(
            """([at, source]) => {
                jupyterapp.shell.currentWidget.content.model.cells.get(at).sharedModel.setSource(source);
            }""",
            [at, source],
        )
        # By the keyboard: Enter must not start to edit the cell.
        bar.get_by_role("button").press("Enter")
        bar.get_by_text(said).wait_for()
    verdict = cells(tab.page)[at + 1]["outputs"][0]["data"]["text/plain"]
    assert "".join(verdict).startswith("✓ done · 02.merge")
    assert bar.get_by_role("button").evaluate("button => button === document.activeElement")
    bar.get_by_role("button").scroll_into_view_if_needed()
    faults_in_both_themes(tab)
    end_kernels(lab)


def test_a_button_checks_a_blank(tab: Tab, lab: Lab) -> None:
    open_notebook(tab.page, lab, LESSON)
    assert buttons(tab) == 5
    # The learner has run the imports at the top, as Shift-Enter does.
    tab.page.evaluate(
        """async () => {
            jupyterapp.shell.currentWidget.content.activeCellIndex = 1;
            await jupyterapp.commands.execute("notebook:run-cell");
        }"""
    )
    bar = tab.page.locator(".mbc-check").first
    bar.get_by_role("button").click()
    bar.get_by_text("count_pairs: the blank is still empty").wait_for()
    end_kernels(lab)
    # Helpers of a check come between a blank and its folded cell: the button belongs to the blank.
    open_notebook(tab.page, lab, "notebooks/05_special_tokens.ipynb")
    assert buttons(tab) == 4
    sources = [cell["source"] for cell in cells(tab.page)]
    blanks = [at for at, source in enumerate(sources) if re.search(r"^ +\.\.\.$", source, re.MULTILINE)]
    folded = [at for at, source in enumerate(sources) if re.search(r"^@answer\b", source, re.MULTILINE)]
    assert any(answer > blank + 1 for blank, answer in zip(blanks, folded, strict=True))
    below = tab.page.locator(".jp-Notebook .jp-Cell")
    assert [at for at in range(len(sources)) if below.nth(at).locator(".mbc-check").count()] == blanks
    end_kernels(lab)


@pytest.mark.parametrize("path", [LESSON, EXERCISES, "notebooks/18_capstone.ipynb"])
def test_nothing_is_cut_in_a_narrow_window(tab: Tab, lab: Lab, path: str) -> None:
    """Neither code nor the line that stands for a folded cell; without our style sheet both are."""
    open_notebook(tab.page, lab, path)
    wait_for_links(tab)
    cut = """() => [...document.querySelectorAll(".jp-CodeCell .cm-scroller, .jp-Placeholder-content")].filter(
        box => box.scrollWidth > box.clientWidth
            || box.getBoundingClientRect().right > box.closest(".jp-Notebook").getBoundingClientRect().right
    ).map(box => box.innerText)"""
    tab.page.wait_for_function(f"() => ({cut})().length === 0")
    tab.page.evaluate("() => document.querySelector('.mbc-course').classList.remove('mbc-course')")
    tab.page.wait_for_function(f"() => ({cut})().length > 5")
    end_kernels(lab)


def test_other_notebooks_stay_as_they_are(tab: Tab, lab: Lab) -> None:
    code = [nbformat.v4.new_code_cell("import minbpe_course"), nbformat.v4.new_code_cell("x = " + "1 + " * 50 + "1")]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=code, metadata=kernel), lab.folder / "notebooks" / "mine.ipynb")
    open_notebook(tab.page, lab, "notebooks/mine.ipynb")
    assert tab.page.locator(".mbc-lessons, .mbc-check, .mbc-course").count() == 0
    end_kernels(lab)


def faults_in_both_themes(tab: Tab) -> None:
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        tab.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        tab.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
        for part in OURS:
            assert serious_faults(tab.page, within=part) == [], theme
