"""The lessons keep their budgets, are stored alike everywhere, and are mostly compared.

nbval itself runs them: ``make test`` passes ``--nbval``, and then every cell of every lesson is a test.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.shared.page_blocks import ROOT
from tools import notebooks

pytestmark = pytest.mark.medium

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_lesson_is_stored_executed(path: Path) -> None:
    notebook = notebooks.read(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(cell.outputs) for cell in code) > len(code) / 2, "most cells of a lesson show something"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_most_outputs_are_compared(path: Path) -> None:
    """A lesson whose cells are mostly excused from the comparison proves nothing."""
    code = [cell for cell in notebooks.read(path).cells if cell.cell_type == "code"]
    excused = [cell for cell in code if {"nbval-ignore-output", "nbval-skip"} & set(cell.metadata.get("tags", []))]
    assert len(excused) <= len(code) / 5
    assert not [cell for cell in code if "nbval-skip" in cell.metadata.get("tags", [])], "a skipped cell is never run"


def good_lesson() -> NotebookNode:
    """The smallest notebook that keeps every budget."""
    cells = [new_markdown_cell("# A lesson\n\nAbout 10 minutes.")]
    for number in range(17):
        cells.append(new_markdown_cell(f"What is {number} + 1?"))
        shown = new_output("execute_result", {"text/plain": str(number + 1)})
        cells.append(new_code_cell(f"assert {number} + 1 == {number + 1}\n{number} + 1", outputs=[shown]))
    links = " ".join(f"[source {number}](https://example.org/{number})" for number in range(3))
    cells.append(new_markdown_cell(f"## Roads not taken\n\nNone.\n\n{links} {'word ' * 700}"))
    lesson = new_notebook(cells=cells)
    notebooks.normalise(lesson)
    return lesson


def stored(tmp_path: Path, lesson: NotebookNode) -> Path:
    path = tmp_path / "lesson.ipynb"
    notebooks.write(path, lesson)
    return path


def test_a_good_lesson_has_no_problem(tmp_path: Path) -> None:
    assert notebooks.problems(stored(tmp_path, good_lesson())) == []


def text(content: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=content)


def test_running_fills_in_the_outputs(tmp_path: Path) -> None:
    lesson = good_lesson()
    lesson.cells[2].update(source="print('first')\nprint('second')\n6 * 7", outputs=[])
    path = stored(tmp_path, lesson)
    assert notebooks.main(["run", str(path)]) == 0
    first, second = notebooks.read(path).cells[2].outputs
    assert (first.text, second.data["text/plain"]) == ("first\nsecond\n", "42")
    assert notebooks.main(["check", str(path)]) == 0


def test_a_failing_cell_leaves_the_file_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = good_lesson()
    lesson.cells[2].source = "assert 1 == 2, 'one is not two'"
    path = stored(tmp_path, lesson)
    before = path.read_bytes()
    assert notebooks.main(["run", str(path)]) == 1
    assert path.read_bytes() == before
    assert "one is not two" in capsys.readouterr().err
