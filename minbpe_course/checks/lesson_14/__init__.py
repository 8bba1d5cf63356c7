"""The exercises of lesson 14: a tokenizer of your own, measured."""

from __future__ import annotations

from minbpe_course.checks.lesson_14 import choose_tokens, encode_parts, id_bits, shrink, tests_of_tokenizer, unbeaten

EXERCISES = (
    id_bits.EXERCISE,
    unbeaten.EXERCISE,
    encode_parts.EXERCISE,
    shrink.EXERCISE,
    tests_of_tokenizer.EXERCISE,
    choose_tokens.EXERCISE,
)
