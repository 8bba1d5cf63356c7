"""Wire the verbs together, and turn every error that a person can cause into one message and exit code 2."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence

import minbpe_course
from minbpe_course.cli import (
    check,
    collect,
    conform,
    doctor,
    grade,
    gradescope,
    hint,
    leaderboard,
    learn,
    playground,
    progress,
    release,
    show,
    warm_up,
)
from minbpe_course.errors import MinbpeCourseError

VERBS = {
    "learn": learn,
    "show": show,
    "playground": playground,
    "check": check,
    "hint": hint,
    "progress": progress,
    "collect": collect,
    "conform": conform,
    "leaderboard": leaderboard,
    "grade": grade,
    "gradescope": gradescope,
    "release": release,
    "doctor": doctor,
    "warm-up": warm_up,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code: 0 when it did its work, 2 when it was asked for something impossible.

    Example:
        >>> main(["learn", "--no-open", "minbpe_course/__init__.py"])
        2
    """
    parser = argparse.ArgumentParser(
        prog="minbpe-course",
        description="Tokenizers from nothing: a course in notebooks, and the package that it builds.",
    )
    parser.add_argument("--version", action="version", version=f"minbpe-course {minbpe_course.__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, module in VERBS.items():
        summary = (module.__doc__ or "").splitlines()[0]
        examples = getattr(module, "EXAMPLES", "")
        verb = verbs.add_parser(
            name,
            help=summary,
            description=textwrap.fill(summary, 78),
            epilog="examples:\n" + textwrap.indent(examples, "  ") if examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_args(verb)
    args = parser.parse_args(arguments)
    try:
        return VERBS[args.verb].run(args)
    except MinbpeCourseError as problem:
        print(f"minbpe-course {args.verb}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("minbpe-course: interrupted", file=sys.stderr)
        return 130
