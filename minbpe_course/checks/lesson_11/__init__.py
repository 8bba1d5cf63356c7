"""The exercises of lesson 11: measuring a tokenizer."""

from __future__ import annotations

from minbpe_course.checks.lesson_11 import (
    bits_per_byte,
    bytes_per_token,
    cheat,
    efficiency,
    gain_interval,
    gini,
    tests_of_front,
)

EXERCISES = (
    bytes_per_token.EXERCISE,
    bits_per_byte.EXERCISE,
    gini.EXERCISE,
    gain_interval.EXERCISE,
    efficiency.EXERCISE,
    tests_of_front.EXERCISE,
    cheat.EXERCISE,
)
