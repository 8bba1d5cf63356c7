"""The signature of every public name, one line each. Programs outside the project call these names.

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


def sections() -> list[str]:
    """Return the modules."""
    return [*MODULES, errors.__name__]


def lines(section: str) -> list[str]:
    """Return the signatures of the public names of a module, or the names of all errors."""
    if section == errors.__name__:
        return sorted(name for name, value in vars(errors).items() if _is_error(value))
    return list(_of_module(importlib.import_module(section)))


def _is_error(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, (Exception, Warning)) and value.__module__ == errors.__name__


def _of_module(module: ModuleType) -> Iterator[str]:
    # A name that an earlier module has, too, refers to the description there.
    before = MODULES[: MODULES.index(module.__name__)]
    seen = {id(value): f"{name}.{key}" for name in reversed(before) for key, value in _public(name)}
    for name, value in _public(module.__name__):
        if id(value) in seen:
            yield f"{name} = {seen[id(value)]}"
        elif isinstance(value, ModuleType):
            yield f"{name}: module"
        elif isinstance(value, type):
            yield from _of_class(name, value)
        elif callable(value):
            yield f"{name}{signature(value)}"
        else:
            yield f"{name}: {type(value).__name__}"
        seen.setdefault(id(value), f"{module.__name__}.{name}")


def _public(name: str) -> list[tuple[str, Any]]:
    module = importlib.import_module(name)
    return [(key, getattr(module, key)) for key in sorted(getattr(module, "__all__", None) or _defined(module))]


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

    >>> signature(sections)
    '() -> list[str]'
    """
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"
    # Python 3.14 no longer writes quotes around some annotations.
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace("'", "")
