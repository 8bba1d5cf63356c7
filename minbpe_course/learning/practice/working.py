"""``working("02.merge", merge)``: continue with the learner's answer if it is right, otherwise with the course's."""

from __future__ import annotations

from typing import Any

from minbpe_course.errors import InvalidAnswer
from minbpe_course.learning.practice.check import NOT_GIVEN, examined, names_of_caller


def working(key: str, answer: Any = NOT_GIVEN) -> Any:
    """Return the answer to an exercise if it is right, otherwise the course's, and print which.

    key, answer : as for ``check``. No verdict is shown, and the record of ``progress`` stays as it is.

    Raises the errors of ``check``, and InvalidAnswer if the answer is not right and the course has no answer.

    >>> def merge(ids, pair, new_id):
    ...     raise NotImplementedError("merge is still blank")
    >>> merge = working("02.merge", merge)
    02.merge: your merge is not right yet, so this is the course's. To see why: check("02.merge", merge)
    >>> merge([1, 2, 3], (1, 2), 256)
    [256, 3]
    """
    exercise, answer, verdict, _ = examined(key, answer, names_of_caller())
    name = exercise.entry
    if verdict.done:
        print(f"{exercise.key}: your {name} is right, so this is yours.")
        return answer
    right = exercise.answer
    if right is None:
        raise InvalidAnswer(
            f"{exercise.key}: your {name} is not right yet, and the course has none to give here.\n"
            f'Type: check("{exercise.key}", {name})'
        )
    print(
        f"{exercise.key}: your {name} is not right yet, so this is the course's. "
        f'To see why: check("{exercise.key}", {name})'
    )
    return right
