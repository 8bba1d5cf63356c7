"""The signature of every public name, one line each: what a program outside the project may call.

The names of ``minbpe_course``, of its drop-in modules and of ``errors``. Of a class: its public methods and properties,
inherited ones among them if a class of this package defines them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import minbpe_course
from minbpe_course import errors

MODULES = (
    "minbpe_course",
    "minbpe_course.compat.minbpe",
    "minbpe_course.compat.tiktoken",
    "minbpe_course.compat.tiktoken.core",
    "minbpe_course.compat.tiktoken.load",
    "minbpe_course.compat.tiktoken.model",
    "minbpe_course.compat.tiktoken.registry",
    "minbpe_course.compat.sentencepiece",
    "minbpe_course.compat.rustbpe",
    "minbpe_course.compat.cs336",
)
# tiktoken's own private names that known programs use.
KEPT_PRIVATE = ("_encode_bytes", "_encode_single_piece", "_mergeable_ranks", "_pat_str", "_special_tokens")


def lines() -> list[str]:
    """Return the signatures by module."""
    found = []
    seen: dict[int, str] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        found += [f"== {name} ==", *_of_module(module, seen), ""]
    raised = sorted(name for name, value in vars(errors).items() if _is_error(value))
    return [*found, "== minbpe_course.errors ==", *raised]


def _is_error(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, (Exception, Warning)) and value.__module__ == errors.__name__


def _of_module(module: ModuleType, seen: dict[int, str]) -> Iterator[str]:
    for name in sorted(getattr(module, "__all__", None) or _defined(module)):
        value, place = getattr(module, name), f"{module.__name__}.{name}"
        if id(value) in seen:
            yield f"{name} = {seen[id(value)]}"
        elif isinstance(value, ModuleType):
            yield f"{name}: module"
        elif isinstance(value, type):
            seen[id(value)] = place
            yield from _of_class(name, value)
        elif callable(value):
            seen[id(value)] = place
            yield f"{name}{signature(value)}"
        else:
            yield f"{name}: {type(value).__name__}"


def _defined(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
            and not name.startswith("_")]  # fmt: skip


def _of_class(name: str, cls: type) -> Iterator[str]:
    yield f"class {name}{signature(cls)}"
    for method in sorted(dir(cls)):
        if method.startswith("_") and method not in KEPT_PRIVATE:
            continue
        if not any(method in vars(each) for each in cls.__mro__ if each.__module__.startswith(minbpe_course.__name__)):
            continue
        value = inspect.getattr_static(cls, method)
        if isinstance(value, (staticmethod, classmethod)):
            yield f"  {type(value).__name__[:-6]} {name}.{method}{signature(getattr(cls, method))}"
        elif callable(value):
            yield f"  {name}.{method}{signature(value)}"
        else:
            yield f"  {name}.{method}: attribute"


def signature(value: Any) -> str:
    """Return a signature as text without addresses, or "(...)" where Python knows none.

    >>> signature(lines)
    '() -> list[str]'
    """
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"
    # Python 3.14 no longer writes quotes around some annotations.
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace("'", "")
