"""Show the next hint of an exercise."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.options import add_exercises_arg, exercises_as_typed, use_exercises_arg
from minbpe_course.cli.sources import exercises_folder
from minbpe_course.cli.terminal import say
from minbpe_course.errors import MissingFile, UnknownExercise

EXAMPLES = """\
minbpe-course hint 02.merge        the next hint, with those before it
minbpe-course hint 02.merge 1      only the first
minbpe-course hint week1.double --exercises homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("key", metavar="KEY", help="of the exercise, for example 02.merge")
    parser.add_argument(
        "step", nargs="?", type=int, metavar="STEP", help="1, 2 or 3 (default: one further than last time)"
    )
    add_folder_arg(parser)
    add_exercises_arg(parser)


def add_folder_arg(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of notebooks whose record of progress to use."""
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="where your notebooks are (default: the exercises that minbpe-course learn copied, else this folder)",
    )


def record_in(args: argparse.Namespace) -> Path:
    """Return the record of progress of a folder of notebooks, and add the exercises that ``--exercises`` names."""
    from minbpe_course.learning.practice.record import path_of_record

    teachers = use_exercises_arg(args)
    folder: Path = exercises_folder(teachers) if args.folder is None else args.folder
    if not folder.is_dir():
        raise MissingFile(f"there is no folder {folder}. Name the one with your notebooks.")
    return path_of_record(folder)


def run(args: argparse.Namespace) -> int:
    """Print the hint and return 0."""
    from minbpe_course.learning.practice.hint_ladder import hint_at

    typed = f'hint("{args.key}")', f"minbpe-course hint {args.key}{exercises_as_typed(args)}"
    try:
        shown = repr(hint_at(args.key, args.step, record_in(args)))
    except UnknownExercise as problem:
        raise UnknownExercise(str(problem).replace(*typed)) from None
    say(shown.replace(*typed))
    return 0
