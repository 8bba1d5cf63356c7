"""Two values side by side: equal, or a report of the first place where they part.

    assert_same(ours, theirs, what)        -> "merges: 50,000 items, identical"

Only content counts: a list equals a tuple or an array of the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any


class Difference(AssertionError):
    """The two sides are not the same, or there was nothing to compare; the message is the report."""


def assert_same(ours: Any, theirs: Any, what: str = "values") -> str:
    """Compare two values and return a one-line summary, or raise Difference with the first place where they part.

    Lists, tuples, ranges, arrays and iterators are compared item by item whatever their type; mappings by key, sets by
    member, str and bytes by position, everything else with ``==``. Two empty collections are an error: nothing was
    compared.

    >>> assert_same([1, 2, 3], (1, 2, 3), "merges")
    'merges: 3 items, identical'
    >>> assert_same({"a": 1}, {"a": 2}, "vocabulary")
    Traceback (most recent call last):
    ...
    minbpe_course.checks.sameness.Difference: vocabulary: the values for key 'a' differ
      ours    1
      theirs  2
    """
    ours, theirs = _plain(ours), _plain(theirs)
    if _is_sized(ours) and _is_sized(theirs) and not len(ours) and not len(theirs):
        raise Difference(f"{what}: both sides are empty, so nothing was compared.")
    if type(ours) is not type(theirs) or not _is_sized(ours):
        if type(ours) is not type(theirs) and (_is_sized(ours) or _is_sized(theirs)):
            raise Difference(_two_sides(f"{what}: {_kind(ours)} cannot equal {_kind(theirs)}", ours, theirs))
        if not ours == theirs:
            raise Difference(_two_sides(f"{what}: the values differ", ours, theirs))
        return f"{what}: identical"
    if isinstance(ours, dict):
        _compare_keys(ours, theirs, what)
    elif isinstance(ours, frozenset):
        _compare_members(ours, theirs, what)
    else:
        _compare_items(ours, theirs, what)
    unit = "character" if isinstance(ours, str) else "byte" if isinstance(ours, bytes) else "item"
    return f"{what}: {counted(len(ours), unit)}, identical"


def _plain(value: Any) -> Any:
    """Bring every kind of sequence to a list, mapping to a dict and set to a frozenset: only the content counts."""
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, AbstractSet):
        return frozenset(value)
    return list(value) if isinstance(value, Iterable) else value


def _is_sized(value: Any) -> bool:
    return isinstance(value, (str, bytes, list, dict, frozenset))


def _kind(value: Any) -> str:
    names = {"list": "a sequence", "dict": "a mapping", "frozenset": "a set"}
    return names.get(type(value).__name__, type(value).__name__)


def _compare_items(ours: Any, theirs: Any, what: str) -> None:
    # Nested arrays and tuples differ in type only; compare their content.
    for place, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a is not b and a != b and not _same_inside(a, b):
            text = isinstance(ours, (str, bytes))
            mine, other = (side[max(0, place - 20) : place + 20] if text else side[place] for side in (ours, theirs))
            raise Difference(_two_sides(f"{what}: the first difference is at index {place:,}", mine, other))
    if len(ours) != len(theirs):
        place = min(len(ours), len(theirs))
        longer = "ours" if len(ours) > len(theirs) else "theirs"
        extra = (ours if longer == "ours" else theirs)[place : place + 3]
        raise Difference(
            f"{what}: {len(ours):,} against {len(theirs):,}; equal up to there, then {longer} goes on with "
            f"{one_line(repr(extra))}"
        )


def _same_inside(a: Any, b: Any) -> bool:
    if isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)) or not isinstance(a, Iterable):
        return False
    a, b = _plain(a), _plain(b)
    return type(a) is type(b) and a == b


def _compare_keys(ours: dict[Any, Any], theirs: dict[Any, Any], what: str) -> None:
    _compare_members(frozenset(ours), frozenset(theirs), f"{what}, keys")
    for key, value in ours.items():
        if value != theirs[key] and not _same_inside(value, theirs[key]):
            raise Difference(_two_sides(f"{what}: the values for key {key!r} differ", value, theirs[key]))


def _compare_members(ours: frozenset[Any], theirs: frozenset[Any], what: str) -> None:
    if ours == theirs:
        return
    lines = [f"{what}: the members differ"]
    for name, only in (("ours", ours - theirs), ("theirs", theirs - ours)):
        if only:
            first = ", ".join(sorted(map(repr, only))[:5])
            lines.append(f"  only {name:<7} {one_line(first)}{' …' if len(only) > 5 else ''} ({len(only):,})")
    raise Difference("\n".join(lines))


def _two_sides(title: str, ours: Any, theirs: Any) -> str:
    return f"{title}\n  ours    {one_line(repr(ours))}\n  theirs  {one_line(repr(theirs))}"


def one_line(text: str) -> str:
    """Return text with its line breaks and runs of spaces folded, at most 200 characters.

    >>> one_line("first   second")
    'first second'
    """
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def counted(number: int, unit: str) -> str:
    """Return a number with its unit, in the plural unless it is one.

    >>> counted(1_204, "text"), counted(1, "id")
    ('1,204 texts', '1 id')
    """
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
