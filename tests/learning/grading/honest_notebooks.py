"""Read ``honest_notebooks.txt``: about 130 kinds of set-up, and what else the notebooks of honest learners do.

    == a label            "not yet: " in front of it says that the answer is wrong, "warns NAME: " what the grader lacks
    --                    ends a cell
    merge: CONDITION      a right answer to 02.merge, which asserts the condition when it is called
    wrong:                one that is wrong

The last exercise that a notebook checks is the one that is asked; without a check, one of 02.merge is added.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

_TEXT = (Path(__file__).parent / "honest_notebooks.txt").read_text(encoding="utf-8")
_CHECKS = re.compile(r"check\((?:key=)?\"([\w.]+)\"")
_MERGE = """
def merge(ids, pair, new_id):
    assert {condition}
    merged, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == tuple(pair):
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged
"""


def merge(condition: str = "True") -> str:
    """Return a right answer to 02.merge that asserts a condition."""
    return _MERGE.format(condition=condition)


@dataclass(frozen=True)
class Honest:
    """A notebook. ``lacks`` is what check() has to name; ``state`` is what it has to say of ``key``."""

    cells: list[str]
    key: str
    state: str
    lacks: str


def _written(line: re.Match[str]) -> str:
    indent, kind, condition = line.groups()
    source = merge(condition.strip() or "True") if kind == "merge" else merge().replace("at += 2", "at += 1")
    return textwrap.indent(source.strip("\n"), indent)


def _read() -> dict[str, Honest]:
    found = {}
    for part in re.split(r"^== ", _TEXT, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        text = re.sub(r"^####.*", "", text, flags=re.MULTILINE)
        text = re.sub(r"^( *)(merge|wrong):(.*)$", _written, text, flags=re.MULTILINE)
        cells = [cell.strip("\n") for cell in re.split(r"^--$", text, flags=re.MULTILINE)]
        if not _CHECKS.search(text) and '("02.merge", merge)' not in text:
            cells.append('check("02.merge", merge)')
        cells.insert(0, "from minbpe_course import check, hint, progress")
        kind, _, label = heading.rpartition(": ")
        key = (_CHECKS.findall(text) or ["02.merge"])[-1]
        assert label not in found
        found[label] = Honest(cells, key, "not yet" if kind == "not yet" else "done", kind.partition("warns ")[2])
    return found


NOTEBOOKS = _read()
