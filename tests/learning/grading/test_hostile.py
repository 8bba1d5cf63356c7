"""Answers that cheat or do harm: no point gained, nothing outside changed, nothing left running, the next one graded.

Run on the best rung; as slow tests, what concerns the marks and the files of the machine on the others as well. Every
answer is bounded by itself, see ``hostile``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

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
from minbpe_course.learning.grading.sandbox.choose_sandbox import by_name
from tests.learning.grading.hostile import cheating, floods, forgery, harm, integrity, reading
from tests.learning.grading.hostile.honest import RIGHT
from tests.learning.grading.hostile.world import (
    LITTLE_TIME,
    SECRET,
    World,
    left_behind,
    marked,
    outcomes_of,
    rungs,
    verdict_of,
)

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
# Whether these tests could fail: the same answers where nothing holds them


class NoSandbox:
    """A worker without a sandbox, only for answers that read, or touch nothing but the test's folder and listeners."""

    name = "no sandbox"
    guarantees = how_to_climb = ""
    missing, strength = Bare.missing, Bare.strength

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def start(self, limits: Limits, packages: object, complaints: int = subprocess.DEVNULL) -> Started:
        files = {name: str(path) for name, path in worker_files().items()}
        arguments = command(interpreter(), files, {**settings(limits, {}), "inside": ""})
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
