"""Whose work is what: the layouts of five platforms, as zips and unpacked, and learners who hand in strange things."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from minbpe_course.errors import GradingProblem, UnreadableSubmission
from minbpe_course.learning.submissions import archives, intake, notebook_cells
from minbpe_course.learning.submissions.archives import Member, Refusal
from minbpe_course.learning.submissions.intake import Submission, read_submissions
from minbpe_course.learning.submissions.layouts import Owner, read_gradescope
from minbpe_course.learning.submissions.notebook_cells import Notebook, find_answer
from tests.shared.submission_cases import answer_cell, notebook, question, zip_entry, zip_of, zipped

ANSWER = notebook(answer_cell("def double(n): return n + n"))

METADATA = b"""---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1815'
    :email: ada@example.org
  :created_at: 2026-01-02 03:04:05.000000000 Z
  :score: 4.0
  :results:
    tests:
    - name: ':submitters:'
      output: |
        submission_99:
          :submitters:
submission_12:
  :submitters:
  - :name: "Grace \\u0048opper"
    :sid:
    :email: grace@example.org
  - :name: 'Alan O''Turing'
    :sid: '1912'
"""

# label, files, layout, {learner: files of theirs}
LAYOUTS = [
    (
        "a folder for each learner",
        {"ada/02.ipynb": ANSWER, "bob/deep/er/02.ipynb": ANSWER, "bob/03.ipynb": ANSWER},
        "a folder for each learner",
        {"ada": 1, "bob": 2},
    ),
    (
        "nbgrader",
        {"submitted/ada/ps1/02.ipynb": ANSWER, "submitted/ada/ps1/timestamp.txt": b"2026-01-02 03:04:05.123 UTC",
         "submitted/bob/ps1/02.ipynb": ANSWER, "release/ps1/02.ipynb": ANSWER},
        "nbgrader",
        {"ada": 2, "bob": 1},
    ),
    (
        "Canvas",
        {"lovelaceada_340934_208490284_02_naive_bpe.ipynb": ANSWER,
         "lovelaceada_340934_208490290_02_naive_bpe-1.ipynb": ANSWER,
         "turingalan_LATE_340935_208490285_my work.ipynb": ANSWER,
         "hoppergrace_340936_208490286_work.zip": zipped({"02.ipynb": ANSWER}),
         "anonymous_a1B2c_208490287_02_naive_bpe.ipynb": ANSWER},
        "Canvas",
        {"lovelaceada_340934": 2, "turingalan_340935": 1, "hoppergrace_340936": 1, "anonymous_a1B2c": 1},
    ),
    (
        "Moodle",
        {"Ada Lovelace_123456_assignsubmission_file_/02.ipynb": ANSWER,
         "José Maria_Nu\u0301n\u0303ez_123457_assignsubmission_file/x/02.ipynb": ANSWER,
         "Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html": b"<p>see file</p>"},
        "Moodle",
        {"Ada Lovelace_123456": 2, "José Maria_Núñez_123457": 1},
    ),
    (
        "Gradescope",
        {"assignment_9100_export/submission_metadata.yml": METADATA,
         "assignment_9100_export/submission_11/02.ipynb": ANSWER,
         "assignment_9100_export/submission_12/02.ipynb": ANSWER,
         "assignment_9100_export/submission_13/02.ipynb": ANSWER},
        "Gradescope",
        {"1815": 1, "grace@example.org": 1, "1912": 1, "submission_13": 1},
    ),
    (
        "one flat folder",
        {"ada_02_naive_bpe.ipynb": ANSWER, "bob-02_naive_bpe-1.ipynb": ANSWER, "bob-03_split.ipynb": ANSWER,
         "carol.ipynb": ANSWER, "dan.zip": zipped({"02.ipynb": ANSWER}), "marks.csv": b"",
         "e_v_e_02_naive_bpe.ipynb": ANSWER},
        "a flat folder",
        {"ada": 1, "bob": 2, "carol": 1, "dan": 1, "e_v_e": 1},
    ),
    (
        "clones",
        {"hw1-ada/.git/HEAD": b"", "hw1-ada/.git/02.ipynb": ANSWER, "hw1-ada/02.ipynb": ANSWER,
         "hw1-al-b/.git/config": b"", "hw1-al-b/week/02.ipynb": ANSWER, "README.md": b""},
        "Git clones",
        {"ada": 1, "al-b": 1},
    ),
]  # fmt: skip


def both(submission: Submission) -> tuple[list[Notebook], list[str]]:
    """Return the notebooks of a submission, and what is said about its files."""
    reading = submission.read()
    return reading.notebooks, reading.problems


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize(("label", "files", "layout", "wanted"), LAYOUTS, ids=[label for label, *_ in LAYOUTS])
def test_every_layout_gives_each_learner_their_own(tmp_path: Path, label, files, layout, wanted, as_zip) -> None:
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip))
    assert found.layout == layout, label
    assert {one.owner.id: len(one.members) for one in found.submissions} == wanted
    for submission in found.submissions:
        notebooks, problems = both(submission)
        assert notebooks
        problems = [problem for problem in problems if not problem.startswith("git names no commit")]
        said = ["handed in late, according to the name of the file"] if submission.owner.late else []
        if any("onlinetext" in member.path for member in submission.members):
            said.append("not graded, because only notebooks are: onlinetext.html")
        assert problems == said


def laid(folder: Path, files: dict[str, bytes], *, as_zip: bool = False) -> Path:
    if as_zip:
        (folder / "class.zip").write_bytes(zipped(files))
        return folder / "class.zip"
    for name, data in files.items():
        path = folder / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "class"


def test_people_have_the_names_that_the_platform_knows(tmp_path: Path) -> None:
    known, _ = read_gradescope(METADATA.decode())
    assert [(one.first_name, one.last_name, one.email) for one in known["submission_12"]] == [
        ("Grace Hopper", "", "grace@example.org"),
        ("Alan O'Turing", "", ""),
    ]
    assert "submission_99" not in known
    moodle = read_submissions(laid(tmp_path, dict(LAYOUTS[3][1]), as_zip=True)).submissions[0].owner
    assert (moodle.first_name, moodle.last_name) == ("Ada Lovelace", "")


def dated(files: dict[str, tuple[int, ...]]) -> bytes:
    """Return a zip of notebooks that were last changed at these times."""
    return zip_of(*(zip_entry(name, ANSWER, date_time=(*when, 0, 0, 0)[:6]) for name, when in files.items()))


MOODLE = "{} L_{}_assignsubmission_file_/02.ipynb"
EARLY, LATER, LATEST = (2026, 1, 2, 3), (2026, 1, 9, 23, 59), (2026, 1, 10)
# label, files of a zip and their times, {learner: when, in the zone of this machine}
TIMES = [
    ("the newest", {"ada/02.ipynb": LATER, "ada/x.zip": LATEST, "ada/x.py": (2027, 1, 1), "bob/a.ipynb": EARLY},
     {"ada": LATEST, "bob": EARLY}),
    ("no time", {"ada/02.ipynb": (1980, 1, 1), "bob/02.ipynb": (2026, 0, 0), "eve/02.ipynb": EARLY},
     {"ada": "", "bob": "", "eve": EARLY}),
    ("Moodle", {MOODLE.format("Ada", 1): EARLY, MOODLE.format("Bob", 2): LATER}, {"Ada L_1": EARLY, "Bob L_2": LATER}),
    ("Canvas", {"ada_1_20001_02.ipynb": EARLY, "bob_LATE_2_20002_02.ipynb": LATER}, {"ada_1": EARLY, "bob_2": LATER}),
    ("the time of a download", {MOODLE.format("Ada", 1): EARLY, MOODLE.format("Bob", 2): (*EARLY, 9)},
     {"Ada L_1": "", "Bob L_2": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("label", "files", "wanted"), TIMES, ids=[label for label, *_ in TIMES])
def test_a_zip_says_when(tmp_path: Path, label, files, wanted) -> None:
    (tmp_path / "class.zip").write_bytes(dated(files))
    found = {one.owner.id: one.handed_in for one in read_submissions(tmp_path / "class.zip").submissions}
    assert found.keys() == wanted.keys(), label
    for name, when in wanted.items():
        assert bool(found[name]) == bool(when)
        if when:
            assert datetime.fromisoformat(found[name]) == datetime(*when).astimezone()


def test_folders_and_metadata_say_when(tmp_path: Path) -> None:
    stamp = b"2026-01-02 03:04:05.123 UTC"
    files = {"ada/02.ipynb": ANSWER, "ada/x/timestamp.txt": stamp, "ada/x.pdf": b""}
    folder = laid(tmp_path, {f"{place}/{name}": data for name, data in files.items() for place in "ab"})
    for path in folder.rglob("*"):
        os.utime(path, (0, 2_000_000_000 if path.suffix == ".pdf" else 1_000_000_000))
    (ada,) = read_submissions(folder / "a").submissions
    assert ada.handed_in == "2001-09-09T01:46:40+00:00"
    # Only nbgrader's own note counts, in nbgrader's folder.
    (folder / "a").rename(folder / "submitted")
    (ada,) = read_submissions(folder / "submitted").submissions
    assert ada.handed_in == "2026-01-02T03:04:05+00:00"
    made = dict(LAYOUTS[4][1])
    (tmp_path / "g").mkdir()
    people = {one.owner.id: one for one in read_submissions(laid(tmp_path / "g", made, as_zip=True)).submissions}
    assert people["1815"].handed_in == "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize("days", [("02", "05"), ("05", "02")])
def test_of_two_submissions_the_later_time_counts(tmp_path: Path, days: tuple[str, str]) -> None:
    metadata = "".join(
        f"submission_{number}:\n  :submitters:\n  - :name: Ada\n    :sid: '1815'\n"
        f"  :created_at: 2026-01-{day} 03:04:05.0 Z\n"
        for number, day in enumerate(days)
    )
    files = {f"a/submission_{number}/02.ipynb": ANSWER for number in range(2)}
    folder = laid(tmp_path, {"a/submission_metadata.yml": metadata.encode(), **files}, as_zip=False)
    (ada,) = read_submissions(folder / "a").submissions
    assert (ada.owner.id, ada.handed_in) == ("1815", "2026-01-05T03:04:05+00:00")


def test_one_clone_among_folders_is_asked_too(tmp_path: Path) -> None:
    files = {"a/ada/.git/HEAD": b"", "a/ada/02.ipynb": ANSWER, "a/bob/02.ipynb": ANSWER}
    ada, bob = read_submissions(laid(tmp_path, files, as_zip=False) / "a").submissions
    assert ada.problems == ("git names no commit of its notebooks, so the time of the files counts",)
    assert bob.problems == ()


@pytest.mark.skipif(os.name != "posix" or shutil.which("git") is None, reason="git and a shell")
def test_a_clone_says_when_its_notebook_was_committed_and_runs_nothing(tmp_path: Path, monkeypatch) -> None:
    folder = laid(tmp_path, {f"hw1-{name}/week/ü [1].ipynb": ANSWER for name in ("ada", "bob", "eve")})

    def git(name: str, *words: str, when: str = "") -> None:
        at = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **at, "GIT_COMMITTER_DATE": when}
        subprocess.run(["git", *words], cwd=folder / name, env=environment, check=True, capture_output=True)

    for name in ("hw1-ada", "hw1-bob", "hw1-eve"):
        git(name, "init", "-b", "main")
        git(name, "add", ".")
        git(name, "commit", "-m", "a", when="2026-01-02T03:04:05+02:00")
        (folder / name / "notes.ipynb.txt").write_bytes(b"")
        git(name, "add", ".")
        git(name, "commit", "-m", "b", when="2026-03-04T03:04:05+02:00")
    git("hw1-ada", "gc")
    # In eve's clone git would fetch what is missing, by a program that the clone names.
    ran = tmp_path / "ran"
    for key, value in {"url": ".", "promisor": "true", "uploadpack": f"touch {ran};"}.items():
        git("hw1-eve", "config", f"remote.origin.{key}", value)
    for path in (folder / "hw1-eve" / ".git" / "objects").glob("??"):
        shutil.rmtree(path)
    found = {one.owner.id: one for one in read_submissions(folder).submissions}
    assert found["ada"].handed_in == found["bob"].handed_in == "2026-01-02T03:04:05+02:00"
    assert found["ada"].problems == ()
    assert found["eve"].problems == ("git names no commit of its notebooks, so the time of the files counts",)
    assert found["eve"].handed_in > "2026-01-03"
    assert not ran.exists()
    with pytest.raises(subprocess.CalledProcessError):
        git("hw1-eve", "log", "-1")
    assert ran.exists()
    monkeypatch.setenv("PATH", "")
    assert "so the time of the files counts" in read_submissions(folder).submissions[0].problems[0]


@pytest.mark.parametrize(
    ("files", "as_zip", "wanted"),
    [
        ({"class_a/ada/02.ipynb": ANSWER, "class_a/bob/02.ipynb": ANSWER}, True, ["ada", "bob"]),
        ({"ada/02_naive_bpe/a.ipynb": ANSWER, "ada/week1/a.ipynb": ANSWER}, False, ["ada"]),
        ({"x/hw1/ada/02.ipynb": ANSWER, "x/hw1/bob/a/02.ipynb": ANSWER, "README.md": b""}, False, ["ada", "bob"]),
        ({"hw1/hw1-ada/.git/HEAD": b"", "hw1/hw1-ada/02.ipynb": ANSWER, "hw1/hw1-bob/.git/HEAD": b"",
          "hw1/hw1-bob/02.ipynb": ANSWER, "hw1/hw1-eve/.git/HEAD": b"", "hw1/hw1-eve/.git/x": b"",
          "marks/gradebook.sqlite": b""}, False, ["ada", "bob", "eve"]),
        ({"x/ada_02_naive_bpe.ipynb": ANSWER, "x/bob_02_naive_bpe.ipynb": ANSWER}, True, ["ada", "bob"]),
        ({"x/ada.zip": zipped({"a.ipynb": ANSWER}), "x/bob.zip": b""}, False, ["ada", "bob"]),
        ({"ada/ps1/a.ipynb": ANSWER, "ada/ps2/a.ipynb": ANSWER, "bob/ps1/a.ipynb": ANSWER}, False, ["ada", "bob"]),
        ({"ada/ada_1/a.ipynb": ANSWER, "bob/b_1/a.ipynb": ANSWER, "eve/x/b.ipynb": ANSWER, "eve/y/b.ipynb": ANSWER},
         False, ["ada", "bob", "eve"]),
        ({"02_naive_bpe.ipynb": ANSWER}, False, ["class"]),
    ],
)  # fmt: skip
def test_a_folder_around_everything(tmp_path: Path, files, as_zip, wanted) -> None:
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip), ["02_naive_bpe", "week1"])
    assert [one.owner.id for one in found.submissions] == wanted


INSIDE = [
    "{}/02.ipynb",
    "{}.zip",
    "{}_02_naive_bpe.ipynb",
    "{}_1_20001_02.ipynb",
    "{} L_1_assignsubmission_file_/02.ipynb",
]


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize("inside", INSIDE)
def test_sections_of_a_class_are_refused(tmp_path: Path, inside, as_zip) -> None:
    learners = [("A", "ada"), ("A", "bob"), ("B", "eve")]
    files = {f"x/{section}/{inside.format(learner)}": ANSWER for section, learner in learners}
    with pytest.raises(GradingProblem, match=r"A, B seem to be sections of a class: the learners \(ada.*bob.*eve"):
        read_submissions(laid(tmp_path, files, as_zip=as_zip), ["02_naive_bpe"])
    (tmp_path / "y").mkdir()
    beside = {"hw1/ada/02.ipynb": ANSWER, "hw1/bob/02.ipynb": ANSWER, "notes/a.txt": b""}
    with pytest.raises(GradingProblem, match=r"hw1, notes seem to be sections"):
        read_submissions(laid(tmp_path / "y", beside, as_zip=as_zip))


# Notebooks of one learner, the one that counts last.
COUNTS = [
    ["old/02_naive_bpe", "02_naive_bpe_backup", "02_naive_bpe-Copy1", "Copy of 02_naive_bpe", "R"],
    ["02_naive_bpe_v2", "a/02_naive_bpe_v10", "zzz", "02_naive_bpe"],
    ["zzz", "work.zip/02_naive_bpe_v2", "02_naive_bpe"],
    ["ps1/R2", "ps1/R10", "ps1/02_naive_bpe"],
    ["x/02_naive_bpe", "02_naive_bpe_2"],
    ["old/zzz", "zzz_backup", "zzz-Copy1", "Copy of zzz", "R_v2", "R_v10"],
    ["zzz - Copy", "R"],
    ["backup/zzz", "R"],
]


@pytest.mark.parametrize("names", COUNTS)
def test_which_of_several_notebooks_counts(tmp_path: Path, names) -> None:
    files: dict[str, bytes] = {}
    for number, name in enumerate(names):
        book = notebook(answer_cell(f"def double(n): return {number}"))
        zip, _, inner = name.rpartition(".zip/")
        files[f"ada/{zip}.zip" if zip else f"ada/{name}.ipynb"] = zipped({f"{inner}.ipynb": book}) if zip else book
    (ada,) = read_submissions(laid(tmp_path, files, as_zip=True), ["02_naive_bpe"]).submissions
    notebooks, _ = both(ada)
    assert notebooks[-1].name == f"ada/{names[-1]}.ipynb"
    answer = find_answer(notebooks, question())
    assert answer.source == f"def double(n): return {len(names) - 1}"
    assert f"{len(names)} different answers were handed in; this one counts, from {notebooks[-1].name}" in answer.notes


def test_the_output_of_an_earlier_run_is_not_a_submission(tmp_path: Path) -> None:
    files = {"ada/02.ipynb": ANSWER, "marks/gradebook.sqlite": b"", "marks/ada/report.html": b""}
    found = read_submissions(laid(tmp_path, files))
    assert [one.owner.id for one in found.submissions] == ["ada"]
    assert found.refusals == [Refusal("marks/", "holds the marks of an earlier run, and no notebook")]


def test_a_learner_with_an_empty_folder_is_still_a_learner(tmp_path: Path) -> None:
    folder = laid(tmp_path, {"bob/02.ipynb": ANSWER})
    (folder / "carol").mkdir()
    _, carol = read_submissions(folder).submissions
    assert both(carol) == ([], ["no notebook was handed in"])


PDF = b"%PDF"
# label, files without a notebook next to ada's, {learner: the text of the row}
WITHOUT_NOTEBOOK = [
    ("a flat folder", {"ada_02_naive_bpe.ipynb": ANSWER, "bob_02_naive_bpe.html": PDF, "eve.pdf": PDF,
                       "dan_02_naive_bpe.ipynb.txt": PDF, "ada_notes.pdf": PDF, "marks.csv": PDF, "README.md": PDF},
     {"bob": "only", "eve": "only", "dan": "only"}),
    ("Gradescope", {"submission_metadata.yml": METADATA, "submission_11/02.ipynb": ANSWER},
     {"grace@example.org": "no notebook", "1912": "no notebook"}),
    ("zips in a folder", {"ada.zip": zipped({"02.ipynb": ANSWER}), "bob.zip": zipped({"src/a.py": PDF})},
     {"bob": "only a.py"}),
    ("zips in zips", {"ada/x.zip": zipped({"02.ipynb": ANSWER}), "bob/x.zip": zipped({"y.zip": zipped({"a.py": PDF})})},
     {"bob": "only a.py"}),
]  # fmt: skip


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize(("label", "files", "wanted"), WITHOUT_NOTEBOOK, ids=[label for label, *_ in WITHOUT_NOTEBOOK])
def test_every_person_of_a_delivery_is_a_learner(tmp_path: Path, label, files, wanted, as_zip) -> None:
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip), ["02_naive_bpe"])
    read = {one.owner.id: both(one) for one in found.submissions}
    without = {name: problems for name, (notebooks, problems) in read.items() if not notebooks}
    assert without.keys() == wanted.keys(), label
    for name, says in wanted.items():
        assert says in " ".join(without[name])
    assert found.refusals == []


# Where the work of the learner "p7" is in each delivery, by its number and its file.
PLACES = {
    "Canvas": "p{0}_{0}_2000{0}_{1}", "Moodle": "P p{0}_{0}_assignsubmission_file_/{1}",
    "Gradescope": "submission_{0}/{1}", "nbgrader": "submitted/p{0}/ps1/{1}",
    "a flat folder": "p{0}_{1}", "a folder for each learner": "p{0}/{1}",
}  # fmt: skip


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize("layout", PLACES)
def test_whatever_is_handed_in_its_learner_has_a_row_that_names_it(tmp_path: Path, layout, as_zip) -> None:
    names = [f"02_naive_bpe{suffix}" for suffix in (".ipynb", ".py", ".ipynb.txt", ".pdf", ".html", ".csv", "")]
    names = names[:-2] if layout == "a flat folder" else names  # a table may be about the class
    files = {PLACES[layout].format(number, name): ANSWER for number, name in enumerate(names)}
    if layout == "Gradescope":
        people = "submission_{0}:\n  :submitters:\n  - :name: P p{0}\n    :sid: p{0}\n"
        files["submission_metadata.yml"] = "".join(people.format(number) for number in range(len(names))).encode()
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip), ["02_naive_bpe"])
    assert (found.layout, found.refusals, len(found.submissions)) == (layout, [], len(names))
    for one, name in zip(found.submissions, names):
        notebooks, problems = both(one)
        assert bool(notebooks) == (not problems) == name.endswith(".ipynb")
        assert not problems or (
            problems[0].startswith("no notebook was handed in, only ") and problems[0].endswith(name)
        )


def test_a_file_that_belongs_to_nobody_is_named(tmp_path: Path) -> None:
    files = {"ada/02.ipynb": ANSWER, "bob.ipynb.txt": b"", "scores.csv": b""}
    found = read_submissions(laid(tmp_path, files))
    assert found.refusals == [Refusal("bob.ipynb.txt", "is not in the folder of a learner")]


def test_work_next_to_a_notebook_that_is_not_graded_is_named(tmp_path: Path) -> None:
    files = dict.fromkeys(["ada/a.py", "ada/b.ipynb.txt", "ada/data.json", "ada/my_tokenizer.py"], b"")
    (ada,) = read_submissions(laid(tmp_path, {"ada/02.ipynb": ANSWER, **files}, as_zip=True)).submissions
    assert ada.read().problems == ["not graded, because only notebooks are: a.py, b.ipynb.txt"]


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_a_learner_whose_folder_is_a_link_or_a_pipe_is_reported(tmp_path: Path) -> None:
    folder = laid(tmp_path, {"ada/02.ipynb": ANSWER})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "02.ipynb").write_bytes(ANSWER)
    (folder / "bob").symlink_to(outside)
    os.mkfifo(folder / "carol")
    os.mkfifo(folder / "ada" / "pipe.ipynb")
    found = {one.owner.id: both(one) for one in read_submissions(folder).submissions}
    assert len(found["ada"][0]) == 1
    assert "pipe.ipynb is not an ordinary file" in found["ada"][1][0]
    assert found["bob"] == ([], ["bob is a link, which is not followed"])
    assert found["carol"][0] == []
    assert "not an ordinary file" in found["carol"][1][0]


HOSTILE_WORK = [
    ("a notebook that is none", zipped({"02.ipynb": b"[" * 100_000}), "nested too deeply"),
    ("zips in zips", zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": b""})})})}), "a zip in a zip"),
    ("a thousand notebooks", zipped({f"{n}.ipynb": b'{"cells": []}' for n in range(1000)}), "more than 100 notebooks"),
]


@pytest.mark.parametrize(("label", "work", "why"), HOSTILE_WORK, ids=[label for label, *_ in HOSTILE_WORK])
def test_a_hostile_zip_in_a_learners_folder_costs_only_that_learner(tmp_path: Path, label, work, why) -> None:
    files = {"eve/work.zip": work, "eve/02.ipynb": ANSWER, "bob/02.ipynb": ANSWER}
    bob, eve = read_submissions(laid(tmp_path, files)).submissions
    assert len(bob.read().notebooks) == 1
    assert bob.read().problems == []
    notebooks, problems = both(eve)
    assert any(one.name == "eve/02.ipynb" for one in notebooks), label
    assert any(why in problem for problem in problems), problems


def test_hostile_entries_of_the_bulk_zip_affect_only_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    path.write_bytes(zip_of(
        zip_entry("bob/02.ipynb", ANSWER),
        zip_entry("../bob/02.ipynb", b"overwritten"),
        zip_entry("/bob/02.ipynb", b"overwritten"),
        zip_entry("eve/../bob/02.ipynb", b"overwritten"),
        zip_entry("eve/02.ipynb", b"/etc/passwd", stat.S_IFLNK | 0o777),
    ))  # fmt: skip
    found = read_submissions(path)
    work = {one.owner.id: both(one) for one in found.submissions}
    assert set(work) == {"bob", "eve"}
    assert len(work["bob"][0]) == 1
    assert work["bob"][1] == []
    assert len(work["eve"][1]) == 2
    assert {one.path for one in found.refusals} == {"../bob/02.ipynb", "/bob/02.ipynb"}


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda folder: folder / "nowhere", GradingProblem, "does not exist"),
        (lambda folder: folder, GradingProblem, "holds no notebooks"),
        (
            lambda folder: laid(folder, {"a.zip/x": b""}, as_zip=True).rename(folder / "e.zip"),
            GradingProblem,
            "Expected:",
        ),
        (lambda folder: Path(__file__), UnreadableSubmission, "not a readable zip archive"),
    ],
    ids=["missing", "empty", "nobody's", "no archive"],
)
def test_nothing_to_grade_says_what_is_wanted(tmp_path: Path, make, error, says) -> None:
    path = make(tmp_path)
    if path.name == "e.zip":
        path.write_bytes(zipped({"notes.txt": b""}))
    with pytest.raises(error, match=says):
        read_submissions(path)


# ----------------------------------------------------------------------------------------------------
# Learners who try to be another learner, or to keep the grader busy

BOB = b"submission_1:\n  :submitters:\n  - :name: Bob\n    :sid: bob\n"
TAKING_OVER = {
    "metadata of Gradescope": {"eve/submission_metadata.yml": BOB, "eve/submission_1/02.ipynb": ANSWER},
    "a folder of nbgrader": {"eve/submitted/bob/ps1/02.ipynb": ANSWER},
    "a folder of Moodle": {"eve/Bob_5_assignsubmission_file_/02.ipynb": ANSWER},
    "names of Canvas": {"eve/bob_5_12345_02.ipynb": ANSWER},
}


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize("name", TAKING_OVER)
def test_no_learner_can_take_over_another_by_file_names(tmp_path: Path, name, as_zip) -> None:
    files = {"ada/02.ipynb": ANSWER, "bob/02.ipynb": ANSWER, **TAKING_OVER[name]}
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip))
    assert found.layout == "a folder for each learner"
    assert [(one.owner.id, len(one.read().notebooks)) for one in found.submissions] == [
        ("ada", 1),
        ("bob", 1),
        ("eve", 1),
    ]


def test_a_single_learner_cannot_become_another_by_a_folder_name(tmp_path: Path) -> None:
    with pytest.raises(GradingProblem, match=r"folder eve/submitted.*if it is a learner's"):
        read_submissions(laid(tmp_path, {"eve/submitted/bob/ps1/02.ipynb": ANSWER}))
    work = {"class/eve/submission_metadata.yml": BOB, "class/eve/submission_1/02.ipynb": ANSWER}
    (tmp_path / "zip").mkdir()
    assert "bob" not in [
        one.owner.id for one in read_submissions(laid(tmp_path / "zip", work, as_zip=True)).submissions
    ]


def test_an_ambiguous_folder_called_submitted_is_refused(tmp_path: Path) -> None:
    files = {"submitted/ada/ps1/02.ipynb": ANSWER, "slides/02.ipynb": ANSWER}
    with pytest.raises(GradingProblem, match="folder submitted next to slides"):
        read_submissions(laid(tmp_path, files))


def test_a_shared_student_id_does_not_merge_two_learners() -> None:
    people = [
        ("Bob", "1912", "bob@example.org"),
        ("Eve", "1912", "eve@example.org"),
        ("Ada", "1815", "ada@example.org"),
    ]
    text = "".join(
        f"submission_{at}:\n  :submitters:\n  - :name: {name}\n    :sid: '{sid}'\n    :email: {email}\n"
        for at, (name, sid, email) in enumerate(people)
    )
    owners = [owner.id for (owner,) in read_gradescope(text)[0].values()]
    assert owners == ["bob@example.org", "eve@example.org", "1815"]


def test_damaged_files_count_towards_the_limit(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(intake, "MOST_BYTES", 50_000)
    damaged = bytearray(zipped({f"{n}.ipynb": bytes(10_000) for n in range(100)}))
    for at in [found.start() for found in re.finditer(b"PK\1\2", damaged)]:
        damaged[at + 16 : at + 20] = b"\1\2\3\4"  # the checksum
    (eve,) = read_submissions(laid(tmp_path, {"eve/work.zip": bytes(damaged)})).submissions
    problems = eve.read().problems
    assert 3 < sum("is damaged" in problem for problem in problems) < 7
    assert "the others were not read" in problems[-1]


@pytest.mark.parametrize(
    ("module", "limit", "most", "why"),
    [
        (intake, "MOST_NOTEBOOKS", 1, "more than 1 notebooks; the others"),
        (intake, "MOST_BYTES", 1 << 20, "more than 1 MB; the others"),
        (intake, "MOST_CODE", 9, "more than 9 characters of code; the others"),
        (intake, "MOST_ENTRIES", 1, "more than 1 files in zip files; the others"),
        (notebook_cells, "MOST_CODE", 9, "cells left out: 1, because more than 9 characters"),
        (notebook_cells, "LARGEST_NOTEBOOK", 1 << 20, "has 2 MB; more than 1 MB are not read. Clear"),
        (archives, "LARGEST_NOTEBOOK", 1 << 20, "has 2 MB; more than 1 MB are"),
        (archives, "LARGEST_ARCHIVE", 1 << 10, "work.zip has 0 MB; more than 0 MB"),
        (archives, "MOST_UNPACKED", 1 << 20, "would unpack to 4 MB; more than 1 MB"),
    ],
)
def test_what_is_over_a_limit_is_not_graded_and_the_limit_is_named(tmp_path, monkeypatch, module, limit, most, why):
    large = ANSWER.ljust(2 << 20)
    work = {"ada/work.zip": zipped({"a.ipynb": large, "b.ipynb": large})}
    (ada,) = read_submissions(laid(tmp_path, work)).submissions
    assert [len(ada.read().notebooks), ada.read().unread] == [2, []]
    monkeypatch.setattr(module, limit, most)
    reading = ada.read()
    assert any(why in each for each in reading.unread), reading.unread
    assert set(reading.unread) <= set(reading.problems)


def test_the_files_of_one_learner_are_read_at_a_time() -> None:
    alone: list[bool] = []
    busy = threading.Lock()

    def read() -> bytes:
        alone.append(busy.acquire(blocking=False))
        time.sleep(0.05)
        if alone[-1]:
            busy.release()
        return ANSWER

    work = [Submission(Owner(str(number)), (Member(f"{number}.ipynb", 1, read),)) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(Submission.read, work))) == 4
    assert alone == [True] * 4


def test_any_error_while_reading_is_reported() -> None:
    def stumble() -> bytes:
        raise LookupError("nobody has thought of this")

    found = Submission(Owner("eve"), (Member("eve/a.ipynb", 1, stumble), Member("eve/b.ipynb", 1, lambda: ANSWER)))
    assert [len(part) for part in both(found)] == [1, 1]
    assert "eve/a.ipynb could not be read (LookupError)" in found.read().problems


def test_a_renamed_notebook_among_others_is_graded_with_a_note(tmp_path: Path) -> None:
    names = ["ada_02_naive_bpe.ipynb", "bob_my work.ipynb", "eve_02_naive_bpe.ipynb", "eve.ipynb"]
    found = read_submissions(laid(tmp_path, dict.fromkeys(names, ANSWER)), ["02_naive_bpe"])
    read = {one.owner.id: both(one) for one in found.submissions}
    assert {name: len(notebooks) for name, (notebooks, _) in read.items()} == {"ada": 1, "bob_my work": 1, "eve": 2}
    assert read["ada"][1] == read["eve"][1] == []
    (problem,) = read["bob_my work"][1]
    assert "bob_my work.ipynb: not named like a notebook" in problem


# Names of files that teachers and systems give, and the learners whose they are.
NAMED = [
    ("the notebook first", ["02_naive_bpe_ada", "02_naive_bpe-bob", "02_naive_bpe Eve L", "02_naive_bpe_1001"],
     ["1001", "Eve L", "ada", "bob"]),
    ("a teacher's notebook first", ["week1_ada", "week1_bob", "week1-bob-1"], ["ada", "bob", "bob-1"]),
    ("numbers of attempts", ["ada", "ada-1", "ada (2)", "bob", "bob_1", "eve", "eve-Copy1", "eve copy"],
     ["ada", "bob", "eve"]),
    ("a folder for each notebook", ["02_naive_bpe/ada/02", "02_naive_bpe/bob/02", "week1/ada/x", "week1/eve"],
     ["ada", "bob", "eve"]),
]  # fmt: skip


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize(("label", "names", "wanted"), NAMED, ids=[label for label, *_ in NAMED])
def test_learners_who_are_told_apart_by_names_of_files(tmp_path: Path, label, names, wanted, as_zip) -> None:
    files = {f"{name}.ipynb": ANSWER for name in names}
    found = read_submissions(laid(tmp_path, files, as_zip=as_zip), ["02_naive_bpe", "week1"])
    assert [one.owner.id for one in found.submissions] == wanted, label
