"""``check("02.merge", merge)``: judge the answer in this process, in milliseconds, and draw the verdict.

    three states    not started, not yet (with the smallest case that fails), done
    methods         one that a class lacks, or inherits from an earlier lesson, is not started unless it is right
    arrival         a cell that failed, or defines another name, leaves an earlier definition, which is not judged
    time            an answer that does not return is stopped after ``LONGEST_CALL`` seconds of processor time, or
                    ``PATIENCE`` times as long by the clock, where the system has timers (not on Windows) and the
                    check runs in the main thread; compiled code that the answer calls cannot be stopped
    output          prints of the answer are caught and shown folded
    nbgrader        an exercise without points raises NotDoneYet, because nbgrader notices nothing else

The same judge marks a whole class (``grading``), there with secret cases. Nothing here is protected from the learner's
own code: learners who deceive this check deceive only themselves.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any, TypeVar

from minbpe_course.errors import InvalidAnswer, NotDoneYet
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.callers import CutShort, InProcess
from minbpe_course.learning.judge.choose_hint import call_text, wanted_text
from minbpe_course.learning.judge.exercise import Caller, Case, Exercise, Outcome, Verdict
from minbpe_course.learning.judge.exercise_files import is_the_courses
from minbpe_course.learning.judge.judge import PRACTICE_SEED, cases_of, judge
from minbpe_course.learning.judge.right_helpers import without_foreign_mistakes
from minbpe_course.learning.practice.grader_differences import names_used, not_in_the_grader, right_helpers
from minbpe_course.learning.practice.newest_definition import no_new_definition
from minbpe_course.learning.practice.notebook_protection import no_exit
from minbpe_course.learning.practice.record import Record, path_of_record, remember
from minbpe_course.learning.practice.views.verdicts import STATES, VerdictView

LONGEST_CALL = 2.0  # seconds of processor time, as in the grader, so that both agree
LONGEST_CHECK = 15.0
PATIENCE = 5.0  # a busy machine needs longer by the clock, and so does an answer that sleeps
RING_AGAIN = 0.25
MOST_PRINTED = 4_000  # characters
UNDER_NBGRADER = "NBGRADER_EXECUTION"  # nbgrader sets it while it validates or marks

NOT_GIVEN: Any = object()
T = TypeVar("T")


class CheckResult(VerdictView):
    """The verdict as ``check`` returns it: drawn by the notebook, true when the exercise is done.

    It has the attributes of a Verdict: ``state``, ``points``, ``given``, ``yours``, ``wanted``, ``hint``, ...
    """

    def __bool__(self) -> bool:
        return bool(self.verdict.done)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "verdict":
            raise AttributeError(name)
        return getattr(self.verdict, name)


class ClassResult(list[CheckResult]):
    """The verdicts on the methods of a class, in order; true when all are done.

    The first one to work on is drawn: one that is written and not right yet, else one that is not started.
    """

    def __bool__(self) -> bool:
        return all(self)

    def _first(self) -> CheckResult:
        left = [one for one in self if not one]
        return next((one for one in left if one.state != "not started"), left[0] if left else self[-1])

    def _summary(self) -> str:
        return " · ".join(f"{STATES[one.state][0]} {one.key.rpartition('.')[2]}" for one in self)

    def __repr__(self) -> str:
        return f"{self._summary()}\n{self._first()!r}"

    def _repr_html_(self) -> str | None:
        drawn = self._first()._repr_html_()
        return drawn and f"<div>{escape(self._summary())}</div>{drawn}"


class _ForNbgrader(CheckResult):
    """The same shown as a bare number, from which nbgrader reads part of the points."""

    def __repr__(self) -> str:
        return str(self.verdict.points)

    def _repr_html_(self) -> None:  # type: ignore[override]
        return None


def check(key: str, answer: Any = NOT_GIVEN, *, points: float | None = None) -> CheckResult:
    """Check one answer and return the verdict; the notebook draws it, ``print`` writes it.

    key : of the exercise, as on its card; or of a class, "02.BasicTokenizer", to check each of its methods.
    answer : the function (or the class) itself, not its result. If left out, it is looked up by its name.
    points : how many it is worth in this assignment (default: those on the exercise's card).

    Raises UnknownExercise for an unknown key, InvalidAnswer for a value that cannot be an answer.

    >>> def merge(ids, pair, new_id):
    ...     raise NotImplementedError("merge is still blank")
    >>> result = check("02.merge", merge)
    >>> result.state, bool(result)
    ('not started', False)
    """
    names = names_of_caller()
    if several := catalogue.of_class(key) if isinstance(key, str) else ():
        return ClassResult([_checked(one.key, answer, names, None) for one in several])  # type: ignore[return-value]
    return _checked(key, answer, names, points)


def _checked(key: str, answer: Any, names: dict[str, Any], points: float | None) -> CheckResult:
    exercise, _, verdict, printed = examined(key, answer, names)
    record_points = verdict.points
    verdict = verdict if points is None else verdict.worth(points)
    if UNDER_NBGRADER in os.environ:
        if not verdict.done and not verdict.points:
            raise NotDoneYet(repr(VerdictView(verdict, exercise.title)))
        return _ForNbgrader(verdict, exercise.title)
    path = path_of_record()
    record = remember(path, exercise.key, verdict.state, record_points)
    return view(exercise, verdict, record, printed)


def names_of_caller() -> dict[str, Any]:
    """Return the names of the notebook that called the function which calls this one."""
    return sys._getframe(2).f_globals


def examined(key: str, answer: Any, names: dict[str, Any]) -> tuple[Exercise, Any, Verdict, str]:
    """Return the exercise, the answer, found in the notebook's ``names`` if it is not given, its verdict, its output.

    Raises as ``check`` does.
    """
    exercise = _exercise(key)
    found = names.get(exercise.entry, NOT_GIVEN)
    answer = found if answer is NOT_GIVEN else answer
    missing = ""
    if answer is found and is_the_courses(answer):
        missing = f"This is the course's {exercise.entry}, not yours. Run the cell with yours again, then check it."
    elif answer is found:
        others = [other.entry for other in catalogue.exercises(exercise.lesson)]
        missing = no_new_definition(exercise.entry, None if answer is NOT_GIVEN else answer, names, others)
    printed = ""
    if missing:
        verdict = exercise.verdict("not yet", note=missing, mistake="no new definition")
    elif answer is NOT_GIVEN:
        note = f"There is no {exercise.entry} here yet: the cell that defines it has not run."
        verdict = exercise.verdict("not started", note=note)
    else:
        _require_answer(exercise, answer)
        verdict, printed = judged(exercise, answer)
        if verdict.state == "not yet" and _is_unwritten(exercise, answer):
            first = cases_of(exercise, PRACTICE_SEED)[0]
            wanted = wanted_text(first.wanted) if first.wanted else ""
            verdict = exercise.verdict("not started", given=call_text(exercise.entry, first.case), wanted=wanted)
        verdict = exercise.remarked(verdict, _source(answer))
        warnings: list[str] = []
        if verdict.state != "not started":
            with contextlib.suppress(Exception):  # an answer may be an object that raises when it is examined
                warnings = not_in_the_grader(answer, exercise)
        verdict = replace(verdict, note=" ".join(filter(None, [verdict.note, *warnings])))
    return exercise, answer, verdict, printed


def judged(exercise: Exercise, answer: Callable[..., Any]) -> tuple[Verdict, str]:
    """Judge an answer in this process within the time limits; return the verdict and the printed text."""
    output = CapturedOutput()
    with no_exit(), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):

        def judged_with(helpers: tuple[Exercise, ...] = ()) -> Verdict:
            caller = TimedCaller(InProcess(answer, exercise.subject), LONGEST_CALL, LONGEST_CHECK)
            # Examining an answer has a limit too: no odd answer may make the notebook hang.
            with right_helpers(answer, exercise, helpers):
                found = cut_after(LONGEST_CHECK + LONGEST_CALL, lambda: judge(exercise, caller, PRACTICE_SEED))
            hint = "The check was stopped: it took too long to look at what your code returns. How much is it?"
            return found or exercise.verdict("not yet", hint=hint, mistake="too slow")

        names: set[str] = set()
        with contextlib.suppress(Exception):  # as in check
            names = names_used(answer)
        verdict = without_foreign_mistakes(exercise, judged_with(), names, judged_with)
    return verdict, output.text()


def _is_unwritten(exercise: Exercise, answer: Any) -> bool:
    """Tell whether a class lacks the method that is asked for, or only inherits it from an earlier lesson."""
    if not exercise.method or not isinstance(answer, type):
        return False
    defined_by = next((one for one in answer.__mro__ if exercise.method in vars(one)), object)
    earlier = exercise.answer.__mro__[1:] if isinstance(exercise.answer, type) else (object,)
    return defined_by is not answer and defined_by.__name__ in {one.__name__ for one in earlier}


def _source(answer: Callable[..., Any]) -> str:
    """Return the lines that define an answer, or "" where the source is not known."""
    try:
        return inspect.getsource(answer)
    except (OSError, TypeError):
        return ""


def view(
    exercise: Exercise,
    verdict: Verdict,
    record: Record,
    printed: str = "",
    more_help: str = 'hint("{key}")',
    asked: Sequence[Exercise] = (),
) -> CheckResult:
    """Return a verdict with its title, what to type next, and the notes about the record.

    more_help : the command for a hint; a terminal needs another one than a notebook.
    asked : all exercises of the notebook, in order (default: those of the lesson).
    """
    following = tuple(_following(exercise, verdict, record, more_help.format(key=exercise.key), asked))
    return CheckResult(verdict, exercise.title, following, printed, tuple(record.notes))


def _following(
    exercise: Exercise, verdict: Verdict, record: Record, more_help: str, asked: Sequence[Exercise]
) -> Iterator[tuple[str, str]]:
    if verdict.state == "done":
        lesson = asked or catalogue.exercises(exercise.lesson)
        blanks = not asked and catalogue.is_blank(exercise)
        if blanks:
            lesson = tuple(filter(catalogue.is_blank, lesson))
        at = [other.key for other in lesson].index(exercise.key)
        done = {key for key, entry in record.entries.items() if entry.state == "done"}
        left = [other for other in (*lesson[at + 1 :], *lesson[:at]) if other.key not in done]
        whole = "Every exercise of this notebook" if asked else f"Every exercise of lesson {exercise.lesson}"
        whole = f"Every blank of lesson {exercise.lesson}" if blanks else whole
        yield f"Next: {left[0].title}, {left[0].key}." if left else f"{whole} is done.", ""
        return
    read = record.entries[exercise.key].hints if exercise.key in record.entries else 0
    todo = "Change" if verdict.state != "not started" else "Repair" if exercise.kind == "repair" else "Write"
    more = "A step of help:" if read == 0 else "The next step of help:" if read < 4 else "The hints again:"
    yield f"{todo} {exercise.entry}, run its cell, then check again. {more}", more_help


def _exercise(key: Any) -> Exercise:
    if isinstance(key, str):
        return catalogue.find(key)
    name = getattr(key, "__name__", "")
    known = [exercise for exercise in catalogue.exercises() if exercise.entry == name]
    example = known[0] if known else catalogue.exercises()[0]
    raise InvalidAnswer(
        f"the first argument of check is the key of the exercise, and this is {_with_article(type(key).__name__)}.\n"
        f'Type: check("{example.key}", {example.entry})'
    )


def _require_answer(exercise: Exercise, answer: Any) -> None:
    class_wanted = any(case.script for case in exercise.shown)
    typed = f'Type: check("{exercise.key}", {exercise.entry})'
    if not callable(answer):
        what = "the class itself" if class_wanted else "the function itself"
        raise InvalidAnswer(
            f"check wants {what}, and was given {'None' if answer is None else _with_article(type(answer).__name__)}: "
            f"what {exercise.entry} returned, perhaps? Omit the parentheses after {exercise.entry}.\n{typed}"
        )
    if isinstance(answer, type) and not class_wanted and exercise.kind != "design":
        raise InvalidAnswer(
            f"{exercise.entry} is a function, and check was given the class {answer.__name__}.\n{typed}"
        )


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


class CapturedOutput(io.TextIOBase):
    """A standard output that keeps the first MOST_PRINTED characters and counts the rest."""

    def __init__(self) -> None:
        self._kept = io.StringIO()
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._length < MOST_PRINTED:
            self._kept.write(text[: MOST_PRINTED - self._length])
        self._length += len(text)
        return len(text)

    def close(self) -> None:
        """Stay open: the answer may close its output, but the check continues."""

    def text(self) -> str:
        left = self._length - MOST_PRINTED
        return self._kept.getvalue() + (f"\n… and {left:,} more characters" if left > 0 else "")


class TimedCaller:
    """A caller whose calls are cut short when they take too much processor time.

    seconds : of one call. whole : of all calls.
    """

    def __init__(self, inner: Caller, seconds: float, whole: float) -> None:
        self._inner, self._seconds = inner, seconds
        self._used_up = time.process_time() + whole
        self._ends = time.monotonic() + PATIENCE * whole

    def call(self, case: Case) -> Outcome:
        """Run one case."""
        return self._within_limits(lambda: self._inner.call(case))

    def try_test(self, implementation: str) -> Outcome:
        """Run the learner's test on an implementation."""
        return self._within_limits(lambda: self._inner.try_test(implementation))

    def _within_limits(self, run: Callable[[], Outcome]) -> Outcome:
        began = time.process_time()
        seconds = min(self._seconds, self._used_up - began, (self._ends - time.monotonic()) / PATIENCE)
        outcome = cut_after(seconds, run) if seconds > 0 or not _can_set_timers() else None
        return outcome or Outcome("too slow", seconds=time.process_time() - began)


_ENDS: list[tuple[float, float]] = []
"""The deadlines of the running calls of ``cut_after`` (processor time, clock), the innermost last; all are in the main
thread."""


def cut_after(seconds: float, run: Callable[[], T]) -> T | None:
    """Call a function and return its result, or None if it was stopped after ``seconds`` of processor time.

    A function that sleeps is stopped after PATIENCE times as long by the clock. Nested calls end with the outer one.
    Without timers (on Windows, and outside the main thread) nothing is stopped.
    """
    if not _can_set_timers():
        return run()
    armed = True

    def ring(number: int, frame: Any) -> None:
        if armed and (time.process_time() >= used_up or time.monotonic() >= ends):
            raise CutShort

    began = time.monotonic()
    outer_used_up, outer_ends = _ENDS[-1] if _ENDS else (math.inf, math.inf)
    used_up = min(time.process_time() + seconds, outer_used_up)
    ends = min(began + PATIENCE * seconds, outer_ends)
    _ENDS.append((used_up, ends))
    handler = signal.signal(signal.SIGALRM, ring)
    # The timer repeats: the time may not be used up yet, and an answer may catch everything, even CutShort.
    first = max(0.001, min(used_up - time.process_time(), ends - began))
    timer = signal.setitimer(signal.ITIMER_REAL, first, min(RING_AGAIN, max(first / 4, 0.001)))
    try:
        try:
            return run()
        finally:
            # From here on a late signal is ignored.
            armed = False
    except CutShort:
        armed = False
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _ENDS.pop()
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if timer[0]:
            left = timer[0] - (time.monotonic() - began)
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left), timer[1])


def _can_set_timers() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
