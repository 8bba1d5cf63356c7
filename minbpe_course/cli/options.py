"""Declare the options that mean the same in several verbs, and turn them into tokenizers, engines and arguments."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.terminal import tell
from minbpe_course.errors import InvalidOption, MissingPattern, NotApplied
from minbpe_course.resources.threads import cores

if TYPE_CHECKING:
    from minbpe_course.learning.judge.catalogue import Collection
    from minbpe_course.token_files.any_tokenizer import AnyTokenizer

DEFAULT_TOKENIZER = "cl100k_base"

MODEL_FORMATS = ("minbpe", "gpt2", "tiktoken", "huggingface", "sentencepiece", "tekken", "wordpiece", "gguf")
ID_FORMATS = ("text", "jsonl", "json", "npy")


# One thread reads and writes for all of them and cannot keep more busy; each has its own tables.
MOST_THREADS = 8


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number which is not smaller than ``least``."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is below {least}")
        return int(text)

    return number


def typed_text(text: str) -> str:
    """Return the text of an argument that is not a file name, which a locale without UTF-8 has not decoded."""
    try:
        return os.fsencode(text).decode("utf-8") if re.search("[\ud800-\udfff]", text) else text
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8") from None


def add_file_args(parser: argparse.ArgumentParser, content: str) -> None:
    """Declare the files to read; content : their contents, in words for the help."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=f"{content}; a pattern such as 'data/**/*.txt' means all it matches; - (or nothing, in a pipe) is "
        "standard input; compressed text (gz, bz2, xz, zst) is unpacked",
    )


def add_tokenizer_arg(parser: argparse.ArgumentParser, *, several: bool, default: str = DEFAULT_TOKENIZER) -> None:
    """Declare which tokenizer to use, or which several; default : its name in the help."""
    parser.add_argument(
        "-t",
        "--tokenizer",
        "--encoding",
        "--model",
        metavar="NAME_OR_PATH",
        dest="tokenizers" if several else "tokenizer",
        action="append" if several else "store",
        default=None if several else DEFAULT_TOKENIZER,
        help=f"a bundled encoding, or a tokenizer's file in any format (default: {default})"
        + ("; may be repeated" if several else ""),
    )


