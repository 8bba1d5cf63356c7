"""``minbpe-course grade`` from its command line: the last line, the exit codes, and what it says when it cannot."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.cli import grade as verb
from minbpe_course.cli.main import main
from minbpe_course.grading import released
from minbpe_course.grading.gradebook import Gradebook
from minbpe_course.grading.sandbox.bare import Bare
from tests.shared.lesson_code import ROOT
from tests.shared.submission_cases import answer_cell, code_cell, notebook, zip_entry, zip_of

SEED = "a seed for the tests"
FILES = {"report.html", "results.json"}

pytestmark = [
    pytest.mark.medium,
    pytest.mark.sandbox,
    pytest.mark.skipif(not released.lesson_names(), reason="no exercises are released"),
]


@pytest.fixture
def asked():
    """The question that every submission here answers."""
    return released.questions(released.chosen(["02.merge"]))[0]


def work(folder: Path, asked, **answers: str) -> Path:
    for name, source in answers.items():
        (folder / name).mkdir(parents=True)
        data = notebook(answer_cell(source.replace("NAME", asked.exercise.entry), asked.exercise.cell_id))
        (folder / name / "renamed by me.ipynb").write_bytes(data)
    return folder


def run(*arguments: object) -> int:
    return main(["grade", *map(str, arguments), "--seed", SEED, "--allow-unsandboxed"])


def test_a_class_from_folder_to_files(tmp_path: Path, asked, capsys: pytest.CaptureFixture[str]) -> None:
    folder = work(tmp_path / "class", asked, ada="def NAME(*a): return 1", eve=asked.blank)
    assert run(folder, "--only", "02.merge", "--out", tmp_path / "out") == 0
    said = capsys.readouterr().out.splitlines()[-1]
    last = json.loads(said)
    assert (last["learners"], last["questions"], last["marked"]) == (2, 1, 2)
    assert last["seconds"] > 0
    assert last["sandbox"] in ("bubblewrap", "landlock", "container", "plain")
    made = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    reports = {f"{name}/{file}" for name in ("ada", "eve") for file in FILES}
    assert made - {".grading-now"} == {"gradebook.sqlite", "grades.csv", "summary.html", *reports}
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or SEED.encode() not in path.read_bytes(), path
    assert f"sandbox {last['sandbox']}" in (tmp_path / "out" / "ada" / "report.html").read_text(encoding="utf-8")
    assert run(folder, "--only", "02.merge", "--out", tmp_path / "out") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["kept"] == 2


def test_only_the_lessons_that_were_handed_in_are_graded(tmp_path: Path, asked, capsys) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    assert run(folder, "--out", tmp_path / "out") == 0
    in_lesson = sum(exercise.lesson == "02" for exercise in released.all_released())
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["questions"] == in_lesson
    with sqlite3.connect(tmp_path / "out" / "gradebook.sqlite") as base:
        assert base.execute("SELECT DISTINCT state FROM mark").fetchall() == [("not started",)]


def scores(out: Path) -> dict[tuple[str, str], tuple[str, str]]:
    rows = csv.DictReader(io.StringIO((out / "grades.csv").read_text(encoding="utf-8")))
    return {(row["student_id"], row["assignment"][:2]): (row["score"], row["max_score"]) for row in rows}


@pytest.fixture(scope="module")
def solved() -> dict[str, bytes]:
    return {path.name[:2]: path.read_bytes() for path in sorted((ROOT / "solutions").glob("*.ipynb"))}


needs_solutions = pytest.mark.skipif(not (ROOT / "solutions").is_dir(), reason="only a checkout has solutions")


@needs_solutions
def test_one_learners_other_notebooks_change_nobodys_total(tmp_path: Path, solved, capsys) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    for name in ("ada", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / "R.ipynb").write_bytes(solved["02"])
    for path in (ROOT / "exercises").glob("*.ipynb"):
        (folder / "bob" / path.name).write_bytes(path.read_bytes())
    alone = {(name, "02"): ("18.0", "18.0") for name in ("ada", "bob")}
    assert run(folder, "--out", out) == 0
    assert scores(out) == alone
    assert capsys.readouterr().err == ""
    (folder / "bob" / "03.ipynb").write_bytes(solved["03"])
    assert run(folder, "--out", out) == 0
    assert scores(out) == alone
    said = "1 of 2 learners worked in 03_regex_splitting, which was not graded. To grade it: --only 02 03"
    assert said in capsys.readouterr().err
    assert said in (out / "summary.html").read_text(encoding="utf-8")
    # ``--only`` decides, in this run and in all its reports.
    assert run(folder, "--only", "02", "03", "--out", out) == 0
    assert scores(out) == alone | {("ada", "03"): ("", "17.0"), ("bob", "03"): ("17.0", "17.0")}
    assert run(folder, "--only", "03", "--out", out) == 0
    assert set(scores(out)) == {("ada", "03"), ("bob", "03")}
    for report in ("ada/report.html", "bob/report.html", "summary.html"):
        assert "02.merge" not in (out / report).read_text(encoding="utf-8")


@needs_solutions
def test_late_learners_are_counted_together_with_those_of_earlier_runs(tmp_path: Path, solved) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    for name, lesson in (("ada", "02"), ("bob", "02"), ("bob", "03")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / f"{lesson}.ipynb").write_bytes(solved[lesson])
    (tmp_path / "late" / "eve").mkdir(parents=True)
    (tmp_path / "late" / "eve" / "work.ipynb").write_bytes(solved["03"])
    assert run(folder, "--out", out) == 0
    first = scores(out)
    assert first == {(name, "02"): ("18.0", "18.0") for name in ("ada", "bob")}
    # Now two of three have worked in each lesson; bob's notebook of lesson 03 was not graded when it was there.
    assert run(tmp_path / "late", "--out", out) == 1
    late = {("eve", "02"): ("", "18.0"), ("ada", "03"): ("", "17.0"), ("eve", "03"): ("17.0", "17.0")}
    assert scores(out) == first | late | {("bob", "03"): ("", "17.0")}
    assert run(folder, "--out", out) == 0
    assert scores(out) == first | late | {("bob", "03"): ("17.0", "17.0")}


def test_everyone_has_a_row_and_everything_that_is_not_graded_a_reason(tmp_path: Path, asked, capsys) -> None:
    folder, out = work(tmp_path / "class", asked, ada="def NAME(*a): return 1"), tmp_path / "out"
    for name, file, data in (
        ("bob", "homework.py", b""),
        ("eve", "02_naive_bpe.ipynb", (ROOT / "notebooks" / "02_naive_bpe.ipynb").read_bytes()),
        ("dan", "02_naive_bpe.ipynb", b"{"),
        ("zoe", "week1.ipynb", notebook(code_cell("use_exercises('..')"))),
    ):
        (folder / name).mkdir()
        (folder / name / file).write_bytes(data)
    assert run(folder, "--out", out) == 0
    _, complaint = capsys.readouterr()
    summary = (out / "summary.html").read_text(encoding="utf-8")
    rows = {row["student_id"]: row for row in csv.DictReader((out / "grades.csv").open(encoding="utf-8"))}
    assert rows["ada"]["score"] == "0.0"
    for name, says in (("bob", "only homework.py"), ("eve", "is the lesson"), ("dan", "is not JSON"),
                       ("zoe", "--exercises FOLDER")):  # fmt: skip
        assert rows[name]["score"] == ""
        for where in (rows[name]["reason"], complaint, summary):
            assert says in where, (name, where)
    for name in ("ada", "bob", "eve", "dan"):
        shutil.rmtree(folder / name)
    assert run(folder, "--out", tmp_path / "none") == 1  # nothing at all was graded
    assert "Exercises of your own are named with --exercises FOLDER" in capsys.readouterr().err


LIMITED = """
import resource, sys
from minbpe_course.grading.sandbox.choose_sandbox import best
best()
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
from minbpe_course.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@needs_solutions
@pytest.mark.skipif(sys.platform != "linux", reason="counts file descriptors")
def test_what_cannot_be_graded_for_want_of_files_is_empty_and_graded_by_the_next_run(tmp_path: Path, solved) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "02.ipynb").write_bytes(solved["02"])
    codes = []
    for most in (13, 14, 15, 16, 17, 18, 512):
        command = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--seed", SEED, "--jobs", "1"]
        command += ["--only", "02", "--allow-unsandboxed"]
        done = subprocess.run([sys.executable, "-c", LIMITED, str(most), *command], capture_output=True, check=False)
        codes.append(done.returncode)
        if done.returncode != 2:
            assert scores(tmp_path / "out")["ada", "02"] == (("", "18.0") if done.returncode else ("18.0", "18.0"))
        if done.returncode == 1:
            assert b"could not be graded" in done.stderr
    assert 1 in codes
    assert codes[-1] == 0


