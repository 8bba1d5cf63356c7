"""The marks of one learner as Gradescope's autograders report them: ``results.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from minbpe_course.checks.exercise import Exercise, Verdict
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.reports.page import in_order, rows_of


def results(learner: Learner, kept: Sequence[Kept], exercises: Mapping[str, Exercise]) -> bytes:
    """Return the bytes of ``results.json``: a total, and a test for each question.

    The learner never sees what the grader printed.

    >>> kept = [Kept(Verdict("02.merge", "done", 2, 2), "", "", "plain", 1)]
    >>> made = json.loads(results(Learner("ada", "ada"), kept, {}))
    >>> made["score"], made["tests"][0]["status"], made["stdout_visibility"]
    (2, 'passed', 'hidden')
    """
    marks = {one.mark.key: one.mark for one in kept}
    rungs = sorted({one.sandbox for one in kept})
    document = {
        "score": _as_number(sum(one.mark.points for one in kept)),
        "execution_time": round(sum(one.mark.seconds for one in kept)),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": "\n".join([f"Answers ran in the sandbox {', '.join(rungs) or 'none'}.", *learner.problems]),
        "output_format": "text",
        "tests": [_test(marks[key], exercises.get(key)) for key in in_order(marks, exercises)],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _test(mark: Verdict, exercise: Exercise | None) -> dict[str, object]:
    return {
        "name": f"{mark.key} {exercise.title}" if exercise else mark.key,
        "score": _as_number(mark.points),
        "max_score": _as_number(mark.out_of),
        "status": "passed" if mark.state == "done" else "failed",
        "output": "\n".join([mark.state, *(f"{label}: {value}".removeprefix(": ") for label, value in rows_of(mark))]),
        "output_format": "text",
        "visibility": "visible",
    }


def _as_number(points: float) -> float:
    return int(points) if points == int(points) else points
