"""The exercises of lesson 12: strange behaviour that comes from the tokenizer, counted."""

from __future__ import annotations

from minbpe_course.checks.lesson_12 import (
    cannot_write,
    futures,
    hidden_letters,
    rank_untrained,
    tests_of_clean,
    token_values,
)

EXERCISES = (
    hidden_letters.EXERCISE,
    token_values.EXERCISE,
    futures.EXERCISE,
    cannot_write.EXERCISE,
    tests_of_clean.EXERCISE,
    rank_untrained.EXERCISE,
)
