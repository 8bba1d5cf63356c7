"""After grading: appeals, a teacher's word, late work, two graders, and reports that follow the present."""

from __future__ import annotations

import csv
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from minbpe_course.cli.main import main
from minbpe_course.learning.grading import gradebook
from minbpe_course.learning.grading.gradebook import LOCK, Gradebook
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.judge import PRACTICE_SEED, cases_of
from minbpe_course.learning.judge.right_helpers import right_cells
from tests.shared.teachers_folder import ASKED, RANDOM, RIGHT, SEED, WRONG, Homework, write_exercise

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]


class Class(Homework):
    """A teacher's folder with an assignment, the answers of a class, and the folder of marks."""

    def hand_in(
        self, learner: str, *, at: str = "2026-10-12T11:59:59+00:00", folder: Path | None = None, **answers: str
    ) -> None:
        """Write the notebook of a learner: the released one, with these answers by the names of their questions."""
        place = (folder or self.work) / learner
        place.mkdir(parents=True, exist_ok=True)
        (place / "hw1.ipynb").write_bytes(self.notebook(**answers))
        os.utime(place / "hw1.ipynb", (datetime.fromisoformat(at).timestamp(),) * 2)

    def scores(self) -> dict[str, str]:
        """Return the score of each learner."""
        return {learner: f"{row['score']} of {row['max_score']}" for learner, row in self.table().items()}

    def summary(self) -> str:
        return (self.out / "summary.html").read_text(encoding="utf-8")

    def stored(self) -> list[str]:
        with closing(sqlite3.connect(self.out / "gradebook.sqlite")) as base:
            return list(base.iterdump())


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    monkeypatch.delenv("MINBPE_COURSE_SEED", raising=False)
    return Class(tmp_path)


def test_a_teachers_word_counts_more_than_the_graders_until_it_is_undone(room: Class) -> None:
    room.hand_in("ada", twice=WRONG, again=RIGHT, why="Because.")
    (room.work / "bob").mkdir()
    room.hand_in("eve")
    said = room.grade()
    assert "To be marked by hand: 1. For each: --set LEARNER KEY POINTS, or all: --export written" in said
    assert "Learners with something odd about their files: 1." in said
    assert room.scores() == {"ada": " of 12.0", "bob": " of 12.0", "eve": "0.0 of 12.0"}
    by_tina = ("--comment", "<well> put", "--by", "Tina")
    assert "hw1.why: 5.5 of 6 points (before: not marked)" in room.run("--set", "ada", "hw1.why", 5.5, *by_tina)
    assert "0.5 of 2 points (before: 0 of 2 points)" in room.run("--set", "eve", "week1.twice", 0.5, *by_tina)
    for learner, key, points in (("ada", "week1.twice", 1.5), ("bob", "week1.again", 4)):
        room.run("--set", learner, key, points, *by_tina)
    changed = {"ada": "11.0 of 12.0", "bob": "4.0 of 12.0", "eve": "0.5 of 12.0"}
    assert room.scores() == {**changed, "bob": " of 12.0"}, "nothing was handed in, and two questions have no points"
    for key in ("week1.twice", "hw1.why"):
        room.run("--set", "bob", key, 0)
    room.run("--set", "ada", "week1.twice", 1.5, "--by", "Tina")
    assert room.scores() == changed
    assert "Tina gave 1.5 of 2 points; the grader gave 0: &lt;well&gt; put" in room.report("ada")
    assert "Tina gave 5.5 of 6 points: &lt;well&gt; put" in room.report("ada")
    # Kept when all is graded again, and when the answer has changed.
    room.hand_in("ada", twice=RIGHT, again=RIGHT, why="Because of it.")
    room.grade()
    assert room.scores() == changed
    assert "Tina gave 1.5 of 2 points; the grader gave 2" in room.report("ada")
    for learner, key in (("ada", "week1.twice"), ("bob", "week1.again")):
        room.run("--set", learner, key, "graded")
    assert room.scores() == {"ada": "11.5 of 12.0", "bob": " of 12.0", "eve": "0.5 of 12.0"}
    assert "week1.twice" in room.report("ada")
    assert "Tina gave 1.5" not in room.report("ada")
    assert "Type a number from 0 to 2, or graded" in room.run("--set", "ada", "week1.twice", 3, code=2)


