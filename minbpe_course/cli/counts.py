"""Work on counts files: show what is in them, add them, drop rare words, check them, write them as text."""

from __future__ import annotations

import argparse

from minbpe_course.cli.shared_options import add_output_args

EXAMPLES = """\
minbpe-course counts show corpus.counts --top 30
minbpe-course counts merge monday.counts tuesday.counts -o both.counts
minbpe-course counts prune corpus.counts --min-frequency 2 -o smaller.counts
minbpe-course counts check *.counts
minbpe-course counts export corpus.counts --format tsv | head
"""

ACTIONS = ("show", "merge", "prune", "check", "export")
FORMATS = ("text", "json", "jsonl", "tsv")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "action",
        choices=ACTIONS,
        metavar="ACTION",
        help="show: what is in a file; merge: add files, in this order; prune: drop rare words; check: compare every "
        "checksum; export: all words as text",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="counts files, as count writes them with -o")
    add_output_args(parser)
    parser.add_argument(
        "--min-frequency",
        type=int,
        metavar="N",
        help="merge, prune: drop words that occur less than N times; the new file says how many",
    )
    parser.add_argument(
        "--top", type=int, metavar="N", help="show, export: the N commonest words (default: show 20, export all)"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="show: text (default) or json; export: jsonl (default) or tsv, word, count and first place",
    )


def run(args: argparse.Namespace) -> int:
    """Do it; return 0, or 1 when a file that was to be checked is damaged."""
    from minbpe_course.cli.counts_work import work

    return 0 if work(args) else 1
