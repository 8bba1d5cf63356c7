"""Copies of a function that share no state with it.

The notebook tries a learner's test on each implementation with a new copy, where the grader starts a new process. A
test cannot remember one implementation while it runs on the next. The helpers that it calls are copied with it.

Limits: containers and functions of the same module are copied. Everything else is shared.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import types
from collections.abc import Callable
from typing import Any

from minbpe_course.learning.judge.names_in_code import needed

CONTAINERS = (list, dict, set, bytearray, collections.deque, tuple)


def fresh_copy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function that shares no container with it. Other values are returned unchanged.

    >>> seen = []
    >>> def count():
    ...     seen.append(1)
    ...     return len(seen)
    >>> one, other = fresh_copy(count), fresh_copy(count)
    >>> one(), one(), other(), seen
    (1, 2, 1, [])
    """
    if not isinstance(function, types.FunctionType):
        return function
    shared = function.__globals__
    space = dict(shared)
    copied: dict[int, Any] = {}  # by id, as deepcopy wants it

    def of(value: Any) -> Any:
        if isinstance(value, CONTAINERS):
            with contextlib.suppress(Exception):  # an item cannot be copied
                return copy.deepcopy(value, copied)
        if not isinstance(value, types.FunctionType) or value.__globals__ is not shared:
            return value
        if id(value) not in copied:
            cells = tuple(types.CellType() for _ in value.__closure__ or ())
            made = types.FunctionType(value.__code__, space, value.__name__, None, cells)
            copied[id(value)] = made
            made.__defaults__ = of(value.__defaults__)
            made.__kwdefaults__ = of(value.__kwdefaults__)
            made.__dict__.update(of(vars(value)))
            for new, old in zip(cells, value.__closure__ or ()):
                with contextlib.suppress(ValueError):  # a variable without a value
                    new.cell_contents = of(old.cell_contents)
            for name in needed(value.__code__) & shared.keys():
                space[name] = of(shared[name])
        return copied[id(value)]

    made: Callable[..., Any] = of(function)
    return made
