"""The verdict on every known answer to every exercise, for the practice seed and a secret one.

The answers: the solution, the cell as it is handed out, the wrong answer of each known mistake, and those in
``tests/learning/exercises/learners_answers``, which say themselves what their verdict has to be.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.judge import PRACTICE_SEED, judge
from minbpe_course.learning.practice import check
from tests.learning.exercises.learners_answers import written
from tests.shared.lesson_code import names_after, notebook_of, program_of, solution_of, solved

SEEDS = {"practice": PRACTICE_SEED, "secret": "golden"}
# Seconds of processor time after which a call is stopped: soon for an answer that never ends, late for a right one.
SOON, USUAL, LATE = 0.3, check.LONGEST_CALL, 20.0


class Known(NamedTuple):
    """A known answer, and its verdict (state, mistake, points) as far as it is known: None for anything."""

    name: str
    answer: Any
    state: str
    mistake: str | None
    points: float | None


def sections() -> list[str]:
    """Return the lessons."""
    return list(catalogue.lessons())


def lines(section: str) -> list[str]:
    """Return the verdicts on all known answers to the exercises of a lesson."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for exercise in catalogue.exercises(section):
            found.append(f"{exercise.key} ({exercise.points} points)")
            for known in _known(exercise):
                verdicts = {name: _verdict(exercise, known, seed) for name, seed in SEEDS.items()}
                if len(set(verdicts.values())) == 1:
                    said = next(iter(verdicts.values()))
                else:
                    said = "; ".join(f"{name}: {verdict}" for name, verdict in verdicts.items())
                found.append(f"  {known.name} -> {said}")
    return found


def _known(exercise: Exercise) -> Iterator[Known]:
    yield Known("solution", solution_of(exercise), "done", "", exercise.points)
    names = dict(solved(exercise.lesson))
    blank = answer_code(exercise).blank
    yield Known("as handed out", names_after([blank], dict(names))[exercise.entry], "not started", None, 0)
    for mistake in exercise.mistakes:
        if mistake.like is not None:
            yield Known(f"mistake {mistake.name}", mistake.like, "not yet", mistake.name, 0)
    for sort in ("wrong", "right"):
        for one in written(sort):
            if one.key == exercise.key:
                # The cells above it: an answer may extend a class of the same name.
                program = program_of(notebook_of(exercise.lesson), exercise.key, one.code)
                answer = names_after(list(program["cells"]), dict(names))[exercise.entry]
                right = sort == "right"
                points = exercise.points if right else one.points
                yield Known(f"{sort}: {one.name}", answer, "done" if right else one.state, one.hint, points)


def _verdict(exercise: Exercise, known: Known, seed: str) -> str:
    limit = SOON if known.mistake == "too slow" else LATE if known.state == "done" else USUAL
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        caller = check.TimedCaller(InProcess(known.answer, exercise.subject), limit, 20 * LATE)
        verdict = judge(exercise, caller, seed, reveal=seed == PRACTICE_SEED)
    found = (verdict.state, verdict.mistake, verdict.points)
    # A wrong answer of the folder says what the practice seed shows; a secret one may show something else.
    if seed == PRACTICE_SEED or not known.name.startswith("wrong: "):
        wanted = (known.state, known.mistake, known.points)
        assert all(want in (None, is_) for want, is_ in zip(wanted, found)), (exercise.key, known.name, wanted, found)
    mistake = f", {verdict.mistake}" if verdict.mistake else ""
    return f"{verdict.state}{mistake}, {verdict.points:g}"
