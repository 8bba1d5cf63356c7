"""The lessons keep their budgets, are stored alike everywhere, and nbval would notice a wrong output.

nbval itself runs them: ``make test`` passes ``--nbval``, and then every cell of every lesson is a test.
"""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from tools import notebooks

pytestmark = pytest.mark.medium

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_lesson_keeps_its_budgets(path: Path) -> None:
    assert notebooks.problems(path) == []


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_lesson_is_stored_executed(path: Path) -> None:
    notebook = notebooks.read(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(cell.outputs) for cell in code) > len(code) / 2, "most cells of a lesson show something"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_readme_says_how_long_it_takes(path: Path) -> None:
    exercises = notebooks.minutes_of_exercises(path) or "–"
    row = f"| {notebooks.minutes(notebooks.read(path))} | {exercises} |"
    rows = [line for line in notebooks.README.read_text(encoding="utf-8").splitlines() if f"`{path.stem}`" in line]
    assert [line.endswith(row) for line in rows] == [True], "run: python -m tools.notebooks minutes"


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


def spoil_outputs(*outputs: NotebookNode) -> Callable[[NotebookNode], None]:
    def spoil(lesson: NotebookNode) -> None:
        lesson.cells[2].outputs = list(outputs)

    return spoil


def unchecked(lesson: NotebookNode) -> None:
    for cell in lesson.cells[6:20]:
        cell.source = cell.source.replace("assert ", "")


SPOILED = {
    "too few cells": (lambda lesson: lesson.cells.__delitem__(slice(3, 9)), "35 to 55"),
    "too many cells": (lambda lesson: lesson.cells.extend(new_markdown_cell("more") for _ in range(40)), "35 to 55"),
    "a long cell": (lambda lesson: lesson.cells[2].update(source="\n".join(["assert 1"] * 26)), "26 lines of code"),
    "long cells": (lambda lesson: [c.update(source="assert 1\n" * 7 + "1") for c in lesson.cells[2::2]], "median"),
    "a long first cell": (lambda lesson: lesson.cells[2].update(source="assert 1\n" * 7), "the first code cell has 7"),
    "a long line": (
        lambda lesson: lesson.cells[2].update(source=f"assert 1  # {'x' * 100}"),
        "a line of 112 characters",
    ),
    "other minutes": (
        lambda lesson: lesson.cells[0].update(source="# A lesson\n\nAbout 5 minutes."),
        "About 10 minutes",
    ),
    "no sources": (lambda lesson: lesson.cells[-1].update(source="## Roads not taken"), "0 links to sources"),
    "an empty cell": (lambda lesson: lesson.cells[2].update(source=""), "an empty code cell"),
    "cells without a check": (unchecked, "check nothing"),
    "no closing section": (lambda lesson: lesson.cells[-1].update(source="The end."), "Roads not taken"),
    "a large file": (spoil_outputs(text("x" * 500_000)), "bytes; a lesson stays under"),
    "a stored error": (spoil_outputs(new_output("error", ename="E", evalue="no", traceback=[])), "a stored error"),
    "stderr": (spoil_outputs(text("warning", "stderr")), "writes to stderr"),
    "a home folder": (spoil_outputs(text("/home/ada/lesson.py")), "a place of one machine"),
    "a Windows folder": (spoil_outputs(text("C:\\Users\\ada")), "a place of one machine"),
    "an installed file": (spoil_outputs(text("lib/site-packages/x.py")), "a place of one machine"),
    "an address": (spoil_outputs(text("<object at 0x7f00deadbeef>")), "a place of one machine"),
    "a place in the prose": (lambda lesson: lesson.cells[1].update(source="Look in /tmp/x"), "a place of one machine"),
    "a timing": (spoil_outputs(text("Wall time: 3 ms")), "holds a timing"),
    "a widget": (
        spoil_outputs(new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}})),
        "stores a widget",
    ),
    "a picture without words": (
        spoil_outputs(new_output("display_data", {"image/png": "iVBORw0KGgo="})),
        "a picture without words",
    ),
    "another count": (lambda lesson: lesson.cells[2].update(execution_count=7), "not normal"),
    "another id": (lambda lesson: lesson.cells[2].update(id="a1b2"), "not normal"),
    "another kernel": (lambda lesson: lesson.metadata.kernelspec.update(name="venv"), "not normal"),
    "a version": (lambda lesson: lesson.metadata.language_info.update(version="3.10.1"), "not normal"),
    "a timing in the metadata": (lambda lesson: lesson.cells[2].metadata.update(execution={"x": "y"}), "not normal"),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_each_budget_is_noticed(tmp_path: Path, fault: str) -> None:
    spoil, expected = SPOILED[fault]
    lesson = good_lesson()
    spoil(lesson)
    found = notebooks.problems(stored(tmp_path, lesson))
    assert any(expected in problem for problem in found), found


