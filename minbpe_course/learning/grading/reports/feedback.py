"""Pack the reports of a class as Canvas and Moodle take them: a zip in which each file name names its learner.

Moodle ("Upload multiple feedback files in a zip") reads the learner's number from the name of the folder that it made
for them (mod/assign/feedback/file/importziplib.php), and shows them ``report.html``. Canvas ("Upload submissions")
reads learner and file from the name under which it delivered the file, and shows the report under the learner's own
name for it (``infer_comment_context_from_filename`` in app/models/abstract_assignment.rb). So the report on a notebook
is a notebook, and that on a zip is a zip.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minbpe_course.learning.grading.present import Row
from minbpe_course.learning.grading.reports.exports import without_total
from minbpe_course.learning.grading.reports.pages import learner_page
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.layouts import is_work, platform_of

REPORT = "report.html"


def feedback(platform: str, rows: Sequence[Row], exercises: Mapping[str, Exercise]) -> tuple[bytes, list[str]]:
    """Return the bytes of the zip, and a sentence for each learner who has no report in it, or no total yet.

    platform : "canvas" or "moodle". The same reports give the same bytes.
    """
    files: list[tuple[str, bytes]] = []
    problems = without_total(rows)
    for row in rows:
        learner, page = row.learner, learner_page(row, exercises).encode("utf-8")
        name = learner.delivered
        if platform_of(name).casefold() != platform or (platform == "canvas" and not is_work(name)):
            problems.append(
                f"{learner.id}: no notebook of theirs is from {platform.title()}, so no report is in the zip"
            )
        elif platform == "moodle":
            files.append((f"{learner.id}_assignsubmission_file_/{REPORT}", page))
        else:
            files.append((name, _zip([(REPORT, page)]) if name.lower().endswith(".zip") else _notebook(page)))
    return _zip(files), problems


def _zip(files: Iterable[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in files:
            made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _notebook(page: bytes) -> bytes:
    """Return a notebook that shows a page."""
    output = {"output_type": "display_data", "data": {"text/html": page.decode("utf-8")}, "metadata": {}}
    cell: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "source": "",
        "outputs": [output],
        "execution_count": None,
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(notebook).encode("ascii")
