"""How large a plain value is: its weight in memory, and its size for a reader."""

from __future__ import annotations

from typing import Any

_WEIGHTLESS = {int, bool, float, type(None)}  # each counts as one item of the list that it is in
BITS_OF_A_DIGIT = 3.33


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


def size(value: Any) -> int:
    """Return how much there is to read in a value: its items, characters, bytes and digits, all levels together.

    >>> size([1, 1]), size([1000, 1]), size("abc"), size({b"ab": 1}), size(None)
    (4, 7, 3, 4, 1)
    """
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return len(value) + sum(map(size, value)) + sum(map(size, value.values()))
    if isinstance(value, (list, tuple, set)):
        if set(map(type, value)) == {int}:  # the common large values
            return 2 * len(value) + int(sum(map(int.bit_length, value)) / BITS_OF_A_DIGIT)
        return len(value) + sum(map(size, value))
    if isinstance(value, bool) or value is None:
        return 1
    return 1 + int(value.bit_length() / BITS_OF_A_DIGIT) if isinstance(value, int) else len(repr(value))
