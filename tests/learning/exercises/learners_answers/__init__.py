"""Answers as learners write them, in a file for each exercise: ``02.merge.md``.

    ## wrong: in place                        a wrong answer, with its fault in a few words

    Recognised: changes its input             the Mistake that must be recognised, or one of the judge's own: "raised",
    Points: 1                                 "returned None", ...; "none" where the verdict shows only the difference

    ```python
    def merge(ids, pair, new_id): ...         the whole answer cell
    ```

    ## right: a generator                     a right answer by an unusual route

Many were written from the notebooks alone, by people who had seen neither the cases nor the hints. A known mistake
carries its wrong answer itself (``Mistake.like``); here is other code for it, and what no hint names.
``tests/golden`` runs each one in place of the answer cell, and ``tests/learning/exercises/test_right_answers.py`` runs
each right one in a separate process, too.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from minbpe_course.learning.judge import catalogue
from tests.shared.lesson_code import notebook_of, parts_of

ANSWER = re.compile(
    r"^## (?P<sort>wrong|right): (?P<name>[^\n]+)\n\n(?P<verdict>(?:[A-Z]\w+: [^\n]+\n)*)\n?"
    r"```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Written(NamedTuple):
    """One answer. It sees the given cells of its lesson and the right answers to the lesson's other exercises.

    key : the exercise, "02.merge".
    name : the fault, or the route, in a few words; unique within an exercise.
    code : the whole answer cell.
    hint : the name of the mistake that must be recognised, or "".
    state : "not yet", or "not started" for an answer that amounts to a blank.
    points : of a wrong answer, in exercises that give part of their points.
    """

    key: str
    name: str
    code: str
    hint: str = ""
    state: str = "not yet"
    points: float = 0


@cache
def written(sort: str) -> tuple[Written, ...]:
    """The answers of one sort, "wrong" or "right", to all exercises."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        answers = [match for match in ANSWER.finditer(text) if match["sort"] == sort]
        assert len(re.findall(f"^## {sort}: ", text, re.MULTILINE)) == len(answers), path
        for match in answers:
            verdict = dict(line.split(": ", 1) for line in match["verdict"].splitlines())
            hint = verdict.get("Recognised", "none")
            state, points = verdict.get("State", "not yet"), float(verdict.get("Points", 0))
            found.append(
                Written(path.stem, match["name"], match["code"], "" if hint == "none" else hint, state, points)
            )
    return tuple(found)


def solution(key: str) -> str:
    """The source of the answer cell of a solution."""
    cell = catalogue.find(key).cell_id
    (source,) = (
        source for other, role, source in parts_of(notebook_of(key[:2])) if (other.cell_id, role) == (cell, "answer")
    )
    return source
