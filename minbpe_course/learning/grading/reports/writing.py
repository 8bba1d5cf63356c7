"""Write the reports of a gradebook into its folder, each file replaced as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from minbpe_course.errors import UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.learning.grading.gradebook import Gradebook, Kept, Learner
from minbpe_course.learning.grading.reports.exports import grades, results
from minbpe_course.learning.grading.reports.pages import learner_page, summary_page
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.archives import Refusal


def write_learner(folder: Path, gradebook: Gradebook, id: str, exercises: Mapping[str, Exercise]) -> Path:
    """Write ``report.html`` and ``results.json`` of one learner and return the folder they are in.

    exercises : those to report on, by key; other marks stay in the gradebook.
    """
    learner = gradebook.learner(id)
    kept = _kept(gradebook, learner, exercises)
    here = folder / learner.folder
    try:
        here.mkdir(exist_ok=True)
    except FileExistsError:
        raise UnusablePath(
            f"{here} is a file, where the folder of a learner's reports belongs. Move it, then run the same again."
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
    left_out: Sequence[str] = (),
) -> None:
    """Write ``summary.html`` and ``grades.csv`` for all learners of the gradebook.

    exercises : those to report on, by key. names : of the lessons. left_out : what was not graded, in sentences.
    """
    _tidy(folder)
    kept = {learner: _kept(gradebook, learner, exercises) for learner in gradebook.learners()}
    made = summary_page(kept, exercises, sandbox=sandbox, guarantees=guarantees, refusals=refusals, left_out=left_out)
    write_whole(folder / "summary.html", made.encode("utf-8"))
    write_whole(folder / "grades.csv", grades(kept, names))


def _kept(gradebook: Gradebook, learner: Learner, exercises: Collection[str]) -> list[Kept]:
    return [one for one in gradebook.marks(learner.id) if one.mark.key in exercises]


def _tidy(folder: Path) -> None:
    """Remove unfinished files of a killed grader. The lock of the gradebook ensures that no other one writes here."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)
