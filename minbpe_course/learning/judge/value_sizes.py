"""Measure how large a plain value is."""

from __future__ import annotations

from typing import Any

_WEIGHTLESS = {int, bool, float, type(None)}  # each counts as one item of the list that it is in


def weight(value: Any, most: int) -> int:
    """Return the number of items, characters and bytes in a value, all levels together; stop counting above ``most``.

    >>> weight([1, 2, ("ab", b"c")], 100), weight([[0] * 50, [0] * 50], 10)
    (8, 102)
    """
    counted, level = 0, [value]
    # Level by level, so that C does most of the work: every answer to every case is weighed.
    while not set(map(type, level)) <= _WEIGHTLESS:
        sized = [one for one in level if type(one) not in _WEIGHTLESS]
        counted += sum(map(len, sized))
        if counted > most:
            break
        level = []
        for one in sized:
            if type(one) is not str and type(one) is not bytes:
                level += one
                level += one.values() if type(one) is dict else ()
    return counted
