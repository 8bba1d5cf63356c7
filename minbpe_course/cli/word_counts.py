"""Count the words of the sources of a command line, for ``count`` and ``train``."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import on_cluster, threads
from minbpe_course.cli.terminal import ProgressLine, size
from minbpe_course.corpus.reading import Corpus
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

    source = _source(args, names, line, pattern, specials, bounded)
    with in_words_of_the_command_line(), on_cluster(args.dask) as engine:
        return count_words(
            source,
            pattern=pattern,
            special_tokens=specials,
            num_threads=threads(args.jobs),
            memory=args.memory,
            checkpoint=checkpoint,
            engine=engine,
            min_frequency=min_frequency,
            output=output,
            progress=(lambda at: line.show(str(at))) if bounded else None,
        )


def _source(
    args: argparse.Namespace,
    names: Sequence[str],
    line: ProgressLine,
    pattern: str | None,
    specials: list[str],
    bounded: bool,
) -> Corpus | Iterator[str]:
    """Return the files as a corpus if memory is to be bounded, or else texts as they are read."""
    unfit = [f"{name} is not a file" for name in names if name == "-" or not Path(name).is_file()]
    if args.dask is not None and unfit:
        raise InvalidOption(f"--dask works on files, compressed ones too, and {unfit[0]}.")
    if bounded and not unfit:
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
_REMEDIES: dict[type[Any], str] = {
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
    except tuple(_REMEDIES) as problem:
        if problem.remedy:
            problem.args = (problem.problem, _REMEDIES[type(problem)])
        raise


def pattern_of(args: argparse.Namespace) -> str | None:
    """Return the split pattern that ``--pattern`` names. Raises InvalidPattern."""
    given = args.pattern or DEFAULT_PATTERN
    return None if given == "none" else named_pattern(given)


def dropped_words(dropped: Dropped, least: int, total: int) -> str:
    """Return a sentence about the words that were left out; total : bytes of the text.

    >>> dropped_words(Dropped(2, 3, 10), 4, 40)
    'left out, since they occur less than 4 times: 2 distinct words, 3 occurrences, 25.0% of the text'
    """
    return (
        f"left out, since they occur less than {least:,} times: {dropped.words:,} distinct words, "
        f"{dropped.occurrences:,} occurrences, {dropped.bytes / max(total, 1):.1%} of the text"
    )
