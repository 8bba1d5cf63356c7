"""One file describes an assignment: both notebooks, nbgrader's points and the grading follow from it."""

from __future__ import annotations

import json
import re
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import determine_grade

from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.assignments.assignment import read_assignment
from minbpe_course.learning.assignments.new_exercise import new_assignment, new_exercise
from minbpe_course.learning.assignments.parts import source_of
from minbpe_course.learning.assignments.release import release_assignment, release_files
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import Collection
from minbpe_course.learning.practice.check import UNDER_NBGRADER
from tests.shared.submission_cases import code_cell, notebook
from tests.shared.teachers_folder import write_assignment

nbformat = pytest.importorskip("nbformat")
SETTINGS = """
introduction = "Work *alone*."
due = 2026-10-12T23:59:00+02:00
late_penalty = 0.1
seed_file = "seed.txt"
"""


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(tmp_path / "progress.json"))
    return write_assignment(tmp_path / "homework", '"02.train_merges"', SETTINGS)


def cells_of(path: Path) -> dict[str, dict[str, Any]]:
    return {cell["id"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


def test_one_notebook_asks_what_the_file_says(homework: Path) -> None:
    assignment = read_assignment(homework)
    assert assignment.due == datetime(2026, 10, 12, 21, 59, tzinfo=timezone.utc)
    assert (assignment.late_penalty, assignment.seed_file) == (0.1, homework.parent / "seed.txt")
    points = {"02.train_merges": 3, "02.test_merge": 10, "03.group_digits": 2.5, "week1.initials": 4, "hw1.ties": 3}
    assert {one.key: one.points for one in assignment.questions} == points
    assert [one.state for one in release_assignment(assignment)] == ["written", "written"]
    assert [one.state for one in release_assignment(assignment, write=False)] == ["same", "same"]
    for folder in ("exercises", "solutions"):
        made = nbformat.read(homework.parent / folder / "hw1.ipynb", as_version=4)
        nbformat.validate(made)
        MetadataValidator().validate_nb(made)
        graded = [one.metadata["nbgrader"] for one in made.cells if one.metadata.get("nbgrader", {}).get("grade")]
        assert {one["grade_id"].removesuffix("-check").replace("-", "."): one["points"] for one in graded} == points
    cells = cells_of(assignment.notebook)
    assert source_of(cells["hw1-title"]) == "# Homework 1"
    assert source_of(cells["hw1-introduction"]).startswith(
        "Work *alone*.\n\nThis is due: 2026-10-12 23:59:00+02:00, and each day begun after that costs an "
        "answer 10 % of its points.\n\nWrite your answer"
    )
    assert "2.5 points" in source_of(cells["03-group_digits-text"])
    assert source_of(cells["hw1-ties-text"]).endswith("Why do they matter?")
    assert cells["hw1-ties"]["cell_type"] == "markdown"
    # The notebooks of lessons and of assignments do not disturb each other.
    collection = assignment.collection
    assert {one.state for one in release_files(collection)} == {"written"}
    assert {one.state for one in release_files(collection, write=False)} == {"same"}


def test_an_answer_that_is_not_asked_for_is_lent(homework: Path) -> None:
    assignment = read_assignment(homework)
    release_assignment(assignment)
    cells = cells_of(assignment.notebook)
    lent = [source_of(cell) for cell in cells.values() if "mine(" in source_of(cell)]
    assert len(lent) == 1
    names = re.findall(r'^(\w+) = mine\("\1"\)$', lent[0], re.MULTILINE)
    assert names == ["count_pairs", "merge"]
    space: dict[str, Any] = {}
    exec(lent[0], space)
    solved = cells_of(homework.parent / "solutions" / "hw1.ipynb")["02-train_merges"]
    exec(source_of(solved), space)
    checked = f"from minbpe_course.learning import check\nmade = {source_of(cells['02-train_merges-check'])}"
    exec(checked, space)
    assert space["made"].done


def test_learners_without_the_folder_get_no_checks_of_its_exercises(homework: Path, capsys) -> None:
    homework.write_text("checks = false\n" + homework.read_text(encoding="utf-8"), encoding="utf-8")
    assignment = read_assignment(homework)
    release_assignment(assignment)
    cells, solved = cells_of(assignment.notebook), cells_of(homework.parent / "solutions" / "hw1.ipynb")
    text = "".join(map(source_of, cells.values()))
    assert "use_exercises" not in text
    assert "week1-initials-check" not in cells
    assert "Write an answer without a check" in text
    assert {"week1-initials", "02-train_merges-check"} <= set(cells)
    assert 'use_exercises("..")' in source_of(solved["hw1-setup"])
    assert "week1-initials-check" in solved
    # The last definition is graded, and where there is a check, what is checked.
    right = source_of(solved["week1-initials"])
    cells["week1-initials"]["source"] = right.replace("return", "return 1 #")
    (homework.parent / "class" / "ada").mkdir(parents=True)
    (homework.parent / "class" / "ada" / "hw1.ipynb").write_bytes(notebook(*cells.values(), code_cell(right, "more")))
    (homework.parent / "seed.txt").write_text("a seed for the tests", encoding="utf-8")
    out = homework.parent / "out"
    command = ["grade", str(homework.parent / "class"), "--assignment", str(homework), "--out", str(out)]
    assert main([*command, "--allow-unsandboxed"]) == 0
    marks = {
        one["name"].split()[0]: one["score"] for one in json.loads((out / "ada" / "results.json").read_text())["tests"]
    }
    assert {key for key, score in marks.items() if score} == {"week1.initials"}
    # An assignment of nothing but such exercises names no hint that is not there.
    homework.write_text('checks = false\ntitle = "H"\nquestions = ["week1.initials"]', encoding="utf-8")
    release_assignment(read_assignment(homework))
    assert "hint(" not in "".join(map(source_of, cells_of(assignment.notebook).values()))


def test_the_check_counts_the_points_of_the_assignment(homework: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assignment = read_assignment(homework)
    release_assignment(assignment)
    half = cells_of(homework.parent / "solutions" / "hw1.ipynb")["02-test_merge"]
    check = source_of(cells_of(assignment.notebook)["02-test_merge-check"])
    assert check == 'check("02.test_merge", test_merge, points=10)'
    space: dict[str, Any] = {}
    exec(f"from minbpe_course.learning import check\n{source_of(half)}", space)
    assert eval(check, space).points == 10
    monkeypatch.setenv(UNDER_NBGRADER, "autograde")
    output = nbformat.v4.new_output("execute_result", {"text/plain": repr(eval(check, space))})
    cell = nbformat.v4.new_code_cell(check, outputs=[output])
    cell.metadata["nbgrader"] = cells_of(assignment.notebook)["02-test_merge-check"]["metadata"]["nbgrader"]
    assert determine_grade(cell) == (10, 10)


def test_check_asks_what_the_notebook_or_the_file_asks(homework: Path, capsys) -> None:
    release_assignment(read_assignment(homework))
    solved = homework.parent / "solutions" / "hw1.ipynb"
    cells = cells_of(solved)
    cells["02-test_merge"]["source"] = ""  # the next of lesson 02 is then one that the notebook does not ask for
    handed_in = homework.parent / "ada.ipynb"
    handed_in.write_bytes(notebook(*cells.values()))
    for options in (["--exercises", str(homework.parent)], ["--assignment", str(homework)]):
        assert main(["check", str(handed_in), *options]) == 1
        said = capsys.readouterr().out
        assert "✓ done · 02.train_merges · Train · 3 of 3 points" in said
        assert "next    Write the test, 02.test_merge." in said
        assert "○ not started · 02.test_merge · Write the test · 0 of 10 points" in said
        assert f"minbpe-course hint 02.test_merge --exercises {homework.parent}" in said
        assert "✓ done · week1.initials · Initials · 4 of 4 points" in said
        assert said.endswith("\nhw1.ties: your teacher marks this\n\n3 of 4 done, 9.5 of 19.5 points\n")
        assert not {"03.split_words", "02.apply_merges"} & set(re.findall(r"\d\d\.\w+", said))
    # Without a name, the notebook of the assignment is checked, or the teacher's copy with the answers is.
    assert main(["check", "--assignment", str(homework), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["out_of"] == 19.5
    assert main(["check", str(solved), "--assignment", str(homework)]) == 0
    assert "Every exercise of this notebook is done." in capsys.readouterr().out
    # Without their folder, the teacher's exercises are missed; the notebook of another assignment is refused.
    catalogue._USED.clear()
    assert main(["check", str(solved)]) == 0
    assert "week1.initials: not checked" in capsys.readouterr().err
    homework.with_name("hw2.toml").write_text("title = 'H'\nquestions = ['05.free_id']", encoding="utf-8")
    assert main(["check", str(solved), "--assignment", str(homework.with_name("hw2.toml"))]) == 2
    assert "Name the notebook of the assignment, hw2.ipynb" in capsys.readouterr().err


def test_a_new_assignment_has_the_title_that_is_typed_and_whole_lessons(tmp_path: Path) -> None:
    file = new_assignment(tmp_path / 'HW "2"', ["03.group_digits", "02", "02.rules_behind"])
    assignment = read_assignment(file)
    assert assignment.title == 'HW "2"'
    lesson = [one.key for one in catalogue.chosen(["02"])]
    assert [one.key for one in assignment.questions] == [*lesson, "03.group_digits"]


def test_exercises_of_ones_own_are_next_to_the_file(homework: Path, monkeypatch, capsys) -> None:
    apart = homework.parents[1] / "hw2" / "assignment.toml"
    apart.parent.mkdir()
    shutil.copy(homework, apart)
    for words in (
        ["new-assignment", str(apart.parent / "new")],
        ["release", str(apart)],
        ["grade", str(homework.parent), "--out", str(apart.parent / "out"), "--assignment", str(apart)],
        ["check", str(homework.parent / "solutions" / "hw1.ipynb"), "--assignment", str(apart)],
    ):
        assert main([*words, "--exercises", str(homework.parent)]) == 2
        assert "--exercises cannot go with an assignment: exercises of your own are found in" in capsys.readouterr().err
    monkeypatch.setenv(catalogue.VARIABLE, str(homework.parent))
    assert main(["release", str(apart)]) == 2
    assert f"week1.initials is in {homework.with_name('checks')}" in (said := capsys.readouterr().err)
    assert f"beside that folder: {homework.with_name('hw2.toml')}" in said
    assert [path.name for path in apart.parent.iterdir()] == ["assignment.toml"]
    # An installed package has no place next to the file.
    installed = catalogue.Collection.in_folder(homework.parent, "a package")
    monkeypatch.setattr("minbpe_course.learning.assignments.release.installed", lambda: (installed,))
    monkeypatch.setattr(catalogue, "installed", lambda: (installed,))
    monkeypatch.delenv(catalogue.VARIABLE)
    assert main(["release", str(apart)]) == 0


def test_an_exercise_with_a_name_of_the_course_is_named_or_refused(homework: Path, capsys) -> None:
    new_exercise(Collection.in_folder(homework.parent), "week1.shout", entry="merge")
    homework.write_text("title = 'H'\nquestions = ['week1.shout']", encoding="utf-8")
    folder = ["--exercises", str(homework.parent)]
    for words in (["release", str(homework)], ["release", *folder], ["check-exercises", *folder]):
        assert main(words) == (words[0] == "check-exercises")
        said = capsys.readouterr()
        assert "02.merge of the course has its name" in said.out + said.err
    (homework.parent / "checks" / "02").mkdir()
    echo = (homework.parent / "checks" / "week1" / "echo.py").read_text(encoding="utf-8")
    (homework.parent / "checks" / "02" / "merge.py").write_text(echo.replace("week1.echo", "02.merge"), "utf-8")
    homework.write_text("title = 'H'\nquestions = ['02.merge']", encoding="utf-8")
    for words in (["release", str(homework)], ["release", *folder], ["check-exercises", *folder]):
        assert main(words)
        said = capsys.readouterr()
        refused = "'02.merge' is that of an exercise of" if words[0] == "release" else "02 is a lesson of"
        assert f"{refused} the course, too" in said.out + said.err


WRONG = {
    "questions = [": "is not TOML",
    "questions = ['02.merge']": 'title is missing. Add: title = "Homework 1"',
    "title = 'H'": 'questions is missing. Add: questions = ["02.merge"]',
    "title = 'H'\nquestions = []": "questions is empty",
    "title = 'H'\nquestions = ['02.merge', '02.merge']": "02.merge is asked twice",
    "title = 'H'\nquestions = ['02.marge']": "question 1: there is no exercise '02.marge'. Near it: 02.merge",
    "title = 'H'\nquestions = [7]": "question 1: 7 is not a question",
    "title = 'H'\nquestions = [{key = '02.merge', points = -1}]": "points is a number from 0 to 1000",
    "title = 'H'\nquestions = [{key = '02.merge', points = nan}]": "points is a number from 0 to 1000",
    "title = 'H'\nquestions = [{key = '02.merge', points = true}]": "points = True is a bool. Write: points = 5",
    "title = 'H'\nquestions = [{key = '02.merge', point = 5}]": "'point' is not a field. There are key, points.",
    "title = 'H'\nquestions = [{written = 'A B', title = 'T', points = 1, text = 'x'}]": "'A B' cannot name a question",
    "title = 'H'\nquestions = [{written = 'a', title = 'T', points = 1}]": 'Add: text = "Explain it in',
    "title = 'H'\nquestions = [{written = 'a', title = 7, points = 'x', text = ''}]": (
        'question 1: title = 7 is a int. Write: title = "Why ties matter"\n'
        "FILE: question 1: points = 'x' is a str. Write: points = 5\n"
        "FILE: question 1: points is a number from 0 to 1000: points = 5"
    ),
    "title = 'H'\nquestions = ['week1.echo']": "An assignment finds those in the folder checks next to its file.",
    "title = 'H'\nquestions = ['02.merge']\ndue = 'soon'": "due = 'soon' is a str. Write: due = 2026-10-12T23:59:00",
    "title = 'H'\nquestions = ['02.merge']\nchecks = 0": "checks = 0 is a int. Write: checks = false",
    "title = 'H'\nquestions = ['02.merge']\nlate_penalty = 10": "late_penalty is a share of the points, from 0 to 1",
    "title = 'H'\nquestions = ['02.merge']\n[weights]\n03 = 2": "weights: 03 = 2. Name a lesson of the questions",
    "title = 'H'\nquestions = ['02.merge']\n[weights]\n02 = 'x'": "weights: 02 = 'x'.",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_the_file_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "hw1.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ExercisesProblem) as raised:
        read_assignment(file)
    assert str(file) in str(raised.value)
    assert WRONG[text].replace("FILE", str(file)) in str(raised.value)


def test_a_date_is_its_end_here_and_a_folder_names_its_assignment(tmp_path: Path) -> None:
    file = tmp_path / "HW 2" / "assignment.toml"
    file.parent.mkdir()
    written = "title = 'H'\ndue = 2026-10-12 18:00:00\nquestions = ['02.merge']"
    file.write_text(written, encoding="utf-8")
    assert read_assignment(file).introduction == "This is due: 2026-10-12 18:00:00."
    file.write_text(written.replace(" 18:00:00", ""), encoding="utf-8")
    assignment = read_assignment(file)
    assert assignment.introduction == "This is due: 2026-10-12."
    assert assignment.name == "hw_2"
    assert assignment.due is not None
    assert assignment.due + timedelta(seconds=1) == datetime(2026, 10, 13).astimezone()
