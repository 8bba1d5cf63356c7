"""Import the public names of a package when they are first used, so that the package itself is imported quickly."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package; homes : the module of each of its public names.

    From its first use on, a name is an ordinary attribute of the package.

    >>> get, names = lazy_names("minbpe_course", {"train": "minbpe_course.trainers.byte_pair"})
    >>> get("train").__name__, "train" in names()
    ('train', True)
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}; it offers: {', '.join(homes)}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return get, names
