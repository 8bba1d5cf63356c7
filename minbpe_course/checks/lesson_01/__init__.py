"""The exercises of lesson 01, UTF-8 basics: one file for each, named like the exercise."""

from __future__ import annotations

from minbpe_course.checks.lesson_01 import (
    count_characters,
    cut_before,
    encode_pages,
    stream_decoder,
    tests_of_cut_before,
    utf8_decode,
    utf8_encode,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        count_characters,
        utf8_encode,
        cut_before,
        tests_of_cut_before,
        utf8_decode,
        stream_decoder,
        encode_pages,
    )
)
