"""The cells of an exercise: which part of it each cell is, and the metadata of that part.

    02-merge-text      the title, the card, the task           locked
    02-merge-given     code that the answer may use            locked, tag "given"
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
from minbpe_course.learning.judge.exercise_files import LESSON

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
_ID = re.compile(rf"({LESSON.pattern})-(\w+(?:-\w+)?)")
_ROLE = re.compile("-(text|check|given)$")


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
    role = _ROLE.search(str(cell.get("id", "")))
    match = _ID.fullmatch(_ROLE.sub("", str(cell.get("id", ""))))
    if match is None:
        return None
    key = f"{match[1]}.{match[2].replace('-', '.')}"
    exercise = catalogue.known(key) or next(iter(catalogue.of_class(key)), None)
    return None if exercise is None else ExercisePart(exercise, role[1] if role else "answer")  # type: ignore[arg-type]


def metadata_for(exercise: Exercise, role: Role) -> dict[str, Any]:
    """Return the metadata of the cell with this role.

    >>> metadata_for(Exercise("02.merge", "", "write"), "check")["nbgrader"]["points"]
    2
    """
    answer, written = role == "answer", exercise.kind == "written"
    graded = role == "check" or (written and answer)
    nbgrader = {
        "schema_version": 3,
        "grade_id": id_of(exercise, role),
        "cell_type": "markdown" if role == "text" or written else "code",
        "grade": graded,
        "solution": answer,
        "locked": not answer,
        "task": False,
        **({"points": exercise.points} if graded else {}),
    }
    return {"nbgrader": nbgrader, **({"tags": [role]} if role in ("answer", "given") else {})}


def id_of(exercise: Exercise, role: Role) -> str:
    """Return the id of the cell with this role.

    >>> id_of(Exercise("02.merge", "", "write"), "check")
    '02-merge-check'
    """
    return exercise.cell_id if role == "answer" else f"{exercise.key.replace('.', '-')}-{role}"


def check_source(exercise: Exercise) -> str:
    """Return the source of the check cell.

    >>> check_source(Exercise("02.merge", "", "write"))
    'check("02.merge", merge)'

    Where an assignment gives other points, the check has to know them.
    """
    known = catalogue.known(exercise.key)
    points = f", points={exercise.points}" if known is not None and known.points != exercise.points else ""
    return f'check("{exercise.key}", {exercise.entry}{points})'


def source_of(cell: Mapping[str, Any]) -> str:
    r"""Return the source of a cell as one text; files store a text or a list of lines.

    >>> source_of({"source": ["a\n", "b"]})
    'a\nb'
    """
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)
