"""Lay out plain values for a learner: short ones as Python writes them, long ones cut, tables with one row a line.

    [1, 2, 3]                               short
    [0, 0, 0, … 496 items …, 7, 0]          long: the number of items that are left out
    {'a':  -1.0,                            a table
     'ab': -2.5,
     … 20 rows …
     'ba': -9.0}
    bytes.fromhex("0a 05 e2 96 81 68 69 0a 00")      binary data

Of two values that differ, both are cut around the first difference, at the same place, so that it is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minbpe_course.learning.judge.equality import (
    LONGEST_SHOWN,
    NOTHING,
    counted,
    first_difference,
    is_number,
    same,
    shortened,
    shown_beside,
)
from minbpe_course.learning.judge.value_sizes import weight

LONGEST_ROW = 66  # characters of a table's row; a value that fits into one is not a table
MOST_ROWS, CUT_ROWS = 14, 7  # a table of more rows is cut to fewer
MOST_HEX, CUT_HEX = 100, 64  # binary data of more bytes is cut to fewer
CUT_TEXT = 2 * LONGEST_SHOWN // 3
LONGEST_CELL = 24  # of a table with columns
SHORTEST_BINARY = 9  # bytes; fewer are easy to read as Python writes them


def laid_out(value: Any, other: Any = NOTHING) -> str:
    """Return a value as text of one or several lines.

    other : the value that it is compared with; long values are cut around the first difference.

    >>> laid_out({"b", "a"})
    "{'a', 'b'}"
    >>> laid_out([1, 2]), laid_out(list(range(500)))[-40:], laid_out(bytes(range(128, 138)))
    ('[1, 2]', ' 492, 493, 494, 495, 496, 497, 498, 499]', 'bytes.fromhex("80 81 82 83 84 85 86 87 88 89")')
    >>> print(laid_out([("a", -1.0), ("ab", -12.5), ("b", -3.25)] * 20))
    [('a',   -1.0),
     ('ab', -12.5),
     ('b',  -3.25),
     ('a',   -1.0),
     … 53 rows …
     ('a',   -1.0),
     ('ab', -12.5),
     ('b',  -3.25)]
    """
    place = _place(value, other)
    if isinstance(value, bytes) and (is_binary(value) or (isinstance(other, bytes) and is_binary(other))):
        if len(value) <= MOST_HEX:
            return f'bytes.fromhex("{value.hex(" ")}")'
        return _part(value, place, CUT_HEX, lambda part: part.hex(" "))
    if isinstance(value, (set, frozenset)) and value:  # in one order, whatever the hashes of this process
        return shortened("{" + ", ".join(sorted(map(repr, value))) + "}", LONGEST_SHOWN)
    if weight(value, LONGEST_SHOWN) <= LONGEST_SHOWN:
        text = repr(value)
        if len(text) <= (LONGEST_ROW if _is_table(value) else LONGEST_SHOWN):
            return text
    if isinstance(value, (str, bytes)):
        return _part(value, place, CUT_TEXT, repr)
    if _is_table(value):
        return _table(value, place, other)
    if isinstance(value, (list, tuple)):
        return _items(value, place, other)
    return shortened(repr(value), LONGEST_SHOWN)


def is_binary(data: bytes) -> bool:
    """Tell whether bytes are easier to read in hexadecimal than as Python writes them.

    >>> is_binary(b"plain words"), is_binary(bytes(20))
    (False, True)
    """
    some = data[:400]
    return len(data) >= SHORTEST_BINARY and len(repr(some)) > 2 * len(some)


def _place(value: Any, other: Any) -> int | None:
    """Return the index of the first item, character, byte or entry that differs, or None."""
    if isinstance(value, dict) and isinstance(other, dict):
        places = (at for at, key in enumerate(value) if key not in other or not same(value[key], other[key]))
        return next(places, None)
    return first_difference(value, other)


def _chosen(number: int, place: int | None, most: int) -> list[int]:
    """Return which of so many items are shown: both ends, and the items around a place."""
    if number <= most:
        return list(range(number))
    if place is None:
        head = 2 * most // 3
        chosen = {*range(head), *range(number - most + head, number)}
    else:
        # The start depends on the place alone, so that two values of different length are cut alike.
        start = max(0, place - (most - 2) // 2)
        chosen = {0, number - 1, *range(start, min(number, start + most - 2))}
    chosen |= {at for at in range(1, number - 1) if {at - 1, at + 1} <= chosen}  # a gap of one saves nothing
    return sorted(chosen)


def _with_gaps(chosen: Sequence[int], texts: Iterable[str], unit: str, comma: str) -> list[str]:
    """Return the texts of the chosen items, each with a comma but the last, and what is left out between them."""
    parts: list[str] = []
    before = -1
    for at, text in zip(chosen, texts):
        if at > before + 1:
            parts.append(f"… {counted(at - before - 1, unit)} …{comma}")
        parts.append(text + ("," if at != chosen[-1] else ""))
        before = at
    return parts


def _brackets(value: Any) -> tuple[str, str]:
    return ("(", ",)" if len(value) == 1 else ")") if isinstance(value, tuple) else ("[", "]")


def _counterpart(other: Any, at: int) -> Any:
    return other[at] if isinstance(other, (list, tuple)) and at < len(other) else NOTHING


def _items(value: Sequence[Any], place: int | None, other: Any) -> str:
    """Return a long list on one line."""
    opening, closing = _brackets(value)
    longest = max(60, LONGEST_SHOWN // len(value))
    near = slice(max(0, (place or 0) - 10), (place or 0) + 10)
    # Both values have the same width, so that both are cut at the same item.
    both = [value, other] if place is not None else [value]
    width = max(min(longest, len(repr(item))) for one in both for item in one[near] or one[-10:] or [0]) + 2
    chosen = _chosen(len(value), place, max(5, LONGEST_SHOWN // width))
    texts = [shown_beside(value[at], _counterpart(other, at), longest) for at in chosen]
    return f"{opening}{' '.join(_with_gaps(chosen, texts, 'item', ','))}{closing}"


def _part(value: Any, place: int | None, most: int, write: Callable[[Any], str]) -> str:
    """Return a part of a long text, or of bytes."""
    unit = "character" if isinstance(value, str) else "byte"
    number = counted(len(value), unit)
    if place is None:
        return f"{write(value[: 2 * most // 3])} … {write(value[-most // 3 :])} ({number})"
    start = max(0, place - most // 2)
    where = f", from {unit} {start:,}" if start else ""
    part = f"{'… ' * (start > 0)}{write(value[start : start + most])}{' …' * (start + most < len(value))}"
    return f"{part} ({number}{where})"


# ----------------------------------------------------------------------------------------------------
# Tables


def _is_table(value: Any) -> bool:
    if isinstance(value, dict):
        return len(value) > 1
    return (
        isinstance(value, (list, tuple))
        and len(value) > 2
        and all(isinstance(row, (list, tuple, dict)) for row in value)
    )


def _table(value: Any, place: int | None, other: Any) -> str:
    chosen = _chosen(len(value), place, CUT_ROWS if len(value) > MOST_ROWS else MOST_ROWS)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        entries = [list(value.items())[at] for at in chosen]
        keys = [f"{shortened(repr(key), LONGEST_ROW // 2)}:" for key, _ in entries]
        width = max(map(len, keys))
        theirs = other if isinstance(other, dict) else {}
        room = max(LONGEST_CELL, LONGEST_ROW - width)
        texts = [
            f"{text:<{width}} {shown_beside(item, theirs.get(key, NOTHING), room)}"
            for text, (key, item) in zip(keys, entries)
        ]
    else:
        opening, closing = _brackets(value)
        texts = _rows([value[at] for at in chosen], [_counterpart(other, at) for at in chosen])
    return opening + "\n ".join(_with_gaps(chosen, texts, "row", "")) + closing


def _rows(rows: list[Any], others: list[Any]) -> list[str]:
    """Return the text of each row, in columns if all have the same number of short cells."""
    alike = all(type(row) in (list, tuple) and len(row) == len(rows[0]) > 1 for row in rows)
    cells = [[repr(cell) for cell in row] if alike and weight(row, LONGEST_ROW) <= LONGEST_ROW else [] for row in rows]
    if not all(row and max(map(len, row)) <= LONGEST_CELL for row in cells):
        return [shown_beside(row, other, LONGEST_ROW) for row, other in zip(rows, others)]
    columns = []
    for place, (values, written) in enumerate(zip(zip(*rows), zip(*cells))):
        column = [f"{cell}," for cell in written] if place < len(rows[0]) - 1 else list(written)
        width = max(map(len, column))
        columns.append([cell.rjust(width) if is_number(*values) else cell.ljust(width) for cell in column])
    texts = (" ".join(row).rstrip() for row in zip(*columns))
    return [text.join(_brackets(row)) for text, row in zip(texts, rows)]
