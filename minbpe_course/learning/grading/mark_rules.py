"""Say under which rules a mark was made, so that it is made again when they have changed, and only then.

The rules of a question are the values of its exercise: cases, answers, known mistakes, points, witness; and the code
that is served in place of a learner's wrong answers. Titles, tasks and hints are not among them, nor are comments and
docstrings. ``RULES`` stands for the judge and the worker: raise it when a change of theirs can change a mark.

Limits: compiled code differs from one version of Python to the next, which makes all marks again.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import types
from collections.abc import Iterator, Sequence
from typing import Any

from minbpe_course.learning.judge.right_helpers import helpers_of, right_cells
from minbpe_course.learning.submissions.notebook_cells import Question

RULES = 1
_LEFT_OUT = {"title", "hints", "hint", "difficulty", "minutes", "__doc__"}
_FOLLOWED = ("minbpe_course.learning.exercises", "minbpe_course.reference", "minbpe_course_exercises_")


def rules_of(questions: Sequence[Question]) -> list[str]:
    """Return the rules of each question, 16 hexadecimal digits.

    >>> from minbpe_course.learning.judge.catalogue import find
    >>> one, other = rules_of([Question(find("02.merge"), "blank"), Question(find("02.merge"), "other")])
    >>> len(one), one == other
    (16, False)
    """
    return [_digest(question) for question in questions]


def _digest(question: Question) -> str:
    exercise = question.exercise
    served = right_cells(exercise, helpers_of(exercise))
    written = hashlib.sha256()
    for part in (RULES, question.blank, *question.given, *served, *_parts(exercise, set())):
        written.update(f"{part}\0".encode("utf-8", "surrogatepass"))
    return written.hexdigest()[:16]


def _parts(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yield texts that determine a value, and the functions and values of the course that its code names."""
    if isinstance(value, (types.ModuleType, int, float, complex, str, bytes, type(None), type(...))):
        yield getattr(value, "__name__", None) or repr(value)
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    yield type(value).__qualname__
    if isinstance(value, (functools.partial, functools.cached_property)):
        value = vars(value) | {"func": value.func, "args": getattr(value, "args", ())}
    value = getattr(value, "__wrapped__", value)
    if isinstance(value, types.FunctionType):
        yield from _code(value.__code__, value.__globals__, seen)
        inside: Any = (
            value.__defaults__,
            value.__kwdefaults__,
            [cell.cell_contents for cell in value.__closure__ or ()],
        )
    elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
        inside = value.__func__
    elif isinstance(value, property):
        inside = (value.fget, value.fset)
    elif isinstance(value, type):
        yield value.__qualname__
        inside = dict(vars(value)) if value.__module__.startswith(_FOLLOWED) else ()
    elif dataclasses.is_dataclass(value):
        inside = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        inside = value
    if isinstance(inside, dict):
        inside = [item for item in inside.items() if item[0] not in _LEFT_OUT]
    if isinstance(inside, (set, frozenset)):
        inside = sorted(inside, key=repr)
    if isinstance(inside, (list, tuple)):
        for one in inside:
            yield from _parts(one, seen)
    elif inside is not value:
        yield from _parts(inside, seen)
    else:
        yield repr(value) if not hasattr(value, "__dict__") else ""


def _code(code: types.CodeType, names: dict[str, Any], seen: set[int]) -> Iterator[Any]:
    yield code.co_code
    constants = code.co_consts
    for at, constant in enumerate(constants):
        if isinstance(constant, types.CodeType):
            yield from _code(constant, names, seen)
        elif at or not isinstance(constant, str):  # the first text is a docstring
            yield repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant)
    for name in code.co_names:
        yield name
        value = names.get(name)
        home = getattr(value, "__module__", None) or names.get("__name__")
        if name in names and str(home).startswith(_FOLLOWED):
            yield from _parts(value, seen)
