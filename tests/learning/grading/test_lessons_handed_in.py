"""A lesson that is handed in is graded like a notebook of exercises: each blank is a question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from minbpe_course.cli import lessons
from minbpe_course.learning.grading import released
from minbpe_course.learning.grading.batch import sandboxed
from minbpe_course.learning.grading.marking import mark
from minbpe_course.learning.grading.running import Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.choose_sandbox import best
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import COURSE
from minbpe_course.learning.judge.exercise import Case, Verdict
from minbpe_course.learning.submissions.notebook_cells import find_answer, questions_in, read_notebook
from tests.shared.page_blocks import ROOT

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

SOON = ("02", "17")
LESSONS = [
    pytest.param(lesson, marks=[] if lesson in SOON else [pytest.mark.slow])
    for lesson in COURSE.lessons()
    if COURSE.contents(lesson).blanks
]


def graded(folder: Path, lesson: str, answers: Mapping[str, str]) -> dict[str, Verdict]:
    """Grade a learner's copy of a lesson, of one notebook or more, in which some cells, by their ids, have answers."""
    lessons.lay(folder, ROOT)
    notebooks = []
    for path in (folder / "notebooks").glob(f"{lesson}_*.ipynb"):
        stored = json.loads(path.read_text(encoding="utf-8"))
        for cell in stored["cells"]:
            cell["source"] = answers.get(cell["id"], cell["source"])
        notebooks.append(read_notebook(json.dumps(stored).encode("utf-8"), path.name))
    asked = released.questions(catalogue.chosen([f"lesson-{lesson}"]))
    assert questions_in(notebooks, released.questions(released.all_released())) == asked
    opened = sandboxed(best())
    marks: dict[str, Verdict] = {}
    for question in asked:
        done = [key for key, one in marks.items() if one.done]
        marks[question.exercise.key] = mark(question, find_answer(notebooks, question), opened, "a seed", done=done)
    return marks


def right(lesson: str) -> dict[str, str]:
    return {one.cell_id: answer_code(one).without_markers() for one in COURSE.contents(lesson).blanks}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_in_full_earns_all_its_points(lesson: str, tmp_path: Path) -> None:
    marks = graded(tmp_path / "mine", lesson, right(lesson))
    assert {key: (one.state, one.points == one.out_of, one.reason) for key, one in marks.items()} == dict.fromkeys(
        marks, ("done", True, "")
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_blank_lesson_earns_nothing(lesson: str, tmp_path: Path) -> None:
    marks = graded(tmp_path / "mine", lesson, {})
    assert {(one.state, one.points) for one in marks.values()} == {("not started", 0)}


def test_a_wrong_helper_costs_its_points_once(tmp_path: Path) -> None:
    wrong = "def merge(ids, pair, new_id):\n    return list(ids)"
    marks = graded(tmp_path / "mine", "02", {**right("02"), "02-merge": wrong})
    assert [key for key, one in marks.items() if not one.done] == ["02.merge"]
    assert marks["02.train_merges"].helpers == ("02.merge",)


def test_a_name_may_have_its_lesson_and_each_case_has_its_files(tmp_path: Path) -> None:
    """The notebooks of lesson 18 say mine("05.MyTokenizer"); a save that only appends must not meet an older file."""
    appends = right("02")["02-BasicTokenizer"].replace('.open("w",', '.open("a",')
    assert appends != right("02")["02-BasicTokenizer"]
    marks = graded(tmp_path / "mine", "02", {**right("02"), "02-BasicTokenizer": appends})
    assert marks["02.BasicTokenizer.save"].done
    answer = 'from minbpe_course.learning import mine\nmerge = mine("02.merge")\n'
    program = Program((answer + "def rules_behind(ids): return merge(ids, (1, 2), 3)",), "rules_behind", right=((
        (right("02")["02-merge"],), {"02.merge": "merge"}),))  # fmt: skip
    with RemoteCaller(program, sandbox=best()) as caller:
        assert caller.call(Case("", ([1, 2],))).value == [3]
