"""Tables and zips for Canvas, Moodle and Gradescope, read back as those programs read them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import MinbpeCourseError, UnreadableInput
from minbpe_course.learning.grading import released
from minbpe_course.learning.grading.gradebook import Kept, Learner
from minbpe_course.learning.grading.marking import NO_CELL
from minbpe_course.learning.grading.present import Row
from minbpe_course.learning.grading.reports.feedback import feedback
from minbpe_course.learning.grading.reports.tables import fill, plain
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Verdict
from tests.shared.submission_cases import answer_cell, exercise, notebook

EXERCISES = {key: exercise(key) for key in ("02.double", "02.triple")}
BOB, RTL = "Bob Smith 😀", "\u202eנעמי, =כהן"
FORMULA = "=cmd|' /C calc'!A0"
BOM = "\ufeff"


def row(id: str, name: str = "", *points: float | str, email: str = "", delivered: str = "") -> Row:
    """Return a row with these points, of two each; a text is the reason for missing points."""
    marks = []
    for key, given in zip(EXERCISES, points or (2, 1.5)):
        state, notes = ("not started", (NO_CELL,)) if given == NO_CELL else ("not graded", ())
        made = Verdict(key, state, 0, 2, notes=notes)
        marks.append(Kept(made if isinstance(given, str) else Verdict(key, "not yet", given, 2), "plain"))
    return Row(
        Learner(id, id, name, email=email, delivered=delivered, timestamp="2026-01-03T02:04:05+00:00"), tuple(marks)
    )


def cells(data: bytes, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator))


def written(path: Path, lines: list[list[str]], separator: str = ",", start: str = "") -> Path:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator).writerows(lines)
    path.write_text(start + out.getvalue(), encoding="utf-8", newline="")
    return path


CANVAS = [
    ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Grade (7)", "Homework 1 (4711)", "Final Score"],
    ["", "", "", "", "", "", "Manual Posting", ""],
    ["    Points Possible", "", "", "", "", "5.00", "4.00", "(read only)"],
    ["Lovelace, Ada", "101", "u101", "ada", "A; B", "5", "", "50"],
    [RTL, "102", "u102", "@zoe", "A", "4", "", "40"],
    [FORMULA, "103", "u103", "ada@example.org", "A", "", "3", ""],
    ["O'Brien, Sam", "104", "", "sam", "A", "", "", ""],
    ["Twin, Pat", "105", "", "pat1", "A", "", "1", ""],
    ["Twin, Pat", "106", "", "pat2", "A", "", "", ""],
    ["Shared, Kim", "107", "u107", "kim", "A", "", "", ""],
    ["Student, Test", "999", "", "f00", "", "", "", ""],
]
CLASS = [
    row("lovelaceada_101", delivered="lovelaceada_101_5001_hw.ipynb"),
    row("@ZOE", "", 2, 2),
    row("x", "", "not graded", 2, email="Ada@example.org"),  # no score, so the 3 in the table stays
    row("s", "Sam OBrien", 0, 0),
    row("p", "Pat Twin"),
    row("kim", "Kim"),
    row("k", "", email="kim"),
    row("u101", "Impostor"),  # an id that a learner may have chosen: the platform's own number is surer
    row("ada_103"),  # a folder of a teacher's own: 103 is not a number of Canvas
]


@pytest.mark.parametrize(("separator", "start"), [(",", ""), (",", BOM), (";", BOM), ("\t", "")])
def test_canvas_gets_its_own_table_with_the_totals(tmp_path: Path, separator: str, start: str) -> None:
    path = written(tmp_path / "canvas.csv", CANVAS, separator, start)
    data, problems = fill(path, "canvas", CLASS, ["homework 1", "hw1"])
    want = [line.copy() for line in CANVAS]
    want[3][6], want[4][6], want[6][6] = "3.5", "4", "0"
    assert cells(data, separator) == want
    assert data.startswith(BOM.encode()) == bool(start)
    same = "is not the only one in canvas.csv who fits"
    assert [problem.partition(", '")[0] for problem in problems] == [
        "x: not graded, so canvas.csv keeps 3",
        f"p {same} ['Twin, Pat'",
        f"kim {same} ['Shared, Kim'",
        f"k {same} ['Shared, Kim'",
        "u101 is not in canvas.csv",
        "ada_103 is not in canvas.csv",
    ]
    # A new assignment gets a column, and Canvas its points.
    added = cells(fill(path, "canvas", CLASS[:1], ["Homework 2"])[0], separator)
    assert [line[:8] for line in added[1:]] == CANVAS[1:]
    assert [line[8] for line in added[:5]] == ["Homework 2", "", "4", "3.5", ""]


WORKSHEET = [
    ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
     "Last modified (submission)", "Online text", "Last modified (grade)", "Feedback comments"],
    ["Participant 50002", BOB, "bob@example.org", "Submitted", "", "10.00", "Yes", "-", "two\r\nlines", "-", "old"],
    ["Participant 50003", "D'Angelo_Eve", "", "", "9.00", "10.00", "Yes", "-", "", "-", "by hand"],
]  # fmt: skip
EXPORT = [
    ["First name", "Last name", "ID number", "Email address", "Assignment: hw1 (Real)", "Course total (Real)"],
    ["Bob", "Smith 😀", "", "bob@example.org", "-", "-"],
    ["D'Angelo_Eve", "", "", "", "-", "-"],
]


def test_moodle_gets_its_worksheet_or_its_grades_back(tmp_path: Path) -> None:
    people = [
        row(f"{BOB}_50002", BOB, delivered=f"{BOB}_50002_assignsubmission_file_"),
        row("DAngelo Eve_50003", "DAngelo Eve", NO_CELL, NO_CELL),
    ]
    data, problems = fill(written(tmp_path / "a.csv", WORKSHEET), "moodle", people, ["Homework 1", "hw1"])
    want = [line.copy() for line in WORKSHEET]
    want[1][4], want[1][10] = "3.5", "3.5 of 4 points."
    assert cells(data) == want
    late = replace(people[0], late=(1, 0), share=0.25)
    line = cells(fill(written(tmp_path / "late.csv", WORKSHEET), "moodle", [late], ["hw1"])[0])[1]
    assert (line[4], line[10]) == ("3", "3 of 4 points. Handed in late, by up to 1 day, which costs 0.5 points.")
    assert problems == [
        "a.csv says that there are 10 points, and here there are 4",
        "DAngelo Eve_50003: not handed in, so a.csv keeps 9.00",
    ]
    people[1] = row("DAngelo Eve_50003", "DAngelo Eve")
    data, problems = fill(written(tmp_path / "b.csv", EXPORT), "moodle", people, ["Homework 1", "hw1"])
    assert [line[4] for line in cells(data)] == [EXPORT[0][4], "3.5", "3.5"]
    assert problems == []


WRONG = {
    "another language": ([["ID", "Vollständiger Name", "Bewertung"]], "no column Grade, or for Homework 1, but: ID"),
    "empty": ([], "has no column Grade"),
    "two columns": ([["Full name", "Quiz: hw1 (Real)", "Assignment: HW1 (Real)"]], "several columns named hw1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_table_that_cannot_be_filled_is_refused(tmp_path: Path, case: str) -> None:
    lines, says = WRONG[case]
    with pytest.raises(UnreadableInput, match=says):
        fill(written(tmp_path / "a.csv", lines), "moodle", [], ["Homework 1", "hw1"])
    (tmp_path / "b.csv").write_bytes("Student,ID\nJos\xe9,1".encode("latin-1"))
    with pytest.raises(UnreadableInput, match="not a table in UTF-8"):
        fill(tmp_path / "b.csv", "canvas", [], ["hw1"])
    with pytest.raises(UnreadableInput, match="no column ID"):
        fill(written(tmp_path / "c.csv", EXPORT), "canvas", [], ["Homework 9"])
    with pytest.raises(MinbpeCourseError, match=r"d\.csv"):
        fill(tmp_path / "d.csv", "canvas", [], ["hw1"])


def test_our_own_tables_keep_ids_and_run_nowhere() -> None:
    people = [
        row("@zoe", RTL, 2, "not graded"),
        row(FORMULA, "=1+1;=2", 2, 1, email="+1"),
        row("7", BOB, NO_CELL, NO_CELL),
    ]
    for gradescope in (False, True):
        data = plain(people, EXERCISES, gradescope=gradescope)
        assert data.startswith(BOM.encode())
        head, *lines = cells(data)
        table = [dict(zip(head, line)) for line in lines]
        if gradescope:
            columns = ["Name", "SID", "Email", "Total Score", "Max Points", "Status", "Submission ID"]
            assert head[:8] == [*columns, "Submission Time"]
        key, questions, total = ("SID", head[8:], "Total Score") if gradescope else ("learner", head[4:6], "total")
        assert [line[key] for line in table] == ["@zoe", f"'{FORMULA}", "7"]
        assert [[line[one] for one in questions] for line in table] == [["2", ""], ["2", "1"], ["", ""]]
        assert [line[total] for line in table] == ["", "3", ""]
        assert [line["Name" if gradescope else "name"] for line in table] == [RTL, "'=1+1;'=2", BOB]
        assert table[1]["Email" if gradescope else "email"] == "'+1"
    assert questions == ["1: Double it (2.0 pts)", "2: Double it (2.0 pts)"]
    assert [line["Status"] for line in table] == ["Ungraded", "Graded", "Missing"]


def unpacked(data: bytes) -> Mapping[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return {name: made.read(name) for name in made.namelist()}


def test_reports_go_back_under_the_names_that_the_platforms_read() -> None:
    moodle = row(f"{BOB}_50002", BOB, delivered=f"{BOB}_50002_assignsubmission_file_hw.ipynb")
    ada = row("ada_101", delivered="ada_LATE_101_5001_hw-1.ipynb")
    zoe = row("נעמי_102", delivered="נעמי_102_5002_my work.ZIP")
    pdf, own = row("pdf_103", delivered="pdf_103_5003_hw.pdf"), row("bob_12", "", 0, 0)
    everyone = [moodle, ada, zoe, pdf, own]
    data, problems = feedback("moodle", everyone, EXERCISES)
    assert data == feedback("moodle", everyone, EXERCISES)[0]
    (name, page), *others = unpacked(data).items()
    # Moodle reads these parts: full name, number, type, plugin, and the rest as the path of the file.
    folder, file = name.split("/")
    assert (folder.split("_"), file, others) == ([BOB, "50002", "assignsubmission", "file", ""], "report.html", [])
    assert page.startswith(b"<!DOCTYPE html>")
    assert [problem.partition(":")[0] for problem in problems] == ["ada_101", "נעמי_102", "pdf_103", "bob_12"]
    waiting = row(f"{BOB}_50002", BOB, 2, "not graded", delivered=moodle.learner.delivered)
    assert [one.partition(":")[0] for one in feedback("moodle", [waiting], EXERCISES)[1]] == [
        f"{BOB}_50002 has no total yet"
    ]
    data, problems = feedback("canvas", everyone, EXERCISES)
    files = unpacked(data)
    assert list(files) == [ada.learner.delivered, zoe.learner.delivered]
    shown = json.loads(files[ada.learner.delivered])["cells"][0]["outputs"][0]["data"]["text/html"]
    assert "02.triple" in shown
    assert list(unpacked(files[zoe.learner.delivered])) == ["report.html"]
    assert [problem.partition(":")[0] for problem in problems] == [f"{BOB}_50002", "pdf_103", "bob_12"]


@pytest.mark.medium
@pytest.mark.sandbox
def test_from_a_delivery_of_canvas_back_to_canvas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "02.rules_behind"
    question = released.questions(catalogue.chosen([key]))[0]
    data = notebook(answer_cell(f"def {question.exercise.entry}(*a): return 1", question.exercise.cell_id))
    folder, out, to = tmp_path / "class", tmp_path / "out", tmp_path / "to"
    folder.mkdir()
    names = ["lovelaceada_101_5001_hw.ipynb", "lovelaceada_101_5009_hw-1.ipynb", "lovelaceada_101_5010_notes.pdf"]
    for name in names:
        (folder / name).write_bytes(data)
    grade = ["grade", str(folder), "--out", str(out), "--seed", "a seed", "--only", key, "--allow-unsandboxed"]
    assert main(grade) == 0
    after = ["grade", "--out", str(out), "--to", str(to)]
    assert main([*after, "--feedback", "canvas"]) == 0
    assert list(unpacked(to.read_bytes())) == [names[1]]
    roster = written(tmp_path / "canvas.csv", CANVAS)
    assert main([*after, "--export", "canvas", "--roster", str(roster), "--set", "lovelaceada_101", key, "1"]) == 0
    assert [line[-1] for line in cells(to.read_bytes())[:4]] == ["02_naive_bpe", "", f"{question.exercise.points}", "1"]
    assert main([*after[:3], "--export", "csv"]) == 0
    assert cells((out / "grades.export.csv").read_bytes())[1][1] == "lovelaceada_101"
    written(roster, CANVAS[:3])
    capsys.readouterr()
    assert main([*after, "--export", "canvas", "--roster", str(roster)]) == 1
    assert "lovelaceada_101 is not in canvas.csv" in capsys.readouterr().err
    for wrong, says in (
        (["--export", "moodle"], "--roster FILE goes with --export canvas"),
        (["--export", "csv", "--roster", str(roster)], "--roster FILE goes with --export canvas"),
        (["--drop", "x"], "--to goes with --export or --feedback"),
    ):
        assert main([*after, *wrong]) == 2
        assert says in capsys.readouterr().err