def test_a_penalty_has_an_end_is_in_every_file_and_the_due_date_may_be_moved(room: Class) -> None:
    room.hand_in("bob", twice=RIGHT, again=RIGHT, at="2026-10-14T12:00:01+02:00")  # noon in Greenwich is 14:00
    room.hand_in("eve", twice=RIGHT, again=RIGHT, at="2026-12-24T12:00:00+00:00")
    room.grade()
    assert room.scores() == {"bob": "4.8 of 12.0", "eve": "0.0 of 12.0"}
    row = room.table()["bob"]
    assert [row[one] for one in ("raw_score", "late_submission_penalty", "score")] == ["6.0", "1.2", "4.8"]
    assert "costs 1.2 points" in (room.out / "bob" / "results.json").read_text(encoding="utf-8")
    assert "4.8 of 6" in re.sub("<[^>]+>", "", room.summary())
    room.grade("--late", "2026-10-20T12:00:00Z")
    assert room.scores() == {"bob": "6.0 of 12.0", "eve": "0.0 of 12.0"}
    # Without --late it is the date of the file again.
    for moved, score in (((), "4.8"), (("--late", "2026-10-13T12:00:00Z"), "5.4")):
        room.run("--assignment", room.file, *moved)
        assert room.scores()["bob"] == f"{score} of 12.0"


def test_the_reports_follow_the_present(room: Class) -> None:
    for name in ("ada", "bob", "eve", "zoe"):
        room.hand_in(name, twice=RIGHT, again=RIGHT)
    room.grade()
    assert room.scores() == dict.fromkeys(("ada", "bob", "eve", "zoe"), "6.0 of 12.0")
    room.run("--drop", "zoe")
    assert "zoe" not in room.summary()
    room.run("--restore", "zoe")
    assert room.scores()["zoe"] == "6.0 of 12.0"
    # A folder that is gone, a notebook that is gone, and points that have changed; hints and titles change no mark.
    shutil.rmtree(room.work / "bob")
    shutil.rmtree(room.work / "zoe")
    (room.work / "eve" / "hw1.ipynb").unlink()
    for old, new in (('Say it again.",', 'Once more, please.",'), ("Double {name}", "Twice {name}")):
        write_exercise(room.home, "week1.twice", RANDOM.replace(old, new))
    room.asks(ASKED.replace("points = 4", "points = 1"))
    said = room.grade("--json")
    assert '"marked": 3, "kept": 3' in said  # marked: eve's answers are gone
    assert "not in the reports: bob, zoe" in said
    assert room.scores() == {"ada": "3.0 of 9.0", "eve": " of 9.0"}
    assert "Twice twice" in room.report("ada")
    # An exercise is renamed, another one deleted: its points leave the reports, and its marks stay in the gradebook.
    (room.home / "checks" / "week1" / "again.py").unlink()
    (room.home / "checks" / "week1" / "twice.py").unlink()
    write_exercise(room.home, "week1.two_times", RANDOM)
    room.asks('title = "H"\nquestions = ["week1.two_times"]')
    room.grade("--seed-file", room.seed)
    assert room.scores() == {"ada": " of 2.0", "eve": " of 2.0"}
    assert "its exercises are not known here" in room.report("ada")
    for page in (room.report("ada"), room.summary()):
        assert "week1.two_times" in page
        assert "week1.again" not in page
    assert any("week1.again" in line for line in room.stored())
    # A question that the assignment asks since: no score, until it is graded.
    write_exercise(room.home, "week1.twice", RANDOM)
    room.asks('title = "H"\nquestions = ["week1.two_times", "02.merge"]')
    room.run("--set", "ada", "week1.two_times", 1)
    assert room.scores()["ada"] == " of 4.0"


# ----------------------------------------------------------------------------------------------------
# Appeals


