"""``progress()``: draw which exercises are done, lesson by lesson."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import KINDS
from minbpe_course.learning.practice.record import ExerciseRecord, forget, path_of_record, read_record
from minbpe_course.learning.practice.views.progress import Item, Lesson, ProgressView


def progress(lesson: str | int | None = None, *, reset: bool = False, sure: bool = False) -> ProgressView:
    """Show which exercises are done or begun, and their points.

    lesson : "02" or 2 for one lesson only; a teacher's has a name, such as "week1".
    reset : clear the record of that lesson, or of all (the answers stay where they are). Without ``sure=True`` nothing
        is cleared, and a note says what to type.

    After ``use_exercises`` the lessons of others are left out until they are begun.

    Raises UnknownExercise for a lesson without exercises.

    >>> progress(2).lessons[0].number
    '02'
    """
    if reset and not sure:
        view = progress_at(path_of_record(), lesson)
        asked = "" if lesson is None else f'"{catalogue.lesson_named(str(lesson))}", '
        note = f"Nothing is forgotten yet. To forget it for good, type: progress({asked}reset=True, sure=True)"
        return replace(view, notes=(note, *view.notes))
    return progress_at(path_of_record(), lesson, reset=reset)


def progress_at(path: Path, lesson: str | int | None = None, *, reset: bool = False) -> ProgressView:
    """Do what ``progress`` does, with the record at ``path``."""
    known = catalogue.lessons()
    numbers = known if lesson is None else (catalogue.lesson_named(str(lesson)),)
    chosen = [(number, catalogue.exercises(number)) for number in numbers]
    notes = forget(path, None if lesson is None else [one.key for one in chosen[0][1]]) if reset else []
    record = read_record(path)
    lessons = []
    for number, exercises in chosen:
        items = []
        for exercise in exercises:
            entry = record.entries.get(exercise.key, ExerciseRecord())
            # The catalogue may give fewer points than when the record was written.
            points = min(entry.points, exercise.points)
            items.append(
                Item(exercise.key, exercise.title, KINDS[exercise.kind], entry.state, points, exercise.points,
                     exercise.difficulty, entry.hints)
            )  # fmt: skip
        lessons.append(Lesson(number, tuple(items)))
    teachers = {number for collection in catalogue.added() for number in collection.lessons()}
    if lesson is None and teachers:
        lessons = [one for one in lessons if one.number in teachers or any(map(_is_begun, one.items))]
    return ProgressView(tuple(lessons), tuple(dict.fromkeys([*notes, *record.notes])))


def _is_begun(item: Item) -> bool:
    return item.state != "not started" or item.hints > 0