def add_tokenizer_args(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Declare which tokenizer to use, or which several, and how to read a file that lacks some facts."""
    add_tokenizer_arg(parser, several=several)
    add_source_args(parser)


def add_source_args(parser: argparse.ArgumentParser) -> None:
    """Declare how to read a tokenizer's file that lacks some facts."""
    parser.add_argument(
        "--from", dest="source_format", choices=MODEL_FORMATS, help="the format to read (default: found in the file)"
    )
    parser.add_argument(
        "--pattern",
        type=typed_text,
        metavar="NAME_OR_REGEX",
        help="how text is split: gpt2, cl100k_base, o200k_base, a regex, or none",
    )
    parser.add_argument(
        "--special",
        type=typed_text,
        action="append",
        default=[],
        metavar="TEXT=ID",
        help="a special token and its id; may be repeated, and replaces those in the file",
    )


def source_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the pattern and the special tokens that the options of ``add_source_args`` give. Raises InvalidOption."""
    options: dict[str, Any] = {}
    if args.pattern is not None:
        options["pattern"] = None if args.pattern == "none" else args.pattern
    specials: dict[str, int] = {}
    for each in args.special:
        text, _, number = each.rpartition("=")
        if not text or not (number.isascii() and number.isdigit()):
            raise InvalidOption(f"--special {each!r} is not TEXT=ID; for example: --special '<|endoftext|>=50256'")
        if text in specials:
            raise InvalidOption(f"--special names {text!r} twice.")
        specials[text] = int(number)
    if specials:
        options["special_tokens"] = specials
    return options


def refuse(options: Mapping[str, object], message: str) -> None:
    """Raise InvalidOption for the first option that was given; ``message`` has ``{}`` where its name goes."""
    for option, value in options.items():
        if value:
            raise InvalidOption(message.replace("{}", option))


def chosen(args: argparse.Namespace, name: str, specials: str = "none", *, several: bool = False) -> AnyTokenizer:
    """Return the tokenizer with this name or path, read with the options of ``add_tokenizer_args``.

    several : it is one of many, so the pattern and special tokens apply only to a file that lacks them. Raises the
    errors of ``load_tokenizer``.
    """
    from minbpe_course.token_files.any_tokenizer import any_tokenizer
    from minbpe_course.tokenizers.loading import load_tokenizer

    options = {"format": args.source_format, **source_options(args)}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", NotApplied)
        try:
            tokenizer = load_tokenizer(name, **({} if several else options))
        except MissingPattern:
            tokenizer = load_tokenizer(name, **options)
    for note in noted:
        tell(f"minbpe-course: {note.message}")
    return any_tokenizer(tokenizer, name, specials)


NEXT_TO_THE_FILE = (
    "{} cannot go with an assignment: exercises of your own are found in the folder checks next to its file. Put the "
    "file there, for those of homework/checks as homework/hw1.toml."
)


def add_exercises_arg(parser: argparse.ArgumentParser) -> None:
    """Declare the folders with a teacher's exercises; ``use_exercises_arg`` adds them to those of the course."""
    parser.add_argument(
        "--exercises",
        action="append",
        default=[],
        metavar="FOLDER",
        help="a folder with exercises of your own: its files checks/LESSON/NAME.py are run here; may be repeated",
    )


def use_exercises_arg(args: argparse.Namespace) -> tuple[Collection, ...]:
    """Add the exercises in the folders that ``--exercises`` names, and return their collections. Raises MissingFile."""
    from minbpe_course.learning.judge.catalogue import add_collection

    return tuple(add_collection(folder, "--exercises homework") for folder in args.exercises)


def exercises_as_typed(args: argparse.Namespace) -> str:
    """Return what the next command needs so that it knows the same exercises, with a space first."""
    return "".join(f' --exercises "{each}"' if " " in each else f" --exercises {each}" for each in args.exercises)


def add_document_args(parser: argparse._ActionsContainer) -> None:
    """Declare what a document is, and how to treat bytes that are not UTF-8."""
    parser.add_argument(
        "--lines", action="store_true", help="each line is a document, without its line end (default: each file is one)"
    )
    parser.add_argument(
        "--field",
        type=typed_text,
        metavar="NAME",
        help="each line is a JSON object (.jsonl), and the text under NAME is a document; of a table (.parquet), the "
        "column NAME; .txt, .text and .md are plain text",
    )
    parser.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: strict stops there (default), replace turns each into U+FFFD",
    )


def add_specials_args(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare how to treat special tokens in the text."""
    parser.add_argument(
        "--specials",
        choices=("raise", "none", "all"),
        default=default,
        help="special tokens in the text: raise stops there, none takes them as ordinary text, all gives their ids "
        f"(default: {default}; SentencePiece models decide themselves)",
    )


def add_jobs_args(parser: argparse.ArgumentParser) -> None:
    """Declare the number of threads."""
    parser.add_argument(
        "-j",
        "--jobs",
        "--threads",
        type=at_least(0),
        default=0,
        metavar="N",
        dest="jobs",
        help="number of threads (default: one for each core, up to 8); the result is the same",
    )


def threads(jobs: int) -> int:
    """Return the number of threads that ``--jobs`` means: one for each core, at most MOST_THREADS, by default."""
    return jobs or min(cores(), MOST_THREADS)


def add_dask_args(parser: argparse._ActionsContainer) -> None:
    """Declare the Dask cluster to work on; ``on_cluster`` opens it."""
    parser.add_argument(
        "--dask",
        metavar="CLUSTER",
        help="work on a Dask cluster: local starts a process for each core of this machine, tcp://host:8786 is a "
        "running scheduler, whose workers see the files under the same names (default: threads of this process); the "
        "result is the same",
    )


def on_cluster(dask: str | None) -> contextlib.AbstractContextManager[Any]:
    """Give the cluster that ``--dask`` names as an engine, or None; a cluster that was started ends with the block.

    Raises InvalidOption, MissingPackage, ClusterProblem.
    """
    if dask is None:
        return contextlib.nullcontext()
    from minbpe_course.counting.cluster.dask_engine import cluster

    return cluster(dask)


def add_counting_args(parser: argparse._ActionsContainer) -> None:
    """Declare how to count the words of a large corpus."""
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        help="count within this much memory: 64MB, 2GB; the rest goes to temporary files. The result is the same",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="save the state of the work in this folder: after an interruption, the same command continues from there",
    )
    add_dask_args(parser)


def add_output_args(parser: argparse.ArgumentParser) -> None:
    """Declare where the result goes."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to FILE, which appears only when it is complete (default, and -: standard output)",
    )
