"""One question of one learner: from the answer to the mark. Nothing that goes wrong here ends a batch.

    mark(question, answer, open_caller, seed)   -> Mark

An untouched answer starts no process. The learner's code runs wherever ``open_caller`` puts it; the judge is the same
as in the notebook. What fails on our own side is the state "not graded" with a reason for the teacher, never a loss of
points without a word, and is tried again by the next run.

A failure on hidden cases is reported by its category alone. Its hint is kept only where it is one of our own texts:
the name of an exception, or of a class, is the learner's to choose and could carry a secret value out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Literal

from minbpe_course.checks.equality import shortened
from minbpe_course.checks.exercise import Caller, Exercise, Verdict
from minbpe_course.checks.judge import judge
from minbpe_course.checks.right_helpers import HELPERS, without_foreign_mistakes
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.grading.cells import Answer, Question

MarkState = Literal["not started", "not yet", "done", "not graded"]
OpenCaller = Callable[[Question, Answer], AbstractContextManager[Caller]]
LONGEST_TEXT = 2_000
LONGEST_CAUSE = 200

# For hidden failures: ways to fail that the judge words with nothing but types of Python and the error that is wanted,
_SAFE_TO_EXPLAIN = {"blank", "too slow", "lost", "no error", "returned None", "wrong type", "changes its input"}
# and what may be said about a way to fail without saying anything about the case.
_PLAIN_HINTS = {
    "raised": "Your code stops with an exception on cases of this kind.",
    "refused": "What your code returns on cases of this kind is no plain value of the kind that is asked for.",
    # The sentence of a design's rules quotes the answer, and the answer may quote a text that is secret.
    "not allowed": "What your code returns breaks a rule of this task: read them once more, and let check() in the "
    "notebook say which.",
}


@dataclass(frozen=True)
class Mark:
    """What one answer was found to be worth, and everything a report says about it.

    reason : for "not graded", what went wrong on our side; for the teacher.
    notes : about the submission rather than the answer: found by its name, handed in twice, imports tiktoken; and
        which statements of the learner's cells failed.
    """

    key: str
    state: MarkState
    points: float
    out_of: int
    category: str = ""
    given: str = ""
    yours: str = ""
    wanted: str = ""
    difference: str = ""
    hint: str = ""
    mistake: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
    tried: Mapping[str, int] = field(default_factory=dict)
    metric: float | None = None
    note: str = ""
    hidden: bool = False
    notes: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0


def mark(
    question: Question,
    answer: Answer,
    open_caller: OpenCaller,
    seed: str | bytes,
    *,
    reveal: bool = False,
    beside: Callable[[], AbstractContextManager[object]] = nullcontext,
    alone: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Mark:
    """Return the mark of one answer. An answer that takes too long is tried once more, alone, before that is final.

    open_caller : makes a Caller for it, used in a ``with`` statement; its process ends with that statement.
    reveal : whether values of the drawn cases may be shown, as in the learner's own check.
    beside : entered for the first attempt. alone : entered for the second one, which no other answer may disturb.

    >>> from minbpe_course.grading.cells import Answer, Question
    >>> exercise = Exercise("02.merge", "", "write", "merge", 2, 10, 2, ("", "", ""))
    >>> mark(Question(exercise, ""), Answer(), None, "a seed").state
    'not started'
    """
    exercise = question.exercise
    if not answer.started:
        return Mark(exercise.key, "not started", 0, exercise.points, notes=answer.notes)
    begun = time.perf_counter()
    causes: tuple[str, ...] = ()

    def attempt(asked: Question) -> tuple[Verdict, tuple[str, ...], frozenset[str]]:
        with open_caller(asked, answer) as caller:
            verdict = judge(exercise, caller, seed, reveal=reveal)
            return verdict, () if verdict.done else _causes(caller), getattr(caller, "taken", frozenset())

    def judged_with(helpers: tuple[Exercise, ...]) -> Verdict:
        given = (*question.given, *(HELPERS[helper.key] for helper in helpers))
        with beside():
            return attempt(replace(question, given=given))[0]

    try:
        with beside():
            verdict, causes, taken = attempt(question)
        if verdict.cut_off:
            with alone():
                verdict, causes, taken = attempt(question)
        verdict = without_foreign_mistakes(exercise, verdict, taken, judged_with)
        verdict = exercise.remarked(verdict, answer.source or "")
        made = from_verdict(exercise, verdict if reveal else withheld(exercise, verdict))
    except Exception as error:  # whatever it is, the other 300 submissions are still to be graded
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, MinbpeCourseError) else str(error)
        made = Mark(exercise.key, "not graded", 0, exercise.points, reason=_short(reason))
    notes = (*answer.notes, *causes)
    if made.state == "not started":
        notes = (*notes, "the answer was changed, but still stops at a NotImplementedError or at an unmended fault")
    return replace(made, notes=notes, seconds=round(time.perf_counter() - begun, 3))


def _causes(caller: Caller) -> tuple[str, ...]:
    """Say which statements of the learner's cells failed when they were read: often why an answer fails later."""
    # The texts may be made up by the learner, but before any case was sent, so that they give nothing secret away.
    notes = getattr(caller, "notes", ())
    return tuple(
        _short(f"when your cells were read: {shortened(' '.join(note.split()), LONGEST_CAUSE)}") for note in notes
    )


def from_verdict(exercise: Exercise, verdict: Verdict) -> Mark:
    """Return the mark that says the same as a verdict, every text cut to a length that a report can hold.

    >>> exercise = Exercise("02.merge", "", "write", "merge", 2, 10, 2, ("", "", ""))
    >>> from_verdict(exercise, Verdict("02.merge", "done", 2, 2)).points
    2
    """
    points = min(max(verdict.points, 0), exercise.points)
    return Mark(
        exercise.key,
        verdict.state,
        points,
        exercise.points,
        _short(verdict.category),
        _short(verdict.given),
        _short(verdict.yours),
        _short(verdict.wanted),
        _short(verdict.difference),
        _short(verdict.hint),
        _short(verdict.mistake),
        {_short(name): count for name, count in verdict.failures.items()},
        {_short(name): count for name, count in verdict.tried.items()},
        verdict.metric,
        _short(verdict.note),
        verdict.hidden,
    )


def withheld(exercise: Exercise, verdict: Verdict) -> Verdict:
    """Return a verdict whose hidden failure shows its category and no more, and no word that an answer may have chosen.

    >>> exercise = Exercise("02.merge", "", "write", "merge", 2, 10, 2, ("look", "", ""))
    >>> secret = Verdict("02.merge", "not yet", 0, 2, "empty", hint="Secret42", mistake="raised", hidden=True)
    >>> withheld(exercise, secret).hint
    'Your code stops with an exception on cases of this kind.'
    """
    if verdict.mistake == "not allowed" and exercise.drawn is not None:
        return replace(verdict, hint=_PLAIN_HINTS["not allowed"])
    if not verdict.hidden:
        return verdict
    ours = {mistake.hint for mistake in exercise.mistakes} | set(exercise.hints)
    hint = verdict.hint if verdict.hint in ours else _PLAIN_HINTS.get(verdict.mistake, "")
    if not hint and verdict.mistake in _SAFE_TO_EXPLAIN:
        hint = verdict.hint
    return replace(verdict, given="", yours="", wanted="", difference="", hint=hint)


def _short(text: str) -> str:
    """Return a text that every file and database can hold: valid Unicode, without NUL, of a bounded length."""
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
