"""Run a learner's notebook up to one question in a sandboxed process, and judge it from outside.

This is the grader's side of ``worker``. One RemoteCaller serves one question. It has one process, which runs the cells
when the first call is made. A learner's test gets a new one for each implementation that it is tried on. The
implementations, which are not the learner's, share another process, in which each is defined afresh. A call that takes
too long, or kills the process, costs that call only; the next one gets a new process, at most ``Limits.restarts``
times. A cell that takes too long is interrupted. One that cannot be interrupted, or ends the process, is left out in a
new process.

Nothing that an answer does raises here, except for NotReached: the cells took too long to reach the question.
GradingProblem says that the sandbox failed before it had read a cell, or that something outside killed the process.

Calls are sent one by one, those of a script too: the next call is sent only when this one has been answered. What
comes back is read with a bound on size and time, as typed JSON, and only for the call that is waited for. A forged line
is ignored if it comes early, late, twice or in halves; at the right moment it is no more than a wrong answer.

Several may run at once, one per thread. Use each in the thread that created it: on Linux a worker dies with the thread
that started it, so that no worker outlives a killed grader.
"""

from __future__ import annotations

import builtins
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.pipes import (
    Closed,
    Deadline,
    PipeProblem,
    Pipes,
    TooLate,
    TooLong,
    by_the_clock,
)
from minbpe_course.learning.grading.sandbox.base import Limits, Sandbox, Started
from minbpe_course.learning.grading.sandbox.choose_sandbox import best
from minbpe_course.learning.grading.sandbox.processor import PRECISE, TELLS_WAITS, used, waited
from minbpe_course.learning.judge.exercise import Case, Outcome
from minbpe_course.learning.judge.plain_values import from_json, to_json

__all__ = ["Limits", "NotReached", "Program", "RemoteCaller"]

SECONDS_TO_START = 20.0  # before any line of an answer is read; generous, since a machine may be busy
TRIES_TO_START = 3
SECONDS_TO_STOP = 2.0  # for a cell that is interrupted
SECONDS_TO_LOOK = 0.5  # between two looks at the work folder
REPEATS = 3  # how often the cells may take their whole time, in new processes for later calls
_SHORT = 0.05  # seconds
MOST_STRAY_LINES = 1000  # lines that are not results; a process that writes more is cut off
LONGEST_TEXT = 500


@dataclass(frozen=True)
class Program:
    """A notebook up to one question, for a worker to run.

    cells : in order. entry : the name that the answer defines. key : of the exercise; ``check(key, answer)`` says what
    the answer is; without a key, it is the entry. begins : the first cell that defines the entry.
    packages : may be imported, like the standard library. own : may still be imported from ``begins`` on; default: all.
    subject : for a test, the name of what it tests.
    right : groups of our cells, with the keys and names of the right answers that each defines.
    bound : the names that right answers replace after a cell, by its number; -1 is before the first one.
    """

    cells: tuple[str, ...]
    entry: str
    key: str = ""
    begins: int = 0
    packages: tuple[str, ...] = ()
    own: tuple[str, ...] | None = None
    subject: str = ""
    right: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...] = ()
    bound: Mapping[int, list[str]] = field(default_factory=dict)


class NotReached(Exception):
    """The cells above a question take too long. Handled by ``marking``, never shown to a user."""


