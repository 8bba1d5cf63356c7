"""Look at the notebooks of a learner: which lessons they are, where an answer was begun, and what is not graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minbpe_course.files import read_whole
from minbpe_course.learning.grading.released import LESSONS
from minbpe_course.learning.judge.catalogue import COURSE
from minbpe_course.learning.submissions.notebook_cells import (
    Notebook,
    Question,
    find_answer,
    questions_in,
    read_notebook,
)


@dataclass(frozen=True)
class HandedIn:
    """One notebook: the lessons whose answer cells it has, and those in which an answer was begun.

    lesson : the name of the course's lesson, if the notebook is a lesson and not its exercises; else "".
    """

    name: str
    handed: frozenset[str]
    worked: frozenset[str]
    lesson: str = ""
    elsewhere: bool = False
    """Whether its exercises come from a folder that is not known here."""


def lesson_of(question: Question) -> str:
    """Return the name of a question's notebook, by which it is counted: "02_naive_bpe", or "lesson 02_naive_bpe"."""
    path = Path(question.notebook)
    return f"{'lesson ' if path.parent.name == LESSONS else ''}{path.stem}" or question.exercise.lesson


def handed_in(notebook: Notebook, questions: Sequence[Question]) -> HandedIn:
    """Look at a notebook. ``questions`` are those of every notebook that was handed out."""
    asked = questions_in([notebook], questions)
    ids = {question.exercise.cell_id for question in asked}
    theirs = any(ids & {cell.id, cell.grade_id} for cell in notebook.cells)
    lesson = "" if theirs else _course_lesson(notebook)
    if lesson:
        return HandedIn(notebook.name, frozenset(), frozenset(), lesson)
    begun = frozenset(lesson_of(question) for question in asked if find_answer([notebook], question).started)
    unknown = notebook.checks - {question.exercise.key for question in questions}
    elsewhere = not asked and (bool(unknown) or any("use_exercises(" in cell.source for cell in notebook.cells))
    return HandedIn(notebook.name, frozenset(map(lesson_of, asked)), begun, elsewhere=elsewhere)


def remarks(notebooks: Iterable[HandedIn], graded: Set[str], names: Collection[str]) -> list[str]:
    """Return a sentence for each notebook of a learner in which nothing is graded, or which is not what its name says.

    graded : the lessons that are. names : of all notebooks that were handed out.
    """
    said = []
    notebooks = list(notebooks)
    nothing = not any(one.handed & graded for one in notebooks)
    for one in notebooks:
        stem = one.name.rpartition("/")[2]
        named = {name for name in names if name in stem}
        here = ", ".join(sorted(one.handed))
        if one.lesson:
            said.append(f"{one.name} is the lesson {one.lesson}, not its exercises, so it was not graded")
        elif one.elsewhere:
            said.append(
                f"{one.name} was not graded: its exercises are not known here. The teacher can name their folder with "
                "--exercises FOLDER"
            )
        elif not one.handed:
            said.append(f"{one.name} has no answer to an exercise that is known here, so it was not graded")
        elif one.handed & graded:
            if named and not named & one.handed:
                said.append(f"{one.name} has the exercises of {here}; they were graded as such")
        elif nothing or named & graded:
            said.append(f"{one.name} has the exercises of {here}, which are not graded here")
    return said


@cache
def _lesson_cells() -> dict[str, str]:
    """Return the code cells of the course's lessons, without differences that an editor makes, with their lessons."""
    found: dict[str, str] = {}
    for path in sorted((COURSE.released.parent / "notebooks").glob("*.ipynb")):
        for cell in read_notebook(read_whole(path), path.name).cells:
            if cell.content:
                found.setdefault(cell.content, path.stem)
    return found


def _course_lesson(notebook: Notebook) -> str:
    """Return the name of the lesson that most code cells of a notebook are from, or ""."""
    cells = [cell.content for cell in notebook.cells if cell.content]
    found = Counter(_lesson_cells()[content] for content in cells if content in _lesson_cells())
    lesson, count = found.most_common(1)[0] if found else ("", 0)
    return lesson if 2 * count > len(cells) else ""
