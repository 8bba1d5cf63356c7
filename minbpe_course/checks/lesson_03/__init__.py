"""The exercises of lesson 03, a text split into words by a pattern and by hand: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_03 import (
    code_words,
    first_difference,
    gpt4_words,
    group_digits,
    marked_words,
    split_words,
    tests_of_split,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (group_digits, split_words, first_difference, marked_words, gpt4_words, tests_of_split, code_words)
)
