"""Change marks after grading: open the folder of marks, and give points by hand."""

from __future__ import annotations

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

UNDO = "graded"


@contextmanager
def open_marks(folder: Path, seed: str | None = None) -> Iterator[tuple[Gradebook, Asked, dict[str, Any]]]:
    """Open a folder of marks and give its gradebook, what was asked last, and what was said about that run.

    Raises MissingFile, GradebookProblem.
    """
    if not (folder / NAME).is_file():
        raise MissingFile(f"{folder / NAME} does not exist. Name the folder of marks that grade wrote: --out marks")
    with Gradebook(folder, seed) as gradebook:
        asked = gradebook.recall(ABOUT)
        if not asked:
            raise GradebookProblem(f"{folder / NAME} has no marks yet. Grade first.")
        yield gradebook, restored(asked), json.loads(gradebook.recall("report"))


def set_points(
    gradebook: Gradebook, asked: Asked, learner: str, key: str, points: str, *, comment: str, who: str
) -> str:
    """Store a teacher's word on a mark, and return in a sentence what changed.

    points : a number, or "graded" for those of the grader.

    Raises GradebookProblem for an unknown learner, InvalidOption for a question that is not asked or other points.
    """
    gradebook.learner(learner)
    if key not in asked.exercises:
        raise InvalidOption(f"{key} is not asked here. There are: {', '.join(asked.exercises)}")
    most = asked.exercises[key].points
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
    before = next(one.mark.points for one in asked.present(gradebook).row(learner).marks if one.mark.key == key)
    gradebook.say(learner, key, Word(given, comment, who, datetime.now(timezone.utc).isoformat(timespec="seconds")))
    after = next(one.mark.points for one in asked.present(gradebook).row(learner).marks if one.mark.key == key)
    return f"{learner}, {key}: {after:g} of {most:g} points (before: {before:g})"
