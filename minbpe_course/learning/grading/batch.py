"""Grade a class: one thread per learner, one process per question, and each mark committed when it is made.

A mark that the gradebook already has, for the same answer under the same rules, is not made again. So a killed batch
continues where it stopped. A problem with one submission goes into that learner's report and costs the others nothing.
Threads suffice: they wait for processes.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial

from minbpe_course.learning.grading.gradebook import Gradebook, Kept
from minbpe_course.learning.grading.handed_in import handed_in, lesson_of, remarks
from minbpe_course.learning.grading.marking import BY_HAND, NO_CELL, OpenCaller, mark
from minbpe_course.learning.grading.running import Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.base import Limits, Sandbox
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Exercise, Verdict
from minbpe_course.learning.judge.right_helpers import named_in, right_cells
from minbpe_course.learning.submissions.answer_text import shape
from minbpe_course.learning.submissions.intake import Submission
from minbpe_course.learning.submissions.layouts import delivered_name
from minbpe_course.learning.submissions.notebook_cells import Answer, Question, find_answer, place_of, questions_in


@dataclass
class Done:
    """The counts of a batch. ``marked`` counts the marks made by this run, ``kept`` those made by an earlier one."""

    of: int = 0  # learners in all
    learners: int = 0
    marked: int = 0
    kept: int = 0
    seconds: float = 0.0


def grade(
    submissions: Sequence[Submission],
    questions: Sequence[Question],
    rules: Sequence[str],
    gradebook: Gradebook,
    seed: str,
    *,
    open_caller: OpenCaller,
    sandbox: str,
    known: Sequence[Question] = (),
    jobs: int = 1,
    seconds: float = Limits.notebook,
    found: str = "",
    progress: Callable[[Done], None] | None = None,
    finished: Callable[[str], object] | None = None,
) -> Done:
    """Grade every submission on every question and return what was done.

    rules : the version of each question (see ``mark_rules``). open_caller : opens a process for an answer.
    sandbox : the name of the rung, for the reports. progress : called after each learner, from one thread at a time.
    known : the questions of all notebooks that were handed out, to name what is not graded. seconds : for all questions
    of one notebook.
    found : the folder of the class, so that a notebook which is no longer in it does not count; "" for a zip.
    finished : called with the id of each learner whose marks are complete, in the thread that graded them.
    """
    done = Done(len(submissions))
    known = known or questions
    lessons = {lesson_of(question) for question in questions}
    names = {lesson_of(question) for question in known}
    begun = time.perf_counter()
    stop = threading.Event()
    guard = threading.Lock()

    def grade_one(submission: Submission) -> None:
        if stop.is_set():
            return
        read = submission.read()
        looked = [handed_in(notebook, known) for notebook in read.notebooks]
        problems = [*read.problems, *remarks(looked, lessons, names)]
        worked = set().union(*(one.worked for one in looked))
        at = submission.handed_in and datetime.fromisoformat(submission.handed_in).astimezone(timezone.utc).isoformat()
        learner = submission.owner.id
        delivered = delivered_name(learner, [member.path for member in submission.members])
        enrol = partial(gradebook.enrol, submission.owner, at, problems, worked, found, delivered)
        enrol()
        older: list[str] = []
        notebooks = [notebook for notebook, one in zip(read.notebooks, looked) if not (one.lesson or one.elsewhere)]
        here = {question.exercise.key for question in questions_in(notebooks, questions)}
        earlier = {one.mark.key: one for one in gradebook.marks(learner)}
        if not read.notebooks and any(one.begun for one in earlier.values()):
            problems.append("the answers handed in before count")
            enrol()
        right = {key for key, one in earlier.items() if one.mark.done}
        spent: dict[str, float] = defaultdict(float)
        for question, rule in zip(questions, rules):
            if stop.is_set():
                break
            answer = find_answer(notebooks, question)
            made_from, key = fingerprint(answer, question.exercise), question.exercise.key
            before = earlier.get(key)
            state = "" if before is None else before.mark.state
            same = (
                before is not None
                and (before.answer, before.rules) == (made_from, rule)
                and (state != "not graded" or before.mark.reason == BY_HAND)
            )
            answered = state not in ("", "not started")
            there = before is not None and bool(found) and before.found == found
            is_older = before is not None and bool(at) and at < before.handed_in and not there
            if before is not None and is_older and same:
                gradebook.keep(learner, replace(before, handed_in=at))
            elif is_older and answered and answer.started:
                older.append(key)
            # Keep the earlier mark if nothing newer is handed in, unless that mark was made from the same place.
            blank = not answer.started and not (there and lesson_of(question) in worked)
            keeps = same or (answered and (is_older or blank)) or (before is not None and key not in here)
            if keeps and (same or not there or key in here or read.unread or read.damaged):
                with guard:
                    done.kept += 1
                continue
            if question.exercise.kind == "written":
                state = "not graded" if answer.started else "not started"
                made = Verdict(
                    key,
                    state,
                    0,
                    question.exercise.points,
                    reason=BY_HAND if answer.started else "",
                    notes=answer.notes,
                )
            elif read.unread and not answer.handed_in:
                made = Verdict(key, "not graded", 0, question.exercise.points, reason="; ".join(read.unread[:3]))
            else:
                left = seconds - spent[question.notebook]
                made = mark(question, answer, open_caller, seed, done=right, seconds=left)
                spent[question.notebook] += made.seconds
                (right.add if made.done else right.discard)(key)
            if made.state == "not started" and not answer.handed_in:
                made = replace(made, notes=(NO_CELL,))
            kept = Kept(made, sandbox, answer.source, shape(answer.source or "", question.blank), made_from, rule)
            # Another cell may have changed. An answer that has not, and earns no more points, keeps its old date.
            alike = before is not None and before.text == kept.text and made.points <= before.mark.points
            when = before.handed_in if before is not None and alike and before.handed_in else at
            gradebook.keep(learner, replace(kept, handed_in=when, found=found))
            with guard:
                done.marked += 1
        if stop.is_set():
            return
        if older:
            problems.append(f"older than what was graded before, so it did not replace it: {', '.join(older)}")
            enrol()
        if finished is not None:
            finished(learner)
        with guard:
            done.learners += 1
            if progress is not None:
                progress(done)

    with ThreadPoolExecutor(max(jobs, 1), thread_name_prefix="grader") as pool:
        try:
            for each in as_completed([pool.submit(grade_one, submission) for submission in submissions]):
                each.result()
        except BaseException:
            # Interrupted, or the gradebook cannot be written: no thread begins another question.
            stop.set()
            raise
    done.seconds = time.perf_counter() - begun
    return done


def sandboxed(sandbox: Sandbox, limits: Limits | None = None) -> OpenCaller:
    """Return the function that opens a process in this sandbox for an answer."""

    def opened(question: Question, answer: Answer, helpers: tuple[Exercise, ...] = ()) -> RemoteCaller:
        return RemoteCaller(program_of(question, answer, helpers), limits=limits, sandbox=sandbox)

    return opened


def program_of(question: Question, answer: Answer, helpers: Sequence[Exercise] = ()) -> Program:
    """Return what runs for an answer: its notebook up to the check.

    helpers : earlier exercises whose right answers take the place of the learner's, each after the cell in which the
    learner's was checked.
    """
    exercise, given = question.exercise, len(answer.given)
    cells = (*answer.given, *(cell.source for cell in answer.cells))
    bound: dict[int, list[str]] = {}
    for helper in helpers:
        place = place_of(helper, answer.cells)
        bound.setdefault(place + given if place >= 0 else -1, []).append(helper.entry)
    served = tuple(dict.fromkeys((*helpers, *named_in(exercise, cells, "mine"))))
    groups = [[one for one in served if one.lesson == lesson] for lesson in dict.fromkeys(one.lesson for one in served)]
    right = tuple((right_cells(exercise, group), {one.key: one.entry for one in group}) for group in groups)
    own = tuple(dict.fromkeys((*exercise.packages, *ALLOWED_PACKAGES)))
    lesson = catalogue.exercises(exercise.lesson) if exercise.lesson in catalogue.lessons() else ()
    known = dict.fromkeys((*own, *(package for one in (*lesson, *served) for package in one.packages)))
    # Each package costs every start of a process a few mounts, so those that no cell names are left out.
    sources = (*cells, *(cell for group, _ in right for cell in group))
    packages = tuple(name for name in known if any(name in source for source in sources))
    return Program(
        cells,
        exercise.entry,
        key=next((key for key in exercise.also if key in cells[-1]), exercise.key) if answer.checked else "",
        begins=answer.begins + given,
        packages=packages,
        own=own,
        subject=exercise.subject,
        right=right,
        bound=bound,
    )


def fingerprint(answer: Answer, exercise: Exercise) -> str:
    """Return the hash of all that was handed in for one question, and of the right answers that its cells name."""
    parts = ["" if answer.source is None else answer.source, f"{answer.started} {answer.handed_in}", *answer.given, ""]
    cells = [cell.source for cell in answer.cells]
    parts += [*cells, "", *answer.notes]
    for one in (*named_in(exercise, cells, "mine"), *named_in(exercise, cells, "working")):
        parts += right_cells(exercise, (one,))
    seen = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        seen.update(len(data).to_bytes(8, "little") + data)
    return seen.hexdigest()[:32]
