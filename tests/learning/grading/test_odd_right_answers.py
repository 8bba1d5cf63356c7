"""Answers that are right and look odd keep full marks: they print, stop, lean on packages and broken cells."""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name
from minbpe_course.learning.judge.exercise import Case
from tests.learning.grading.hostile.honest import ODD, RIGHT
from tests.learning.grading.hostile.world import rungs, verdict_of
from tests.shared.remote_answers import opened

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("name", ODD)
def test_a_right_answer_keeps_its_points_and_needs_its_packages(name: str, rung: str) -> None:
    answer, packages = ODD[name]
    assert verdict_of(answer, by_name(rung), packages=packages).state == "done"
    assert not packages or verdict_of(answer, by_name(rung)).state == "not yet"


def test_other_cells_may_be_broken() -> None:
    others = ("def broken(:", "%%bash\nrm -rf something", "\0", "x = (" * 5000)
    assert verdict_of(RIGHT, best(), others=others).state == "done"


def test_notes_say_what_went_wrong_beside_the_answer() -> None:
    source = "import tiktoken\n" + RIGHT + "\nassert merge([1, 2], (1, 2), 3) == 0, 'as I thought'\n"
    with opened(source, entry="merge") as caller:
        assert caller.call(Case("a pair", ([1, 2], (1, 2), 3))).value == [3]
        assert [what for *_, what in caller.notes] == ["raised ModuleNotFoundError", "raised AssertionError"]
