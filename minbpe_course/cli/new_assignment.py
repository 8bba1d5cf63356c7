"""Begin an assignment: a folder with the file that says what is asked, and without KEYs three exercises of your own."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.options import NEXT_TO_THE_FILE, exercises_as_typed, refuse
from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course new-assignment homework
minbpe-course new-assignment hw1 02.merge 03.group_digits
minbpe-course new-assignment hw1 02
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder to make")
    parser.add_argument(
        "keys", nargs="*", metavar="KEY", help="exercises of the course to ask: 02.merge, or 02 for all of 02"
    )
    parser.add_argument("--exercises", help=argparse.SUPPRESS)  # for a message that says more than "not understood"


def run(args: argparse.Namespace) -> int:
    """Write the folder, print what to do next, and return 0."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.new_exercise import new_assignment

    refuse({"--exercises": args.exercises}, NEXT_TO_THE_FILE)
    file = new_assignment(args.folder, args.keys)
    say(f"{file}: what is asked, for how many points, and until when. Change it as you like. Next:")
    if not args.keys:
        option = exercises_as_typed(argparse.Namespace(exercises=[str(args.folder)]))
        say(
            f"  minbpe-course check-exercises{option}   says what is wrong with {args.folder / 'checks'}\n"
            f"  minbpe-course new-exercise week1.count_triples{option}   adds one"
        )
    say(
        f"  minbpe-course release {file}   makes {args.folder / 'exercises'}, for your class, and solutions\n"
        f"  minbpe-course grade SUBMISSIONS --assignment {file} --out marks --seed-file seed.txt"
    )
    if not args.keys:
        say("Hand out the folders checks and exercises. Learners can read the right answers in checks.")
    return 0
