"""The learner's function called in this process, as the notebook and the reference do it.

Seconds are processor time where the system measures it exactly, so that other work of the machine does not count.

Limits: nothing is isolated or stopped here. To limit the time, raise ``CutShort`` into the call, for example from a
signal handler. ``grading.running`` calls an answer in a separate process.
"""

from __future__ import annotations

import copy
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import Any

from minbpe_course.learning.judge.exercise import Case, Outcome
from minbpe_course.learning.judge.fresh_copy import fresh_copy
from minbpe_course.learning.judge.plain_values import IN_FOLDER, NotPlain, plain, take_step

LONGEST_MESSAGE = 500
# On Windows processor time advances 64 times a second, too coarse for one call.
clock = time.process_time if os.name == "posix" else time.perf_counter
# Names in a class whose body is a docstring, or nothing.
_OF_AN_EMPTY_CLASS = {"__module__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"}


class CutShort(BaseException):
    """Raised into a running answer that takes too long."""


def run_case(function: Callable[..., Any], case: Case) -> Outcome:
    """Call ``function`` on copies of the case's arguments and return the outcome.

    >>> run_case(sorted, Case("numbers", ([2, 1],))).value
    [1, 2]
    >>> run_case(len, Case("no length", (5,))).error
    'TypeError'
    >>> run_case(list, Case("a class", ([3],), script=(("append", (4,)), ("copy", ())))).value
    [None, [3, 4]]
    >>> class Stack(list):
    ...     ...
    >>> run_case(Stack, Case("an empty class", ([3],), script=(("pop", ()),))).state
    'blank'
    """
    args, script = copy.deepcopy((case.args, case.script))

    def called() -> Any:
        if isinstance(function, type) and set(vars(function)) <= _OF_AN_EMPTY_CLASS:
            raise NotImplementedError(f"{function.__name__} is still blank")
        maker = function
        if case.maker:
            edited = None if isinstance(function, type) else getattr(function, "made", None)  # by ``exercise.edited``
            maker = getattr(edited() if edited else function, case.maker)
        return _scripted(maker(*args), script) if script else maker(*args)

    outcome = _observed(called)
    return replace(outcome, changed=True) if case.watched and _differ(args, case.args) else outcome


def _differ(after: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    try:
        return bool(plain(after) != plain(before))
    except NotPlain:  # an argument now contains a value that is not plain
        return True


def _scripted(made: Any, script: tuple[tuple[str, tuple[Any, ...]], ...]) -> list[Any]:
    values = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        if IN_FOLDER in repr(script)
        else nullcontext("") as folder
    ):
        for step, args in script:
            made, value = take_step(made, step, args, folder)
            values.append(value)
    return values


def _observed(run: Callable[[], Any]) -> Outcome:
    begun = clock()
    try:
        answer = run()
        if answer is Ellipsis:
            return Outcome("blank")
        value = plain(answer)
    except NotImplementedError as error:
        return Outcome("blank", message=_message(error))
    except NotPlain as error:
        return Outcome("refused", error="NotPlain", message=f"the answer is {error}")
    except CutShort:
        return Outcome("too slow", seconds=clock() - begun)
    except (Exception, SystemExit) as error:
        bases = tuple(kind.__name__ for kind in type(error).__mro__)
        return Outcome("raised", error=type(error).__name__, message=_message(error), bases=bases)
    return Outcome("value", value, seconds=clock() - begun)


def _message(error: BaseException) -> str:
    if type(error) is AssertionError and not error.args:
        # An assert without a message: its source line says more.
        return (traceback.extract_tb(error.__traceback__)[-1].line or "")[:LONGEST_MESSAGE]
    try:
        return str(error)[:LONGEST_MESSAGE]
    except Exception:  # a learner's own exception may fail to describe itself
        return ""


class InProcess:
    """A Caller for a function, or a class, in this process.

    >>> InProcess(sorted).call(Case("numbers", ([2, 1],))).value
    [1, 2]
    """

    def __init__(self, entry: Callable[..., Any], subject: str = "") -> None:
        self.entry = entry
        self.subject = subject
        self._test, self._tried_on = entry, ""

    def call(self, case: Case) -> Outcome:
        """Run one case."""
        return run_case(self.entry, case)

    def try_test(self, implementation: str) -> Outcome:
        """Run the entry, a learner's test, on the implementation that the source defines under the subject's name.

        Each implementation gets a fresh copy of the test, which remembers none of the others.
        """
        if implementation != self._tried_on:
            self._test, self._tried_on = fresh_copy(self.entry), implementation
        subject = implementation_of(implementation, self.subject)
        outcome = _observed(lambda: self._test(subject))
        # A test accepts by returning; the returned value does not matter.
        accepted = outcome.state == "value" or outcome.error == "NotPlain"
        return Outcome("value", seconds=outcome.seconds) if accepted else outcome


def implementation_of(source: str, subject: str) -> Callable[..., Any]:
    """Return the function or class called ``subject`` that a source defines.

    >>> implementation_of("def double(n): return 2 * n", "double")(4)
    8
    """
    namespace: dict[str, Any] = {"__name__": "implementation"}
    exec(_compiled(source, f"<{subject}>", "exec"), namespace)
    found: Callable[..., Any] = namespace[subject]
    return found


_compiled = lru_cache(maxsize=256)(compile)  # a test runs several times on each implementation
