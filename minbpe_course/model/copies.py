"""Copies of tokenizers and records: ``pickle``, ``copy.copy`` and ``copy.deepcopy``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

from minbpe_course.errors import InvalidModel, MinbpeCourseError

_PACKAGE = __name__.partition(".")[0]


class Copied:
    """Base class of objects whose copies keep all attributes but the computed ones.

    A copy builds engines, caches and tables, each a ``cached_property`` of this package, again when it needs them.

    >>> class Circle(Copied):
    ...     def __init__(self, radius):
    ...         self.radius = radius
    >>> import copy
    >>> circle = Circle(2)
    >>> circle.note = "mine"
    >>> vars(copy.copy(circle))
    {'radius': 2, 'note': 'mine'}
    """

    def __getstate__(self) -> dict[str, Any]:
        computed = _computed(type(self))
        # A copy of the dict first: another thread may be computing something.
        return {name: value for name, value in dict(vars(self)).items() if name not in computed}


class CopiedRecord:
    """Base class of frozen records: only their constructor makes arrays and mappings read-only, so it makes copies."""

    def _fields(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._fields()), ()


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


def forget_computed(thing: object) -> None:
    """Drop the values computed on demand, after a change of their inputs."""
    for name in _computed(type(thing)):
        vars(thing).pop(name, None)


def _computed(kind: type) -> set[str]:
    own = [each for each in kind.__mro__ if each.__module__.partition(".")[0] == _PACKAGE]
    return {name for each in own for name, value in vars(each).items() if isinstance(value, cached_property)}
