"""SentencePiece encoding against sentencepiece: python -m benchmarks.sentencepiece_encode

Mistral's first model on documents of 1,500 characters. Ids are compared before anything is timed; then all contestants
run in one process, in turn, for five rounds. A row shows the median of the ratios to sentencepiece, one document at a
time. The texts are those that every machine has, so the numbers differ a little between Python versions.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mistral_common
import numpy as np
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from minbpe_course.corpus.texts import cldr_names, course_text, pydoc_topics, python_source

ROUNDS = 5
DOCUMENT = 1500


def texts() -> dict[str, str]:
    return {
        "English and Python code": pydoc_topics() + python_source(3_000_000),
        "names in 100+ languages, hardly a word twice": "\n".join(cldr_names().values())[:2_000_000],
        "course text, 20 scripts": course_text(),
    }


def contestants(path: Path, documents: list[str]) -> dict[str, Callable[[], object]]:
    ours = SentencePieceTokenizer(model_file=path)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    expected = theirs.encode(documents)
    assert ours.encode(documents) == expected
    assert [ours.encode(document) for document in documents] == expected
    assert np.array_equal(ours.encode_batch_to_array(documents)[0], np.concatenate([np.array(ids) for ids in expected]))
    whole = "".join(documents)
    assert ours.encode(whole) == theirs.encode(whole)
    return {
        "sentencepiece, one by one": lambda: [theirs.encode(document) for document in documents],
        "sentencepiece, batch, 2 threads": lambda: theirs.encode(documents, num_threads=2),
        "ours, lists, one by one": lambda: [ours.encode(document) for document in documents],
        "ours, arrays, one by one": lambda: [ours.encode_to_array(document) for document in documents],
        "ours, lists, batch, 1 thread": lambda: ours.encode_batch(documents, num_threads=1),
        "ours, one array, batch, 1 thread": lambda: ours.encode_batch_to_array(documents, num_threads=1),
        "ours, one array, batch, 2 threads": lambda: ours.encode_batch_to_array(documents, num_threads=2),
        "ours, one array, the whole text": lambda: ours.encode_to_array(whole),
    }


def in_turn(calls: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """The seconds of each call in each round."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for round_number in range(ROUNDS):
        # Whoever follows another finds the caches full of the other's data, so the order rotates.
        for at in range(len(names)):
            name = names[(at + round_number) % len(names)]
            start = time.perf_counter()
            calls[name]()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def main() -> None:
    path = next((Path(mistral_common.__file__).parent / "data").glob("*.model.v1"))
    print("# SentencePiece encoding against sentencepiece\n")
    print(f"`python -m benchmarks.sentencepiece_encode`, {ROUNDS} rounds in turn, median of the ratios, identical ids.")
    print(f"Python {platform.python_version()}, sentencepiece {sentencepiece.__version__}, {platform.machine()}.")
    for title, text in texts().items():
        documents = [text[at : at + DOCUMENT] for at in range(0, len(text), DOCUMENT)]
        seconds = in_turn(contestants(path, documents))
        size = len(text.encode("utf-8")) / 1e6
        base = seconds["sentencepiece, one by one"]
        print(f"\n## {title} ({size:.2f} MB)\n\n| | ratio | MB/s |\n|---|---|---|")
        for name, row in seconds.items():
            ratio = statistics.median(one / other for one, other in zip(base, row))
            print(f"| {name} | {ratio:.1f}x | {size / statistics.median(row):.1f} |")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
