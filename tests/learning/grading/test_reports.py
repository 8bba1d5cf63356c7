"""Reports of hostile names and answers: read back with the parsers that others will read them with."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.gradebook import LONGEST_SOURCE, Gradebook, Kept, Learner
from minbpe_course.learning.grading.marking import NO_CELL
from minbpe_course.learning.grading.present import Row
from minbpe_course.learning.grading.reports import exports
from minbpe_course.learning.grading.reports.exports import results
from minbpe_course.learning.grading.reports.pages import (
    MOST_ALIKE,
    SOURCE_SHOWN,
    answers_in,
    equal_answers,
    learner_page,
    spread,
    summary_page,
)
from minbpe_course.learning.grading.reports.writing import write_class
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.submissions.layouts import Owner
from tests.shared.html import Page
from tests.shared.submission_cases import exercise

pytestmark = pytest.mark.sandbox

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;\u202e\x1b[31m{{7*7}}</pre></style>"
EXERCISES: dict[str, Exercise] = {key: exercise(key) for key in ("02.double", "02.triple", "10.late")}
ADA = Learner("ada", "ada")


def kept(mark: Verdict, sandbox: str = "bubblewrap", source: str = "", shape: str = "") -> Kept:
    return Kept(mark, sandbox, source or None, shape)


def row(learner: Learner, marks: Iterable[Kept]) -> Row:
    by_key = {one.mark.key: one for one in marks}
    return Row(learner, tuple(by_key[key] for key in EXERCISES if key in by_key))


def of_class(people: list[Learner], marks: Mapping[str, Iterable[Kept]]) -> list[Row]:
    return [row(one, marks.get(one.id, ())) for one in people]


def evil_mark(key: str = "02.double", state: str = "not yet") -> Verdict:
    texts = (EVIL,) * 7
    return Verdict(key, state, 0, 2, *texts, {EVIL: 3}, {EVIL: 4}, 1.5, EVIL, True, (EVIL,), EVIL, helpers=(EVIL,))


def harmless(page: str) -> Page:
    read = Page(page)
    assert not {"script", "img", "iframe", "object", "form", "base", "link"} & set(read.tags)
    assert not [value for name, value in read.attributes if name in ("href", "src") and ":" in value]
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert ("http-equiv", "Content-Security-Policy") in read.attributes
    assert "url(" not in page
    assert "@import" not in page
    return read


def test_a_learners_page_shows_all_fields() -> None:
    marks = [
        Verdict("02.double", "not yet", 0, 2, "large numbers", hint="Look again.", mistake="raised", hidden=True),
        Verdict(
            "02.triple", "not yet", 0, 2, "small", "triple(2)", "4", "6", "", "Thrice.", notes=("imports tiktoken",)
        ),
        Verdict("10.late", "not graded", 0, 3, note="most of it cell 4", reason="OSError: secret path"),
    ]
    learner = Learner("ada_1", "ada_1", "Ada", "Lovelace", problems=("02.ipynb is empty",))
    page = learner_page(row(learner, [kept(mark, "landlock") for mark in reversed(marks)]), EXERCISES)
    text = Page(page).text
    for wanted in (
        *("Ada Lovelace", "0of 7 points", "0of 3 questions done", "large numbers, hidden", "Look again.", "triple(2)"),
        *("imports tiktoken", "02.ipynb is empty", "sandbox landlock", "could not be graded, perhaps", "Lesson 10"),
    ):
        assert wanted in text, wanted
    assert "could not be graded, perhaps" in text.partition("most of it cell 4")[0]
    report = results(row(learner, [kept(mark) for mark in marks]), EXERCISES).decode()
    assert "result: most of it cell 4" in report
    for shown in (page, report):
        assert "secret path" not in shown
    assert text.rindex("02.double") < text.rindex("02.triple") < text.rindex("10.late")


def test_an_answer_is_shown_folded_and_cut() -> None:
    mark = Verdict("02.double", "done", 2, 2)
    page = learner_page(row(ADA, [kept(mark, source="def double(n):\r\n    return n + n\r\n")]), EXERCISES)
    assert "<details><summary>Your answer, 2 lines</summary>" in page
    assert "def double(n):\n    return n + n</pre>" in page
    for long in ("x" * 200_000, "y\n" * 100_000, "\u202e" * 200_000):
        page = learner_page(row(ADA, [kept(mark, source=long)]), EXERCISES)
        assert len(page) < 20_000 + 6 * SOURCE_SHOWN
        assert re.search(r"Only the first [\d,]+ characters are shown", page)
    assert "details" not in learner_page(row(ADA, [kept(mark)]), EXERCISES).partition("</style>")[2]


def test_equal_answers_are_grouped_unless_most_of_the_class_wrote_them() -> None:
    people = [Learner(f"l{n:02}", f"l{n:02}") for n in range(4 * MOST_ALIKE)]
    shapes = ["one", "one", "", "", "two", "three", *["most"] * (len(people) - 6)]
    done = Verdict("02.double", "done", 2, 2)
    marks = {one.id: [kept(done, source=f"{n} <b>", shape=shape)] for n, (one, shape) in enumerate(zip(people, shapes))}
    marks["l04"].append(kept(Verdict("02.triple", "not yet", 0, 3), source="same", shape="other question"))
    marks["l05"].append(kept(Verdict("02.triple", "not yet", 0, 3), source="same", shape="other question"))
    answers = answers_in(of_class(people, marks), EXERCISES)
    groups = [[one.id for one, _ in group] for answered in answers.values() for group in equal_answers(answered)]
    assert groups == [["l00", "l01"], ["l04", "l05"]]
    page = summary_page(of_class(people, marks), EXERCISES, "hw1", sandbox="plain")
    text = Page(page).text
    assert "judge yourself" in text
    assert "all but names, comments or spaces" in text
    assert "every character" in text
    assert '<a href="l00/report.html#02.double">l00</a>, <a href="l01/report.html#02.double">l01</a>' in page
    # In a small class even an answer of everybody is listed.
    few = people[: MOST_ALIKE - 1]
    assert list(map(len, equal_answers([(one, kept(done, source="x", shape="s")) for one in few]))) == [len(few)]


def test_the_class_page_counts_states_categories_and_mistakes() -> None:
    people = [Learner(name, name) for name in ("ada", "bob", "cy", "eve", "dan")]
    wrong = Verdict(
        "02.double", "not yet", 0, 2, mistake="adds-one", failures={"large": 5, "small": 1, "nothing failed here": 0}
    )
    marks = {
        "ada": [kept(Verdict("02.double", "done", 2, 2))],
        "bob": [kept(wrong, source="recognised")],
        "cy": [kept(Verdict("02.double", "not yet", 0, 2, failures={"large": 1}), source="not recognised")],
        "eve": [kept(Verdict("02.double", "not yet", 0, 2, mistake="adds-one", failures={"large": 1}))],
        "dan": [kept(Verdict("02.double", "not graded", 0, 2, reason="OSError: no memory"))],
    }
    read = Page(
        summary_page(of_class(people, marks), EXERCISES, "hw1", sandbox="bubblewrap", guarantees="Nothing is visible.")
    )
    for wanted in (
        *("5 learners, 1 questions", "25 %of the points on average", "1 done · 3 not yet · 1 not graded"),
        *("large3 of 5", "small1 of 5", "adds-one (2)", "OSError: no memory", "0.5 of 2 points on average"),
        "bubblewrap: Nothing is visible.",
        *("No recognised mistake: cy", "LearnerLesson 02PointsShareLateada2 of 22 of 2100 %bob0 of 20 of 20 %"),
    ):
        assert wanted in read.text, wanted
    assert "nothing failed here" not in read.text
    assert "No recognised mistake: bob" not in read.text
    assert [value for name, value in read.attributes if name == "id"] == ["02.double"]
    assert read.text.index("LearnerLesson 02") < read.text.index("How the class is spread")


@pytest.mark.parametrize(
    ("shares", "wanted"),
    [
        ([0.0, 0.05], "0–9 %2 of 2"),
        ([0.999], "90–99 %1 of 1"),
        ([1.0], "100 %1 of 1"),
        ([0.1, 0.3, 0.7], "30–39 %1 of 3"),
    ],
)
def test_a_share_falls_into_its_tenth(shares, wanted) -> None:
    assert wanted in Page(spread(shares)).text


def test_the_csv_has_nbgraders_columns_and_a_row_for_each_lesson_and_learner() -> None:
    people = [
        Learner("ada", "ada", "Ada", "Lovelace", "ada@example.org", "2026-01-02 03:04:05"),
        Learner("@bob", "bob"),
    ]
    done = Verdict("02.double", "done", 2, 2)
    bob = [done, Verdict("02.triple", "not started", 0, 3), Verdict("10.late", "not started", 0, 2)]
    marks = {
        "ada": [kept(one) for one in (done, Verdict("02.triple", "not yet", 0.5, 3), evil_mark("10.late"))],
        "@bob": [kept(one) for one in bob],
    }
    data = exports.grades(of_class(people, marks), {"02": "02_naive_bpe"})
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert data.splitlines()[0] == (
        b"\xef\xbb\xbfassignment,duedate,timestamp,student_id,last_name,first_name,email,"
        b"raw_score,late_submission_penalty,score,max_score,reason"
    )
    assert [(row["assignment"], row["student_id"], row["score"], row["max_score"]) for row in rows] == [
        ("02_naive_bpe", "ada", "2.5", "5.0"),
        ("02_naive_bpe", "@bob", "2.0", "5.0"),
        ("10", "ada", "0.0", "2.0"),
        ("10", "@bob", "0.0", "2.0"),
    ]
    assert (rows[0]["timestamp"], rows[0]["email"], rows[0]["raw_score"]) == (
        *("2026-01-02 03:04:05", "ada@example.org", "2.5"),
    )


def test_a_score_that_would_be_too_low_is_empty_and_says_why() -> None:
    done, blank = Verdict("02.double", "done", 2, 2), Verdict("02.triple", "not started", 0, 3)
    absent = [replace(one, notes=(NO_CELL,)) for one in (Verdict("02.double", "not started", 0, 2), blank)]
    failed = Verdict("02.triple", "not graded", 0, 3, reason="OSError: too many open files")
    people = [Learner("ada", "ada"), Learner("bob", "bob", problems=("only essay.pdf",)), Learner("eve", "eve")]
    marks = {"ada": [kept(done), kept(failed)], "bob": list(map(kept, absent)), "eve": [kept(done), kept(blank)]}
    rows = list(csv.DictReader(io.StringIO(exports.grades(of_class(people, marks), {}).decode("utf-8"))))
    assert [(row["raw_score"], row["score"], row["max_score"], row["reason"]) for row in rows] == [
        ("", "", "5.0", "not graded; 02.triple: OSError: too many open files"),
        ("", "", "5.0", "not handed in; only essay.pdf"),
        ("2.0", "2.0", "5.0", ""),
    ]
    read = Page(
        summary_page(of_class(people, marks), EXERCISES, "hw1", sandbox="plain", left_out=["1 of 9 worked in 03."])
    ).text
    for wanted in ("Answers not graded: 1. Their scores are empty", "1 of 9 worked in 03.", "not handed in"):
        assert wanted in read, wanted
    assert "The points are not final." in learner_page(row(people[0], marks["ada"]), EXERCISES)
    document = json.loads(results(row(people[0], marks["ada"]), EXERCISES))
    assert document["output"].startswith("Not graded: 02.triple.")
    # Without a lesson, everyone is still listed.
    assert exports.grades(of_class(people, {}), {}).count(b"not handed in") == 3


FORMULAS = [
    "=cmd|' /C calc'!A0", "+1", "-1", "\t=1", "\r=1", "Ada; -1", "\u200b=1", "\xa0@SUM(A1)", "\uff1d1", 'Ada;"=1"',
]  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_the_csv_is_a_formula(name) -> None:
    people = [Learner(name, "safe", name, name, name, name)]
    data = exports.grades(of_class(people, {name: [kept(Verdict("02.double", "done", 2, 2))]}), {"02": name})
    (row,) = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))[1:]
    assert len(row) == len(exports.COLUMNS) + 1
    # As a spreadsheet sees it that ends its cells at semicolons, and takes signs of full width for signs, as well.
    parts = [part.strip(' "\xa0\u200b') for cell in row for part in re.split(r"[;\t]", cell)]
    assert not [part for part in parts if part[:1] and part[0] in "=+-@\uff1d\r"]


def test_results_are_what_gradescope_reads() -> None:
    marks = [
        Verdict("02.double", "done", 2, 2, seconds=0.6),
        Verdict("02.triple", "not yet", 1.5, 3, "large", hint="Look.", hidden=True, seconds=0.7),
        Verdict("10.late", "not graded", 0, 3, reason="OSError: secret path"),
    ]
    data = results(row(replace(ADA, problems=("a\ud800b", "odd")), map(kept, marks)), EXERCISES)
    made = json.loads(data)
    assert {name: made[name] for name in ("score", "execution_time", "visibility", "stdout_visibility")} == {
        **{"score": 3.5, "execution_time": 1},
        **{"visibility": "visible", "stdout_visibility": "hidden"},
    }
    assert [(test["score"], test["max_score"], test["status"], test["visibility"]) for test in made["tests"]] == [
        (2, 2, "passed", "visible"),
        (1.5, 3, "failed", "visible"),
        (0, 3, "failed", "visible"),
    ]
    assert made["tests"][1]["name"] == "02.triple Double it"
    assert "kind of case: large, hidden" in made["tests"][1]["output"]
    assert b"secret path" not in data
    assert "bubblewrap" in made["output"]


def test_reports_of_hostile_names_land_inside_their_folder(tmp_path: Path) -> None:
    names = [
        "../../up",
        "/absolute",
        "..",
        "CON",
        "con",
        "ada",
        "Ada",
        "a/da",
        "a:da",
        "",
        EVIL,
        "summary.html",
        "a\0b",
        "\ud800",
        "x" * 4000,
        "=1+1",
    ]
    out = tmp_path / "out"
    with Gradebook(out, "a seed for the tests") as book:
        for name in names:
            book.enrol(Owner(name, name, name), "", [name])
            book.keep(name, Kept(evil_mark("02.merge"), "plain", f"{EVIL}\ud800\0" + "x" * LONGEST_SOURCE, "s"))
        write_class(out, Asked(("02.merge",)), book, {"sandbox": "plain"})
        folders = {learner.folder for learner in book.learners()}
    assert len(folders) == len(names)
    assert {path.name for path in out.iterdir() if path.is_dir()} == folders
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    for folder in folders:
        assert {path.name for path in (out / folder).iterdir()} == {"report.html", "results.json"}
        json.loads((out / folder / "results.json").read_bytes())
        harmless((out / folder / "report.html").read_text(encoding="utf-8"))
    harmless((out / "summary.html").read_text(encoding="utf-8"))
    assert len(list(csv.reader(io.StringIO((out / "grades.csv").read_text(encoding="utf-8"))))) == len(names) + 1
