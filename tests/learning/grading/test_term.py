"""A term with forty learners and five delivery systems, whose totals are computed here by hand."""

from __future__ import annotations

import ast
import os
import re
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.shared.teachers_folder import ASKED, RIGHT, WRONG, Homework

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

DUE = datetime(2026, 10, 12, 12, tzinfo=timezone.utc)
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

    def work_of(self, n: int) -> bytes:
        answers = {"twice": RIGHT if n % 2 == 0 else WRONG, "again": RIGHT if n % 4 == 0 else WRONG}
        return self.notebook(**answers, **({"why": "Because."} if n % 5 == 0 else {}))

    def deliver(self, system: str, work: dict[int, bytes], late: int | None = None) -> Path:
        """Write a delivery of a system, as that system writes it."""
        place = self.home.parent / f"{system}{'' if late is None else ' again'}"
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


def share(days: int) -> float:
    return 1 - 0.1 * days


@pytest.mark.slow
def test_a_term(tmp_path: Path) -> None:
    term = Term(tmp_path)
    deliveries = {
        system: term.deliver(system, {n: term.work_of(n) for n in LEARNERS if system_of(n) == system})
        for system in SYSTEMS
    }
    # Two graders share the class.
    other = tmp_path / "marks of the other"
    for system, delivery in deliveries.items():
        term.grade(folder=delivery, out=other if system in ("canvas", "moodle") else term.out)
    term.run("--merge", other, "--seed-file", term.seed)
    said = term.table()
    assert set(said) == {id_of(n) for n in LEARNERS}
    for n in LEARNERS:
        row, points = said[id_of(n)], 2 * (n % 2 == 0) + 4 * (n % 4 == 0)
        assert row["max_score"] == "12.0"
        if n % 5 == 0:  # the written answer waits for a teacher
            assert row["score"] == "", n
            term.run("--set", id_of(n), "hw1.why", 5, "--by", "T. Eacher", "--comment", "well put")
        else:
            assert (row["raw_score"], row["score"]) == (f"{points:.1f}", f"{points * share(days_late(n)):.1f}"), n
    # Two hand in again, four days late and right: better than before, less the penalty of what changed.
    for n, system in ((1, "folder"), (9, "nbgrader")):
        term.grade(folder=term.deliver(system, {n: term.notebook(twice=RIGHT, again=WRONG)}, late=4))
    # A flawed exercise is withdrawn: it changes no learner's total. No answer runs again.
    term.asks(ASKED.replace('{key = "week1.again", points = 4}, ', ""))
    assert "answers graded: 0, as before: 16" in term.grade(folder=deliveries["moodle"])
    # An appeal shows the hidden case, and a teacher decides.
    shown = term.run(deliveries["moodle"], "--explain", id_of(33), "week1.twice")
    given, wanted, returned = re.findall(r"^ *(?:given|wanted|returned) +(.*)", shown, re.MULTILINE)
    given = given.removeprefix("twice(").removesuffix(")")
    assert (wanted, returned) == (repr(ast.literal_eval(given) * 2), given)
    term.run("--set", id_of(33), "week1.twice", 1, "--by", "T. Eacher")
    said = term.table()
    for n in LEARNERS:
        points = (2 * (n % 2 == 0) + 5 * (n % 5 == 0)) * share(days_late(n))
        points = {1: 2 * share(4), 9: 2 * share(4), 33: share(days_late(33))}.get(n, points)
        assert (said[id_of(n)]["score"], said[id_of(n)]["max_score"]) == (f"{points:.1f}", "8.0"), n
    assert "T. Eacher gave 5 of 6 points: well put" in term.report("learner00")
    assert "week1.again" not in term.report("learner00")
