"""The exercises of lesson 09: vocabularies as files."""

from __future__ import annotations

from minbpe_course.checks.lesson_09 import (
    cache_name,
    choose_alphabet,
    first_fault,
    keeps_ids,
    read_merges,
    tekken_rows,
    tests_of_format,
)

EXERCISES = (
    cache_name.EXERCISE,
    read_merges.EXERCISE,
    tekken_rows.EXERCISE,
    first_fault.EXERCISE,
    keeps_ids.EXERCISE,
    tests_of_format.EXERCISE,
    choose_alphabet.EXERCISE,
)
