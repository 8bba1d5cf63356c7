"""Make the exercises from the notebooks with answers, or check that they are up to date.

For authors of exercises: in a checkout of the course, or with a folder of their own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from minbpe_course.cli.options import add_exercises_arg, exercises_as_typed, use_exercises_arg
from minbpe_course.cli.sources import named_files
from minbpe_course.errors import MissingFile

EXAMPLES = """\
minbpe-course release
minbpe-course release --check
minbpe-course release solutions/02_naive_bpe.ipynb --out trial
minbpe-course release --exercises homework
"""
SOLUTIONS, EXERCISES = Path("solutions"), Path("exercises")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "sources", nargs="*", metavar="NOTEBOOK", help="notebooks with answers (default: all of ./solutions)"
    )
    parser.add_argument("--out", type=Path, help="folder of the exercises (default: ./exercises)")
    add_exercises_arg(parser)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if an exercise differs from its source"
    )


def run(args: argparse.Namespace) -> int:
    """Release, or compare; return 0 if every exercise agrees with its source, 1 otherwise."""
    folders = {each.solutions: each.released for each in use_exercises_arg(args)} or {SOLUTIONS: EXERCISES}
    if args.sources:
        return _release(named_files(args.sources), args.out or next(iter(folders.values())), args)
    code = 0
    for solutions, exercises in folders.items():
        if not solutions.is_dir():
            raise MissingFile(
                f"there is no folder {solutions} here. Run it in the checkout, name the notebooks, or the folder of "
                "your exercises: --exercises FOLDER"
            )
        code |= _release(sorted(solutions.glob("*.ipynb")), args.out or exercises, args, solutions)
    return code


def _release(sources: Sequence[Path], out: Path, args: argparse.Namespace, folder: Path | None = None) -> int:
    """Release, or compare; ``folder`` is that of the sources if they are all of its notebooks."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.assignments.release import release_files

    found = release_files(sources, out, write=not args.check, whole_folder=folder is not None)
    wrong = [one for one in found if one.state not in ("same", "written")]
    for one in found:
        if one.state == "written":
            print(f"{out / one.name}: written")
    for one in wrong:
        say = {"too many": f"has no source in {folder}; delete it, or write its source"}
        advice = say.get(one.state, f"{one.state}; run: minbpe-course release{exercises_as_typed(args)}")
        print(f"{out / one.name}: {advice}", file=sys.stderr)
    if not wrong:
        print(f"minbpe-course release: {len(found)} exercise notebooks agree with their sources")
    return 1 if wrong else 0
