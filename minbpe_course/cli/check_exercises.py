"""Say what is wrong with exercises: for their authors, one line for each problem, in seconds.

It runs the files and the answers of the author in this process.
"""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path

from minbpe_course.cli.authored import authored
from minbpe_course.cli.options import add_exercises_arg
from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course check-exercises --exercises homework
minbpe-course check-exercises week1.count_triples --exercises homework
"""
LONGEST = 20.0  # seconds for one kind of problem of one exercise; endless loops are cut


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "keys", nargs="*", metavar="KEY", help="for example week1.count_triples (default: all of the folder)"
    )
    add_exercises_arg(parser)


def run(args: argparse.Namespace) -> int:
    """Print the problems; return 1 if there are any, else 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.check_exercises import problems_of
    from minbpe_course.learning.practice.check import cut_after

    collection, found = authored(args), 0
    for problem in problems_of(collection, args.keys, partial(cut_after, LONGEST)):
        say(problem.replace(f"{Path.cwd()}{os.sep}", ""))
        found += 1
    what = ", ".join(args.keys) or f"the exercises of {collection.name}"
    say(f"{what}: {found or 'no'} problem{'s' if found != 1 else ''}")
    return 1 if found else 0
