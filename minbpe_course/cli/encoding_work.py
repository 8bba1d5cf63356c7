"""The work of ``encode``: batches of text to ids, on several threads, written in their order."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

import numpy as np

from minbpe_course.cli.byte_inputs import must_be_files, sources
from minbpe_course.cli.chosen_tokenizer import AnyTokenizer, ForbiddenSpecial, chosen
from minbpe_course.cli.id_outputs import ArrayWriter, Documents, NumberWriter, dtype_for, format_of_name
from minbpe_course.cli.in_order import in_order, threads
from minbpe_course.cli.outputs import is_terminal, output
from minbpe_course.cli.progress_line import ProgressLine, size
from minbpe_course.cli.text_inputs import Batch, Reading
from minbpe_course.errors import InvalidOption


def encode(args: argparse.Namespace) -> None:
    """Encode what the options of ``encode`` name."""
    names = sources(args.files, "encode")
    must_be_files(names)
    form = args.format or format_of_name(args.output) or "text"
    if args.dtype and form != "npy":
        raise InvalidOption("--dtype goes with --format npy.")
    if form == "npy" and is_terminal(args.output):
        raise InvalidOption("--format npy writes bytes that no terminal shows; name a file: -o ids.npy")
    tokenizer = chosen(args, args.tokenizer, args.specials)
    around = _around(tokenizer, args)
    dtype = dtype_for(tokenizer.largest, args.dtype)
    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
    batches = reading.batches(names, tokenizer.long_text())
    number = 0
    with output(args.output) as file, ProgressLine() as line:
        writer: ArrayWriter | NumberWriter
        if form == "npy":
            writer = ArrayWriter(file, dtype, in_place=args.output not in (None, "-") and file.seekable())
        else:
            writer = NumberWriter(file, form, tokenizer.ids)
        work = partial(_encoded, tokenizer, around, reading.by_line, writer)
        for documents, data in in_order(work, batches, threads(args.jobs)):
            writer.write((documents, data))
            number += documents.ids.size
            line.show(f"{size(reading.bytes_read)} read, {number:,} ids")
        writer.finish()


def _around(tokenizer: AnyTokenizer, args: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """The ids before and behind each document."""
    before, behind = tokenizer.frame if args.frame else ((), ())
    if args.begin_with is not None:
        before = (tokenizer.id_of(args.begin_with), *before)
    if args.end_with is not None:
        behind = (*behind, tokenizer.id_of(args.end_with))
    return np.array(before, dtype=np.uint32), np.array(behind, dtype=np.uint32)


def _encoded(
    tokenizer: AnyTokenizer,
    around: Sequence[np.ndarray],
    by_line: bool,
    writer: ArrayWriter | NumberWriter,
    batch: Batch,
) -> tuple[Documents, bytes]:
    """Encode a batch on one thread; return its ids and what is written for them."""
    try:
        ids, offsets = tokenizer.encode(batch.texts)
    except ForbiddenSpecial as problem:
        raise batch.forbidden(problem, by_line=by_line) from None
    finishes = np.array(batch.ends, dtype=bool)
    ends = offsets[1:][finishes]
    begin, end = around
    if begin.size or end.size:
        ids, ends = _framed(ids, offsets, finishes, batch.continues, begin, end)
    return writer.prepared(Documents(ids, ends, batch.continues, batch.ends[-1]))


def _framed(
    ids: np.ndarray, offsets: np.ndarray, finishes: np.ndarray, continues: bool, begin: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Put ``begin`` before each document that begins here, ``end`` behind each that ends; return ids and ends."""
    begins = np.concatenate([[not continues], finishes[:-1]])
    before, behind = offsets[:-1][begins], offsets[1:][finishes]
    # In the order of the pieces: of what is put at one place, the end of a document stands before the next begins.
    places = np.concatenate([np.repeat(before, begin.size), np.repeat(behind, end.size)])
    pieces = np.concatenate(
        [
            np.repeat(2 * np.flatnonzero(begins), begin.size),
            np.repeat(2 * np.flatnonzero(finishes) + 1, end.size),
        ]
    )
    added = np.concatenate([np.tile(begin, before.size), np.tile(end, behind.size)])
    order = np.argsort(pieces, kind="stable")
    framed = np.insert(ids, places[order], added[order])
    grown = np.cumsum(begins) * begin.size + np.cumsum(finishes) * end.size
    return framed, behind + grown[finishes]
