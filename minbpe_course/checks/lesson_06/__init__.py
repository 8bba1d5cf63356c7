"""The exercises of lesson 06, a SentencePiece model read, changed and imitated: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_06 import (
    add_piece,
    choose_pieces,
    encode_by_score,
    fall_back,
    read_pieces,
    retire_pieces,
    signed,
    tests_of_normalize,
    write_varint,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        signed, write_varint, read_pieces, add_piece, retire_pieces, tests_of_normalize, fall_back, encode_by_score,
        choose_pieces,
    )
)  # fmt: skip
