"""Grade a class: from a folder or zip of submissions to a gradebook and reports; run it again to continue."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.options import add_exercises_arg, use_exercises_arg
from minbpe_course.cli.terminal import can_overwrite, rewrite, say, tell
from minbpe_course.errors import (
    ExercisesProblem,
    GradebookProblem,
    MinbpeCourseError,
    SandboxUnavailable,
    UnusablePath,
)
from minbpe_course.resources.threads import cores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minbpe_course.learning.grading.assigned import Assigned
    from minbpe_course.learning.grading.batch import Done
    from minbpe_course.learning.grading.gradebook import Gradebook
    from minbpe_course.learning.grading.sandbox.base import Sandbox
    from minbpe_course.learning.submissions.intake import Intake
    from minbpe_course.learning.submissions.notebook_cells import Question

LINES_SAID = 20
EXAMPLES = """\
minbpe-course grade submissions/ --out marks --seed-file seed.txt
minbpe-course grade moodle_download.zip --out marks --seed-file seed.txt --only 02 03.split
minbpe-course grade submissions/ --out marks --seed-file seed.txt --jobs 2 --fresh
minbpe-course grade submissions/ --out marks --seed-file seed.txt --exercises homework --only week1
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS", help="a folder for each learner; or the bulk zip of a platform"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where gradebook and reports go")
    add_seed_args(parser)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="lessons (02) and questions (02.merge)")
    add_exercises_arg(parser)
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="at once (default: one more than cores)")
    add_sandbox_args(parser)
    parser.add_argument(
        "--patience",
        type=_factor,
        default=1.0,
        metavar="FACTOR",
        help="let cells run so many times as long (default: 1)",
    )
    parser.add_argument("--fresh", action="store_true", help="throw earlier marks in DIR away and begin again")


