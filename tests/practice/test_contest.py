"""The contest: counts agree with tiktoken, and cheats are refused."""

from __future__ import annotations

import math

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.practice import contest, own_file
from minbpe_course.practice.hidden_corpus import hidden_corpus, own_corpus
from minbpe_course.practice.leaderboard import Entry

SMALL = own_corpus(
    ["low lower lowest\n", "naïve ♞ text", "a" * 50, ""], {"en": "a knight", "de": "ein Springer", "hi": "घोड़ा"}
)


def test_tokens_and_fairness_are_what_tiktoken_counts() -> None:
    use_bundled_vocabularies()
    witness = tiktoken.get_encoding("gpt2")
    result = contest.measure(contest.contestant("gpt2", witness), SMALL)
    assert isinstance(result, Entry)
    ids = [witness.encode(text) for text in (*SMALL.texts, *SMALL.parallel.values())]
    assert result.tokens == sum(map(len, ids[: len(SMALL.texts)]))
    assert result.bytes == sum(len(text.encode()) for text in SMALL.texts)
    assert result.bits == math.log2(1 + max(number for row in ids for number in row))
    counts = [len(row) for row in ids[len(SMALL.texts) :]]
    assert result.fairness == pytest.approx(sum(min(counts) / count for count in counts) / len(counts))
    assert result.speed > 0


@pytest.mark.medium
def test_baselines_and_the_learner_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINBPE_COURSE_MY_TOKENIZER", str(own_file.COURSES))
    corpus = hidden_corpus("few", characters=1_600)
    found = [contest.measure(who, corpus) for who in contest.baselines()]
    found.append(contest.measure(contest.contestant("mine", own_file.mine("MyTokenizer"), 300), corpus))
    by_name = {each.name: each for each in found if isinstance(each, Entry)}
    assert list(by_name) == [
        "plain bytes",
        "ours 4k, course text",
        "ours 8k, course text",
        "gpt2",
        "cl100k_base",
        "o200k_base",
        "mine",
    ]
    assert by_name["gpt2"].fairness < by_name["cl100k_base"].fairness < by_name["o200k_base"].fairness
    assert by_name["plain bytes"].bytes_per_token == 1
    assert by_name["mine"].bits < 8.3
    assert all(0 < each.score < 100 for each in by_name.values())


class Remembers:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, text: str) -> list[int]:
        self.texts.append(text)
        return [len(self.texts) - 1]

    def decode(self, ids: list[int]) -> str:
        return "".join(self.texts[number] for number in ids)


class Packs:
    def encode(self, text: str) -> list[int]:
        return [int.from_bytes(b"\1" + text.encode(), "big")]

    def decode(self, ids: list[int]) -> str:
        return ids[0].to_bytes((ids[0].bit_length() + 7) // 8, "big")[1:].decode()


class Lowers:
    def encode(self, text: str) -> list[int]:
        return list(text.lower().encode())

    def decode(self, ids: list[int]) -> str:
        return bytes(ids).decode()


class Nothing:
    def encode(self, text: str) -> list[int]:
        return []

    def decode(self, ids: list[int]) -> str:
        return ""


def test_cheats_are_refused_or_gain_nothing() -> None:
    def measured(kind: type, texts: list[str]) -> Entry | contest.Refused:
        return contest.measure(contest.contestant(kind.__name__, kind), own_corpus(texts, SMALL.parallel))

    for kind, said in ((Remembers, "second one"), (Lowers, "another text"), (Nothing, "another text")):
        result = measured(kind, ["A text", "and Another"])
        assert isinstance(result, contest.Refused)
        assert said in result.reason
    for texts in (["a longer text than the names"], ["a text of thousands of characters" * 100]):
        result = measured(Packs, texts)  # one id as wide as the text would be as fair as can be
        assert isinstance(result, contest.Refused)


@pytest.mark.parametrize("odd", [None, 7, object(), int, "text"])
def test_an_object_that_is_not_a_tokenizer_is_refused(odd: object) -> None:
    assert isinstance(contest.measure(contest.contestant("odd", odd), SMALL), contest.Refused)
