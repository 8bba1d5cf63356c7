"""Read the notebooks of exercises for the tests: their cells by part, and the code of a lesson put together again."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from minbpe_course.learning.assignments.parts import part_of, source_of
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Case, Exercise
from minbpe_course.learning.judge.judge import cases_of
from minbpe_course.learning.judge.right_helpers import of_earlier_lessons
from tests.shared.page_blocks import ROOT

SOLUTIONS, EXERCISES = ROOT / "solutions", ROOT / "exercises"


def notebook_of(lesson: str, folder: Path = SOLUTIONS) -> dict[str, Any]:
    """The notebook of a lesson in a folder, below the blanks of the lesson and what they build on."""
    (path,) = folder.glob(f"{lesson}_*.ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] = [*blank_cells(lesson, answers=folder == SOLUTIONS), *notebook["cells"]]
    return notebook


def blank_cells(lesson: str, *, answers: bool) -> list[dict[str, Any]]:
    """The cells of a lesson's blanks, with answers or not; the answers of earlier lessons are given."""
    blanks = catalogue.COURSE.contents(lesson).blanks
    codes = {one: answer_code(one) for one in blanks}
    cells = [source for code in codes.values() for source in (code.given, code.answer)]
    named = f"{blanks[0].key.replace('.', '-')}-given" if blanks else ""
    made = [{"id": named, "source": source} for source in (of_earlier_lessons(blanks[0], cells) if blanks else ())]
    for one, code in codes.items():
        made += [{"id": named, "source": code.given}] if code.given else []
        made.append({"id": one.cell_id, "source": code.answer if answers else code.blank})
    return [{"cell_type": "code", **cell} for at, cell in enumerate(made) if cell not in made[:at]]


def parts_of(notebook: dict[str, Any]) -> list[tuple[Exercise, str, str]]:
    """(exercise, role, source) of every cell that is part of an exercise, in order."""
    found = []
    for cell in notebook["cells"]:
        part = part_of(cell)
        if part is not None:
            found.append((part.exercise, part.role, source_of(cell)))
    return found


def names_after(sources: list[str], names: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names that are defined once these sources have run, one after the other."""
    names = {"__name__": "__main__"} if names is None else names
    for source in sources:
        exec(compile(source, "<cell>", "exec"), names)
    return names


def lesson_names(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the names after running the given cells and the answers of a notebook."""
    return names_after([source for _, role, source in parts_of(notebook) if role in ("given", "answer")])


@cache
def solved(lesson: str) -> dict[str, Any]:
    """Return the names of a lesson's notebook with answers, cached: copy them before changing them."""
    return lesson_names(notebook_of(lesson))


def solution_of(exercise: Exercise) -> Any:
    """Return the object that the solution of an exercise defines."""
    if catalogue.is_blank(exercise):  # an exercise may ask for the same name again
        return exercise.answer
    return solved(exercise.lesson)[exercise.entry]


def program_of(notebook: dict[str, Any], key: str, answer: str | None = None) -> dict[str, Any]:
    """Return the sandbox's input for one answer: the code of the notebook in order, up to the answer."""
    cells = []
    exercise = catalogue.find(key)
    for other, role, source in parts_of(notebook):
        own = role == "answer" and other.cell_id == exercise.cell_id
        if role in ("given", "answer"):
            cells.append(answer if own and answer is not None else source)
        if own:
            break
    packages = (*exercise.packages, *ALLOWED_PACKAGES)
    return {"cells": tuple(cells), "entry": exercise.entry, "packages": packages, "subject": exercise.subject}


def cases_under(secrets: int, key: str) -> list[Case]:
    """Return the cases of an exercise, shown and drawn, under so many secrets."""
    return [one.case for number in range(secrets) for one in cases_of(catalogue.find(key), f"secret {number}")]
