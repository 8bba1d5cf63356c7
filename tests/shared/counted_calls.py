"""How much work something is, counted in function calls: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_in(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many functions of Python were called while ``function`` ran, itself included."""
    number = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal number
        number += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return number


def lines_in(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many lines of Python were run by ``function``."""
    number = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal number
        number += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return number
