"""Turn text into ids: of files or a pipe, as text, JSON or a NumPy array."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import (
    ID_FORMATS,
    add_dask_args,
    add_document_args,
    add_file_args,
    add_jobs_args,
    add_output_args,
    add_specials_args,
    add_tokenizer_args,
    chosen,
    on_cluster,
    refuse,
    threads,
    typed_text,
)
from minbpe_course.cli.sources import is_plain, output, sources
from minbpe_course.cli.terminal import ProgressLine, say, size
from minbpe_course.errors import InvalidOption
from minbpe_course.resources.threads import in_order

if TYPE_CHECKING:
    from minbpe_course.formats.id_arrays import Documents
    from minbpe_course.tokenizers.adapters import AnyTokenizer
    from minbpe_course.tokenizers.file_encoding import Work

EXAMPLES = """\
minbpe-course encode notes.txt -t gpt2
echo "Hello world" | minbpe-course encode --format json
minbpe-course encode --lines -t mine.model - < lines.txt > ids.txt
minbpe-course encode 'data/*.jsonl' --field text --end-with '<|endoftext|>' -o train.npy
minbpe-course encode 'data/**/*.jsonl.gz' --field text --shards tokens/ --dask local
  and in Python: ids = np.load("train.npy", mmap_mode="r"); the ends of the documents are the
  second array: file = open("train.npy", "rb"); np.load(file); ends = np.load(file)
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8")
    add_tokenizer_args(parser)
    add_document_args(parser)
    add_specials_args(parser, "raise")
    for option, place in (("--begin-with", "before"), ("--end-with", "after")):
        about = f"put this special token, or id, {place} each document"
        parser.add_argument(option, type=typed_text, metavar="TOKEN", help=about)
    parser.add_argument(
        "--frame",
        action="store_true",
        help="put the special tokens around each document that the tokenizer's own file names (tokenizer.json)",
    )
    parser.add_argument(
        "--format",
        choices=ID_FORMATS,
        help="text: a document on each line; jsonl: a list on each line; json: one list of lists; npy: all ids, then "
        "where each document ends (default: by the name of the output, else text)",
    )
    parser.add_argument(
        "--dtype",
        choices=("uint16", "uint32"),
        help="of --format npy (default: uint16 if every id of the vocabulary fits)",
    )
    add_output_args(parser)
    parser.add_argument(
        "--shards",
        metavar="DIR",
        help="write token files into DIR, and a manifest.json that describes them: for a corpus of any size. After an "
        "interruption, the same command makes the missing ones",
    )
    parser.add_argument(
        "--shard-format",
        choices=("npy", "parquet"),
        help="npy, for memory maps (default), or parquet, for other programs",
    )
    parser.add_argument(
        "--shard-size", metavar="SIZE", help="about how much text makes a shard: 64MB, 1GB (default: 64MiB)"
    )
    add_dask_args(parser)
    add_jobs_args(parser)


def run(args: argparse.Namespace) -> int:
    """Encode, and return 0."""
    if args.shards is not None or args.shard_format or args.shard_size or args.dask:
        _encode_into_shards(args)
    else:
        _encode(args)
    return 0


def _encode(args: argparse.Namespace) -> None:
    from minbpe_course.cli.id_writer import NumberWriter, format_of_name
    from minbpe_course.formats.id_arrays import ArrayWriter, dtype_for
    from minbpe_course.tokenizers.file_encoding import DocumentEncoder

    names = sources(args.files, "encode")
    form = args.format or format_of_name(args.output) or "text"
    if args.dtype and form != "npy":
        raise InvalidOption("--dtype goes with --format npy.")
    piped = args.output in (None, "-")
    if form == "npy" and piped and sys.stdout.isatty():
        raise InvalidOption("--format npy writes bytes that a terminal cannot show; name a file: -o ids.npy")
    tokenizer = chosen(args, args.tokenizer, args.specials)
    before, after = tokenizer.around(args.frame, args.end_with)
    if args.begin_with is not None:
        before = (tokenizer.id_of(args.begin_with), *before)
    encoder = DocumentEncoder(tokenizer, before, after)
    dtype = dtype_for(tokenizer.largest, args.dtype)
    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
    number = 0
    with output(args.output, large=True) as file, ProgressLine() as line:
        writer: ArrayWriter | NumberWriter
        if form == "npy":
            writer = ArrayWriter(file, dtype, in_place=not piped and file.seekable())
        else:
            writer = NumberWriter(file, form, tokenizer.ids)

        def encoded(work: Work) -> tuple[Documents, bytes | memoryview]:
            return writer.prepared(encoder(work))

        for prepared in in_order(encoded, _work_of(names, reading, tokenizer, args), threads(args.jobs)):
            writer.write(prepared)
            number += prepared[0].ids.size
            line.show(f"{size(reading.bytes_read)} read, {number:,} ids")
        writer.finish()


def _work_of(names: list[str], reading: Reading, tokenizer: AnyTokenizer, args: argparse.Namespace) -> Iterator[Work]:
    """Yield ranges of plain files, which threads read themselves, and batches of the texts of everything else."""
    from minbpe_course.corpus.reading import Corpus
    from minbpe_course.tokenizers.file_encoding import work_of_files

    for plain, group in groupby(names, key=lambda name: args.field is None and is_plain(name)):
        if not plain:
            yield from reading.batches(group, tokenizer.long_text())
            continue
        for work in work_of_files(Corpus(*group, lines=args.lines, errors=args.errors), tokenizer.cutter):
            reading.bytes_read += work.size
            yield work


def _encode_into_shards(args: argparse.Namespace) -> None:
    """Encode files into a folder of token files with a manifest, in threads or on a cluster."""
    from minbpe_course.corpus.reading import Corpus
    from minbpe_course.resources.memory import number_of_bytes
    from minbpe_course.token_files.shards import PART_SIZE, encode_corpus

    if args.shards is None:
        raise InvalidOption("--shard-format, --shard-size and --dask go with --shards DIR.")
    unfit = {"-o": args.output, "--format": args.format}
    refuse(unfit, "{} does not go with --shards, which writes files of its own kind.")
    refuse(
        {"--begin-with": args.begin_with},
        "{} does not go with --shards. Give --end-with, or --frame for a tokenizer.json.",
    )
    names = sources(args.files, "encode")
    if "-" in names:
        raise InvalidOption("--shards needs files that can be read in parts, and standard input cannot: name files.")
    tokenizer = chosen(args, args.tokenizer, args.specials).tokenizer
    part_size = PART_SIZE if args.shard_size is None else number_of_bytes(args.shard_size, "--shard-size")
    corpus = Corpus(*names, field=args.field, lines=args.lines, errors=args.errors)
    with on_cluster(args.dask) as engine, ProgressLine() as line:
        try:
            shards = encode_corpus(
                corpus,
                tokenizer,
                args.shards,
                engine=engine,
                format=args.shard_format or "npy",
                part_size=part_size,
                append=args.end_with,
                dtype=args.dtype,
                specials=args.specials,
                num_threads=threads(args.jobs),
                frame=args.frame,
                progress=lambda at: line.show(f"{at.shards:,} of {at.all_shards:,} shards, {at.tokens:,} ids"),
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt("interrupted. Finished shards are kept. The same command continues.") from None
    say(f"{args.shards}: {len(shards):,} shards, {shards.documents:,} documents, {shards.tokens:,} ids")
