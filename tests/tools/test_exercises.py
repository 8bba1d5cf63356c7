"""Authors of exercises write prose and code; the tool adds ids, metadata and the form of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course.assignments.parts import source_of
from minbpe_course.assignments.release import load_notebook, release
from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import ExercisesProblem, UnknownExercise
from tools import exercises as tool

DOUBLE = Exercise("02.double", "Double it", "fill", "double", 1, 5, 1, ("a", "b", "c"))


@pytest.fixture(autouse=True)
def one_exercise(monkeypatch):
    def find(key: str) -> Exercise:
        if key != DOUBLE.key:
            raise UnknownExercise(key)
        return DOUBLE

    monkeypatch.setattr(catalogue, "find", find)
    monkeypatch.setattr(catalogue, "known", {DOUBLE.key: DOUBLE}.get)
    monkeypatch.setattr(catalogue, "exercises", lambda lesson=None: (DOUBLE,))


def drafts(**changes: object) -> list[tool.Draft]:
    """The cells of a small notebook, as an author writes them."""
    parts = {
        "prose": tool.prose("""
            Two lines
              of prose.
        """),
        "text": tool.text("02.double", "Give it back twice."),
        "given": tool.given("02.double", "LIMIT = 9"),
        "more": tool.given("02.double", "LEAST = 1"),
        "show": tool.show("1 + 1"),
        "answer": tool.answer(
            "02.double",
            """
            def double(n):
                ### BEGIN SOLUTION
                return n + n
                ### END SOLUTION
            """,
            stub=["return ..."],
        ),
        "check": tool.check("02.double"),
    }
    return [part for part in (parts | changes).values() if isinstance(part, tool.Draft)]


def test_a_notebook_is_built_from_drafts(tmp_path: Path) -> None:
    path = tool.solution_notebook("02 · Two", drafts(), folder=tmp_path / "solutions")
    assert path.name == "02_naive_bpe.ipynb"
    notebook = load_notebook(path)
    assert [cell["id"] for cell in notebook["cells"]] == [
        "02-title", "02-setup", "02-prose-1", "02-double-text", "02-double-given", "02-double-given-2", "02-show-1",
        "02-double", "02-double-check", "02-progress",
    ]  # fmt: skip
    sources = {cell["id"]: source_of(cell) for cell in notebook["cells"]}
    assert sources["02-prose-1"] == "Two lines\n  of prose."
    assert sources["02-double-text"] == f"### Double it\n\n{DOUBLE.card()}\n\nGive it back twice."
    released = {cell["id"]: source_of(cell) for cell in release(notebook, path.name)["cells"]}
    assert released["02-double"] == "def double(n):\n    return ..."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"answer": tool.Draft("answer", "def double(n):\n    return n", "02.double")}, "no answer between markers"),
        ({"check": None}, "it needs text, given"),
        ({"show": tool.show("n = 3\nreturn_value = n\nprint('return n + n')")}, "can still be read in cell 02-show-1"),
    ],
    ids=["no markers", "no check", "a leak"],
)
def test_a_notebook_that_cannot_be_released_is_not_written(changes, words: str, tmp_path: Path) -> None:
    with pytest.raises(ExercisesProblem, match=words):
        tool.solution_notebook("t", drafts(**changes), folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_exercise_must_be_in_the_catalogue() -> None:
    with pytest.raises(UnknownExercise):
        tool.text("02.treble", "…")


def test_an_edited_notebook_is_normalised(tmp_path: Path) -> None:
    path = tool.solution_notebook("t", drafts(), folder=tmp_path)
    before = path.read_bytes()
    notebook = json.loads(before)
    for cell in notebook["cells"]:  # as an editor and a run change it
        cell["source"] = "".join(cell["source"])
        cell["metadata"] = {**cell["metadata"], "execution": {"started": "now"}, "editable": True}
        cell["metadata"].pop("nbgrader", None)
        if cell["cell_type"] == "code":
            cell |= {"execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "4"}]}
    notebook["metadata"] = {"kernelspec": {"name": "mine"}}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert tool.normalise(path)
    assert path.read_bytes() == before
    assert not tool.normalise(path)


def test_the_notebooks_of_the_course_are_normalised(monkeypatch) -> None:
    monkeypatch.undo()
    for path in tool.SOLUTIONS.glob("*.ipynb"):
        notebook = load_notebook(path)
        assert path.read_bytes() == tool.notebook_bytes(tool.normalised(notebook)), f"{path.name}: normalise it"
