"""Check the answers in notebooks of exercises, as check() in the notebook does, each in a separate process."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.options import NEXT_TO_THE_FILE, add_exercises_arg, exercises_as_typed, refuse, use_exercises_arg
from minbpe_course.cli.sources import exercise_notebooks, must_be_exercises, named_files
from minbpe_course.cli.terminal import say, tell
from minbpe_course.errors import ExercisesProblem, UnknownExercise
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minbpe_course.learning.assignments.assignment import Assignment
    from minbpe_course.learning.grading.marking import OpenCaller
    from minbpe_course.learning.judge.exercise import Exercise, Verdict
    from minbpe_course.learning.submissions.notebook_cells import Notebook, Question

EXAMPLES = """\
minbpe-course check
minbpe-course check exercises/02_naive_bpe.ipynb
minbpe-course check exercises/02_naive_bpe.ipynb --only 02.merge 02.train_merges
minbpe-course check --exercises homework
minbpe-course check --json
minbpe-course check submissions/ada/02_naive_bpe.ipynb --seed-file seed.txt
minbpe-course check submissions/ada/hw1.ipynb --seed-file seed.txt --assignment homework/hw1.toml
"""
# Parts of an assignment's notebook: the points in its checks, the answers that it lends, its written questions.
_POINTS = re.compile(r"""^check\(["']([\w.]+)["'], *\w+, *points=(\d+(?:\.\d+)?)\)""", re.MULTILINE)
_LENT = re.compile(r"""^(\w+) = mine\("\1"\)""", re.MULTILINE)
_WRITTEN = re.compile(r"[a-z0-9_]+-(?!(?:title|introduction)$)[a-z0-9_]+")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "notebooks",
        nargs="*",
        metavar="NOTEBOOK",
        help="for example exercises/02_naive_bpe.ipynb (default: all that minbpe-course learn copied for you)",
    )
    parser.add_argument(
        "--assignment", type=Path, metavar="FILE", help="its questions and points (default: those of the notebook)"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="lessons (02) and exercises (02.merge)")
    parser.add_argument(
        "--seed-file",
        type=Path,
        metavar="FILE",
        help="for teachers: on the hidden cases of this seed, without a record",
    )
    add_exercises_arg(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of texts")


def run(args: argparse.Namespace) -> int:
    """Check and print; return 0 if all checked exercises are done, 1 otherwise."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.assignment import read_assignment
    from minbpe_course.learning.grading.batch import sandboxed
    from minbpe_course.learning.grading.sandbox.choose_sandbox import best
    from minbpe_course.learning.grading.seeds import find_seed
    from minbpe_course.learning.judge import catalogue
    from minbpe_course.learning.judge.judge import PRACTICE_SEED

    refuse({"--exercises": args.assignment and args.exercises}, NEXT_TO_THE_FILE)
    teachers = use_exercises_arg(args)
    assignment = read_assignment(args.assignment) if args.assignment else None
    if assignment is not None and assignment.own:
        args.exercises = [str(args.assignment.parent)]  # for the commands that are shown
    only = {exercise.key for exercise in catalogue.chosen(args.only)}
    seed, warning = find_seed(None, args.seed_file, {}) if args.seed_file else (PRACTICE_SEED, "")
    if warning:
        tell(f"minbpe-course check: {warning}")
    whole = [assignment.notebook] if assignment is not None else []
    files = named_files(args.notebooks) if args.notebooks else whole or exercise_notebooks(teachers)
    read = [(path, *_questions_in(path, assignment)) for path in files]
    missing = only - {question.exercise.key for _, _, questions, _ in read for question in questions}
    if missing:
        raise UnknownExercise(
            f"{', '.join(sorted(missing))}: in none of these notebooks. Name the notebook of its lesson."
        )
    sandbox = best()
    opened = sandboxed(sandbox)
    more_help = "minbpe-course hint {key}" + exercises_as_typed(args).replace("{", "{{").replace("}", "}}")
    marks: list[dict[str, Any]] = []
    for path, notebook, questions, written in read:
        right: set[str] = set()
        said = (one for cell in notebook.cells for one in _POINTS.findall(cell.source))
        points_of = {key: float(points) for key, points in said}
        if assignment is not None:
            points_of = {one.key: one.points for one in assignment.questions}
        asked = [question.exercise for question in questions]
        for question in questions:
            if only and question.exercise.key not in only:
                continue
            worth = points_of.get(question.exercise.key)
            mark, text = _checked(path, notebook, question, opened, seed, more_help, right, worth, asked)
            if mark.state == "done":
                right.add(mark.key)
            marks.append({"notebook": str(path), **asdict(mark)})
            if not args.json:
                say(text + "\n")
        for key in () if only or args.json else written:
            say(f"{key}: your teacher marks this\n")
    points, out_of = sum(mark["points"] for mark in marks), sum(mark["out_of"] for mark in marks)
    finished = sum(mark["state"] == "done" for mark in marks)
    done = finished == len(marks)
    if args.json:
        say(json.dumps({"done": done, "points": points, "out_of": out_of, "sandbox": sandbox.name, "exercises": marks}))
    else:
        say(f"{finished} of {len(marks)} done, {points:g} of {out_of:g} points")
    return 0 if done else 1


def _questions_in(path: Path, assignment: Assignment | None) -> tuple[Notebook, list[Question], list[str]]:
    """Return a notebook, the questions to check, and the keys of those that a teacher marks."""
    from minbpe_course.learning.grading.released import questions, questions_of
    from minbpe_course.learning.judge import catalogue
    from minbpe_course.learning.submissions.notebook_cells import find_answer, questions_in, read_notebook

    notebook = read_notebook(read_whole(path), path.name)
    must_be_exercises(path, notebook)
    for note in notebook.notes:
        tell(f"{path}: {note}")
    if assignment is not None:
        known = questions_of(assignment)
        found = [one for one in known if questions_in([notebook], known)]
        written = [one.exercise.key for one in found if one.exercise.kind == "written"]
        found = [one for one in found if one.exercise.kind != "written"]
    else:
        known = questions([one for one in catalogue.exercises() if one.answer is not None])
        # The notebook of an assignment asks only some of the exercises of a lesson, and lends what these build on.
        lent = {name for cell in notebook.cells for name in _LENT.findall(cell.source)}
        found = [
            one
            for one in questions_in([notebook], known)
            if Path(one.notebook).name == path.name
            or one.exercise.key in notebook.checks
            or (one.exercise.entry not in lent and find_answer([notebook], one).handed_in)
        ]
        # An answer cell that is left may belong to an exercise that is unknown here, and be Markdown by mistake.
        theirs = {id.replace("-", ".", 1) for id in notebook.texts if _WRITTEN.fullmatch(id)}
        keys = {one.exercise.key for one in known}
        written = sorted(theirs - notebook.checks - keys)
        if found and (unknown := notebook.checks - keys):
            tell(f"{path}: {', '.join(sorted(unknown))}: not checked. Name your teacher's folder: --exercises FOLDER")
    if not (found or written):
        said = "Name a notebook of exercises, as in: minbpe-course check exercises/02_naive_bpe.ipynb"
        if any("use_exercises(" in cell.source for cell in notebook.cells):
            said = f"Name the folder of its exercises, too: minbpe-course check {path} --exercises FOLDER"
        if assignment is not None:
            said = f"Name the notebook of the assignment, {assignment.notebook.name}"
        raise ExercisesProblem(f"{path} contains no answer to an exercise. {said}")
    # If the learner works in the teacher's released notebook itself, there is no blank to compare with, so an
    # untouched answer is run, too.
    there = {one.notebook for one in found if Path(one.notebook).is_file() and path.samefile(one.notebook)}
    here = [replace(one, blank="") if one.notebook in there else one for one in found]
    return notebook, here, written


def _checked(
    path: Path,
    notebook: Notebook,
    question: Question,
    opened: OpenCaller,
    seed: str,
    more_help: str,
    right: set[str],
    worth: float | None,
    asked: Sequence[Exercise],
) -> tuple[Verdict, str]:
    from minbpe_course.learning.grading.marking import STILL_BLANK, mark
    from minbpe_course.learning.judge.judge import PRACTICE_SEED
    from minbpe_course.learning.practice.check import view
    from minbpe_course.learning.practice.record import Record, path_of_record, remember
    from minbpe_course.learning.submissions.notebook_cells import find_answer

    judged = mark(question, find_answer([notebook], question), opened, seed, reveal=True, done=right)
    made = judged if worth is None else judged.worth(worth)
    if not question.blank:
        made = replace(made, notes=tuple(note for note in made.notes if note != STILL_BLANK))
    if made.state == "not graded":
        # An error of the course or of the machine, not of the answer.
        return made, f"! {made.key} could not be checked: {made.reason}"
    # A check with the teacher's seed does not count as the learner's progress.
    learns = seed == PRACTICE_SEED
    record = (
        remember(path_of_record(path.absolute().parent), made.key, made.state, judged.points) if learns else Record()
    )
    if made.notes:
        made = replace(made, note="; ".join(filter(None, [made.note, *made.notes])))
    left = [one for one in asked if one.key == made.key or one.key not in right]
    return made, repr(view(question.exercise, made, record, more_help=more_help, asked=left))
