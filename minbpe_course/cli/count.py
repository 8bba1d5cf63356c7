"""Count tokens, words, characters and bytes of files or a pipe; or count each word, which is what training needs."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    at_least,
    chosen,
    refuse,
    threads,
)
from minbpe_course.cli.sources import must_be_files, output, shown, sources
from minbpe_course.cli.terminal import ProgressLine, say, size, tell
from minbpe_course.errors import InvalidOption, MinbpeCourseError, quoted
from minbpe_course.resources.threads import in_order

if TYPE_CHECKING:
    from minbpe_course.counting.counts_file import CountsFile
    from minbpe_course.counting.counts_file.reading import Counted
    from minbpe_course.counting.word_counts import WordCounts
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
  counts files:
minbpe-course count corpus.counts --top 30
minbpe-course count monday.counts tuesday.counts -o both.counts
minbpe-course count corpus.counts --min-frequency 2 -o smaller.counts
minbpe-course count corpus.counts --format tsv | head
"""

# An output with this suffix asks for word counts, and so do counts files, --format tsv and each of these options.
COUNTS_SUFFIX = ".counts"
_ABOUT_TEXT = ("memory", "checkpoint", "dask", "lines", "field", "pattern", "special")
_WORD_OPTIONS = ("words", "min_frequency", "top", "memory", "checkpoint", "dask")
_MOST_FREQUENT, _LONGEST_SHOWN = 10, 60


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
        choices=("text", "json", "jsonl", "tsv"),
        default="text",
        help="text: for people (default); jsonl: an object for each file on a line; json: one list of them; tsv: each "
        "word with its count and its first place, the byte at which it begins",
    )
    add_output_args(parser)
    add_jobs_args(parser)
    words = parser.add_argument_group(
        "counting each word",
        "With an output named .counts, or any of these options, each distinct word is counted and a summary is shown. "
        "--pattern then says how text is cut into words (default: cl100k_base), and --special TOKEN names a token that "
        "is always cut out. Counts files are checked and shown; with -o they are added into one. With -t, --lines and "
        "--field only say which texts have the tokens.",
    )
    words.add_argument("--words", action="store_true", help="count each word, also without any of the other options")
    words.add_argument(
        "--min-frequency",
        type=at_least(1),
        metavar="N",
        help="leave out words that occur less than N times, and say how many",
    )
    words.add_argument(
        "--top",
        type=at_least(0),
        metavar="N",
        help="show the N most frequent words (default: 10; tsv: all, sorted by bytes)",
    )
    add_counting_args(words)
    add_document_args(words)


def run(args: argparse.Namespace) -> int:
    """Count and return 0, or 2 when a file could not be counted: stderr names it, and the others are counted."""
    from minbpe_course.counting.counts_file import is_counts_file

    names = sources(args.files, "count", must_exist=False)
    counted = [name for name in names if name != "-" and is_counts_file(name)]
    if not counted and not _counts_words(args):
        return 0 if _count(args, names) else FAILURE
    _check_options_are_about_words(args)
    must_be_files(names)
    if not counted:
        _count_words(args, names)
        return 0
    if len(names) < len(args.files):
        raise InvalidOption("a counts file is named twice, and its words would be added once. Name each file once.")
    if len(counted) < len(names):
        raise InvalidOption(f"{counted[0]} is a counts file, and other files are not: count those first, -o new.counts")
    refuse(
        {f"--{option}": getattr(args, option) for option in _ABOUT_TEXT},
        f"{counted[0]} is a counts file: {{}} is for text whose words are still to be counted.",
    )
    return 0 if _take_counts(args, names) else FAILURE


def _counts_words(args: argparse.Namespace) -> bool:
    """Return whether to count each word, instead of the tokens of each file."""
    named = args.output is not None and args.output.endswith(COUNTS_SUFFIX)
    if named or args.format == "tsv" or any(getattr(args, option) not in (None, False, []) for option in _WORD_OPTIONS):
        return True
    # With a tokenizer, they say which text its tokens are counted of.
    return not args.tokenizers and bool(args.lines or args.field or args.errors != "strict")


@dataclass
class Counts:
    """The counts of one file: tokens and words for each tokenizer, and the characters and bytes."""

    name: str
    tokens: list[int]
    words: list[int]
    characters: int = 0
    bytes: int = 0


# ---- Tokens


def _count(args: argparse.Namespace, names: Sequence[str]) -> bool:
    """Count the files in one pass for all tokenizers; return whether every file could be counted."""
    asked = args.tokenizers or [DEFAULT_TOKENIZER]
    tokenizers = [chosen(args, name, args.specials, several=len(asked) > 1) for name in asked]
    rows: list[Counts] = []
    with output(args.output) as file, ProgressLine() as line:
        for name in names:
            try:
                reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
                rows.append(_counted(reading, name, tokenizers, threads(args.jobs), line))
            except MinbpeCourseError as problem:
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
        file.write(text.encode("utf-8"))
    return len(rows) == len(names)


def _counted(reading: Reading, name: str, tokenizers: Sequence[AnyTokenizer], jobs: int, line: ProgressLine) -> Counts:
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
    batchers = [Batcher(one.long_text()) for one in tokenizers]
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


# ---- Words


