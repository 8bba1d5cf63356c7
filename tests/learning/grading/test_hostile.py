"""Answers that cheat or do harm: no point gained, nothing outside changed, nothing left running, the next one graded.

Run on the best rung; as slow tests, what concerns the marks and the files of the machine on the others as well. Every
answer is bounded by itself, see ``hostile``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.batch import grade, program_of, sandboxed
from minbpe_course.learning.grading.gradebook import Gradebook, Kept
from minbpe_course.learning.grading.marking import mark
from minbpe_course.learning.grading.reports.writing import write_class
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.base import (
    Limits,
    Started,
    command,
    interpreter,
    launch,
    settings,
    worker_files,
)
from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name
from minbpe_course.learning.judge.catalogue import find
from minbpe_course.learning.judge.exercise import Outcome, Verdict
from minbpe_course.learning.submissions.archives import Member
from minbpe_course.learning.submissions.intake import Submission
from minbpe_course.learning.submissions.layouts import Owner
from minbpe_course.learning.submissions.notebook_cells import Cell, Notebook, Question, find_answer
from tests.learning.grading.hostile import cheating, floods, forgery, harm, integrity, notebooks, reading
from tests.learning.grading.hostile.honest import RIGHT
from tests.learning.grading.hostile.world import (
    LITTLE_TIME,
    SECRET,
    SEED,
    Recording,
    World,
    left_behind,
    marked,
    outcomes_of,
    rungs,
    verdict_of,
)
from tests.shared.submission_cases import code_cell, marks_in, notebook

pytestmark = [
    pytest.mark.medium,
    pytest.mark.sandbox,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for what is left behind in /proc"),
]


@pytest.fixture
def world(tmp_path, monkeypatch) -> Iterator[World]:
    monkeypatch.setenv("MINBPE_COURSE_SEED", SECRET)
    made = World(tmp_path)
    yield made
    made.close()


def let_loose(source: str, rung: str, world: World) -> None:
    """Run an answer, and hold it to everything that no answer may do."""
    limits = marked(LITTLE_TIME)
    verdict, outcomes = outcomes_of(world.fill(source), by_name(rung), limits)
    assert (verdict.state, verdict.points) != ("done", verdict.out_of)
    assert verdict.points == 0
    assert [outcome for outcome in outcomes if outcome.value == "escaped"] == []
    assert SECRET not in repr([outcome.value for outcome in outcomes] + [outcome.message for outcome in outcomes])
    assert world.seen() == world.before
    assert world.reached() == []
    assert left_behind(limits) == []


@pytest.mark.parametrize("rung", rungs("bubblewrap", "plain"))
@pytest.mark.parametrize("name", [*integrity.CASES, *forgery.CASES])
def test_no_point_without_an_answer(name: str, rung: str, world: World) -> None:
    let_loose({**integrity.CASES, **forgery.CASES}[name], rung, world)


@pytest.mark.parametrize("rung", rungs("bubblewrap", "plain"))
@pytest.mark.parametrize("name", [*reading.CASES, *reading.LOOKING])
def test_secrets_cannot_be_seen(name: str, rung: str, world: World) -> None:
    let_loose({**reading.CASES, **reading.LOOKING}[name], rung, world)


@pytest.mark.parametrize("rung", rungs("bubblewrap", "landlock"))
@pytest.mark.parametrize("name", harm.CASES)
def test_nothing_outside_is_changed_or_reached(name: str, rung: str, world: World) -> None:
    let_loose(harm.CASES[name], rung, world)
    assert verdict_of(RIGHT, by_name(rung)).state == "done"


@pytest.mark.slow
@pytest.mark.parametrize("name", harm.ON_THE_LAST_RUNG)
def test_the_last_rung_stops_casual_attempts(name: str, world: World) -> None:
    let_loose(harm.CASES[name], "plain", world)


@pytest.mark.parametrize("rung", rungs("bubblewrap"))
@pytest.mark.parametrize("name", floods.CASES)
def test_a_flood_ends_and_does_not_disturb_its_neighbour(name: str, rung: str, world: World) -> None:
    beside = []
    neighbour = threading.Thread(target=lambda: beside.append(verdict_of(RIGHT, by_name(rung)).state))
    neighbour.start()
    let_loose(floods.CASES[name], rung, world)
    neighbour.join()
    assert beside == ["done"]
    assert verdict_of(RIGHT, by_name(rung)).state == "done"


@pytest.mark.parametrize("rung", rungs("bubblewrap", "plain"))
@pytest.mark.parametrize("name", [name for name in cheating.CASES if name not in cheating.REMEMBERING])
def test_a_test_that_cheats_gains_nothing(name: str, rung: str) -> None:
    limits = marked(LITTLE_TIME)
    verdict = verdict_of(cheating.CASES[name], by_name(rung), limits, key="02.test_merge")
    assert verdict.points == 0
    assert left_behind(limits) == []


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", cheating.REMEMBERING)
def test_a_test_that_remembers_gains_nothing(name: str, rung: str) -> None:
    assert verdict_of(cheating.CASES[name], by_name(rung), key="02.test_merge").points == 0


# ----------------------------------------------------------------------------------------------------
# Whole notebooks

OF_NOTEBOOKS = replace(LITTLE_TIME, cell=2.0, cells=6.0)


def marked_notebook(cells: list[str], key: str, rung: str, limits: Limits) -> tuple[Verdict, list[Outcome]]:
    """Mark one question of a notebook as the batch would, and return everything that its calls brought back as well."""
    callers: list[Recording] = []

    def opened(*given: Any) -> Recording:
        callers.append(Recording(program_of(*given), limits=limits, sandbox=by_name(rung)))
        return callers[-1]

    question = Question(find(key), "")
    read = Notebook(tuple(Cell("", source) for source in cells))
    verdict = mark(question, find_answer([read], question), opened, SEED)
    return verdict, [outcome for caller in callers for outcome in caller.outcomes]


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", notebooks.CASES)
def test_cells_above_an_answer_gain_nothing(name: str, rung: str, world: World) -> None:
    key, cells = notebooks.CASES[name]
    limits = marked(OF_NOTEBOOKS)
    begun = time.monotonic()
    verdict, outcomes = marked_notebook([world.fill(cell) for cell in cells], key, rung, limits)
    assert verdict.points == 0, verdict
    assert verdict.state != "not graded" or name in notebooks.ENDLESS, verdict
    assert "escaped" not in [outcome.value for outcome in outcomes]
    assert time.monotonic() - begun < 60
    assert world.seen() == world.before
    assert world.reached() == []
    assert left_behind(limits) == []


def test_the_hunt_finds_what_is_served() -> None:
    _, cells = notebooks.CASES["hunts for the next answer where helpers are served"]
    looking = [
        cell.replace("hunted('learn_merges')(ids, number)", "hunted('merge')([1, 2], (1, 2), 3)") for cell in cells
    ]
    _, outcomes = marked_notebook(looking, "02.train_merges", best().name, OF_NOTEBOOKS)
    assert [3] in [outcome.value for outcome in outcomes]


def test_a_notebook_of_slow_cells_ends_in_time(tmp_path) -> None:
    asked = [Question(find(key), "") for key in ("02.count_pairs", "02.merge", "02.train_merges")]
    answers = [code_cell(f"def {question.exercise.entry}(*args): ...") for question in asked]
    slow = notebook(*[code_cell("import time\ntime.sleep(0.9)")] * 9, *answers)
    right = notebook(code_cell(RIGHT))
    work = [
        Submission(Owner(name), (Member(f"{name}/02.ipynb", len(data), lambda data=data: data),))
        for name, data in (("slow", slow), ("right", right))
    ]
    begun = time.monotonic()
    with Gradebook(tmp_path, SEED) as book:
        opened = sandboxed(best(), replace(LITTLE_TIME, cell=1.0, cells=2.0))
        grade(work, asked, ["r"] * 3, book, SEED, open_caller=opened, sandbox="any", seconds=5.0)
        marks = {(id, one.mark.key): one.mark for id, one in marks_in(book)}
    reasons = [marks["slow", question.exercise.key].reason for question in asked]
    assert [reason.partition(":")[0] for reason in reasons] == ["this question was not reached"] * 2 + [
        "the time for this notebook was used up by the questions before it"
    ]
    assert re.search("most of it cell [1-3] with 1 seconds", reasons[0])
    assert [marks["slow", question.exercise.key].note for question in asked] == reasons, "the learner reads it, too"
    assert marks["right", "02.merge"].state == "done"
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("way", notebooks.MARKING)
def test_no_report_holds_a_text_of_a_process(way: str, rung: str, tmp_path) -> None:
    exercise = find("02.merge")
    with Gradebook(tmp_path, SEED) as book:
        for learner, after in (("public", 0), ("drawn", len(exercise.shown))):
            verdict, outcomes = marked_notebook(notebooks.marking(way, after), exercise.key, rung, LITTLE_TIME)
            blank = way == "raises it as a blank" and not after
            assert (verdict.state, verdict.hidden) == ("not started" if blank else "not yet", after > 0), verdict
            assert notebooks.MARK in repr(outcomes)
            book.enrol(Owner(learner), "", [])
            book.keep(learner, Kept(verdict, rung))
        # It writes the pages of the learners, too.
        write_class(tmp_path, Asked((exercise.key,)), book, {"sandbox": rung})
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or notebooks.MARK.encode() not in path.read_bytes(), path


# ----------------------------------------------------------------------------------------------------
# Whether these tests could fail: the same answers where nothing holds them


class NoSandbox:
    """A worker without a sandbox, only for answers that read, or touch nothing but the test's folder and listeners."""

    name = "no sandbox"
    guarantees = how_to_climb = ""
    missing, strength = Bare.missing, Bare.strength

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def start(self, limits: Limits, packages: object, complaints: int = subprocess.DEVNULL) -> Started:
        arguments = command(interpreter(), worker_files(), {**settings(limits, {}), "inside": ""})
        return Started(launch(arguments, complaints, cwd=self.folder, env={**os.environ, "HOME": self.folder}))