class RemoteCaller:
    """A Caller whose answers come from a process in a sandbox. Close it, or use it in a ``with``.

    >>> with RemoteCaller(Program(("def twice(n): return 2 * n",), "twice")) as caller:
    ...     caller.call(Case("a number", (21,))).value
    42
    """

    def __init__(self, program: Program, *, limits: Limits | None = None, sandbox: Sandbox | None = None) -> None:
        self.program = program
        self.limits = limits or Limits()
        self.sandbox = sandbox or best()
        self._spent = self._asleep = 0.0  # seconds of calls, by the clock, without those spent waiting for a processor
        self._worker = _Worker(self.sandbox, self.limits)
        self._examiner = _Worker(self.sandbox, self.limits)  # has the implementation that a test is tried on

    def __enter__(self) -> RemoteCaller:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def notes(self) -> list[tuple[int, int, str]]:
        """The cells that failed: the number of the cell, the line or 0, and what happened, in the grader's words.

        The first process wrote it before any case was sent. Of its text, only the names of built-in exceptions are
        used.
        """
        return self._worker.notes

    @property
    def slowest(self) -> tuple[int, float]:
        """The cell that took longest, and its seconds."""
        return max(self._worker.times.items(), key=lambda item: item[1], default=(0, 0.0))

    @property
    def seconds(self) -> float:
        """Seconds for which cells and calls ran or slept; waiting for a processor does not count."""
        return self._spent + self._worker.seconds

    def hurry(self, seconds: float) -> None:
        """Start no further cell once the cells have taken this many seconds."""
        self._worker.most = seconds

    def close(self) -> None:
        """End every process of this question."""
        self._worker.end()
        self._examiner.end()

    def call(self, case: Case) -> Outcome:
        """Run one case in the worker."""
        return self._limited(lambda allowance: self._worker.call(case, allowance))

    def try_test(self, implementation: str) -> Outcome:
        """Run the learner's test on an implementation, in a new process unless it is the same as the last time."""
        program = Program((implementation,), self.program.subject, packages=self.program.packages)
        if self._examiner.program != program:
            self._worker.end()
            self._worker.define(self.program)
        self._examiner.define(program)  # again: it may remember the questions of another run
        self._examiner.begin()
        return self._limited(lambda allowance: self._worker.ask({"test": True}, allowance, self._examiner))

    def _limited(self, run: Callable[[_Allowance], Outcome]) -> Outcome:
        left = self._left()
        if left <= 0:
            return Outcome("too slow", message=f"the {self.limits.whole:g} seconds of the whole question are used up")
        if self._worker.program is None:
            self._worker.define(self.program)
        self._worker.begin()
        allowance = _Allowance(min(left, self.limits.seconds), self.limits, (self._worker, self._examiner))
        outcome = run(allowance)
        self._spent += allowance.spent()
        self._asleep += allowance.asleep()
        return outcome if outcome.seconds else replace(outcome, seconds=allowance.seconds_used())

    def _left(self) -> float:
        """Return the processor time left for the whole question; 0 when the limit by the clock is reached."""
        workers = (self._worker, self._examiner)
        # A call may sleep as long as it may run, and so may all calls together.
        if self._asleep > (_patience(self.limits, workers) - 1) * self.limits.whole:
            return 0.0
        return self.limits.whole - sum(worker.used() for worker in workers)


class _Allowance:
    """The deadline of one call that starts now: processor time, and the clock for an answer that sleeps."""

    def __init__(
        self, seconds: float, limits: Limits, workers: tuple[_Worker, ...], patience: float | None = None
    ) -> None:
        self._seconds, self._workers = seconds, workers
        self._patience = _patience(limits, workers) if patience is None else patience
        self._begun = time.monotonic()
        self._used_before = sum(worker.used() for worker in workers)
        self._waited_before = _waited(workers)

    def elapsed(self) -> float:
        """Return the seconds since the call was made."""
        return time.monotonic() - self._begun

    def asleep(self) -> float:
        """Return the part of ``spent`` in which the answer did not run."""
        return max(self.spent() - self.used(), 0.0)

    def spent(self) -> float:
        """Return the part of ``elapsed`` in which neither the answer nor the grader waited for a processor."""
        elapsed = self.elapsed()
        # Reading the waiting times costs more than most calls.
        return elapsed if elapsed < _SHORT else elapsed - (_waited(self._workers) - self._waited_before)

    def used(self) -> float:
        """Return the processor time of the call so far."""
        return sum(worker.used() for worker in self._workers) - self._used_before

    def seconds_used(self) -> float:
        """Return how long the call took: in processor time where that is exact, else by the clock."""
        measured = PRECISE and all(worker.measured for worker in self._workers)
        return self.used() if measured else self.elapsed()

    def left(self) -> float:
        """Return the seconds after which to ask again; zero or less when none are left."""
        elapsed = self.elapsed()
        if elapsed < self._seconds:
            return self._seconds - elapsed
        return min(self._seconds - self.used(), self._seconds * self._patience - self.spent())

    def failure(self, problem: PipeProblem) -> Outcome:
        """Return the outcome of a call that ended in a problem."""
        seconds = self.seconds_used()
        if isinstance(problem, TooLate):
            by_clock = f"{self.elapsed():.3g} seconds by the clock"
            spent = f"{self._seconds:g} seconds of processor time" if self.used() >= self._seconds else by_clock
            return Outcome("too slow", message=f"cut off after {spent}", seconds=seconds)
        if isinstance(problem, TooLong):
            return Outcome("refused", message=str(problem), seconds=seconds)
        return Outcome("lost", message="the process of the answer ended without an answer", seconds=seconds)


