"""Turn text into ids: of files or a pipe, as text, JSON or a NumPy array."""

from __future__ import annotations

import argparse

from minbpe_course.cli.shared_options import (
    DTYPES,
    FORMATS,
    SHARD_FORMATS,
    add_dask_args,
    add_document_args,
    add_file_args,
    add_jobs_args,
    add_output_args,
    add_specials_args,
    add_tokenizer_args,
)

EXAMPLES = """\
minbpe-course encode notes.txt -t gpt2
echo "Hello world" | minbpe-course encode --format json
minbpe-course encode --lines -t mine.model - < lines.txt > ids.txt
minbpe-course encode 'data/*.jsonl' --field text --end-with '<|endoftext|>' -o train.npy
minbpe-course encode 'data/**/*.jsonl.gz' --field text --shards tokens/ --dask local
  and in Python: ids = np.load("train.npy", mmap_mode="r"); where documents end is the
  second array: file = open("train.npy", "rb"); np.load(file); ends = np.load(file)
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8")
    add_tokenizer_args(parser)
    add_document_args(parser)
    add_specials_args(parser, "raise")
    parser.add_argument("--begin-with", metavar="TOKEN", help="put this special token, or id, before each document")
    parser.add_argument("--end-with", metavar="TOKEN", help="put this special token, or id, behind each document")
    parser.add_argument(
        "--frame",
        action="store_true",
        help="put round each document what the tokenizer's own file says (tokenizer.json)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="text: a document on each line; jsonl: a list on each line; json: one list of lists; npy: all ids, then "
        "where each document ends (default: by the name of the output, else text)",
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, help="of --format npy (default: uint16 where every id of the vocabulary fits)"
    )
    add_output_args(parser)
    parser.add_argument(
        "--shards",
        metavar="DIR",
        help="write token files into DIR, and a manifest.json that says what is in them: for a corpus of any size. The "
        "same line, typed again after whatever has ended it, makes what is missing",
    )
    parser.add_argument(
        "--shard-format", choices=SHARD_FORMATS, help="npy, for memory maps (default), or parquet, for everybody else"
    )
    parser.add_argument(
        "--shard-size", metavar="SIZE", help="how much text makes a shard, about: 64MB, 1GB (default: 64MiB)"
    )
    add_dask_args(parser)
    add_jobs_args(parser)


def run(args: argparse.Namespace) -> int:
    """Encode, and return 0."""
    if args.shards is not None or args.shard_format or args.shard_size or args.dask:
        from minbpe_course.cli.shard_work import encode_into_shards

        encode_into_shards(args)
    else:
        from minbpe_course.cli.encoding_work import encode

        encode(args)
    return 0
