"""Move an exercise: after another one, to the beginning of its lesson, or to another lesson."""

from __future__ import annotations

import argparse

from minbpe_course.cli.authored import authored, say_changed
from minbpe_course.cli.options import add_exercises_arg

EXAMPLES = """\
minbpe-course move-exercise week1.initials --after week1.test_longest_word --exercises homework
minbpe-course move-exercise week1.initials --first --exercises homework
minbpe-course move-exercise week1.initials --to week2 --exercises homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("key", metavar="KEY", help="of the exercise, for example week1.initials")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--after", metavar="KEY", help="the exercise that it follows, in the same lesson")
    where.add_argument("--first", action="store_true", help="before all other exercises of its lesson")
    where.add_argument("--to", metavar="LESSON", help="another lesson, at its end; the key changes to LESSON.NAME")
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Move it, print what changed, and return 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.edit_exercises import move_exercise, rename_exercise

    collection = authored(args)
    if args.to is None:
        changed = [move_exercise(collection, args.key, args.after)]
    else:
        changed = rename_exercise(collection, args.key, f"{args.to}.{args.key.partition('.')[2]}")
    say_changed(args, changed, collection, gone=args.to is not None)
    return 0
