"""Run a learner's answer in a sandboxed process and judge it from outside: the grader's side of ``worker``.

    with RemoteCaller(Program(answer=source, entry="merge"), limits=Limits(), sandbox=best()) as caller:
        verdict = judge(exercise, caller, seed)          # caller.call(case), caller.try_test(source)
        caller.notes                                     # what a teacher may want to know; text of the learner's

One RemoteCaller is one question: one process, or two for a learner's test (the implementation under test has its own).
The process starts with the first call. A call that takes too long, or kills the process, costs that call; the next one
gets a new process, at most ``Limits.restarts`` times. Nothing here raises because of what an answer does; when the
sandbox itself fails, before it has seen a line of the answer, SandboxUnavailable says so.

What comes back is read with a bound on its size and its time, as typed JSON, and only for the call that is waited for:
a line forged early, late, twice or by halves is ignored, and could hold no more than a wrong answer anyway.

Several may run at once, one a thread. Use each one in the thread that makes it: on Linux a worker dies with the thread
that started it, so that none outlives a grader that is killed. Limits: what the walls are made of is the sandbox's
matter; see ``sandbox.ladder``.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.checks.plain import from_json, to_json
from minbpe_course.errors import SandboxUnavailable
from minbpe_course.grading.line import Line, LineBroken, LineClosed, LineLate, LineProblem, open_line
from minbpe_course.grading.sandbox.base import Limits, Sandbox, Started
from minbpe_course.grading.sandbox.ladder import best

__all__ = ["Limits", "Program", "RemoteCaller"]

SECONDS_TO_START = 20.0  # before any line of an answer is read; much, since a machine may be busy
TRIES_TO_START = 3
SENT_AHEAD = 4096  # bytes: there is no system whose pipes hold less
MOST_STRAY_LINES = 1000  # that are no result; whoever sends more is cut off
MOST_REMEMBERED = 1 << 20  # bytes that the implementations under test were asked and have said
LONGEST_TEXT = 500


@dataclass(frozen=True)
class Program:
    """What a worker is to run: the source of the answer, and what may stand around it.

    given : cells of ours that run first. answer : the learner's cell. others : the learner's other cells, from which
    definitions are taken when the answer needs them. entry : the name that the answer defines. packages : what may be
    imported beyond the standard library. subject : for a test, the name of what it tests.
    """

    answer: str
    entry: str
    given: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    subject: str = ""


class RemoteCaller:
    """A Caller whose answers come from a process in a sandbox. Close it, or use it in a ``with``.

    >>> with RemoteCaller(Program("def twice(n): return 2 * n", "twice")) as caller:
    ...     caller.call(Case("a number", (21,))).value
    42
    """

    def __init__(self, program: Program, *, limits: Limits | None = None, sandbox: Sandbox | None = None) -> None:
        self.program = program
        self.limits = limits or Limits()
        self.sandbox = sandbox or best()
        self._spent = 0.0
        self._expected: deque[tuple[Case, _Call]] = deque()
        self._worker = _Worker(self.sandbox, self.limits)
        self._examiner = _Examiner(_Worker(self.sandbox, self.limits))

    def __enter__(self) -> RemoteCaller:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def notes(self) -> list[str]:
        """What went wrong at the top level of the cells: text that the learner may have made up.

        The process writes them before any case is sent, so they cannot hold anything of a secret case.
        """
        return [_text(note) for note in _list((self._worker.loaded or {}).get("notes"))[:5]]

    @property
    def taken(self) -> frozenset[str]:
        """The names that the answer takes from other cells of the learner, as they were when the cells were read."""
        return frozenset(_text(name) for name in _list((self._worker.loaded or {}).get("taken")))

    def close(self) -> None:
        """End every process of this question; nothing more is read."""
        self._worker.end()
        self._examiner.end()

    def expect(self, cases: Iterable[Case]) -> None:
        """Say which cases will be called next, in this order: they can be sent before they are waited for."""
        self._expected = deque((case, self._call_of(case)) for case in cases)

    def call(self, case: Case) -> Outcome:
        """Run one case in the worker."""
        if self._expected and self._expected[0][0] is case:
            return self._timed(self._expected.popleft()[1])
        self._expected.clear()
        return self._timed(self._call_of(case))

    def _call_of(self, case: Case) -> _Call:
        return self._worker.numbered(
            {"args": case.args, "kwargs": {}, "script": case.script, "after": False, "watched": case.watched}
        )

    def try_test(self, implementation: str) -> Outcome:
        """Run the learner's test on an implementation, which lives in a second process."""
        self._examiner.begin(Program(implementation, self.program.subject, packages=self.program.packages))
        return self._timed(self._worker.numbered({"test": True, "known": self._examiner.known()}))

    def _timed(self, call: _Call) -> Outcome:
        begun = time.monotonic()
        left = self.limits.whole - self._spent
        if left <= 0:
            return Outcome("too slow", message=f"the {self.limits.whole:g} seconds of the whole question are used up")
        if self._worker.program is None:
            self._worker.define(self.program)
        following = (later for _, later in self._expected)
        outcome = self._worker.ask(call, min(left, self.limits.seconds), self._examiner, following)
        self._spent += time.monotonic() - begun
        return outcome


