"""Change marks after grading: open the folder of marks, give points by hand, and merge the marks of two graders."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from minbpe_course.errors import GradingProblem, InvalidOption, MinbpeCourseError, MissingFile
from minbpe_course.learning.grading.asked import ABOUT, Asked, restored
from minbpe_course.learning.grading.gradebook import NAME, Gradebook, Word
from minbpe_course.learning.grading.reports.tables import read_table
from minbpe_course.learning.judge.exercise import Verdict

UNDO = "graded"


@contextmanager
def open_marks(folder: Path) -> Iterator[tuple[Gradebook, Asked, dict[str, Any]]]:
    """Open a folder of marks and give its gradebook, its latest questions, and the record of the latest run.

    Raises MissingFile, GradingProblem.
    """
    if not (folder / NAME).is_file():
        raise MissingFile(f"{folder / NAME} does not exist. Name the folder of marks that grade wrote: --out marks")
    with Gradebook(folder, None) as gradebook:
        asked = gradebook.recall(ABOUT)
        if not asked:
            raise GradingProblem(f"{folder / NAME} has no marks yet. Grade first.")
        yield gradebook, restored(asked), json.loads(gradebook.recall("report"))


def at(gradebook: Gradebook, asked: Asked, learner: str, key: str) -> Verdict:
    """Return a mark as it counts now. Raises GradingProblem for an unknown learner, InvalidOption for a key."""
    marks = {one.mark.key: one.mark for one in asked.present(gradebook).row(learner).marks}
    if key not in marks:
        near = difflib.get_close_matches(key, marks, cutoff=0.3) or list(marks)[:5]
        raise InvalidOption(f"{key} is not asked here. Near it: {', '.join(near)}")
    return marks[key]


def merge_marks(gradebook: Gradebook, asked: Asked, other: Gradebook) -> list[str]:
    """Take in the marks of another grader, and return in sentences what changed, and where two teachers disagree."""
    ours, theirs = gradebook.words(), other.words()
    before = {row.learner.id: row.points for row in asked.present(gradebook).rows()}
    said = [f"Marks of {other.path.parent} that count now: {gradebook.merge(other)}"]
    for row in asked.present(gradebook).rows():
        was = before.get(row.learner.id)
        if was != row.points:
            earlier = "new here" if was is None else f"before: {was:g}"
            said.append(f"{row.learner.id}: {row.points:g} of {row.out_of:g} points ({earlier})")
    for place, word in ours.items():
        given = (word.points, theirs[place].points if place in theirs else None)
        if None not in given and given[0] != given[1]:
            who = f"{word.who} gave {given[0]:g}, {theirs[place].who} {given[1]:g}"
            said.append(f"{', '.join(place)}: {who}; the later word counts")
    return said


def set_from(gradebook: Gradebook, asked: Asked, path: Path, who: str) -> tuple[list[str], list[str]]:
    """Store a teacher's word for each row of a table with points: learner, key, points, comment, as ``written`` has.

    Returns what changed, and a sentence for each row that is wrong. Raises UnreadableInput, UnusablePath.
    """
    (head, *rows), _, _ = read_table(path)
    said, wrong = [], []
    for number, row in enumerate((dict(zip(head, row)) for row in rows), start=2):
        try:
            if row.get("points", "").strip():
                place = gradebook, asked, row.get("learner", ""), row.get("key", ""), row["points"]
                said.append(set_points(*place, comment=row.get("comment", ""), who=who))
        except MinbpeCourseError as problem:
            wrong.append(f"{path.name}, row {number}: {problem}")
    return said, wrong


def set_points(
    gradebook: Gradebook, asked: Asked, learner: str, key: str, points: str, *, comment: str, who: str
) -> str:
    """Store a teacher's word on a mark, and return in a sentence what changed.

    points : a number, or "graded" for those of the grader.

    Raises GradingProblem for an unknown learner, InvalidOption for a question that is not asked or other points.
    """
    learner = gradebook.learner(learner).id
    before = at(gradebook, asked, learner, key)
    most = before.out_of
    given = None
    if points != UNDO:
        try:
            given = float(points.replace(",", "."))
        except ValueError:
            given = math.nan
        if not 0 <= given <= most:
            raise InvalidOption(
                f"{points!r} cannot be the points of {key}. Type a number from 0 to {most:g}, or {UNDO} for those that "
                "the grader gave."
            )
    if given is not None and not comment and (earlier := gradebook.words().get((learner, key))):
        comment = earlier.comment
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    about = next((one.answer for one in gradebook.marks(learner) if one.mark.key == key), "")
    gradebook.say(learner, key, Word(given, comment, who, now, about))
    return f"{learner}, {key}: {_points(at(gradebook, asked, learner, key))} (before: {_points(before)})"


def _points(mark: Verdict) -> str:
    return "not marked" if mark.state == "not graded" else f"{mark.points:g} of {mark.out_of:g} points"