# These need a right of the machine's owner, or a system that has been set up in one way.
NOT_EVERYWHERE = {f"a solution by {way}" for way in ("the root of the first process", "a walk up")}
NOT_EVERYWHERE |= {"a solution by the folder of the grader", "everything in memory", "its own memory"}
NOT_EVERYWHERE |= {"files that are open"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*reading.CASES, *reading.LOOKING} - NOT_EVERYWHERE))
def test_without_a_sandbox_the_secrets_are_seen(name: str, world: World) -> None:
    source = world.fill({**reading.CASES, **reading.LOOKING}[name])
    verdict, outcomes = outcomes_of(source, NoSandbox(str(world.home)), LITTLE_TIME)
    assert verdict.state == "done" or SECRET in repr(outcomes[0].value)


ONLY_KNOCKING = [
    name
    for name in harm.ON_THE_LAST_RUNG
    if not name.startswith(("changes", "adds to the standard library"))
    and name not in ("connects by IPv6", "writes with a path that changes its mind")  # the latter is for a guard only
]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ONLY_KNOCKING, "sends by UDP", "sends by one end of a pair", "asks a name server"])
def test_without_a_sandbox_the_harm_happens(name: str, world: World) -> None:
    _, outcomes = outcomes_of(world.fill(harm.CASES[name]), NoSandbox(str(world.home)), LITTLE_TIME)
    assert outcomes[0].value == "escaped"
    assert world.seen() != world.before or world.reached()