@dataclass(frozen=True)
class _Call:
    """A call by its number, and as it is written."""

    number: int
    line: bytes


class _Worker:
    """One sandboxed process and the program that it holds; started again when it has died."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self._sandbox, self._limits = sandbox, limits
        self.program: Program | None = None
        self._started: Started | None = None
        self._line: Line | None = None
        self._starts = 0
        self._count = 0
        self._on_its_way: deque[_Call] = deque()  # sent, and not answered yet as far as we have read
        self._hopeless: Outcome | None = None
        self.loaded: dict[str, Any] | None = None  # the first process's report on the cells, made before any case
        self.after: tuple[Any, ...] = ()

    def end(self) -> None:
        """Kill whatever runs, and let go of its pipes."""
        if self._started is not None:
            self._started.end()
        if self._line is not None:
            self._line.close()
        self._started = self._line = None
        self._on_its_way.clear()

    def define(self, program: Program) -> None:
        """Hold another program from now on, in the same process when it lives."""
        self.program, self._hopeless, self._starts = program, None, 0
        if self._line is not None:
            self._load()

    def numbered(self, message: dict[str, Any]) -> _Call:
        """Return a call, written down; calls are made in the order of their numbers."""
        self._count += 1
        return _Call(self._count, _written({"id": self._count, **message}))

    def ask(
        self, call: _Call, seconds: float, examiner: _Examiner | None = None, following: Iterable[_Call] = ()
    ) -> Outcome:
        """Make one call and return its outcome, whatever happens on the other side."""
        if self._line is None and self._hopeless is None:
            self._begin()
        if self._line is None:
            return self._hopeless or Outcome("lost")
        begun = time.monotonic()
        deadline = begun + seconds
        try:
            self._send(call, following, deadline)
            return self._converse(call.number, deadline, examiner)
        except LineProblem as problem:
            self.end()
            return _failure(problem, time.monotonic() - begun)

    def _send(self, call: _Call, following: Iterable[_Call], deadline: float) -> None:
        """Send a call unless that was done, and so many of those that follow as surely fit into a pipe.

        So the process seldom waits for us, nor do we for it, and nobody can come to wait for each other.
        """
        assert self._line is not None
        on_its_way = self._on_its_way
        if not on_its_way or on_its_way[0] is not call:
            on_its_way.clear()
            self._line.send(call.line, deadline)
            on_its_way.append(call)
        room = SENT_AHEAD - sum(len(sent.line) for sent in on_its_way)
        for later in itertools.islice(following, len(on_its_way) - 1, None):
            room -= len(later.line)
            if room < 0:
                break
            try:
                self._line.send(later.line, deadline)
            except LineClosed:
                # One of those that are on their way has ended the process. What it answered before is still there.
                break
            on_its_way.append(later)

    def _begin(self) -> None:
        """Start a process and let it read the cells; a program that does not survive that is not tried for ever."""
        assert self.program is not None
        if self._starts > self._limits.restarts:
            self._hopeless = Outcome("lost", message="the process of this answer died too often")
            return
        self._starts += 1
        problem = ""
        for _ in range(TRIES_TO_START):
            self._started = self._sandbox.start(self._limits, self.program.packages)
            self._line = open_line(self._started.process, self._limits.result_bytes)
            try:
                hello = self._message(time.monotonic() + SECONDS_TO_START, lambda message: "hello" in message)
                if hello["hello"] is True:
                    return self._load()
                problem = _text(hello.get("problem"))
            except LineProblem:
                problem = f"{TRIES_TO_START} times a process did not start"
            self.end()
        raise SandboxUnavailable(
            f"the sandbox {self._sandbox.name} has stopped working: {problem}.\n"
            "Is the memory or the number of processes of this machine used up?  See: minbpe-course doctor"
        )

    def _load(self) -> None:
        """Let the process read the cells."""
        assert self._line is not None
        begun = time.monotonic()
        job = {name: list(getattr(self.program, name)) for name in ("given", "others")}
        job |= {name: getattr(self.program, name) for name in ("answer", "entry", "subject")}
        deadline = begun + self._limits.seconds
        try:
            self._line.send(_written(job), deadline)
            ready = self._message(deadline, lambda message: message.get("ready") is True)
            if self.loaded is None:
                self.loaded = ready
        except LineProblem as problem:
            self.end()
            self._hopeless = _failure(problem, time.monotonic() - begun)

    def _converse(self, number: int, deadline: float, examiner: _Examiner | None) -> Outcome:
        assert self._line is not None
        begun = time.monotonic()
        while True:
            answer = self._message(deadline, lambda message: _is(message, "id", number) or "ask" in message)
            if _is(answer, "id", number):
                self._on_its_way.popleft()
                self.after = tuple(_list(answer.get("after")))
                return _outcome(answer, time.monotonic() - begun)
            if examiner is not None and examiner.stands_for is not None:
                self._line.send(_written(examiner.ask(answer, deadline)), deadline)

    def _message(self, deadline: float, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read lines until one of them is wanted; whatever else comes is nobody's answer."""
        assert self._line is not None
        for _ in range(MOST_STRAY_LINES):
            try:
                message = from_json(self._line.receive(deadline))
            except ValueError:
                continue
            if isinstance(message, dict) and wanted(message):
                return message
        raise LineBroken("too many lines were written that are no answer")


