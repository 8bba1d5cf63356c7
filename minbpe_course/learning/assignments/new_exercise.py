"""Begin an exercise, or an assignment of three, with small examples that work.

A new exercise is a file in ``checks`` and three cells in the notebook with answers: the task, the answer, the check.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnknownExercise, UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.learning.assignments.normalise import code_cell, normalised, notebook_of, part_by_id, parts_of_cells
from minbpe_course.learning.assignments.parts import PROGRESS, source_of
from minbpe_course.learning.assignments.release import load_notebook, notebook_bytes, setup_of
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
    lesson, name = _checked_key(collection, key)
    entry, title = entry or name, title if title is not None else name.replace("_", " ").capitalize()
    if not entry.isidentifier() or keyword.iskeyword(entry):
        raise ExercisesProblem(f"{entry!r} is not a name in Python. Name a function or class: --entry count_triples")
    if not title.strip() or not title.isprintable():
        raise ExercisesProblem(f"{title!r} cannot be a title. A title is one line, as in: --title 'Count triples'")
    file = collection.lesson_folder(lesson) / f"{name}.py"
    template = TEMPLATES[kind].of(key, title.strip(), entry)
    names: dict[str, Any] = {"__name__": "new"}
    exec(compile(template.file, "<a new exercise>", "exec"), names)
    exercise: Exercise = names["EXERCISE"]
    path = notebook_of_lesson(collection, lesson)
    notebook = load_notebook(path) if path.exists() else notebook_of([])
    cells = notebook["cells"] = notebook["cells"] or _first_cells(lesson, setup_of(collection))
    at = len(cells) - (source_of(cells[-1]).strip() == PROGRESS)
    if after is not None:
        known = collection.exercises(lesson) if lesson in collection.lessons() else ()
        keys = [part.exercise.key if part else "" for part in parts_of_cells(cells, known)]
        if after not in keys:
            there = ", ".join(dict.fromkeys(filter(None, keys))) or "no exercises"
            raise UnknownExercise(f"{after} has no cells in this notebook, which has {there}.")
        at = len(keys) - keys[::-1].index(after)
    cells[at:at] = _cells(exercise, template)
    try:
        for folder in (file.parent, path.parent):
            folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UnusablePath(f"cannot make the folder {folder}: {error}. Name another.") from error
    write_whole(file, template.file.encode("utf-8"))
    write_whole(path, notebook_bytes(notebook))
    return file, path


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


def _checked_key(collection: Collection, key: str) -> tuple[str, str]:
    """Return lesson and name of a key that is free."""
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


def notebook_of_lesson(collection: Collection, lesson: str) -> Path:
    """Return the path of a lesson's notebook with answers, which may not exist yet."""
    name = collection.notebook(lesson)
    for path in sorted(collection.solutions.glob(f"{lesson}*.ipynb")) if name is None else ():
        if re.fullmatch(rf"{lesson}(_.*)?", path.stem) and collection.lesson_of(path.name) is None:
            name = name or path.name
    return collection.solutions / (name or f"{lesson}.ipynb")


def _first_cells(lesson: str, setup: str) -> list[dict[str, Any]]:
    """Return the cells of a notebook without exercises: title, setup and progress."""
    title = re.sub(r"(?<=[a-z])(?=\d)", " ", lesson.replace("_", " ")).capitalize()
    cell = {"cell_type": "markdown", "id": f"{lesson}-title", "metadata": {}, "source": [f"# {title}\n", "\n", *_HOW]}
    return [cell, code_cell(f"{lesson}-setup", setup), code_cell(f"{lesson}-progress", PROGRESS)]


def _cells(exercise: Exercise, template: Template) -> list[dict[str, Any]]:
    drafts = [
        {"cell_type": "markdown", "id": f"{exercise.cell_id}-text", "metadata": {}, "source": template.task},
        {"cell_type": "code", "id": exercise.cell_id, "metadata": {}, "source": template.answer},
    ]
    return [cell for cell in normalised({"cells": drafts}, [exercise])["cells"] if part_by_id(cell, [exercise])]
