"""Mark one answer to one question; no failure here ends a batch.

An untouched answer starts no process. ``open_caller`` decides where the learner's code runs; the judge is the one that
the notebook uses. A failure on the grader's side gives the state "not graded" with a reason for the teacher, never a
silent loss of points, and the next run tries it again.

A failure on hidden cases is reported by its category alone. Its hint is kept only if it is one of the course's texts:
the learner chooses the names of exceptions and classes, and they could carry a secret value out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from typing import Any

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.learning.judge.equality import shortened
from minbpe_course.learning.judge.exercise import Caller, Exercise, Verdict
from minbpe_course.learning.judge.judge import judge
from minbpe_course.learning.judge.right_helpers import right_cells, without_foreign_mistakes
from minbpe_course.learning.submissions.notebook_cells import Answer, Question

OpenCaller = Callable[[Question, Answer], AbstractContextManager[Caller]]
LONGEST_TEXT = 2_000
LONGEST_CAUSE = 200
NO_CELL = "no cell for this question was handed in"
STILL_BLANK = "the answer was changed, but still raises NotImplementedError or keeps the planted bug"

# For hidden failures: mistakes whose hint names only Python's types and the wanted error,
_SAFE_TO_EXPLAIN = {"blank", "too slow", "lost", "no error", "returned None", "wrong type", "changes its input"}
# and hints for the other mistakes that reveal nothing about the case.
_PLAIN_HINTS = {
    "raised": "Your code stops with an exception on cases of this kind.",
    "refused": "What your code returns on cases of this kind is not a plain value of the kind that is asked for.",
    # The hint of a design's rule quotes the answer, and the answer may quote a secret text.
    "not allowed": "What your code returns breaks a rule of this task: read them once more, and let check() in the "
    "notebook say which.",
}


def mark(
    question: Question,
    answer: Answer,
    open_caller: OpenCaller,
    seed: str | bytes,
    *,
    reveal: bool = False,
    done: Collection[str] = (),
    shared: Callable[[], AbstractContextManager[object]] = nullcontext,
    alone: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Verdict:
    """Return the mark of one answer. An answer that takes too long is tried once more, alone, before that is final.

    open_caller : makes a Caller for the answer, used in a ``with`` statement that also ends its process.
    reveal : whether values of the drawn cases may be shown, as in the learner's own check.
    done : the keys of this learner's earlier answers that are known to be right.
    shared : entered for the first attempt. alone : entered for the second, which no other answer may disturb.

    If the grader fails, for example because all file descriptors are in use, it also tries once more, alone.
    """
    exercise = question.exercise
    if not answer.started:
        return Verdict(exercise.key, "not started", 0, exercise.points, notes=answer.notes)
    begun = time.perf_counter()
    causes: tuple[str, ...] = ()

    def attempt(asked: Question) -> tuple[Verdict, tuple[str, ...], frozenset[str] | None]:
        with open_caller(asked, answer) as caller:
            verdict = judge(exercise, caller, seed, reveal=reveal)
            return verdict, () if verdict.done else _causes(caller), getattr(caller, "taken", frozenset())

    def judged_with(helpers: tuple[Exercise, ...]) -> Verdict:
        names = tuple(helper.entry for helper in helpers)
        with shared():
            return attempt(replace(question, right=right_cells(exercise, helpers), helpers=names))[0]

    try:
        try:
            with shared():
                verdict, causes, taken = attempt(question)
            again = verdict.cut_off
        except Exception:  # a failure of the grader, which may be due to the other answers that run now
            again = True
        if again:
            with alone():
                verdict, causes, taken = attempt(question)
        verdict = without_foreign_mistakes(exercise, verdict, taken, judged_with, done)
        verdict = exercise.remarked(verdict, answer.source or "")
        made = storable(exercise, verdict if reveal else withheld(exercise, verdict))
    except Exception as error:  # any error here must leave the rest of the class to be graded
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, MinbpeCourseError) else str(error)
        made = Verdict(exercise.key, "not graded", 0, exercise.points, reason=_short(reason))
    notes = (*answer.notes, *causes)
    if made.state == "not started":
        notes = (*notes, STILL_BLANK)
    return replace(made, notes=notes, seconds=round(time.perf_counter() - begun, 3))


def _causes(caller: Caller) -> tuple[str, ...]:
    """Return which statements of the learner's cells failed when they were read: often why an answer fails later."""
    # The learner may have made up these texts, but before any case was sent, so they cannot give a secret away.
    notes = getattr(caller, "notes", ())
    return tuple(
        _short(f"when your cells were read: {shortened(' '.join(note.split()), LONGEST_CAUSE)}") for note in notes
    )


def storable(exercise: Exercise, verdict: Verdict) -> Verdict:
    """Return the verdict with every text cut to a length that a report can hold, and no more points than there are."""
    texts: dict[str, Any] = {
        one.name: _short(getattr(verdict, one.name)) for one in fields(verdict) if one.type == "str"
    }
    return replace(
        verdict,
        **texts,
        points=min(max(verdict.points, 0), exercise.points),
        out_of=exercise.points,
        failures={_short(name): count for name, count in verdict.failures.items()},
        tried={_short(name): count for name, count in verdict.tried.items()},
    )


def withheld(exercise: Exercise, verdict: Verdict) -> Verdict:
    """Return the verdict without what a hidden failure must not show: its values, and texts that the answer chose."""
    if verdict.mistake == "not allowed" and exercise.drawn is not None:
        return replace(verdict, hint=_PLAIN_HINTS["not allowed"])
    if not (verdict.hidden or verdict.helpers):
        return verdict
    ours = {mistake.hint for mistake in exercise.mistakes}
    hint = verdict.hint if verdict.hint in ours else _PLAIN_HINTS.get(verdict.mistake, "")
    if not hint and verdict.mistake in _SAFE_TO_EXPLAIN:
        hint = verdict.hint
    if not verdict.hidden:  # the answer ran beside right answers, and could quote them; so could a rule that quotes it
        wanted = verdict.wanted if exercise.accept is None else ""
        return replace(verdict, yours="", wanted=wanted, difference="", hint=hint)
    return replace(verdict, given="", yours="", wanted="", difference="", hint=hint)


def _short(text: str) -> str:
    """Return a text that any file and database can hold: valid Unicode, without NUL, of a bounded length."""
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
