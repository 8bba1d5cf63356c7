"""``check("02.merge", merge)``: the answer judged where it stands, in milliseconds, and the verdict drawn.

    three states    not started, not yet (with the smallest case that fails), done
    time            an answer that does not come back is stopped after ``LONGEST_CALL`` seconds of processor time, or
                    ``PATIENCE`` times as long by the clock, where the system has timers for that (not on Windows) and
                    the check runs in the main thread; what the answer calls in compiled code cannot be stopped
    output          what the answer prints while it is checked is caught and shown folded
    nbgrader        there an exercise that earns nothing raises NotDoneYet, since nbgrader sees nothing else

The same judge marks a whole class (``grading``), there with cases that nobody has seen. Nothing here is safe from the
learner's own code, nor need it be: whoever deceives this check deceives nobody else.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import CutShort, InProcess
from minbpe_course.checks.exercise import Case, Exercise, Outcome, Verdict
from minbpe_course.checks.judge import PRACTICE_SEED, judge
from minbpe_course.checks.right_helpers import without_foreign_mistakes
from minbpe_course.errors import InvalidAnswer, NotDoneYet
from minbpe_course.practice.record import Record, path_of_record, remember
from minbpe_course.practice.shields import no_exit, with_builtins
from minbpe_course.practice.surroundings import names_used, not_in_the_grader, right_helpers
from minbpe_course.visual.verdicts import VerdictView

LONGEST_CALL = 2.0  # seconds of processor time, as in the grader, so that what passes here is not too slow there
LONGEST_CHECK = 15.0
PATIENCE = 5.0  # a busy machine needs longer by the clock, and so does an answer that sleeps
RING_AGAIN = 0.25
MOST_PRINTED = 4_000  # characters
UNDER_NBGRADER = "NBGRADER_EXECUTION"  # nbgrader sets it while it validates or marks

_NOT_GIVEN: Any = object()
T = TypeVar("T")


class CheckResult(VerdictView):
    """What ``check`` returns: the verdict, drawn; true when the exercise is done.

    What a Verdict has, this has too: ``state``, ``points``, ``out_of``, ``given``, ``yours``, ``wanted``, ``hint``, ...
    """

    def __bool__(self) -> bool:
        return bool(self.verdict.done)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "verdict":
            raise AttributeError(name)
        return getattr(self.verdict, name)


class _ForNbgrader(CheckResult):
    """The same, shown as a bare number: that is how nbgrader reads part of the points."""

    def __repr__(self) -> str:
        return f"{self.verdict.points:g}"

    def _repr_html_(self) -> None:  # type: ignore[override]
        return None


def check(key: str, answer: Any = _NOT_GIVEN) -> CheckResult:
    """Check one answer and return the verdict; the notebook draws it, ``print`` writes it.

    key : of the exercise, as its card has it.
    answer : the function (or the class) itself, not what it returns. Left out, it is looked up by its name.

    Raises UnknownExercise for a key that there is not, InvalidAnswer for an answer that cannot be one.

    >>> def merge(ids, pair, new_id):
    ...     raise NotImplementedError("merge is still blank")
    >>> result = check("02.merge", merge)
    >>> result.state, bool(result)
    ('not started', False)
    """
    exercise = _exercise(key, answer)
    if answer is _NOT_GIVEN:
        frame = inspect.currentframe()
        caller = frame.f_back if frame is not None else None
        answer = _NOT_GIVEN if caller is None else caller.f_globals.get(exercise.entry, _NOT_GIVEN)
    if answer is _NOT_GIVEN:
        note = f"There is no {exercise.entry} here yet: the cell that defines it has not run."
        verdict, printed = Verdict(exercise.key, "not started", 0, exercise.points, note=note), ""
    else:
        _must_be_an_answer(exercise, answer)
        verdict, printed = judged(exercise, answer)
        verdict = exercise.remarked(verdict, _source(answer))
        warnings = _warnings(exercise, answer) if verdict.state != "not started" else []
        verdict = replace(verdict, note=" ".join(filter(None, [verdict.note, *warnings])))
    if UNDER_NBGRADER in os.environ:
        return _for_nbgrader(exercise, verdict)
    path = path_of_record()
    record = remember(path, exercise.key, verdict.state, verdict.points)
    return view(exercise, verdict, record, printed)


def judged(exercise: Exercise, answer: Callable[..., Any]) -> tuple[Verdict, str]:
    """Judge an answer in this process, within the time limits; return the verdict and what was printed meanwhile."""
    heard = _Heard()
    with no_exit(), contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
        kept = with_builtins(answer, of_class=any(case.script for case in exercise.shown))

        def judged_with(helpers: tuple[Exercise, ...] = ()) -> Verdict:
            caller = _Timed(InProcess(kept, exercise.subject))
            # What looks at an answer has a limit too: no answer is so odd that a notebook may stand still for it.
            with right_helpers(answer, helpers):
                found = cut_after(LONGEST_CHECK + LONGEST_CALL, lambda: judge(exercise, caller, PRACTICE_SEED))
            return found or _never_judged(exercise)

        verdict = without_foreign_mistakes(exercise, judged_with(), _names_used(answer), judged_with)
    return verdict, heard.text()


def _warnings(exercise: Exercise, answer: Any) -> list[str]:
    try:
        return not_in_the_grader(answer, exercise)
    except Exception:  # an answer may be an object that does not like to be looked at
        return []


def _names_used(answer: Any) -> set[str]:
    try:
        return names_used(answer)
    except Exception:  # as above
        return set()


def _never_judged(exercise: Exercise) -> Verdict:
    hint = "The check was stopped: it took too long to look at what your code returns. How much is it?"
    return Verdict(exercise.key, "not yet", 0, exercise.points, hint=hint, mistake="too slow")


def _source(answer: Callable[..., Any]) -> str:
    """Return the lines that define an answer, or "" where nobody kept them."""
    try:
        return inspect.getsource(answer)
    except (OSError, TypeError):
        return ""


def view(
    exercise: Exercise, verdict: Any, record: Record, printed: str = "", more_help: str = 'hint("{key}")'
) -> CheckResult:
    """Put a verdict together with its title, what to type next, and what there is to say about the record.

    verdict : a Verdict, or a mark of ``grading``, which says the same.
    more_help : what to type for a hint; it is another thing in a terminal.
    """
    following = tuple(_following(exercise, verdict, record, more_help.format(key=exercise.key)))
    if verdict.state == "not started" and not verdict.mistake:
        # What the judge says of a blank is for those who did not know that it is one.
        verdict = replace(verdict, hint="")
    return CheckResult(verdict, exercise.title, following, printed, tuple(record.notes))


def _following(exercise: Exercise, verdict: Any, record: Record, more_help: str) -> Iterator[tuple[str, str]]:
    if verdict.state == "done":
        entries = record.entries
        left = [
            other
            for other in catalogue.exercises(exercise.lesson)
            if other.key != exercise.key and (other.key not in entries or entries[other.key].state != "done")
        ]
        if left:
            after = catalogue.exercises(exercise.lesson).index(exercise)
            coming = [other for other in left if catalogue.exercises(exercise.lesson).index(other) > after] or left
            yield f"Next: {coming[0].title}, {coming[0].key}.", ""
        else:
            yield f"Every exercise of lesson {exercise.lesson} is done.", ""
        return
    read = record.entries[exercise.key].hints if exercise.key in record.entries else 0
    todo = f"Write {exercise.entry}" if verdict.state == "not started" else f"Change {exercise.entry}"
    if exercise.kind == "repair" and verdict.state == "not started":
        todo = f"Repair {exercise.entry}"
    more = "A step of help:" if read == 0 else "The next step of help:" if read < 3 else "The hints again:"
    yield f"{todo}, run its cell, then check again. {more}", more_help


def _exercise(key: Any, answer: Any) -> Exercise:
    if isinstance(key, str):
        return catalogue.find(key)
    name = getattr(key, "__name__", "")
    known = [exercise for exercise in catalogue.exercises() if exercise.entry == name]
    example = known[0] if known else catalogue.exercises()[0]
    raise InvalidAnswer(
        f"the first argument of check is the key of the exercise, and this is {_a(type(key).__name__)}.\n"
        f'Type: check("{example.key}", {example.entry})'
    )


def _must_be_an_answer(exercise: Exercise, answer: Any) -> None:
    class_wanted = any(case.script for case in exercise.shown)
    typed = f'Type: check("{exercise.key}", {exercise.entry})'
    if not callable(answer):
        what = "the class itself" if class_wanted else "the function itself"
        raise InvalidAnswer(
            f"check wants {what}, and was given {'None' if answer is None else _a(type(answer).__name__)}: "
            f"what {exercise.entry} returned, perhaps? Leave the parentheses after {exercise.entry} away.\n{typed}"
        )
    if isinstance(answer, type) and not class_wanted and exercise.kind != "design":
        raise InvalidAnswer(
            f"{exercise.entry} is a function, and check was given the class {answer.__name__}.\n{typed}"
        )


def _a(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _for_nbgrader(exercise: Exercise, verdict: Verdict) -> CheckResult:
    if not verdict.done and not verdict.points:
        raise NotDoneYet(repr(VerdictView(verdict, exercise.title)))
    return _ForNbgrader(verdict, exercise.title)


class _Heard(io.TextIOBase):
    """A standard output that keeps the beginning and counts the rest."""

    def __init__(self) -> None:
        self._kept = io.StringIO()
        self._length = 0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        if self._length < MOST_PRINTED:
            self._kept.write(text[: MOST_PRINTED - self._length])
        self._length += len(text)
        return len(text)

    def close(self) -> None:
        """Stay open: the answer may close its output, the check goes on."""

    def text(self) -> str:
        left = self._length - MOST_PRINTED
        return self._kept.getvalue() + (f"\n… and {left:,} more characters" if left > 0 else "")


class _Timed:
    """A caller whose calls are cut short when they take too much processor time."""

    def __init__(self, inner: InProcess) -> None:
        self._inner = inner
        self._used_up = time.process_time() + LONGEST_CHECK
        self._ends = time.monotonic() + PATIENCE * LONGEST_CHECK

    def call(self, case: Case) -> Outcome:
        return self._within_limits(lambda: self._inner.call(case))

    def try_test(self, implementation: str) -> Outcome:
        return self._within_limits(lambda: self._inner.try_test(implementation))

    def _within_limits(self, run: Callable[[], Outcome]) -> Outcome:
        began = time.process_time()
        seconds = min(LONGEST_CALL, self._used_up - began, (self._ends - time.monotonic()) / PATIENCE)
        outcome = cut_after(seconds, run) if seconds > 0 or not _can_set_timers() else None
        return outcome or Outcome("too slow", seconds=time.process_time() - began)


_ENDS: list[tuple[float, float]] = []
"""When what runs under ``cut_after`` now has to end, in processor time and by the clock, the innermost last; all of it
is in the main thread."""


def cut_after(seconds: float, run: Callable[[], T]) -> T | None:
    """Run something and return what it returns; None when it was stopped after ``seconds`` of processor time.

    A function that sleeps is stopped after PATIENCE times as long by the clock. Nested calls end with the outer one.
    Where the system has no timers, or they are not ours to set, nothing is stopped.

    >>> cut_after(5, lambda: 42)
    42
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
    # It rings again and again: the time may not be used up yet, and an answer may catch everything, CutShort too.
    first = max(0.001, min(used_up - time.process_time(), ends - began))
    timer = signal.setitimer(signal.ITIMER_REAL, first, min(RING_AGAIN, max(first / 4, 0.001)))
    try:
        try:
            return run()
        finally:
            # From here on a late ring is ignored.
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


def folder_of(notebook: Path) -> Path:
    """Return the folder in which the record of a notebook lies, which is the kernel's when it is open.

    >>> folder_of(Path("exercises/02_naive_bpe.ipynb")).name
    'exercises'
    """
    return notebook.absolute().parent
