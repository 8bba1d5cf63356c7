"""The tokenizer under examination: how it is made and asked. The answers are plain values.

A caller runs it: ``local`` in this process, which isolates nothing and has no time limit, or the grader's RemoteCaller
with ``program_around`` in a sandbox.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from minbpe_course.files import read_whole
from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.conformance.driver import Driver
from minbpe_course.learning.judge.conformance.recipes import ITSELF, Recipe, beginning_of, trained
from minbpe_course.learning.judge.equality import one_line, shown
from minbpe_course.learning.judge.exercise import Caller, Case, Outcome

MOST_STOPS = 3  # calls that took too long, or ended the process; after these no more calls are made
STOPPED = ("too slow", "lost")
ENTRY = "conformance_driver"
LONGEST_SHOWN = 160


class Broken(Exception):
    """A counter-example, as texts: the input, the answer and the wanted answer.

    Two of one ``kind`` are the same fault.
    """

    def __init__(self, given: str, got: str, wanted: str, kind: str = "differs") -> None:
        super().__init__(given, got, wanted)
        self.given, self.got, self.wanted, self.kind = given, got, wanted, kind


class NotAsked(Exception):
    """A rule cannot be tried on this tokenizer, and why."""


class Candidate:
    """A tokenizer that a caller runs. ``seconds`` is how long the last call took.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode()
    >>> bytewise = Candidate(local(Bytes), "bytes")
    >>> bytewise.encode(ITSELF, "hi"), bytewise.abilities
    ([104, 105], ())
    """

    def __init__(self, caller: Caller, name: str = "your tokenizer") -> None:
        self.name = name
        self.seconds = 0.0
        self._caller = caller
        self._stops = 0

    @property
    def stopped(self) -> bool:
        """Whether no more calls are made, because too many had to be stopped."""
        return self._stops >= MOST_STOPS

    @cached_property
    def abilities(self) -> tuple[str, ...]:
        """The ways to make it: "from_ranks", "train" and "load", or none of them."""
        try:
            names = self.ask(ITSELF, "abilities")
        except Broken:
            return ()
        return tuple(name for name in ("from_ranks", "train", "load") if isinstance(names, list) and name in names)

    @cached_property
    def usual(self) -> Recipe:
        """The recipe for questions that any tokenizer can answer."""
        if "from_ranks" in self.abilities:
            return beginning_of("gpt2", 2_000)
        return trained() if "train" in self.abilities else ITSELF

    def ask(self, recipe: Recipe, method: str, *args: Any, wanted: str = "an answer") -> Any:
        """Return the answer of the tokenizer that the recipe makes.

        Raises Broken if it gives no answer, NotAsked if the class has no such way to make a tokenizer.
        """
        if recipe.how != "itself" and recipe.how not in self.abilities:
            raise NotAsked(f"it has no class method {recipe.how}")
        given = f"{method}({', '.join(map(short, args))})"
        outcome = self._call(recipe, None, method, args)
        if outcome.value == []:
            outcome = self._call(recipe, recipe.arguments, "make", ())
            if outcome.state == "value":
                outcome = self._call(recipe, None, method, args)
            else:
                given = "making one" if recipe.how == "itself" else f"{recipe.how}(...)"
        if outcome.state == "value" and isinstance(outcome.value, list) and len(outcome.value) == 1:
            return outcome.value[0]
        said = {
            "value": "the answer does not come from the tokenizer",
            "raised": f"raised {outcome.error}",
            "blank": "it is still blank (NotImplementedError)",
            "refused": "no plain value",
            "too slow": "it took too long and was stopped",
            "lost": "the process in which it ran ended",
        }[outcome.state]
        got = one_line(f"{said}: {outcome.message}" if outcome.message else said, LONGEST_SHOWN)
        raise Broken(given, got, wanted, said if outcome.state == "raised" else outcome.state)

    def encode(self, recipe: Recipe, text: str, *allowed: object) -> list[int]:
        """Return the ids of a text. Raises Broken for an unusable answer."""
        value = self.ask(recipe, "encode", text, *allowed, wanted="a list of ids")
        ids = list(value) if isinstance(value, tuple) else value
        if not isinstance(ids, list) or not all(type(each) is int and each >= 0 for each in ids):
            raise Broken(f"encode({short(text)})", short(ids), "a list of whole numbers, none below 0", "no ids")
        return ids

    def decode(self, recipe: Recipe, ids: list[int]) -> str:
        """Return the text of ids. Raises Broken for an unusable answer."""
        value = self.ask(recipe, "decode", ids, wanted="a text")
        text = value[0] if isinstance(value, list) and value else value
        if not isinstance(text, str):
            raise Broken(f"decode({short(ids)})", short(text), "a text (str)", "no text")
        return text

    def back(self, recipe: Recipe, text: str) -> str:
        """Encode a text, decode the ids, and return the result. Raises Broken for an unusable answer."""
        return self.decode(recipe, self.encode(recipe, text))

    def _call(self, recipe: Recipe, arguments: Any, method: str, args: tuple[Any, ...]) -> Outcome:
        if self.stopped:
            return Outcome("lost", message="it was stopped too often")
        outcome = self._caller.call(Case(method, (recipe.key, recipe.how, arguments, method, args)))
        self._stops += outcome.state in STOPPED
        self.seconds = outcome.seconds
        return outcome


def short(value: object) -> str:
    """Return a value as Python would write it, short enough for a report."""
    return shown(value, LONGEST_SHOWN)


def local(entry: Any) -> InProcess:
    """Return a caller for a class, or for a finished tokenizer, in this process.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    >>> local(Bytes()).call(Case("", ("as it is", "itself", (), "encode", ("hi",)))).value
    [[104, 105]]
    """
    return InProcess(Driver(entry))


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
