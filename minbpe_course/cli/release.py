"""Make the exercises from the notebooks with answers, or check that they are up to date.

For whoever writes exercises, in a checkout of the course. Learners need none of it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from minbpe_course.cli.named_files import named
from minbpe_course.errors import MissingFile

EXAMPLES = """\
minbpe-course release
minbpe-course release --check
minbpe-course release solutions/02_naive_bpe.ipynb --out trial
"""
SOLUTIONS, EXERCISES = Path("solutions"), Path("exercises")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "sources", nargs="*", metavar="NOTEBOOK", help="notebooks with answers (default: all of ./solutions)"
    )
    parser.add_argument("--out", type=Path, default=EXERCISES, help="folder of the exercises (default: ./exercises)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when an exercise differs from its source"
    )


def run(args: argparse.Namespace) -> int:
    """Release, or compare; return 0 when every exercise is what its source makes of it, 1 otherwise."""
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.assignments.release import release_files

    everything = not args.sources
    if everything and not SOLUTIONS.is_dir():
        raise MissingFile(f"there is no folder {SOLUTIONS} here. Run it in the checkout, or name the notebooks.")
    sources = sorted(SOLUTIONS.glob("*.ipynb")) if everything else named(args.sources)
    found = release_files(sources, args.out, write=not args.check, whole_folder=everything)
    wrong = [one for one in found if one.state not in ("same", "written")]
    for one in found:
        if one.state == "written":
            print(f"{args.out / one.name}: written")
    for one in wrong:
        say = {"too many": f"has no source in {SOLUTIONS}; delete it, or write its source"}
        print(
            f"{args.out / one.name}: {say.get(one.state, one.state + '; run: minbpe-course release')}", file=sys.stderr
        )
    if not wrong:
        print(f"minbpe-course release: {len(found)} exercise notebooks agree with their sources")
    return 1 if wrong else 0
