"""The marks of a class as ``nbgrader export`` writes them: one row per lesson and learner.

The columns for due dates and penalties are there but unused, so that programs that read nbgrader's file read this one.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence

from minbpe_course.grading.gradebook import Kept, Learner

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def grades(learners: Sequence[Learner], kept: Mapping[str, Sequence[Kept]], names: Mapping[str, str]) -> bytes:
    r"""Return the CSV. ``kept`` are the marks by learner, ``names`` the names of the lessons.

    >>> from minbpe_course.checks.exercise import Verdict
    >>> marks = {"=ada": [Kept(Verdict("02.merge", "done", 2, 2), "", "", "plain", 1)]}
    >>> print(grades([Learner("=ada", "ada")], marks, {}).decode().splitlines()[1])
    02,,,'=ada,,,,2.0,0.0,2.0,2.0
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    lessons = sorted({_lesson(one) for marks in kept.values() for one in marks})
    for lesson in lessons:
        # A learner who handed in nothing for a lesson still gets a row, as in nbgrader.
        most = max(sum(one.mark.out_of for one in marks if _lesson(one) == lesson) for marks in kept.values())
        for learner in learners:
            score = sum(float(one.mark.points) for one in kept.get(learner.id, ()) if _lesson(one) == lesson)
            texts = (learner.id, learner.last_name, learner.first_name, learner.email)
            row = [names.get(lesson, lesson), "", learner.timestamp, *texts]
            writer.writerow([*map(harmless, row), float(score), 0.0, float(score), float(most)])
    return out.getvalue().encode("utf-8", "replace")


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


def _lesson(one: Kept) -> str:
    return one.mark.key.partition(".")[0]
