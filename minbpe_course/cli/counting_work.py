"""The work of ``count``: one pass over each file for all tokenizers, and a table of what was found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from minbpe_course.cli.byte_inputs import shown, sources
from minbpe_course.cli.chosen_tokenizer import AnyTokenizer, ForbiddenSpecial, chosen
from minbpe_course.cli.in_order import in_order, threads
from minbpe_course.cli.outputs import output
from minbpe_course.cli.progress_line import ProgressLine, size
from minbpe_course.cli.shared_options import DEFAULT_TOKENIZER
from minbpe_course.cli.text_inputs import Batch, Batcher, Reading
from minbpe_course.errors import (
    DisallowedSpecialToken,
    InvalidSource,
    MissingPackage,
    UnreadableInput,
    UnusablePath,
)

# A file that brings one of these is told, and the others are counted.
COUNTED_WITHOUT = (UnreadableInput, UnusablePath, DisallowedSpecialToken, InvalidSource, MissingPackage)


@dataclass
class Counts:
    """What one file holds: for each tokenizer the tokens and the words, and the characters and bytes of all."""

    name: str
    tokens: list[int]
    words: list[int]
    characters: int = 0
    bytes: int = 0

    def add(self, other: Counts) -> None:
        """Add what another file holds, or another part of this one."""
        self.tokens = [one + more for one, more in zip(self.tokens, other.tokens)]
        self.words = [one + more for one, more in zip(self.words, other.words)]
        self.characters += other.characters
        self.bytes += other.bytes


@dataclass
class _Counted:
    """The rows of files, and their sum."""

    tokenizers: Sequence[AnyTokenizer]
    rows: list[Counts] = field(default_factory=list)

    def total(self) -> Counts:
        """All files together."""
        total = _nothing("total", len(self.tokenizers))
        for row in self.rows:
            total.add(row)
        return total


def count(args: argparse.Namespace) -> bool:
    """Count what the options of ``count`` name; return whether every file could be counted."""
    names = sources(args.files, "count")
    asked = args.tokenizers or [DEFAULT_TOKENIZER]
    tokenizers = [chosen(args, name, args.specials, several=len(asked) > 1) for name in asked]
    counted = _Counted(tokenizers)
    failed = False
    with output(args.output) as file, ProgressLine() as line:
        for name in names:
            try:
                counted.rows.append(_counted(name, tokenizers, threads(args.jobs), line))
            except COUNTED_WITHOUT as problem:
                # As wc does it: the others are counted all the same.
                line.clear()
                print(f"minbpe-course count: {problem}", file=sys.stderr)
                failed = True
        several = len(names) > 1
        if args.only:
            said = _numbers(counted, args.only, several)
        elif args.format == "text":
            said = _table(counted, several)
        else:
            said = _objects(counted, one_list=args.format == "json")
        file.write(said.encode("utf-8", "surrogateescape"))
    return not failed


def _counted(name: str, tokenizers: Sequence[AnyTokenizer], jobs: int, line: ProgressLine) -> Counts:
    """Count one file."""
    reading = Reading()
    counts = _nothing(name, len(tokenizers))
    for number, tokens, words in in_order(
        partial(_work, tokenizers), _batches(reading, name, tokenizers, counts), jobs
    ):
        counts.tokens[number] += tokens
        counts.words[number] += words
        line.show(f"{size(reading.bytes_read)} read of {shown(name)}")
    counts.bytes = reading.bytes_read
    return counts


def _batches(
    reading: Reading, name: str, tokenizers: Sequence[AnyTokenizer], counts: Counts
) -> Iterator[tuple[int, Batch]]:
    """Read once, and yield batches for each tokenizer: each cuts where it may."""
    batchers = [Batcher(one.long_text(), by_line=False) for one in tokenizers]
    for portion in reading.portions([name]):
        counts.characters += sum(map(len, portion.texts))
        for number, batcher in enumerate(batchers):
            yield from ((number, batch) for batch in batcher.add(portion))
    for number, batcher in enumerate(batchers):
        yield from ((number, batch) for batch in batcher.finish())


def _work(tokenizers: Sequence[AnyTokenizer], given: tuple[int, Batch]) -> tuple[int, int, int]:
    number, batch = given
    try:
        ids, _ = tokenizers[number].encode(batch.texts)
    except ForbiddenSpecial as problem:
        raise batch.forbidden(problem, by_line=False) from None
    return number, ids.size, tokenizers[number].words(batch.texts)


def _nothing(name: str, tokenizers: int) -> Counts:
    return Counts(name, [0] * tokenizers, [0] * tokenizers)


# ---- What is written


def _rows(counted: _Counted, several: bool) -> list[Counts]:
    return [*counted.rows, counted.total()] if several and counted.rows else counted.rows


def _table(counted: _Counted, several: bool) -> str:
    """A table for people, with a line of titles."""
    if not counted.rows:
        return ""
    names = [Path(one.name).name for one in counted.tokenizers]
    titles = [f"{name} tokens" for name in names] + [f"{name} words" for name in names]
    if len(names) == 1:
        titles = ["tokens", "words"]
    lines = [[*titles, "characters", "bytes"]]
    lines += [
        [f"{number:,}" for number in (*row.tokens, *row.words, row.characters, row.bytes)]
        for row in _rows(counted, several)
    ]
    widths = [max(map(len, column)) for column in zip(*lines)]
    files = ["file", *(shown(row.name) for row in _rows(counted, several))]
    return "".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) + f"  {file}\n"
        for line, file in zip(lines, files)
    )


def _numbers(counted: _Counted, only: str, several: bool) -> str:
    """One number for each tokenizer; behind them the file, where there are several."""
    lines = []
    for row in _rows(counted, several):
        found = getattr(row, only)
        numbers = "\t".join(map(str, found if isinstance(found, list) else [found]))
        lines.append(numbers + (f"\t{shown(row.name)}" if several else "") + "\n")
    return "".join(lines)


def _objects(counted: _Counted, *, one_list: bool) -> str:
    """An object for each file and tokenizer; whoever wants sums can make them."""
    objects = [
        json.dumps(
            {
                "file": row.name,
                "tokenizer": one.name,
                "tokens": row.tokens[number],
                "words": row.words[number],
                "characters": row.characters,
                "bytes": row.bytes,
            },
            ensure_ascii=True,
        )
        for row in counted.rows
        for number, one in enumerate(counted.tokenizers)
    ]
    if one_list:
        return "[" + ",\n".join(objects) + "]\n"
    return "".join(f"{each}\n" for each in objects)
