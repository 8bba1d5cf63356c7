"""The exercises of lesson 04, merges from ranks, shuffled bytes, and the files they come in: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_04 import (
    byte_alphabet,
    byte_order,
    encode_shuffled,
    ranks_from_bpe,
    recover_merges,
    tests_of_recover,
    training_text,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        byte_order, byte_alphabet, encode_shuffled, ranks_from_bpe, recover_merges, tests_of_recover, training_text
    )
)  # fmt: skip
