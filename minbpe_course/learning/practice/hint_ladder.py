"""Show the hints of an exercise: a nudge, then where the lesson builds it, then the steps in words.

``hint("02.merge")`` goes one step further each time; the record of progress stores how many were read.
"""

from __future__ import annotations

from pathlib import Path

from minbpe_course.errors import UnknownExercise
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice.record import ExerciseRecord, path_of_record, update_record
from minbpe_course.learning.practice.views.hints import HintView

STEPS = ("a nudge", "the lesson", "the steps")


def hint(key: str, step: int | None = None) -> HintView:
    """Show the next hint of an exercise, with those before it.

    key : of the exercise, as on its card.
    step : 1, 2 or 3 shows the hints up to that one, instead of one more than last time.

    Raises UnknownExercise for an unknown key, and for a step other than 1, 2 or 3.

    >>> hint("02.merge", 1).shown
    1
    """
    return hint_at(key, step, path_of_record())


def hint_at(key: str, step: int | None, path: Path) -> HintView:
    """Do what ``hint`` does, with the record of progress at ``path``."""
    exercise = catalogue.find(key)
    if step is not None and (isinstance(step, bool) or step not in (1, 2, 3)):
        raise UnknownExercise(f'there is no step {step!r}: the hints are 1, 2 and 3. Type: hint("{exercise.key}")')

    def one_further(entries: dict[str, ExerciseRecord]) -> None:
        entry = entries.setdefault(exercise.key, ExerciseRecord())
        entry.hints = max(entry.hints, step or min(3, entry.hints + 1))

    record = update_record(path, one_further)
    shown = step or record.entries[exercise.key].hints
    return HintView(exercise.key, exercise.title, tuple(zip(STEPS, exercise.hints)), shown, tuple(record.notes))
