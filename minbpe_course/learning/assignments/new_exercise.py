"""Begin an exercise, or an assignment of three, with small examples that work: a new exercise is one file."""

from __future__ import annotations

import json
import keyword
from collections.abc import Sequence
from pathlib import Path

from minbpe_course.errors import ExercisesProblem, UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.learning.assignments.assignment import DEFAULT
from minbpe_course.learning.assignments.templates import example
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.exercise_files import LESSON, LONGEST_KEY, NAME

EXAMPLES = (
    ("week1.echo", "write", "An echo"),
    ("week1.initials", "repair", "Initials"),
    ("week1.test_longest_word", "test", "The longest word"),
)
_ASSIGNMENT = """\
title = {title}
# due = 2026-10-12T23:59:00+02:00   # answers after this are marked as late
# late_penalty = 0.1                # and lose a tenth of their points for each day begun
# seed_file = "seed.txt"            # your secret; keep it out of what you hand out
questions = [
{asked}    # {{key = "02.merge", points = 5}},
    # {{written = "why", title = "Why?", points = 3, text = "Explain it in three sentences."}},
]

# [weights]                         # of lessons: their points count so many times
# "02" = 2
"""


def new_exercise(
    collection: Collection, key: str, *, kind: str = "write", entry: str | None = None, title: str | None = None
) -> Path:
    """Write the file of a new exercise, and return its path.

    entry : the name that the learner defines (default: the name in the key). title : default: the name in words.

    Raises ExercisesProblem, and writes nothing, for a key that exists or cannot be one, and for an impossible entry or
    title; UnusablePath.
    """
    file = _file_of_new(collection, key)
    name = key.partition(".")[2]
    entry, title = entry or name, title if title is not None else name.replace("_", " ").capitalize()
    if not entry.isidentifier() or keyword.iskeyword(entry):
        raise ExercisesProblem(f"{entry!r} is not a name in Python. Name a function or class: --entry count_triples")
    if not title.strip() or not title.isprintable():
        raise ExercisesProblem(f"{title!r} cannot be a title. A title is one line, as in: --title 'Count triples'")
    return _written(file, example(kind, key, title.strip(), entry))


def new_assignment(folder: Path, keys: Sequence[str] = ()) -> Path:
    """Write a folder with an assignment that asks these exercises, and return its file.

    keys : of exercises ("02.merge") and of whole lessons ("02"), which are asked in the order of the course.

    Without ``keys``, it asks three small exercises, whose files are also in the folder.

    Raises ExercisesProblem when the folder exists and is not empty, UnknownExercise for a key of no exercise,
    UnusablePath when the folder cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExercisesProblem(
            f"{folder} exists and is not empty. Name a new folder, or add an exercise to that one: "
            f"minbpe-course new-exercise week1.count_triples --exercises {folder}"
        )
    asked = [one.key for one in catalogue.chosen(keys)] or [key for key, _, _ in EXAMPLES]
    for key, kind, title in () if keys else EXAMPLES:
        new_exercise(Collection.in_folder(folder), key, kind=kind, title=title)
    rows = "".join(f'    "{key}",\n' for key in asked)
    title = json.dumps(folder.absolute().name, ensure_ascii=False)
    return _written(folder / DEFAULT, _ASSIGNMENT.format(title=title, asked=rows))


def _written(file: Path, text: str) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UnusablePath(f"cannot make the folder {file.parent}: {error}. Name another.") from error
    return write_whole(file, text.encode("utf-8", "replace"))


def _file_of_new(collection: Collection, key: str) -> Path:
    """Return the file of a key that is free."""
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
    return file
