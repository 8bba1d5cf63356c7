"""Show which exercises are done."""

from __future__ import annotations

import argparse

from minbpe_course.cli.hint import add_folder_arg, record_in
from minbpe_course.cli.options import add_exercises_arg
from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course progress
minbpe-course progress 02
minbpe-course progress 02 --reset      start lesson 02 again
minbpe-course progress --reset         start everything again
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("lesson", nargs="?", help="one lesson only, for example 02")
    parser.add_argument(
        "--reset", action="store_true", help="forget the progress of the lesson or of all; your answers stay"
    )
    add_folder_arg(parser)
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Print the progress and return 0."""
    from minbpe_course.learning.practice.progress import progress_at

    say(repr(progress_at(record_in(args), args.lesson, reset=args.reset)))
    return 0
