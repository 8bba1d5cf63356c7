"""Answers as plain values, and plain values as one line of JSON. Imports only the standard library.

    an answer          Counter({(1, 1): np.int64(2)})
    plain(answer)      {(1, 1): 2}                          only the types below, exactly
    to_json(...)       {"d": [[{"t": [1, 1]}, 2]]}          one line of ASCII

The plain types are None, bool, int, float, str, bytes, list, tuple, dict and set. An answer is read with the methods of
those base classes, so an object that overrides ``__eq__``, ``__iter__`` or ``__len__`` cannot deceive. Iterators,
ranges, views, deques and arrays become lists. Every other type is refused by name.

The process of the learner's code loads this file by its path, so it must not import other modules of the package.
Limits: at most ``MOST_ITEMS`` items in a value, nested at most ``DEEPEST`` levels.
"""

# ruff: noqa: PTH123

from __future__ import annotations

import array
import collections.abc
import json
import sys

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_ITEMS = 2_000_000
DEEPEST = 60
IN_FOLDER = "{folder}/"  # begins an argument of a step that names a file
ITSELF = "the tokenizer"  # in place of an object that returns itself, or another one of its class
LARGEST_BITS = 14_000  # of an integer: Python limits the conversion of larger ones to decimal
MOST_ALIKE = 100  # keys of one hash

_ITERATED = (
    collections.abc.Iterator,
    collections.abc.KeysView,
    collections.abc.ItemsView,
    collections.abc.ValuesView,
    collections.deque,
    array.array,
    range,
)


class NotPlain(TypeError):
    """A value that is, or contains, something other than the plain types."""


def plain(value: Any) -> Any:
    """Return ``value`` as plain types only, read with the methods of the base classes.

    Raises NotPlain for every other type, and for values that are too large or nested too deeply.

    >>> from collections import Counter
    >>> plain(Counter("aab"))
    {'a': 2, 'b': 1}
    >>> plain((number * number for number in range(4)))
    [0, 1, 4, 9]
    >>> plain(object)
    Traceback (most recent call last):
    ...
    minbpe_course.learning.judge.plain_values.NotPlain: a class, object; return numbers, text, bytes, lists, tuples,
    dicts or sets
    """
    return _plain(value, [MOST_ITEMS], 0)


def _plain(value: Any, room: list[int], depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool or kind is float or kind is str or kind is bytes:
        return value
    if kind is int:
        return _integer(value)
    if depth > DEEPEST:
        raise NotPlain(f"nested more than {DEEPEST} levels deep")
    if issubclass(kind, int):
        return _integer(int.__add__(value, 0))
    if issubclass(kind, float):
        return float.__add__(value, 0.0)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, (bytes, bytearray, memoryview)):
        return _bytes(value)
    if issubclass(kind, dict):
        return {
            _hashable(_plain(key, room, depth + 1)): _plain(item, room, depth + 1)
            for key, item in _bounded(dict.items(value), room)
        }
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            items = (_plain(item, room, depth + 1) for item in _bounded(base.__iter__(value), room))
            if base in (set, frozenset):
                return {_hashable(item) for item in items}
            return tuple(items) if base is tuple else list(items)
    if issubclass(kind, _ITERATED):
        return [_plain(item, room, depth + 1) for item in _bounded(iter(value), room)]
    return _from_numpy(value, kind, room, depth)


def _from_numpy(value: Any, kind: type, room: list[int], depth: int) -> Any:
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, numpy.ndarray):
        if numpy.ndarray.size.__get__(value) > room[0]:
            raise NotPlain(f"an array of more than {MOST_ITEMS:,} items")
        return _plain(numpy.ndarray.tolist(value), room, depth + 1)
    if numpy is not None and issubclass(kind, (numpy.integer, numpy.floating, numpy.bool_)):
        return _plain(numpy.generic.item(value), room, depth + 1)
    what = f"a class, {kind_name(value)}" if issubclass(kind, type) else f"an object of type {kind_name(kind)}"
    raise NotPlain(f"{what}; return numbers, text, bytes, lists, tuples, dicts or sets")


def take_step(made: Any, step: str, args: tuple[Any, ...], folder: str = ".") -> tuple[Any, Any]:
    """Take a step of a script with an object; return the object for the next step, and the plain value of this one.

    step : a method to call with ``args``; ".merges" reads an attribute, and "merges =" sets it; "write file" (a path
    and a text) and "read file". folder : replaces ``IN_FOLDER`` at the beginning of an argument.

    >>> take_step([2, 1], "sort", ())
    ([1, 2], None)
    >>> take_step(3 + 4j, ".real", ())[1]
    3.0
    """
    args = tuple(
        folder + arg[len(IN_FOLDER) - 1 :] if isinstance(arg, str) and arg.startswith(IN_FOLDER) else arg
        for arg in args
    )
    if step.endswith(" ="):
        setattr(made, step[:-2], *args)
        return made, None
    if step == "write file":
        with open(args[0], "w", encoding="utf-8", newline="") as file:
            file.write(args[1])
        return made, None
    if step == "read file":
        with open(args[0], "rb") as file:
            return made, file.read().decode("utf-8", "replace")
    value = getattr(made, step[1:]) if step.startswith(".") else getattr(made, step)(*args)
    if isinstance(value, type(made)) and type(made).__module__ != "builtins":
        return value, ITSELF
    return made, plain(value)


