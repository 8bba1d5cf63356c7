"""The work of ``counts``: one function for each action."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from minbpe_course.cli.byte_inputs import shown
from minbpe_course.cli.outputs import output
from minbpe_course.cli.say import say
from minbpe_course.counting.counts_file import CountsFile, merge_counts, open_counts, prune_counts
from minbpe_course.counting.counts_file.layout import ORDER
from minbpe_course.counting.counts_file.reading import Counted, Survey
from minbpe_course.errors import InvalidOption, UnreadableCounts, UnusablePath
from minbpe_course.text.patterns import PATTERNS

# The options that an action has, beside its files; and the form in which it writes unless told.
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


def work(args: argparse.Namespace) -> bool:
    """Do what the options of ``counts`` say; return whether the answer is yes."""
    for option in ("output", "min_frequency", "top", "format"):
        if getattr(args, option) is not None and option not in _OPTIONS[args.action]:
            actions = " and ".join(action for action, options in _OPTIONS.items() if option in options)
            raise InvalidOption(f"--{option.replace('_', '-')} is for {actions}, and {args.action} has no use for it.")
    formats = _FORMATS.get(args.action, ())
    if args.format is not None and args.format not in formats:
        raise InvalidOption(f"{args.action} writes {' or '.join(formats)}, not {args.format}.")
    args.format = args.format or (formats[0] if formats else None)
    if args.top is not None and args.top < 0:
        raise InvalidOption(f"--top {args.top}: a number of words, 0 or more.")
    if args.action == "check":
        return _check(args.files)
    if args.action in ("merge", "prune"):
        _write(args)
    elif args.action == "show":
        _show(args)
    else:
        _export(args)
    return True


def _check(files: Iterable[str]) -> bool:
    """Check every file, also behind one that is damaged."""
    fine = True
    for name in files:
        try:
            counts = open_counts(name)
            counts.check()
        except (UnreadableCounts, UnusablePath) as problem:
            print(f"minbpe-course counts: {problem}", file=sys.stderr)
            fine = False
        else:
            say(f"{shown(name)}: whole, {len(counts):,} distinct words, SHA-256 {counts.sha256}")
    return fine


def _write(args: argparse.Namespace) -> None:
    if args.output in (None, "-"):
        raise InvalidOption(f"{args.action} writes a counts file; say where: -o new.counts")
    if args.action == "merge":
        made = merge_counts(
            args.files, args.output, min_frequency=1 if args.min_frequency is None else args.min_frequency
        )
    else:
        if args.min_frequency is None:
            raise InvalidOption("prune drops words that are rarer than something; say it: --min-frequency 2")
        before = open_counts(_one(args)).dropped
        made = prune_counts(args.files[0], args.output, args.min_frequency)
        words, occurrences, size = (now - then for now, then in zip(made.dropped, before))
        say(f"dropped {words:,} distinct words, {occurrences:,} occurrences, {size:,} bytes of the text")
    say(f"{made.path}: {made.path.stat().st_size:,} bytes, {len(made):,} distinct words, {made.occurrences:,} in all")


def _one(args: argparse.Namespace) -> str:
    if len(args.files) != 1:
        raise InvalidOption(f"{args.action} takes one file, got {len(args.files)}; add them first: counts merge")
    return str(args.files[0])


# ----------------------------------------------------------------------------------------------------
# What is shown


def _show(args: argparse.Namespace) -> None:
    documents, pages = [], []
    for name in args.files:
        counts = open_counts(name)
        survey = counts.survey(_SHOWN if args.top is None else args.top)
        documents.append(_facts(counts, survey))
        pages.append("\n".join(_page(counts, survey)) + "\n")
    said = "\n".join(pages)
    if args.format == "json":
        said = json.dumps(documents[0] if len(documents) == 1 else documents, indent=2) + "\n"
    with output(args.output) as file:
        file.write(said.encode("utf-8", "surrogateescape"))


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
    facts = _facts(counts, survey)
    yield f"{shown(str(counts.path))}  {facts['file_bytes']:,} bytes"
    yield f"  text            {counts.bytes:,} bytes, {counts.occurrences + counts.dropped.occurrences:,} words"
    yield f"  distinct words  {len(counts):,}, the longest of {counts.longest:,} bytes"
    yield f"  pattern         {_pattern(counts.pattern)}"
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


def _pattern(pattern: str | None) -> str:
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


# ----------------------------------------------------------------------------------------------------
# What is exported


def _export(args: argparse.Namespace) -> None:
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
    """What JSON can hold of a word: its text, or hexadecimal digits where it is none."""
    try:
        word = {"word": row.word.decode("utf-8")}
    except UnicodeDecodeError:
        word = {"hex": row.word.hex()}
    return {**word, "count": row.count, "first": row.first}


def _tsv(row: Counted) -> str:
    return f"{_one_line(row.word)}\t{row.count}\t{row.first}\n"


def _one_line(word: bytes) -> str:
    r"""Return a word without tabs and line ends, which become escapes as in Python, and so do bytes that are no text.

    >>> print(_one_line(b"a\tb\\"), _one_line(b"caf\xc3\xa9"), _one_line(b"\xff"))
    a\tb\\ café \xff
    """
    text = word.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    for character, escape in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text
