"""Show the hints of an exercise: a nudge, where the lesson builds it, the steps in words, and the answer.

``hint("02.merge")`` goes one step further each time; the record of progress stores how many were read. The answers to a
teacher's exercises are not shown.
"""

from __future__ import annotations

from pathlib import Path

from minbpe_course.errors import UnknownExercise
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.practice.record import ExerciseRecord, path_of_record, read_record, update_record
from minbpe_course.learning.practice.views.hints import HintView

STEPS = ("a nudge", "the lesson", "the steps", "an answer")


def hint(key: str, step: int | None = None) -> HintView:
    """Show the next hint of an exercise, with those before it.

    key : of the exercise, as on its card; of a class, that of its first method which is not done.
    step : 1 to 4 shows the hints up to that one, instead of one more than last time. The last one is a right answer.

    Raises UnknownExercise for an unknown key, and for another step.

    >>> hint("02.merge", 1).shown
    1
    """
    return hint_at(key, step, path_of_record())


def hint_at(key: str, step: int | None, path: Path) -> HintView:
    """Do what ``hint`` does, with the record of progress at ``path``."""
    methods = catalogue.of_class(key)
    if methods:  # the first that is not done
        done = {name for name, entry in read_record(path).entries.items() if entry.state == "done"}
        key = next((one.key for one in methods if one.key not in done), methods[0].key)
    exercise = catalogue.find(key)
    steps = [*zip(STEPS, (*exercise.hints, *_answer(exercise)))]
    if step is not None and (isinstance(step, bool) or step not in range(1, len(steps) + 1)):
        raise UnknownExercise(
            f'there is no step {step!r}: the steps are 1 to {len(steps)}. Type: hint("{exercise.key}")'
        )

    def one_further(entries: dict[str, ExerciseRecord]) -> None:
        entry = entries.setdefault(exercise.key, ExerciseRecord())
        entry.hints = max(entry.hints, step or min(len(steps), entry.hints + 1))

    record = update_record(path, one_further)
    shown = step or record.entries[exercise.key].hints
    return HintView(exercise.key, exercise.title, tuple(steps), shown, tuple(record.notes))


def _answer(exercise: Exercise) -> list[str]:
    """Return the code of a right answer to an exercise of the course, in a list."""
    if exercise.answer is None or catalogue.collection_of(exercise.key) != catalogue.COURSE:
        return []
    return [answer_code(exercise).without_markers()]
