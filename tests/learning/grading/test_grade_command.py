"""``minbpe-course grade`` from its command line: the last line, the exit codes, and what it says when it cannot."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from minbpe_course.cli.main import main
from minbpe_course.learning.grading import batch, released
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.base import Limits
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.submissions.notebook_cells import Answer
from tests.shared.lesson_code import ROOT
from tests.shared.submission_cases import answer_cell, code_cell, notebook

SEED = "a seed for the tests"
FILES = {"report.html", "results.json"}

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]


@pytest.fixture
def asked():
    """The question that every submission here answers."""
    return released.questions(catalogue.chosen(["02.rules_behind"]))[0]


def work(folder: Path, asked, **answers: str) -> Path:
    for name, source in answers.items():
        (folder / name).mkdir(parents=True)
        data = notebook(answer_cell(source.replace("NAME", asked.exercise.entry), asked.exercise.cell_id))
        (folder / name / "renamed by me.ipynb").write_bytes(data)
    return folder


def run(*arguments: object) -> int:
    return main(["grade", *map(str, arguments), "--seed", SEED, "--allow-unsandboxed", "--json"])


def test_a_class_from_folder_to_files(tmp_path: Path, asked, capsys: pytest.CaptureFixture[str]) -> None:
    folder = work(tmp_path / "class", asked, ada="def NAME(*a): return 1", eve=asked.blank)
    assert run(folder, "--only", "02.rules_behind", "--out", tmp_path / "out") == 0
    said = capsys.readouterr().out.splitlines()[-1]
    last = json.loads(said)
    assert (last["learners"], last["questions"], last["marked"]) == (2, 1, 2)
    assert last["seconds"] > 0
    assert last["sandbox"] in ("bubblewrap", "landlock", "container", "plain")
    made = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    reports = {f"{name}/{file}" for name in ("ada", "eve") for file in FILES}
    assert made == {"gradebook.sqlite", "grades.csv", "summary.html", *reports}
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or SEED.encode() not in path.read_bytes(), path
    assert f"sandbox {last['sandbox']}" in (tmp_path / "out" / "ada" / "report.html").read_text(encoding="utf-8")
    assert run(folder, "--only", "02.rules_behind", "--out", tmp_path / "out") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["kept"] == 2


def scores(out: Path) -> dict[tuple[str, str], tuple[str, str]]:
    rows = csv.DictReader(io.StringIO((out / "grades.csv").read_text(encoding="utf-8-sig")))
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
    alone = {(name, "02"): ("10.0", "10.0") for name in ("ada", "bob")}
    assert run(folder, "--out", out) == 0
    assert scores(out) == alone
    assert capsys.readouterr().err == ""
    (folder / "bob" / "03.ipynb").write_bytes(solved["03"])
    assert run(folder, "--out", out) == 2
    said = "2 in 02_naive_bpe, 1 in 03_regex_splitting. Say what is assigned: --only 02, or --only 02 03"
    assert said in capsys.readouterr().err
    assert scores(out) == alone
    # ``--only`` decides, in this run and in all its reports.
    assert run(folder, "--only", "2", "03_regex_splitting", "--out", out) == 0
    assert scores(out) == alone | {("ada", "03"): ("", "17.0"), ("bob", "03"): ("17.0", "17.0")}
    assert run(folder, "--only", "03", "--out", out) == 0
    assert set(scores(out)) == {("ada", "03"), ("bob", "03")}
    for report in ("ada/report.html", "bob/report.html", "summary.html"):
        assert "02.rules_behind" not in (out / report).read_text(encoding="utf-8")


def test_everyone_has_a_row_and_everything_that_is_not_graded_a_reason(tmp_path: Path, asked, capsys) -> None:
    folder, out = work(tmp_path / "class", asked, ada="def NAME(*a): return 1"), tmp_path / "out"
    for name, file, data in (
        ("bob", "homework.py", b""),
        ("eve", "02_naive_bpe.ipynb", (ROOT / "notebooks" / "02_naive_bpe.ipynb").read_bytes()),
        ("kim", "00_start_here.ipynb", (ROOT / "notebooks" / "00_start_here.ipynb").read_bytes()),
        ("dan", "02_naive_bpe.ipynb", b"{"),
        ("zoe", "week1.ipynb", notebook(code_cell("use_exercises('..')"))),
        ("max", "02_week1.ipynb", notebook(code_cell("def rules_behind(*a): pass\ncheck('02.mine', rules_behind)"))),
    ):
        (folder / name).mkdir()
        (folder / name / file).write_bytes(data)
    assert run(folder, "--out", out) == 0
    _, complaint = capsys.readouterr()
    summary = (out / "summary.html").read_text(encoding="utf-8")
    rows = {row["student_id"]: row for row in csv.DictReader((out / "grades.csv").open(encoding="utf-8-sig"))}
    assert rows["ada"]["score"] == "0.0"
    for name, says in (("bob", "only homework.py"), ("eve", "exercises of lesson 02_naive_bpe, which are not"),
                       ("kim", "is the lesson"), ("dan", "is not JSON"),
                       ("zoe", "--exercises FOLDER"), ("max", "--exercises FOLDER")):  # fmt: skip
        assert rows[name]["score"] == ""
        for where in (rows[name]["reason"], complaint, summary):
            assert says in where, (name, where)
    for name in ("ada", "bob", "eve", "kim", "dan"):
        shutil.rmtree(folder / name)
    assert run(folder, "--out", tmp_path / "none") == 1  # nothing at all was graded
    assert "Exercises of your own are named with --exercises FOLDER" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "long"])
def test_patience_is_a_number_above_0(given: str, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("class", "--out", "out", "--patience", given)
    assert f"argument --patience: '{given}' is not a number above 0" in capsys.readouterr().err


def test_patience_is_that_of_cells_and_notebooks(tmp_path: Path, asked, monkeypatch) -> None:
    work(tmp_path / "class", asked, ada="def NAME(*a): return 1")
    seen = []

    def grade(*given, open_caller, seconds, **others):
        with open_caller(asked, Answer("")) as caller:
            seen.extend((caller.limits, seconds))
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "grade", grade)
    run(tmp_path / "class", "--only", "02.rules_behind", "--out", tmp_path / "out", "--patience", "2.5")
    assert seen == [Limits(cell=75.0, cells=150.0, notebook=2250.0), 2250.0]


def test_reports_do_not_overwrite_submissions(tmp_path: Path, asked, capsys) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    (folder / "ada" / "report.html").write_text("mine", encoding="utf-8")
    assert main(["grade", str(folder), "--seed", SEED, "--out", str(folder / "." / "")]) == 2
    assert "holds the submissions" in capsys.readouterr().err
    assert (folder / "ada" / "report.html").read_text(encoding="utf-8") == "mine"


def test_the_last_rung_has_to_be_allowed(tmp_path: Path, asked, capsys) -> None:
    folder = work(tmp_path / "class", asked, ada=asked.blank)
    command = ["grade", str(folder), "--only", "02.rules_behind", "--seed", SEED, "--rung", Bare.name, "--json"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    complaint = capsys.readouterr().err
    assert "--allow-unsandboxed" in complaint
    assert "doctor" in complaint
    assert not (tmp_path / "out").exists()
    assert run(folder, "--rung", "cardboard", "--out", tmp_path / "out") == 2
    assert "no sandbox called 'cardboard'" in capsys.readouterr().err
    assert main([*command, "--out", str(tmp_path / "out"), "--allow-unsandboxed"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["sandbox"] == Bare.name
