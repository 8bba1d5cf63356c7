"""``reset("02.merge")``: put the cell of a blank back as it was handed out, after asking."""

from __future__ import annotations

import sys

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code


def reset(key: str, *, sure: bool = False) -> None:
    """Replace this cell by the untouched cell of an exercise. The cell with your answer stays as it is.

    key : of the exercise. sure : without it, the call says what it would do, and does nothing.

    Outside a notebook the code is printed. Raises UnknownExercise.

    >>> reset("02.merge")
    This puts the untouched merge of 02.merge into this cell. Your own cell stays. Type: reset("02.merge", sure=True)
    """
    exercise = (catalogue.of_class(key) or (catalogue.find(key),))[0]
    if not sure:
        print(
            f"This puts the untouched {exercise.entry} of {key} into this cell. Your own cell stays. "
            f'Type: reset("{key}", sure=True)'
        )
        return
    code = answer_code(exercise).blank
    loaded = sys.modules.get("IPython")
    shell = loaded.get_ipython() if loaded is not None else None
    if shell is None:
        print(code)
    else:
        shell.set_next_input(code, replace=True)
