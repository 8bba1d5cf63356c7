"""Begin an exercise, or an assignment of three, with small examples that work.

A new exercise is a file in ``checks`` and three cells in the notebook with answers: the task, the answer, the check.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnknownExercise, UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.learning.assignments.normalise import code_cell, normalised, part_by_id, parts_of_cells
from minbpe_course.learning.assignments.notebook_file import NotebookFile
from minbpe_course.learning.assignments.parts import PROGRESS, ExercisePart, source_of
from minbpe_course.learning.assignments.release import setup_of
from minbpe_course.learning.assignments.templates import TEMPLATES, Template
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.exercise_files import LESSON, LONGEST_KEY, NAME

ASSIGNMENT = (
    ("week1.echo", "write", "An echo"),
    ("week1.initials", "repair", "Initials"),
    ("week1.test_longest_word", "test", "The longest word"),
)
_HOW = (
    "Write each answer where it says `YOUR CODE HERE`, and change the code that has a bug. Run the cell, then the\n",
    'check below it, which shows the smallest case that goes wrong. `hint("...")` with a key gives a hint.',
)


def new_exercise(
    collection: Collection,
    key: str,
    *,
    kind: str = "write",
    entry: str | None = None,
    title: str | None = None,
    after: str | None = None,
) -> tuple[Path, Path]:
    """Write the file of a new exercise and its cells, and return the paths of the file and of the notebook.

    entry : the name that the learner defines (default: the name in the key). title : default: the name in words.
    after : the key of the exercise that it follows (default: the last).

    Raises ExercisesProblem, and writes nothing, for a key that exists or cannot be one, and for an impossible entry or
    title; UnknownExercise for ``after``, UnusablePath.
    """
    lesson, name = checked_key(collection, key)
    entry, title = entry or name, title if title is not None else name.replace("_", " ").capitalize()
    must_be_a_name(entry)
    if not title.strip() or not title.isprintable():
        raise ExercisesProblem(f"{title!r} cannot be a title. A title is one line, as in: --title 'Count triples'")
    file = collection.lesson_folder(lesson) / f"{name}.py"
    template = TEMPLATES[kind].of(key, title.strip(), entry)
    names: dict[str, Any] = {"__name__": "new"}
    exec(compile(template.file, "<a new exercise>", "exec"), names)
    exercise: Exercise = names["EXERCISE"]
    notebook = NotebookFile(notebook_of_lesson(collection, lesson))
    made = _cells(exercise, template)
    notebook.cells = notebook.cells or first_cells(lesson, setup_of(collection))
    at = end_of(notebook.cells)
    if after is not None:
        known = collection.exercises(lesson) if lesson in collection.lessons() else ()
        at = cells_of(parts_of_cells(notebook.cells, known), after)[-1] + 1
    notebook.cells[at:at] = made
    make_folders(file.parent, notebook.path.parent)
    write_whole(file, template.file.encode("utf-8"))
    notebook.write()
    return file, notebook.path


def new_assignment(folder: Path) -> Collection:
    """Write a folder with one notebook of three small exercises, and return its collection.

    Raises ExercisesProblem when the folder exists and is not empty, UnusablePath when it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExercisesProblem(
            f"{folder} exists and is not empty. Name a new folder, or add an exercise to that one: "
            f"minbpe-course new-exercise week1.count_triples --exercises {folder}"
        )
    collection = Collection.in_folder(folder)
    for key, kind, title in ASSIGNMENT:
        new_exercise(collection, key, kind=kind, title=title)
    return collection


def checked_key(collection: Collection, key: str) -> tuple[str, str]:
    """Return lesson and name of a key that is free. Raises ExercisesProblem for another."""
    lesson, _, name = key.partition(".")
    short = len(key) <= LONGEST_KEY
    if not (short and LESSON.fullmatch(lesson) and NAME.fullmatch(name)) or keyword.iskeyword(name):
        raise ExercisesProblem(
            f"{key!r} cannot be a key. A key is a lesson and a name, in lowercase letters, digits and _, "
            f"with at most {LONGEST_KEY} characters, as in week1.count_triples"
        )
    if collection == COURSE and lesson not in collection.lessons():
        raise ExercisesProblem(
            f"the course has no lesson {lesson!r}; its lessons are {', '.join(collection.lessons())}. For exercises of "
            f"your own, name a folder: minbpe-course new-exercise {key} --exercises homework"
        )
    file = collection.lesson_folder(lesson) / f"{name}.py"
    if file.exists() or catalogue.known(key) is not None:
        raise ExercisesProblem(
            f"{key} exists already, in {file if file.exists() else 'the course'}. Choose another name."
        )
    return lesson, name


def make_folders(*folders: Path) -> None:
    """Make folders that are missing. Raises UnusablePath."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise UnusablePath(f"cannot make the folder {folder}: {error}. Name another.") from error


def must_be_a_name(entry: str) -> None:
    """Raise ExercisesProblem for an entry that is not a name of Python."""
    if not entry.isidentifier() or keyword.iskeyword(entry):
        raise ExercisesProblem(f"{entry!r} is not a name in Python. Name a function or class: --entry count_triples")


def notebook_of_lesson(collection: Collection, lesson: str) -> Path:
    """Return the path of a lesson's notebook with answers, which may not exist yet."""
    name = collection.notebook(lesson)
    for path in sorted(collection.solutions.glob(f"{lesson}*.ipynb")) if name is None else ():
        if re.fullmatch(rf"{lesson}(_.*)?", path.stem) and collection.lesson_of(path.name) is None:
            name = name or path.name
    return collection.solutions / (name or f"{lesson}.ipynb")


def first_cells(lesson: str, setup: str) -> list[dict[str, Any]]:
    """Return the cells of a notebook without exercises: title, setup and progress."""
    title = re.sub(r"(?<=[a-z])(?=\d)", " ", lesson.replace("_", " ")).capitalize()
    cell = {"cell_type": "markdown", "id": f"{lesson}-title", "metadata": {}, "source": [f"# {title}\n", "\n", *_HOW]}
    return [cell, code_cell(f"{lesson}-setup", setup), code_cell(f"{lesson}-progress", PROGRESS)]


def end_of(cells: Sequence[dict[str, Any]]) -> int:
    """Return where the cells of a further exercise go: before the progress at the end."""
    return len(cells) - (source_of(cells[-1]).strip() == PROGRESS)


def _cells(exercise: Exercise, template: Template) -> list[dict[str, Any]]:
    drafts = [
        {"cell_type": "markdown", "id": f"{exercise.cell_id}-text", "metadata": {}, "source": template.task},
        {"cell_type": "code", "id": exercise.cell_id, "metadata": {}, "source": template.answer},
    ]
    return [cell for cell in normalised({"cells": drafts}, [exercise])["cells"] if part_by_id(cell, [exercise])]


def cells_of(found: Sequence[ExercisePart | None], key: str) -> list[int]:
    """Return the places of the cells of an exercise. Raises UnknownExercise if there are no such cells."""
    places = [at for at, part in enumerate(found) if part is not None and part.exercise.key == key]
    if not places:
        known = dict.fromkeys(part.exercise.key for part in found if part is not None)
        raise UnknownExercise(f"{key} has no cells in this notebook, which has {', '.join(known) or 'no exercises'}.")
    return places
