"""Turn ids back into text: of files or a pipe, in any form that encode writes."""

from __future__ import annotations

import argparse

from minbpe_course.cli.shared_options import FORMATS, add_file_args, add_output_args, add_tokenizer_args

EXAMPLES = """\
minbpe-course decode ids.json -t gpt2
echo 9906 1917 | minbpe-course decode
minbpe-course encode notes.txt | minbpe-course decode | cmp - notes.txt
minbpe-course decode --lines train.npy -o lines.txt
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "ids")
    add_tokenizer_args(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="text: ids with blanks between them, a document on each line; json, jsonl: lists of ids; npy: an array "
        "(default: by the name of the file, else by what stands in it)",
    )
    parser.add_argument("--lines", action="store_true", help="write a line end behind each document (default: nothing)")
    parser.add_argument(
        "--errors",
        choices=("bytes", "strict", "replace", "ignore", "backslashreplace"),
        default="bytes",
        help="bytes that are no UTF-8: bytes writes them as they are (default), strict stops there, the others are "
        "Python's",
    )
    add_output_args(parser)


def run(args: argparse.Namespace) -> int:
    """Decode, and return 0."""
    from minbpe_course.cli.decoding_work import decode

    decode(args)
    return 0
