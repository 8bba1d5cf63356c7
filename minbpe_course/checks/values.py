"""Plain values compared and shown: when an answer equals what is wanted, and where it first does not.

    same([1, 2], (1, 2))                 True: a list and a tuple of the same ids are the same answer
    same(1, True)                        False: a truth value is no number here
    difference([1, 2, 3], [1, 5, 3])     "at index 1: 2, wanted 5"

Limits: only the types of checks.plain.
"""

from __future__ import annotations

import math
from typing import Any

LONGEST_SHOWN = 300


def same(yours: Any, wanted: Any) -> bool:
    """Tell whether an answer is the wanted one. Lists and tuples are alike, numbers are compared as numbers.

    >>> same({"a": [1, 2.0]}, {"a": (1, 2)}), same([1], [1, 1]), same("a", b"a")
    (True, False, False)
    """
    if isinstance(wanted, bool) or isinstance(yours, bool):
        return isinstance(wanted, bool) and isinstance(yours, bool) and wanted == yours
    if isinstance(wanted, (int, float)) and isinstance(yours, (int, float)):
        if isinstance(wanted, int) and isinstance(yours, int):
            return wanted == yours
        return _close(yours, wanted)
    if isinstance(wanted, (list, tuple)) and isinstance(yours, (list, tuple)):
        return len(yours) == len(wanted) and all(map(same, yours, wanted))
    if isinstance(wanted, dict) and isinstance(yours, dict):
        return len(yours) == len(wanted) and all(key in yours and same(yours[key], wanted[key]) for key in wanted)
    return type(yours) is type(wanted) and bool(yours == wanted)


def _close(yours: float, wanted: float) -> bool:
    try:
        return math.isclose(yours, wanted, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(yours) and math.isnan(wanted))
    except OverflowError:  # a whole number beyond every float
        return False


def weight(value: Any, most: int) -> int:
    """Return how many items, characters and bytes a value holds, all levels together; counting stops above ``most``.

    >>> weight([1, 2, ("ab", b"c")], 100), weight([[0] * 50, [0] * 50], 10)
    (8, 102)
    """
    counted, level = 0, [value]
    # Level by level, so that C does most of it: this is done for every answer to every case.
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


_WEIGHTLESS = {int, bool, float, type(None)}  # but for the place that they take in a list


def shown(value: Any, most: int = LONGEST_SHOWN) -> str:
    """Return a value as Python would write it, shortened in the middle.

    >>> shown([1, 2]), shown("ab" * 10, most=12)
    ('[1, 2]', "'ababa…abab'")
    """
    return shortened(repr(value), most)


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, with a gap in the middle where it was longer.

    >>> shortened("abcdefghij", 5)
    'ab…ij'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"


def difference(yours: Any, wanted: Any) -> str:
    """Say in a few words where two values part, or "" where the values themselves say it best.

    >>> difference([1, 2], [1, 2, 3])
    'equal up to the end of yours: 1 item is missing'
    >>> difference(b"abc", b"axc")
    "at byte 1: b'b', wanted b'x'"
    """
    unit = _unit(yours, wanted)
    if unit is None:
        return _of_dicts(yours, wanted)
    for place, (mine, other) in enumerate(zip(yours, wanted)):
        if not same(mine, other):
            if unit != "index":
                mine, other = yours[place : place + 1], wanted[place : place + 1]
            return f"at {unit} {place:,}: {shown(mine, 60)}, wanted {shown(other, 60)}"
    if len(yours) == len(wanted):
        return ""
    missing = len(wanted) - len(yours)
    items = f"{abs(missing):,} {'item' if unit == 'index' else unit}{'' if abs(missing) == 1 else 's'}"
    if missing > 0:
        return f"equal up to the end of yours: {items} {'is' if missing == 1 else 'are'} missing"
    return f"equal up to the end of what is wanted: {items} too many"


def _unit(yours: Any, wanted: Any) -> str | None:
    for kinds, unit in ((str, "character"), (bytes, "byte"), ((list, tuple), "index")):
        if isinstance(yours, kinds) and isinstance(wanted, kinds):
            return unit
    return None


def _of_dicts(yours: Any, wanted: Any) -> str:
    if not isinstance(yours, dict) or not isinstance(wanted, dict):
        mine, other = kind_of(yours), kind_of(wanted)
        return "" if mine == other or is_number(yours, wanted) else f"yours is {mine}, wanted is {other}"
    for key, value in wanted.items():
        if key not in yours:
            return f"the key {shown(key, 60)} is missing"
        if not same(yours[key], value):
            return f"at key {shown(key, 60)}: {shown(yours[key], 60)}, wanted {shown(value, 60)}"
    extra = [key for key in yours if key not in wanted]
    return f"the key {shown(extra[0], 60)} is not wanted" if extra else ""


_KINDS = {list: "a list", tuple: "a list", dict: "a dict", str: "text (str)", bytes: "bytes", int: "a whole number"}
_KINDS |= {float: "a number", bool: "True or False", set: "a set", type(None): "None"}


def kind_of(value: Any) -> str:
    """Return what a plain value is, in words for a learner; lists and tuples are alike.

    >>> kind_of((1, 2)), kind_of(b"a")
    ('a list', 'bytes')
    """
    return _KINDS[type(value)]


def is_number(*values: Any) -> bool:
    """Tell whether all of these are numbers, which are compared as numbers whatever their type.

    >>> is_number(1, 2.5), is_number(1, True)
    (True, False)
    """
    return all(type(value) in (int, float) for value in values)
