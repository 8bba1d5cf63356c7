"""``merge = working("02.merge", merge)``: continue with the learner's answer if it is right, else with the course's.

A class is the learner's only if each of its methods that is asked for is right: ``working("02.BasicTokenizer",
BasicTokenizer)``.
"""

from __future__ import annotations

from typing import Any

from minbpe_course.errors import InvalidAnswer
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise_files import is_the_courses
from minbpe_course.learning.practice.check import NOT_GIVEN, examined, names_of_caller

_SAID: dict[str, str] = {}  # by key, why the course's answer was given: a cell that runs twice says it twice


def working(key: str, answer: Any = NOT_GIVEN) -> Any:
    """Return the answer to an exercise if it is right, otherwise the course's, and print which.

    key, answer : as for ``check``. No verdict is shown, and the record of ``progress`` stays as it is.

    Raises the errors of ``check``, and InvalidAnswer if the answer is not right and the course has no answer.

    >>> def merge(ids, pair, new_id):
    ...     raise NotImplementedError("merge is still blank")
    >>> merge = working("02.merge", merge)
    02.merge: when its cell ran last, your merge was blank, so this is the course's.
    >>> merge([1, 2, 3], (1, 2), 256)
    [256, 3]
    """
    asked = catalogue.of_class(key) or (catalogue.find(key),)
    exercise = asked[0]
    name = exercise.entry
    found = names_of_caller()
    if is_the_courses(found.get(name) if answer is NOT_GIVEN else answer):
        print(
            _SAID.get(key, f"{key}: this is the course's {name}. To continue with yours, run its cell, then this one.")
        )
        return found.get(name) if answer is NOT_GIVEN else answer
    left: dict[str, list[str]] = {}
    why = ""
    for one in asked:
        _, yours, verdict, _ = examined(one.key, answer, found)
        if not verdict.done:
            blank = verdict.state == "not started"
            left.setdefault("blank" if blank else "not right yet", []).append(one.method or name)
            why = why or ("" if blank else f' To see why: check("{one.key}", {name})')
    if not left:
        print(f"{key}: your {name} is right, so this is yours.")
        return yours
    said = "; ".join(
        f"your {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} {'were' if names[1:] else 'was'} {what}"
        for what, names in left.items()
    )
    if exercise.answer is None:
        raise InvalidAnswer(f"{key}: {said}, and the course has none to give here.{why}")
    _SAID[key] = f"{key}: when its cell ran last, {said}, so this is the course's.{why}"
    print(_SAID[key])
    return exercise.answer