def test_a_seed_in_the_environment_or_a_file_keeps_it_off_the_command_line(tmp_path: Path, asked, monkeypatch) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    monkeypatch.setenv("MINBPE_COURSE_SEED", SEED)
    command = ["grade", str(folder), "--only", "02.merge", "--allow-unsandboxed"]
    assert main([*command, "--out", str(tmp_path / "one")]) == 0
    monkeypatch.delenv("MINBPE_COURSE_SEED")
    (tmp_path / "seed.txt").write_text(SEED + "\n", encoding="utf-8")
    assert main([*command, "--out", str(tmp_path / "one"), "--seed-file", str(tmp_path / "seed.txt")]) == 0


def test_refused_entries_of_the_bulk_zip_are_reported_and_counted(tmp_path: Path, asked, capsys) -> None:
    data = notebook(answer_cell(asked.blank, asked.exercise.cell_id))
    (tmp_path / "class.zip").write_bytes(zip_of(zip_entry("ada/a.ipynb", data), zip_entry("../a.ipynb", data)))
    assert run(tmp_path / "class.zip", "--only", "02.merge", "--out", tmp_path / "out") == 0
    out, complaint = capsys.readouterr()
    assert "../a.ipynb leads out of the archive" in complaint
    assert json.loads(out.splitlines()[-1])["refused"] == 1
    assert "leads out of the archive" in (tmp_path / "out" / "summary.html").read_text(encoding="utf-8")


