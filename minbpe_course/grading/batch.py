"""A class, graded: each learner by one thread, each question by a process of its own, each mark kept at once.

    grade(intake, questions, gradebook, ...)   -> what was done, in numbers

Marks that the gradebook already has, made from the same answer under the same rules, are not made again, so a batch
that was killed continues where it was. An answer that takes too long is tried once more while no other one runs.
Whatever is wrong with one submission is written into that learner's report and costs the others nothing. Threads
suffice: they wait for the processes in which answers run.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace

from minbpe_course.checks.exercise import ALLOWED_PACKAGES, Exercise
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.grading.cells import Answer, Notebook, Question, find_answer, lessons_in
from minbpe_course.grading.gradebook import Gradebook
from minbpe_course.grading.intake import Submission
from minbpe_course.grading.marking import OpenCaller, mark
from minbpe_course.grading.running import Program, RemoteCaller
from minbpe_course.grading.sandbox.base import Sandbox


@dataclass(frozen=True)
class Progress:
    """How far a batch is: learners done, of how many, and marks made so far."""

    learners: int
    of: int
    marks: int


@dataclass
class Done:
    """What a batch did. ``marked`` are the marks made by this run, ``kept`` those that an earlier one had made."""

    learners: int = 0
    questions: int = 0
    marked: int = 0
    kept: int = 0
    not_graded: int = 0
    seconds: float = 0.0
    ids: list[str] = field(default_factory=list)


def grade(
    submissions: Sequence[Submission],
    questions: Sequence[Question],
    rules: Sequence[str],
    gradebook: Gradebook,
    seed: str,
    *,
    open_caller: OpenCaller,
    sandbox: str,
    jobs: int = 1,
    progress: Callable[[Progress], None] | None = None,
    finished: Callable[[str], object] | None = None,
) -> Done:
    """Grade every submission on every question and return what was done.

    rules : the fingerprint of each question (see ``released.version``). open_caller, sandbox : who runs answers, and
    the name of the rung for the reports. progress : called after each learner, from one thread at a time.
    finished : called with the id of each learner whose marks are complete, in the thread that graded them.
    """
    done = Done(questions=len(questions))
    begun = time.perf_counter()
    stop = threading.Event()
    guard = threading.Lock()
    turns = Turns()

    def one(submission: Submission) -> None:
        if stop.is_set():
            return
        counted = _grade_one(submission, questions, rules, gradebook, seed, open_caller, sandbox, stop, turns)
        if stop.is_set():
            return
        if finished is not None:
            finished(submission.owner.id)
        with guard:
            done.learners += 1
            done.ids.append(submission.owner.id)
            done.marked += counted.marked
            done.kept += counted.kept
            done.not_graded += counted.not_graded
            if progress is not None:
                progress(Progress(done.learners, len(submissions), done.marked))

    with ThreadPoolExecutor(max(jobs, 1), thread_name_prefix="grader") as pool:
        waiting = [pool.submit(one, submission) for submission in submissions]
        try:
            for each in as_completed(waiting):
                each.result()
        except BaseException:
            # Interrupted, or the gradebook cannot be written: nobody begins another question.
            stop.set()
            for each in waiting:
                each.cancel()
            raise
    done.seconds = time.perf_counter() - begun
    return done


class Turns:
    """Lets several answers run at once, or one of them alone.

    >>> turns = Turns()
    >>> with turns.beside(), turns.beside():
    ...     "two at once"
    'two at once'
    >>> with turns.alone():
    ...     "one"
    'one'
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = self._wanting = 0

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """Enter together with others, but not while a thread runs alone or waits to."""
        with self._changed:
            self._changed.wait_for(lambda: not self._wanting)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until every other thread has left, then keep them out. Leave ``beside`` before you enter this."""
        with self._changed:
            self._wanting += 1
        try:
            with self._changed:
                self._changed.wait_for(lambda: not self._running)
                self._running += 1
            try:
                yield
            finally:
                with self._changed:
                    self._running -= 1
        finally:
            with self._changed:
                self._wanting -= 1
                self._changed.notify_all()


def lessons_handed_in(submissions: Iterable[Submission], questions: Sequence[Question]) -> tuple[str, ...]:
    """Return the lessons of which anybody handed in at least one answer cell: what to grade when nobody says."""
    lessons = {question.exercise.lesson for question in questions}
    found: set[str] = set()
    for submission in submissions:
        if found == lessons:
            break
        found |= lessons_in(submission.notebooks()[0], questions)
    return tuple(sorted(found))


def sandboxed(sandbox: Sandbox) -> OpenCaller:
    """Return what opens a process in this sandbox for an answer."""

    def opened(question: Question, answer: Answer) -> RemoteCaller:
        exercise = question.exercise
        program = Program(
            answer.source or "",
            exercise.entry,
            given=question.given,
            others=answer.others,
            packages=packages_for(exercise, answer),
            subject=exercise.subject,
        )
        return RemoteCaller(program, sandbox=sandbox)

    return opened


def packages_for(exercise: Exercise, answer: Answer) -> tuple[str, ...]:
    """Return the packages that an answer can import: those of its exercise, and others allowed that its cells name.

    A package costs every start of a process a few mounts, so one that is not named is not there.

    >>> asked = Exercise("02.merge", "", "write", "merge", 2, 10, 2, ("", "", ""))
    >>> packages_for(asked, Answer("def merge(): ...")), packages_for(asked, Answer("", ("import numpy as np",)))
    ((), ('numpy',))
    """
    written = (answer.source or "", *answer.others)
    named = [name for name in ALLOWED_PACKAGES if any(name in source for source in written)]
    return tuple(dict.fromkeys((*exercise.packages, *named)))


def fingerprint(answer: Answer) -> str:
    """Return the hash of everything that a learner handed in for one question.

    >>> fingerprint(Answer("a = 1")) == fingerprint(Answer("a = 1", notes=("imports tiktoken",)))
    False
    """
    parts = ["" if answer.source is None else answer.source, str(answer.started), *answer.others, "", *answer.notes]
    seen = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        seen.update(len(data).to_bytes(8, "little") + data)
    return seen.hexdigest()[:32]


def _grade_one(
    submission: Submission,
    questions: Sequence[Question],
    rules: Sequence[str],
    gradebook: Gradebook,
    seed: str,
    open_caller: OpenCaller,
    sandbox: str,
    stop: threading.Event,
    turns: Turns,
) -> Done:
    counted = Done()
    notebooks, problems = _read(submission)
    learner = gradebook.enrol(submission.owner, submission.timestamp(), problems).id
    here = lessons_in(notebooks, questions)
    for question, rule in zip(questions, rules):
        if stop.is_set():
            break
        answer = find_answer(notebooks, question)
        made_from, key = fingerprint(answer), question.exercise.key
        # A lesson that is not in this hand-in at all keeps the marks of an earlier one.
        elsewhere = question.exercise.lesson not in here and gradebook.marks(learner, [key])
        if elsewhere or gradebook.is_graded(learner, key, made_from, rule):
            counted.kept += 1
            continue
        made = mark(question, answer, open_caller, seed, beside=turns.beside, alone=turns.alone)
        if not answer.handed_in and not answer.notes and notebooks:
            made = replace(made, notes=("no cell for this question was handed in",))
        gradebook.keep(learner, made, answer=made_from, rules=rule, sandbox=sandbox)
        counted.marked += 1
        counted.not_graded += made.state == "not graded"
    return counted


def _read(submission: Submission) -> tuple[list[Notebook], list[str]]:
    try:
        return submission.notebooks()
    except (MinbpeCourseError, MemoryError, RecursionError, OSError, ValueError) as problem:
        return [], [*submission.problems, f"could not be read ({type(problem).__name__}): {problem}"]
