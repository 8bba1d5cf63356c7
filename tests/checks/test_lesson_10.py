"""The references of lesson 10, compared with ``regex`` and with the package's own tables."""

from __future__ import annotations

import itertools

import pytest
import regex

from minbpe_course.checks.lesson_10 import build_table, column_groups, never_matched
from minbpe_course.reference.pattern_table import PatternTable
from tests.shared.lesson_code import cases_under

TEXTS = ["".join(letters) for size in range(7) for letters in itertools.product("ab", repeat=size)]


@pytest.mark.medium
def test_deleting_what_never_matches_changes_no_word_and_deleting_more_does() -> None:
    for case in cases_under(10, "10.never_matched"):
        (alternatives,) = case.args
        beaten = never_matched.never_matched(alternatives)
        kept: list[str] = []
        for one in alternatives:
            kept += [] if never_matched.never_matched([*kept, one]) else [one]
        assert len(kept) + len(beaten) == len(alternatives)
        texts = [*TEXTS, *("c" + text for text in TEXTS)]
        assert all(words(alternatives, text) == words(kept, text) for text in texts)
        for one in kept:
            others = [each for each in kept if each != one]
            assert words(others, one) != words(kept, one), (alternatives, one)


def words(alternatives: list[str], text: str) -> list[str]:
    return regex.findall("|".join(alternatives), text) if alternatives else []


def test_equal_columns_are_one_group() -> None:
    for case in cases_under(10, "10.column_groups"):
        (rows,) = case.args
        groups = column_groups.column_groups(rows)
        for (left, one), (right, other) in itertools.combinations(enumerate(groups), 2):
            assert (one == other) == all(row[left] == row[right] for row in rows)
        assert list(dict.fromkeys(groups)) == list(range(len(set(groups))))


def test_the_tables_find_the_words_of_regex() -> None:
    for alternatives in (["a", "ab"], ["ab", "a"], ["a+b", "a"], ["b+a", "ab", "a+bb"], ["aba", "a+", "bb"]):
        rows = build_table.build_table(*build_table.program_of(alternatives), "ab")
        for text in TEXTS:
            assert found(rows, text) == words(alternatives, text), (alternatives, text)
    assert len(build_table.build_table(*build_table.program_of(["a", "ab"]), "ab")) == 2


def test_the_table_is_that_of_the_reference() -> None:
    pattern = PatternTable("ab|a+b|a")
    states, table = [(pattern.entry,)], []
    for threads in states:
        row = {}
        for letter in ("a", "b", ""):
            after, ended = pattern.follow(threads, pattern.kind(letter))
            if after and after not in states:
                states.append(after)
            row[letter] = (states.index(after) if after else None, ended)
        table.append(row)
    assert build_table.build_table(*build_table.program_of(["ab", "a+b", "a"]), "ab") == table


def found(rows: build_table.Rows, text: str) -> list[str]:
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
