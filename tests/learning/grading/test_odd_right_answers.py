"""Answers that are right and look odd keep full marks: they print, warn, return odd lists, lean on other cells."""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.running import Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name
from minbpe_course.learning.judge.exercise import Case
from tests.learning.grading.hostile import honest
from tests.learning.grading.hostile.world import rungs, verdict_of

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]


@pytest.mark.parametrize("name", honest.MERGE)
def test_a_right_answer_keeps_its_points(name: str) -> None:
    verdict = verdict_of(honest.MERGE[name], best())
    assert (verdict.state, verdict.points) == ("done", verdict.out_of), verdict


@pytest.mark.parametrize("name", honest.WITH_OTHER_CELLS)
def test_other_cells_are_there_when_they_are_needed(name: str) -> None:
    answer, others = honest.WITH_OTHER_CELLS[name]
    assert verdict_of(answer, best(), others=others).state == "done"


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", honest.WITH_PACKAGES)
def test_packages_of_the_exercise_can_be_imported(name: str, rung: str) -> None:
    packages, answer = honest.WITH_PACKAGES[name]
    assert verdict_of(answer, by_name(rung), packages=packages).state == "done"
    assert verdict_of(answer, by_name(rung)).state == "not yet"


# On rungs below the best something else may be in the way of other answers.
@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", ["a loop of events", "threads that end", "a file of its own", "a class behind it"])
def test_a_right_answer_keeps_its_points_on_every_rung(name: str, rung: str) -> None:
    assert verdict_of(honest.MERGE[name], by_name(rung)).state == "done"


def test_notes_say_what_went_wrong_beside_the_answer() -> None:
    source = "import tiktoken\n" + honest.RIGHT + "\nassert merge([1, 2], (1, 2), 3) == 0, 'as I thought'\n"
    with RemoteCaller(Program((source,), "merge")) as caller:
        assert caller.call(Case("a pair", ([1, 2], (1, 2), 3))).value == [3]
        assert [what for *_, what in caller.notes] == ["raised ModuleNotFoundError", "raised AssertionError"]
