"""The records of an examination, from a rule to the report, and how a rule says that it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal, NoReturn

from minbpe_course.learning.judge.conformance.candidate import ITSELF, Candidate, Recipe
from minbpe_course.learning.judge.conformance.recipes import beginning_of, trained
from minbpe_course.learning.judge.equality import Cut, cut_down, one_line, shown
from minbpe_course.learning.judge.exercise import Outcome

RuleState = Literal["passed", "failed", "not asked"]
LONGEST_SHOWN = 160
STOPPED = ("too slow", "lost")
FROM_RANKS = ("from_ranks",)
TRAIN = ("train",)


@dataclass(frozen=True)
class Finding:
    """The input, the answer and the wanted answer, as texts. Two findings of one ``kind`` are the same fault."""

    given: str
    got: str
    wanted: str
    kind: str = "differs"


class Broken(Exception):
    """A rule is broken; ``finding`` is the counter-example."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding


def broken(given: str, got: str, wanted: str, kind: str = "differs") -> NoReturn:
    """Raise Broken with this counter-example."""
    raise Broken(Finding(given, got, wanted, kind))


@dataclass(frozen=True)
class Exam:
    """A tokenizer under examination. Its methods raise Broken for an unusable answer."""

    candidate: Candidate

    @cached_property
    def usual(self) -> Recipe:
        """The recipe for questions that any tokenizer can answer."""
        if "from_ranks" in self.candidate.abilities:
            return beginning_of("gpt2", 2_000)
        return trained() if "train" in self.candidate.abilities else ITSELF

    def encode(self, recipe: Recipe, text: str, *allowed: object) -> list[int]:
        """Return the ids of a text."""
        outcome = self.candidate.ask(recipe, "encode", text, *allowed)
        given = f"encode({', '.join(short(each) for each in (text, *allowed))})"
        value = value_of(outcome, given, "a list of ids")
        ids = list(value) if isinstance(value, tuple) else value
        if not isinstance(ids, list) or not all(type(each) is int and each >= 0 for each in ids):
            broken(given, short(ids), "a list of whole numbers, none below 0", "no ids")
        return ids

    def decode(self, recipe: Recipe, ids: list[int]) -> str:
        """Return the text of ids."""
        outcome = self.candidate.ask(recipe, "decode", ids)
        given = f"decode({short(ids)})"
        value = value_of(outcome, given, "a text")
        text = value[0] if isinstance(value, list) and value else value
        if not isinstance(text, str):
            broken(given, short(text), "a text (str)", "no text")
        return text


Check = Callable[[Exam, Random], "str | None"]
"""A check raises Broken, or returns None, or says in words why it could not ask."""


@dataclass(frozen=True)
class Rule:
    """A sentence that a tokenizer must obey.

    name : short and stable, "earliest-merge-first". title : the sentence. why : what goes wrong otherwise.
    needs : the class methods that the tokenizer must have, of "from_ranks" and "train".
    """

    name: str
    title: str
    why: str
    check: Check
    needs: tuple[str, ...] = ()


def rule(name: str, title: str, why: str, needs: tuple[str, ...] = ()) -> Callable[[Check], Rule]:
    """Make a Rule of the check that follows.

    >>> @rule("empty", "The empty text has no ids", "Empty lines are common.")
    ... def empty(exam, dice): ...
    >>> empty.name
    'empty'
    """
    return lambda check: Rule(name, title, why, check, needs)


@dataclass(frozen=True)
class RuleResult:
    """The result of one rule."""

    rule: Rule
    state: RuleState
    finding: Finding | None = None
    note: str = ""


@dataclass(frozen=True)
class Report:
    """The results for one tokenizer, in the order of the rules; true when nothing failed and something was asked."""

    name: str
    verdicts: tuple[RuleResult, ...]

    def __bool__(self) -> bool:
        return not self.failed and bool(self.passed)

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of the rules that it obeys."""
        return self._names("passed")

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the rules that it breaks."""
        return self._names("failed")

    @property
    def not_asked(self) -> tuple[str, ...]:
        """The names of the rules that could not be tried on it."""
        return self._names("not asked")

    def __getitem__(self, name: str) -> RuleResult:
        return next(result for result in self.verdicts if result.rule.name == name)

    def summary(self) -> str:
        """Return the numbers in one line.

        >>> Report("mine", ()).summary()
        'mine: 0 of 0 rules obeyed'
        """
        asked = len(self.passed) + len(self.failed)
        more = f", {len(self.not_asked)} skipped" if self.not_asked else ""
        return f"{self.name}: {len(self.passed)} of {asked} rules obeyed{more}"

    def _names(self, state: RuleState) -> tuple[str, ...]:
        return tuple(result.rule.name for result in self.verdicts if result.state == state)


def for_each(things: Iterable[Cut], check: Callable[[Cut], None]) -> None:
    """Check things until one breaks the rule, and raise Broken for it, cut down while the fault stays the same."""

    def found(thing: Cut) -> Finding | None:
        try:
            check(thing)
        except Broken as error:
            return error.finding
        return None

    for thing in things:
        finding = found(thing)
        if finding is not None:
            raise Broken(_smallest(thing, finding, found))


def _smallest(thing: Cut, finding: Finding, found: Callable[[Cut], Finding | None]) -> Finding:
    if finding.kind in STOPPED:
        return finding
    small = cut_down(thing, lambda part: getattr(found(part), "kind", None) == finding.kind)
    return found(small) or finding


def value_of(outcome: Outcome, given: str, wanted: str) -> Any:
    """Return the value of a call, and raise Broken if there is none."""
    if outcome.state != "value":
        kind = f"raised {outcome.error}" if outcome.state == "raised" else outcome.state
        broken(given, in_words(outcome), wanted, kind)
    return outcome.value


def in_words(outcome: Outcome) -> str:
    """Say what happened instead of a value.

    >>> in_words(Outcome("raised", error="KeyError", message="7"))
    'raised KeyError: 7'
    """
    said = {
        "raised": f"raised {outcome.error}",
        "blank": "it is still blank (NotImplementedError)",
        "refused": "no plain value",
        "too slow": "it took too long and was stopped",
        "lost": "the process in which it ran ended",
    }[outcome.state]
    return one_line(f"{said}: {outcome.message}" if outcome.message else said, LONGEST_SHOWN)


def short(value: object) -> str:
    """Return a value as Python would write it, short enough for a report."""
    return shown(value, LONGEST_SHOWN)
