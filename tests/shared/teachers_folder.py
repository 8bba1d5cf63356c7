"""Write a teacher's folder of exercises, and an assignment in it, which a class hands in and the teacher grades."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from minbpe_course.cli.main import main
from minbpe_course.learning.assignments import parts
from minbpe_course.learning.assignments.new_exercise import new_assignment
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Exercise

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
    """A teacher's folder with the assignment ``hw1.toml``, and the folder of its marks."""

    def __init__(self, root: Path, exercise: str, *names: str) -> None:
        self.home, self.out = root / "homework", root / "marks"
        self.file = self.home / "hw1.toml"
        for name in names:
            write_exercise(self.home, f"week1.{name}", exercise)

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

    def run(self, *options: object, out: Path | None = None) -> int:
        """Run ``grade`` on the folder of marks, or on another one."""
        return main(["grade", *map(str, options), "--out", str(out or self.out), "--allow-unsandboxed"])

    def table(self) -> dict[str, dict[str, str]]:
        """Return the rows of ``grades.csv`` by learner."""
        rows = csv.DictReader((self.out / "grades.csv").open(encoding="utf-8-sig"))
        return {row["student_id"]: row for row in rows}


def write_assignment(folder: Path, first: str, settings: str = "") -> Path:
    """Begin a teacher's folder, and write its hw1.toml with a first question and settings; return that file."""
    new_assignment(folder)
    path = folder / "hw1.toml"
    path.write_text(ASSIGNMENT.replace("{first}", first).replace("{settings}", settings), encoding="utf-8")
    return path


def write_notebook(path: Path, *exercises: Exercise, answers: dict[str, str] | None = None) -> Path:
    """Write the notebook of these exercises, blank or with answers by key; return it."""
    answers = answers or {}
    cells: list[dict[str, Any]] = [_code("setup", SETUP)]
    for one in exercises:
        for suffix, source in (("", answers.get(one.key, answer_code(one).blank)), ("-check", parts.check_source(one))):
            cell = _code(one.cell_id + suffix, source)
            cells.append({**cell, "metadata": parts.metadata_for(one, "check" if suffix else "answer")})
    made = {"cells": cells, "metadata": parts.NOTEBOOK_METADATA, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def _code(cell_id: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code", "id": cell_id, "metadata": {}, "source": source, "outputs": [], "execution_count": None,
    }  # fmt: skip
