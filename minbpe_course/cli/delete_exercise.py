"""Delete an exercise: its file and its cells. It prints everything that it removes."""

from __future__ import annotations

import argparse
import sys

from minbpe_course.cli.authored import authored, from_here, say_changed
from minbpe_course.cli.options import add_exercises_arg
from minbpe_course.cli.terminal import ask, say
from minbpe_course.errors import InvalidOption

EXAMPLES = """\
minbpe-course delete-exercise week1.echo --exercises homework
minbpe-course delete-exercise week1.echo --exercises homework --yes > echo.txt
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("key", metavar="KEY", help="of the exercise, for example week1.echo")
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Delete it and print what was removed; return 0, or 1 if the answer was no."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.edit_exercises import delete_exercise, place_of

    collection = authored(args)
    place = place_of(collection, args.key)
    what = f"{from_here(place.file)} and {len(place.cells)} cells of {from_here(place.notebook.path)}"
    if not args.yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise InvalidOption(f"this deletes {what}. To delete it, add --yes.")
        if ask(f"Delete {what}? [y/N]").strip().lower() not in ("y", "yes"):
            return 1
    changed, removed = delete_exercise(collection, args.key)
    say(f"{removed}\n")
    say_changed(args, changed, collection)
    return 0
