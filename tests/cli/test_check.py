"""check, hint and progress on the command line: the same verdicts, and the same record as the notebook's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course.cli import lessons, sources
from minbpe_course.cli.main import main
from minbpe_course.learning.judge.catalogue import COURSE
from tests.shared.lesson_code import EXERCISES, SOLUTIONS

pytestmark = pytest.mark.medium

LESSONS = SOLUTIONS.parent / "notebooks"


@pytest.fixture(autouse=True)
def record(monkeypatch, tmp_path) -> Path:
    path = tmp_path / "progress.json"
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(path))
    return path


def kept(record: Path) -> dict[str, dict[str, object]]:
    return json.loads(record.read_text(encoding="utf-8"))["exercises"]


@pytest.fixture(scope="module")
def half_done(tmp_path_factory) -> Path:
    """A learner's notebook: one right but Markdown, one wrong, one that ends its process, the others untouched."""
    folder = tmp_path_factory.mktemp("mine with spaces")
    name = next(EXERCISES.glob("03_*.ipynb")).name
    notebook = json.loads((EXERCISES / name).read_text(encoding="utf-8"))
    solved = json.loads((SOLUTIONS / name).read_text(encoding="utf-8"))
    answers = {cell["id"]: cell["source"] for cell in solved["cells"]}
    for cell in notebook["cells"]:
        if cell["id"] == "03-split_words":
            cell |= {"source": answers["03-split_words"], "cell_type": "markdown"}
        if cell["id"] == "03-first_difference":
            cell["source"] = "def first_difference(text, one, other):\n    print('hello')\n    return {}"
        if cell["id"] == "03-gpt4_words":
            cell["source"] = "import os\ndef gpt4_words(text):\n    os._exit(3)"
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_the_command_agrees_with_the_notebook(half_done: Path, record: Path, capsys) -> None:
    assert main(["check", str(half_done)]) == 1
    said, told = capsys.readouterr()
    assert "the answer cell 03-split_words is a markdown cell, and was read as code" in told
    states = {key: entry["state"] for key, entry in kept(record).items()}
    assert states == {"03.split_words": "done", "03.first_difference": "not yet", "03.gpt4_words": "not yet"}
    assert "✓ done · 03.split_words" in said
    assert "✗ not yet · 03.first_difference" in said
    assert "The process that ran your code ended" in said
    assert "minbpe-course hint 03.first_difference" in said
    exercises = COURSE.contents("03").exercises
    assert said.count("○ not started") == len(exercises) - 3
    assert said.splitlines()[-1].startswith(f"1 of {len(exercises)} done, 2 of ")


def test_only_some_and_as_json(half_done: Path, capsys) -> None:
    pattern = str(half_done.with_name("03_*.ipynb"))
    assert main(["check", pattern, "--only", "03.split_words", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["done"], found["points"], found["out_of"]) == (True, 2, 2)
    assert [one["key"] for one in found["exercises"]] == ["03.split_words"]
    assert found["sandbox"]
    for lesson in ("3", "03", half_done.stem):
        assert main(["check", pattern, "--only", lesson, "--json"]) == 1
        assert len(json.loads(capsys.readouterr().out)["exercises"]) == len(COURSE.contents("03").exercises)


def test_without_a_variable_the_record_lies_beside_the_notebook(half_done: Path, monkeypatch, capsys) -> None:
    monkeypatch.delenv("MINBPE_COURSE_PROGRESS")
    monkeypatch.chdir(half_done.parent.parent)
    assert main(["check", str(half_done), "--only", "03.split_words"]) == 0
    assert (half_done.parent / ".minbpe_course_progress.json").is_file()
    monkeypatch.chdir(half_done.parent)
    assert main(["hint", "03.split_words"]) == 0
    assert main(["progress", "03"]) == 0
    said = capsys.readouterr().out
    assert "more        minbpe-course hint 03.split_words" in said
    assert "2 of 2 points, 1 hint" in said
    assert not (half_done.parent.parent / ".minbpe_course_progress.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", str(LESSONS / "00_start_here.ipynb")], "contains no answer to an exercise"),
        (["check", str(next(EXERCISES.glob("02_*.ipynb"))), "--only", "05.nothing"], "there is no exercise"),
        (["check", str(next(EXERCISES.glob("02_*.ipynb"))), "--only", "01.utf8_encode"], "in none of these notebooks"),
    ],
    ids=lambda value: " ".join(value[:1]) if isinstance(value, list) else value[:20],
)
def test_what_cannot_be_checked_is_an_error_of_its_own(arguments: list[str], words: str, capsys) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


# ---- With no notebook named


@pytest.fixture(params=[pytest.param("a clone", marks=pytest.mark.slow), "a wheel"])
def learned(request, half_done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where ``learn --no-open`` was typed; the learner has done half of the copied exercises of lesson 03 since."""
    root = tmp_path / "here"
    for part in ("notebooks", "exercises"):
        (root / part).mkdir(parents=True)
    for path in (EXERCISES / half_done.name, next(EXERCISES.glob("06_*.ipynb"))):
        (root / "exercises" / path.name).write_bytes(path.read_bytes())
    if request.param == "a wheel":
        root = root.rename(tmp_path / "installed")
    monkeypatch.setattr(lessons, "source_folder", lambda: root)
    for module in (lessons, sources):
        monkeypatch.setattr(module, "checkout", lambda: root if request.param == "a clone" else None)
    here = root if request.param == "a clone" else tmp_path
    monkeypatch.chdir(here)
    assert main(["learn", "--no-open"]) == 0
    (here / lessons.DEFAULT_FOLDER / "exercises" / half_done.name).write_bytes(half_done.read_bytes())
    return here


def test_the_learners_copies_are_checked(learned: Path, record: Path, monkeypatch, capsys) -> None:
    monkeypatch.delenv("MINBPE_COURSE_PROGRESS")
    copies = learned / lessons.DEFAULT_FOLDER / "exercises"
    for where in (learned, copies.parent, copies):
        monkeypatch.chdir(where)
        assert main(["check", "--only", "03.split_words"]) == 0
        assert [path.parent for path in learned.rglob(".minbpe_course_progress.json")] == [copies]
        capsys.readouterr()
        assert main(["progress", "03"]) == 0
        assert "1 of" in capsys.readouterr().out


def test_where_there_are_no_exercises_learn_is_named(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 2
    assert "minbpe-course learn --no-open" in capsys.readouterr().err
