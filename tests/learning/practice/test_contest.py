"""The contest: counts agree with tiktoken, and cheats are refused."""

from __future__ import annotations

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.learning.practice import contest
from minbpe_course.learning.practice.held_out import own_texts
from minbpe_course.learning.practice.leaderboard import Entry

SMALL = own_texts(
    {"prose": ["low lower lowest\n", "naïve ♞ text"], "code": ["a" * 50, ""]},
    {"en": ["a ", "knight"], "de": ["ein ", "Springer"], "hi": ["घोड़ा"]},
)


def test_tokens_and_costs_are_what_tiktoken_counts() -> None:
    use_bundled_vocabularies()
    witness = tiktoken.get_encoding("gpt2")
    result = contest.measure("gpt2", witness, SMALL)
    assert isinstance(result, Entry)
    texts = [text for row in SMALL.texts.values() for text in row]
    texts += [text for row in SMALL.parallel.values() for text in row]
    ids = [witness.encode(text) for text in texts]
    assert result.tokens == sum(map(len, ids))
    assert result.bytes == sum(len(text.encode()) for text in texts)
    assert result.ids == 1 + max(number for row in ids for number in row)
    counts = [sum(len(witness.encode(text)) for text in row) for row in SMALL.parallel.values()]
    assert result.dearest == pytest.approx(max(counts) / min(counts))
    assert result.speed > 0


class Remembers:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, text: str) -> list[int]:
        self.texts.append(text)
        return [len(self.texts) - 1]

    def decode(self, ids: list[int]) -> str:
        return "".join(self.texts[number] for number in ids)


class Lowers:
    def encode(self, text: str) -> list[int]:
        return list(text.lower().encode())

    def decode(self, ids: list[int]) -> str:
        return bytes(ids).decode()


def test_cheats_are_refused_or_gain_nothing() -> None:
    def measured(kind: type, texts: list[str]) -> Entry | contest.Refused:
        return contest.measure(kind.__name__, kind, own_texts({"mine": texts}, SMALL.parallel))

    for kind, said in ((Remembers, "second one"), (Lowers, "another text")):
        result = measured(kind, ["A text", "and Another"])
        assert isinstance(result, contest.Refused)
        assert said in result.reason
