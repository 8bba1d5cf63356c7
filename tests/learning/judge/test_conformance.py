"""The conformance suite: the originals obey it, each broken tokenizer is caught by the rule that names its fault,
and no class, however odd, makes it raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.errors import InvalidOption
from minbpe_course.learning.judge.callers import InProcess, implementation_of
from minbpe_course.learning.judge.conformance import RULES, Candidate, local, recipes, report_on, rules
from minbpe_course.learning.judge.conformance.candidate import Broken
from minbpe_course.learning.judge.conformance.recipes import ITSELF, Ours
from minbpe_course.learning.judge.conformance.rules import PUBLISHED, texts_for
from minbpe_course.learning.judge.exercise import Case, Outcome
from minbpe_course.learning.practice import own_file
from tests.learning.judge.broken_tokenizers import answers_as_tokenizer, broken

pytestmark = pytest.mark.medium

# Slow rules, tried only on the tokenizers that break them.
SLOW = {"time-of-a-text", "time-of-a-word", "no-borders-of-its-own", "long-texts-survive", "ids-of-gpt2"}
SLOWEST = {"ids-of-cl100k_base", "ids-of-o200k_base"}
ALL = {rule.name for rule in RULES}


@pytest.mark.slow
def test_the_answers_obey_every_rule() -> None:
    mine = implementation_of(answers_as_tokenizer(), "MyTokenizer")
    report = report_on(Candidate(local(mine), "answers"), "any seed")
    assert report.failed == ()
    assert report.passed == tuple(rule.name for rule in RULES)
    assert bool(report)


def test_the_package_obeys_every_rule() -> None:
    report = report_on(Candidate(local(Ours), "ours"), "practice")
    assert report.failed == ()
    assert report.not_asked == ()


class Tiktoken(Ours):
    """tiktoken with the same methods; it does not train."""

    train = None  # type: ignore[assignment]

    @classmethod
    def from_ranks(cls, ranks, pattern, special_tokens):
        made = tiktoken.Encoding(
            "rebuilt", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special_tokens)
        )
        return cls(made)


def test_tiktoken_obeys_every_rule_except_overlapping_special_tokens() -> None:
    report = report_on(Candidate(local(Tiktoken), "tiktoken"))
    # There it takes the order of a table whose order is drawn anew in every process.
    assert set(report.failed) <= {"specials-overlap"}
    skipped = {verdict.rule.name for verdict in report.verdicts if verdict.note == "it has no class method train"}
    assert set(report.not_asked) == skipped
    assert len(skipped) == 7


def test_the_tokenizer_that_the_lessons_build_obeys_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINBPE_COURSE_MY_TOKENIZER", "no_such_file.py")
    report = report_on(Candidate(local(own_file.mine("MyTokenizer")), "lessons"), only=ALL - SLOWEST)
    assert report.failed == report.not_asked == ()


@pytest.mark.slow
def test_each_broken_tokenizer_breaks_the_rule_for_its_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_ROUNDS", rules.LEAST_ROUNDS)
    shelf = list(broken(answers_as_tokenizer()))
    assert len(shelf) >= 20
    alone = 0
    for name, rule, kind in shelf:
        only = {rule} if rule in SLOW else ALL - SLOW - SLOWEST
        for _ in range(5):  # a rule about time is in favour of the tokenizer when the machine is busy
            report = report_on(Candidate(local(kind), name), only=only)
            if rule in report.failed:
                break
        assert rule in report.failed, (name, report.failed)
        assert rule in SLOW or report.passed, name
        alone += rule not in SLOW and report.failed == (rule,)
        finding = report[rule].finding
        assert finding is not None
        assert finding.got != finding.wanted
    # Each rule catches a tokenizer, except the two slowest, which are like a third one.
    assert {rule for _, rule, _ in shelf} == ALL - SLOWEST
    # A suite in which every rule fails would pass the checks above.
    assert alone >= 12


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_oracle_has_the_ids_of_tiktoken(name: str) -> None:
    use_bundled_vocabularies()
    witness = tiktoken.get_encoding(name)
    for text in texts_for(Random(5)):
        assert recipes.oracle(recipes.beginning_of(name)).encode(text) == witness.encode_ordinary(text)


# ----------------------------------------------------------------------------------------------------
# Odd classes


class Raises:
    def __init__(self, *args: Any) -> None:
        raise RuntimeError("not today")


class Exits:
    def encode(self, text: str) -> list[int]:
        raise SystemExit("bye")

    def decode(self, ids: list[int]) -> str:
        raise KeyError(self)


class Odd:
    """Answers with odd values in turn."""

    answers: Iterator[Any]
    things = (None, 1.5, {"a": 1}, [[1]], [True], "ids", object(), [-1], [1.0], [None], (x for x in [object()]), ...)

    def __init__(self) -> None:
        type(self).answers = iter(self.things * 400)

    def encode(self, text: str) -> Any:
        return next(type(self).answers)

    decode = encode  # type: ignore[assignment]


class EndlessIds:
    def encode(self, text: str) -> Any:
        return iter(lambda: 1, None)

    def decode(self, ids: Any) -> Any:
        return EndlessIds

    merges = 7


class Lies(list):
    """Ids that claim to equal everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Liar:
    def encode(self, text: str, *more: Any) -> Any:
        return Lies([1, 2, 3])

    def decode(self, ids: Any) -> str:
        class Text(str):
            __slots__ = ()
            __eq__ = Lies.__eq__  # type: ignore[assignment]
            __hash__ = str.__hash__

        return Text("anything")


