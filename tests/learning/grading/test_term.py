"""A term with forty learners and five delivery systems, whose totals are computed here by hand."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.shared.patience import PATIENCE
from tests.shared.teachers_folder import EXERCISE, RIGHT, WRONG, Homework

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

DUE = datetime(2026, 10, 12, 12, tzinfo=timezone.utc)
ASKED = """
title = "Homework"
due = 2026-10-12T12:00:00+00:00
late_penalty = 0.1
seed_file = "seed.txt"
questions = [
    {{key = "week1.twice", points = 4}},
    {flawed}{{written = "why", title = "Why", points = 3, text = "?"}},
]
[weights]
hw1 = 2
"""
FLAWED = '"week1.flawed", '
LEARNERS = range(40)
SYSTEMS = ("folder", "nbgrader", "gradescope", "canvas", "moodle")


def system_of(n: int) -> str:
    return SYSTEMS[n // 8]


def id_of(n: int) -> str:
    return {"canvas": f"learner{n:02}_{500 + n}", "moodle": f"Learner {n:02}_{500 + n}"}.get(
        system_of(n), f"learner{n:02}"
    )


def days_late(n: int) -> int:
    return n % 3


class Term(Homework):
    """The teacher's folder, what learners hand in, and what it is worth."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, EXERCISE, "twice", "flawed")
        self.root = root
        (self.home / "seed.txt").write_text("a secret of this term", encoding="utf-8")
        self.asks(ASKED.format(flawed=FLAWED))

    def work_of(self, n: int) -> bytes:
        answers = {"twice": RIGHT if n % 2 == 0 else WRONG, "flawed": RIGHT if n % 4 == 0 else WRONG}
        return self.notebook(**answers, **({"why": "Because."} if n % 5 == 0 else {}))

    def deliver(self, system: str, work: dict[int, bytes], late: int | None = None) -> Path:
        """Write a delivery of a system, as that system writes it."""
        place = self.root / f"{system}{'' if late is None else ' again'}"
        place.mkdir()
        metadata, files = "", {}
        for n, data in work.items():
            # Minutes apart, so that the times are those of learners, not of a download.
            at = DUE + timedelta(days=days_late(n) if late is None else late, minutes=20 * n - 24 * 60)
            if system == "folder":
                files[f"learner{n:02}/hw1.ipynb"] = data, at
            elif system == "nbgrader":
                files[f"submitted/learner{n:02}/hw1/hw1.ipynb"] = data, at
                files[f"submitted/learner{n:02}/hw1/timestamp.txt"] = f"{at:%Y-%m-%d %H:%M:%S} UTC".encode(), at
            elif system == "gradescope":
                files[f"submission_{n}/hw1.ipynb"] = data, at
                metadata += f"submission_{n}:\n  :submitters:\n  - :name: Learner {n}\n    :sid: learner{n:02}\n"
                metadata += f"  :created_at: {at:%Y-%m-%d %H:%M:%S}.000000000 Z\n"
            elif system == "canvas":
                again = "" if late is None else "-1"
                files[f"learner{n:02}_{500 + n}_{9000 + n + (late or 0) * 1000}_hw1{again}.ipynb"] = data, at
            else:
                files[f"Learner {n:02}_{500 + n}_assignsubmission_file_/hw1.ipynb"] = data, at
        if metadata:
            files["submission_metadata.yml"] = metadata.encode(), DUE
        if system in ("canvas", "moodle"):
            with zipfile.ZipFile(place / "download.zip", "w") as made:
                for name, (data, at) in files.items():
                    made.writestr(zipfile.ZipInfo(name, at.astimezone().timetuple()[:6]), data)
            return place / "download.zip"
        for name, (data, at) in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
            os.utime(place / name, (at.timestamp(),) * 2)
        return place / "submitted" if system == "nbgrader" else place

    def grade(self, delivery: Path, out: Path | None = None) -> int:
        return self.run(delivery, "--assignment", self.file, out=out)


def share(days: int) -> float:
    return 1 - 0.1 * days


def test_a_term(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    term = Term(tmp_path)
    deliveries = {
        system: term.deliver(system, {n: term.work_of(n) for n in LEARNERS if system_of(n) == system})
        for system in SYSTEMS
    }
    # A grader that is killed continues; two share the class.
    command = [
        sys.executable,
        "-m",
        "minbpe_course",
        "grade",
        str(deliveries["folder"]),
        "--assignment",
        str(term.file),
    ]
    killed = subprocess.Popen(
        [*command, "--out", str(term.out), "--allow-unsandboxed"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and killed.poll() is None and not (term.out / "gradebook.sqlite").exists():
        time.sleep(0.01)
    assert killed.poll() in (None, 0), "it has graded, or was at work"
    killed.kill()
    killed.wait()
    assert (term.out / "gradebook.sqlite").exists()
    other = term.root / "marks of the other"
    for system, delivery in deliveries.items():
        assert term.grade(delivery, out=term.out if system in ("folder", "nbgrader", "gradescope") else other) == 0
    assert term.run("--merge", other, "--seed-file", term.home / "seed.txt") == 0
    said = term.table()
    assert set(said) == {id_of(n) for n in LEARNERS}
    for n in LEARNERS:
        row, points = said[id_of(n)], 4 * (n % 2 == 0) + 2 * (n % 4 == 0)
        assert row["max_score"] == "12.0"
        if n % 5 == 0:  # the written answer waits for a teacher
            assert row["score"] == "", n
            assert term.run("--set", id_of(n), "hw1.why", 5, "--by", "T. Eacher", "--comment", "well put") == 0
            points += 5
        else:
            assert (row["raw_score"], row["score"]) == (f"{points:.1f}", f"{points * share(days_late(n)):.1f}"), n
    # Two hand in again, four days late and right: better than before, less the penalty of what changed.
    for n, system in ((1, "folder"), (9, "nbgrader")):
        assert term.grade(term.deliver(system, {n: term.notebook(twice=RIGHT, flawed=WRONG)}, late=4)) == 0
    # The flawed exercise is withdrawn: it changes no learner's total. No answer runs again.
    term.asks(ASKED.format(flawed=""))
    capsys.readouterr()
    assert term.grade(deliveries["moodle"]) == 0
    assert "answers graded: 0, as before: 16" in capsys.readouterr().out
    # An appeal shows the hidden case, and a teacher decides.
    assert term.run(deliveries["moodle"], "--explain", id_of(33), "week1.twice") == 0
    shown = capsys.readouterr().out
    given, wanted, returned = re.findall(r"^ *(?:given|wanted|returned) +(.*)", shown, re.MULTILINE)
    given = given.removeprefix("twice(").removesuffix(")")
    assert (wanted, returned) == (repr(ast.literal_eval(given) * 2), given)
    assert term.run("--set", id_of(33), "week1.twice", 2, "--by", "T. Eacher") == 0
    said = term.table()
    for n in LEARNERS:
        points = 4 * share(days_late(n)) * (n % 2 == 0)
        points += 5 * share(days_late(n)) * (n % 5 == 0)
        points = {1: 4 * share(4), 9: 4 * share(4), 33: 2 * share(days_late(33))}.get(n, points)
        assert (said[id_of(n)]["score"], said[id_of(n)]["max_score"]) == (f"{points:.1f}", "10.0"), n
    report = (term.out / "learner00" / "report.html").read_text(encoding="utf-8")
    assert "T. Eacher gave 5 of 6 points: well put" in report
    assert "week1.flawed" not in report