@pytest.mark.slow
def test_an_appeal_shows_the_hidden_case_and_changes_nothing(room: Class) -> None:
    room.hand_in("ada", twice="def NAME(text):\n    return text * 2 if len(text) < 3 else text + '!'", why="So.")
    room.grade()
    hidden = {one.case.args[0] for one in cases_of(catalogue.find("week1.twice"), SEED) if one.drawn}
    assert not [value for value in hidden if value in room.report("ada")]
    before, files = room.stored(), {path: path.stat().st_mtime_ns for path in room.out.rglob("*.*ml")}
    said = room.run(room.work, "--explain", "ada", "week1.twice")
    (given,) = [value for value in hidden if f"given         twice('{value}')" in said]
    assert f"wanted        '{given * 2}'" in said
    assert f"returned      '{given}!'" in said
    assert "kind of case  a secret" in said
    assert "fails         3 of 3 a secret" in said
    # A recognised mistake, in an answer that is no longer the one that was graded.
    room.hand_in("ada", twice=WRONG, why="So.")
    said = room.run(room.work, "--explain", "ada", "week1.twice")
    assert "not the answer that was graded" in said
    assert "mistake       once\n  hint          Once is not enough." in said
    for learner, key, code, says in (
        ("ada", "hw1.why", 0, "The answer:\nSo."),
        ("ada", "week1.again", 0, "Run again: not started"),
        ("adaa", "week1.twice", 2, "Near it: ada"),
        ("ada", "week1.twic", 2, "Near it: week1.twice"),
    ):
        assert says in room.run(room.work, "--explain", learner, key, code=code)
    assert room.stored() == before
    assert {path: path.stat().st_mtime_ns for path in room.out.rglob("*.*ml")} == files
    asked = ("--explain", "ada", "week1.twice")
    assert "begun with another seed" in room.run(room.work, *asked, "--seed", "another seed", code=2)
    assert "name the folder or the zip" in room.run(*asked, code=2)


def test_a_teacher_checks_on_the_drawn_cases_and_records_nothing(room: Class, capsys, monkeypatch) -> None:
    monkeypatch.delenv("MINBPE_COURSE_PROGRESS", raising=False)
    catalogue.add_collection(room.home, "")
    table = {one.case.args[0]: one.case.args[0] * 2 for one in cases_of(catalogue.find("week1.twice"), PRACTICE_SEED)}
    room.hand_in("ada", twice=f"def NAME(text):\n    return {table}.get(text, '')")
    command = ["check", str(room.work / "ada" / "hw1.ipynb"), "--only", "week1.twice", "--exercises", str(room.home)]
    assert main([*command, "--seed-file", str(room.seed)]) == 1
    assert "a secret (3 of 3 wrong)" in capsys.readouterr().out
    assert {path.name for path in (room.work / "ada").iterdir()} == {"hw1.ipynb"}
    assert main(command) == 0
    assert {path.name for path in (room.work / "ada").iterdir()} == {"hw1.ipynb", ".minbpe_course_progress.json"}


# ----------------------------------------------------------------------------------------------------
# Two graders


@pytest.fixture
def two(room: Class, tmp_path: Path, monkeypatch) -> tuple[Class, Path]:
    """A class of two graders: both have ada and bob, with different answers and words, and each has others, too."""
    theirs, folder = tmp_path / "their marks", tmp_path / "their class"
    clock = ["2026-11-01T10:00:00+00:00"]

    class Now(gradebook.datetime):
        @classmethod
        def now(cls, tz: object = None) -> Now:
            return cls.fromisoformat(clock[0])

    for module in ("gradebook", "afterwards"):
        monkeypatch.setattr(f"minbpe_course.learning.grading.{module}.datetime", Now)
    for learner in ("ada", "bob", "max"):
        room.hand_in(learner, twice=WRONG, again=RIGHT)
    room.hand_in("eve")
    for learner in ("ada", "bob", "eve", "zoe"):
        room.hand_in(learner, folder=folder, twice=RIGHT, again=WRONG)
    (folder / "max").mkdir()
    room.grade()
    clock[0] = "2026-11-02T10:00:00+00:00"
    room.grade(folder=folder, out=theirs)
    for day, out, learner, key, points, who in (
        (3, room.out, "ada", "week1.again", 1, "Tina"),
        (4, theirs, "ada", "week1.again", 3, "Tom"),
        (3, theirs, "bob", "hw1.why", 6, "Tom"),
        (4, room.out, "bob", "week1.twice", 0.5, "Tina"),
    ):
        clock[0] = f"2026-11-0{day}T10:00:00+00:00"
        room.run("--set", learner, key, points, "--by", who, out=out)
    return room, theirs


