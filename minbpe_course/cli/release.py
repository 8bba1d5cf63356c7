"""Build the notebooks of exercises and those with their answers, or check that they are up to date.

For authors of exercises: in a checkout of the course, or with their own folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.authored import authored, from_here
from minbpe_course.cli.options import NEXT_TO_THE_FILE, add_exercises_arg, exercises_as_typed, refuse, use_exercises_arg
from minbpe_course.cli.terminal import say, tell

EXAMPLES = """\
minbpe-course release
minbpe-course release --check
minbpe-course release 02 --out trial
minbpe-course release --exercises homework
minbpe-course release hw1.toml
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "lessons",
        nargs="*",
        metavar="LESSON",
        help="02, week1, or the file of an assignment, hw1.toml (default: all lessons)",
    )
    parser.add_argument("--out", type=Path, help="write the exercises there, and no answers (default: their folders)")
    add_exercises_arg(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a notebook differs")


def run(args: argparse.Namespace) -> int:
    """Release, or compare; return 0 if every notebook agrees with the files of its exercises, 1 otherwise."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.assignment import read_assignment
    from minbpe_course.learning.assignments.check_exercises import free_name
    from minbpe_course.learning.assignments.release import release_assignment, release_files
    from minbpe_course.learning.judge.catalogue import COURSE, find

    files = [Path(name) for name in args.lessons if name.endswith(".toml")]
    lessons = [name for name in args.lessons if not name.endswith(".toml")]
    refuse(
        {"several times --exercises": len(args.exercises or ()) > 1 and bool(args.lessons or args.out)},
        "{} cannot go with the name of a lesson or with --out. Release one folder at a time.",
    )
    how = {"out": args.out, "write": not args.check}
    refuse({"--exercises": files and args.exercises}, NEXT_TO_THE_FILE)
    assignments = [read_assignment(file) for file in files]
    found = [state for one in assignments for state in release_assignment(one, **how)]
    own = [find(key) for one in assignments for key in one.own]
    for collection in (use_exercises_arg(args) or (authored(args),)) if lessons or not files else ():
        found += release_files(collection, lessons, **how)
        if collection != COURSE:
            own += [one for lesson in collection.lessons() for one in collection.exercises(lesson)]
    for exercise in own:
        for _, problem in free_name(exercise):
            tell(f"{exercise.key}: {problem}")
    wrong = [one for one in found if one.state not in ("same", "written")]
    for one in found:
        if one.state == "written":
            say(f"{from_here(one.path)}: written")
    for one in wrong:
        known = {"too many": "no lesson has this name; delete it"}
        advice = known.get(one.state, f"{one.state}; run: minbpe-course release{exercises_as_typed(args)}")
        tell(f"{from_here(one.path)}: {advice}")
    if not wrong:
        say(f"minbpe-course release: {len(found)} notebooks agree with the files of their exercises")
    return 1 if wrong else 0