class _Examiner:
    """The implementation that a learner's test is tried on, in a process of its own, and what it has said so far.

    A test is run several times on each implementation and asks the same each time: it is sent what it was told before,
    and asks only from the first question on that is another one. Then the process is brought to where the test believes
    it to be, by asking it all over again: an implementation may remember what it was asked.
    """

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker
        self._said: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self._room = MOST_REMEMBERED
        self.stands_for: Program | None = None
        self._awake = self._recording = False

    def begin(self, program: Program) -> None:
        """Stand for another implementation, or for the same one anew."""
        self.stands_for, self._awake, self._recording = program, False, False

    def end(self) -> None:
        """End the process."""
        self._worker.end()

    def known(self) -> list[tuple[str, dict[str, Any]]]:
        """Return each question that this implementation was asked, as it is written, and what it answered."""
        return self._said.setdefault(self.stands_for.answer, []) if self.stands_for is not None else []

    def ask(self, question: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Ask the implementation and return what to answer; its process begins with the first question."""
        known = self.known()
        if not self._awake and self.stands_for is not None:
            number = question["ask"]
            told = known[: number - 1] if type(number) is int and number > 0 else known
            self._awake, self._recording = True, len(told) == len(known)
            self._worker.define(self.stands_for)
            for earlier, _ in told:
                self._examine(from_json(earlier), deadline)
        answer = self._examine(question, deadline)
        self._recording = self._recording and answer["state"] in ("value", "raised")
        if self._recording:
            line = to_json({name: question[name] for name in ("ask", "args", "kwargs")})
            self._room -= len(line) + len(to_json(answer))
            self._recording = self._room >= 0
        if self._recording:
            known.append((line, answer))
        return answer

    def _examine(self, question: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Pass a question of the learner's test on to the implementation, and its outcome back."""
        args, kwargs = question.get("args"), question.get("kwargs")
        if not isinstance(args, tuple) or not isinstance(kwargs, dict) or not all(type(name) is str for name in kwargs):
            return {"state": "refused", "message": "no arguments came with the call"}
        call = {"args": args, "kwargs": kwargs, "script": (), "after": True}
        outcome = self._worker.ask(self._worker.numbered(call), deadline - time.monotonic())
        answer = {"state": outcome.state, "value": outcome.value, "error": outcome.error, "message": outcome.message}
        return {**answer, "after": self._worker.after}


def _outcome(answer: dict[str, Any], seconds: float) -> Outcome:
    state, changed = answer.get("state"), answer.get("changed") is True
    if state == "value":
        return Outcome("value", answer.get("value"), seconds=seconds, changed=changed)
    if state not in ("raised", "blank", "refused"):
        return Outcome("lost", message="the process of the answer sent something that is no outcome", seconds=seconds)
    bases = tuple(_text(name) for name in _list(answer.get("bases"))[:20])
    error, message = _text(answer.get("error")), _text(answer.get("message"))
    return Outcome(state, error=error, message=message, seconds=seconds, bases=bases, changed=changed)


def _failure(problem: LineProblem, seconds: float) -> Outcome:
    if isinstance(problem, LineLate):
        return Outcome("too slow", message=f"cut off after {seconds:.3g} seconds", seconds=seconds)
    if isinstance(problem, LineBroken):
        return Outcome("refused", message=str(problem), seconds=seconds)
    return Outcome("lost", message="the process of the answer ended without an answer", seconds=seconds)


def _written(message: dict[str, Any]) -> bytes:
    return to_json(message).encode("ascii") + b"\n"


def _is(message: dict[str, Any], name: str, number: int) -> bool:
    return type(message.get(name)) is int and message[name] == number


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _text(value: Any) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""
