"""The marks of one learner as Gradescope's autograders report them: ``results.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from minbpe_course.checks.exercise import Exercise
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.marking import Mark
from minbpe_course.grading.reports.learner import OURS
from minbpe_course.grading.reports.page import in_order


def results(learner: Learner, kept: Sequence[Kept], exercises: Mapping[str, Exercise]) -> bytes:
    """Return the bytes of ``results.json``: a total, and a test for each question.

    What the grader printed is never shown: it is no matter of the learner's.

    >>> kept = [Kept(Mark("02.merge", "done", 2, 2), "", "", "plain", 1)]
    >>> made = json.loads(results(Learner("ada", "ada"), kept, {}))
    >>> made["score"], made["tests"][0]["status"], made["stdout_visibility"]
    (2, 'passed', 'hidden')
    """
    marks = {one.mark.key: one.mark for one in kept}
    tests = [_test(marks[key], exercises.get(key)) for key in in_order(marks, exercises)]
    rungs = sorted({one.sandbox for one in kept})
    document = {
        "score": _plain(sum(one.mark.points for one in kept)),
        "execution_time": round(sum(one.mark.seconds for one in kept)),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": "\n".join([f"Answers ran in the sandbox {', '.join(rungs) or 'none'}.", *learner.problems]),
        "output_format": "text",
        "tests": tests,
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _test(mark: Mark, exercise: Exercise | None) -> dict[str, object]:
    return {
        "name": f"{mark.key} {exercise.title}" if exercise else mark.key,
        "score": _plain(mark.points),
        "max_score": _plain(mark.out_of),
        "status": "passed" if mark.state == "done" else "failed",
        "output": said(mark),
        "output_format": "text",
        "visibility": "visible",
    }


def said(mark: Mark) -> str:
    r"""Return in plain text what the report says about a question.

    >>> print(said(Mark("02.merge", "not yet", 0, 2, "overlapping pairs", hint="Look again.", hidden=True)))
    not yet
    kind of case: overlapping pairs, hidden
    hint: Look again.
    """
    if mark.state == "not graded":
        return f"not graded\n{OURS}"
    category = mark.category + (", hidden" if mark.category and mark.hidden else "")
    rows = [("given", mark.given), ("yours", mark.yours), ("wanted", mark.wanted), ("difference", mark.difference)]
    rows += [("kind of case", category), ("hint", mark.hint), ("result", mark.note)]
    rows += [("note", note) for note in mark.notes]
    return "\n".join([mark.state, *(f"{name}: {value}" for name, value in rows if value)])


def _plain(points: float) -> float:
    return int(points) if points == int(points) else points