def test_texts_are_marked_in_one_table(room: Class) -> None:
    room.hand_in("ada", twice=RIGHT, why="=Because; of it.")
    room.hand_in("bob", twice=RIGHT, why="I do not know.")
    room.hand_in("eve", twice=RIGHT)
    room.grade()
    assert "Your teacher still has to mark this." in room.report("ada")
    assert "To be marked by hand: 2, each" in room.summary()
    assert "bob has no total yet: to be marked by hand; hw1.why" in room.run("--export", "csv", code=1)
    texts = room.out / "texts.csv"
    room.run("--export", "written", "--to", texts)
    head, *rows = csv.reader(texts.open(encoding="utf-8-sig"))
    assert rows == [
        ["ada", "ada", "hw1.why", "'=Because; of it.", "", ""],
        ["bob", "bob", "hw1.why", "I do not know.", "", ""],
    ]
    # As a spreadsheet of half of Europe saves it: with semicolons and decimal commas.
    filled = [["ada", "", "hw1.why", "", "5,5", "well put"], ["bob", "", "hw1.why", "", "7", ""], ["eve"]]
    texts.write_text("\n".join(";".join(row) for row in [head, *filled]), encoding="utf-8")
    said = room.run("--set-from", texts, "--by", "Tina", code=1)
    assert "ada, hw1.why: 5.5 of 6 points (before: not marked)" in said
    assert "texts.csv, row 3: '7' cannot be the points of hw1.why. Type a number from 0 to 6" in said
    assert room.scores() == {"ada": "7.5 of 12.0", "bob": " of 12.0", "eve": "2.0 of 12.0"}
    assert "Tina gave 5.5 of 6 points: well put" in room.report("ada")
    # A text that has changed since is to be read again.
    room.hand_in("ada", twice=RIGHT, why="Something else.")
    room.grade()
    assert "exists, and may hold your points" in room.run("--export", "written", "--to", texts, code=2)
    texts.unlink()
    room.run("--export", "written", "--to", texts)
    assert [row[3] for row in csv.reader(texts.open(encoding="utf-8-sig"))] == [
        "answer",
        "Something else.",
        *rows[1][3:4],
    ]


