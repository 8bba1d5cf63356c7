"""The shelf of wrong answers: what learners write before they are right, and what the check says about each.

One file a lesson, ``lesson_02.py``, with one list in it:

    from tests.checks.wrong_answers import Wrong

    WRONG = [
        Wrong("02.merge", "overlapping pairs eat each other", '''
        def merge(ids, pair, new_id):
            ...
        ''', hint="skips-one-too-few"),
    ]

At least three for each exercise. ``tests/test_exercises_folder.py`` runs each of them in place of the answer cell.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """One wrong answer.

    key : the exercise, "02.merge".
    name : what is wrong with it, in a few words; names are unique within an exercise.
    source : what the learner would have in the answer cell, whole (indentation common to all lines is taken away). It
        sees the lesson's given cells, and the right answers to the other exercises of its lesson.
    hint : the name of the Mistake that must be recognised, or one of the judge's own: "raised", "returned None",
        "wrong type", "too slow", ... ; "" where the verdict can only show the difference.
    state : "not yet", or "not started" for an answer that amounts to a blank.
    points : what it earns in spite of being wrong, for exercises that give part of their points.
    """

    key: str
    name: str
    source: str
    hint: str
    state: str = "not yet"
    points: float = 0

    @property
    def code(self) -> str:
        """The source without the indentation of the file that it stands in."""
        return textwrap.dedent(self.source).strip("\n") + "\n"
