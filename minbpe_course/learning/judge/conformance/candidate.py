"""The tokenizer under examination: how it is made and asked. The answers are plain values.

A caller runs it: ``Local`` in this process, which isolates nothing and has no time limit, or the grader's RemoteCaller
with ``program_around`` in a sandbox.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from minbpe_course.files import read_whole
from minbpe_course.learning.judge.callers import InProcess, run_case
from minbpe_course.learning.judge.conformance.driver import Driver
from minbpe_course.learning.judge.conformance.recipes import ITSELF, Recipe, beginning_of, trained
from minbpe_course.learning.judge.conformance.report import broken
from minbpe_course.learning.judge.equality import one_line, shown
from minbpe_course.learning.judge.exercise import Caller, Case, Outcome

MOST_STOPS = 3  # calls that took too long, or ended the process; after these no more calls are made
ENTRY = "conformance_driver"
LONGEST_SHOWN = 160


class Candidate:
    """A tokenizer that a caller runs, and how often it had to be stopped.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode()
    >>> bytewise = Candidate(Local(Bytes), "bytes")
    >>> bytewise.encode(ITSELF, "hi"), bytewise.abilities
    ([104, 105], ())
    """

    def __init__(self, caller: Caller, name: str = "your tokenizer") -> None:
        self.name = name
        self._caller = caller
        self._stops = 0

    @property
    def stopped(self) -> bool:
        """Whether no more calls are made, because too many had to be stopped."""
        return self._stops >= MOST_STOPS

    @cached_property
    def abilities(self) -> tuple[str, ...]:
        """The ways to make it: "from_ranks", "train", both or neither."""
        names = _opened(self._call(ITSELF, None, "abilities", ())).value
        return tuple(name for name in ("from_ranks", "train") if isinstance(names, list) and name in names)

    @cached_property
    def usual(self) -> Recipe:
        """The recipe for questions that any tokenizer can answer."""
        if "from_ranks" in self.abilities:
            return beginning_of("gpt2", 2_000)
        return trained() if "train" in self.abilities else ITSELF

    def make(self, recipe: Recipe, method: str = "make") -> Outcome:
        """Make a tokenizer. With the method "arguments" the value is its arguments, as they are afterwards."""
        return _opened(self._call(recipe, recipe.arguments, method, ()))

    def ask(self, recipe: Recipe, method: str, *args: Any) -> Outcome:
        """Call a method of the tokenizer that the recipe makes."""
        outcome = self._call(recipe, None, method, args)
        if outcome.value == ["not made"]:
            made = self.make(recipe)
            if made.state != "value":
                called = {"itself": "making one", "from_ranks": "from_ranks(...)", "train": "train(...)"}[recipe.how]
                return replace(made, message=f"{called}: {made.message}" if made.message else called)
            outcome = self._call(recipe, None, method, args)
        return _opened(outcome)

    def encode(self, recipe: Recipe, text: str, *allowed: object) -> list[int]:
        """Return the ids of a text. Raises Broken for an unusable answer."""
        given = f"encode({', '.join(map(short, (text, *allowed)))})"
        value = value_of(self.ask(recipe, "encode", text, *allowed), given, "a list of ids")
        ids = list(value) if isinstance(value, tuple) else value
        if not isinstance(ids, list) or not all(type(each) is int and each >= 0 for each in ids):
            broken(given, short(ids), "a list of whole numbers, none below 0", "no ids")
        return ids

    def decode(self, recipe: Recipe, ids: list[int]) -> str:
        """Return the text of ids. Raises Broken for an unusable answer."""
        given = f"decode({short(ids)})"
        value = value_of(self.ask(recipe, "decode", ids), given, "a text")
        text = value[0] if isinstance(value, list) and value else value
        if not isinstance(text, str):
            broken(given, short(text), "a text (str)", "no text")
        return text

    def _call(self, recipe: Recipe, arguments: Any, method: str, args: tuple[Any, ...]) -> Outcome:
        if self.stopped:
            return Outcome("lost", message="it was stopped too often")
        outcome = self._caller.call(Case(method, (recipe.key, recipe.how, arguments, method, args)))
        self._stops += outcome.state in ("too slow", "lost")
        return outcome


def _opened(outcome: Outcome) -> Outcome:
    if outcome.state != "value":
        return outcome
    value = outcome.value
    if isinstance(value, list) and len(value) == 2 and value[0] == "answer":
        return replace(outcome, value=value[1])
    return Outcome("refused", message="the answer does not come from the tokenizer", seconds=outcome.seconds)


def value_of(outcome: Outcome, given: str, wanted: str) -> Any:
    """Return the value of a call. Raises Broken if there is none.

    >>> value_of(Outcome("value", 7), "encode('a')", "a number")
    7
    """
    if outcome.state == "value":
        return outcome.value
    said = {
        "raised": f"raised {outcome.error}",
        "blank": "it is still blank (NotImplementedError)",
        "refused": "no plain value",
        "too slow": "it took too long and was stopped",
        "lost": "the process in which it ran ended",
    }[outcome.state]
    got = one_line(f"{said}: {outcome.message}" if outcome.message else said, LONGEST_SHOWN)
    broken(given, got, wanted, said if outcome.state == "raised" else outcome.state)


def short(value: object) -> str:
    """Return a value as Python would write it, short enough for a report."""
    return shown(value, LONGEST_SHOWN)


class Local(InProcess):
    """A caller for a class, or for a finished tokenizer, in this process.

    Arguments are copied one level deep, which is enough for containers of numbers, texts and bytes; a vocabulary has
    100,000 of them.

    >>> Local(7).call(Case("", ("as it is", "itself", (), "bit_length", ()))).value
    ['answer', 3]
    """

    def __init__(self, entry: Any) -> None:
        super().__init__(Driver(entry))

    def call(self, case: Case) -> Outcome:
        """Run one case."""
        return run_case(lambda: self.entry(*_copied(case.args)), Case(case.category, ()))


def _copied(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return value.copy() if isinstance(value, (list, dict, set)) else value


def program_around(entry: str) -> tuple[str, str]:
    """Return the source that a sandbox runs before a module that defines ``entry``, and the name that it calls.

    >>> "class Driver" in program_around("MyTokenizer")[0]
    True
    """
    source = read_whole(Path(__file__).with_name("driver.py")).decode("utf-8").replace("\r\n", "\n")
    call = f"""

def {ENTRY}(*arguments, _kept=[]):
    if not _kept:
        _kept.append(Driver({entry}))
    return _kept[0](*arguments)
"""
    return source + call, ENTRY
