"""Options that mean the same in every verb that works on files: each is declared here, once."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

from minbpe_course.cli.convert import add_source_args

DEFAULT_TOKENIZER = "cl100k_base"

# How ids are written and read.
FORMATS = ("text", "jsonl", "json", "npy")
DTYPES = ("uint16", "uint32")
SHARD_FORMATS = ("npy", "parquet")

# The spelling of show is understood, too.
TOKENIZER = ("-t", "--tokenizer", "--encoding", "--model")


def add_file_args(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the files to read; what : what stands in them."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=f"{what}; a pattern such as 'data/**/*.txt' means all it matches; - (or nothing, in a pipe) is standard "
        "input; text that is compressed (gz, bz2, xz, zst) is unpacked",
    )


def add_tokenizer_args(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Declare which tokenizer is meant, or which several, and how to read a file that does not say everything."""
    parser.add_argument(
        *TOKENIZER,
        metavar="NAME_OR_PATH",
        dest="tokenizers" if several else "tokenizer",
        action="append" if several else "store",
        default=None if several else DEFAULT_TOKENIZER,
        help=f"a bundled encoding, or a tokenizer's file in any format (default: {DEFAULT_TOKENIZER})"
        + ("; may be repeated" if several else ""),
    )
    add_source_args(parser)


def add_document_args(parser: argparse._ActionsContainer) -> None:
    """Declare what a document is, and what becomes of bytes that are no text."""
    parser.add_argument(
        "--lines", action="store_true", help="each line is a document, without its line end (default: each file is one)"
    )
    parser.add_argument(
        "--field",
        metavar="NAME",
        help="each line is a JSON object (.jsonl), and the text under NAME is a document; of a table (.parquet), the "
        "column NAME",
    )
    parser.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="what becomes of bytes that are no UTF-8: strict stops there (default), replace makes each U+FFFD",
    )


def add_specials_args(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare what becomes of special tokens in the text."""
    parser.add_argument(
        "--specials",
        choices=("raise", "none", "all"),
        default=default,
        help="special tokens in the text: raise stops there, none takes them as ordinary text, all gives their ids "
        f"(default: {default}; SentencePiece models decide themselves)",
    )


def add_jobs_args(parser: argparse.ArgumentParser) -> None:
    """Declare how many threads work."""
    parser.add_argument(
        "-j",
        "--jobs",
        "--threads",
        type=int,
        default=0,
        metavar="N",
        dest="jobs",
        help="how many threads work (default: one for each core, up to 8); the result is the same",
    )


def add_dask_args(parser: argparse._ActionsContainer) -> None:
    """Declare on which cluster the work is done; ``on_cluster`` gives it."""
    parser.add_argument(
        "--dask",
        metavar="CLUSTER",
        help="work on a Dask cluster: local starts a process for each core of this machine, tcp://host:8786 is a "
        "scheduler that runs already, whose workers see the files under the same names (default: threads of this "
        "process); the result is the same",
    )


def on_cluster(dask: str | None) -> contextlib.AbstractContextManager[Any]:
    """Give what ``--dask`` names as an engine, None where nothing is; what was started for it ends with the block.

    Raises InvalidOption, MissingPackage, ClusterProblem.
    """
    if dask is None:
        return contextlib.nullcontext()
    from minbpe_course.counting.cluster.dask_engine import cluster

    return cluster(dask)


def add_counting_args(parser: argparse._ActionsContainer) -> None:
    """Declare how words are counted where there is much to count."""
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        help="count within so much memory: 64MB, 2GB; what does not fit is on disk for a while. The result is the same",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="keep the state of the work in this folder: however it was ended, the same command goes on from there",
    )
    add_dask_args(parser)
    parser.add_argument(
        "--clean",
        action="append",
        default=[],
        metavar="FILTERS",
        help="take out of each line what is no text worth learning from: urls, hex, base64, repeats, pipes, "
        "whitespace, or several with commas between them, in their order (default: nothing)",
    )


def add_output_args(parser: argparse.ArgumentParser) -> None:
    """Declare where the result goes."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write into FILE, which is there when it is whole (default, and -: standard output)",
    )
