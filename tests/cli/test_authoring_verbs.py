"""From a new assignment to marks, typed as an author, a learner and a teacher type it; and what is wrong to type."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.cli.lessons import FIRST_LESSON, PACKAGE
from minbpe_course.learning.assignments.parts import source_of
from minbpe_course.learning.judge import catalogue
from tests.shared.lesson_code import ROOT
from tests.shared.patience import PATIENCE


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "_USED", {})
    monkeypatch.setattr("minbpe_course.learning.assignments.check_exercises.LONGEST_CHECK", 60)
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


OURS = ("--exercises", "homework")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.medium
def test_a_new_assignment_up_to_its_marks(verbs, here: Path) -> None:
    made = verbs("new-assignment", "homework")
    assert made.code == 0
    assert b"minbpe-course check-exercises --exercises homework" in made.out
    assert verbs("check-exercises", *OURS).out.strip().endswith(b"homework: no problems")
    assert verbs("release", *OURS).code == 0
    assert verbs("release", *OURS, "--check").code == 0
    released = here / "homework" / "exercises" / "week1.ipynb"
    blank = verbs("check", released, *OURS, "--json")
    assert (blank.code, json.loads(blank.out)["points"]) == (1, 0)
    answers = {cell["id"]: source_of(cell) for cell in read(here / "homework/solutions/week1.ipynb")["cells"]}
    solved = read(released)
    for cell in solved["cells"]:
        if "answer" in cell["metadata"].get("tags", ()):
            cell["source"] = answers[cell["id"]]
    for learner, notebook in (("ada", solved), ("bob", read(released))):
        (here / "submitted" / learner).mkdir(parents=True)
        (here / "submitted" / learner / "week1.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    done = verbs("check", "submitted/ada/week1.ipynb", *OURS, "--json")
    assert (done.code, json.loads(done.out)["done"]) == (0, True)
    graded = verbs(
        "grade", "submitted", "--out", "marks", "--seed", "a secret of ours", "--allow-unsandboxed", *OURS
    )  # fmt: skip
    assert graded.code == 0, graded.err
    rows = list(csv.DictReader((here / "marks" / "grades.csv").open(encoding="utf-8-sig", newline="")))
    whole = sum(one.points for one in catalogue.exercises("week1"))
    assert {row["student_id"]: float(row["score"]) for row in rows} == {"ada": whole, "bob": 0}


def test_problems_are_printed_and_counted(verbs, here: Path) -> None:
    verbs("new-assignment", "homework")
    file = here / "homework" / "checks" / "week1" / "echo.py"
    file.write_text(file.read_text(encoding="utf-8").replace("points=2", "points=99"), encoding="utf-8")
    run = verbs("check-exercises", *OURS)
    assert run.code == 1
    assert run.out.replace(b"\r\n", b"\n").endswith(
        b"points are 99; use 1 to 10.\nthe exercises of homework: 1 problem\n"
    )
    file.write_text(file.read_text(encoding="utf-8") + "def (", encoding="utf-8")
    run = verbs("check-exercises", *OURS)
    assert (run.code, run.err) == (1, "")
    assert b"SyntaxError" in run.out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no timers that stop a call")
def test_a_right_answer_that_does_not_end_is_stopped(verbs, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minbpe_course.cli import check_exercises

    monkeypatch.setattr(check_exercises, "LONGEST", 0.2)
    verbs("new-assignment", "homework")
    file = here / "homework" / "checks" / "week1" / "echo.py"
    source = file.read_text(encoding="utf-8").replace(
        "    return [word for", "    while True:\n        pass\n    return [word for"
    )
    file.write_text(source, encoding="utf-8")
    run = verbs("check-exercises", *OURS)
    assert run.code == 1
    assert b"echo.py:" in run.out


# ----------------------------------------------------------------------------------------------------
# In a checkout of the course


def typed(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "minbpe_course", *words], cwd=root, env=environment, capture_output=True, text=True,
        encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_an_exercise_is_added_to_the_course(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    for name in ("solutions", "exercises"):
        shutil.copytree(ROOT / name, root / name)
    (root / "notebooks").mkdir()
    shutil.copy(ROOT / FIRST_LESSON, root / FIRST_LESSON)
    shutil.copytree(PACKAGE, root / "minbpe_course", ignore=shutil.ignore_patterns("__pycache__", "_lessons"))
    made = typed(root, "new-exercise", "02.count_triples")
    assert made.returncode == 0, made.stderr
    assert typed(root, "check-exercises", "02.count_triples", "02.merge").stdout.endswith("no problems\n")
    assert typed(root, "release").returncode == 0
    order = [cell["id"] for cell in read(root / "exercises" / "02_naive_bpe.ipynb")["cells"]]
    assert order.index("02-fair_merges-check") + 1 == order.index("02-count_triples-text")
    assert typed(root, "check-exercises", "02.no_such").returncode == 2
