"""The records of an examination: a rule, what was found against it, and the report. Data, and the words for it.

Rule       one sentence that a tokenizer must obey, why it must, and the check
Finding    the smallest counter-example that was found
Verdict    passed, failed, or not asked, with the reason
Report     all verdicts on one tokenizer
Exam       what a check works with: the candidate and its usual recipe
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal

from minbpe_course.checks.conformance.candidate import ITSELF, Candidate, Recipe
from minbpe_course.checks.conformance.recipes import beginning_of, trained
from minbpe_course.checks.equality import Cut, cut_down, shown
from minbpe_course.checks.exercise import Outcome

State = Literal["passed", "failed", "not asked"]
LONGEST_SHOWN = 160
STOPPED = ("too slow", "lost")


@dataclass(frozen=True)
class Finding:
    """What was given, what came of it, and what was wanted. ``kind`` keeps one fault from being traded for another."""

    given: str
    got: str
    wanted: str
    kind: str = "differs"


@dataclass(frozen=True)
class Exam:
    """One tokenizer on the bench."""

    candidate: Candidate

    @cached_property
    def usual(self) -> Recipe:
        """The recipe for questions that any tokenizer can answer."""
        if "from_ranks" in self.candidate.abilities:
            return beginning_of("gpt2", 2_000)
        return trained() if "train" in self.candidate.abilities else ITSELF

    def encode(self, recipe: Recipe, text: str, *allowed: object) -> list[int] | Finding:
        """Return the ids, or why there are none."""
        outcome = self.candidate.ask(recipe, "encode", text, *allowed)
        given = f"encode({', '.join(shown(each, LONGEST_SHOWN) for each in (text, *allowed))})"
        if outcome.state != "value":
            return Finding(given, in_words(outcome), "a list of ids", kind_of(outcome))
        ids = outcome.value
        if isinstance(ids, tuple):
            ids = list(ids)
        if not isinstance(ids, list) or not all(type(each) is int and each >= 0 for each in ids):
            return Finding(given, shown(ids, LONGEST_SHOWN), "a list of whole numbers, none below 0", "no ids")
        return ids

    def decode(self, recipe: Recipe, ids: list[int]) -> str | Finding:
        """Return the text, or why there is none."""
        outcome = self.candidate.ask(recipe, "decode", ids)
        given = f"decode({shown(ids, LONGEST_SHOWN)})"
        if outcome.state != "value":
            return Finding(given, in_words(outcome), "a text", kind_of(outcome))
        text = outcome.value[0] if isinstance(outcome.value, list) and outcome.value else outcome.value
        if not isinstance(text, str):
            return Finding(given, shown(text, LONGEST_SHOWN), "a text (str)", "no text")
        return text


Check = Callable[[Exam, Random], "Finding | str | None"]
"""A check returns None, a Finding, or in words why it could not ask."""


@dataclass(frozen=True)
class Rule:
    """A sentence that a tokenizer must obey.

    name : short and stable, "earliest-merge-first". title : the sentence. why : what goes wrong in the world otherwise.
    needs : what the tokenizer must be able to do, of "from_ranks" and "train".
    """

    name: str
    title: str
    why: str
    check: Check
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What came of one rule."""

    rule: Rule
    state: State
    finding: Finding | None = None
    note: str = ""


@dataclass(frozen=True)
class Report:
    """All verdicts on one tokenizer, in the order of the rules; true when nothing failed and something was asked."""

    name: str
    verdicts: tuple[Verdict, ...]

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

    def __getitem__(self, name: str) -> Verdict:
        return next(verdict for verdict in self.verdicts if verdict.rule.name == name)

    def summary(self) -> str:
        """Say it in one line.

        >>> Report("mine", ()).summary()
        'mine: 0 of 0 rules obeyed'
        """
        asked = len(self.passed) + len(self.failed)
        more = f", {len(self.not_asked)} not asked" if self.not_asked else ""
        return f"{self.name}: {len(self.passed)} of {asked} rules obeyed{more}"

    def _names(self, state: State) -> tuple[str, ...]:
        return tuple(verdict.rule.name for verdict in self.verdicts if verdict.state == state)


def first_wrong(things: Iterable[Cut], complaint: Callable[[Cut], Finding | None]) -> Finding | None:
    """Return the complaint about the first thing there is one about, the thing cut down as far as that one stays."""
    for thing in things:
        found = complaint(thing)
        if found is not None:
            if found.kind in STOPPED:
                return found
            return _smallest(thing, found, complaint)
    return None


def _smallest(thing: Cut, found: Finding, complaint: Callable[[Cut], Finding | None]) -> Finding:
    small = cut_down(thing, lambda part: getattr(complaint(part), "kind", None) == found.kind)
    return complaint(small) or found


def kind_of(outcome: Outcome) -> str:
    """Return what two outcomes must have in common to be the same fault."""
    return f"raised {outcome.error}" if outcome.state == "raised" else outcome.state


def in_words(outcome: Outcome) -> str:
    """Say what came instead of a value.

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
    return shown_text(f"{said}: {outcome.message}" if outcome.message else said)


def shown_text(text: str) -> str:
    """Return a text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"
