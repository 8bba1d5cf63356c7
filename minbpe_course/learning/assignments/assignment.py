"""Read an assignment: the questions of one notebook, their points, and when it is due, from one TOML file.

    title = "Homework 1"
    introduction = "Work alone."             Markdown, below the title; optional, as is all that follows but questions
    due = 2026-10-12T23:59:00+02:00          without an offset, in the time zone of the machine that grades
    late_penalty = 0.1                       the share of the points that each day begun after it costs
    seed_file = "seed.txt"                   a path from this file
    checks = false                           for learners without the folder checks: no check of its exercises
    questions = [
        "02.merge",
        {key = "03.group_digits", points = 5},
        {written = "ties", title = "Why ties matter", points = 3, text = "Explain it in three sentences."},
    ]

    [weights]                                by lesson: its points count so many times
    "02" = 2

``homework/hw1.toml`` is the assignment "hw1", ``homework/assignment.toml`` is "homework". Its notebooks are
``exercises/NAME.ipynb`` and ``solutions/NAME.ipynb`` next to the file. It may ask the exercises in the folder
``checks`` next to it like those of the course.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnknownExercise
from minbpe_course.files import read_whole
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import COURSE, Collection, Contents
from minbpe_course.learning.judge.exercise import Code, Exercise
from minbpe_course.learning.judge.exercise_files import LONGEST_KEY, NAME
from minbpe_course.learning.judge.right_helpers import helpers_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT = "assignment.toml"
MOST_POINTS = 1000
_TEXT, _NUMBER = (str,), (int, float)
_Fields = Mapping[str, tuple[tuple[type, ...], str]]
"""The types of each field, and an example."""
_FIELDS: _Fields = {
    "title": (_TEXT, '"Homework 1"'),
    "introduction": (_TEXT, '"Work alone."'),
    "due": ((datetime, date), "2026-10-12T23:59:00"),
    "late_penalty": (_NUMBER, "0.1"),
    "seed_file": (_TEXT, '"seed.txt"'),
    "checks": ((bool,), "false"),
    "questions": ((list,), '["02.merge"]'),
    "weights": ((dict,), '{"02" = 2}'),
}
_POINTS = (_NUMBER, "5")
_OF_EXERCISE: _Fields = {"key": (_TEXT, '"02.merge"'), "points": _POINTS}
_OF_WRITTEN: _Fields = {
    "written": (_TEXT, '"ties"'),
    "title": (_TEXT, '"Why ties matter"'),
    "points": _POINTS,
    "text": (_TEXT, '"Explain it in three sentences."'),
}


@dataclass(frozen=True)
class Written(Exercise):
    """A question that learners answer in words, and a teacher marks. ``text`` is the task, in Markdown."""

    text: str = ""

    def card(self) -> str:
        """Return the line under the title of the question in the notebook."""
        return f"**`{self.key}`** · write a text · {self.points} point{'' if self.points == 1 else 's'}"


@dataclass(frozen=True)
class Assignment:
    """The content of one file. ``questions`` have the points of the assignment, times the weight of their lesson."""

    path: Path
    title: str
    questions: tuple[Exercise, ...]
    introduction: str = ""
    due: datetime | None = None
    late_penalty: float = 0.0
    seed_file: Path | None = None
    checks: bool = True

    @property
    def name(self) -> str:
        """Its name, in lowercase letters, digits and _."""
        return name_of(self.path)

    @property
    def collection(self) -> Collection:
        """The folders next to the file, in which its notebooks are."""
        return Collection.in_folder(self.path.parent)

    @property
    def notebook(self) -> Path:
        """The notebook that learners get."""
        return self.collection.released / f"{self.name}.ipynb"

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The keys of its exercises in the folder ``checks`` next to the file."""
        keys = (one.key for one in self.questions if not isinstance(one, Written))
        return tuple(key for key in keys if catalogue.collection_of(key) != COURSE)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The keys of the exercises that learners cannot check."""
        return () if self.checks else self.own

    def contents(self) -> Contents:
        """Return what the notebook is made of; ``mine`` gives the answers that it builds on and does not ask for."""
        rows: list[Exercise | Code] = []
        there: set[str] = set()
        for one in self.questions:
            if not isinstance(one, Written):
                code = answer_code(one)
                words = set(re.findall(r"\w+", code.given + code.answer)) - there
                used = [helper.entry for helper in helpers_of(one) if helper.entry in words]
                if used:
                    lines = [f'{name} = mine("{name}")' for name in used]
                    head = "from minbpe_course.learning import mine  # yours in my_tokenizer.py, or the course's\n"
                    rows.append(Code("\n".join([head, *lines])))
                there |= {one.entry, *used}
            rows.append(one)
        return Contents(self.name, self.title, self.introduction, tuple(rows))


def read_assignment(path: Path) -> Assignment:
    """Return the assignment in a file, and add the exercises of the folder ``checks`` next to it to the course's.

    Raises MissingFile, and ExercisesProblem with everything that is wrong: the field, and what to write there.
    """
    try:
        said = tomllib.loads(read_whole(path).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ExercisesProblem(f"{path} is not TOML: {problem}") from None
    if (path.parent / "checks").is_dir():
        catalogue.add_collection(path.parent, "--exercises homework")
    wrong = list(_wrong_fields(said, _FIELDS, ("title", "questions")))
    questions: list[Exercise] = []
    for number, row in enumerate(said["questions"] if not wrong else (), start=1):
        try:
            questions.append(_question(row, name_of(path)))
        except UnknownExercise as problem:
            wrong += [f"question {number}: {line}" for line in str(problem).split("\n")]
    keys = [one.key for one in questions]
    wrong += [f"{key} is asked twice. Delete one." for key in dict.fromkeys(keys) if keys.count(key) > 1]
    weights = said.get("weights", {})
    lessons = {one.lesson for one in questions}
    for lesson, weight in weights.items() if not wrong else ():
        if lesson not in lessons or not _is_number(weight, MOST_POINTS):
            wrong.append(
                f"weights: {lesson} = {weight!r}. Name a lesson of the questions, and a number: {min(lessons)} = 2"
            )
    due, late_penalty = said.get("due"), said.get("late_penalty", 0)
    if not _is_number(late_penalty, 1):
        wrong.append("late_penalty is a share of the points, from 0 to 1: late_penalty = 0.1")
    if not wrong and not questions:
        wrong.append('questions is empty. Write in it keys of exercises: questions = ["02.merge"]')
    if wrong:
        raise ExercisesProblem("\n".join(f"{path}: {one}" for one in wrong))
    return Assignment(
        path,
        said["title"],
        tuple(replace(one, points=_plain(one.points * weights.get(one.lesson, 1))) for one in questions),
        "\n\n".join([said.get("introduction", ""), *_about(due, late_penalty)]).strip(),
        _moment(due) if due else None,
        late_penalty,
        path.parent / said["seed_file"] if "seed_file" in said else None,
        said.get("checks", True),
    )


def name_of(path: Path) -> str:
    """Return the name of the assignment in a file, in lowercase letters, digits and _.

    >>> name_of(Path("homework/HW 1.toml")), name_of(Path("homework/assignment.toml"))
    ('hw_1', 'homework')
    """
    name = path.absolute().parent.name if path.name == DEFAULT else path.stem
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "assignment"


def _question(row: Any, assignment: str) -> Exercise:
    """Return the question of one row, with its points. Raises UnknownExercise with all that is wrong in the row."""
    row = {"key": row} if isinstance(row, str) else row
    if not isinstance(row, dict):
        raise UnknownExercise(f'{row!r} is not a question. Write "02.merge", or {{key = "02.merge", points = 5}}')
    written = "written" in row
    wrong = list(_wrong_fields(row, _OF_WRITTEN if written else _OF_EXERCISE, _OF_WRITTEN if written else ("key",)))
    if not _is_number(row.get("points", 0), MOST_POINTS):
        wrong.append(f"points is a number from 0 to {MOST_POINTS}: points = 5")
    key = f"{assignment}.{row.get('written')}"
    if written and not (NAME.fullmatch(str(row["written"])) and len(key) <= LONGEST_KEY and not catalogue.known(key)):
        wrong.append(f'{row["written"]!r} cannot name a question. Write a short word that is free: written = "ties"')
    if wrong:
        raise UnknownExercise("\n".join(wrong))
    if written:
        return Written(key, row["title"], "written", points=_plain(row["points"]), text=row["text"])
    exercise = catalogue.find(row["key"])
    return replace(exercise, points=row.get("points", exercise.points))


def _wrong_fields(said: Mapping[str, Any], fields: _Fields, needed: Iterable[str]) -> Iterator[str]:
    for name in needed:
        if name not in said:
            yield f"{name} is missing. Add: {name} = {fields[name][1]}"
    for name, value in said.items():
        types, example = fields.get(name, ((), ""))
        if not types:
            yield f"{name!r} is not a field. There are {', '.join(fields)}."
        elif not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            yield f"{name} = {value!r} is a {type(value).__name__}. Write: {name} = {example}"


def _is_number(value: Any, most: float) -> bool:
    return isinstance(value, _NUMBER) and not isinstance(value, bool) and 0 <= value <= most


def _plain(points: float) -> Any:
    """Return points without a needless ".0"."""
    return int(points) if points == int(points) else points


def _about(due: date | None, late_penalty: float) -> Iterator[str]:
    """Yield a sentence for learners: the same on every machine, so a time is shown as the file has it."""
    if due:
        cost = f", and each day begun after that costs an answer {100 * late_penalty:g} % of its points"
        yield f"This is due: {due}" + cost * bool(late_penalty) + "."


def _moment(due: date) -> datetime:
    """Return the moment that a date or time without an offset means here; a date is the end of that day."""
    made = due if isinstance(due, datetime) else datetime.combine(due, time(23, 59, 59))
    return made if made.tzinfo else made.astimezone()
