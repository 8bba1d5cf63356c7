"""Work on counts files: show what is in them, add them, drop rare words, check them, write them as text."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.options import add_output_args
from minbpe_course.cli.sources import output, shown
from minbpe_course.cli.terminal import say, tell
from minbpe_course.errors import InvalidOption, UnreadableCounts, UnusablePath
from minbpe_course.text.patterns import PATTERNS

if TYPE_CHECKING:
    from minbpe_course.counting.counts_file import CountsFile
    from minbpe_course.counting.counts_file.reading import Counted, Survey

EXAMPLES = """\
minbpe-course counts show corpus.counts --top 30
minbpe-course counts merge monday.counts tuesday.counts -o both.counts
minbpe-course counts prune corpus.counts --min-frequency 2 -o smaller.counts
minbpe-course counts check *.counts
minbpe-course counts export corpus.counts --format tsv | head
"""

# The options of each action, and its output formats, the default first.
_OPTIONS = {
    "show": {"output", "top", "format"},
    "merge": {"output", "min_frequency"},
    "prune": {"output", "min_frequency"},
    "check": set[str](),
    "export": {"output", "top", "format"},
}
_FORMATS = {"show": ("text", "json"), "export": ("jsonl", "tsv")}
_SHOWN, _LONGEST_SHOWN = 20, 60
_SHARES = (50, 90, 99)


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "action",
        choices=tuple(_OPTIONS),
        metavar="ACTION",
        help="show: what is in a file; merge: add files, in this order; prune: drop rare words; check: compare every "
        "checksum; export: all words as text",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="counts files, as count -o writes them")
    add_output_args(parser)
    parser.add_argument(
        "--min-frequency",
        type=int,
        metavar="N",
        help="merge, prune: drop words that occur less than N times; the new file records how many",
    )
    parser.add_argument(
        "--top", type=int, metavar="N", help="show, export: the N most frequent words (default: show 20, export all)"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "jsonl", "tsv"),
        help="show: text (default) or json; export: jsonl (default) or tsv, with word, count and first place",
    )


def run(args: argparse.Namespace) -> int:
    """Run the action; return 0, or 1 when ``check`` found a damaged file."""
    for option in ("output", "min_frequency", "top", "format"):
        if getattr(args, option) is not None and option not in _OPTIONS[args.action]:
            actions = " and ".join(action for action, options in _OPTIONS.items() if option in options)
            raise InvalidOption(f"--{option.replace('_', '-')} is for {actions}, not for {args.action}.")
    formats = _FORMATS.get(args.action, ())
    if args.format is not None and args.format not in formats:
        raise InvalidOption(f"{args.action} writes {' or '.join(formats)}, not {args.format}.")
    args.format = args.format or (formats[0] if formats else None)
    if args.top is not None and args.top < 0:
        raise InvalidOption(f"--top {args.top}: a number of words, 0 or more.")
    if args.action == "check":
        return 0 if _check(args.files) else 1
    if args.action in ("merge", "prune"):
        _write(args)
    elif args.action == "show":
        _show(args)
    else:
        _export(args)
    return 0


def _check(files: Iterable[str]) -> bool:
    """Check every file, also after a damaged one; return whether all are intact."""
    from minbpe_course.counting.counts_file import open_counts

    intact = True
    for name in files:
        try:
            counts = open_counts(name)
            counts.check()
        except (UnreadableCounts, UnusablePath) as problem:
            tell(f"minbpe-course counts: {problem}")
            intact = False
        else:
            say(f"{shown(name)}: whole, {len(counts):,} distinct words, SHA-256 {counts.sha256}")
    return intact


def _write(args: argparse.Namespace) -> None:
    from minbpe_course.counting.counts_file import merge_counts, open_counts, prune_counts

    if args.output in (None, "-"):
        raise InvalidOption(f"{args.action} writes a counts file; say where: -o new.counts")
    if args.action == "merge":
        made = merge_counts(
            args.files, args.output, min_frequency=1 if args.min_frequency is None else args.min_frequency
        )
    else:
        if args.min_frequency is None:
            raise InvalidOption("prune needs the least count of the words to keep: --min-frequency 2")
        before = open_counts(_one(args)).dropped
        made = prune_counts(args.files[0], args.output, args.min_frequency)
        words, occurrences, size = (now - then for now, then in zip(made.dropped, before))
        say(f"dropped {words:,} distinct words, {occurrences:,} occurrences, {size:,} bytes of the text")
    say(f"{made.path}: {made.path.stat().st_size:,} bytes, {len(made):,} distinct words, {made.occurrences:,} in all")


def _one(args: argparse.Namespace) -> str:
    if len(args.files) != 1:
        raise InvalidOption(f"{args.action} takes one file, got {len(args.files)}; add them first: counts merge")
    return str(args.files[0])


# ---- show


def _show(args: argparse.Namespace) -> None:
    from minbpe_course.counting.counts_file import open_counts

    documents, pages = [], []
    for name in args.files:
        counts = open_counts(name)
        survey = counts.survey(_SHOWN if args.top is None else args.top)
        documents.append(_facts(counts, survey))
        pages.append("\n".join(_page(counts, survey)) + "\n")
    text = "\n".join(pages)
    if args.format == "json":
        text = json.dumps(documents[0] if len(documents) == 1 else documents, indent=2) + "\n"
    with output(args.output) as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _facts(counts: CountsFile, survey: Survey) -> dict[str, Any]:
    return {
        "file": str(counts.path),
        "file_bytes": counts.path.stat().st_size,
        "sha256": counts.sha256,
        "pattern": counts.pattern,
        "special_tokens": counts.special_tokens,
        "cleaning": counts.cleaning,
        "places": counts.header.places,
        "distinct_words": len(counts),
        "occurrences": counts.occurrences,
        "bytes": counts.bytes,
        "longest_word": counts.longest,
        "min_frequency": counts.min_frequency,
        "dropped": counts.dropped._asdict(),
        "occur_once": survey.frequencies[1],
        "words_that_cover": {str(share): survey.words_that_cover(Fraction(share, 100)) for share in _SHARES},
        "most_common": [_plain(row) for row in survey.common],
    }


def _page(counts: CountsFile, survey: Survey) -> Iterator[str]:
    from minbpe_course.counting.counts_file.layout import ORDER

    facts = _facts(counts, survey)
    yield f"{shown(str(counts.path))}  {facts['file_bytes']:,} bytes"
    yield f"  text            {counts.bytes:,} bytes, {counts.occurrences + counts.dropped.occurrences:,} words"
    yield f"  distinct words  {len(counts):,}, the longest of {counts.longest:,} bytes"
    yield f"  pattern         {_pattern_name(counts.pattern)}"
    if counts.special_tokens:
        yield f"  special tokens  {' '.join(map(repr, counts.special_tokens))}"
    if counts.cleaning:
        yield f"  cleaned of      {', '.join(counts.cleaning)}"
    if counts.header.places == ORDER:
        yield "  places          only their order is known, not the bytes of the text"
    if counts.min_frequency > 1:
        words, occurrences, size = counts.dropped
        yield f"  dropped         {words:,} distinct words, {occurrences:,} occurrences, {size:,} bytes of the text"
        yield f"                  Counts below {counts.min_frequency:,} may be missing, or too small."
    yield f"  SHA-256         {counts.sha256}"
    if not len(counts):
        return
    once = facts["occur_once"]
    yield f"  once only       {once:,} words, {once / len(counts):.1%} of the distinct ones"
    for share, words in facts["words_that_cover"].items():
        yield f"  {share} % of them    {words:,} word{'s' * (words != 1)}, {words / len(counts):.2%}"
    width = max((len(f"{row.count:,}") for row in survey.common), default=0)
    for row in survey.common:
        yield f"  {row.count:>{width},}  {_readable(row.word)}"


def _pattern_name(pattern: str | None) -> str:
    if pattern is None:
        return "none: texts were not split"
    names = [name for name, known in PATTERNS.items() if known == pattern]
    return f"that of {' and '.join(names)}" if names else pattern


def _readable(word: bytes) -> str:
    try:
        text = repr(word[: 4 * _LONGEST_SHOWN].decode("utf-8"))
    except UnicodeDecodeError:
        text = repr(word[:_LONGEST_SHOWN])
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}… ({len(word):,} bytes)"


# ---- export


def _export(args: argparse.Namespace) -> None:
    from minbpe_course.counting.counts_file import open_counts

    counts = open_counts(_one(args))
    rows = counts.rows() if args.top is None else iter(counts.survey(args.top).common)
    line = _tsv if args.format == "tsv" else _jsonl
    with output(args.output) as file:
        waiting: list[str] = []
        for row in rows:
            waiting.append(line(row))
            if len(waiting) == 4096:
                file.write("".join(waiting).encode("utf-8"))
                waiting.clear()
        file.write("".join(waiting).encode("utf-8"))


def _jsonl(row: Counted) -> str:
    return json.dumps(_plain(row), ensure_ascii=True) + "\n"


def _plain(row: Counted) -> dict[str, Any]:
    """Return a row for JSON: the word as text, or as hexadecimal digits if it is not UTF-8."""
    try:
        word = {"word": row.word.decode("utf-8")}
    except UnicodeDecodeError:
        word = {"hex": row.word.hex()}
    return {**word, "count": row.count, "first": row.first}


def _tsv(row: Counted) -> str:
    return f"{_one_line(row.word)}\t{row.count}\t{row.first}\n"


def _one_line(word: bytes) -> str:
    r"""Return a word with Python's escapes for tabs, line ends and bytes that are not UTF-8.

    >>> print(_one_line(b"a\tb\\"), _one_line(b"caf\xc3\xa9"), _one_line(b"\xff"))
    a\tb\\ café \xff
    """
    text = word.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    for character, escape in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text
