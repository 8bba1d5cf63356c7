"""Typical wrong answers of learners, each with the verdict that it must get.

One file a lesson, ``lesson_02.py``, with one list in it:

    from tests.checks.wrong_answers import Wrong

    WRONG = [
        Wrong("02.merge", "changes the list that it is given", '''
        def merge(ids, pair, new_id):
            ...
        ''', hint="changes its input"),
    ]

A known mistake carries its wrong answer itself (``Mistake.like``, see ``test_known_mistakes``). Here are the others:
other code for a known mistake, mistakes recognised by a look at the case, and those that no hint names.
``tests/assignments/test_exercises_folder.py`` runs each in place of the answer cell.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


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
