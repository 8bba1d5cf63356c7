"""Write the notebooks in ``solutions/`` with all their ids and metadata, and bring edited ones back into that form.

    python -m tools.exercises normalise solutions/02_naive_bpe.ipynb    metadata and outputs; sources stay as they are

A new notebook is easiest written by a few lines of Python (the exercises must already be in checks/lesson_02,
which is where titles, cards, points and entries come from):

    from tools.exercises import answer, check, given, prose, show, solution_notebook, text

    solution_notebook("02 · Naive byte pair encoding: exercises", [
        prose("Six questions about the lesson of the same number."),
        text("02.merge", "Replace every `pair` in `ids`, from left to right …"),
        show("from minbpe_course.visual.tokens import show_tokens\\nshow_tokens([b'a', b'b'])"),
        given("02.merge", "EXAMPLE = [1, 1, 1]"),
        answer("02.merge", '''
            def merge(ids, pair, new_id):
                \"\"\"Return ids with every pair replaced.\"\"\"
                ### BEGIN SOLUTION
                merged = …
                return merged
                ### END SOLUTION
        '''),
        check("02.merge"),
    ])

The title, the setup cell and the closing ``progress()`` are added; the indentation common to all lines of a source is
taken away. The file is ``solutions/NN_name.ipynb``, named like the lesson. It is written only when
``minbpe-course release`` would accept it; then run ``minbpe-course release`` to make the exercise from it.

text       title and card come from the catalogue; write only the task
given      code that the answer may use; standard library and the declared packages only
answer     ``stub=["line", …]`` puts these lines in place of the answer instead of a blank (kinds "fill" and "repair")
show       any other code; it may use minbpe_course, and answers may not use it
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.assignments.parts import PROGRESS, SETUP, check_source, text_head
from minbpe_course.assignments.release import load_notebook, normalised, notebook_bytes, release
from minbpe_course.checks import catalogue
from minbpe_course.errors import ExercisesProblem, MinbpeCourseError
from minbpe_course.files import write_whole

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "solutions"


@dataclass(frozen=True)
class Draft:
    """One cell to be; ``solution_notebook`` gives it its id and metadata."""

    role: str
    source: str
    key: str = ""
    stub: tuple[str, ...] | None = None


def prose(markdown: str) -> Draft:
    """Markdown that belongs to no exercise."""
    return Draft("prose", _dedented(markdown))


def show(source: str) -> Draft:
    """Code that belongs to no exercise: something to look at."""
    return Draft("show", _dedented(source))


def text(key: str, markdown: str) -> Draft:
    """The task of an exercise, without its title and card."""
    exercise = catalogue.find(key)
    return Draft("text", f"{text_head(exercise)}\n\n{_dedented(markdown)}", key)


def given(key: str, source: str) -> Draft:
    """Code that the answer may use; several in a row are fine."""
    return Draft("given", _dedented(source), catalogue.find(key).key)


def answer(key: str, source: str, stub: Sequence[str] | None = None) -> Draft:
    """The answer cell, with its markers. ``stub`` has one line an item, indented relative to the markers."""
    if isinstance(stub, str):
        stub = _dedented(stub).split("\n")
    return Draft("answer", _dedented(source), catalogue.find(key).key, None if stub is None else tuple(stub))


def check(key: str) -> Draft:
    """The check cell."""
    return Draft("check", check_source(catalogue.find(key)), key)


def solution_notebook(title: str, cells: Sequence[Draft], *, folder: Path = SOLUTIONS) -> Path:
    """Write the notebook of one lesson and return its path.

    Raises ExercisesProblem, and writes nothing, when ``minbpe-course release`` would not accept it.
    """
    numbers = {cell.key[:2] for cell in cells if cell.key}
    if len(numbers) != 1:
        raise ExercisesProblem(f"a notebook has the exercises of one lesson, these are of {sorted(numbers)}.")
    (lesson,) = numbers
    name = next(path.name for path in (ROOT / "notebooks").glob(f"{lesson}_*.ipynb"))
    drafts = [Draft("title", f"# {title}"), Draft("setup", SETUP), *cells, Draft("progress", PROGRESS)]
    counts: dict[str, int] = {}
    notebook = normalised({"cells": [_made(draft, lesson, counts) for draft in drafts]})
    release(notebook, name)
    folder.mkdir(parents=True, exist_ok=True)
    return write_whole(folder / name, notebook_bytes(notebook))


def _made(draft: Draft, lesson: str, counts: dict[str, int]) -> dict[str, Any]:
    base = f"{lesson}-{draft.key[3:]}" if draft.key else f"{lesson}-{draft.role}"
    wanted = {"answer": base, "text": f"{base}-text", "check": f"{base}-check", "given": f"{base}-given"}
    cell_id = wanted.get(draft.role, base)
    if draft.role in ("given", "show", "prose"):
        counts[cell_id] = counts.get(cell_id, 0) + 1
        number = counts[cell_id]
        cell_id += f"-{number}" if number > 1 or draft.role != "given" else ""
    kind = "markdown" if draft.role in ("prose", "text", "title") else "code"
    metadata = {} if draft.stub is None else {"minbpe_course": {"stub": list(draft.stub)}}
    return {"cell_type": kind, "id": cell_id, "metadata": metadata, "source": draft.source}


def _dedented(source: str) -> str:
    return textwrap.dedent(source).strip("\n").rstrip()


def normalise(path: Path) -> bool:
    """Bring a notebook in ``solutions/`` to the form in which it is kept; tell whether that changed the file."""
    before = path.read_bytes()
    after = notebook_bytes(normalised(load_notebook(path)))
    if after != before:
        write_whole(path, after)
    return after != before


def main(arguments: list[str] | None = None) -> int:
    """Do one verb for every file named."""
    parser = argparse.ArgumentParser(prog="python -m tools.exercises", description="Keep the notebooks of solutions/.")
    parser.add_argument("verb", choices=["normalise"])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks; all of solutions/ when none is named")
    options = parser.parse_args(arguments)
    for path in options.files or sorted(SOLUTIONS.glob("*.ipynb")):
        print(f"{path.name}: {'normalised' if normalise(path) else 'nothing to do'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MinbpeCourseError as problem:
        sys.exit(f"tools.exercises: {problem}")
