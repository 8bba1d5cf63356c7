"""Count tokens, words, characters and bytes of files or a pipe; or count each word, which is what training needs."""

from __future__ import annotations

import argparse

from minbpe_course.cli.ending import TROUBLE
from minbpe_course.cli.shared_options import (
    add_counting_args,
    add_document_args,
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
  words:
minbpe-course count 'data/**/*.txt' -o corpus.counts
minbpe-course count 'data/*.zst' --field text --memory 2GB --checkpoint work/ --dask local -o corpus.counts
minbpe-course train corpus.counts -n 32000 -o mine.model
"""

# What says that words are to be counted, beside an output of this name.
COUNTS_SUFFIX = ".counts"
_WORDS = ("words", "memory", "checkpoint", "dask", "clean", "min_frequency", "lines", "field")


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
    words = parser.add_argument_group(
        "counting each word",
        "With an output named .counts, or any of these, each distinct word is counted, and a summary is shown. "
        "--pattern then says how text is cut into words (default: cl100k_base), --special TOKEN where it always is.",
    )
    words.add_argument("--words", action="store_true", help="count each word, also without any of the others")
    words.add_argument(
        "--min-frequency", type=int, metavar="N", help="leave out words that occur less than N times; how many is said"
    )
    add_counting_args(words)
    add_document_args(words)


def run(args: argparse.Namespace) -> int:
    """Count and return 0, or 2 when a file could not be counted: stderr names it, and the others are counted."""
    if counts_words(args):
        from minbpe_course.cli.word_counting_work import count_each_word

        count_each_word(args)
        return 0

    from minbpe_course.cli.counting_work import count

    return 0 if count(args) else TROUBLE


def counts_words(args: argparse.Namespace) -> bool:
    """Whether each word is to be counted, and not the tokens of each file.

    >>> parser = argparse.ArgumentParser()
    >>> add_args(parser)
    >>> [counts_words(parser.parse_args(words)) for words in (["a.txt"], ["-o", "a.counts"], ["--memory", "1GB"])]
    [False, True, True]
    """
    named = args.output is not None and args.output.endswith(COUNTS_SUFFIX)
    return named or args.errors != "strict" or any(getattr(args, option) for option in _WORDS)
