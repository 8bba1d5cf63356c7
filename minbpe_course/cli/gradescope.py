"""Make a zip that Gradescope takes as an autograder, with your seed in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.grade import add_seed_args, seed_of
from minbpe_course.cli.options import add_exercises_arg, refuse, use_exercises_arg
from minbpe_course.cli.terminal import say, tell
from minbpe_course.errors import ExercisesProblem, MinbpeCourseError
from minbpe_course.files import write_whole

EXAMPLES = """\
minbpe-course gradescope --seed-file seed.txt
minbpe-course gradescope --seed-file seed.txt --only 02 --out lesson_02.zip
minbpe-course gradescope --seed-file seed.txt --exercises homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_seed_args(parser)
    parser.add_argument("--out", type=Path, default=Path("autograder.zip"), metavar="ZIP", help="where to write it")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="lessons (02) and questions (02.merge)")
    parser.add_argument("--assignment", type=Path, metavar="FILE", help="what is asked, and for how many points")
    add_exercises_arg(parser)
    # For the script in the zip, inside Gradescope.
    parser.add_argument("--run-in", type=Path, metavar="DIR", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Write the zip and print instructions; or, inside Gradescope, grade the one submission."""
    from minbpe_course.learning.assignments.assignment import read_assignment
    from minbpe_course.learning.grading import gradescope_zip, released
    from minbpe_course.learning.grading.sandbox.choose_sandbox import best
    from minbpe_course.learning.judge import catalogue

    if args.run_in is not None:
        try:
            gradescope_zip.run_in(args.run_in, lambda: gradescope_zip.protecting(best()))
        except MinbpeCourseError as problem:
            # The results report it too; with an exit code, Gradescope would show the learner its own error.
            tell(f"minbpe-course gradescope: {problem}")
        return 0
    assignment = read_assignment(args.assignment) if args.assignment is not None else None
    seed = seed_of(args, assignment)
    teachers = use_exercises_arg(args)
    if assignment is not None:
        refuse({"--only": args.only}, "{} cannot go with --assignment, which names the questions.")
        exercises = assignment.questions
        released.questions_of(assignment)  # raises for exercises without an answer
    else:
        exercises = catalogue.chosen(args.only or sorted({one.lesson for one in released.all_released()}))
        if teachers and not args.only:
            exercises = tuple(exercise for exercise in exercises if catalogue.collection_of(exercise.key) in teachers)
        released.questions(exercises)
    if not exercises:
        folder = args.exercises[0] if args.exercises else "FOLDER"
        raise ExercisesProblem(
            f"none of these exercises has been released. Write them first: minbpe-course release --exercises {folder}"
        )
    write_whole(args.out, gradescope_zip.build(seed, exercises, args.assignment))
    args.out.chmod(0o600)
    points = sum(exercise.points for exercise in exercises)
    say(
        f"{args.out}: {len(exercises)} questions, {points} points. It holds your seed: show it to nobody.\n"
        "In Gradescope: Configure Autograder, upload it, base image Ubuntu 22.04 or later, and give the assignment "
        f"{points} points."
    )
    return 0
