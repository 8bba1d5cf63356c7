"""Write the reports of a gradebook into its folder, each file replaced as a whole."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from minbpe_course.errors import UnusablePath
from minbpe_course.files import write_whole
from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.gradebook import Gradebook
from minbpe_course.learning.grading.handed_in import lesson_of
from minbpe_course.learning.grading.present import Row
from minbpe_course.learning.grading.reports.exports import grades, results
from minbpe_course.learning.grading.reports.pages import learner_page, summary_page
from minbpe_course.learning.judge.exercise import Exercise


def write_learner(folder: Path, row: Row, exercises: Mapping[str, Exercise]) -> Path:
    """Write ``report.html`` and ``results.json`` of one learner and return the folder they are in.

    exercises : those to report on, by key.
    """
    here = folder / row.learner.folder
    try:
        here.mkdir(exist_ok=True)
    except FileExistsError:
        raise UnusablePath(
            f"{here} is a file, where the folder of a learner's reports belongs. Move it, then run the same again."
        ) from None
    _tidy(here)
    write_whole(here / "report.html", learner_page(row, exercises).encode("utf-8"))
    write_whole(here / "results.json", results(row, exercises))
    return here


def write_class(
    folder: Path, asked: Asked, gradebook: Gradebook, about: Mapping[str, Any], *, written: Container[str] = ()
) -> list[Row]:
    """Write ``summary.html``, ``grades.csv`` and the reports of all but those ``written``, and return the rows.

    about : what ``summary_page`` says about the run.
    """
    _tidy(folder)
    present = asked.present(gradebook)
    rows = present.rows()
    for here in [folder / learner.folder for learner in gradebook.everyone() if learner.gone]:
        for name in ("report.html", "results.json"):
            (here / name).unlink(missing_ok=True)
    for row in rows:
        if row.learner.id not in written:
            write_learner(folder, row, asked.exercises)
    name = asked.file.name if asked.file is not None else ""
    names = {question.exercise.lesson: lesson_of(question) for question in asked.questions}
    write_whole(folder / "summary.html", summary_page(rows, asked.exercises, asked.titles[0], **about).encode("utf-8"))
    write_whole(folder / "grades.csv", grades(rows, names, name, present.due))
    return rows


def _tidy(folder: Path) -> None:
    """Remove unfinished files of a killed grader. The lock of the gradebook ensures that no other one writes here."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)
