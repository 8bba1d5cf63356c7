"""The real program, killed at any moment: after resuming, a batch equals an undisturbed one.

Twenty kills fall into a batch of 60 submissions: some while the program starts, the others a few marks after the last
one, so that they fall into reading, grading, committing and writing reports on a machine of any speed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from minbpe_course.learning.grading import released
from minbpe_course.learning.grading.gradebook import Gradebook
from minbpe_course.learning.grading.sandbox.choose_sandbox import best
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.submissions.notebook_cells import find_answer, read_notebook
from tests.shared.page_blocks import ROOT
from tests.shared.patience import PATIENCE
from tests.shared.submission_cases import answer_cell, notebook

KEYS = ("02.merge",)
SEED = "a seed for the tests"
KILLS, LEARNERS = 20, 60
SAME = (
    "learner, key, state, points, out_of, category, given, yours, wanted, hint, mistake, failures, tried, notes, reason"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.skipif(not list((ROOT / "solutions").glob("02_*.ipynb")), reason="only a checkout has solutions"),
]


def submissions(folder: Path) -> Path:
    """Write 60 submissions of one question, every one a little different: right, wrong, failing, blank, leaving."""
    (solution,) = (ROOT / "solutions").glob("02_*.ipynb")
    solved = [read_notebook(solution.read_bytes())]
    asked = released.questions(catalogue.chosen(KEYS))
    right = {one.exercise.cell_id: find_answer(solved, one).source for one in asked}
    entries = {one.exercise.cell_id: one.exercise.entry for one in asked}
    for number in range(LEARNERS):
        cells = []
        for id, source in right.items():
            name, kind = entries[id], number % 6
            text = {
                2: f"def {name}(*args):\n    return {number}",
                3: f"def {name}(*args):\n    raise ValueError({number})",
                4: next(one.blank for one in asked if one.exercise.cell_id == id),
                5: f"import os\ndef {name}(*args):\n    os._exit({number % 3})",
            }.get(kind, f"{source}\n# {number}")
            cells.append(answer_cell(text, id))
        place = folder / f"learner{number:02}"
        place.mkdir(parents=True)
        (place / "work.ipynb").write_bytes(notebook(*cells))
    return folder


def start(work: Path, out: Path) -> subprocess.Popen[bytes]:
    rung = best().name
    command = [sys.executable, "-m", "minbpe_course", "grade", str(work), "--out", str(out), "--jobs", "2"]
    command += ["--json", "--only", *KEYS, "--rung", rung, *(["--allow-unsandboxed"] if rung == "plain" else [])]
    environment = os.environ | {"MINBPE_COURSE_SEED": SEED, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=ROOT)


def finish(grader: subprocess.Popen[bytes]) -> dict[str, object]:
    out, complaint = grader.communicate(timeout=PATIENCE)
    assert grader.returncode == 0, complaint.decode()
    return json.loads(out.splitlines()[-1])


def marks(out: Path) -> int:
    try:
        base = sqlite3.connect(f"file:{out / 'gradebook.sqlite'}?mode=ro", uri=True, timeout=1)
        try:
            return base.execute("SELECT count(*) FROM mark").fetchone()[0]
        finally:
            base.close()
    except sqlite3.Error:
        return 0


def everything(out: Path) -> list[tuple[object, ...]]:
    base = sqlite3.connect(out / "gradebook.sqlite")
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    rows = base.execute(f"SELECT {SAME} FROM mark ORDER BY learner, key").fetchall()
    base.close()
    return rows


def below(process: psutil.Process) -> set[psutil.Process]:
    """Return every process that this one has started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return set(process.children(recursive=True))
    return set()


def alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def test_twenty_kills_lose_nothing_and_leave_nothing_behind(tmp_path: Path) -> None:
    work = submissions(tmp_path / "work")
    undisturbed = finish(start(work, tmp_path / "undisturbed"))
    assert (undisturbed["learners"], undisturbed["marked"]) == (LEARNERS, LEARNERS)

    out, chance, killed_while_grading = tmp_path / "killed", random.Random(20), 0
    Gradebook(out, SEED).close()
    with closing(sqlite3.connect(out / "gradebook.sqlite")) as base:  # notes every mark that is made
        base.executescript(
            "CREATE TABLE made (x); CREATE TRIGGER t INSERT ON mark BEGIN INSERT INTO made VALUES (1); END"
        )
    for turn in range(KILLS):
        before, grader = marks(out), start(work, out)
        wanted = before + chance.randint(1, 2)
        latest = time.monotonic() + (chance.uniform(0, 0.8) if turn % 4 == 0 else PATIENCE)
        while marks(out) < wanted and time.monotonic() < latest and grader.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.05))
        started = below(psutil.Process(grader.pid))
        assert grader.poll() is None, "the batch was over before it could be killed"
        grader.send_signal(signal.SIGKILL)
        started |= {one for process in started for one in below(process)}
        grader.communicate()
        killed_while_grading += bool(started)
        gone_by = time.monotonic() + PATIENCE
        while left := {process for process in started if alive(process)}:
            assert time.monotonic() < gone_by, f"left behind by kill {turn}: {left}"
            time.sleep(0.01)
    assert killed_while_grading >= KILLS // 4, "too few kills met a running answer"

    already = marks(out)
    assert 0 < already < LEARNERS
    last = finish(start(work, out))
    assert (last["marked"], last["kept"]) == (LEARNERS - already, already)
    assert everything(out) == everything(tmp_path / "undisturbed")
    with closing(sqlite3.connect(out / "gradebook.sqlite")) as base:
        assert base.execute("SELECT count(*) FROM made").fetchone() == (LEARNERS,)
    for name in ("grades.csv", "learner00/results.json", "learner59/report.html"):
        assert (out / name).is_file()
    assert (out / "grades.csv").read_bytes() == (tmp_path / "undisturbed" / "grades.csv").read_bytes()
    assert not list(out.rglob("*.part")), "half-written reports of a killed grader"
