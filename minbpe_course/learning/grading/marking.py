"""Mark one answer to one question; no failure here ends a batch.

An untouched answer starts no process. ``open_caller`` decides where the learner's code runs; the judge is the one that
the notebook uses. A failure on the grader's side, or cells that take too long, give the state "not graded" with a
reason for the teacher, never a silent loss of points, and the next run tries again.

A mistake costs its points once: an answer that is not right is judged again with right answers in place of the earlier
ones that are not right either.

A report never holds a text that came from the learner's process, because that text could carry a secret case out:
only names of built-in exceptions, numbers of cells and lines, the course's own sentences, and the given and wanted
values of a public case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from typing import Any

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.learning.grading.running import NotReached, RemoteCaller, named_error
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.judge.judge import judge
from minbpe_course.learning.judge.right_helpers import about_helpers, helpers_of, named_in
from minbpe_course.learning.submissions.notebook_cells import Answer, Question

OpenCaller = Callable[[Question, Answer, tuple[Exercise, ...]], AbstractContextManager[RemoteCaller]]
LONGEST_TEXT = 2_000
MOST_NOTES = 10
BY_HAND = "a written answer, to be marked by hand"
NO_CELL = "no cell for this question was handed in"
STILL_BLANK = "the answer was changed, but still raises NotImplementedError or keeps the planted bug"

# Mistakes whose hint is the judge's own and names nothing but Python's types and the wanted error.
_SAFE_TO_EXPLAIN = {
    "blank",
    "too slow",
    "lost",
    "no error",
    "returned None",
    "changes its input",
    "wrong type",
    "inconsistent",
    "misses",
}
# Hints in place of those that quote the answer.
_PLAIN_HINTS = {
    "ModuleNotFoundError": "Your code imports a package that is not available where answers are graded.",
    "SyntaxError": "Python cannot read a cell: a line in it is not complete, or not Python.",
    "raised": "Your code stops with {error} on cases of this kind.",
    "refused": "What your code returns on cases of this kind is too large, or not a plain value of the kind asked for.",
    "rejects-right": "Your test rejects a correct implementation.",
    "not allowed": "What your code returns breaks a rule of this task. Read its rules again; check() in the notebook "
    "says which one.",
}


def mark(
    question: Question,
    answer: Answer,
    open_caller: OpenCaller,
    seed: str,
    *,
    reveal: bool = False,
    done: Collection[str] = (),
    seconds: float = math.inf,
) -> Verdict:
    """Return the mark of one answer.

    open_caller : makes a Caller for the answer, used in a ``with`` statement that also ends its process; the exercises
    that it is given are those whose right answers take the place of the learner's.
    reveal : whether values of the drawn cases and of the answer may be shown, as in the learner's own check.
    done : the keys of this learner's earlier answers that are known to be right.
    seconds : left for this notebook.

    If the grader fails, for example because all file descriptors are in use, it tries once more.
    """
    exercise = question.exercise
    if not answer.started:
        return Verdict(exercise.key, "not started", 0, exercise.points, notes=answer.notes)
    given = len(answer.given)
    notes: tuple[str, ...] | None = None
    spent, reason, told = 0.0, "", ""

    def attempt(helpers: tuple[Exercise, ...]) -> Verdict:
        nonlocal spent, notes, reason, told
        with open_caller(question, answer, helpers) as caller:
            caller.hurry(seconds - spent)
            try:
                # A process of the first attempt may have left traces of its cases for the second one.
                return judge(exercise, caller, f"{seed} again" if helpers else seed, reveal=reveal)
            except NotReached:
                reason = f"this question was not reached: {_slowest(caller, answer)}"
                told = reason if notes is None else ""
                raise
            finally:
                spent += caller.seconds
                # A later process may know drawn cases from traces of this one.
                if notes is None:
                    notes = tuple(
                        f"{_cell(number, line, answer)} {what}"
                        for number, line, what in caller.notes
                        if number < given or answer.cells[number - given].content not in question.around
                    )

    try:
        if seconds <= 0:
            reason = told = "the time for this notebook was used up by the questions before it"
            raise NotReached
        try:
            verdict = attempt(())
        except NotReached:
            raise
        except Exception:  # a failure of the grader, which may pass
            verdict = attempt(())
        wrong = () if verdict.done else _not_right(exercise, answer, done)
        if wrong:
            verdict = _without_foreign_mistakes(verdict, wrong, answer, attempt)
        verdict = exercise.remarked(verdict, answer.source or "")
        made = storable(exercise, verdict if reveal else for_report(exercise, verdict))
    except NotReached:
        made = Verdict(exercise.key, "not graded", 0, exercise.points, note=told, reason=_short(reason))
    except Exception as error:  # any error here must leave the rest of the class to be graded
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, MinbpeCourseError) else str(error)
        made = Verdict(exercise.key, "not graded", 0, exercise.points, reason=_short(reason))
    notes = (*answer.notes, *(() if made.done else map(_short, (notes or ())[:MOST_NOTES])))
    if made.state == "not started":
        notes = (*notes, STILL_BLANK)
    return replace(made, notes=notes, seconds=round(spent, 3))


def _not_right(exercise: Exercise, answer: Answer, done: Collection[str]) -> tuple[Exercise, ...]:
    """Return the earlier exercises whose right answers may be given and that are not known to be right.

    What ``mine`` loads is right already, unless a cell of the notebook defines it, too.
    """
    cells = [cell.source for cell in answer.cells]
    earlier = dict.fromkeys((*helpers_of(exercise), *named_in(exercise, cells, "working")))
    own = {name for cell in answer.cells for name in cell.defines}
    lent = [one for one in named_in(exercise, cells, "mine") if one.entry not in own]
    return tuple(one for one in earlier if one.key not in done and one not in lent)


def _without_foreign_mistakes(
    verdict: Verdict, wrong: tuple[Exercise, ...], answer: Answer, attempt: Callable[[tuple[Exercise, ...]], Verdict]
) -> Verdict:
    """Return the better verdict: this one, or that with right answers in place of the earlier ones that are wrong."""
    try:
        better = attempt(wrong)
    except NotReached:
        return verdict
    if better.points <= verdict.points:
        return verdict
    named = tuple(one for one in wrong if re.search(rf"\b{one.entry}\b", answer.source or "")) or wrong
    keys = tuple(one.key for one in named)
    return replace(better, note=f"{better.note} {about_helpers(keys)}".strip(), helpers=keys)


def _cell(number: int, line: int, answer: Answer) -> str:
    """Return the words for a cell, counted from 1 as the learner sees them, and a line of it."""
    given = len(answer.given)
    cell = f"cell {number - given + 1}" if number >= given else "a given cell"
    return f"{cell}, line {line}," if line else cell


def _slowest(caller: RemoteCaller, answer: Answer) -> str:
    number, seconds = caller.slowest
    return f"the cells above it take too long, most of it {_cell(number, 0, answer)} with {seconds:.0f} seconds"


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


def for_report(exercise: Exercise, verdict: Verdict) -> Verdict:
    """Return the verdict without any text of the learner's process, and without the values of a hidden case."""
    ours = {mistake.hint for mistake in exercise.mistakes}
    kind = verdict.mistake.partition(":")[0]
    error = named_error(verdict.yours.partition(":")[0])
    hint = verdict.hint
    if hint not in ours and kind not in _SAFE_TO_EXPLAIN:
        hint = _PLAIN_HINTS.get(error, _PLAIN_HINTS.get(kind, "")).format(error=error)
    # The text that a rule gives as wanted may quote the answer.
    wanted = "" if verdict.hidden or exercise.accept is not None else verdict.wanted
    given = "" if verdict.hidden else verdict.given
    return replace(verdict, given=given, yours="", wanted=wanted, difference="", hint=hint)


def _short(text: str) -> str:
    """Return a text that any file and database can hold: valid Unicode, without NUL, of a bounded length."""
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
