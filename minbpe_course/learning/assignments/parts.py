"""The cells of an exercise: which part of it each cell is, and the metadata of that part.

    02-merge-text      the title, the card, the task           locked
    02-merge-given…    code that the answer may use            locked, tag "given"
    02-merge           the answer                              the learner's, tag "answer"
    02-merge-check     check("02.merge", merge)                locked, carries the points

The part follows from the id of the cell and the catalogue, and the metadata (nbgrader's schema 3 and JupyterLab's
locks) from the part, so neither is written by hand. Cells with other ids belong to no exercise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.exercise_files import LESSON, NAME

Role = Literal["text", "given", "answer", "check"]
WRITE_HERE = "YOUR ANSWER HERE"  # in the cell of a written question

# JupyterLab marks a notebook as modified unless this is exactly what its kernel reports, with the version of Python.
# So this is the maintainers' version, and ``learn`` writes the learner's version into each copy.
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.7",
    },
}
_ID = re.compile(rf"({LESSON.pattern})-({NAME.pattern})(?:-(text|check|given)(?:-([a-z0-9_-]+))?)?")


@dataclass(frozen=True)
class ExercisePart:
    """Which part of which exercise a cell is."""

    exercise: Exercise
    role: Role


def part_of(cell: Mapping[str, Any]) -> ExercisePart | None:
    """Return which part of which exercise a cell is by its id, or None.

    >>> part_of({"id": "02-merge-check"}).role
    'check'
    """
    match = _ID.fullmatch(str(cell.get("id", "")))
    if match is None or (match[4] and match[3] != "given"):
        return None
    exercise = catalogue.known(f"{match[1]}.{match[2]}")
    return None if exercise is None else ExercisePart(exercise, match[3] or "answer")  # type: ignore[arg-type]


def metadata_for(part: ExercisePart, cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata for a part; ``cell`` has its id and type.

    >>> part = ExercisePart(Exercise("02.merge", "", "write"), "check")
    >>> metadata_for(part, {"id": "02-merge-check", "cell_type": "code"})["nbgrader"]["points"]
    2
    """
    check = part.role == "check"
    points = part.exercise.points if check else None
    metadata: dict[str, Any] = {"nbgrader": nbgrader_data(cell, points=points, solution=part.role == "answer")}
    if part.role in ("answer", "given"):
        metadata["tags"] = [part.role]
    return metadata


def nbgrader_data(cell: Mapping[str, Any], *, points: float | None = None, solution: bool = False) -> dict[str, Any]:
    """Return what nbgrader knows of a cell; points : None for a cell that is not graded."""
    data = {
        "schema_version": 3,
        "grade_id": cell["id"],
        "cell_type": cell["cell_type"],
        "grade": points is not None,
        "solution": solution,
        "locked": not solution,
        "task": False,
    }
    return data if points is None else data | {"points": points}


def locks_for(role: Role) -> dict[str, bool]:
    """Return the metadata that stops a learner's editor from deleting or changing a cell; authors work without it."""
    return {"deletable": False} if role == "answer" else {"deletable": False, "editable": False}


def check_source(exercise: Exercise) -> str:
    """Return the source of the check cell.

    >>> check_source(Exercise("02.merge", "", "write"))
    'check("02.merge", merge)'

    Where an assignment gives other points, the check has to know them.
    """
    known = catalogue.known(exercise.key)
    points = f", points={exercise.points}" if known is not None and known.points != exercise.points else ""
    return f'check("{exercise.key}", {exercise.entry}{points})'


def text_head(exercise: Exercise) -> str:
    """Return the two lines that begin the text of an exercise: title and card.

    >>> print(text_head(Exercise("02.merge", "Merge", "write")))
    ### Merge
    <BLANKLINE>
    **`02.merge`** · write a function · difficulty ●●○○○ · about 10 minutes · 2 points
    """
    return f"### {exercise.title}\n\n{exercise.card()}"


def source_of(cell: Mapping[str, Any]) -> str:
    r"""Return the source of a cell as one text; files store a text or a list of lines.

    >>> source_of({"source": ["a\n", "b"]})
    'a\nb'
    """
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def stored_lines(source: str) -> list[str]:
    r"""Return a source as notebooks store it: a list of lines, each with its line break.

    >>> stored_lines("a\nb")
    ['a\n', 'b']
    """
    return [line for line in re.split(r"(?<=\n)", source) if line]