def _waited(workers: tuple[_Worker, ...]) -> float:
    """Return the seconds for which the answer, or the grader that it waits for, had no processor."""
    return sum(worker.waited() for worker in workers) + waited("thread-self")


def _patience(limits: Limits, workers: tuple[_Worker, ...]) -> float:
    """Return how many seconds by the clock are allowed per second of processor time."""
    known = TELLS_WAITS and all(worker.measured for worker in workers)
    return limits.patience if known else limits.unmeasured


class _Worker:
    """One sandboxed process and the program that it holds; started again when it has died."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self._sandbox, self._limits = sandbox, limits
        self.program: Program | None = None
        self._started: Started | None = None
        self._pipes: Pipes | None = None
        self._pid: int | None = None
        self._used_at_start = self._used = self._used_by_others = self._waited_by_others = 0.0
        self._starts = 0
        self._defined = 0  # how often; for a test, once for each implementation
        self._count = 0
        self._hopeless: Outcome | None = None
        self._size = 0  # of the line that was read last
        self._next_look = 0.0
        self.measured = True
        self.notes: list[tuple[int, int, str]] = []
        self.times: dict[int, float] = {}  # seconds of each cell, as of the first process that ran it
        self.seconds = 0.0  # of all cells, in all processes
        self.most = math.inf  # for them
        self._skipped: set[int] = set()
        self._ran = False  # whether a process has run all cells; later ones may know what cases there are
        self.after: tuple[Any, ...] = ()

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self._used_by_others, self._waited_by_others = self.used(), self.waited()
        self._pid, self._used = None, 0.0
        if self._started is not None:
            self._started.end()
        if self._pipes is not None:
            self._pipes.close()
        self._started = self._pipes = None

    def used(self) -> float:
        """Return the processor time of all processes of this worker, since each was ready to read an answer."""
        if self._pid is not None:
            now = used(self._pid)
            self._used = self._used if now is None else now - self._used_at_start
        return self._used_by_others + self._used

    def waited(self) -> float:
        """Return the time for which they could have run but had no processor."""
        return self._waited_by_others + (0.0 if self._pid is None else waited(self._pid))

    def define(self, program: Program) -> None:
        """Take another program, in the same process if that is alive."""
        self.program, self._hopeless, self._starts = program, None, 0
        self._defined += 1
        if self._pipes is not None:
            self._load()
            # This program must not suffer from what the last one did to the process: ``begin`` tries a new one.
            self._hopeless = None

    def call(self, case: Case, allowance: _Allowance) -> Outcome:
        """Run one case: call the entry, then one by one the methods that the script names on the object it made."""
        kept = bool(case.script)
        outcome = self.ask({"args": case.args, "keep": kept, "maker": case.maker, "watched": case.watched}, allowance)
        values, size = [], 0
        for method, args in case.script:
            if outcome.state != "value":
                return outcome
            outcome = self.ask({"method": method, "args": args}, allowance)
            values.append(outcome.value)
            size += self._size
            if size > self._limits.result_bytes:
                message = f"the answers of one script take more than {self._limits.result_bytes:,} bytes when written"
                return Outcome("refused", message=message)
        return replace(outcome, value=values) if kept and outcome.state == "value" else outcome

    def ask(self, request: dict[str, Any], allowance: _Allowance, examiner: _Worker | None = None) -> Outcome:
        """Make one call and return its outcome; no behaviour of the other side raises."""
        self.begin()
        if self._pipes is None:
            return self._hopeless or Outcome("lost")
        self._count += 1
        try:
            self._pipes.send(_written({"id": self._count, **request}), allowance.left)
            return self._converse(self._count, allowance, examiner)
        except PipeProblem as problem:
            outcome = allowance.failure(problem)
            self._end_after(problem)
            return outcome

    def examine(self, question: dict[str, Any], allowance: _Allowance) -> dict[str, Any]:
        """Pass a question of the learner's test on to the implementation that this is, and its outcome back."""
        args, kwargs = question.get("args"), question.get("kwargs")
        if not isinstance(args, tuple) or not isinstance(kwargs, dict) or not all(type(name) is str for name in kwargs):
            return {"state": "refused", "message": "no arguments came with the call"}
        outcome = self.ask({"args": args, "kwargs": kwargs, "after": True}, allowance)
        answer = {"state": outcome.state, "value": outcome.value, "error": outcome.error, "message": outcome.message}
        return {**answer, "after": self.after}

    def begin(self) -> None:
        """Start a process unless one runs, and let it run the cells; give up on a program that always dies."""
        while self._pipes is None and self._hopeless is None:
            if self._starts > self._limits.restarts:
                self._hopeless = Outcome("lost", message="the process of this answer died too often")
                return
            self._starts += 1
            self._start()
            self._load()

    def _start(self) -> None:
        assert self.program is not None
        problem = ""
        for _ in range(TRIES_TO_START):
            self._started = self._sandbox.start(self._limits, self.program.packages)
            self._pipes = Pipes(self._started.process, self._limits.result_bytes)
            try:
                hello = self._message(by_the_clock(SECONDS_TO_START), lambda message: "hello" in message)
                if hello["hello"] is True:
                    return self._measure(self._started.worker())
                problem = _text(hello.get("problem"))
            except PipeProblem:
                problem = f"{TRIES_TO_START} times a process did not start"
            self.end()
        raise GradingProblem(
            f"the sandbox {self._sandbox.name} has stopped working: {problem}.\n"
            "Is the memory or the number of processes of this machine used up?  See: minbpe-course doctor"
        )

    def _measure(self, pid: int | None) -> None:
        now = None if pid is None else used(pid)
        self.measured = now is not None
        self._pid, self._used_at_start, self._used = (pid if self.measured else None), now or 0.0, 0.0

    def _load(self) -> None:
        """Let the process run the cells. Raises NotReached if they take too long."""
        assert self._pipes is not None
        assert self.program is not None
        job = {**vars(self.program), "skip": sorted(self._skipped)}
        at = -1
        try:
            self._pipes.send(_written(job), by_the_clock(self._limits.cell))
            while at < len(self.program.cells):
                runs = REPEATS + self._defined if self._ran else 1
                if self.seconds >= min(self.most, self._limits.cells * runs):
                    return self._give_up()
                self._run_cell(at)
                at += 1
        except PipeProblem as problem:
            self._end_after(problem)
            self._leave_out(at, problem)

    def _run_cell(self, at: int) -> None:
        """Wait until the process has run a cell: until it says that it begins the next one, or has run them all."""
        assert self.program is not None
        last = len(self.program.cells) - 1
        allowance = _Allowance(self._limits.cell, self._limits, (self,), patience=1.0)

        def wanted(message: dict[str, Any]) -> bool:
            return message.get("ready") is True if at == last else message.get("cell") == at + 1

        try:
            try:
                message = self._message(allowance.left, wanted)
            except TooLate:
                if self._started is None or not self._started.interrupt():
                    raise
                message = self._message(by_the_clock(SECONDS_TO_STOP), wanted)
                self._note(at, f"took longer than {self._limits.cell:g} seconds")
        finally:
            took = allowance.spent()
            self.seconds += took
            self._used_by_others -= allowance.used()  # cells have a separate limit
            self.times.setdefault(at, took)
        if at == last and not self._ran:
            self._ran = True
            notes = (_cell_note(note, self.program.cells) for note in _list(message.get("notes")))
            self.notes += [note for note in notes if note is not None]

    def _leave_out(self, at: int, problem: PipeProblem) -> None:
        """Leave out the cell that the process did not survive, or give up."""
        self._note(at, self._what_happened(problem))
        self._skipped.add(at)
        if at < 0 or len(self._skipped) > self._limits.restarts:
            return self._give_up()
        self._starts -= 1  # the answer has not been called

    def _what_happened(self, problem: PipeProblem) -> str:
        if isinstance(problem, TooLate):
            return f"took longer than {self._limits.cell:g} seconds"
        return "wrote too much" if isinstance(problem, TooLong) else "ended the process that it ran in"

    def _give_up(self) -> None:
        """Stop running the cells. Raises NotReached if the answer has never been reached."""
        self.end()
        if not self._ran:
            raise NotReached
        self._hopeless = Outcome("too slow", message="the cells above the answer take too long to be run again")

    def _note(self, at: int, what: str) -> None:
        if not self._ran:
            self.notes.append((at, 0, what))

    def _end_after(self, problem: PipeProblem) -> None:
        """End the process. Raises GradingProblem if something outside has killed it."""
        killed = isinstance(problem, Closed) and self._started is not None and self._started.killed()
        self.end()
        if killed:
            self._hopeless = None
            raise GradingProblem(
                "the process of the answer was killed from outside. Is the memory of this machine used up?"
            )

    def _converse(self, number: int, allowance: _Allowance, examiner: _Worker | None) -> Outcome:
        assert self._pipes is not None

        def ours(message: dict[str, Any]) -> bool:
            return type(message.get("id")) is int and message["id"] == number

        while True:
            answer = self._message(allowance.left, lambda message: ours(message) or "ask" in message)
            if ours(answer):
                self.after = tuple(_list(answer.get("after")))
                return _outcome(answer)
            if examiner is not None:
                self._pipes.send(_written(examiner.examine(answer, allowance)), allowance.left)

    def _message(self, deadline: Deadline, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read lines until one of them is wanted; ignore all others."""
        assert self._pipes is not None
        watched = self._watched(deadline)
        for _ in range(MOST_STRAY_LINES):
            line = self._pipes.receive(watched)
            self._size = len(line)
            try:
                message = from_json(line)
            except ValueError:
                continue
            if isinstance(message, dict) and wanted(message):
                return message
        raise TooLong("too many lines were written that are not an answer")

    def _watched(self, deadline: Deadline) -> Deadline:
        """Return a deadline that raises TooLong when the files of the process take more than they may."""
        most = self._limits.file_bytes

        def left() -> float:
            if self._started is not None and time.monotonic() >= self._next_look:
                if self._started.written(most) > most:
                    raise TooLong(f"the files of the answer take more than {most:,} bytes")
                self._next_look = time.monotonic() + SECONDS_TO_LOOK
            return min(deadline(), SECONDS_TO_LOOK)

        return left


def _cell_note(note: Any, cells: tuple[str, ...]) -> tuple[int, int, str] | None:
    """Return a worker's note that a cell has failed, without a word of the learner's; None for a forged one."""
    number, line, name = note if isinstance(note, tuple) and len(note) == 3 else (None, None, None)
    if type(number) is not int or type(line) is not int or not 0 <= number < len(cells):
        return None
    if not 0 <= line <= cells[number].count("\n") + 2:  # an error may be found after the end
        return None
    return number, line, f"raised {named_error(name)}"


def named_error(name: Any) -> str:
    """Return the name of a built-in exception, "an exception" for any other name.

    >>> named_error("KeyError"), named_error("case 5: wanted 17")
    ('KeyError', 'an exception')
    """
    kind = getattr(builtins, name, None) if isinstance(name, str) else None
    return str(name) if isinstance(kind, type) and issubclass(kind, BaseException) else "an exception"


def _outcome(answer: dict[str, Any]) -> Outcome:
    state, changed = answer.get("state"), answer.get("changed") is True
    if state == "value":
        return Outcome("value", answer.get("value"), changed=changed)
    if state not in ("raised", "blank", "refused"):
        return Outcome("lost", message="the process of the answer sent something that is not an outcome")
    bases = tuple(_text(name) for name in _list(answer.get("bases"))[:20])
    error, message = _text(answer.get("error")), _text(answer.get("message"))
    return Outcome(state, error=error, message=message, bases=bases, changed=changed)


def _written(message: dict[str, Any]) -> bytes:
    return to_json(message).encode("ascii") + b"\n"


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _text(value: Any) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""
