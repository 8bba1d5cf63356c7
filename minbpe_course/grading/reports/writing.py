"""The reports of a gradebook, put into the folder it lies in. What was there is replaced, each file as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.grading.archives import Refusal
from minbpe_course.grading.gradebook import Gradebook, Kept
from minbpe_course.grading.reports.gradescope import results
from minbpe_course.grading.reports.learner import learner_page
from minbpe_course.grading.reports.nbgrader import grades
from minbpe_course.grading.reports.summary import summary_page


def write_learner(folder: Path, gradebook: Gradebook, id: str, exercises: Mapping[str, Exercise]) -> Path:
    """Write ``report.html`` and ``results.json`` of one learner and return the folder they are in."""
    learner = gradebook.learner(id)
    kept = gradebook.marks(id)
    here = folder / learner.folder
    try:
        here.mkdir(exist_ok=True)
    except FileExistsError:
        raise UnusablePath(
            f"{here} is a file, in the place of a learner's reports. Move it, and type the same again."
        ) from None
    _tidy(here)
    write_whole(here / "report.html", learner_page(learner, kept, exercises).encode("utf-8"))
    write_whole(here / "results.json", results(learner, kept, exercises))
    return here


def write_class(
    folder: Path,
    gradebook: Gradebook,
    exercises: Mapping[str, Exercise],
    names: Mapping[str, str],
    *,
    sandbox: str,
    guarantees: str = "",
    refusals: Sequence[Refusal] = (),
) -> None:
    """Write ``summary.html`` and ``grades.csv`` of everybody in the gradebook; ``names`` are those of the lessons."""
    _tidy(folder)
    learners = gradebook.learners()
    kept: dict[str, list[Kept]] = defaultdict(list)
    for id, one in gradebook.all_marks():
        kept[id].append(one)
    made = summary_page(learners, kept, exercises, sandbox=sandbox, guarantees=guarantees, refusals=refusals)
    write_whole(folder / "summary.html", made.encode("utf-8"))
    write_whole(folder / "grades.csv", grades(learners, kept, names))


def _tidy(folder: Path) -> None:
    """Take away what a killed grader was writing. Nobody else writes here: the gradebook lets one in at a time."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)
