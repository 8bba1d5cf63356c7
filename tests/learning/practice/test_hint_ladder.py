"""Hints come one step further each time, are remembered, and never need the record to be whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.errors import UnknownExercise
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice.check import check
from minbpe_course.learning.practice.hint_ladder import hint
from minbpe_course.learning.practice.record import read_record


def test_a_step_further_each_time_and_no_further_than_the_last(record: Path) -> None:
    exercise = catalogue.find("02.merge")
    for shown in (1, 2, 3, 3):
        said = repr(hint("02.merge"))
        assert [text.split("\n")[0] in said for text in exercise.hints] == [number < shown for number in range(3)]
        assert read_record(record).entries["02.merge"].hints == shown


def test_a_step_may_be_named_and_going_back_forgets_nothing(record: Path) -> None:
    assert hint("02.merge", 3).shown == 3
    assert hint("02.merge", 1).shown == 1
    assert read_record(record).entries["02.merge"].hints == 3
    assert hint("02.merge").shown == 3


def test_the_check_knows_how_many_hints_were_read() -> None:
    def wrong(ids, pair, new_id):
        return []

    assert "A step of help:" in repr(check("02.merge", wrong))
    hint("02.merge")
    assert "The next step of help:" in repr(check("02.merge", wrong))
    hint("02.merge", 3)
    assert "The hints again:" in repr(check("02.merge", wrong))


@pytest.mark.parametrize("step", [0, 4, -1, 1.5, "1", True])
def test_there_are_three_steps(step: object) -> None:
    with pytest.raises(UnknownExercise, match=r'the hints are 1, 2 and 3. Type: hint\("02\.merge"\)'):
        hint("02.merge", step)  # type: ignore[arg-type]


def test_hints_are_shown_where_nothing_can_be_written(record: Path) -> None:
    record.mkdir()
    assert [hint("02.merge").shown for _ in range(3)] == [1, 2, 3]
    assert "kept only until the kernel ends" in repr(hint("02.merge"))
