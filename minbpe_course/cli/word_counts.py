"""Count the words of the sources of a command line: for ``count``, and for ``train`` before it trains."""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import on_cluster, refuse
from minbpe_course.cli.sources import must_be_files, sources
from minbpe_course.cli.terminal import ProgressLine, say, size
from minbpe_course.cli.threads import threads
from minbpe_course.corpus.cleaning import filters_of
from minbpe_course.corpus.reading import Corpus
from minbpe_course.counting.bounded import CountProgress
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import is_counts_file
from minbpe_course.counting.counts_file.layout import Dropped
from minbpe_course.counting.word_counter import special_texts
from minbpe_course.counting.word_counts import WordCounts
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
_MOST_FREQUENT, _LONGEST_SHOWN = 10, 60


def count_each_word(args: argparse.Namespace) -> None:
    """Count the words of the files of ``count``, write a counts file if one is named, and print a summary."""
    _check_options_are_about_words(args)
    names = sources(args.files, "count")
    must_be_files(names)
    if counted := [name for name in names if name != "-" and is_counts_file(name)]:
        raise InvalidOption(
            f"{counted[0]} is a counts file: its words are counted. See minbpe-course counts show, merge and prune."
        )
    pattern, specials = pattern_of(args), special_texts(args.special)
    least = _at_least_1(args.min_frequency, "--min-frequency")
    with ProgressLine() as line:
        counts = counted_words(
            args, names, line, pattern=pattern, specials=specials, checkpoint=args.checkpoint, min_frequency=least,
            output=args.output,
        )  # fmt: skip
        facts = _facts(counts, args.output)
    if args.format == "text":
        for each in _summary(facts, least):
            say(each)
    else:
        say(json.dumps(facts, ensure_ascii=True, indent=2 if args.format == "json" else None))


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
    clean = filters_of(args.clean)
    asked = {"--dask": args.dask is not None, "--clean": bool(clean)}
    for name in names:
        wrong = "is not a file" if name == "-" or not Path(name).is_file() else ""
        if args.field is not None and name.lower().endswith(_PLAIN_TEXT_SUFFIXES):
            wrong = "with --field is taken for plain text, by its name"
        for option in (option for option, given in asked.items() if given and wrong):
            raise InvalidOption(f"{option} works on files, compressed ones too, and {name} {wrong}.")
        if wrong:
            break
    else:
        if args.memory is not None or args.checkpoint is not None or any(asked.values()):
            return Corpus(*names, field=args.field, lines=args.lines, clean=clean, errors=args.errors)
    return _texts(args, names, line, pattern, specials)


def _texts(
    args: argparse.Namespace, names: Sequence[str], line: ProgressLine, pattern: str | None, specials: list[str]
) -> Iterator[str]:
    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
    for batch in reading.batches(names, LongText(Splitter(pattern), specials)):
        yield from batch.texts
        line.show(f"{size(reading.bytes_read)} read")


# What to type here, where an error says what to type in Python.
_REMEDIES: dict[type[BaseException], str] = {
    CountingStopped: "The same command continues from there.",
    Interrupted: "The same command continues from there.",
    DifferentCheckpoint: "Ask for the same work again, delete the folder to start over, or name another: --checkpoint",
    FolderInUse: "Wait until it has finished, or name another folder: --checkpoint another-folder",
    UnreadableCheckpoint: "Delete the folder to count from the beginning, or name another: --checkpoint",
}


@contextlib.contextmanager
def in_words_of_the_command_line() -> Iterator[None]:
    """Where an error says what to type in Python, say what to type on the command line."""
    try:
        yield
    except (CountingStopped, DifferentCheckpoint, FolderInUse, Interrupted, UnreadableCheckpoint) as problem:
        remedy = [_REMEDIES[type(problem)]] if problem.remedy else []
        raise type(problem)(problem.problem, *remedy) from problem.__cause__


def pattern_of(args: argparse.Namespace) -> str | None:
    """Return the split pattern that ``--pattern`` names. Raises InvalidPattern."""
    given = args.pattern or DEFAULT_PATTERN
    return None if given == "none" else named_pattern(given)


def _at_least_1(given: int | None, option: str) -> int:
    if given is not None and given < 1:
        raise InvalidOption(f"{option} {given}: how often a word has to occur, 1 or more.")
    return given or 1


def min_count_of(args: argparse.Namespace) -> int:
    """Return the value of ``--min-count``. Raises InvalidOption."""
    return _at_least_1(args.min_count, "--min-count")


def _check_options_are_about_words(args: argparse.Namespace) -> None:
    """Raise InvalidOption for an option that is about tokens."""
    about_tokens = {"--tokenizer": args.tokenizers, "--only": args.only, "--from": args.source_format}
    about_tokens["--specials"] = args.specials != "none"
    refuse(
        about_tokens,
        "{} is about tokens, and the other options ask for a count of each word. To count words, leave {} away. To "
        "count tokens, leave away --words, -o X.counts and the options under 'counting each word' in --help.",
    )
    if args.output == "-":
        raise InvalidOption("counts are written to a file: -o corpus.counts")
    for special in args.special:
        if re.fullmatch(r".+=[0-9]+", special, re.DOTALL):
            raise InvalidOption(
                f"--special {special!r}: there are no ids yet. Say the token alone: --special "
                f"{special.rpartition('=')[0]!r}"
            )


def dropped_words(dropped: Dropped, least: int, total: int) -> str:
    """Return a sentence about the words that were left out; total : bytes of the text.

    >>> dropped_words(Dropped(2, 3, 10), 4, 40)
    'left out, since they occur less than 4 times: 2 distinct words, 3 occurrences, 25.0% of the text'
    """
    return (
        f"left out, since they occur less than {least:,} times: {dropped.words:,} distinct words, "
        f"{dropped.occurrences:,} occurrences, {dropped.bytes / max(total, 1):.1%} of the text"
    )


def bytes_of(counts: WordCounts) -> int:
    """Return the number of bytes of the counted text, including the dropped words."""
    lengths = counts.ends.copy()
    lengths[1:] -= counts.ends[:-1]
    return int(lengths @ counts.counts) + counts.dropped.bytes


def _facts(counts: Any, output: str | None) -> dict[str, Any]:
    in_memory = isinstance(counts, WordCounts)
    if in_memory:
        common = heapq.nlargest(_MOST_FREQUENT, counts.items(), key=itemgetter(1))
    else:
        common = counts.most_common(_MOST_FREQUENT)
    return {
        "file": output,
        "file_bytes": Path(output).stat().st_size if output else None,
        "distinct_words": len(counts),
        "occurrences": int(counts.counts.sum()) if in_memory else counts.occurrences,
        "bytes": bytes_of(counts) if in_memory else counts.bytes,
        "dropped": counts.dropped._asdict(),
        "most_common": [[word.decode("utf-8", "backslashreplace"), int(count)] for word, count in common],
    }


def _summary(facts: dict[str, Any], least: int) -> Iterator[str]:
    if facts["file"]:
        yield f"{facts['file']}: {facts['file_bytes']:,} bytes"
    words = f"{facts['distinct_words']:,} distinct words, {facts['occurrences']:,} in all"
    yield f"{words}, {facts['bytes']:,} bytes of text"
    dropped = Dropped(**facts["dropped"])
    if dropped.words:
        yield dropped_words(dropped, least, facts["bytes"])
    if facts["most_common"]:
        yield "the commonest:"
    width = max((len(f"{count:,}") for _, count in facts["most_common"]), default=0)
    for word, count in facts["most_common"]:
        shown = repr(word)
        yield f"  {count:>{width},}  {shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 1] + '…'}"
