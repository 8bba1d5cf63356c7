"""Count tokens, words, characters and bytes of files or a pipe; or count each word, which is what training needs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.documents import Batch, Batcher, Reading
from minbpe_course.cli.exit_codes import FAILURE
from minbpe_course.cli.options import (
    DEFAULT_TOKENIZER,
    add_counting_args,
    add_document_args,
    add_file_args,
    add_jobs_args,
    add_output_args,
    add_specials_args,
    add_tokenizer_args,
    chosen,
)
from minbpe_course.cli.sources import output, shown, sources
from minbpe_course.cli.terminal import ProgressLine, size, tell
from minbpe_course.cli.threads import threads
from minbpe_course.errors import DisallowedSpecialToken, InvalidSource, MissingPackage, UnreadableInput, UnusablePath
from minbpe_course.resources.threads import in_order

if TYPE_CHECKING:
    from minbpe_course.token_files.any_tokenizer import AnyTokenizer

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

# An output with this suffix asks for word counts, and so does each of these options.
COUNTS_SUFFIX = ".counts"
_WORD_OPTIONS = ("words", "memory", "checkpoint", "dask", "clean", "min_frequency", "lines", "field")
# A file that raises one of these is reported, and the other files are counted.
SKIPPED_ERRORS = (UnreadableInput, UnusablePath, DisallowedSpecialToken, InvalidSource, MissingPackage)


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8")
    add_tokenizer_args(parser, several=True)
    add_specials_args(parser, "none")
    parser.add_argument(
        "--only",
        choices=("tokens", "words", "characters", "bytes"),
        help="print only this number, and no name if there is only one file",
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
        "With an output named .counts, or any of these options, each distinct word is counted and a summary is shown. "
        "--pattern then says how text is cut into words (default: cl100k_base), and --special TOKEN names a token that "
        "is always cut out.",
    )
    words.add_argument("--words", action="store_true", help="count each word, also without any of the other options")
    words.add_argument(
        "--min-frequency", type=int, metavar="N", help="leave out words that occur less than N times, and say how many"
    )
    add_counting_args(words)
    add_document_args(words)


def run(args: argparse.Namespace) -> int:
    """Count and return 0, or 2 when a file could not be counted: stderr names it, and the others are counted."""
    if not counts_words(args):
        return 0 if _count(args) else FAILURE
    from minbpe_course.cli.word_counts import count_each_word

    count_each_word(args)
    return 0


def counts_words(args: argparse.Namespace) -> bool:
    """Return whether to count each word, instead of the tokens of each file."""
    named = args.output is not None and args.output.endswith(COUNTS_SUFFIX)
    return named or args.errors != "strict" or any(getattr(args, option) for option in _WORD_OPTIONS)


@dataclass
class Counts:
    """The counts of one file: tokens and words for each tokenizer, and the characters and bytes."""

    name: str
    tokens: list[int]
    words: list[int]
    characters: int = 0
    bytes: int = 0


def _count(args: argparse.Namespace) -> bool:
    """Count the files in one pass for all tokenizers; return whether every file could be counted."""
    names = sources(args.files, "count")
    asked = args.tokenizers or [DEFAULT_TOKENIZER]
    tokenizers = [chosen(args, name, args.specials, several=len(asked) > 1) for name in asked]
    rows: list[Counts] = []
    with output(args.output) as file, ProgressLine() as line:
        for name in names:
            try:
                rows.append(_counted(name, tokenizers, threads(args.jobs), line))
            except SKIPPED_ERRORS as problem:
                # Like wc: the other files are still counted.
                line.clear()
                tell(f"minbpe-course count: {problem}")
        several = len(names) > 1
        with_total = [*rows, _total(rows)] if several and rows else rows
        if args.only:
            text = _numbers(with_total, args.only, several)
        elif args.format == "text":
            text = _table(with_total, tokenizers)
        else:
            text = _objects(rows, tokenizers, one_list=args.format == "json")
        file.write(text.encode("utf-8", "surrogateescape"))
    return len(rows) == len(names)


def _counted(name: str, tokenizers: Sequence[AnyTokenizer], jobs: int, line: ProgressLine) -> Counts:
    reading = Reading()
    counts = Counts(name, [0] * len(tokenizers), [0] * len(tokenizers))
    batches = _batches(reading, name, tokenizers, counts)
    for number, tokens, words in in_order(partial(_work, tokenizers), batches, jobs):
        counts.tokens[number] += tokens
        counts.words[number] += words
        line.show(f"{size(reading.bytes_read)} read of {shown(name)}")
    counts.bytes = reading.bytes_read
    return counts


def _batches(
    reading: Reading, name: str, tokenizers: Sequence[AnyTokenizer], counts: Counts
) -> Iterator[tuple[int, Batch]]:
    """Read once, and yield batches for each tokenizer, because each cuts long texts in other places."""
    batchers = [Batcher(one.long_text(), by_line=False) for one in tokenizers]
    for portion in reading.portions([name]):
        counts.characters += sum(map(len, portion.texts))
        for number, batcher in enumerate(batchers):
            yield from ((number, batch) for batch in batcher.add(portion))
    for number, batcher in enumerate(batchers):
        yield from ((number, batch) for batch in batcher.finish())


def _work(tokenizers: Sequence[AnyTokenizer], numbered: tuple[int, Batch]) -> tuple[int, int, int]:
    from minbpe_course.tokenizers.adapters import ForbiddenSpecial
    from minbpe_course.tokenizers.file_encoding import forbidden

    number, batch = numbered
    try:
        ids, _ = tokenizers[number].encode(batch.texts)
    except ForbiddenSpecial as problem:
        raise forbidden(batch.place(problem.number, problem.position), problem) from None
    return number, ids.size, tokenizers[number].words(batch.texts)


def _total(rows: Sequence[Counts]) -> Counts:
    return Counts(
        "total",
        [sum(column) for column in zip(*(row.tokens for row in rows))],
        [sum(column) for column in zip(*(row.words for row in rows))],
        sum(row.characters for row in rows),
        sum(row.bytes for row in rows),
    )


def _table(rows: Sequence[Counts], tokenizers: Sequence[AnyTokenizer]) -> str:
    """Return a table for people, with column titles."""
    if not rows:
        return ""
    names = [Path(one.name).name for one in tokenizers]
    titles = [f"{name} tokens" for name in names] + [f"{name} words" for name in names]
    if len(names) == 1:
        titles = ["tokens", "words"]
    lines = [[*titles, "characters", "bytes"]]
    lines += [[f"{number:,}" for number in (*row.tokens, *row.words, row.characters, row.bytes)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    files = ["file", *(shown(row.name) for row in rows)]
    return "".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) + f"  {file}\n"
        for line, file in zip(lines, files)
    )


def _numbers(rows: Sequence[Counts], only: str, several: bool) -> str:
    """Return one number for each tokenizer, followed by the file if there are several."""
    lines = []
    for row in rows:
        found = getattr(row, only)
        numbers = "\t".join(map(str, found if isinstance(found, list) else [found]))
        lines.append(numbers + (f"\t{shown(row.name)}" if several else "") + "\n")
    return "".join(lines)


def _objects(rows: Sequence[Counts], tokenizers: Sequence[AnyTokenizer], *, one_list: bool) -> str:
    """Return a JSON object for each file and tokenizer."""
    objects = []
    for row in rows:
        for number, one in enumerate(tokenizers):
            counts = {"file": row.name, "tokenizer": one.name, "tokens": row.tokens[number], "words": row.words[number]}
            objects.append(json.dumps({**counts, "characters": row.characters, "bytes": row.bytes}))
    if one_list:
        return "[" + ",\n".join(objects) + "]\n"
    return "".join(f"{each}\n" for each in objects)
