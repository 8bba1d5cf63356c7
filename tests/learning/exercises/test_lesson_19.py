"""The open question of lesson 19: no single changed line earns a point; words first, then phrases, earn all."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from minbpe_course.learning.exercises.lesson_19 import own_change
from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.catalogue import find
from minbpe_course.learning.judge.exercise import Case
from minbpe_course.learning.judge.judge import cases_of
from tests.shared.lesson_code import solved

pytestmark = pytest.mark.medium


def percent(kind: Any, secret: str) -> float:
    cases: tuple[Case, ...] = tuple(one.case for one in cases_of(find("19.own_change"), secret))
    outcomes = [run_case(kind, case) for case in cases]
    assert [own_change.complaint(case, outcome.value) for case, outcome in zip(cases, outcomes)] == [None] * len(cases)
    return own_change.measured(cases, [outcome.value for outcome in outcomes])[0]


ONE_LINE = (
    r".+",
    r"[^\n]+|\n+",
    r"[^.\n]+|[.\n]+",
    r"[^.,\n]+|[.,\n]+",
    r" ?\w+(?: \w+)?| ?[^\w\s]+|\s+",
    r" ?[^ ]+| +",
)


@pytest.mark.parametrize("secret", ["class 0", *(pytest.param(f"class {n}", marks=pytest.mark.slow) for n in (1, 2))])
def test_one_changed_line_earns_nothing_and_words_then_phrases_earn_all(secret: str) -> None:
    names = dict(solved("19"))
    plain: Any = names["PlainTokenizer"]

    class ByHeart(plain):  # type: ignore[misc]
        def learn(self, text: str, size: int) -> list[bytes]:
            tokens = [word for word, _ in Counter(self.split(text)).most_common(size - 256) if len(word) > 1]
            self.vocabulary = {token: at for at, token in enumerate([*super().learn(text, 256), *tokens])}
            return list(self.vocabulary)

        def encode_word(self, word: bytes) -> list[int]:
            known = getattr(self, "vocabulary", {})
            return [known[word]] if word in known else list(word)

    def cut(pattern: str) -> Any:
        find = re.compile(pattern, re.DOTALL).findall
        return type("Cut", (plain,), {"split": lambda self, text: [one.encode() for one in find(text)]})

    lowest = own_change.EXERCISE.levels[-1][0]
    assert percent(names["YourTokenizer"], secret) <= own_change.EXERCISE.levels[0][0]
    assert min(percent(kind, secret) for kind in [*map(cut, ONE_LINE), plain, ByHeart]) > lowest


@pytest.mark.parametrize(
    ("tokens", "ids"),
    [
        (None, []),
        (["a"], [0]),
        ([b"a"] * 261, [0]),
        ([b"a", b"b"], [0, 2]),
        ([b"a", b"b"], [True]),
        ([b"a", b"b"], [0]),
        ([b"x" * 100_000], [0] * 100_000),
    ],
)
def test_what_breaks_a_rule(tokens: Any, ids: Any) -> None:
    case = Case("", (), (("learn", ("ab", 260)), ("encode", ("ab",))))
    assert own_change.complaint(case, [tokens, ids])
    assert own_change.complaint(case, [[b"a", b"b"]]) == own_change.complaint(case, 7) == "an answer to every call"
    assert own_change.complaint(case, [[b"a", b"b"], [0, 1]]) is None
