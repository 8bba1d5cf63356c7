"""Find where the texts of two values differ, so that the difference can be marked.

    yours   [1, 22, 3]     22 is marked
    wanted  [1, 25, 3]     25 is marked

    yours   [1, 2]         nothing is marked
    wanted  [1, 2, 3]      3 is marked, because it is missing

A whole element is marked, so that the mark can be read, and in a table the whole row. Only the first difference is
marked. Long values are cut around it before (``checks.value_layout``).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

LONGEST_ELEMENT = 40  # in a longer one, only the word with the difference is marked

_TOKEN = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|\w+|\s+|.", re.DOTALL)
_OPENS = re.compile(r"b?['\"]|[\[(]")
_ELEMENTS = re.compile(r"at index [\d,]+: (.+), wanted (.+)", re.DOTALL)
_OF_DICTS = (
    (re.compile(r"at key (.+?): (.+), wanted (.+)", re.DOTALL), "{1}: {2}", "{1}: {3}"),
    (re.compile(r"the key (.+) is missing", re.DOTALL), "", "{1}"),
    (re.compile(r"the key (.+) is not wanted", re.DOTALL), "{1}", ""),
)

Span = tuple[int, int]


def marks(yours: str, wanted: str, difference: str) -> tuple[Span | None, Span | None]:
    """Return the span of each text to mark; difference : the sentence that compares the two values.

    >>> marks("[2, 2]", "[2, 1]", "at index 1: 2, wanted 1")
    ((4, 5), (4, 5))
    >>> marks("{'a': 1, 'b': 2}", "{'b': 1, 'a': 1}", "at key 'b': 2, wanted 1")
    ((9, 15), (1, 7))
    >>> marks("b'ab'", "b'abcd'", "equal up to the end of yours: 2 bytes are missing")
    (None, (4, 6))
    """
    if not difference or difference.startswith("yours is"):
        return None, None  # no difference, or everything differs
    if "\n" in yours or "\n" in wanted:
        return _of_rows(yours, wanted, difference)
    for pattern, mine, other in _OF_DICTS:
        found = pattern.fullmatch(difference)
        if found:
            return _where(yours, mine, found), _where(wanted, other, found)
    if yours.startswith("{"):
        return None, None
    at = next((i for i, (a, b) in enumerate(zip(yours, wanted)) if a != b), min(len(yours), len(wanted)))
    if at == len(yours) == len(wanted):
        return None, None
    if difference.startswith("equal up to the end of yours"):
        return None, _rest(wanted, at)
    if difference.startswith("equal up to the end of what is wanted"):
        return _rest(yours, at), None
    found = _ELEMENTS.fullmatch(difference)
    mine, other = found.groups() if found else ("", "")
    return _element_at(yours, mine, at) or _token_at(yours, at), _element_at(wanted, other, at) or _token_at(wanted, at)


def _of_rows(yours: str, wanted: str, difference: str) -> tuple[Span | None, Span | None]:
    """Return the spans of the first rows that differ; of a dict, whose order does not matter, of the row of the key."""
    mine, others = _rows(yours), _rows(wanted)
    for pattern, _, _ in _OF_DICTS:
        if found := pattern.fullmatch(difference):
            key = f"{found[1]}:"
            return tuple(next((row for row in rows if text.startswith(key, row[0])), None)
                         for text, rows in ((yours, mine), (wanted, others)))  # type: ignore[return-value]  # fmt: skip
    if min(len(mine), len(others)) == 1:
        return None, None  # the line of the other value has no rows to compare
    for one, other in zip_longest(mine, others):
        if one is None or other is None or _packed(yours, one) != _packed(wanted, other):
            return one, other
    return None, None


def _packed(text: str, row: Span) -> str:
    return text[slice(*row)].replace(" ", "")  # the columns of two tables may have different widths


def _rows(text: str) -> list[Span]:
    """Return the spans of the rows of a table, without the brackets around it and the commas between them."""
    spans, start, lines = [], 0, text.split("\n")
    for at, line in enumerate(lines):
        begin = start + (1 if at == 0 else len(line) - len(line.lstrip(" ")))
        spans.append((begin, start + len(line) - 1 if at == len(lines) - 1 else start + len(line.rstrip(","))))
        start += len(line) + 1
    return spans


def _where(text: str, template: str, found: re.Match[str]) -> Span | None:
    looked_for = template.format(found[0], *found.groups())
    at = text.find(looked_for) if looked_for else -1
    return (at, at + len(looked_for)) if at >= 0 else None


def _rest(text: str, at: int) -> Span | None:
    """Return the span of a longer value after the end of the shorter one, without comma and closing bracket."""
    opening = _OPENS.match(text)
    if opening is None or at < opening.end():
        return None  # different quotes: the texts differ before the values do
    start, stop = at, len(text) - 1
    if text[0] in "[(":
        start += len(text[at:]) - len(text[at:].lstrip(", "))
    return (start, stop) if start < stop else None


def _element_at(text: str, element: str, at: int) -> Span | None:
    """Return the span of the element that contains a position or ends at it."""
    if not 0 < len(element) <= LONGEST_ELEMENT:
        return None
    starts = range(at, max(0, at - len(element)) - 1, -1)
    return next(((start, start + len(element)) for start in starts if text.startswith(element, start)), None)


def _token_at(text: str, at: int) -> Span | None:
    """Return the span of the word or sign at a position, with its accents; None at the end of the text."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    place = next((i for i, (start, stop) in enumerate(tokens) if start <= at < stop), None)
    if place is None:
        return None
    first = last = place
    while first > 0 and _is_accent(text[tokens[first][0]]):
        first -= 1
    while last + 1 < len(tokens) and _is_accent(text[tokens[last + 1][0]]):
        last += 1
    return tokens[first][0], tokens[last][1]


def _is_accent(character: str) -> bool:
    return unicodedata.category(character).startswith("M")
