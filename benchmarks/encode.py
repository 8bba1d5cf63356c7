"""Encoding against tiktoken: python -m benchmarks.encode

Both encode the same texts in one process, in turn, five rounds; a row shows the median of the rounds' ratios. The ids
are compared before anything is timed. The texts are those that every machine has, so the numbers differ a little
between Python versions.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import tiktoken

from minbpe_course import get_encoding, use_bundled_vocabularies, warm_up
from minbpe_course.corpus.texts import cldr_names, course_text, pydoc_topics, python_source

ROUNDS = 5
NAMES = ("gpt2", "cl100k_base", "o200k_base")


def texts() -> dict[str, str]:
    return {
        "English and Python code": pydoc_topics() + python_source(8_000_000),
        "names in 100+ languages, hardly a word twice": "\n".join(cldr_names().values()),
        "course text, 20 scripts": course_text(),
    }


def in_turn(calls: Sequence[Callable[[], object]]) -> list[list[float]]:
    """The seconds of each call in each round."""
    seconds: list[list[float]] = [[] for _ in calls]
    for round_number in range(ROUNDS):
        # Whoever follows another finds the caches full of the other's data, so the order rotates.
        for at in range(len(calls)):
            which = (at + round_number) % len(calls)
            start = time.perf_counter()
            calls[which]()
            seconds[which].append(time.perf_counter() - start)
    return seconds


def row(name: str, text: str) -> str:
    theirs, ours = tiktoken.get_encoding(name), get_encoding(name)
    ids = theirs.encode_ordinary(text)
    if not np.array_equal(ours.encode_to_numpy(text, disallowed_special=()), ids):
        raise SystemExit(f"{name}: the ids differ; there is nothing to time")
    if ours.decode_bytes(ids) != text.encode("utf-8"):
        raise SystemExit(f"{name}: the text does not come back; there is nothing to time")
    calls = [
        lambda: theirs.encode_ordinary(text),
        lambda: ours.encode_to_numpy(text, disallowed_special=()),
        lambda: ours.encode_ordinary(text),
        lambda: theirs.decode(ids),
        lambda: ours.decode(ids),
    ]
    tiktoken_, array, listed, their_decode, our_decode = in_turn(calls)
    speed = len(text.encode("utf-8")) / 1e6 / statistics.median(array)

    def ratio(slow: list[float], fast: list[float]) -> str:
        return f"{statistics.median(a / b for a, b in zip(slow, fast)):.1f}x"

    cells = [
        name,
        ratio(tiktoken_, array),
        ratio(tiktoken_, listed),
        f"{speed:.0f} MB/s",
        ratio(their_decode, our_decode),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    use_bundled_vocabularies()
    warm_up()
    lines = [
        "# Encoding and decoding against tiktoken",
        "",
        f"`python -m benchmarks.encode`, one thread, {ROUNDS} interleaved rounds, median of the ratios, identical ids.",
        f"Python {platform.python_version()}, tiktoken {tiktoken.__version__}, {platform.machine()}. "
        "Ratios, not seconds: the machine was shared.",
    ]
    for title, text in texts().items():
        lines += ["", f"## {title} ({len(text.encode('utf-8')) / 1e6:.2f} MB)", ""]
        lines += ["| vocabulary | to array | to list | array | list of ids to text |", "|---|---|---|---|---|"]
        for name in NAMES:
            lines.append(row(name, text))
            print(title, lines[-1], file=sys.stderr)
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
