"""Begin exercises of your own: a folder with one notebook and three small exercises that work."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.options import exercises_as_typed
from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course new-assignment homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder to make")


def run(args: argparse.Namespace) -> int:
    """Write the folder, print what to do next, and return 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.new_exercise import new_assignment

    folder, option = args.folder, exercises_as_typed(argparse.Namespace(exercises=[str(args.folder)]))
    new_assignment(folder)
    say(
        f"{folder / 'checks' / 'week1'}: the task, the answer, the cases and the hints, in a file for each exercise\n"
        "Next:\n"
        f"  minbpe-course check-exercises{option}   says what is wrong with them\n"
        f"  minbpe-course release{option}           makes {folder / 'exercises'}, for your class, and solutions\n"
        f"  minbpe-course new-exercise week1.count_triples{option}\n"
        "Hand out the folders checks and exercises. Learners can read the right answers in checks."
    )
    return 0