class Bytewise:
    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8", "replace"))

    def decode(self, ids: list[int]) -> str:
        return bytes(ids).decode("utf-8", "replace")


def with_strange_attributes() -> type:
    """A class that raises for every attribute that it has not; pytest itself must not look at it."""

    class StrangeAttributes(type):
        def __getattr__(cls, name: str) -> Any:
            raise MemoryError(name)

        def __instancecheck__(cls, instance: Any) -> bool:
            raise MemoryError("instance")

    return StrangeAttributes("Strange", (Bytewise,), {})


@pytest.mark.parametrize("number", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow), 4, 5])
def test_odd_classes_get_a_report(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    odd: list[Any] = [Raises, Exits, Odd, EndlessIds, with_strange_attributes(), None]
    entry = odd[number]
    monkeypatch.setattr(rules, "MOST_ROUNDS", 1)
    report = report_on(
        Candidate(local(entry), "odd"), only=ALL - ({"long-texts-survive"} if entry is EndlessIds else set())
    )
    assert not report
    assert report.failed
    for verdict in report.verdicts:
        assert (verdict.state == "failed") == (verdict.finding is not None)
        assert verdict.state != "not asked" or verdict.note


def test_a_class_that_overrides_equality_deceives_no_rule() -> None:
    report = report_on(Candidate(local(Liar), "liar"), only=ALL - {"time-of-a-text", "time-of-a-word"})
    assert set(report.passed) <= {"ids-are-numbers", "text-is-text", "same-twice", "arguments-kept", "surrogates"}


class _Stops:
    """A caller for which everything takes too long."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, case: Case) -> Outcome:
        self.calls += 1
        return Outcome("too slow")

    def try_test(self, implementation: str) -> Outcome:
        raise NotImplementedError


def test_a_tokenizer_that_is_always_stopped_is_given_up() -> None:
    caller = _Stops()
    report = report_on(Candidate(caller, "endless"))
    assert caller.calls <= 4
    assert not report
    assert "too often" in report.verdicts[-1].note


class _Timed:
    """A caller for which a call takes as long as a function of the size of the text and of the number of calls says."""

    def __init__(self, seconds: Callable[[int, int], float]) -> None:
        self.seconds = seconds
        self.calls = 0

    def call(self, case: Case) -> Outcome:
        *_, method, args = case.args
        if method == "abilities":
            return Outcome("value", [[]])
        self.calls += 1
        return Outcome("value", [[1]], seconds=self.seconds(len(args[0]), self.calls))

    def try_test(self, implementation: str) -> Outcome:
        raise NotImplementedError


@pytest.mark.parametrize("rule", ["time-of-a-text", "time-of-a-word"])
def test_a_busy_machine_changes_no_verdict_about_speed(rule: str) -> None:
    def busy_later(size: int, call: int) -> float:
        return 1e-4 * size * (1 if call < 2 or call > 16 else 50)

    def busy_at_first(size: int, call: int) -> float:
        return 1e-6 * size**3 * (50 if call < 4 else 1)

    assert report_on(Candidate(_Timed(busy_later)), only=[rule]).passed == (rule,)
    assert report_on(Candidate(_Timed(busy_at_first)), only=[rule]).failed == (rule,)


def test_an_answer_that_skips_the_driver_is_refused() -> None:
    candidate = Candidate(InProcess(lambda *args: "answer"), "a driver that was replaced")
    assert candidate.abilities == ()
    with pytest.raises(Broken) as caught:
        candidate.encode(ITSELF, "a")
    assert "does not come from the tokenizer" in caught.value.got
    assert not report_on(candidate)


def test_every_rule_has_a_unique_name_and_a_reason() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES) == len({rule.title for rule in RULES})
    assert all(len(rule.why) > 20 for rule in RULES)
    with pytest.raises(InvalidOption, match="spaces-survive"):
        report_on(Candidate(local(Bytewise)), only=["blanks"])
