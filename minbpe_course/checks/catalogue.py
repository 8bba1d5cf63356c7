"""The exercises of all lessons, each a module of ``checks/lesson_NN``, whose ``ORDER`` is that of the notebook."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from pathlib import Path

from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import UnknownExercise


@cache
def lessons() -> tuple[str, ...]:
    """Return the two digits of every lesson that has exercises.

    >>> "02" in lessons()
    True
    """
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return tuple(sorted(name.removeprefix("lesson_") for name in names if name.startswith("lesson_")))


@cache
def exercises(lesson: str | None = None) -> tuple[Exercise, ...]:
    """Return the exercises of one lesson, or of all, in the order of the notebooks.

    Raises UnknownExercise for a lesson without exercises.

    >>> exercises("02")[0].lesson
    '02'
    """
    if lesson is None:
        return tuple(exercise for each in lessons() for exercise in exercises(each))
    if lesson not in lessons():
        raise UnknownExercise(f"lesson {lesson!r} has no exercises; the lessons with exercises: {', '.join(lessons())}")
    package = importlib.import_module(f"minbpe_course.checks.lesson_{lesson}")
    return tuple(importlib.import_module(f"{package.__name__}.{name}").EXERCISE for name in package.ORDER)


def find(key: str) -> Exercise:
    """Return the exercise with this key. Raises UnknownExercise, which names similar keys.

    >>> find("02.merge").entry
    'merge'
    """
    lesson = str(key).partition(".")[0]
    for exercise in exercises(lesson) if lesson in lessons() else ():
        if exercise.key == key:
            return exercise
    keys = [exercise.key for exercise in exercises()]
    near = difflib.get_close_matches(str(key), keys, n=3, cutoff=0.4) or keys[:3]
    raise UnknownExercise(f"there is no exercise {key!r}. Near it: {', '.join(near)}. A key looks like {keys[0]!r}.")