IMPOSSIBLE = [
    ("no such folder", ["nowhere", "--seed", SEED], "does not exist"),
    ("empty folder", ["empty", "--seed", SEED], "holds no notebooks"),
    ("no seed", ["class"], "no seed to draw"),
    ("empty seed", ["class", "--seed", ""], "is empty"),
    ("two seeds", ["class", "--seed", SEED, "--seed-file", "seed.txt"], "both given"),
    ("no such seed file", ["class", "--seed-file", "nowhere.txt"], "nowhere.txt"),
    ("another seed", ["class", "--seed", SEED + "!"], "begun with another seed"),
    ("no such lesson", ["class", "--seed", SEED, "--only", "99"], "lesson '99' has no exercises"),
    ("no such question", ["class", "--seed", SEED, "--only", "02.merg"], "Near it: 02.merge"),
    ("no such sandbox", ["class", "--seed", SEED, "--rung", "cardboard"], "no sandbox called 'cardboard'"),
    ("a name that no system has", ["a" * 5_000, "--seed", SEED], "too long"),
    ("no archive", ["seed.txt", "--seed", SEED], "Name the folder, or the zip"),
    ("another grader", ["class", "--seed", SEED], "another grader is at work"),
]


@pytest.mark.parametrize(("label", "arguments", "says"), IMPOSSIBLE, ids=[label for label, *_ in IMPOSSIBLE])
def test_an_impossible_request_gives_one_message_and_exit_code_2(
    tmp_path: Path, asked, capsys, monkeypatch, label, arguments, says
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINBPE_COURSE_SEED", raising=False)
    work(tmp_path / "class", asked, ada=asked.blank)
    (tmp_path / "empty").mkdir()
    (tmp_path / "seed.txt").write_text(SEED, encoding="utf-8")
    book = Gradebook(tmp_path / "out", SEED)
    if label != "another grader":
        book.close()
    only = [] if "--only" in arguments else ["--only", "02.merge"]
    assert main(["grade", *arguments, *only, "--out", "out", "--allow-unsandboxed"]) == 2
    out, complaint = capsys.readouterr()
    assert says in complaint
    assert "Traceback" not in complaint
    assert out == ""
    book.close()


def test_reports_do_not_overwrite_submissions(tmp_path: Path, asked, capsys) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    (folder / "ada" / "report.html").write_text("mine", encoding="utf-8")
    assert main(["grade", str(folder), "--seed", SEED, "--out", str(folder / "." / "")]) == 2
    assert "holds the submissions" in capsys.readouterr().err
    assert (folder / "ada" / "report.html").read_text(encoding="utf-8") == "mine"


def test_learners_in_a_nested_folder_are_announced(tmp_path: Path, asked, capsys) -> None:
    work(tmp_path / "download" / "class", asked, **{"ada_1_345_02": asked.blank})
    (found,) = (tmp_path / "download" / "class").rglob("*.ipynb")
    found.rename(tmp_path / "download" / "class" / "ada_1_345_02.ipynb")
    found.parent.rmdir()
    command = ["grade", str(tmp_path / "download"), "--only", "02.merge", "--seed", SEED, "--allow-unsandboxed"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 0
    assert "the learners are those in class/ (Canvas)" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="a shell")
def test_closed_output_streams_do_no_harm(tmp_path: Path, asked) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    grader = [sys.executable, "-m", "minbpe_course", "grade", str(folder), "--only", "02.merge", "--seed", SEED]
    command = shlex.join([*grader, "--out", str(tmp_path / "out"), "--allow-unsandboxed"])
    for ending in (" 2>&-", " | true"):
        done = subprocess.run(["/bin/sh", "-c", command + ending], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), ending


def test_the_last_rung_has_to_be_allowed(tmp_path: Path, asked, capsys) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    command = ["grade", str(folder), "--only", "02.merge", "--seed", SEED, "--rung", Bare.name]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    complaint = capsys.readouterr().err
    assert "--allow-unsandboxed" in complaint
    assert "doctor" in complaint
    assert not (tmp_path / "out").exists()
    assert main([*command, "--out", str(tmp_path / "out"), "--allow-unsandboxed"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["sandbox"] == Bare.name


def test_progress_is_for_terminals_only(tmp_path: Path, asked, capsys, monkeypatch) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank, bob=asked.blank)
    run(folder, "--only", "02.merge", "--out", tmp_path / "out")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(verb.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    run(folder, "--only", "02.merge", "--out", tmp_path / "out")
    assert "2 of 2 learners" in capsys.readouterr().err
