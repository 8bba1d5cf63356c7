"""Begin an exercise: one file, a small example that works, to change into your own."""

from __future__ import annotations

import argparse

from minbpe_course.cli.authored import authored, from_here
from minbpe_course.cli.options import add_exercises_arg, exercises_as_typed, typed_text
from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course new-exercise week1.count_triples --exercises homework
minbpe-course new-exercise week1.test_merge --kind test --title 'Test a merge' --exercises homework
minbpe-course new-exercise 02.count_triples   in a checkout: for the course
"""
KINDS = ("write", "fill", "repair", "match", "design", "test")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("key", metavar="NEW_KEY", help="lesson and name, for example week1.count_triples")
    parser.add_argument("--kind", choices=KINDS, default="write", help="what learners do (default: write)")
    parser.add_argument("--entry", metavar="NAME", help="the function to define (default: the name in the key)")
    parser.add_argument("--title", type=typed_text, metavar="TEXT", help="its title (default: the name in words)")
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Write the files, print what to do next, and return 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.assignment import DEFAULT
    from minbpe_course.learning.assignments.new_exercise import new_exercise

    collection = authored(args, new=True)
    file = new_exercise(collection, args.key, kind=args.kind, entry=args.entry, title=args.title)
    assignment = collection.checks.with_name(DEFAULT)
    release = exercises_as_typed(args)
    if assignment.is_file():
        release = f' {from_here(assignment)}   when it has "{args.key}" among its questions'
    say(
        f"{from_here(file)}: the task, the answer, the cases and the hints\n"
        "It is a small exercise that works. Change it into yours, and then type:\n"
        f"  minbpe-course check-exercises {args.key}{exercises_as_typed(args)}\n"
        f"  minbpe-course release{release}"
    )
    return 0
