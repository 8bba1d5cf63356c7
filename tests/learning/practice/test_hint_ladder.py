"""Hints come one step further each time, are remembered, and never need the record to be whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.errors import UnknownExercise
from minbpe_course.learning import use_exercises
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice.check import check
from minbpe_course.learning.practice.hint_ladder import hint
from minbpe_course.learning.practice.record import read_record, remember
from tests.shared.teachers_folder import SAMPLES, write_exercise


def test_a_step_further_each_time_and_no_further_than_the_last(record: Path) -> None:
    exercise = catalogue.find("02.merge")
    for shown in (1, 2, 3, 4, 4):
        said = repr(hint("02.merge"))
        assert ("merged, at = [], 0" in said) == (shown == 4)
        assert [text.split("\n")[0] in said for text in exercise.hints] == [number < shown for number in range(3)]
        assert read_record(record).entries["02.merge"].hints == shown


def test_a_step_may_be_named_and_going_back_forgets_nothing(record: Path) -> None:
    assert hint("02.merge", 3).shown == 3
    assert hint("02.merge", 1).shown == 1
    assert read_record(record).entries["02.merge"].hints == 3
    assert hint("02.merge").shown == 4


def test_the_answers_of_teachers_are_not_shown(tmp_path: Path) -> None:
    write_exercise(tmp_path, "week1.double")
    (tmp_path / "checks" / "week1" / "samples.py").write_text(SAMPLES, encoding="utf-8")
    use_exercises(tmp_path)
    assert len(hint("week1.double").steps) == 3


def test_the_check_knows_how_many_hints_were_read() -> None:
    def wrong(ids, pair, new_id):
        return []

    assert "A step of help:" in repr(check("02.merge", wrong))
    hint("02.merge")
    assert "The next step of help:" in repr(check("02.merge", wrong))
    hint("02.merge", 4)
    assert "The hints again:" in repr(check("02.merge", wrong))


@pytest.mark.parametrize("step", [0, 5, -1, 1.5, "1", True])
def test_there_are_four_steps(step: object) -> None:
    with pytest.raises(UnknownExercise, match=r'the steps are 1 to 4. Type: hint\("02\.merge"\)'):
        hint("02.merge", step)  # type: ignore[arg-type]


def test_hints_are_shown_where_nothing_can_be_written(record: Path) -> None:
    record.mkdir()
    assert [hint("02.merge").shown for _ in range(3)] == [1, 2, 3]
    assert "kept only until the kernel ends" in repr(hint("02.merge"))


def test_a_hint_on_a_class_is_about_its_first_method_that_is_not_done(record: Path) -> None:
    remember(record, "02.BasicTokenizer.train", "done", 3)
    assert hint("02.BasicTokenizer").key == "02.BasicTokenizer.encode"
    assert hint("02.learn_merges").key == "02.train_merges"
