"""Count tokens, words, characters and bytes: of files or a pipe, for one tokenizer or several side by side."""

from __future__ import annotations

import argparse

from minbpe_course.cli.shared_options import (
    add_file_args,
    add_jobs_args,
    add_output_args,
    add_specials_args,
    add_tokenizer_args,
)

EXAMPLES = """\
minbpe-course count notes.txt
minbpe-course count 'lessons/*.md' -t gpt2 -t o200k_base -t mine.model
git diff | minbpe-course count --only tokens
minbpe-course count --format jsonl 'data/**/*.txt' > counts.jsonl
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8")
    add_tokenizer_args(parser, several=True)
    add_specials_args(parser, "none")
    parser.add_argument(
        "--only",
        choices=("tokens", "words", "characters", "bytes"),
        help="this number alone, and no name where there is one file only",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="text: a table (default); jsonl: an object for each file on a line; json: one list of them",
    )
    add_output_args(parser)
    add_jobs_args(parser)


def run(args: argparse.Namespace) -> int:
    """Count; return 0, or 1 when a file could not be counted, which is named, and the others were."""
    from minbpe_course.cli.counting_work import count

    return 0 if count(args) else 1
