"""Count the words of the sources of a command line, for ``count`` and ``train``."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import on_cluster
from minbpe_course.cli.terminal import ProgressLine, size
from minbpe_course.cli.threads import threads
from minbpe_course.corpus.reading import Corpus
from minbpe_course.counting.bounded import CountProgress
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.word_counts import Dropped
from minbpe_course.errors import (
    CountingStopped,
    DifferentCheckpoint,
    FolderInUse,
    Interrupted,
    InvalidOption,
    UnreadableCheckpoint,
)
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern

DEFAULT_PATTERN = "cl100k_base"
# With --field, a Corpus takes files with these suffixes for plain text; ``Reading`` takes them for lines of JSON.
_PLAIN_TEXT_SUFFIXES = (".txt", ".text", ".md")


def counted_words(
    args: argparse.Namespace,
    names: Sequence[str],
    line: ProgressLine,
    *,
    pattern: str | None,
    specials: list[str],
    checkpoint: str | Path | None,
    min_frequency: int,
    output: str | None = None,
) -> Any:
    """Count the words of the sources; return WordCounts, or a CountsFile if there is an output.

    args : with the options of ``add_counting_args`` and ``add_document_args``. Raises the errors of ``count_words``,
    worded for the command line.
    """
    bounded = any(option is not None for option in (args.memory, args.checkpoint, args.dask, output))

    def show(progress: CountProgress) -> None:
        line.show(str(progress))

    source = _source(args, names, line, pattern, specials)
    with in_words_of_the_command_line(), on_cluster(args.dask) as engine:
        return count_words(
            source, pattern=pattern, special_tokens=specials, num_threads=threads(args.jobs), memory=args.memory,
            checkpoint=checkpoint, engine=engine, min_frequency=min_frequency, output=output,
            progress=show if bounded else None,
        )  # fmt: skip


def _source(
    args: argparse.Namespace, names: Sequence[str], line: ProgressLine, pattern: str | None, specials: list[str]
) -> Corpus | Iterator[str]:
    """Return the files as a corpus if the options need one, or else texts as they are read."""
    for name in names:
        wrong = "is not a file" if name == "-" or not Path(name).is_file() else ""
        if args.field is not None and name.lower().endswith(_PLAIN_TEXT_SUFFIXES):
            wrong = "with --field is taken for plain text, by its name"
        if args.dask is not None and wrong:
            raise InvalidOption(f"--dask works on files, compressed ones too, and {name} {wrong}.")
        if wrong:
            break
    else:
        if any(option is not None for option in (args.memory, args.checkpoint, args.dask)):
            return Corpus(*names, field=args.field, lines=args.lines, errors=args.errors)
    return _texts(args, names, line, pattern, specials)


def _texts(
    args: argparse.Namespace, names: Sequence[str], line: ProgressLine, pattern: str | None, specials: list[str]
) -> Iterator[str]:
    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
    for batch in reading.batches(names, LongText(Splitter(pattern), specials)):
        yield from batch.texts
        line.show(f"{size(reading.bytes_read)} read")


# The remedies on the command line for errors whose own remedies are in Python.
_REMEDIES: dict[type[BaseException], str] = {
    CountingStopped: "The same command continues from there.",
    Interrupted: "The same command continues from there.",
    DifferentCheckpoint: "Ask for the same work again, delete the folder to start over, or name another: --checkpoint",
    FolderInUse: "Wait until it has finished, or name another folder: --checkpoint another-folder",
    UnreadableCheckpoint: "Delete the folder to count from the beginning, or name another: --checkpoint",
}


@contextlib.contextmanager
def in_words_of_the_command_line() -> Iterator[None]:
    """Replace the remedy of an error, which is in Python, by what to type on the command line."""
    try:
        yield
    except (CountingStopped, DifferentCheckpoint, FolderInUse, Interrupted, UnreadableCheckpoint) as problem:
        remedy = [_REMEDIES[type(problem)]] if problem.remedy else []
        raise type(problem)(problem.problem, *remedy) from problem.__cause__


def pattern_of(args: argparse.Namespace) -> str | None:
    """Return the split pattern that ``--pattern`` names. Raises InvalidPattern."""
    given = args.pattern or DEFAULT_PATTERN
    return None if given == "none" else named_pattern(given)


def at_least_1(given: int | None, option: str) -> int:
    """Return the value of an option, 1 by default. Raises InvalidOption."""
    if given is not None and given < 1:
        raise InvalidOption(f"{option} {given}: how often a word has to occur, 1 or more.")
    return given or 1


def min_count_of(args: argparse.Namespace) -> int:
    """Return the value of ``--min-count``. Raises InvalidOption."""
    return at_least_1(args.min_count, "--min-count")


def dropped_words(dropped: Dropped, least: int, total: int) -> str:
    """Return a sentence about the words that were left out; total : bytes of the text.

    >>> dropped_words(Dropped(2, 3, 10), 4, 40)
    'left out, since they occur less than 4 times: 2 distinct words, 3 occurrences, 25.0% of the text'
    """
    return (
        f"left out, since they occur less than {least:,} times: {dropped.words:,} distinct words, "
        f"{dropped.occurrences:,} occurrences, {dropped.bytes / max(total, 1):.1%} of the text"
    )
