"""Compare the tables of lesson 10 with ``regex``."""

from __future__ import annotations

import itertools

import regex

from minbpe_course.learning.exercises.lesson_10 import build_table

TEXTS = ["".join(letters) for size in range(7) for letters in itertools.product("ab", repeat=size)]


def words(alternatives: list[str], text: str) -> list[str]:
    return regex.findall("|".join(alternatives), text) if alternatives else []


def test_the_tables_find_the_words_of_regex() -> None:
    for alternatives in (["a", "ab"], ["ab", "a"], ["a+b", "a"], ["b+a", "ab", "a+bb"], ["aba", "a+", "bb"]):
        rows = build_table.build_table(*build_table.program_of(alternatives), "ab")
        for text in TEXTS:
            assert found(rows, text) == words(alternatives, text), (alternatives, text)
    assert len(build_table.build_table(*build_table.program_of(["a", "ab"]), "ab")) == 2


def found(rows: list[dict], text: str) -> list[str]:
    """Return the words that a table finds."""
    result, begin = [], 0
    while begin < len(text):
        state, at, end = 0, begin, begin
        while state is not None:
            state, ended = rows[state][text[at : at + 1]]
            end = at if ended else end
            at += 1
        result += [text[begin:end]] * (end > begin)
        begin = max(end, begin + 1)
    return result
