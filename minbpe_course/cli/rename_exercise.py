"""Rename an exercise: its key in its file, its cells and their ids, and the name that learners define."""

from __future__ import annotations

import argparse

from minbpe_course.cli.authored import authored, say_changed
from minbpe_course.cli.options import add_exercises_arg

EXAMPLES = """\
minbpe-course rename-exercise week1.echo week1.valley --exercises homework
minbpe-course rename-exercise week1.echo week1.valley --entry shout --exercises homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("key", metavar="KEY", help="of the exercise, for example week1.echo")
    parser.add_argument("new_key", metavar="NEW_KEY", help="its new key, for example week1.valley")
    parser.add_argument(
        "--entry", metavar="NAME", help="what learners define from now on (default: as before, or like the key)"
    )
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Rename it, print what changed, and return 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.edit_exercises import rename_exercise

    collection = authored(args)
    say_changed(args, rename_exercise(collection, args.key, args.new_key, args.entry), collection)
    return 0
