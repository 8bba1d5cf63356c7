"""Compare the references of lessons 09 and 11 with tiktoken and with plain merging."""

from __future__ import annotations

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.learning.exercises.lesson_09 import stays_apart
from minbpe_course.learning.exercises.lesson_11 import token_offsets
from minbpe_course.reference.encoding import encode_word
from tests.shared.cases import hostile_texts
from tests.shared.lesson_code import cases_under


@pytest.fixture(scope="module")
def witness() -> tiktoken.Encoding:
    use_bundled_vocabularies()
    return tiktoken.get_encoding("cl100k_base")


def test_offsets_are_tiktoken_s(witness: tiktoken.Encoding) -> None:
    for text in hostile_texts(11, 400):
        ids = witness.encode_ordinary(text)
        tokens = witness.decode_tokens_bytes(ids)
        # tiktoken says 0, not -1, where a text begins inside a character; a text never does.
        assert token_offsets.token_offsets(tokens) == witness.decode_with_offsets(ids)[1], text


def test_neighbours_stay_apart_when_merging_keeps_them_apart() -> None:
    cases = cases_under(8, "09.stays_apart")
    for case in cases:
        if case.category == stays_apart.LONG:
            continue
        left, right, ranks = case.args
        halves = {token: pair for pair, token in ranks.items()}

        def spelled(token: int, halves: dict = halves) -> list[int]:
            return [byte for half in halves[token] for byte in spelled(half)] if token in halves else [token]

        merged = encode_word(spelled(left) + spelled(right), ranks)
        assert stays_apart.stays_apart(*case.args) == (merged == [left, right])
    assert {case.category for case in cases} == {
        stays_apart.BYTES, stays_apart.DIRECT, stays_apart.DUE, stays_apart.LATE,
        stays_apart.LONG,
    }  # fmt: skip
