"""The record of progress: written whole, shared by kernels, and never in the way when something is wrong with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice.check import check
from minbpe_course.learning.practice.hint_ladder import hint
from minbpe_course.learning.practice.progress import progress
from minbpe_course.learning.practice.record import path_of_record, read_record, remember
from minbpe_course.reference.pairs import merge
from tests.shared.page_blocks import ROOT
from tests.shared.patience import PATIENCE

# ----------------------------------------------------------------------------------------------------
# The picture


def test_progress_counts_what_is_done() -> None:
    check("02.merge", merge)
    check("02.train_merges", lambda ids, number: None)
    hint("02.train_merges")
    view = progress()
    assert [lesson.number for lesson in view.lessons] == list(catalogue.lessons())
    (lesson,) = progress("02").lessons
    states = {item.key: (item.state, item.points, item.hints) for item in lesson.items}
    assert states.pop("02.merge") == ("done", 2, 0)
    assert states.pop("02.train_merges") == ("not yet", 0, 1)
    assert set(states.values()) == {("not started", 0, 0)}
    assert [item.key for item in lesson.items] == [exercise.key for exercise in catalogue.exercises("02")]
    assert (lesson.done, lesson.points) == (1, 2)
    assert lesson.out_of == sum(exercise.points for exercise in catalogue.exercises("02"))


def test_reset_forgets_and_the_next_check_remembers(record: Path) -> None:
    check("02.merge", merge)
    hint("02.train_merges")
    for said in (progress(reset=True), progress(2, reset=True)):
        assert "type: progress(" in said.notes[0]
        assert json.loads(record.read_text(encoding="utf-8"))["exercises"]
    view = progress(reset=True, sure=True)
    assert {item.state for lesson in view.lessons for item in lesson.items} == {"not started"}
    assert json.loads(record.read_text(encoding="utf-8"))["exercises"] == {}
    assert hint("02.train_merges").shown == 1
    check("02.merge", merge)
    assert progress("02").lessons[0].done == 1


def test_points_of_an_exercise_that_is_worth_less_now_do_not_overflow(record: Path) -> None:
    remember(record, "02.merge", "done", 99)
    assert progress("02").lessons[0].points == catalogue.find("02.merge").points


# ----------------------------------------------------------------------------------------------------
# Its place


def test_it_is_in_the_folder_of_the_notebook(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("MINBPE_COURSE_PROGRESS")
    monkeypatch.chdir(tmp_path)
    check("02.merge", merge)
    assert [file.name for file in tmp_path.iterdir()] == [".minbpe_course_progress.json"]
    assert path_of_record() == tmp_path / ".minbpe_course_progress.json"
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert ".minbpe_course_progress*" in ignored


def test_nothing_is_written_when_nothing_has_changed(record: Path) -> None:
    progress()
    assert not record.exists()
    check("02.merge", merge)
    before = record.stat().st_mtime_ns, record.stat().st_ino
    for _ in range(3):
        check("02.merge", merge)
        progress()
    assert (record.stat().st_mtime_ns, record.stat().st_ino) == before


# ----------------------------------------------------------------------------------------------------
# When something is wrong with it


DAMAGED = [
    ("half of one", b'{"format": 1, "exercises": {"02.me'),
    ("an unknown state", b'{"format": 1, "exercises": {"02.merge": {"state": "perfect", "points": 2, "hints": 0}}}'),
    ("endless points", b'{"format": 1, "exercises": {"02.merge": {"state": "done", "points": 1e999, "hints": 0}}}'),
]


@pytest.mark.parametrize("data", [data for _, data in DAMAGED], ids=[name for name, _ in DAMAGED])
def test_a_damaged_record_costs_a_note_and_is_moved_aside(data: bytes, record: Path) -> None:
    record.write_bytes(data)
    result = check("02.merge", merge)
    assert result
    assert "progress.json was damaged and is now progress.damaged.json" in repr(result)
    assert record.with_name("progress.damaged.json").read_bytes() == data
    assert read_record(record).entries["02.merge"].state == "done"
    assert "damaged" not in repr(check("02.merge", merge)), "said once"


def test_where_it_cannot_be_written_it_lives_as_long_as_the_kernel(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(tmp_path / "no such folder" / "progress.json"))
    result = check("02.merge", merge)
    assert result
    assert "kept only until the kernel ends" in repr(result)
    assert progress("02").lessons[0].done == 1
    assert not (tmp_path / "no such folder").exists()
    (tmp_path / "no such folder").mkdir()
    check("02.merge", merge)
    hint("02.train_merges")
    assert set(read_record(tmp_path / "no such folder" / "progress.json").entries) == {"02.merge", "02.train_merges"}


# ----------------------------------------------------------------------------------------------------
# Several kernels


KERNEL = """
import sys
from pathlib import Path
from minbpe_course.learning.practice.record import remember
path, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for at in range(number):
    remember(path, f"02.{name}{at}", "done", 1)
"""


def test_kernels_that_write_at_once_lose_nothing(record: Path) -> None:
    kernels, number = 4, 25
    running = [
        subprocess.Popen([sys.executable, "-c", KERNEL, str(record), f"kernel{each}_", str(number)], cwd=ROOT)
        for each in range(kernels)
    ]
    assert [one.wait(timeout=PATIENCE) for one in running] == [0] * kernels
    assert len(read_record(record).entries) == kernels * number
    assert [file.name for file in record.parent.iterdir()] == [record.name], "no lock and no part is left"


@pytest.mark.slow
def test_a_kernel_that_is_killed_leaves_a_whole_record(record: Path) -> None:
    for _ in range(3):
        running = subprocess.Popen([sys.executable, "-c", KERNEL, str(record), "killed", "100000"], cwd=ROOT)
        before = record.stat().st_mtime_ns if record.exists() else 0
        while running.poll() is None and (not record.exists() or record.stat().st_mtime_ns == before):
            pass
        running.kill()
        running.wait(timeout=PATIENCE)
        assert not read_record(record).notes
        assert remember(record, "02.merge", "done", 2).notes == [], "and holds no lock"
