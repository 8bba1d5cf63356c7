"""The course in JupyterLab, in a browser: links between lessons, the Check button, code that wraps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minbpe_course.cli import lessons as learners
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import find
from tests.shared.browser import (
    ENDED_EARLY,
    ROOT,
    Lab,
    Tab,
    cells,
    choose_theme,
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
WRONG = "def merge(ids, pair, new_id):\n    return list(ids)"


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


def neighbors(folder: str, name: str) -> list[str]:
    """Return what the links of a notebook should say: two notebooks of one lesson are neighbors, too."""
    numbers = {path.stem: path.name[:2] for path in sorted((ROOT / folder).glob("*.ipynb"))}
    at, names = list(numbers).index(name), list(numbers)
    kind, other, there = (
        ("Lesson", "Exercises", "exercises") if folder == "notebooks" else ("Exercises", "Lesson", "notebooks")
    )
    before = [f"← {kind} {numbers[names[at - 1]]}"] if at else []
    same = [f"{other} {numbers[name]}"] if list((ROOT / there).glob(f"{numbers[name]}_*.ipynb")) else []
    after = [f"{kind} {numbers[names[at + 1]]} →"] if at + 1 < len(names) else []
    return before + same + after


def test_links_lead_to_the_neighbors_and_need_no_mouse(tab: Tab, lab: Lab) -> None:
    open_notebook(tab.page, lab, LESSON)
    assert wait_for_links(tab) == neighbors("notebooks", "02_naive_bpe")
    tab.page.get_by_role("link", name="Exercises 02").focus()
    for key, wanted in (("Enter", EXERCISES), (None, "exercises/03_regex_splitting.ipynb")):
        if key:
            tab.page.keyboard.press(key)
        else:
            tab.page.get_by_role("navigation", name="Lessons").get_by_role("link", name="Exercises 03").click()
        wait_for_notebook(tab.page, wanted)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        if path.name[:2] in ("00", "02", "03", "19"):
            open_notebook(tab.page, lab, f"notebooks/{path.name}")
            assert wait_for_links(tab) == neighbors("notebooks", path.stem)
    end_kernels(lab)
    tab.expect_quiet(known=ENDED_EARLY)


def test_a_button_checks_an_exercise_in_a_fresh_kernel(tab: Tab, lab: Lab) -> None:
    open_notebook(tab.page, lab, EXERCISES)
    stored = cells(tab.page)
    assert buttons(tab) == sum("answer" in cell["metadata"].get("tags", []) for cell in stored) > 2
    at = next(at for at, cell in enumerate(stored) if cell["id"] == "02-rules_behind")
    solutions = nbformat.read(ROOT / "solutions" / "02_naive_bpe.ipynb", as_version=4).cells
    right = next(cell.source for cell in solutions if cell.id == "02-rules_behind")
    answers = [
        ("def rules_behind(ids, merges):\n    return []", "✗ not yet"),
        ("def rules_behind(:", "stopped by an error"),
        ("rules_behind = earlier", "earlier is not defined: have you run the cells above?"),
        (right, "✓ done"),
    ]
    bar = bar_below(tab, at)
    for source, said in answers:
        write(tab, at, source)
        # By the keyboard: Enter must not start to edit the cell.
        bar.get_by_role("button").press("Enter")
        bar.get_by_text(said).wait_for()
    assert shown_below(tab, at + 1).startswith("✓ done · 02.rules_behind")
    bar.get_by_role("button").scroll_into_view_if_needed()
    faults_in_both_themes(tab)
    end_kernels(lab)


def bar_below(tab: Tab, at: int) -> Any:
    """Return the button and its text below a cell."""
    return tab.page.locator(".jp-NotebookPanel:visible .jp-Notebook .jp-Cell").nth(at).locator(".mbc-check")


def write(tab: Tab, at: int, source: str) -> None:
    tab.page.evaluate(
        """([at, source]) => {
            jupyterapp.shell.currentWidget.content.model.cells.get(at).sharedModel.setSource(source);
        }""",
        [at, source],
    )


def shown_below(tab: Tab, at: int) -> str:
    """Return what a cell has put out, as text."""
    texts = [
        output.get("data", {}).get("text/plain", output.get("text", "")) for output in cells(tab.page)[at]["outputs"]
    ]
    return "".join("".join(text) for text in texts)


def run(tab: Tab, at: int) -> str:
    """Run a cell, as Shift+Enter does, and return what it put out."""
    tab.page.evaluate(
        """async at => {
            jupyterapp.shell.currentWidget.content.deselectAll();
            jupyterapp.shell.currentWidget.content.activeCellIndex = at;
            await jupyterapp.commands.execute("notebook:run-cell");
        }""",
        at,
    )
    return shown_below(tab, at)


@pytest.fixture
def blanks(tab: Tab, lab: Lab) -> Iterator[None]:
    """A lesson with the blanks of a function and of a class; the learner has run the first cell."""
    sources = {
        "setup": "from minbpe_course.learning import check, hint, progress, reset",
        "02-merge": answer_code(find("02.merge")).blank,
        "check": 'check("02.merge", merge)',
        "after": 'seen = "below"\nseen',
        "02-BasicTokenizer": answer_code(find("02.BasicTokenizer.train")).blank,
        "check-class": 'check("02.BasicTokenizer", BasicTokenizer)',
        "spare": "",
    }
    made = [nbformat.v4.new_code_cell(source, id=name) for name, source in sources.items()]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    (lab.folder / "blanks").mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=kernel), lab.folder / "blanks" / "02_blanks.ipynb")
    open_notebook(tab.page, lab, "blanks/02_blanks.ipynb")
    tab.page.locator(".mbc-check").first.wait_for()
    run(tab, 0)
    yield
    end_kernels(lab)


SETUP, MERGE, CHECK, AFTER, CLASS, CHECK_CLASS, SPARE = range(7)
ACTIVE = """() => {
    const notebook = jupyterapp.shell.currentWidget.content;
    const selected = notebook.widgets.filter(cell => notebook.isSelectedOrActive(cell)).length;
    return [notebook.activeCellIndex, selected, notebook.mode];
}"""


@pytest.mark.usefixtures("blanks")
def test_a_button_checks_a_blank_and_gives_the_keyboard_back(tab: Tab) -> None:
    page, bar = tab.page, bar_below(tab, MERGE)
    assert [at for at in range(SPARE + 1) if bar_below(tab, at).count()] == [MERGE, CLASS]
    editor = page.locator(".jp-Notebook .jp-Cell .cm-content").nth(MERGE)
    for source, said in (("", "○ not started"), (WRONG, "✗ not yet"), (RIGHT, "✓ done")):
        if source:
            # Right after a click, Ctrl+A means the code of the answer, neither all cells nor the whole page.
            page.keyboard.press("ControlOrMeta+a")
            assert page.evaluate(ACTIVE) == [MERGE, 1, "edit"]
            page.keyboard.insert_text(source)
            assert cells(page)[MERGE]["source"] == source
        else:
            editor.click()
        bar.get_by_role("button").click()
        bar.get_by_text(said).wait_for()
        page.wait_for_function(f"({ACTIVE})()[0] === {AFTER}")
        assert page.evaluate(ACTIVE) == [AFTER, 1, "command"]
    checked = cells(page)[CHECK]["execution_count"]
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"({ACTIVE})()[0] === {CLASS}")
    page.wait_for_function(f"jupyterapp.shell.currentWidget.content.model.cells.get({AFTER}).outputs.length > 0")
    assert shown_below(tab, AFTER) == "'below'"
    assert cells(page)[CHECK]["execution_count"] == checked
    # A class: the state of each method.
    bar_below(tab, CLASS).get_by_role("button").click()
    bar_below(tab, CLASS).get_by_text("○ train · ○ encode · ○ decode").wait_for()
    assert serious_faults(page, within=".mbc-check") == []


@pytest.mark.usefixtures("blanks")
def test_an_old_verdict_is_not_given_again(tab: Tab) -> None:
    for source, why in (
        (
            "def merge(ids, pair, new_id):\n    return list(ids",
            "the cell that should define it stopped with a SyntaxError",
        ),
        (RIGHT.replace("def merge", "def merge_pairs"), "the last cell defines merge_pairs instead"),
    ):
        write(tab, MERGE, RIGHT)
        run(tab, MERGE)
        assert run(tab, CHECK).startswith("✓ done")
        write(tab, MERGE, source)
        run(tab, MERGE)
        verdict = run(tab, CHECK)
        assert verdict.startswith("✗ not yet · 02.merge")
        assert f"No new definition of merge has arrived: {why}." in " ".join(verdict.split())


@pytest.mark.usefixtures("blanks")
def test_a_forgotten_return_is_named_and_prints_are_kept(tab: Tab) -> None:
    write(tab, MERGE, "def merge(ids, pair, new_id):\n    print('seen', ids)\n    merged = list(ids)")
    run(tab, MERGE)
    assert "Your code returns None here. Is its last line a `return`, on every path?" in run(tab, CHECK)
    drawn = tab.page.locator(".jp-Notebook .jp-Cell").nth(CHECK).locator(".jp-OutputArea-output")
    drawn.get_by_text("returns None here").wait_for()
    drawn.locator("summary", has_text="print").click()
    drawn.get_by_text("seen [").first.wait_for()


@pytest.mark.usefixtures("blanks")
def test_a_class_is_checked_as_far_as_it_is_written(tab: Tab) -> None:
    blank = answer_code(find("02.BasicTokenizer.train")).blank
    head, _, rest = blank.partition("def decode(self, ids):")
    lines = rest.splitlines()
    at = next(at for at, line in enumerate(lines) if "NotImplementedError" in line)
    lines[at] = '        return b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")'
    write(tab, CLASS, head + "def decode(self, ids):" + "\n".join(lines))
    run(tab, CLASS)
    assert run(tab, CHECK_CLASS).startswith("○ train · ○ encode · ✓ decode · ○ save · ○ load\n")


@pytest.mark.usefixtures("blanks")
def test_the_last_hint_is_an_answer_and_a_blank_comes_back(tab: Tab) -> None:
    write(tab, MERGE, WRONG)
    run(tab, MERGE)
    run(tab, CHECK)
    write(tab, SPARE, 'hint("02.merge")')
    hints = [run(tab, SPARE) for _ in range(5)]
    assert len(set(hints[:4])) == 4
    assert "def merge(ids, pair, new_id):" in hints[3]
    assert "def merge" not in hints[2]
    assert hints[4] == hints[3]
    link = tab.page.locator(".jp-Notebook .jp-Cell").nth(SPARE).get_by_role("link", name="Lesson 02", exact=True)
    assert link.count() == 1
    assert link.evaluate("link => decodeURIComponent(link.href)").split("?")[0].endswith(f"/{LESSON}")
    # Only with sure=True, and only the cell that asks for it.
    blank = answer_code(find("02.merge")).blank
    write(tab, SPARE, 'reset("02.merge")')
    assert 'Type: reset("02.merge", sure=True)' in run(tab, SPARE)
    assert cells(tab.page)[SPARE]["source"] == 'reset("02.merge")'
    write(tab, SPARE, 'reset("02.merge", sure=True)')
    run(tab, SPARE)
    tab.page.wait_for_function(
        f"jupyterapp.shell.currentWidget.content.model.cells.get({SPARE}).sharedModel.source.startsWith('def merge')"
    )
    assert cells(tab.page)[SPARE]["source"].strip() == blank.strip()
    assert cells(tab.page)[MERGE]["source"] == WRONG
    # The record is forgotten only after asking, too.
    write(tab, AFTER, 'progress("02", reset=True)')
    run(tab, AFTER)
    write(tab, AFTER, 'progress("02")')
    assert "4 hints" in run(tab, AFTER)


BLANKS = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "check(" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", BLANKS, ids=lambda path: path.stem)
def test_each_blank_of_a_lesson_has_a_button(tab: Tab, lab: Lab, path: Path) -> None:
    open_notebook(tab.page, lab, f"notebooks/{path.name}")
    stored = cells(tab.page)
    exercises = {at for at, cell in enumerate(stored) if re.fullmatch(r"\d\d-\w+", cell["id"])}
    assert not exercises or buttons(tab) == len(exercises)
    found = {at for at in range(len(stored)) if bar_below(tab, at).count()}
    assert exercises == found
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
    tab.page.wait_for_function(f"() => ({cut})().length > 0")
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
        choose_theme(tab.page, theme)
        for part in OURS:
            assert serious_faults(tab.page, within=part) == [], theme
