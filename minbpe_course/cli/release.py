"""Make the exercises from the notebooks with answers, or check that they are up to date.

For authors of exercises: in a checkout of the course, or with their own folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.authored import authored, from_here
from minbpe_course.cli.options import add_exercises_arg, exercises_as_typed, refuse, use_exercises_arg
from minbpe_course.cli.sources import named_files
from minbpe_course.cli.terminal import say, tell
from minbpe_course.errors import MissingFile

if TYPE_CHECKING:
    from minbpe_course.learning.judge.catalogue import Collection

EXAMPLES = """\
minbpe-course release
minbpe-course release --check
minbpe-course release solutions/02_naive_bpe.ipynb --out trial
minbpe-course release --exercises homework
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "sources", nargs="*", metavar="NOTEBOOK", help="notebooks with answers (default: all of the folder solutions)"
    )
    parser.add_argument("--out", type=Path, help="folder of the exercises (default: exercises, next to solutions)")
    add_exercises_arg(parser)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if an exercise differs from its source"
    )
    parser.add_argument(
        "--tidy",
        action="store_true",
        help="also rewrite the notebooks with answers: ids and metadata as in the exercises, no outputs",
    )


def run(args: argparse.Namespace) -> int:
    """Release, or compare; return 0 if every exercise agrees with its source, 1 otherwise."""
    refuse({"--check": args.tidy and args.check}, "{} writes nothing, and --tidy does. Omit one of them.")
    named = named_files(args.sources)
    if named and not args.exercises and (named[0].absolute().parent.parent / "checks").is_dir():
        args.exercises = [str(named[0].absolute().parent.parent)]
    refuse(
        {"several times --exercises": len(args.exercises or ()) > 1 and bool(named or args.out)},
        "{} cannot go with the name of a notebook or with --out. Release one folder at a time.",
    )
    code = 0
    for collection in use_exercises_arg(args) or (authored(args),):
        if not named and not collection.solutions.is_dir():
            raise MissingFile(
                f"there is no folder {collection.solutions}. Name the notebooks, or begin one: "
                "minbpe-course new-exercise week1.count_triples --exercises homework"
            )
        code |= _release(named or sorted(collection.solutions.glob("*.ipynb")), collection, args)
    return code


def _release(sources: Sequence[Path], collection: Collection, args: argparse.Namespace) -> int:
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.assignments.release import release_files, tidy

    out = args.out or collection.released
    found = release_files(sources, out, collection, write=not args.check, whole_folder=not args.sources)
    wrong = [one for one in found if one.state not in ("same", "written")]
    for one in found:
        if one.state == "written":
            say(f"{from_here(out / one.name)}: written")
    for path in sources if args.tidy else ():
        if tidy(path, collection):
            say(f"{from_here(path)}: tidied")
    for one in wrong:
        known = {"too many": f"has no source in {from_here(collection.solutions)}; delete it, or write its source"}
        advice = known.get(one.state, f"{one.state}; run: minbpe-course release{exercises_as_typed(args)}")
        tell(f"{from_here(out / one.name)}: {advice}")
    if not wrong:
        say(f"minbpe-course release: {len(found)} exercise notebooks agree with their sources")
    return 1 if wrong else 0
