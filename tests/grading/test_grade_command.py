"""``minbpe-course grade`` from its command line: the last line, the exit codes, and what it says when it cannot."""

from __future__ import annotations

import json
import os
import shlex
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
from tests.shared.submission_cases import answer_cell, notebook, zip_entry, zip_of

SEED = "a seed for the tests"
FILES = {"report.html", "results.json"}

pytestmark = [
    pytest.mark.slow,
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
