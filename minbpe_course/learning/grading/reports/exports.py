"""The marks as other programs read them: Gradescope's ``results.json`` of a learner, nbgrader's CSV of a class.

The CSV has nbgrader's columns for due dates and penalties, unused, so that programs that read its file read this one.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from minbpe_course.learning.grading.present import NOT_HANDED_IN, Row
from minbpe_course.learning.grading.reports.pages import lateness, rows_of, rungs_of, unfinished
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.judge.exercise_files import lesson_order

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def results(row: Row, exercises: Mapping[str, Exercise]) -> bytes:
    """Return the bytes of a learner's ``results.json``: a total, and a test for each question.

    The learner never sees what the grader printed.
    """
    late = [lateness(row)] if row.days_late else []
    document = {
        "score": row.points,
        "execution_time": round(sum(one.mark.seconds for one in row.marks)),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": "\n".join(
            [*unfinished(row.marks), f"Answers ran in the sandbox {rungs_of(row.marks)}.", *late, *row.learner.problems]
        ),
        "output_format": "text",
        "tests": [_test(one.mark, exercises[one.mark.key]) for one in row.marks],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _test(mark: Verdict, exercise: Exercise) -> dict[str, object]:
    return {
        "name": f"{mark.key} {exercise.title}",
        "score": mark.points,
        "max_score": mark.out_of,
        "status": "passed" if mark.state == "done" else "failed",
        "output": "\n".join([mark.state, *(f"{label}: {value}".removeprefix(": ") for label, value in rows_of(mark))]),
        "output_format": "text",
        "visibility": "visible",
    }


# ----------------------------------------------------------------------------------------------------
# The table of a class


def grades(rows: Sequence[Row], names: Mapping[str, str], assignment: str = "", due: datetime | None = None) -> bytes:
    r"""Return the CSV: a row per learner and lesson, whose notebooks have these names, or per learner and assignment.

    A score is empty, and the last column says why, where it would be too low: nothing of the lesson was handed in, or
    the grader failed.

    >>> from minbpe_course.learning.grading.gradebook import Kept, Learner
    >>> mark = Kept(Verdict("02.merge", "done", 2, 2), "plain")
    >>> print(grades([Row(Learner("=ada", "ada"), (mark,))], {}).decode().splitlines()[1])
    02,,,'=ada,,,,2.0,0.0,2.0,2.0,
    """
    lines: list[list[object]] = [[*COLUMNS, "reason"]]
    # Without a lesson, each learner still has a row.
    lessons = sorted({one.lesson for row in rows for one in row.marks}, key=lesson_order) or [""]
    tables = {names.get(lesson, lesson): [row.of_lesson(lesson) for row in rows] for lesson in lessons}
    for name, table in ({assignment: rows} if assignment else tables).items():
        most = max((row.out_of for row in table), default=0)
        for row in table:
            learner, reason = row.learner, why_empty(row)
            score, raw = ("", "") if reason else (float(row.points), float(row.points + row.penalty))
            begins = map(harmless, (name, due.isoformat() if due else "", row.handed_in))
            texts = map(harmless, (learner.last_name, learner.first_name, learner.email))
            points = (raw, float(row.penalty), score, float(most))
            lines.append([*begins, identifier(learner.id), *texts, *points, harmless(reason)])
    return csv_bytes(lines)


def csv_bytes(lines: Iterable[Sequence[object]], separator: str = ",", encoding: str = "utf-8-sig") -> bytes:
    """Return a table with a byte order mark: without it, Excel takes UTF-8 for an older encoding."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator).writerows(lines)
    return out.getvalue().encode(encoding, "replace")


def why_empty(row: Row) -> str:
    """Return why a score is missing, with the first reasons, or ""."""
    why = row.missing()
    if why == NOT_HANDED_IN:
        return "; ".join([why, *row.learner.problems[:3]])
    failed = [f"{one.mark.key}: {one.mark.reason}" for one in row.marks if one.mark.state == "not graded"]
    return "; ".join([why, *failed[:3]]) if why else ""


def without_total(rows: Iterable[Row]) -> list[str]:
    """Return a sentence for each learner who handed in, and has no score yet."""
    return [
        f"{row.learner.id} has no total yet: {why_empty(row)}"
        for row in rows
        if row.missing() not in ("", NOT_HANDED_IN)
    ]


# Signs that begin a formula, also full-width, at the start of a cell, or where a spreadsheet may start the next one:
# in half of Europe it splits cells at semicolons.
_FORMULA = re.compile(r"(^|[;\t])(?=[^\w'(]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])|^(?=[\t\x0b\x0c])")


def harmless(cell: str) -> str:
    """Return the text so that no spreadsheet takes it for a formula.

    >>> harmless("=cmd|' /C calc'!A0"), harmless("Ada")
    ("'=cmd|' /C calc'!A0", 'Ada')
    """
    cell = re.sub(r"[\r\n]+", " ", cell)  # a row is one line
    cell = cell.replace("\0", "\N{REPLACEMENT CHARACTER}")  # Python 3.10 cannot write it, and few programs read it
    return _FORMULA.sub(r"\1'", cell)


def identifier(id: str) -> str:
    """Return the cell for an id, which another program must find again: changed only if a spreadsheet would run it.

    >>> identifier("@zoe"), identifier("@SUM(A1)")
    ('@zoe', "'@SUM(A1)")
    """
    return id if re.fullmatch(r"@[\w.-]*", id) else harmless(id)