def test_an_older_delivery_replaces_no_answer(room: Class, tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    room.hand_in("ada", folder=new, at="2026-10-12T11:00:00+00:00", twice=RIGHT, why="The new text.")
    room.hand_in("ada", folder=old, at="2026-10-12T10:00:00+00:00", again=RIGHT, why="The old text.")
    for folder in (new, old, new):
        room.grade(folder=folder)
        assert "The new text." in room.report("ada")
        said = "older than what was graded before, so it did not replace it: hw1.why" in room.report("ada")
        assert said == (folder == old)
    room.run("--set", "ada", "hw1.why", 6)
    assert room.scores() == {"ada": "12.0 of 12.0"}


@pytest.mark.slow
def test_an_equal_answer_of_another_grader_keeps_the_earlier_time(room: Class, tmp_path: Path) -> None:
    late, theirs = tmp_path / "late", tmp_path / "theirs"
    room.hand_in("ada", twice=RIGHT)
    room.hand_in("ada", folder=late, at="2026-10-14T11:00:00+00:00", twice=RIGHT, again=RIGHT)
    room.grade()
    room.grade(folder=late, out=theirs)
    room.run("--merge", theirs)
    assert room.scores() == {"ada": "5.2 of 12.0"}, "the second answer alone is late"
    room.run("--merge", room.out, out=theirs)
    room.out = theirs
    assert room.scores() == {"ada": "5.2 of 12.0"}


@pytest.mark.slow
def test_a_time_that_is_not_known_is_named_and_can_be_said(room: Class, tmp_path: Path) -> None:
    room.hand_in("x", twice=RIGHT)
    zipped = tmp_path / "submissions.zip"
    with zipfile.ZipFile(zipped, "w") as made:  # the time of the download
        for name in ("lovelaceada_LATE_12_345", "bob_13_346"):
            made.write(room.work / "x" / "hw1.ipynb", f"{name}_hw1.ipynb")
    who = "not known when it was handed in, so nothing is taken off: bob_13, lovelaceada_12. To say when: --handed-in"
    assert who in room.grade(folder=zipped)
    assert room.scores()["lovelaceada_12"] == "2.0 of 12.0"
    said = room.run("--handed-in", "lovelaceada", "2026-10-13T13:00:00+00:00")  # a name that only one has
    assert "nothing is taken off: bob_13. To say" in said
    assert "nothing is taken off" not in room.run("--handed-in", "bob_13", "2026-10-12T11:00:00+00:00")
    room.grade(folder=zipped)
    assert room.scores() == {"bob_13": "2.0 of 12.0", "lovelaceada_12": "1.6 of 12.0"}
    # Of a second delivery, only the new answer has this time.
    room.hand_in("x", twice=RIGHT, again=RIGHT)
    second = tmp_path / "second.zip"
    with zipfile.ZipFile(second, "w") as made:
        made.write(room.work / "x" / "hw1.ipynb", "bob_13_347_hw1.ipynb")
    room.grade(folder=second)
    room.run("--handed-in", "bob_13", "2026-10-13T13:00:00+00:00")
    assert room.scores()["bob_13"] == "5.2 of 12.0"
    assert "'soon' is not a date" in room.run("--handed-in", "bob_13", "soon", code=2)


MERGED = {
    "ada": "5.0 of 12.0",  # twice: theirs is newer; again: Tom's word is later
    "bob": "6.5 of 12.0",  # twice: Tina's word; again: theirs is newer; why: Tom's word
    "eve": "2.0 of 12.0",  # an answer against none
    "max": "4.0 of 12.0",  # nothing was handed in there, later
    "zoe": "2.0 of 12.0",
}


def test_the_marks_of_two_graders_are_merged_and_no_word_is_lost(two: tuple[Class, Path]) -> None:
    room, theirs = two
    marks = [line for line in room.stored() if line.startswith('INSERT INTO "mark"')]
    said = room.run("--merge", theirs)
    assert "ada, week1.again: Tina gave 1, Tom 3; the later word counts\nWritten" in said
    for changed in ("zoe: 2 of 12 points (new here)", "eve: 2 of 12 points (before: 0)"):
        assert changed in said
    assert room.scores() == MERGED
    assert "Tom gave 3 of 4 points; the grader gave 0" in room.report("ada")
    assert "Tina gave 0.5 of 2 points; the grader gave 0" in room.report("bob")
    once = room.stored()
    assert {who for line in once if '"word"' in line for who in ("Tina", "Tom") if who in line} == {"Tina", "Tom"}
    assert sum(line.startswith('INSERT INTO "word"') for line in once) == 4
    # Marks that no longer count stay in the history.
    kept = {line.partition("VALUES")[2] for line in once if re.match('INSERT INTO "(mark|earlier)"', line)}
    assert {line.partition("VALUES")[2] for line in marks} <= kept
    # A second time changes nothing, and a later run grades only what is new.
    room.run("--merge", theirs)
    assert room.stored() == once
    room.hand_in("zoe", twice=RIGHT, again=WRONG)
    for path in (room.work / "max", room.work / "eve"):
        shutil.rmtree(path)
    room.grade("--json")
    assert set(room.scores()) == {"ada", "bob", "zoe"}  # "max" and "eve" were of this folder
    assert room.scores()["zoe"] == "2.0 of 12.0"


def test_a_merge_that_is_killed_has_changed_nothing(two: tuple[Class, Path]) -> None:
    room, theirs = two
    before = room.stored()
    killed = (
        "import os, sys\nfrom minbpe_course.cli.main import main\n"
        "from minbpe_course.learning.grading import gradebook\n"
        "left, insert = [int(sys.argv[1])], gradebook._insert\n"
        "def counted(*what):\n    insert(*what)\n    left[0] -= 1\n    if not left[0]: os._exit(9)\n"
        "gradebook._insert = counted\nmain(sys.argv[2:])"
    )
    merge = ["grade", "--merge", str(theirs), "--out", str(room.out)]
    for steps in (1, 6, 12, 16):  # of 16: learners, marks, earlier marks, words
        assert subprocess.run([sys.executable, "-c", killed, str(steps), *merge]).returncode == 9
        assert room.stored() == before
    room.run("--merge", theirs)
    assert room.scores() == MERGED


def test_marks_under_another_seed_are_not_merged(room: Class, tmp_path: Path) -> None:
    room.hand_in("ada", twice=RIGHT)
    room.grade()
    room.grade("--seed", "another seed", out=tmp_path / "other")
    before, other = room.stored(), tmp_path / "other"
    assert f"{other / 'gradebook.sqlite'} was begun with another seed" in room.run("--merge", other, code=2)
    assert "does not exist" in room.run("--merge", tmp_path / "none", code=2)
    room.file.write_text(ASKED.replace("seed_file", "# seed_file"), encoding="utf-8")
    assert "no seed" in room.run("--merge", other, code=2)
    assert room.stored() == before


@pytest.mark.slow
def test_every_connection_is_closed_and_no_lock_stays_behind(room: Class, monkeypatch, tmp_path: Path) -> None:
    opened: list[sqlite3.Connection] = []
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def noted(*given: object, **options: object) -> sqlite3.Connection:
        opened.append(connect(*given, **options))
        return opened[-1]

    monkeypatch.setattr(gradebook.sqlite3, "connect", noted)
    room.hand_in("ada", twice=RIGHT)
    room.grade()
    room.run("--seed", "another seed", "--assignment", room.file, room.work, code=2)
    with Gradebook(room.out, None):
        room.run("--drop", "ada", code=2)
        assert (room.out / LOCK).exists()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "gradebook.sqlite").write_bytes(b"no database" * 99)
    room.grade(out=tmp_path / "damaged", code=2)
    assert len(opened) >= 8
    for one in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            one.execute("SELECT 1")
    assert not list(tmp_path.rglob(LOCK))


