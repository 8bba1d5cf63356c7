"""Run All: a learner opens an untouched exercise, runs every cell, and reads verdicts instead of errors."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from minbpe_course.learning.judge import catalogue
from tests.shared.lesson_code import EXERCISES, ROOT, SOLUTIONS
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

KERNEL_NOTICE = "Kernel is running over TCP without encryption"


def executed(path: Path, folder: Path) -> tuple[list[str], list[str], Path]:
    """Run every cell; return the verdicts as text, the lines on stderr, and the path of the record of progress."""
    record = folder / "progress.json"
    notebook = nbformat.read(path, as_version=4)
    environment = os.environ | {
        "MINBPE_COURSE_PROGRESS": str(record),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    environment.pop("NBGRADER_EXECUTION", None)
    client = NotebookClient(
        notebook, kernel_name="python3", timeout=PATIENCE, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    checks = [cell for cell in notebook.cells if cell.get("metadata", {}).get("nbgrader", {}).get("grade")]
    verdicts = [cell.outputs[-1].data["text/plain"] for cell in checks]
    assert all("text/html" in cell.outputs[-1].data for cell in checks)
    complaints = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    return verdicts, [text for text in complaints if KERNEL_NOTICE not in text], record


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXERCISES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_an_untouched_exercise_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    verdicts, complaints, record = executed(path, tmp_path)
    assert [verdict.split(" · ")[:2] for verdict in verdicts] == [
        ["○ not started", exercise.key] for exercise in catalogue.COURSE.contents(path.stem[:2]).exercises
    ]
    assert complaints == []
    assert not record.exists() or '"done"' not in record.read_text(encoding="utf-8")


def test_a_notebook_with_answers_is_done_from_end_to_end(tmp_path: Path) -> None:
    path = min(SOLUTIONS.glob("*.ipynb"), key=lambda path: path.stat().st_size)
    verdicts, _, record = executed(path, tmp_path)
    assert [verdict.split(" · ")[0] for verdict in verdicts] == ["✓ done"] * len(
        catalogue.COURSE.contents(path.stem[:2]).exercises
    )
    assert record.read_text(encoding="utf-8").count('"done"') == len(verdicts)
