"""Compare training in stages, as in SuperBPE, with BPE: python -m benchmarks.stages [MEGABYTES] [--write]

Both are trained on nine tenths of the text "big" and encode the tenth that was held out. The calls of ``train`` are
timed in turn. ``--write`` writes the result to stages.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import texts
from minbpe_course import Encoding, train

WORDS = "cl100k_base"
ROUNDS = 5
BLOCK = 1_000_000

# For each vocabulary size, the transitions and the share of tokens that the paper's model saves compared with BPE. The
# authors' model cards say that contexts of 3,000 and 2,756 tokens hold as much text as 4,096 tokens of BPE.
SIZES = {32_768: {26_000: None, 16_000: None}, 200_000: {180_000: 1 - 3000 / 4096, 80_000: 1 - 2756 / 4096}}


def parts(text: str, block: int = BLOCK) -> tuple[str, str]:
    """Return the text without every tenth block, and these blocks.

    >>> parts("0123456789abcdefghij", block=1)
    ('012345678abcdefghi', '9j')
    """
    blocks = [text[start : start + block] for start in range(0, len(text), block)]
    return "".join(each for at, each in enumerate(blocks) if at % 10 != 9), "".join(blocks[9::10])


def rows(trained: str, held: str, sizes: dict[int, dict[int, float | None]] = SIZES) -> Iterator[Sequence[str]]:
    """Yield the rows of the table, as strings, in the order of its columns."""
    train(trained[:BLOCK], 1_000, stages=[(500, WORDS)])  # compiles
    for size, transitions in sizes.items():
        ways = {None: {"pattern": WORDS}} | {at: {"stages": [(at, WORDS)]} for at in transitions}
        took: dict[int | None, list[float]] = {way: [] for way in ways}
        models = {}
        for _ in range(ROUNDS):
            for way, options in ways.items():
                start = time.perf_counter()
                models[way] = train(trained, size, **options)
                took[way].append(time.perf_counter() - start)
        tokens = {way: len(Encoding.from_model(model).encode_ordinary(held)) for way, model in models.items()}
        for way, number in tokens.items():
            length = f"{len(held.encode('utf-8')) / number:.2f}"
            if way is None:
                yield f"{size:,}", "BPE", length, "", "", "", "1"
                continue
            ratios = [mine / bpe for mine, bpe in zip(took[way], took[None])]
            paper = transitions[way]
            more, fewer = f"{tokens[None] / number - 1:+.1%}", f"{1 - number / tokens[None]:.1%}"
            said = "" if paper is None else f"{paper:.1%}"
            yield f"{size:,}", f"{way:,}", length, more, fewer, said, f"{statistics.median(ratios):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages")
    parser.add_argument("megabytes", nargs="?", type=int, default=110)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    trained, held = parts(texts.big(args.megabytes * 1_000_000))
    page = "\n".join(
        [
            "# Tokens of several words",
            "",
            f"`python -m benchmarks.stages`: trained on {len(trained.encode('utf-8')) / 1e6:.0f} MB of code, "
            f"documentation and messages, {len(held.encode('utf-8')) / 1e6:.0f} MB held out; words of {WORDS}, phrases "
            'of "superwords". The last column says how many times as long `train` takes: median of '
            f"{ROUNDS} rounds, on {os.cpu_count()} cores, Python "
            f"{platform.python_version()}, {platform.system()} {re.split('[-+]', platform.release())[0]}.",
            "",
            "| tokens | transition | bytes per token | more than BPE | fewer tokens | fewer in the paper | time |",
            "|---|---|---|---|---|---|---|",
            *(f"| {' | '.join(row)} |" for row in rows(trained, held)),
            "",
            "The paper is [SuperBPE](https://arxiv.org/abs/2503.13423) (Liu and others, 2025). Its models were trained "
            "and measured on other texts. Their model cards say nothing about 32,768 tokens.",
        ]
    )
    print(page)
    if args.write:
        Path(__file__).with_suffix(".md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
