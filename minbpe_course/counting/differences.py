"""What differs between two descriptions of a work, said so that somebody can mend it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# More lines than this help nobody.
_MOST = 10


def different(folder: Path, known: Any, asked: Any) -> str:
    """Return what to say of a folder with the state of the work ``known`` when ``asked`` is wanted: both for JSON.

    >>> print(different(Path("work"), {"pattern": "a", "lines": True}, {"pattern": "b", "lines": True}))
    work holds the state of another count. What differs:
    pattern: 'a' then, 'b' now
    Ask for the same count again, delete the folder to begin anew, or name another: checkpoint='work-2'
    """
    lines = differences("", known, asked)
    return "\n".join(
        [
            f"{folder} holds the state of another count. What differs:",
            *lines[:_MOST],
            *([f"and {len(lines) - _MOST:,} more"] if len(lines) > _MOST else []),
            f"Ask for the same count again, delete the folder to begin anew, or name another: checkpoint='{folder}-2'",
        ]
    )


def differences(name: str, one: Any, other: Any) -> list[str]:
    """Return a line for each value that differs, with the names that lead to it.

    >>> differences("", {"files": [["a.txt", 5]]}, {"files": [["a.txt", 6]]})
    ['files a.txt: 5 then, 6 now']
    """
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(key, one.get(key), other.get(key)) for key in sorted({*one, *other})]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(_name_of(number, mine), mine, theirs) for number, (mine, theirs) in enumerate(zip(one, other))]
    else:
        return [] if one == other else [f"{name}: {_short(one)} then, {_short(other)} now"]
    return [line for key, mine, theirs in pairs for line in differences(f"{name} {key}".strip(), mine, theirs)]


def _name_of(number: int, value: Any) -> str:
    """What stands in a list is told by its name, where it begins with one."""
    if isinstance(value, list):
        return str(value[0]) if value and isinstance(value[0], str) else str(number)
    return ""


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 100 else said[:97] + "..."
