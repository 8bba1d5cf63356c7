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

from minbpe_course.errors import GradebookProblem, InvalidOption, MissingFile
from minbpe_course.learning.grading.asked import ABOUT, Asked, restored
from minbpe_course.learning.grading.gradebook import NAME, Gradebook, Word
from minbpe_course.learning.judge.exercise import Verdict

UNDO = "graded"


@contextmanager
def open_marks(folder: Path) -> Iterator[tuple[Gradebook, Asked, dict[str, Any]]]:
    """Open a folder of marks and give its gradebook, what was asked last, and what was said about that run.

    Raises MissingFile, GradebookProblem.
    """
    if not (folder / NAME).is_file():
        raise MissingFile(f"{folder / NAME} does not exist. Name the folder of marks that grade wrote: --out marks")
    with Gradebook(folder, None) as gradebook:
        asked = gradebook.recall(ABOUT)
        if not asked:
            raise GradebookProblem(f"{folder / NAME} has no marks yet. Grade first.")
        yield gradebook, restored(asked), json.loads(gradebook.recall("report"))


def at(gradebook: Gradebook, asked: Asked, learner: str, key: str) -> Verdict:
    """Return a mark as it counts now. Raises GradebookProblem for an unknown learner, InvalidOption for a key."""
    marks = {one.mark.key: one.mark for one in asked.present(gradebook).row(learner).marks}
    if key not in marks:
        near = difflib.get_close_matches(key, marks, cutoff=0.3) or list(marks)[:5]
        raise InvalidOption(f"{key} is not asked here. Near it: {', '.join(near)}")
    return marks[key]


def merge_marks(gradebook: Gradebook, other: Gradebook) -> list[str]:
    """Take in the marks of another grader, and return in sentences how many, and where two teachers disagree."""
    ours, theirs = gradebook.words(), other.words()
    said = [f"Marks of {other.path.parent} that count now: {gradebook.merge(other)}"]
    for place, word in ours.items():
        given = (word.points, theirs[place].points if place in theirs else None)
        if None not in given and given[0] != given[1]:
            who = f"{word.who} gave {given[0]:g} points, {theirs[place].who} {given[1]:g}"
            said.append(f"{', '.join(place)}: {who}; the later word counts")
    return said


def set_points(
    gradebook: Gradebook, asked: Asked, learner: str, key: str, points: str, *, comment: str, who: str
) -> str:
    """Store a teacher's word on a mark, and return in a sentence what changed.

    points : a number, or "graded" for those of the grader.

    Raises GradebookProblem for an unknown learner, InvalidOption for a question that is not asked or other points.
    """
    most = at(gradebook, asked, learner, key).out_of
    given = None
    if points != UNDO:
        try:
            given = float(points)
        except ValueError:
            given = math.nan
        if not 0 <= given <= most:
            raise InvalidOption(
                f"{points!r} cannot be the points of {key}. Type a number from 0 to {most:g}, or {UNDO} for those that "
                "the grader gave."
            )
    before = at(gradebook, asked, learner, key).points
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    about = next((one.answer for one in gradebook.marks(learner) if one.mark.key == key), "")
    gradebook.say(learner, key, Word(given, comment, who, now, about))
    after = at(gradebook, asked, learner, key).points
    return f"{learner}, {key}: {after:g} of {most:g} points (before: {before:g})"
