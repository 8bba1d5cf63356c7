"""Measure how fast words are counted, by kind of text, format and threads, and how many are distinct."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale.corpus import KINDS
from benchmarks.speed import Contestant, Ratio, clock_for, interleave
from minbpe_course import count_words, warm_up
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern

FORMATS = ("part.txt", "part.txt.gz", "part.txt.zst", "part.jsonl", "part.parquet")
PATTERN = "cl100k_base"
LEAST = (2, 3, 5, 10, 100)  # frequencies below which words might be dropped


def beginning(folder: str, name: str, size: int) -> str:
    """Return the first ``size`` bytes of a text, up to the last whole line."""
    with Path(folder, name).open("rb") as file:
        data = file.read(size)
    return data[: data.rindex(b"\n") + 1].decode("utf-8")


def raced(runs: dict[str, Callable[[], object]], rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Return the seconds of each function, run in turn in a rotating order after one run that is not measured."""
    for run in runs.values():
        run()
    contestants = {name: Contestant(lambda _, run=run: run()) for name, run in runs.items()}
    return interleave(contestants, rounds=rounds, least_seconds=0, clock=clock)


def by_kind(folder: str, size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Measure the processor seconds for counting and for decoding texts of each kind, and count their words."""
    warm_up()
    texts = {kind: beginning(folder, f"{kind}.txt", size) for kind in (*KINDS, "all")}
    data = {kind: text.encode("utf-8") for kind, text in texts.items()}
    clock = clock_for(1)
    counted = raced({kind: lambda t=text: count_words(t, num_threads=1) for kind, text in texts.items()}, rounds, clock)
    decoded = raced({kind: lambda d=each: d.decode("utf-8") for kind, each in data.items()}, rounds, clock)
    facts = {}
    for kind in texts:
        words = count_words(texts[kind], num_threads=1)
        facts[kind] = {
            "bytes": len(data[kind]),
            "seconds": counted[kind],
            "decoding": statistics.median(decoded[kind]),
            "distinct": len(words),
            "words": int(words.counts.sum()),
        }
    return facts


def by_part(folder: str, rounds: int, threads: int) -> dict[str, Any]:
    """Measure the processor seconds of a worker from the parts of a task to a sorted run, for each kind of text."""
    from benchmarks.scale.plan import TOGETHER
    from minbpe_course.corpus.reading import Corpus
    from minbpe_course.counting.sources import PART
    from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts

    warm_up()
    plan = CountingPlan(named_pattern(PATTERN))
    some = {kind: Corpus(Path(folder, f"{kind}.txt")).parts(plan.cutter, PART)[:-1] for kind in (*KINDS, "all")}
    some = {kind: parts[: int(TOGETHER) // PART] for kind, parts in some.items() if parts}
    seconds = raced({kind: lambda p=parts: run_of_parts(p, plan) for kind, parts in some.items()}, rounds, clock_for(1))
    return {kind: {"bytes": PART * len(parts), "seconds": seconds[kind]} for kind, parts in some.items()}


def by_format(folder: str, rounds: int, threads: int) -> dict[str, Any]:
    """Measure the processor seconds of one core for the same documents in each format, including reading."""
    from minbpe_course.corpus.reading import Corpus

    warm_up()
    options = {"part.jsonl": {"field": "text"}, "part.parquet": {"field": "text"}}
    sources = {name: Corpus(Path(folder, name), **options.get(name, {})) for name in FORMATS}
    runs = {name: lambda s=source: count_words(s, num_threads=1) for name, source in sources.items()}
    lost: dict[str, str] = {}
    wanted = runs["part.txt"]()
    for name in FORMATS:
        try:
            if dict(runs[name]()) != dict(wanted) and name == "part.txt.gz":
                lost[name] = "counted differently"
        except Exception as problem:  # a missing optional package must not stop the other formats
            lost[name] = f"{type(problem).__name__}: {problem}"[:150]
    runs = {name: run for name, run in runs.items() if name not in lost}
    seconds = raced(runs, rounds, clock_for(1))
    sizes = {name: Path(folder, name).stat().st_size for name in FORMATS}
    return {"seconds": seconds, "bytes": sizes["part.txt"], "sizes": sizes, "absent": lost}


def two_threads(folder: str, size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Measure the wall seconds of one thread and of ``threads`` threads, in turn."""
    warm_up()
    text = beginning(folder, "all.txt", size)
    runs = {str(number): lambda n=number: count_words(text, num_threads=n) for number in (1, threads)}
    return {"seconds": raced(runs, rounds, time.perf_counter), "bytes": size}


def growth(folder: str, name: str, threads: int, points_a_decade: int = 8) -> dict[str, Any]:
    """Count distinct words and their bytes, and the seconds so far, at sizes that grow by a constant factor."""
    warm_up()
    path = Path(folder, name)
    total = path.stat().st_size
    steps = int(np.log10(total / 1e6) * points_a_decade)
    targets = [total / 10 ** ((steps - step) / points_a_decade) for step in range(steps + 1)]
    counter = WordCounter(Splitter(named_pattern(PATTERN)), num_threads=1)
    found: dict[str, list[float]] = {"bytes": [], "distinct": [], "kept": [], "words": [], "seconds": []}
    found |= {f"from {least}": [] for least in LEAST}
    clock, read, seconds = clock_for(1), 0, 0.0
    with path.open("rb") as file:
        for target in targets:
            while read < target - 1000:
                data = file.read(min(16_000_000, int(target) - read)) + file.readline()
                text = data.decode("utf-8")
                began = clock()
                counter.add(text)
                seconds += clock() - began
                read += len(data)
            table = counter.counts()
            found["bytes"].append(read)
            found["distinct"].append(len(table))
            found["kept"].append(int(table.ends[-1]))
            found["words"].append(int(table.counts.sum()))
            found["seconds"].append(seconds)
            for least in LEAST:
                found[f"from {least}"].append(int((table.counts >= least).sum()))
    return {**found, "rare": rare(table), "ranks": ranks(table)}


def rare(words: WordCounts) -> dict[str, dict[str, int]]:
    """Return what dropping words below each frequency removes: words, occurrences and bytes of text."""
    lengths = np.diff(words.ends, prepend=0)
    found = {}
    for least in LEAST:
        gone = words.counts < least
        found[str(least)] = {
            "words": int(gone.sum()),
            "occurrences": int(words.counts[gone].sum()),
            "bytes": int((lengths * words.counts)[gone].sum()),
        }
    return found


def ranks(words: WordCounts, points: int = 160) -> dict[str, list[int]]:
    """Return the counts at ranks that grow by a constant factor."""
    ordered = np.sort(words.counts)[::-1]
    at = np.unique(np.geomspace(1, len(ordered), points).astype(np.int64))
    return {"rank": at.tolist(), "count": ordered[at - 1].tolist()}


def ratio(seconds: dict[str, list[float]], slow: str, fast: str) -> Ratio:
    """Return how many times as fast ``fast`` is, round by round."""
    return Ratio.of([one / other for one, other in zip(seconds[slow], seconds[fast])])