def _factor(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0; for twice the time: --patience 2")


def add_seed_args(parser: argparse.ArgumentParser) -> None:
    """Declare the ways to give the secret seed."""
    parser.add_argument("--seed", metavar="SECRET", help="seed of the hidden cases; other users can see it here")
    parser.add_argument(
        "--seed-file", type=Path, metavar="FILE", help="a file with the seed; or set MINBPE_COURSE_SEED"
    )


def add_sandbox_args(parser: argparse.ArgumentParser) -> None:
    """Declare the choice of a sandbox."""
    parser.add_argument("--rung", metavar="NAME", help="the sandbox to use (default: the best; see doctor)")
    parser.add_argument(
        "--allow-unsandboxed", action="store_true", help="run answers even where nothing protects this machine"
    )


def run(args: argparse.Namespace) -> int:
    """Grade, write the reports, and print one JSON object as the last line of standard output.

    Return 1 if the grader could not grade everything that it shows, else 0.
    """
    try:
        return _run(args)
    except OSError as error:
        if isinstance(error, MinbpeCourseError) or error.filename is None:
            raise
        raise UnusablePath(
            f"{str(error.filename)[:300]}: {error.strerror}. Marks made so far are kept: fix it, and run it again."
        ) from error


def _run(args: argparse.Namespace) -> int:
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.grading import released
    from minbpe_course.learning.grading.assigned import lesson_of
    from minbpe_course.learning.grading.batch import grade, sandboxed
    from minbpe_course.learning.grading.gradebook import Gradebook
    from minbpe_course.learning.grading.mark_rules import rules_of
    from minbpe_course.learning.grading.reports.writing import write_class, write_learner
    from minbpe_course.learning.grading.sandbox.base import Limits
    from minbpe_course.learning.grading.seeds import find_seed
    from minbpe_course.learning.judge import catalogue
    from minbpe_course.learning.submissions.intake import read_submissions

    use_exercises_arg(args)
    seed, warning = find_seed(args.seed, args.seed_file, os.environ)
    _say(warning)
    if args.submissions.is_dir() and args.out.resolve() == args.submissions.resolve():
        raise GradebookProblem(
            f"{args.out} holds the submissions, and reports would be written into the folders of learners. "
            f"Name another folder, for example --out {args.out.with_name('marks')}."
        )
    limits = Limits().with_patience(args.patience)
    sandbox, guarantees = choose_sandbox(args.rung, unsandboxed=args.allow_unsandboxed)
    questions = released.questions(released.chosen(args.only) if args.only else released.all_released())
    known = questions
    if args.only:
        with suppress(ExercisesProblem):  # a notebook that is not asked for
            known = released.questions(released.all_released())
    # The names of all notebooks, also of those that are not asked for: "ada_week2" must not become a learner.
    intake = read_submissions(args.submissions, {lesson_of(question) for question in known})
    _say_some([f"not read: {refusal.path} {refusal.why}" for refusal in intake.refusals])
    if intake.base:
        _say(f"the learners are those in {intake.base} ({intake.layout})")
    with Gradebook(args.out, seed, fresh=args.fresh) as gradebook:
        left_out = []
        if not args.only:
            counted = _assigned(intake, gradebook, known)
            left_out = _left_out(counted, questions)
            questions = tuple(question for question in questions if lesson_of(question) in counted.lessons)
        if not questions:
            left_out.append(
                "No answer to any question was found in these notebooks. Exercises of your own are named with "
                "--exercises FOLDER, and a class without notebooks with --only LESSON."
            )
        _say_some(left_out)
        asked = {question.exercise.key for question in questions}
        names = {question.exercise.lesson: lesson_of(question) for question in questions}
        exercises = {exercise.key: exercise for exercise in catalogue.exercises() if exercise.key in asked}
        done = grade(
            intake.submissions,
            questions,
            rules_of(questions),
            gradebook,
            seed,
            open_caller=sandboxed(sandbox, limits),
            sandbox=sandbox.name,
            seconds=limits.notebook,
            known=known,
            only=bool(args.only),
            # A job waits for its processes again and again.
            jobs=args.jobs or cores() + 1,
            progress=_show if can_overwrite(sys.stderr) else None,
            finished=lambda id: write_learner(args.out, gradebook, id, exercises),
        )
        present = {submission.owner.id for submission in intake.submissions}
        for learner in gradebook.learners():
            if learner.id not in present:  # their reports follow what is asked now
                write_learner(args.out, gradebook, learner.id, exercises)
        write_class(
            args.out, gradebook, exercises, names, sandbox=sandbox.name, guarantees=guarantees,
            refusals=intake.refusals, left_out=left_out,
        )  # fmt: skip
        everyone = [learner for learner in gradebook.learners() if learner.id in present]
        _say_some([f"{learner.id}: {problem}" for learner in everyone for problem in learner.problems])
    if done.not_graded:
        _say(
            f"Answers not graded: {done.not_graded}. Their scores in grades.csv are empty, and "
            "summary.html says why. Run the same command again to try them, with --patience 2 if cells took too long."
        )
    said = {
        "learners": done.learners, "questions": len(questions), "seconds": round(done.seconds, 2),
        "sandbox": sandbox.name, "layout": intake.layout, "marked": done.marked, "kept": done.kept,
        "not_graded": done.not_graded, "refused": len(intake.refusals), "left_out": left_out,
        "out": str(args.out),
    }  # fmt: skip
    try:
        say(json.dumps(said))
    except BrokenPipeError:  # the reader stopped; everything is written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if done.not_graded or not questions else 0


def _assigned(intake: Intake, gradebook: Gradebook, known: Sequence[Question]) -> Assigned:
    """Return the lessons that this class works in, as far as it is known from this delivery and from earlier ones."""
    from minbpe_course.learning.grading.assigned import assigned, handed_in

    votes = {learner.id: set(learner.worked) for learner in gradebook.learners()}
    handed = []
    for submission in intake.submissions:
        looked = [handed_in(notebook, known) for notebook in submission.read().notebooks]
        votes.setdefault(submission.owner.id, set()).update(*(one.worked for one in looked))
        handed.append(set().union(*(one.handed for one in looked)))
    return assigned(votes.values(), handed)


def _left_out(counted: Assigned, questions: Sequence[Question]) -> list[str]:
    """Return a sentence for each lesson that is not graded although learners worked in it."""
    from minbpe_course.learning.grading.assigned import lesson_of

    lessons = {lesson_of(question): question.exercise.lesson for question in questions}
    graded = sorted({lessons[name] for name in counted.lessons})
    return [
        f"{counted.counts[name]} of {counted.learners} learners worked in {name}, which was not graded. "
        f"To grade it: --only {' '.join(sorted({*graded, lessons[name]}))}"
        for name in counted.left_out()
        if name in lessons
    ]


def choose_sandbox(name: str | None, *, unsandboxed: bool) -> tuple[Sandbox, str]:
    """Return the sandbox of this name, or the best of this machine, and its guarantees.

    Raises SandboxUnavailable if only the last rung is left and ``unsandboxed`` is false.
    """
    from minbpe_course.learning.grading.sandbox.bare import Bare
    from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name

    sandbox = by_name(name) if name else best()
    if sandbox.name == Bare.name and not unsandboxed:
        raise SandboxUnavailable(
            f"the sandbox {sandbox.name!r} may not keep an answer from your files and the network, and it was chosen "
            "with --rung or is the only one that works here.\nSee what can be done: minbpe-course doctor\n"
            "If you trust every submission, or this machine has nothing to lose: --allow-unsandboxed"
        )
    return sandbox, str(getattr(sandbox, "guarantees", ""))


def _show(done: Done) -> None:
    end = "\n" if done.learners == done.of else ""
    rewrite(f"{done.learners} of {done.of} learners", end, stream=sys.stderr)


def _say_some(lines: Sequence[str]) -> None:
    for line in lines[:LINES_SAID]:
        _say(line)
    if len(lines) > LINES_SAID:
        _say(f"and {len(lines) - LINES_SAID} more of this kind; see summary.html")


def _say(line: str) -> None:
    if line:
        tell(f"minbpe-course grade: {line}")