def test_normalising_twice_changes_nothing_more() -> None:
    lesson = good_lesson()
    for cell in lesson.cells:
        cell.metadata = nbformat.from_dict(
            {"execution": {"iopub.status.busy": "now"}, "collapsed": False, "tags": ["x"]}
        )
    notebooks.normalise(lesson)
    once = nbformat.writes(lesson)
    notebooks.normalise(lesson)
    assert nbformat.writes(lesson) == once
    assert "iopub" not in once
    assert lesson.cells[2].metadata == {"tags": ["x"]}


def test_running_fills_in_the_outputs(tmp_path: Path) -> None:
    lesson = good_lesson()
    lesson.cells[2].update(source="print('first')\nprint('second')\n6 * 7", outputs=[])
    path = stored(tmp_path, lesson)
    assert notebooks.main(["run", str(path)]) == 0
    first, second = notebooks.read(path).cells[2].outputs
    assert (first.text, second.data["text/plain"]) == ("first\nsecond\n", "42")
    assert notebooks.main(["check", str(path)]) == 0


def test_a_lesson_of_the_core_path_has_blanks(tmp_path: Path) -> None:
    lesson = good_lesson()
    path = tmp_path / "02_naive_bpe.ipynb"
    notebooks.write(path, lesson)
    assert notebooks.problems(path) == ["02_naive_bpe.ipynb: 0 blanks to fill; at least 2."]
    for cell in lesson.cells[2:6:2]:
        cell.source = f"@answer(1)\ndef one(number):\n    assert number\n    return {cell.source[-1]}"
    notebooks.normalise(lesson)
    assert lesson.cells[4].metadata["jupyter"]["source_hidden"]
    notebooks.write(path, lesson)
    assert not [problem for problem in notebooks.problems(path) if "blanks" in problem]


def test_a_failing_cell_leaves_the_file_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = good_lesson()
    lesson.cells[2].source = "assert 1 == 2, 'one is not two'"
    path = stored(tmp_path, lesson)
    before = path.read_bytes()
    assert notebooks.main(["run", str(path)]) == 1
    assert path.read_bytes() == before
    assert "one is not two" in capsys.readouterr().err


def nbval(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [*command, "--rootdir", str(path.parent), "-c", os.devnull, str(path)],
        capture_output=True, text=True, check=False, cwd=path.parent, env=clean,
    )  # fmt: skip


def test_nbval_passes_a_good_lesson_and_stops_a_wrong_output(tmp_path: Path) -> None:
    lesson = good_lesson()
    good = nbval(stored(tmp_path, lesson))
    assert good.returncode == 0, good.stdout
    assert "17 passed" in good.stdout
    lesson.cells[2].outputs[0].data["text/plain"] = "2"
    wrong = nbval(stored(tmp_path, lesson))
    assert wrong.returncode == 1, wrong.stdout
    assert "1 failed, 16 passed" in wrong.stdout


def picture(size: tuple[int, int], *colours: tuple[int, int, int, int]) -> str:
    made, file = Image.new("RGBA", size), io.BytesIO()
    made.putdata([colours[at % len(colours)] for at in range(size[0] * size[1])])
    made.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode("ascii") + "\n"


def opened(stored: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(stored)))


def test_pictures_are_stored_with_a_palette_and_look_the_same() -> None:
    opaque = picture((40, 30), (0, 114, 178, 255), (255, 255, 255, 255), (230, 159, 0, 255))
    clear = picture((40, 30), (220, 236, 247, 255), (255, 255, 255, 0), (211, 238, 229, 255), (118, 118, 118, 90))
    smooth = picture((50, 40), *((at % 256, at // 8, 178, 255 - at % 250) for at in range(2000)))
    outputs = [new_output("display_data", {"image/png": one, "text/plain": "x"}) for one in (opaque, clear, smooth)]
    lesson = new_notebook(cells=[new_markdown_cell("# A lesson"), new_code_cell("1", outputs=[*outputs, text("said")])])
    notebooks._shrink_pictures(lesson)
    stored = [output.data["image/png"] for output in lesson.cells[1].outputs[:3]]
    assert [opened(one).mode for one in stored] == ["P", "P", "P"]
    for before, after, most in zip((opaque, clear, smooth), stored, (0, 0, 32), strict=True):
        for page in ("#ffffff", "#111111"):
            assert np.abs(on_page(before, page) - on_page(after, page)).max() <= most
    notebooks._shrink_pictures(lesson)
    assert [output.data["image/png"] for output in lesson.cells[1].outputs[:3]] == stored


def on_page(stored: str, colour: str) -> np.ndarray:
    page, drawn = Image.new("RGBA", opened(stored).size, colour), opened(stored).convert("RGBA")
    return np.asarray(Image.alpha_composite(page, drawn), dtype=int)
