"""Time the grading of a class: python -m benchmarks.grading [LEARNERS] [--rung NAME] [--class NAME] [--write]

Classes are made from the solutions. Every learner hands in the notebooks of the first lessons, with a unique line in
each answer so that no two are equal. The grader runs as it does for a teacher, and the times come from the gradebook.

    right      every answer is right: the slow case, because every check of a question runs
    mixed      three fifths right, a fifth wrong, a fifth untouched
    loops      like right, but one answer in twenty never returns

The first class has LEARNERS learners (300), the others a tenth of that. ``--write`` writes the result to grading.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = 20
LEARNERS = 300
CLASSES = {"right": (1.0, 0.0, 0.0, 0.0), "mixed": (0.6, 0.2, 0.2, 0.0), "loops": (0.95, 0.0, 0.0, 0.05)}
KINDS = ("right", "wrong", "untouched", "endless")


def questions() -> tuple[Exercise, ...]:
    """Return the first twenty exercises of the course, which include every kind."""
    return catalogue.exercises()[:QUESTIONS]


def notebooks(folder: str) -> dict[str, dict]:
    lessons = {exercise.lesson for exercise in questions()}
    paths = sorted((ROOT / folder).glob("*.ipynb"))
    return {path.name: json.loads(path.read_bytes()) for path in paths if path.name[:2] in lessons}


def hand_in(folder: Path, learners: int, kind: str = "right") -> None:
    """Write the notebooks that a class hands in; they are the same on every run."""
    chance = random.Random(kind)
    entries = {exercise.cell_id: exercise.entry for exercise in questions()}
    solved, blank = notebooks("solutions"), notebooks("exercises")
    blanks = {cell["id"]: text(cell) for book in blank.values() for cell in book["cells"]}
    for number in range(learners):
        place = folder / f"learner{number:03}"
        place.mkdir(parents=True)
        for name, notebook in solved.items():
            cells = []
            for cell in notebook["cells"]:
                if "answer" in cell["metadata"].get("tags", ()):
                    (sort,) = chance.choices(KINDS, CLASSES[kind])
                    body = {"wrong": f"return {number}", "endless": "while True: pass"}.get(sort)
                    source = text(cell) if sort == "right" else blanks[cell["id"]]
                    if body and cell["id"] in entries:
                        source = f"def {entries[cell['id']]}(*args):\n    {body}"
                    mine = "" if sort == "untouched" else f"\n\nhanded_in_by_{number} = {number}\n"
                    cell = {**cell, "source": source + mine}
                cells.append(cell)
            (place / name).write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")


def text(cell: dict) -> str:
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


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


def busy() -> str:
    """Return the load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def measured(kind: str, learners: int, rung: str) -> tuple[str, list[str], str]:
    """Return the table row of one class, the table of its questions, and the name of the sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        work, out = Path(folder, "work"), Path(folder, "out")
        hand_in(work, learners, kind)
        before = busy()
        done = run(work, out, rung)
        after = busy()
        marks = done["learners"] * done["questions"]
        again = run(work, out, done["sandbox"])
        if again["marked"]:
            raise SystemExit(f"{again['marked']} marks were made a second time")
        line = (
            f"| {kind} | {learners} | {done['seconds']:.0f} s | {1000 * done['seconds'] / marks:.0f} ms "
            f"| {again['seconds']:.1f} s | {before}, {after} |"
        )
        return line, table(out) if kind == "right" else [], done["sandbox"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading")
    parser.add_argument("learners", nargs="?", type=int, default=LEARNERS)
    parser.add_argument("--rung", default="")
    parser.add_argument("--class", dest="kinds", action="append", choices=list(CLASSES))
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows, questions_of_right, sandbox = [], [], ""
    for kind in args.kinds or CLASSES:
        learners = args.learners if kind == "right" else max(args.learners // 10, 1)
        row, per_question, sandbox = measured(kind, learners, args.rung)
        rows.append(row)
        questions_of_right = questions_of_right or per_question
    said = [
        "# Grading a class",
        "",
        f"`python -m benchmarks.grading`: {QUESTIONS} questions, sandbox {sandbox}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, {platform.system()} {re.split('[-+]', platform.release())[0]} "
        f"{platform.machine()}. The last column is the system's load average before and after.",
        "",
        "| class | learners | total | per question | second run | load |",
        "|---|---|---|---|---|---|",
        *rows,
        *(["", "## Every answer right", "", *questions_of_right] if questions_of_right else []),
    ]
    page = "\n".join(said) + "\n"
    print(page)
    if args.write:
        Path(__file__).with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
