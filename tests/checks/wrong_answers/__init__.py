"""Typical wrong answers of learners, each with the verdict that it must get.

One file a lesson, ``lesson_02.py``, with one shelf of them in it:

    WRONG = Shelf()

    @WRONG.add("02.merge", "changes the list that it is given", "changes its input")
    def merge(ids, pair, new_id): ...

    WRONG.edit("02.train_merges", "the rarest pair", "", ("max(", "min("))

A known mistake carries its wrong answer itself (``Mistake.like``, see ``test_known_mistakes``). Here are the others:
other code for a known mistake, mistakes recognised by a look at the case, and those that no hint names.
``tests/assignments/test_exercises_folder.py`` runs each in place of the answer cell.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.checks.exercise import changed
from tests.shared.lesson_code import notebook_of, parts_of


@dataclass(frozen=True)
class Wrong:
    """One wrong answer.

    key : the exercise, "02.merge".
    name : the fault in a few words; unique within an exercise.
    source : the whole answer cell; common indentation is removed. It sees the lesson's given cells and the right
        answers to the other exercises of its lesson.
    hint : the name of the Mistake that must be recognised, or one of the judge's own: "raised", "returned None",
        "wrong type", "too slow", ...; "" where the verdict can only show the difference.
    state : "not yet", or "not started" for an answer that amounts to a blank.
    points : of a wrong answer, in exercises that give part of their points.
    """

    key: str
    name: str
    source: str
    hint: str
    state: str = "not yet"
    points: float = 0

    @property
    def code(self) -> str:
        """The source without its common indentation."""
        return textwrap.dedent(self.source).strip("\n") + "\n"


class Shelf(list[Wrong]):
    """The wrong answers to one lesson."""

    def add(self, key: str, name: str, hint: str, **verdict: Any) -> Callable[[Callable[..., Any]], None]:
        """Decorate a function that is the whole answer cell. A class, or a cell with more in it, is a ``Wrong``."""

        def added(function: Callable[..., Any]) -> None:
            _, _, source = inspect.getsource(function).partition("\ndef ")
            self.append(Wrong(key, name, f"def {source}", hint, **verdict))

        return added

    def edit(self, key: str, name: str, hint: str, *replacements: tuple[str, str], **verdict: Any) -> None:
        """Add the solution with some parts replaced."""
        self.append(Wrong(key, name, changed(solution(key), *replacements), hint, **verdict))


def solution(key: str) -> str:
    """The source of the answer cell of a solution."""
    (source,) = (
        source for other, role, source in parts_of(notebook_of(key[:2])) if (other.key, role) == (key, "answer")
    )
    return source


def wrong_answers() -> list[Wrong]:
    """The wrong answers to all lessons."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("lesson_??.py"))
    return [wrong for name in modules for wrong in importlib.import_module(f"{__name__}.{name}").WRONG]
