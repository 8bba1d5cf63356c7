"""Copies of tokenizers and records: ``pickle``, ``copy.copy`` and ``copy.deepcopy``.

A copy keeps every attribute of the original, including those that a subclass or a caller added, without a call of a
subclass's constructor. It leaves out every ``cached_property`` of this package's classes: engines, caches and tables
are built again when the copy first needs them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from minbpe_course.errors import InvalidModel, MinbpeCourseError

_PACKAGE = __name__.partition(".")[0]


class Copied:
    """Base class of objects whose copies keep all attributes but the computed ones.

    >>> class Circle(Copied):
    ...     def __init__(self, radius):
    ...         self.radius = radius
    >>> import copy
    >>> circle = Circle(2)
    >>> circle.note = "mine"
    >>> vars(copy.copy(circle))
    {'radius': 2, 'note': 'mine'}
    """

    def __getstate__(self) -> Any:
        """Return the attributes as a dict, or as (dict, slots) when a subclass has ``__slots__``."""
        computed = _computed(type(self))
        # A copy of the dict first: another thread may be computing something.
        return _with_slots(self, {name: value for name, value in dict(vars(self)).items() if name not in computed})

    def __setstate__(self, state: Any) -> None:
        attributes, slots = state if isinstance(state, tuple) else (state, {})
        vars(self).update(attributes)
        for name, value in slots.items():
            # Records refuse ordinary assignment.
            object.__setattr__(self, name, value)


class CopiedRecord(Copied):
    """Base class of frozen records: a copy is made by the record's own constructor, from ``_fields()``.

    Only a constructor makes arrays and mappings read-only. Attributes that no class here declares are added afterwards.
    """

    def _fields(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        raise NotImplementedError

    def __getstate__(self) -> Any:
        """Return what was added to the record, None for nothing."""
        added = _with_slots(self, added_to(self))
        return added or None

    def __reduce__(self) -> tuple[Any, ...]:
        return _record, (type(self), self._fields()), self.__getstate__()


@contextmanager
def types_checked(record: object) -> Iterator[None]:
    """Raise InvalidModel for what Python raises when a field of a record has a value of the wrong type."""
    try:
        yield
    except MinbpeCourseError:
        raise
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        kind = type(record).__name__
        raise InvalidModel(
            f"a field of this {kind} has a value of the wrong type or form: {str(error)[:200]}.\n"
            f"help({kind}) says what each field is."
        ) from error


def added_to(thing: object) -> dict[str, Any]:
    """Return the attributes of an instance that no class of this package declares or computes."""
    known = _computed(type(thing)).union(*map(inspect.get_annotations, _own_classes(type(thing))))
    return {name: value for name, value in dict(vars(thing)).items() if name not in known}


def forget_computed(thing: object) -> None:
    """Drop what was computed on demand, after a change of what it was computed from."""
    for name in _computed(type(thing)):
        vars(thing).pop(name, None)


def _record(kind: type[CopiedRecord], fields: dict[str, Any]) -> CopiedRecord:
    made = kind.__new__(kind)
    # The constructor of a subclass may take other arguments.
    constructor: Any = _own_classes(kind)[0].__init__  # type: ignore[misc]
    constructor(made, **fields)
    return made


def _own_classes(kind: type) -> list[type]:
    return [each for each in kind.__mro__ if each.__module__.partition(".")[0] == _PACKAGE]


def _computed(kind: type) -> set[str]:
    return {
        name for each in _own_classes(kind) for name, value in vars(each).items() if isinstance(value, cached_property)
    }


def _with_slots(thing: object, attributes: dict[str, Any]) -> Any:
    slots = {}
    for each in type(thing).__mro__:
        listed = vars(each).get("__slots__", ())
        for name in (listed,) if isinstance(listed, str) else listed:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{each.__name__.lstrip('_')}{name}"
            # A slot that was never assigned has no value.
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                slots[name] = getattr(thing, name)
    return (attributes, slots) if slots else attributes
