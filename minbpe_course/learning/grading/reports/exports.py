"""The marks as other programs read them: Gradescope's ``results.json`` of a learner, nbgrader's CSV of a class.

The CSV has nbgrader's columns for due dates and penalties, unused, so that programs that read its file read this one.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence

from minbpe_course.learning.grading.gradebook import Kept, Learner
from minbpe_course.learning.grading.reports.pages import (
    NOT_HANDED_IN,
    Marks,
    in_order,
    missing,
    rows_of,
    rungs_of,
    total,
)
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.judge.exercise_files import lesson_order

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
NOT_GRADED = "Not graded: {keys}. The score lacks their points."


def results(learner: Learner, kept: Sequence[Kept], exercises: Mapping[str, Exercise]) -> bytes:
    """Return the bytes of a learner's ``results.json``: a total, and a test for each question.

    The learner never sees what the grader printed.
    """
    marks = [one.mark for one in in_order(kept, exercises)]
    keys = [mark.key for mark in marks if mark.state == "not graded"]
    failed = [NOT_GRADED.format(keys=", ".join(keys))] if keys else []
    document = {
        "score": sum(one.mark.points for one in kept),
        "execution_time": round(sum(one.mark.seconds for one in kept)),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": "\n".join([*failed, f"Answers ran in the sandbox {rungs_of(kept)}.", *learner.problems]),
        "output_format": "text",
        "tests": [_test(mark, exercises[mark.key]) for mark in marks],
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


def grades(kept: Marks, names: Mapping[str, str]) -> bytes:
    r"""Return the CSV: a row per lesson and learner. ``names`` are those of the lessons.

    A score is empty, and the last column says why, where it would be too low: nothing of the lesson was handed in, or
    the grader failed.

    >>> marks = {Learner("=ada", "ada"): [Kept(Verdict("02.merge", "done", 2, 2), "plain")]}
    >>> print(grades(marks, {}).decode().splitlines()[1])
    02,,,'=ada,,,,2.0,0.0,2.0,2.0,
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, "reason"])
    # Without a lesson, each learner still has a row.
    for lesson in sorted({one.lesson for marks in kept.values() for one in marks}, key=lesson_order) or [""]:
        of_lesson = {learner: [one for one in marks if one.lesson == lesson] for learner, marks in kept.items()}
        most = max((total(marks)[1] for marks in of_lesson.values()), default=0)
        for learner, marks in of_lesson.items():
            reason = _why_empty(learner, marks)
            score = "" if reason else float(total(marks)[0])
            texts = (learner.id, learner.last_name, learner.first_name, learner.email)
            row = [names.get(lesson, lesson), "", learner.timestamp, *texts]
            writer.writerow([*map(harmless, row), score, 0.0, score, float(most), harmless(reason)])
    return out.getvalue().encode("utf-8", "replace")


def _why_empty(learner: Learner, marks: Sequence[Kept]) -> str:
    why = missing(marks)
    if why == NOT_HANDED_IN:
        return "; ".join([why, *learner.problems[:3]])
    failed = [f"{one.mark.key}: {one.mark.reason}" for one in marks if one.mark.state == why]
    return "; ".join([why, *failed[:3]]) if why else ""


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