def test_a_report_names_a_mistake_of_syntax_and_only_what_is_asked(room: Class, tmp_path: Path) -> None:
    wrong = "def merge(ids, pair, new_id):\n    return []"
    train = right_cells(catalogue.find("02.train_merges"), (catalogue.find("02.train_merges"),))[-1]
    written = '{written = "why", title = "Why", points = 1, text = "?"}'
    room.asks(f'title = "Homework"\nquestions = ["02.merge", "02.train_merges", {written}]\n')
    room.hand_in("ada", merge=wrong, train_merges=train, why="A text.")
    room.hand_in("bob", merge="def merge(ids, pair, new_id)\n    return ids")
    room.grade("--seed-file", room.seed)
    assert "A text." in room.report("ada")
    # count_pairs is not asked, and lent by the notebook.
    assert re.findall(r'<a href="#([\w.]+)">', room.report("ada")) == ["02.merge"]
    assert "Python cannot read a cell" in room.report("bob")
    # Of the next delivery, only what it has is news.
    (tmp_path / "next" / "ada").mkdir(parents=True)
    (tmp_path / "next" / "ada" / "essay.pdf").write_bytes(b"")
    room.grade("--seed-file", room.seed, folder=tmp_path / "next")
    assert "only essay.pdf" in room.report("ada")
    assert "the answers handed in before count" in room.report("ada")
    assert "A text." in room.report("ada")