def kind_name(kind: Any) -> str:
    """Return the name of a type, read from the type itself, at most 60 characters.

    >>> kind_name(int)
    'int'
    """
    try:
        name = type.__dict__["__name__"].__get__(kind)
    except TypeError:
        name = "?"
    return str.__str__(name)[:60]


def _integer(value: int) -> int:
    if value.bit_length() > LARGEST_BITS:
        raise NotPlain(f"an integer of {value.bit_length():,} bits")
    return value


def _bytes(value: Any) -> bytes:
    view = memoryview(value)
    if view.nbytes > 8 * MOST_ITEMS:
        raise NotPlain(f"{view.nbytes:,} bytes")
    return view.tobytes()


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        raise NotPlain(f"a {type(value).__name__} inside a key or a set") from None
    return value


def _bounded(items: Any, room: list[int]) -> Iterator[Any]:
    for item in items:
        room[0] -= 1
        if room[0] < 0:
            raise NotPlain(f"more than {MOST_ITEMS:,} items")
        yield item


# ----------------------------------------------------------------------------------------------------
# One line of JSON


def to_json(value: Any) -> str:
    """Return a plain value as one line of ASCII. Types that JSON lacks become an object with a one-letter key.

    >>> to_json([1, (2.0, b"a"), {"x": None}])
    '[1, {"t": [2.0, {"b": "61"}]}, {"d": [["x", null]]}]'
    """
    return json.dumps(_tagged(value))


def from_json(line: str | bytes) -> Any:
    """Return the value that ``to_json`` wrote. Raises ValueError for any other line.

    >>> from_json('{"t": [1, {"b": "61"}]}')
    (1, b'a')
    """
    try:
        return _untagged(json.loads(line), 0)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"no typed JSON: {type(error).__name__}") from None


def _tagged(value: Any) -> Any:
    kind = type(value)
    if kind in _SAME_IN_JSON:
        return value
    if kind is str:
        # JSON would read two neighbouring halves of a surrogate pair as one character.
        valid = value.isascii() or value.encode("utf-8", "ignore").decode("utf-8") == value
        return value if valid else {"u": value.encode("utf-8", "surrogatepass").hex()}
    if kind is bytes:
        return {"b": value.hex()}
    if kind is list:
        return _tagged_items(value)
    if kind is tuple:
        return {"t": _tagged_items(value)}
    if kind is set:
        # Sets have no order; sorting gives the same line for the same set.
        return {"s": sorted((_tagged(item) for item in value), key=json.dumps)}
    if kind is dict:
        return {"d": [[_tagged(key), _tagged(item)] for key, item in value.items()]}
    raise NotPlain(f"an object of type {kind_name(kind)}")


def _tagged_items(items: list[Any] | tuple[Any, ...]) -> list[Any]:
    # Most answers are lists of ids, which need no tag; a loop in C is much faster than one in Python.
    if set(map(type, items)) <= _SAME_IN_JSON:
        return list(items)
    return [_tagged(item) for item in items]


def _untagged_items(items: list[Any], depth: int) -> list[Any]:
    if set(map(type, items)) <= {*_SAME_IN_JSON, str}:
        return items
    return [_untagged(item, depth) for item in items]


_SAME_IN_JSON = {int, float, bool, type(None)}  # as Python writes it, with NaN and Infinity


def _untagged(value: Any, depth: int) -> Any:
    if depth > 4 * DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return _untagged_items(value, depth + 1)
    if not isinstance(value, dict):
        return value
    ((tag, inside),) = value.items()
    if tag == "b":
        return bytes.fromhex(inside)
    if tag == "u":
        return bytes.fromhex(inside).decode("utf-8", "surrogatepass")
    if not isinstance(inside, list):
        raise ValueError("no list")
    if tag == "t":
        return tuple(_untagged_items(inside, depth + 1))
    if tag == "s":
        return set(_spread(_untagged_items(inside, depth + 1)))
    if tag == "d":
        pairs = [(_untagged(key, depth + 1), _untagged(item, depth + 1)) for key, item in inside]
        _spread([key for key, _ in pairs])
        return dict(pairs)
    raise ValueError(f"unknown tag {tag[:10]!r}")


def _spread(keys: list[Any]) -> list[Any]:
    """Return the keys. Raises ValueError if many share one hash: a large dict of those takes minutes to build."""
    if len(keys) > MOST_ALIKE:
        alike: dict[int, int] = {}
        for key in keys:
            number = hash(key)
            alike[number] = alike.get(number, 0) + 1
        if max(alike.values()) > MOST_ALIKE:
            raise ValueError("keys that are made to collide")
    return keys
