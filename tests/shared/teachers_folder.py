"""Write a teacher's folder of exercises, and an assignment in it, which a class hands in and the teacher grades."""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from minbpe_course.cli.main import main
from minbpe_course.learning.assignments import parts
from minbpe_course.learning.assignments.new_exercise import new_assignment
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Exercise
from tests.shared.submission_cases import code_cell, notebook

EXERCISE = """from minbpe_course.learning import Case, Exercise, Mistake

from .samples import SECRETS


def {name}(text):
    \"\"\"Return the text twice.

    Say it again.
    \"\"\"
    return text * 2


EXERCISE = Exercise(
    "{key}",
    "Double {name}",
    "write",
    "{name}",
    1,
    5,
    2,
    ("Say it again.", "text + text", "Lesson 02."),
    answer={name},
    shown=(Case("a letter", ("a",)),),
    drawn=lambda random: [Case("a secret", (random.choice(SECRETS),)) for _ in range(3)],
    mistakes=(Mistake("once", "Once is not enough.", like=lambda text: text),),
)
"""
ASSIGNMENT = """
title = "Homework 1"
{settings}
questions = [
    {first},
    {key = "02.test_merge", points = 10},
    {key = "03.group_digits", points = 2.5},
    "week1.initials",
    {written = "ties", title = "Ties", points = 3, text = "Why do they matter?"},
]
[weights]
week1 = 2
"""
# As a class is asked: twice for 2 points, again for 4, and a text for 6.
ASKED = """
title = "Homework"
due = 2026-10-12T12:00:00+00:00
late_penalty = 0.1
seed_file = "seed.txt"
questions = ["week1.twice", {key = "week1.again", points = 4}, {written = "why", title = "Why", points = 3, text = "?"}]
[weights]
hw1 = 2
"""
RANDOM = EXERCISE.replace("random.choice(SECRETS)", "str(random.random())")
SEED = "a seed for the tests"
RIGHT, WRONG = "def NAME(text):\n    return text * 2", "def NAME(text):\n    return text"
SAMPLES = 'SECRETS = ["hush", "psst", "mum"]\n'
SETUP = 'from minbpe_course.learning import check, hint, progress, use_exercises\nuse_exercises("..")'


def write_exercise(folder: Path, key: str, source: str = EXERCISE) -> Path:
    """Write the file of an exercise, and the helper next to it; return the file."""
    lesson, name = key.split(".")
    checks = folder / "checks" / lesson
    checks.mkdir(parents=True, exist_ok=True)
    (checks / "samples.py").write_text(SAMPLES, encoding="utf-8")
    path = checks / f"{name}.py"
    path.write_text(source.replace("{name}", name).replace("{key}", key), encoding="utf-8")
    return path


class Homework:
    """A teacher's folder with the assignment ``hw1.toml``, the folder of a class, and the folder of its marks."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.out = root / "homework", root / "class", root / "marks"
        self.file, self.seed = self.home / "hw1.toml", self.home / "seed.txt"
        for name in ("twice", "again"):
            write_exercise(self.home, f"week1.{name}", RANDOM)
        self.seed.write_text(SEED, encoding="utf-8")
        self.asks(ASKED)

    def asks(self, text: str) -> None:
        """Write the assignment, and release it."""
        self.file.write_text(text, encoding="utf-8")
        assert main(["release", str(self.file)]) == 0

    def notebook(self, **answers: str) -> bytes:
        """Return the released notebook with these answers, by the names of their questions."""
        made = json.loads((self.home / "exercises" / "hw1.ipynb").read_text(encoding="utf-8"))
        for cell in made["cells"]:
            name = cell["id"].partition("-")[2]
            if name in answers:
                cell["source"] = answers[name].replace("NAME", name)
        return json.dumps(made).encode()

    def run(self, *options: object, code: int = 0, out: Path | None = None) -> str:
        """Run ``grade`` on the folder of marks, or on another one, to this exit code; return what it prints."""
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            found = main(["grade", *map(str, options), "--out", str(out or self.out), "--allow-unsandboxed"])
        assert found == code, said.getvalue()
        return said.getvalue()

    def grade(self, *options: object, folder: Path | None = None, code: int = 0, out: Path | None = None) -> str:
        """Run ``grade`` on the work of the class, or on another folder."""
        return self.run(folder or self.work, "--assignment", self.file, *options, code=code, out=out)

    def table(self) -> dict[str, dict[str, str]]:
        """Return the rows of ``grades.csv`` by learner."""
        rows = csv.DictReader((self.out / "grades.csv").open(encoding="utf-8-sig"))
        return {row["student_id"]: row for row in rows}

    def report(self, learner: str) -> str:
        """Return the page of a learner."""
        return (self.out / learner / "report.html").read_text(encoding="utf-8")


def write_assignment(folder: Path, first: str, settings: str = "") -> Path:
    """Begin a teacher's folder, and write its hw1.toml with a first question and settings; return that file."""
    new_assignment(folder)
    path = folder / "hw1.toml"
    path.write_text(ASSIGNMENT.replace("{first}", first).replace("{settings}", settings), encoding="utf-8")
    return path


def write_notebook(path: Path, *exercises: Exercise) -> Path:
    """Write the blank notebook of these exercises; return it."""
    cells = [code_cell(SETUP, "setup")]
    for one in exercises:
        cells.append(code_cell(answer_code(one).blank, one.cell_id, **parts.metadata_for(one, "answer")))
        cells.append(code_cell(parts.check_source(one), f"{one.cell_id}-check", **parts.metadata_for(one, "check")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook(*cells, metadata=parts.NOTEBOOK_METADATA))
    return path