def test_a_date_is_one_where_the_work_is_due(room: Class) -> None:
    room.asks(ASKED.replace("T12:00:00+00:00", "T12:00:00+05:30"))
    room.hand_in("ada", twice=RIGHT)
    room.grade()
    late = "handed in at 2026-10-12T18:29:59+00:00. Handed in late, by up to 1 day"
    assert late in room.run("--handed-in", "ada", "2026-10-12")
    assert "late" not in room.run("--handed-in", "ada", "2026-10-12T06:29:59Z")


def test_marks_of_another_assignment_are_not_replaced(room: Class, tmp_path: Path) -> None:
    files = [tmp_path / name / "assignment.toml" for name in ("first", "second")]
    for file in files:
        file.parent.mkdir()
        file.write_text('title = "T"\nquestions = ["02.merge"]\n', encoding="utf-8")
        assert main(["release", str(file)]) == 0
    seeded = ("--seed-file", room.seed)
    room.hand_in("ada")
    room.run(room.work, "--assignment", files[0], *seeded)
    before = room.stored()
    for asked in ((room.work, "--assignment", files[1], *seeded), ("--assignment", files[1])):
        assert f"--out {room.out}_second" in room.run(*asked, code=2)
    assert room.stored() == before


def test_an_option_that_would_do_nothing_is_refused(room: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    room.hand_in("ada", twice=RIGHT)
    room.grade()
    drop = ("--drop", "ada")
    for option, typed in (
        ("--only", (*drop, "--only", "02")),
        ("--json", (*drop, "--json")),
        ("--late", (*drop, "--late", "2026-10-12")),
        ("--explain", (*drop, "--explain", "ada", "week1.twice")),
        ("--fresh", (room.work, "--explain", "ada", "week1.twice", "--fresh")),
        ("--by", (*drop, "--by", "Tina")),
    ):
        assert f"{option} goes with" in room.run(*typed, code=2)
    assert room.scores() == {"ada": "2.0 of 12.0"}

    def unknown() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr("minbpe_course.cli.grade.getuser", unknown)
    assert "--by NAME" in room.run("--set", "ada", "week1.twice", 1, code=2)
    room.run(*drop)  # nobody has to say who leaves


def test_a_word_is_worth_no_more_than_its_question_is_now(room: Class) -> None:
    room.hand_in("ada", twice=RIGHT, why="So.")
    room.grade()
    room.run("--set", "ada", "hw1.why", 6)
    room.asks(ASKED.replace("points = 3", "points = 1"))
    room.grade()
    assert room.scores() == {"ada": "4.0 of 8.0"}


def test_a_notebook_that_is_damaged_now_takes_no_points(room: Class) -> None:
    room.hand_in("ada", twice=RIGHT)
    room.grade()
    (room.work / "ada" / "hw1.ipynb").write_bytes(b"{")
    room.grade()
    assert room.scores() == {"ada": "2.0 of 12.0"}


def test_a_merge_brings_back_who_is_missing_here_and_not_who_was_dropped(room: Class, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    for learner in ("ada", "bob"):
        room.hand_in(learner, twice=RIGHT)
    for out in (room.out, theirs):
        room.grade(out=out)
        room.run("--set", "ada", "week1.twice", 1, out=out)
    shutil.rmtree(room.work / "bob")
    room.grade()
    assert set(room.scores()) == {"ada"}
    assert "the later word counts" not in room.run("--merge", theirs), "both say the same"
    assert set(room.scores()) == {"ada", "bob"}
    room.run("--drop", "bob")
    room.run("--merge", theirs)
    assert set(room.scores()) == {"ada"}


def test_a_later_command_knows_the_folders_of_the_run(room: Class) -> None:
    room.hand_in("ada", twice=RIGHT)
    asked = ("--seed-file", room.seed, "--exercises", room.home, "--only", "week1.twice")
    room.run(room.work, *asked)
    catalogue._USED.clear()
    room.run("--set", "ada", "week1.twice", 1)
    assert room.scores() == {"ada": "1.0 of 2.0"}
