"""A conformance suite for byte-level tokenizers: named rules, each with a reason and the smallest counter-example.

    report_on(Candidate(local(MyTokenizer), "mine"))      -> Report
    RULES                                               all rules, in the order in which they are tried

The class under examination has ``encode(text, allowed_special)`` and ``decode(ids)``. All rules can be tried on it if
it also has ``merges``, and can be made in two ways:

    T.from_ranks(ranks, pattern, special_tokens)               a class method
    T(pattern), then .register_special_tokens(special_tokens), then .train(text, vocab_size)       as in minbpe
    T.train(text, vocab_size, pattern, special_tokens)         or all of that in one class method

An exception of the class never reaches the caller of ``report_on``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, NamedTuple

from minbpe_course.errors import InvalidOption
from minbpe_course.learning.judge.conformance.candidate import (
    STOPPED,
    Broken,
    Candidate,
    NotAsked,
    local,
    program_around,
)
from minbpe_course.learning.judge.conformance.recipes import Recipe
from minbpe_course.learning.judge.conformance.rules import RULES, Rule
from minbpe_course.learning.judge.equality import cut_down, shown

__all__ = ["RULES", "Candidate", "Report", "local", "program_around", "report_on"]

RuleState = Literal["passed", "failed", "not asked"]


class RuleResult(NamedTuple):
    """The result of one rule."""

    rule: Rule
    state: RuleState
    finding: Broken | None = None
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


def report_on(candidate: Candidate, seed: str = "practice", only: Iterable[str] | None = None) -> Report:
    """Try the rules on a tokenizer and return the report.

    seed : the texts are drawn from it. only : names of rules.

    Raises InvalidOption for an unknown name of a rule.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.lower().encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode()
    >>> report = report_on(Candidate(local(Bytes), "bytes"), only=["spaces-survive", "letters-survive", "joining"])
    >>> report.passed, report.failed, report.not_asked
    (('spaces-survive',), ('letters-survive',), ('joining',))
    >>> report["joining"].note
    'it has no class method from_ranks'
    """
    names = [rule.name for rule in RULES]
    wanted = set(names if only is None else only)
    if unknown := sorted(wanted.difference(names)):
        raise InvalidOption(f"there is no rule {unknown[0]!r}. The rules: {', '.join(names)}")
    return Report(candidate.name, tuple(_tried(rule, candidate, seed) for rule in RULES if rule.name in wanted))


def _tried(rule: Rule, candidate: Candidate, seed: str) -> RuleResult:
    if candidate.stopped:
        return RuleResult(rule, "not asked", note="it was stopped too often before")
    dice = Random(hashlib.sha256(f"{seed}\0{rule.name}".encode("utf-8", "surrogatepass")).digest())
    try:
        for recipe, things, *more in rule.sample(dice):
            for thing in things:
                if finding := _fault(rule, candidate, recipe or candidate.usual, thing, more):
                    return RuleResult(rule, "failed", finding)
    except NotAsked as reason:
        return RuleResult(rule, "not asked", note=str(reason))
    except Exception as error:  # a value that no rule expects is wrong
        got = f"an answer of a kind that cannot be compared ({shown(str(error), 80)})"
        return RuleResult(rule, "failed", Broken(rule.title, got, "a plain one"))
    return RuleResult(rule, "passed")


def _fault(rule: Rule, candidate: Candidate, recipe: Recipe, thing: Any, more: Iterable[Any]) -> Broken | None:
    """Return how a thing breaks a rule; a text or a list is cut down while the fault stays the same."""

    def fault(part: Any) -> Broken | None:
        try:
            rule.tried(candidate, recipe, part, *more)
        except Broken as error:
            return error
        return None

    found = fault(thing)
    if found and found.kind not in STOPPED and type(thing) in (str, list):
        kind = found.kind
        found = fault(cut_down(thing, lambda part: getattr(fault(part), "kind", "") == kind)) or found
    return found
