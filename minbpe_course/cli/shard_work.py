"""The work of ``encode --shards``: files to token files and a manifest, here in threads or on a cluster."""

from __future__ import annotations

import argparse

from minbpe_course.cli.byte_inputs import must_be_files, sources
from minbpe_course.cli.chosen_tokenizer import chosen
from minbpe_course.cli.in_order import threads
from minbpe_course.cli.progress_line import ProgressLine
from minbpe_course.cli.say import say
from minbpe_course.cli.shared_options import on_cluster
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import InvalidOption
from minbpe_course.resources import memory
from minbpe_course.token_files.shards import PART_SIZE, ShardProgress, encode_corpus


def encode_into_shards(args: argparse.Namespace) -> None:
    """Encode what the options of ``encode`` name into a folder."""
    if args.shards is None:
        raise InvalidOption("--shard-format, --shard-size and --dask go with --shards DIR.")
    unfit = {"-o": args.output, "--format": args.format, "--begin-with": args.begin_with, "--frame": args.frame}
    for option, value in unfit.items():
        if value:
            raise InvalidOption(f"{option} does not go with --shards, which writes files of its own kind.")
    names = sources(args.files, "encode")
    if "-" in names:
        raise InvalidOption("--shards needs files that can be read in parts, and standard input cannot: name files.")
    must_be_files(names)
    tokenizer = chosen(args, args.tokenizer, args.specials).tokenizer
    size = PART_SIZE if args.shard_size is None else memory.number_of_bytes(args.shard_size, "--shard-size")
    corpus = Corpus(*names, field=args.field, lines=args.lines, errors=args.errors)
    with on_cluster(args.dask) as engine, ProgressLine() as line:

        def show(progress: ShardProgress) -> None:
            line.show(f"{progress.shards:,} of {progress.all_shards:,} shards, {progress.tokens:,} ids")

        shards = encode_corpus(
            corpus,
            tokenizer,
            args.shards,
            engine=engine,
            format=args.shard_format or "npy",
            part_size=size,
            append=args.end_with,
            dtype=args.dtype,
            specials=args.specials,
            num_threads=threads(args.jobs),
            progress=show,
        )
    say(f"{args.shards}: {len(shards):,} shards, {shards.documents:,} documents, {shards.tokens:,} ids")
