"""Measure what scale costs, extrapolate, and write ``benchmarks/scale.md``: ``make bench-scale``.

python -m benchmarks.scale                   measure everything: about 15 minutes and 8 GB of temporary disk space
python -m benchmarks.scale --only reduced    measure one part again, and keep the last numbers of the others
python -m benchmarks.scale --again           write the page again from the last numbers
python -m benchmarks.scale --quick           use a tenth of the text, and write to build/scale/
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.places import ROOT
from benchmarks.scale import corpus, page, pictures
from benchmarks.scale.worker import run
from benchmarks.worker import versions
from minbpe_course.files import write_whole

BUILD = ROOT / "build" / "scale"
VOCABULARY = 32_768
MB = 1_000_000
# Budget in MB -> how many times as much text to count; the target is ten times.
BUDGETS = {64: 10, 128: 10, 512: 10}
Numbers = dict[str, Any]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="Measure what scale costs.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the text, and nothing of others that is slow")
    parser.add_argument("--only", default="", metavar="NAME", help="measure these parts again: " + ", ".join(PARTS))
    parser.add_argument("--again", action="store_true", help="measure nothing: write the page of the last numbers")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of everything that is compared")
    parser.add_argument("--folder", type=Path, default=BUILD, help="where the corpus and the downloads are kept")
    parser.add_argument("--price", type=float, default=0.05, help="what a core costs an hour, for the plan (0.05)")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store the numbers, and write the page."""
    options = arguments(given)
    out = BUILD if options.quick else ROOT / "benchmarks"
    kept = BUILD / ("quick.json" if options.quick else "numbers.json")
    numbers: Numbers = json.loads(kept.read_bytes()) if kept.exists() else {}
    if not options.again:
        texts = options.folder / ("corpus-quick" if options.quick else "corpus")
        limit = 100 * MB if options.quick else 1000 * MB
        numbers["sizes"] = corpus.assemble(options.folder / "wheels", texts, limit)
        work = Work(str(texts), options.rounds, limit, options.quick)
        wanted = [part for part in PARTS if not options.only or part in options.only.split(",")]
        for part in wanted:
            began, before = time.perf_counter(), report.load_average()
            found = PARTS[part](work)
            numbers[part] = found
            numbers.setdefault("load", {})[part] = [before, report.load_average()]
            numbers["versions"] = {"python": platform.python_version(), **versions()}
            BUILD.mkdir(parents=True, exist_ok=True)
            write_whole(kept, json.dumps(numbers).encode("utf-8"))
            print(f"{part}: {time.perf_counter() - began:.0f} s  {json.dumps(found)[:300]}", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    numbers["price"] = options.price
    shown = pictures.draw_all(out, numbers)
    print(write_whole(out / "scale.md", page.page(numbers, shown).encode("utf-8")))
    return 0


class Work:
    """The texts and settings of the measurements."""

    def __init__(self, folder: str, rounds: int, size: int, quick: bool) -> None:
        self.folder, self.rounds, self.size, self.quick = folder, rounds, size, quick

    def run(self, measurement: str, *, threads: int = 1, **asked: Any) -> dict[str, Any]:
        """Measure in a separate process."""
        return run(measurement, threads=threads, folder=self.folder, **asked)

    def sizes(self, *shares: float) -> list[int]:
        """Return shares of the text, in bytes."""
        return [int(self.size * share) for share in shares]


def kinds(work: Work) -> Numbers:
    return work.run("counting.by_kind", size=40 * MB, rounds=work.rounds)


def formats(work: Work) -> Numbers:
    return work.run("counting.by_format", rounds=work.rounds)


def parts(work: Work) -> Numbers:
    return work.run("counting.by_part", rounds=work.rounds)


def threads(work: Work) -> Numbers:
    return work.run("counting.two_threads", threads=2, size=work.size // 5, rounds=work.rounds)


def pre_pass(work: Work) -> Numbers:
    return work.run("peers.pre_pass", size=(2 if work.quick else 10) * MB, rounds=work.rounds)


def growth(work: Work) -> Numbers:
    return {kind: work.run("counting.growth", name=f"{kind}.txt") for kind in (*corpus.KINDS, "all")}


def trained(work: Work) -> list[Numbers]:
    asked = {"vocab_size": VOCABULARY, "rounds": 3}
    with five_times(work):
        sizes = [("all.txt", size) for size in work.sizes(1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)]
        sizes += [("five.txt", 2 * work.size), ("five.txt", 5 * work.size)]
        return [work.run("merging.trained", name=name, size=size, **asked) for name, size in sizes]


def reduced(work: Work) -> Numbers:
    return work.run("merging.reduced", sizes=work.sizes(1 / 500, 1 / 125, 1 / 33), runs=32, rounds=3)


def files(work: Work) -> Numbers:
    return work.run("merging.file_sizes", sizes=work.sizes(0.01, 0.03, 0.1, 0.3, 1))


def pruned(work: Work) -> Numbers:
    least = [2, 3, 5]
    return work.run("merging.pruned", part=1 << 25, size=work.size, vocab_size=VOCABULARY, least=least)


def tenfold(work: Work) -> Numbers:
    """Measure the memory for each budget on ten times as much text, and check that the counts do not change."""
    found: Numbers = {}
    with five_times(work):
        for budget, times in BUDGETS.items():
            asked = {"name": "five.txt", "size": (budget * times * MB) // (10 if work.quick else 1)}
            bounded = work.run("budgets.counted", budget=f"{budget}MB", threads=2, **asked)
            found[str(budget)] = [bounded, work.run("budgets.counted", budget=None, threads=2, **asked)]
    return found


def cost(work: Work) -> Numbers:
    """Measure the cost of each budget on one text."""
    found: Numbers = {}
    for _ in range(work.rounds):
        for budget in (None, *BUDGETS):
            said = None if budget is None else f"{budget}MB"
            one = work.run("budgets.counted", name="all.txt", budget=said, size=int(0.64 * work.size))
            found.setdefault(str(budget), []).append(one)
    return found


def workers(work: Work) -> Numbers:
    return work.run("cluster.workers", threads=2, size=work.size, rounds=work.rounds)


def whole(work: Work) -> Numbers:
    names = ["ours", "ours, documents", "ours, ties as in tokenizers", "rustbpe", "tokenizers 0.23"]
    found: Numbers = {}
    for name in names:
        asked = {"who": name, "size": work.size, "vocab_size": VOCABULARY}
        for _ in range(3 if name == "ours" else 1):
            found.setdefault(name, []).append(work.run("peers.whole", threads=2, **asked))
    return found


@contextlib.contextmanager
def five_times(work: Work) -> Any:
    """Write a text five times as long, and delete it afterwards."""
    made = work.run("budgets.variants")
    try:
        yield made
    finally:
        Path(work.folder, "five.txt").unlink(missing_ok=True)


PARTS: dict[str, Callable[[Work], Any]] = {
    each.__name__: each
    for each in (
        kinds,
        parts,
        formats,
        threads,
        pre_pass,
        growth,
        trained,
        reduced,
        files,
        pruned,
        tenfold,
        cost,
        workers,
        whole,
    )
}


if __name__ == "__main__":
    sys.exit(main())
