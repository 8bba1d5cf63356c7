"""Filters that take out of a text what is no text worth learning from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Filter: TypeAlias = Callable[[str], str]


def name_of(cleaner: Filter) -> str:
    """Return what a filter is called in a counts file.

    >>> name_of(str.strip)
    'str.strip'
    """
    return str(getattr(cleaner, "name", None) or getattr(cleaner, "__qualname__", type(cleaner).__qualname__))
