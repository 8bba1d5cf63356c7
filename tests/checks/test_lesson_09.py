"""The references of lessons 09 and 11, compared with tiktoken, codecs, plain merging, and all futures."""

from __future__ import annotations

import codecs
import itertools
import random

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.lesson_09 import stays_apart, tests_of_encode, word_cache
from minbpe_course.checks.lesson_11 import certain_text, heal, token_offsets
from minbpe_course.reference import backtracking
from minbpe_course.reference.encoding import encode_word
from tests.shared.cases import hostile_texts
from tests.shared.lesson_code import cases_under, solved


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


def test_certain_text_continues_where_it_stopped() -> None:
    rng = random.Random(2)
    for _ in range(2_000):
        data = b"".join(
            rng.choice([b"a", b"\xe2\x99", b"\x9e", "\u4e2d".encode(), b"\xf0\x9f", b"\xff"]) for _ in range(5)
        )
        at = rng.randint(0, len(data))
        text, rest = certain_text.certain_text(data[:at])
        assert text + (rest + data[at:]).decode("utf-8", "replace") == data.decode("utf-8", "replace")
        assert len(rest) < 4


def test_no_case_of_certain_text_depends_on_how_surrogates_are_decoded() -> None:
    """CPython's decoder waits after ED A0, which begins no character: a stricter answer must not lose a point."""
    for case in cases_under(8, "11.certain_text"):
        (data,) = case.args
        _, rest = certain_text.certain_text(data)
        completed = [rest + filler * more for filler in (b"\x80", b"\xbf") for more in (1, 2, 3)]
        may = any(codecs.decode(end, "utf-8", "ignore") and len(codecs.decode(end, "utf-8", "replace")) == 1
                  for end in completed)  # fmt: skip
        assert not rest or may, data


def test_neighbours_stay_apart_when_merging_keeps_them_apart() -> None:
    cases = cases_under(8, "09.stays_apart")
    for case in cases:
        left, right, ranks = case.args
        halves = {token: pair for pair, token in ranks.items()}

        def spelled(token: int, halves: dict = halves) -> list[int]:
            return [byte for half in halves[token] for byte in spelled(half)] if token in halves else [token]

        merged = encode_word(spelled(left) + spelled(right), ranks)
        assert stays_apart.stays_apart(*case.args) == (merged == [left, right])
    assert {case.category for case in cases} == {
        stays_apart.BYTES, stays_apart.DIRECT, stays_apart.DUE, stays_apart.LATE,
    }  # fmt: skip


def test_healing_removes_the_text_that_one_longer_token_could_extend() -> None:
    for case in cases_under(8, "11.heal"):
        tokens, vocabulary = case.args
        kept, allowed = heal.heal(tokens, vocabulary)
        taken = b"".join(tokens[kept:])
        assert (kept == len(tokens)) == (not allowed)
        assert all(token.startswith(taken) for token in allowed)
        for at in range(kept):
            assert not [t for t in vocabulary if t.startswith(b"".join(tokens[at:])) and t != b"".join(tokens[at:])]


def every_future(size: int, words: list[str]) -> int:
    """The most words that any cache could answer, by trying every decision."""
    held: dict[frozenset[str], int] = {frozenset(): 0}
    for word in words:
        after: dict[frozenset[str], int] = {}
        for inside, hits in held.items():
            if word in inside:
                ways = [inside]
            else:
                ways = [inside, *((inside - {gone}) | {word} for gone in inside if len(inside) == size)]
                ways += [inside | {word}] if len(inside) < size else []
            for way in ways:
                after[way] = max(after.get(way, 0), hits + (word in inside))
        held = after
    return max(held.values())


def test_no_cache_answers_more_than_the_best() -> None:
    rng = random.Random(4)
    for size, number in itertools.product((1, 2, 3), range(60)):
        words = rng.choices("abcdef"[: 2 + number % 5], k=12)
        assert word_cache.most_hits(size, words) == every_future(size, words), (size, words)


def test_the_notebook_gives_the_vocabularies_of_the_check() -> None:
    assert tuple(solved("09")["VOCABULARIES"]) == tests_of_encode.VOCABULARIES
    for ranks in tests_of_encode.VOCABULARIES:
        tables = backtracking.prepare(ranks)  # every token is reached by its own merges
        for source in tests_of_encode.RIGHT:
            encode = implementation_of(source, "encode")
            for size in range(9):
                for word in map(bytes, itertools.product(b"ab", repeat=size)):
                    assert encode(word, ranks) == backtracking.encode_word(word, tables)
