"""Grading a class: python -m benchmarks.grading [LEARNERS] [RUNG]

A class is made from the solutions: every learner hands in the notebooks of the first lessons, every answer with a line
of its own, so that no two are the same. The program is run as a teacher runs it, and the gradebook says what took how
long. All of them are right, which is the slow case: every question is tried to its end.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = 20
LEARNERS = 300


def questions() -> tuple[Exercise, ...]:
    """The first twenty exercises of the course: every kind is among them."""
    return catalogue.exercises()[:QUESTIONS]


def hand_in(folder: Path, learners: int) -> None:
    lessons = sorted({exercise.lesson for exercise in questions()})
    solved = {path.name: json.loads(path.read_bytes()) for path in sorted((ROOT / "solutions").glob("*.ipynb"))}
    for number in range(learners):
        place = folder / f"learner{number:03}"
        place.mkdir(parents=True)
        for name, notebook in solved.items():
            if name[:2] in lessons:
                cells = [own(cell, number) for cell in notebook["cells"]]
                (place / name).write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")


def own(cell: dict, number: int) -> dict:
    if "answer" not in cell["metadata"].get("tags", ()):
        return cell
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    return {**cell, "source": f"{source}\n\nhanded_in_by_{number} = {number}\n"}


def run(work: Path, out: Path, rung: str) -> dict:
    keys = [exercise.key for exercise in questions()]
    command = [sys.executable, "-m", "minbpe_course", "grade", str(work), "--out", str(out), "--only", *keys]
    command += ["--rung", rung] if rung else []
    environment = os.environ | {"MINBPE_COURSE_SEED": "the seed of the benchmark"}
    done = subprocess.run([*command, "--allow-unsandboxed"], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def table(out: Path) -> list[str]:
    base = sqlite3.connect(out / "gradebook.sqlite")
    seconds: dict[str, list[float]] = defaultdict(list)
    for key, state, took in base.execute("SELECT key, state, seconds FROM mark"):
        if state != "done":
            raise SystemExit(f"{key}: a solution is {state!r}; there is nothing to time")
        seconds[key].append(took)
    base.close()
    kinds = {exercise.key: exercise.kind for exercise in questions()}
    lines = ["| question | kind | median ms | slowest ms |", "|---|---|---|---|"]
    return lines + [
        f"| {key} | {kinds[key]} | {1000 * statistics.median(took):.0f} | {1000 * max(took):.0f} |"
        for key, took in seconds.items()
    ]


def main() -> None:
    learners = int(sys.argv[1]) if len(sys.argv) > 1 else LEARNERS
    with tempfile.TemporaryDirectory() as folder:
        work, out = Path(folder, "work"), Path(folder, "out")
        hand_in(work, learners)
        done = run(work, out, sys.argv[2] if len(sys.argv) > 2 else "")
        marks = done["learners"] * done["questions"]
        print(
            f"{done['learners']} learners x {done['questions']} questions: {done['seconds']:.0f} s, "
            f"{1000 * done['seconds'] / marks:.0f} ms a question, sandbox {done['sandbox']}, "
            f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        )
        print("\n".join(table(out)))
        again = run(work, out, done["sandbox"])
        print(f"\nRun once more: {again['seconds']:.1f} s, {again['kept']} marks kept, {again['marked']} made again")


if __name__ == "__main__":
    main()
