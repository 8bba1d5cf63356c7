"""An answer that check() accepts is accepted by the grader, or check() has said by name what the grader lacks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import InProcess, implementation_of
from minbpe_course.checks.exercise import Verdict
from minbpe_course.checks.judge import judge
from minbpe_course.checks.right_helpers import HELPERS
from minbpe_course.grading import definitions
from minbpe_course.grading.batch import sandboxed
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.marking import mark
from minbpe_course.grading.released import questions
from minbpe_course.grading.reports.pages import learner_page
from minbpe_course.grading.sandbox.choose_sandbox import best
from minbpe_course.submissions.notebook_cells import find_answer, read_notebook
from tests.grading.honest_notebooks import HONEST, UNSUPPORTED
from tests.shared.lesson_code import notebook_of, parts_of
from tests.shared.submission_cases import answer_cell, code_cell, notebook

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

# Run every notebook in one shell of IPython, from the beginning each time, and say what check() says.
_KERNEL = """
import json, sys
import matplotlib
matplotlib.use("agg")
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.io import capture_output
from minbpe_course import check

shell, said = InteractiveShell.instance(), {}
for label, (key, cells) in json.load(sys.stdin).items():
    shell.reset(new_session=True)
    with capture_output():
        for cell in cells:
            shell.run_cell(cell, store_history=True)
        shell.user_ns["check"] = check
        result = shell.run_cell(f"check({key!r})", store_history=True).result
    said[label] = [result.state, result.points, result.note] if result else ["no result", 0, ""]
print(json.dumps(said))
"""


def _checked(notebooks: dict[str, tuple[str, list[str]]], folder: Path) -> dict[str, list]:
    """Return the verdict of check() on each notebook, all in one process with IPython."""
    (folder / "protobuf_like.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "helper.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", _KERNEL], input=json.dumps(notebooks), capture_output=True, text=True, encoding="utf-8",
        cwd=folder, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def _graded(key: str, others: list[str], answer: str) -> Verdict:
    """Return the grader's mark for a notebook as it is handed in."""
    (question,) = questions([catalogue.find(key)])
    data = notebook(*map(code_cell, others), answer_cell(answer, question.exercise.cell_id))
    return mark(question, find_answer([read_notebook(data)], question), sandboxed(best()), "a seed of the teacher's")


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    everything = {label: (key, [*others, answer]) for label, (key, others, answer) in HONEST.items()}
    # A table that uses the answer's own helper is made after the answer.
    late = "a table made of the answer's own helper"
    everything[late] = (everything[late][0], everything[late][1][::-1])
    everything |= {label: (key, [*others, answer]) for label, (key, others, answer, _) in UNSUPPORTED.items()}
    return _checked(everything, tmp_path_factory.mktemp("kernel"))


@pytest.mark.parametrize("label", HONEST)
def test_an_honest_answer_is_right_in_the_notebook_and_for_the_grader(label: str, checked: dict[str, list]) -> None:
    key, others, answer = HONEST[label]
    points = catalogue.find(key).points
    made = _graded(key, others, answer)
    assert (made.state, made.points) == ("done", points), made
    state, points_there, note = checked[label]
    assert (state, points_there) == ("done", points)
    assert "Your answer" not in note


@pytest.mark.parametrize("label", UNSUPPORTED)
def test_check_names_what_the_grader_lacks(label: str, checked: dict[str, list]) -> None:
    name = UNSUPPORTED[label][3]
    assert f"`{name}`" in checked[label][2], checked[label]


def test_the_report_names_the_cell_that_failed() -> None:
    _, others, answer, _ = UNSUPPORTED["a table made with a package"]
    made = _graded("02.merge", others, answer)
    assert made.state == "not yet"
    assert any("No module named 'protobuf_like'" in note for note in made.notes), made


# ----------------------------------------------------------------------------------------------------
# Wrong helpers

_WRONG_COUNT = HONEST["an answer above"][1][0].replace("+ count", "+ 1")
_BLANK_COUNT = "def count_pairs(words):\n    raise NotImplementedError('count_pairs is still blank')"
_TRAIN, _RIGHT_MERGE = HONEST["an answer above"][2], HONEST["an answer above"][1][1]


@pytest.mark.parametrize("helper", [_WRONG_COUNT, _BLANK_COUNT], ids=["wrong", "blank"])
def test_a_wrong_helper_costs_its_own_points_only(helper: str, tmp_path: Path) -> None:
    made = _graded("02.train_merges", [helper, _RIGHT_MERGE], _TRAIN)
    assert (made.state, made.points) == ("done", 3)
    notes = [made.note, _checked({"it": ("02.train_merges", [helper, _RIGHT_MERGE, _TRAIN])}, tmp_path)["it"][2]]
    for note in notes:
        assert note.startswith("Your count_pairs (exercise 02.count_pairs) is not right yet: fix it first."), notes
        assert "merge (exercise 02.merge)" not in note


def test_a_wrong_answer_stays_wrong_with_right_helpers() -> None:
    made = _graded("02.train_merges", [HONEST["an answer above"][1][0], _RIGHT_MERGE], _TRAIN.replace("max(", "min("))
    assert (made.state, made.points, made.note) == ("not yet", 0, "")
    made = _graded("02.train_merges", [_WRONG_COUNT, _RIGHT_MERGE], _TRAIN.replace("max(", "min("))
    assert (made.state, made.points) == ("not yet", 0)


@pytest.mark.parametrize("key", HELPERS)
def test_a_helper_of_the_course_is_a_right_answer(key: str) -> None:
    exercise = catalogue.find(key)
    assert judge(exercise, InProcess(implementation_of(HELPERS[key], exercise.entry))).state == "done"


def test_every_answer_that_another_builds_on_has_a_helper_of_the_course() -> None:
    for lesson in catalogue.lessons():
        parts = [(one, source) for one, role, source in parts_of(notebook_of(lesson)) if role == "answer"]
        for exercise, source in parts:
            names = definitions.needed(definitions.parse(source)) - {exercise.entry}
            assert {one.key for one, _ in parts if one.entry in names} <= HELPERS.keys(), exercise.key


# ----------------------------------------------------------------------------------------------------
# Notes in reports


def test_a_note_is_short_and_on_one_line() -> None:
    made = _graded("02.merge", [], "raise ValueError('<b>\\n' + 'x' * 10_000)\n" + HONEST["an array"][2])
    (note,) = made.notes
    assert "\n" not in note
    assert len(note) < 300
    assert "&lt;b&gt;" in learner_page(Learner("ada", "ada"), [Kept(made, "", "", "plain", 1)], {})
