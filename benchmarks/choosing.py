"""Write the page that says where other libraries are faster than this course, and when to choose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.findings import Findings
from benchmarks.lines import Line, times
from benchmarks.report import table

NAME = "choosing.md"

ABOUT = """# Where other libraries are faster

This page is written with [the results](results.md), from the same run: `{command}`. Every number is one of that page's
results: how many times as long the other library takes, or how many times as much memory, as the median of the rounds.
**Below 1 the other library is better.** The first table names each library and what speaks for it. The second lists
every row in which another one was better, whether or not it matters to you.
"""

AFTER = """## What no row shows

* This course compiles its kernels with Numba when a machine uses them for the first time. The others come compiled.
  If a process encodes a few short texts and ends, choose one of them: see the rows of the start-up.
* It is measured on one machine with few cores. How a library scales to a hundred cores is not measured here.
* It does not read WordPiece models (BERT).
* It needs Python, NumPy and Numba. Most of the others have a core in Rust or C++ that works without Python.
"""


@dataclass(frozen=True)
class Library:
    """A library, and what speaks for it.

    name : how the names of its contestants begin
    package : its name on PyPI
    place : the environment it is measured in
    """

    name: str
    package: str
    place: str
    best_at: str
    choose: str


LIBRARIES = (
    Library(
        "gigatoken", "gigatoken", "next",
        "large files on many cores (24.5 GB/s on 144 cores, says its README); long English texts; Parquet and JSONL",
        "you encode whole corpora with a published vocabulary on a large Linux server, and the ids fit in memory",
    ),
    Library(
        "fastokens", "fastokens", "next",
        "serving: it replaces the tokenizer inside transformers, and can remember the segments of earlier prompts",
        "you run transformers or vLLM and want to change one line",
    ),
    Library(
        "snaptokens", "snaptokens", "next",
        "serving, like fastokens, of which it is a faster fork; it can keep a file that loads faster than JSON",
        "you run transformers and start processes all the time",
    ),
    Library(
        "tokenizers 1.0", "tokenizers", "next",
        "every kind of model that a `tokenizer.json` can have, WordPiece and Unigram too",
        "you use models of all kinds from Hugging Face. It is a pre-release, without training and offsets",
    ),
    Library(
        "tokenizers 0.23", "tokenizers", "peers",
        "the same, offsets into the text, and training; transformers needs it",
        "you train WordPiece or Unigram models for transformers",
    ),
    Library(
        "tiktoken", "tiktoken", "peers",
        "starting: it is small and compiles nothing. It has OpenAI's new encodings first",
        "you count the tokens of a few prompts for OpenAI's models",
    ),
    Library(
        "sentencepiece", "sentencepiece", "peers",
        "its own format: every option of training and sampling; C++ and other languages",
        "you need the original, or a language other than Python",
    ),
    Library(
        "splintr-rs", "splintr-rs", "next",
        "strings of a few characters; 18 vocabularies inside the wheel; GGUF files (in Rust)",
        "you encode millions of tiny strings one by one, or want the vocabulary of a model without its file",
    ),
    Library(
        "quicktok", "quicktok-v1", "peers",
        "strings of a few characters, and starting",
        "you encode tiny strings one by one with a vocabulary of OpenAI, Llama 3 or Qwen",
    ),
    Library(
        "kitoken", "kitoken", "next",
        "one small library for the files of SentencePiece, tokenizers, tiktoken and tekken, also in a browser and Node",
        "you need the same ids in Python and in JavaScript",
    ),
    Library(
        "rustbpe", "rustbpe", "peers",
        "training in a few hundred lines of Rust, without a compiler at run time",
        "you train nanochat's tokenizer as nanochat does",
    ),
)  # fmt: skip


def page(found: Findings) -> str:
    """Return the whole page."""
    lines = [line for line in found.lines() if line.ratio is not None]
    parts = [ABOUT.format(command=found.command), "## Who is best at what", _libraries(found, lines)]
    parts += ["## Where another library was better", _better(lines), AFTER]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def of_library(line: Line) -> str:
    """Return the name of the library that a line compares with, which is what its contestant's name begins with."""
    return line.against.partition(",")[0]


def _libraries(found: Findings, lines: Sequence[Line]) -> str:
    rows = []
    for library in LIBRARIES:
        ratios = [line.ratio for line in lines if of_library(line) == library.name and line.ratio is not None]
        better = sum(ratio < 1 for ratio in ratios)
        measured = (
            f"{better} of {len(ratios)}, {times(min(ratios))} to {times(max(ratios))}" if ratios else "not measured"
        )
        version = found.versions.get(library.place, {}).get(library.package, "not installed")
        rows.append([library.name.partition(" ")[0], version, library.best_at, library.choose, measured])
    return table(["library", "version", "best at", "choose it when", "rows in which it is better"], rows)


def _better(lines: Sequence[Line]) -> str:
    rows = [
        [line.section, line.title, line.ours, line.against, line.result]
        for line in sorted(lines, key=lambda line: line.ratio or 0)
        if line.ratio is not None and line.ratio < 1 and not line.against.startswith("ours")
    ]
    return table(["work", "on what", "ours", "compared with", "result"], rows) if rows else "None, in this run."
