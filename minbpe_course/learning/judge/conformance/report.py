"""The records of an examination, from a rule to the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, NoReturn

RuleState = Literal["passed", "failed", "not asked"]


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


class NotAsked(Exception):
    """A rule cannot be tried on this tokenizer, and why."""


def broken(given: str, got: str, wanted: str, kind: str = "differs") -> NoReturn:
    """Raise Broken with this counter-example."""
    raise Broken(Finding(given, got, wanted, kind))


@dataclass(frozen=True)
class Rule:
    """A sentence that a tokenizer must obey.

    name : short and stable, "earliest-merge-first". title : the sentence. why : what goes wrong otherwise.
    check : of a Candidate; raises Broken, or NotAsked if it cannot be tried on this one.
    """

    name: str
    title: str
    why: str
    check: Callable[[Any, Random], None]


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
        return bool(self.passed) and not self.failed

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
