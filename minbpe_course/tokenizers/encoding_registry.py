"""The encodings that were asked for by name: ``encoding_names`` fills the table, ``Encoding`` looks itself up in it.

An encoding that is in the table is pickled as its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ENCODINGS: dict[str, Any] = {}
"""name -> the encoding; the same object each time."""

_getter: list[Callable[[str], Any]] = []


def set_getter(get: Callable[[str], Any]) -> Callable[[str], Any]:
    """Set the function that makes the encoding of a name, and return it (a decorator)."""
    _getter[:] = [get]
    return get


def get_encoding() -> Callable[[str], Any]:
    """Return the function that makes the encoding of a name; only for encodings that are in the table."""
    return _getter[0]
