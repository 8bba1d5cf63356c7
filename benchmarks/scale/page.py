"""Write the page ``scale.md`` from the numbers of a run: targets, measurements, fits and the plan."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.report import processor, table
from benchmarks.scale import plan_page
from benchmarks.scale.bars import bars
from benchmarks.scale.pictures import short, zipf_fits
from benchmarks.scale.plan import grown, model_of
from benchmarks.speed import Ratio

Numbers = Mapping[str, Any]

ABOUT = """# What scale costs

`make bench-scale`. Real text from {packages} pinned packages ({size:,.0f} MB: {kinds}), each file once, in random
order. That program measures or computes every number on this page. Programs that are compared run in turn, round by
round. A ratio is the median of the per-round ratios, followed by the smallest and the largest in parentheses. Work on
one core is measured in processor time, work on several cores in wall-clock time. The machine is shared, so wall-clock
times include delays caused by other programs; the last section gives the load before and after each part.
"""


def page(numbers: Numbers, pictures: Mapping[str, str]) -> str:
    """Return the whole page, with a note for each part that was not measured."""
    sections: list[Callable[[Numbers], str]] = [
        about, bars, speed, formats, threads, growth, zipf, pruning, memory, costs, plan_page.plans, plan_page.changes,
        machine,
    ]  # fmt: skip
    parts = []
    for section in sections:
        try:
            parts.append(section(numbers))
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            name = section.__name__.replace("_", " ").capitalize()
            parts.append(f"## {name}\n\nNot measured in this run ({type(problem).__name__}: {problem}).")
    for name, says in pictures.items():
        home = {"scale-growth.png": "growth", "scale-zipf.png": "zipf", "scale-costs.png": "costs"}.get(name, "plans")
        at = [section.__name__ for section in sections].index(home)
        parts[at] += f"\n\n![{says}]({name})"
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def about(numbers: Numbers) -> str:
    sizes = numbers["sizes"]
    total = sum(sizes.values())
    kinds = ", ".join(f"{kind} {100 * size / total:.0f} %" for kind, size in sizes.items())
    from benchmarks.scale.corpus import pinned

    return ABOUT.format(packages=len(pinned()), size=total / 1e6, kinds=kinds)


def speed(numbers: Numbers) -> str:
    rows = []
    for kind, found in numbers["kinds"].items():
        median = statistics.median(found["seconds"])
        size = found["bytes"]
        pre = numbers.get("pre_pass", {}).get(kind, {})
        beside = speed_of = ""
        if "tokenizers 0.23" in pre.get("seconds", {}):
            seconds = pre["seconds"]
            ratio = Ratio.of([a / b for a, b in zip(seconds["tokenizers 0.23"], seconds["ours"])])
            beside = f"{ratio.median:.0f} ({ratio.low:.0f} to {ratio.high:.0f})"
            speed_of = f"{pre['bytes'] / statistics.median(seconds['tokenizers 0.23']) / 1e6:.1f}"
        rows.append(
            [
                kind, f"{size / median / 1e6:.0f}", f"{size / (median + found['decoding']) / 1e6:.0f}",
                f"{size / found['words']:.1f}", f"{found['distinct']:,}", speed_of, beside,
            ]
        )  # fmt: skip
    head = [
        "text", "counting, MB/s", "with decoding", "bytes per word", f"distinct in {size / 1e6:.0f} MB",
        "tokenizers 0.23, MB/s", "times as fast",
    ]  # fmt: skip
    said = (
        "One core, one thread. The other program trains a vocabulary of only its 256 byte tokens, so it reads and "
        "counts but has nothing to merge. To check that both count the same, each also learns a small vocabulary; a "
        "program whose merges differ is not timed."
    )
    return f"## Counting on one core\n\n{said}\n\n{table(head, rows)}"


def formats(numbers: Numbers) -> str:
    found = numbers["formats"]
    rows = []
    for name, seconds in found["seconds"].items():
        plain = Ratio.of([one / other for one, other in zip(seconds, found["seconds"]["part.txt"])])
        rows.append(
            [
                name.removeprefix("part."), short(found["sizes"][name], "B"),
                f"{found['bytes'] / statistics.median(seconds) / 1e6:.0f}",
                f"{plain.median:.2f} ({plain.low:.2f} to {plain.high:.2f})",
            ]
        )  # fmt: skip
    rows += [[name.removeprefix("part."), "", "", why] for name, why in found["absent"].items()]
    head = ["format", "on disk", "MB of text per second", "time compared with plain text"]
    return f"## The same documents in each format\n\nOne core, including reading.\n\n{table(head, rows)}"


def threads(numbers: Numbers) -> str:
    rows = []
    found = numbers["threads"]["seconds"]
    names = list(found)
    ratio = Ratio.of([one / two for one, two in zip(found[names[0]], found[names[1]])])
    rows.append([f"{names[1]} threads compared with one", "text in memory", said_of(ratio)])
    work = numbers.get("workers", {}).get("seconds")
    if work:
        for slow, fast in (("1 worker", "2 workers"), ("1 thread", "2 threads"), ("2 workers", "2 threads")):
            ratio = Ratio.of([one / two for one, two in zip(work[slow], work[fast])])
            rows.append(
                [
                    f"{fast} compared with {slow}",
                    short(numbers["workers"]["bytes"], "B") + " from a file",
                    said_of(ratio),
                ]
            )
    return "## Two cores\n\nWall-clock time, which includes delays caused by other programs.\n\n" + table(
        ["who", "on what", "times as fast"], rows
    )


def said_of(ratio: Ratio) -> str:
    """Format a ratio with its range."""
    return f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def growth(numbers: Numbers) -> str:
    rows = []
    for kind, found in numbers["growth"].items():
        fitted = grown(found["bytes"], found["distinct"])
        last = found["bytes"][-1]
        tests = [test for test in fitted.tests if test.asked == last and test.distance >= 10]
        far = min(tests, key=lambda test: test.distance, default=None)
        rows.append(
            [
                kind, short(last, "B"), f"{found['distinct'][-1]:,}",
                f"{fitted.fitted.exponent:.3f} ± {fitted.fitted.exponent_error():.3f}",
                f"{found['kept'][-1] / found['distinct'][-1]:.1f}",
                f"{100 * (far.off - 1):+.0f} % from {far.distance:.0f} times less text" if far else "",
            ]
        )  # fmt: skip
    head = ["text", "size", "distinct words", "exponent", "bytes per word", "prediction of the last size"]
    found = numbers["growth"]["all"]
    fitted = grown(found["bytes"], found["distinct"])
    factors = ", ".join(f"a factor of {fitted.factor(size):.2f} at {short(size, 'B')}" for size in plan_page.SIZES)
    said = (
        "Heaps' law says that the number of distinct words grows as a power of the size of the text. Here the curve "
        f"bends, so only its last part is fitted: a factor of {fitted.window:.0f} in size, the one of three lengths "
        f"that predicted best. The fit is {fitted.fitted.scale:.3g} x bytes^{fitted.fitted.exponent:.3f}. To estimate "
        "its error, the same fit was made on shorter beginnings of the text and compared with what came later "
        f"({fitted.errors.tests} predictions, from 4 to {max(test.distance for test in fitted.tests):.0f} times as "
        f"far). Of these, 95 % were within a factor of distance^({fitted.errors.rate:.3f} + "
        f"{fitted.errors.bend:.4f} x log(distance)), where the second term is the bend. On average they were off by "
        f"distance^{fitted.errors.drift:+.3f}. This gives the error of every word count below: {factors}. The "
        f"least-squares prediction band alone would be a factor of {fitted.fitted.band(1e13):.2f} at 10 TB, because "
        "it ignores the bend. Other texts grow differently. The exponents show by how much for each kind; a corpus of "
        "many languages has more words than any one of them."
    )
    return f"## Growth of distinct words\n\n{said}\n\n{table(head, rows)}"


def zipf(numbers: Numbers) -> str:
    found = numbers["growth"]["all"]
    (common, _), (rare, ends) = zipf_fits(found["ranks"])
    distinct = found["distinct"][-1]
    words = found["words"][-1]
    rows = [
        [
            least, f"{100 * gone['words'] / distinct:.1f} %", f"{100 * gone['occurrences'] / words:.2f} %",
            f"{100 * gone['bytes'] / found['bytes'][-1]:.2f} %",
        ]
        for least, gone in found["rare"].items()
    ]  # fmt: skip
    head = ["words below", "of the distinct words", "of all occurrences", "of the bytes of text"]
    return (
        f"## How often words occur\n\nThe text has {words:,} words, of which {distinct:,} are distinct. Frequency "
        "falls as a power of the rank, with an exponent of "
        f"{common.exponent:.2f} ± {common.exponent_error():.2f} for ranks 10 to 3,000 and {rare.exponent:.2f} ± "
        f"{rare.exponent_error():.2f} for ranks {ends[0]:,} to {ends[1]:,}. Dropping rare words would remove:\n\n"
        + table(head, rows)
    )


def pruning(numbers: Numbers) -> str:
    found = numbers["pruned"]
    rows = [
        [
            str(row["least"]), f"{row['late']:,}", f"{row['words']:,}", f"{100 * row['vanished'] / row['late']:.1f} %",
            f"{100 * row['lost_occurrences'] / row['occurrences']:.2f} %",
            f"{100 * row['same_tokens_late'] / row['tokens']:.1f} %",
            f"{100 * row['same_tokens'] / row['tokens']:.1f} %",
        ]
        for row in found["rows"]
    ]  # fmt: skip
    head = [
        "least", "kept if dropped at the end", "kept if dropped in each part", "words lost wrongly",
        "occurrences lost wrongly",
        "same tokens, at the end", "same tokens, in each part",
    ]  # fmt: skip
    tokens = found["rows"][0]["tokens"]
    return (
        "## Pruning early\n\n"
        f"Each of the {found['parts']} parts (median {found['words_of_part']:,.0f} distinct words) could drop its rare "
        "words before the counts are added up. That saves network traffic and disk space, but the counts become wrong: "
        "a word that is rare in every part may be common in the whole text. The last two columns show how many of the "
        f"{tokens:,} tokens learnt from exact counts are still learnt:\n\n"
        + table(head, rows)
        + "\n\nSo the program drops rare words only after all counts have been added up."
    )


def memory(numbers: Numbers) -> str:
    rows = []
    for budget, (bounded, free) in numbers["tenfold"].items():
        if "lost" in bounded:
            rows.append([f"{budget} MB", "", bounded["lost"]])
            continue
        said = "the same file" if bounded["sha256"] == free.get("sha256") else "NOT the same file"
        rows.append(
            [
                f"{budget} MB", short(bounded["bytes"], "B"), f"{bounded['before']:.0f} MB",
                f"{bounded['peak']:.0f} MB", f"{bounded['peak'] / int(budget):.2f}",
                f"{max(0, bounded['peak'] - bounded['before']) / int(budget):.2f}",
                f"{free.get('peak', 0):.0f} MB", said,
            ]
        )  # fmt: skip
    head = [
        "budget", "text", "process before", "peak of the process", "peak / budget", "growth / budget",
        "peak without a budget",
        "counts",
    ]  # fmt: skip
    cost = []
    for budget, runs in numbers["cost"].items():
        free = numbers["cost"]["None"]
        worked = Ratio.of([one["worked"] / other["worked"] for one, other in zip(runs, free)])
        wall = Ratio.of([one["seconds"] / other["seconds"] for one, other in zip(runs, free)])
        size = runs[0]["bytes"]
        speed = size / statistics.median(one["worked"] for one in runs) / 1e6
        name = "none" if budget == "None" else f"{budget} MB"
        cost.append([name, f"{speed:.0f}", said_of(worked), said_of(wall)])
    return (
        "## Bounded memory\n\nPeak memory of the whole process as the system reports it (VmHWM), including Python, "
        "Numba and its kernels. Two threads; the text is ten times the budget.\n\n"
        + table(head, rows)
        + f"\n\nThe cost of a budget, when {short(size, 'B')} are counted on one thread into a counts file:\n\n"
        + table(
            ["budget", "MB/s of one core", "processor time compared with none", "wall-clock time compared with none"],
            cost,
        )
    )


def costs(numbers: Numbers) -> str:
    model = model_of(numbers)
    files = numbers["files"]["files"][-1]
    merges = numbers["reduced"]["merges"]
    last = numbers["trained"]
    predicted = leave_last([row["distinct"] for row in last], [statistics.median(row["seconds"]) for row in last])
    rows = [
        ["sort and write a run", f"{1e9 * model.sorting.slope:.0f} ns per word", error(model.sorting)],
        ["merge runs, each level", f"{1e9 * model.merging.slope:.0f} ns per input word", error(model.merging)],
        ["counts file", f"{model.file.slope:.1f} bytes per word", error(model.file)],
        ["load a counts file", f"{1e9 * model.loading.slope:.0f} ns per word", error(model.loading)],
        ["learn 32,768 tokens", f"{model.training.fixed:.2f} s + {1e9 * model.training.slope:.0f} ns per word",
         f"{error(model.training)}; the largest, predicted from the others: {100 * (predicted - 1):+.0f} %"],
        ["memory that learning adds", f"{model.trainer.slope:.0f} bytes per word", error(model.trainer)],
    ]  # fmt: skip
    by_fan_in = {}
    for row in merges:
        by_fan_in.setdefault(row["fan_in"], []).append(1e9 * statistics.median(row["seconds"]) / row["words_in"])
    said = ", ".join(f"{fan} runs {statistics.median(each):.0f}" for fan, each in by_fan_in.items())
    return (
        "## What a distinct word costs\n\n"
        + table(["step, on one core", "cost", "fit"], rows)
        + f"\n\nMerging several runs at once, in ns per input word: {said}. The largest file measured has "
        f"{files['distinct']:,} words in {short(files['file'], 'B')}; the largest training run has "
        f"{last[-1]['distinct']:,} words."
    )


def error(fitted: Any) -> str:
    """Return how far the points are from their line."""
    return f"{fitted.points} points, within {100 * fitted.error:.0f} %"


def leave_last(xs: list[float], ys: list[float]) -> float:
    """Predict the last point from a line through all others; return predicted over measured."""
    from benchmarks.scale.fits import line

    return line(xs[:-1], ys[:-1])(xs[-1]) / ys[-1]


def machine(numbers: Numbers) -> str:
    said = [f"{platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores."]
    said.append(", ".join(f"{name} {version}" for name, version in numbers["versions"].items()) + ".")
    loads = [f"{part} {before} to {after}" for part, (before, after) in numbers["load"].items()]
    said.append("Load average (1, 5, 15 minutes) before and after each part: " + "; ".join(loads) + ".")
    return "## Where it was measured\n\n" + "\n".join(f"- {line}" for line in said)
