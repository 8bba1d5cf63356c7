"""The exercises of lesson 08: encoding fast, and decoding while ids arrive."""

from __future__ import annotations

from minbpe_course.checks.lesson_08 import (
    cache_hits,
    certain_text,
    heal,
    stays_apart,
    tests_of_encode,
    token_offsets,
    word_cache,
)

EXERCISES = (
    cache_hits.EXERCISE,
    token_offsets.EXERCISE,
    certain_text.EXERCISE,
    stays_apart.EXERCISE,
    tests_of_encode.EXERCISE,
    heal.EXERCISE,
    word_cache.EXERCISE,
)
