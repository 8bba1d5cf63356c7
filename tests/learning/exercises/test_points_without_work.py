"""Answers without understanding earn nothing.

Constants, echoes, what was handed out, the first idea for an open question, tests that accept all, reject all, or toss
a coin.
"""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from typing import Any

import pytest
import regex

from minbpe_course.learning.assignments.worthless_answers import Says, worthless_answers
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.callers import InProcess, run_case
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.judge import cases_of, judge
from tests.learning.exercises.learners_answers import written
from tests.shared.lesson_code import solution_of

pytestmark = pytest.mark.medium

SECRETS = ["practice", "spring"]

ALL = catalogue.exercises()
DESIGNS = [exercise for exercise in ALL if exercise.kind == "design"]
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)


@each_exercise
def test_worthless_answers_earn_nothing(exercise: Exercise) -> None:
    """Constants (the likeliest are those that are wanted somewhere), echoes, and tests that test nothing."""
    for what, caller in worthless_answers(exercise):
        assert judge(exercise, caller, "practice").points == 0, what


# ----------------------------------------------------------------------------------------------------
# The first idea for an open question


def test_there_is_a_first_idea_without_points_for_every_open_question() -> None:
    """``tests/golden`` compares the verdict on each of them with the stored one, under two seeds."""
    ideas = [wrong.key for wrong in written("wrong") if wrong.name.startswith("the first idea") and not wrong.points]
    assert sorted(ideas) == sorted(exercise.key for exercise in DESIGNS)


@pytest.mark.parametrize("exercise", DESIGNS, ids=lambda exercise: exercise.key)
def test_a_good_answer_to_other_cases_is_worth_nothing(exercise: Exercise) -> None:
    """A right answer for other cases, written into the code as a constant."""
    for one in cases_of(exercise, "last year")[-4:]:
        outcome = run_case(solution_of(exercise), one.case)
        for secret in SECRETS:
            assert judge(exercise, Says(outcome), secret).points == 0


# ----------------------------------------------------------------------------------------------------
# A table prepared in advance


def _in_new_letters(text: str) -> list[int]:
    """Return a number for each character: texts that differ only in their letters become equal."""
    places: dict[str, int] = {}
    return [places.setdefault(one, len(places)) for one in text.lower()]


def test_a_table_of_pythons_own_words_gains_nothing() -> None:
    exercise = catalogue.find("03.code_words")
    plain = r" ?\p{Lu}?\p{Ll}+| ?\p{Lu}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|[\s\S]"
    table = "|".join([*keyword.kwlist, *dir(builtins)])
    for pattern in (plain, rf"\s*\b(?:{table})\b ?|{plain}", rf"\W*\b(?:{table})\b\W*|{plain}"):
        for secret in ("practice", "s0", "s2", "s7", "s9", "s12"):
            assert judge(exercise, InProcess(regex.compile(pattern).findall), secret).points == 1, pattern


def _fingerprint(first: Any) -> str:
    """Return what no exchange of letters or ids changes."""
    if isinstance(first, dict):
        return repr(sorted(first.values()))
    return repr(_in_new_letters(first if isinstance(first, str) else "\n".join(first)))


@pytest.mark.parametrize("key", ["06.choose_pieces", "14.train_unigram", "15.cheat"])
def test_no_seed_draws_the_text_of_another(key: str) -> None:
    measured = [
        _fingerprint(one.case.args[0])
        for seed in ("practice", "spring", "autumn", "winter")
        for one in cases_of(catalogue.find(key), seed)
        if one.drawn and one.case.held
    ]
    assert len(measured) > 4
    assert [text for text, times in Counter(measured).items() if times > 1] == []