def _check_options_are_about_words(args: argparse.Namespace) -> None:
    """Raise InvalidOption for an option that is about tokens, or contradicts the others."""
    about_tokens = {"--tokenizer": args.tokenizers, "--only": args.only, "--from": args.source_format}
    about_tokens["--specials"] = args.specials != "none"
    refuse(
        about_tokens,
        "{} is about tokens, and the other options ask for a count of each word. To count words, leave {} away. To "
        "count tokens, leave away --words, -o X.counts and the options under 'counting each word' in --help.",
    )
    if args.output == "-":
        raise InvalidOption("counts are written to a file: -o corpus.counts")
    if args.format == "tsv" and args.output is not None and not args.output.endswith(COUNTS_SUFFIX):
        raise InvalidOption(
            "-o writes a counts file, and --format tsv to standard output: minbpe-course count ... --format tsv > "
            f"{args.output}"
        )
    for special in args.special:
        if re.fullmatch(r".+=[0-9]+", special, re.DOTALL):
            raise InvalidOption(
                f"--special {special!r}: there are no ids yet. Say the token alone: --special "
                f"{special.rpartition('=')[0]!r}"
            )


def _count_words(args: argparse.Namespace, names: Sequence[str]) -> None:
    from minbpe_course.cli.word_counts import counted_words, pattern_of
    from minbpe_course.counting.word_counter import special_texts

    pattern, specials = pattern_of(args), special_texts(args.special)
    with ProgressLine() as line:
        counts = counted_words(
            args,
            names,
            line,
            pattern=pattern,
            specials=specials,
            checkpoint=args.checkpoint,
            min_frequency=args.min_frequency or 1,
            output=args.output,
        )
    _tell_words([counts], args)


def _take_counts(args: argparse.Namespace, names: Sequence[str]) -> bool:
    """Add counts files if there is an output, or else check and show each; return whether all are intact."""
    from minbpe_course.counting.counts_file import merge_counts, open_counts

    least = args.min_frequency or 1
    if args.output is not None:
        _tell_words([merge_counts(names, args.output, min_frequency=least)], args)
        return True
    if least > 1:
        raise InvalidOption("--min-frequency leaves words of a counts file out; say where to: -o smaller.counts")
    intact = []
    for name in names:
        try:
            counts = open_counts(name)
            counts.check()
            intact.append(counts)
        except MinbpeCourseError as problem:
            tell(f"minbpe-course count: {problem}")
    _tell_words(intact, args)
    return len(intact) == len(names)


def _tell_words(found: Sequence[WordCounts | CountsFile], args: argparse.Namespace) -> None:
    """Write what was counted to standard output, as ``--format`` says."""
    if args.format == "tsv":
        with output(None) as file:
            for row in chain.from_iterable(_rows(counts, args.top) for counts in found):
                file.write(f"{_one_line(row.word)}\t{row.count}\t{row.first}\n".encode())
        return
    facts = [_facts(counts, _MOST_FREQUENT if args.top is None else args.top) for counts in found]
    if args.format == "text":
        for line in chain.from_iterable(map(_summary, facts)):
            say(line)
    elif args.format == "jsonl":
        for each in facts:
            say(json.dumps(each))
    else:
        say(json.dumps(facts[0] if len(facts) == 1 else facts, indent=2))


def _rows(counts: WordCounts | CountsFile, top: int | None) -> Iterable[Counted]:
    """Return the commonest words, or all."""
    from minbpe_course.counting.counts_file.reading import CountsFile, commonest, each_row
    from minbpe_course.counting.word_counts import Rows

    if isinstance(counts, CountsFile):
        blocks = counts.blocks()
    else:
        assert counts.firsts is not None
        blocks = iter([Rows(counts.text, counts.ends, counts.counts, counts.firsts)])
    return chain.from_iterable(map(each_row, blocks)) if top is None else commonest(blocks, top)


def _facts(counts: WordCounts | CountsFile, top: int) -> dict[str, Any]:
    from minbpe_course.counting.counts_file import CountsFile

    common = [(row.word.decode("utf-8", "backslashreplace"), row.count) for row in _rows(counts, top)]
    facts: dict[str, Any] = {"file": None, "distinct_words": len(counts)}
    facts |= {"occurrences": counts.occurrences, "bytes": counts.bytes}
    if isinstance(counts, CountsFile):
        facts |= {"file": str(counts.path), "file_bytes": counts.path.stat().st_size, "sha256": counts.sha256}
        facts |= {"pattern": counts.pattern, "special_tokens": counts.special_tokens, "cleaning": counts.cleaning}
        facts |= {"places": counts.header.places}
    facts |= {"min_frequency": counts.min_frequency, "dropped": counts.dropped._asdict()}
    return facts | {"most_common": common}


def _summary(facts: dict[str, Any]) -> Iterator[str]:
    from minbpe_course.cli.word_counts import dropped_words
    from minbpe_course.counting.word_counts import Dropped

    if facts["file"]:
        yield f"{shown(facts['file'])}: {facts['file_bytes']:,} bytes"
    words = f"{facts['distinct_words']:,} distinct words, {facts['occurrences']:,} in all"
    yield f"{words}, {facts['bytes']:,} bytes of text"
    dropped = Dropped(**facts["dropped"])
    if dropped.words:
        yield dropped_words(dropped, facts["min_frequency"], facts["bytes"])
    if facts["most_common"]:
        yield "the commonest:"
    width = max((len(f"{count:,}") for _, count in facts["most_common"]), default=0)
    for word, count in facts["most_common"]:
        yield f"  {count:>{width},}  {quoted(word, _LONGEST_SHOWN)}"


def _one_line(word: bytes) -> str:
    r"""Return a word with Python's escapes for tabs, line ends and bytes that are not UTF-8.

    >>> print(_one_line(b"a\tb\\"), _one_line(b"caf\xc3\xa9"), _one_line(b"\xff"))
    a\tb\\ café \xff
    """
    text = word.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return text.translate({ord("\t"): r"\t", ord("\n"): r"\n", ord("\r"): r"\r"})
