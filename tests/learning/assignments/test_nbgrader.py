"""A teacher who stays with nbgrader can: it takes our sources, keeps their answers back, and marks by our checks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import determine_grade, is_grade, is_locked, is_solution

import minbpe_course
from minbpe_course.cli.main import main
from minbpe_course.errors import NotDoneYet
from minbpe_course.learning.assignments.parts import part_of, source_of
from minbpe_course.learning.assignments.release import survives
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Case, Exercise
from minbpe_course.reference.pairs import merge
from tests.shared.lesson_code import EXERCISES, SOLUTIONS
from tests.shared.patience import PATIENCE
from tests.shared.teachers_folder import write_assignment

pytestmark = pytest.mark.medium

nbformat = pytest.importorskip("nbformat")

SOURCES = sorted(SOLUTIONS.glob("*.ipynb"))
each_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader as from a shell in which its environment is active."""
    tools = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": os.pathsep.join([tools, os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join([str(SOLUTIONS.parent), os.environ.get("PYTHONPATH", "")]),
    }
    environment.pop("NBGRADER_EXECUTION", None)
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", errors="replace", cwd=folder, env=environment,
        timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> Path:
    """The notebooks that nbgrader generates from all our sources."""
    course = tmp_path_factory.mktemp("course")
    shutil.copytree(SOLUTIONS, course / "source" / "lessons", ignore=shutil.ignore_patterns("*.md", ".*"))
    run = nbgrader(course, "generate_assignment", "lessons", "--CourseDirectory.root=" + str(course))
    assert run.returncode == 0, run.stdout + run.stderr
    return course / "release" / "lessons"


@pytest.mark.slow
@each_source
def test_notebooks_generated_by_nbgrader_hold_no_answer(path: Path, generated: Path) -> None:
    made = json.loads((generated / path.name).read_text(encoding="utf-8"))
    lines = [
        line for one in catalogue.COURSE.contents(path.name[:2]).exercises for line in answer_code(one).hidden_lines()
    ]
    whole = [source_of(cell) for cell in made["cells"]]
    assert [line for line in lines if any(survives(line, source) for source in whole)] == []
    assert "BEGIN SOLUTION" not in json.dumps(made)


@each_source
def test_nbgrader_reads_points_and_locks_as_we_mean_them(path: Path) -> None:
    for file in (path, EXERCISES / path.name):
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        points = {}
        for cell in notebook.cells:
            part = part_of(cell)
            if part is None:
                assert "nbgrader" not in cell.metadata
                continue
            assert is_solution(cell) == (part.role == "answer")
            assert is_grade(cell) == (part.role == "check")
            assert is_locked(cell) == (part.role != "answer")
            if is_grade(cell):
                points[part.exercise.key] = cell.metadata.nbgrader.points
        assert points == {
            exercise.key: exercise.points for exercise in catalogue.COURSE.contents(path.name[:2]).exercises
        }


WEAK_TEST = """def test_merge(merge):
    assert merge([1, 2, 3, 1, 2], (1, 2), 4) == [4, 3, 4]
    assert merge([1, 1, 1], (1, 1), 2) == [2, 1]
"""


