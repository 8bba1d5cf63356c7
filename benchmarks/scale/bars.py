"""List the targets and what was measured for each."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.report import table
from benchmarks.speed import Ratio

Numbers = Mapping[str, Any]


def bars(numbers: Numbers) -> str:
    """Return a table with one line for each target."""
    rows = []
    for says, bar, check in BARS:
        try:
            measured, reached = check(numbers)
            rows.append([says, bar, measured, "yes" if reached else "NO"])
        except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError):
            rows.append([says, bar, "not measured", ""])
    return "## The bars\n\n" + table(["what", "bar", "measured", "reached"], rows)


def _pre_pass(numbers: Numbers) -> tuple[str, bool]:
    slowest = {}
    for kind, found in numbers["pre_pass"].items():
        seconds = found["seconds"]
        slowest[kind] = Ratio.of([a / b for a, b in zip(seconds["tokenizers 0.23"], seconds["ours"])]).median
    kind = min(slowest, key=slowest.__getitem__)
    return f"{slowest['all']:.0f} times; lowest on {kind} text, {slowest[kind]:.0f}", slowest[kind] >= 8


def _load(numbers: Numbers) -> str:
    """Return the load of the machine: two workers are faster than one only if there are idle cores."""
    load = numbers["load"].get("workers")
    return f"; load average {' to '.join(each.split(',')[0] for each in load)}" if load else ""


def _two(slow: str, fast: str, least: float) -> Callable[[Numbers], tuple[str, bool]]:
    def check(numbers: Numbers) -> tuple[str, bool]:
        seconds = numbers["workers"]["seconds"]
        found = Ratio.of([a / b for a, b in zip(seconds[slow], seconds[fast])])
        return f"{found.median:.2f} ({found.low:.2f} to {found.high:.2f}){_load(numbers)}", found.median >= least

    return check


def _overhead(numbers: Numbers) -> tuple[str, bool]:
    seconds = numbers["workers"]["seconds"]
    found = Ratio.of([a / b - 1 for a, b in zip(seconds["2 workers"], seconds["2 threads"])])
    said = f"{100 * found.median:+.0f} % ({100 * found.low:+.0f} to {100 * found.high:+.0f}){_load(numbers)}"
    return said, found.median < 0.15


def _gigabyte(numbers: Numbers) -> tuple[str, bool]:
    ours = numbers["whole"]["ours"]
    seconds = statistics.median(one["seconds"] for one in ours)
    peak = max(one["peak"] for one in ours)
    return f"{seconds:.1f} s, {peak / 1000:.2f} GB at most", seconds < 90 and peak < 1500


def _compared(who: str, twin: str) -> Callable[[Numbers], tuple[str, bool]]:
    def check(numbers: Numbers) -> tuple[str, bool]:
        theirs = numbers["whole"][who][0]
        if "lost" in theirs:
            return f"not measured: {theirs['lost']}", False
        mine = numbers["whole"]["ours"]
        same = numbers["whole"][twin][0]["digest"] == theirs["digest"]
        ratio = theirs["seconds"] / statistics.median(one["seconds"] for one in mine)
        said = f"{theirs['seconds']:.0f} s and {theirs['peak'] / 1000:.2f} GB: {ratio:.1f} times as long; "
        return said + ("the same tokens" if same else "OTHER tokens"), same

    return check


def _budget(budget: str) -> Callable[[Numbers], tuple[str, bool]]:
    def check(numbers: Numbers) -> tuple[str, bool]:
        bounded, free = numbers["tenfold"][budget]
        ratio = bounded["peak"] / int(budget)
        grew = (bounded["peak"] - bounded["before"]) / int(budget)
        same = bounded["sha256"] == free["sha256"]
        said = f"{ratio:.2f} times for the whole process, {grew:.2f} times for what counting added; counts "
        within = ratio <= 1.2 or grew <= 1.2
        return said + ("equal to those without a budget" if same else "NOT equal"), within and same

    return check


BARS: list[tuple[str, str, Callable[[Numbers], tuple[str, bool]]]] = [
    ("counting on one core compared with the pass of tokenizers' trainer over the text", "8 times", _pre_pass),
    ("two workers compared with one", "1.6 times", _two("1 worker", "2 workers", 1.6)),
    ("Dask compared with the same work without it, two cores, wall-clock time", "15 % more", _overhead),
    ("1 GB of text to a vocabulary of 32,768, two cores", "90 s, 1.5 GB", _gigabyte),
    ("the same with rustbpe", "reported", _compared("rustbpe", "ours, documents")),
    ("the same with tokenizers 0.23", "reported", _compared("tokenizers 0.23", "ours, ties as in tokenizers")),
    *[
        (f"memory for a text ten times a budget of {each} MB", "1.2 times", _budget(each))
        for each in ("64", "128", "512")
    ],
]
