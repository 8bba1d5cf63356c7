"""How long training takes beside rustbpe and tokenizers: one thread each, the same merges, side by side in one process.

    python -m benchmarks.train                 print the table
    python -m benchmarks.train --keep          ... and store it as benchmarks/train.md

Every contestant gets the same str and returns a trained model; the time is that of the whole call, splitting and
counting included. Rounds are interleaved, so a slow minute of the machine hits all of them; a ratio is the median of
the ratios of the rounds. Before anything is timed, our merges are compared with the contestant's. Needs the `test`
extra (rustbpe, tokenizers).

The texts are on every machine: the text of the course, Python's help pages, the sources of Python's standard library.
The last two differ between versions of Python, so compare ratios, not seconds, with another machine's.
"""

from __future__ import annotations

import os

# Read by both Rust libraries and by Numba when they start, so it comes before their imports.
os.environ.update(RAYON_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", NUMBA_NUM_THREADS="1")

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import rustbpe
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from minbpe_course.corpus.texts import course_text, pydoc_topics, python_source
from minbpe_course.files import write_whole
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.basic import BasicTokenizer
from minbpe_course.trainers.byte_pair import train

RESULT = Path(__file__).with_suffix(".md")
ROUNDS = 5


def ours(text: str, vocab_size: int, tie_break: str) -> list[bytes]:
    model = train(text, vocab_size, pattern=GPT4_SPLIT_PATTERN, tie_break=tie_break)
    return [model.token_bytes[token_id] for token_id in model.merge_ids]


def run_ours(text: str, vocab_size: int) -> object:
    return train(text, vocab_size, pattern=GPT4_SPLIT_PATTERN, tie_break="smallest-pair")


def run_rustbpe(text: str, vocab_size: int) -> rustbpe.Tokenizer:
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter([text]), vocab_size, pattern=GPT4_SPLIT_PATTERN)
    return tokenizer


def run_tokenizers(text: str, vocab_size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(GPT4_SPLIT_PATTERN), behavior="isolated")
    to_printable = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_printable])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def rustbpe_tokens(tokenizer: rustbpe.Tokenizer) -> list[bytes]:
    ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
    return [ranks[token_id] for token_id in range(256, len(ranks))]


def tokenizers_tokens(tokenizer: Tokenizer) -> list[bytes]:
    # Its alphabet writes each byte as one character; sorted, these characters stand for the bytes of this list.
    prints = [*range(33, 127), *range(161, 173), *range(174, 256)]
    bytes_in_order = prints + [byte for byte in range(256) if byte not in prints]
    byte_of = dict(zip(sorted(pre_tokenizers.ByteLevel.alphabet()), bytes_in_order))
    vocab = tokenizer.get_vocab()
    return [bytes(map(byte_of.__getitem__, token)) for token in sorted(vocab, key=vocab.__getitem__)[256:]]


def seconds(run: Callable[[str, int], object], text: str, vocab_size: int) -> float:
    began = time.perf_counter()
    made = run(text, vocab_size)
    taken = time.perf_counter() - began
    del made
    return taken


def row(name: str, text: str, vocab_size: int) -> str:
    """Check, measure, and return one line of the table."""
    peers = {"rustbpe": run_rustbpe, "tokenizers": run_tokenizers}
    if ours(text, vocab_size, "smallest-pair") != rustbpe_tokens(run_rustbpe(text, vocab_size)):
        sys.exit(f"{name}, {vocab_size}: the merges are not those of rustbpe; a time would mean nothing.")
    if ours(text, vocab_size, "huggingface") != tokenizers_tokens(run_tokenizers(text, vocab_size)):
        sys.exit(f"{name}, {vocab_size}: the merges are not those of tokenizers; a time would mean nothing.")

    taken: dict[str, list[float]] = {"ours": [], **{peer: [] for peer in peers}}
    for _ in range(ROUNDS):
        for contestant, run in {"ours": run_ours, **peers}.items():
            taken[contestant].append(seconds(run, text, vocab_size))

    size = len(text.encode("utf-8")) / 1e6
    line = f"| {name}, {size:.2f} MB | {vocab_size:,} | {statistics.median(taken['ours']):.3f} s "
    for peer in peers:
        ratios = [theirs / mine for theirs, mine in zip(taken[peer], taken["ours"])]
        line += f"| {statistics.median(taken[peer]):.3f} s | **{statistics.median(ratios):.1f}x** "
        line += f"({min(ratios):.1f}-{max(ratios):.1f}) "
    return line + "|"


def table() -> str:
    help_pages = pydoc_topics()
    texts = {
        "course text": (course_text(), [512, 4096]),
        "help pages": (help_pages, [512, 4096]),
        "help pages, repeated": (help_pages * 12, [4096]),
        "standard library": (python_source(10_000_000), [512, 4096, 32768]),
    }
    lines = [
        "| text | vocabulary | ours | rustbpe | ratio (range) | tokenizers | ratio (range) |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (text, sizes) in texts.items():
        for vocab_size in sizes:
            lines.append(row(name, text, vocab_size))
            print(lines[-1], flush=True)
    return "\n".join(lines)


def first_call_note() -> str:
    """Compile or load the kernels, and say how long that took: nothing of it is in the table."""
    began = time.perf_counter()
    BasicTokenizer().train("aaabdaaabac", 259)
    run_ours("the first call", 260)
    taken = time.perf_counter() - began
    return f"The first call, which compiles the kernels or loads them from disk, took {taken:.1f} s."


def main() -> None:
    parser = argparse.ArgumentParser(description="Time training beside rustbpe and tokenizers.")
    parser.add_argument("--keep", action="store_true", help=f"store the result as {RESULT.name}")
    options = parser.parse_args()

    note = first_call_note()
    result = table()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "rustbpe", "tokenizers"))
    text = f"""# Training: this course beside rustbpe and tokenizers

One thread each, same process, interleaved rounds, median of {ROUNDS}; whole calls from str to model. A ratio above 1
means that this course is faster. In every row the merges were first found equal to those of both. The split pattern is
GPT-4's.

{result}

{note} Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; {versions}.
Repeat it with `python -m benchmarks.train --keep`.
"""
    print(text)
    if options.keep:
        write_whole(RESULT, text.encode("utf-8"))


if __name__ == "__main__":
    main()
