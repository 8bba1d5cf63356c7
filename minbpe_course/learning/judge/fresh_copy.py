"""Copies of a function that share no state with it.

The notebook tries a learner's test on each implementation with a new copy, where the grader starts a new process. A
test cannot remember one implementation while it runs on the next. The helpers that it calls are copied with it.

Limits: containers and functions are copied. Modules, classes, and objects that cannot be copied are shared.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

CONTAINERS = (list, dict, set, bytearray, collections.deque)


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
    made: Callable[..., Any] = _Copies().of(function)
    return made


class _Copies:
    """The copies made so far: a container or a function that is used twice is copied once."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._spaces: dict[int, dict[str, Any]] = {}
        self._alive: list[Any] = []  # so that no id is used again

    def of(self, value: Any) -> Any:
        if id(value) in self._done:
            return self._done[id(value)]
        self._alive.append(value)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        made = value
        if isinstance(value, CONTAINERS):
            with contextlib.suppress(Exception):  # an item cannot be copied
                made = copy.deepcopy(value, self._done)
        self._done[id(value)] = made
        return made

    def _function(self, function: types.FunctionType) -> types.FunctionType:
        shared = _is_of_a_module(function)
        if shared and not function.__closure__:
            return function
        space = function.__globals__
        if not shared:
            space = self._spaces.setdefault(id(space), dict(space))
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(function.__code__, space, function.__name__, None, cells or None)
        self._done[id(function)] = made
        made.__defaults__ = tuple(map(self.of, function.__defaults__ or ()))
        made.__kwdefaults__ = {name: self.of(value) for name, value in (function.__kwdefaults__ or {}).items()}
        made.__dict__.update({name: self.of(value) for name, value in vars(function).items()})
        made.__doc__, made.__qualname__, made.__module__ = function.__doc__, function.__qualname__, function.__module__
        for new, old in zip(cells, function.__closure__ or ()):
            with contextlib.suppress(ValueError):  # a variable without a value
                new.cell_contents = self.of(old.cell_contents)
        for name in () if shared else _names(function.__code__):
            if name in function.__globals__:
                space[name] = self.of(function.__globals__[name])
        return made


def _is_of_a_module(function: types.FunctionType) -> bool:
    """Return whether a function belongs to an imported module, not to a notebook."""
    name = function.__globals__.get("__name__")
    return name != "__main__" and getattr(sys.modules.get(str(name)), "__dict__", None) is function.__globals__


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