@pytest.mark.slow
def test_an_assignment_with_exercises_of_ones_own_has_the_marks_of_grade(tmp_path: Path, monkeypatch) -> None:
    home = tmp_path / "homework"
    file = write_assignment(home, '{key = "week1.echo", points = 6}')
    assert main(["release", str(file)]) == 0
    (tmp_path / "source" / "hw1").mkdir(parents=True)
    shutil.copy(home / "solutions" / "hw1.ipynb", tmp_path / "source" / "hw1")
    solved, blank = (json.loads((home / name / "hw1.ipynb").read_text("utf-8")) for name in ("solutions", "exercises"))
    answers = {cell["id"]: cell["source"] for cell in solved["cells"]}
    of_bob = {"02-test_merge": WEAK_TEST, "week1-echo": answers["week1-echo"], "week1-initials": "def initials(n): 1"}
    for learner, theirs in (("ada", answers), ("bob", of_bob)):
        for cell in blank["cells"]:
            if "answer" in cell["metadata"].get("tags", ()):
                cell["source"] = theirs.get(cell["id"], "")
        (place := tmp_path / "submitted" / learner / "hw1").mkdir(parents=True)
        (place / "hw1.ipynb").write_text(json.dumps(blank), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setenv(catalogue.VARIABLE, str(home))
        for verb in ("generate_assignment", "autograde"):
            run = nbgrader(tmp_path, verb, "hw1", f"--CourseDirectory.root={tmp_path}")
            assert run.returncode == 0, run.stdout + run.stderr
    command = ["grade", str(tmp_path / "submitted"), "--assignment", str(file), "--seed", "a seed"]
    assert main([*command, "--out", str(tmp_path / "marks"), "--allow-unsandboxed"]) == 0
    marks = {}
    for learner in ("ada", "bob"):
        tests = json.loads((tmp_path / "marks" / learner / "results.json").read_text("utf-8"))["tests"]
        marks[learner] = {one["name"].split()[0]: one.get("score") for one in tests}
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        assert book.find_assignment("hw1").max_score == 12 + 10 + 2.5 + 4 + 3
        given = {
            learner: {
                key: book.find_grade(f"{key.replace('.', '-')}-check", "hw1", "hw1", learner).score
                for key in marks[learner]
                if key != "hw1.ties"
            }
            for learner in marks
        }
    for learner, expected in marks.items():
        expected.pop("hw1.ties", None)
        assert given[learner] == expected
    assert list(given["ada"].values()) == [12, 10, 2.5, 4]
    assert list(given["bob"].values()) == [12, pytest.approx(10 / 3, abs=1e-4), 0, 0]


# ----------------------------------------------------------------------------------------------------
# Checks that nbgrader runs


@pytest.fixture
def under_nbgrader(monkeypatch, tmp_path):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(tmp_path / "progress.json"))
    yield
    assert list(tmp_path.iterdir()) == []


def graded(result: object, points: int) -> float:
    """Return the points that nbgrader gives to a cell with this result."""
    output = nbformat.v4.new_output("execute_result", data={"text/plain": repr(result)})
    cell = nbformat.v4.new_code_cell("check()", outputs=[output], metadata={
        "nbgrader": {"grade": True, "solution": False, "points": points, "grade_id": "a", "locked": True}
    })  # fmt: skip
    return determine_grade(cell)[0]


@pytest.mark.usefixtures("under_nbgrader")
def test_done_gives_all_points_and_not_done_raises() -> None:
    points = catalogue.find("02.merge").points
    assert graded(minbpe_course.check("02.merge", merge), points) == points
    with pytest.raises(NotDoneYet, match=r"not yet · 02\.merge"):
        minbpe_course.check("02.merge", lambda ids, pair, new_id: ids)
    with pytest.raises(NotDoneYet, match=r"not started · 02\.train_merges"):
        minbpe_course.check("02.train_merges")


@pytest.mark.usefixtures("under_nbgrader")
def test_part_of_the_points_is_a_number_that_nbgrader_understands(monkeypatch) -> None:
    design = Exercise(
        "02.design", "Design", "design", "shorten", 5, 30, 4, ("a", "b", "c"), shown=(Case("some", ("abc",)),),
        measure=lambda cases, answers: (len(answers[0]), None), levels=((1, 4), (2, 3), (3, 1)),
    )  # fmt: skip
    monkeypatch.setattr(catalogue, "find", lambda key: design)
    assert graded(minbpe_course.check("02.design", lambda text: text[:1]), 4) == 4
    assert graded(minbpe_course.check("02.design", lambda text: text[:2]), 4) == 3
    with pytest.raises(NotDoneYet):
        minbpe_course.check("02.design", lambda text: text * 2)
