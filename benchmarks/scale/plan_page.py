"""Write the second half of the page: the cost of larger corpora, and the limits of the design."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from benchmarks.report import table
from benchmarks.scale.pictures import short
from benchmarks.scale.plan import (
    CORES,
    FAN_IN,
    GB,
    NETWORK,
    SIZES,
    TB,
    TOGETHER,
    Model,
    Plan,
    driver_waits,
    model_of,
    network_full,
    plan,
    trainer_ends,
)

Numbers = Mapping[str, Any]


def clock(seconds: float) -> str:
    """Format a time in the largest unit in which it is at least 1.

    >>> clock(5), clock(90), clock(7200), clock(200_000)
    ('5 s', '1.5 min', '2 h', '2.3 days')
    """
    for size, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.2g} {name}" if seconds < 10 * size else f"{seconds / size:.0f} {name}"
    return f"{seconds:.2g} s"


def plans(numbers: Numbers) -> str:
    """Return tables of time and cost by cores, and of memory, disk and network by size."""
    model, price = model_of(numbers), numbers["price"]
    rows = []
    for size in SIZES:
        for cores in CORES:
            one = plan(model, size, cores)
            rows.append(
                [
                    short(size, "B"), str(cores), clock(one.counting), clock(one.driver), clock(one.training),
                    clock(one.seconds), _band(model, one), f"{one.price(price):,.2f}",
                ]
            )  # fmt: skip
    head = [
        "text", "cores", "counting, all cores", "last merge, one core", "vocabulary, one core", "total", "range",
        "price",
    ]  # fmt: skip
    sizes = [_size_row(model, size) for size in SIZES]
    size_head = [
        "text", "distinct words", "error", "runs at the driver", "through its network", "disk at the driver",
        "counts file", "memory of the trainer", "fits 31 bits",
    ]  # fmt: skip
    slowest, speed, fastest = (each / 1e6 for each in (model.slowest, model.speed, model.fastest))
    said = (
        f"One worker turns {speed:.0f} MB of text per second into sorted runs ({slowest:.0f} to {fastest:.0f}, "
        f"depending on the kind of text). With several workers, each reaches {100 * model.scaling:.0f} % of that, as "
        f"measured with two. The plan assumes that the disks keep up, which at 256 cores means "
        f"{short(256 * model.speed, 'B')} per second. Each worker counts {short(TOGETHER, 'B')} at a time, and "
        f"the run goes to the driver, which merges {FAN_IN} neighbouring runs at once. The price is {price} per core "
        "and hour (set with --price), paid for all cores until the end. The range goes from the fastest kind of text "
        "with few words to the slowest kind with many words, where the number of words is off by the factor in the "
        "second table. The plan does not include workers that fail, slow disks or the load of other programs."
    )
    tables = [table(head, rows), table(size_head, sizes)]
    return "\n\n".join(["## The plan: 100 GB, 1 TB, 10 TB", said, *tables, _known(model, numbers)])


def _known(model: Model, numbers: Numbers) -> str:
    """Compare the plan with the measurement of a known size."""
    if "seconds" not in numbers.get("workers", {}):
        return "This run has no measurement to compare the plan with."
    size, found = numbers["workers"]["bytes"], numbers["workers"]["seconds"]
    said = []
    for cores, who in ((1, "1 worker"), (2, "2 workers")):
        one = plan(model, size, cores)
        seconds = one.counting * (model.scaling if cores == 1 else 1) + one.driver
        was = min(found[who])
        said.append(
            f"{who}: planned {clock(seconds)}, measured {clock(was)} at best ({100 * (seconds / was - 1):+.0f} %)"
        )
    return (
        f"As a check, here is the plan for a size that was measured, {short(size, 'B')} from a file to a counts file: "
        f"{'; '.join(said)}. The plan counts only processor time; the measured wall-clock time includes delays caused "
        "by other programs."
    )


def _band(model: Model, one: Plan) -> str:
    factor = model.distinct.factor(one.size)
    reading = one.size / (one.cores * model.scaling)
    rest = one.seconds - reading / model.speed
    low, high = reading / model.fastest + rest / factor, reading / model.slowest + rest * factor
    return f"{clock(low)} to {clock(high)}"


def _size_row(model: Model, size: float) -> list[str]:
    one = plan(model, size, 16)
    return [
        short(size, "B"), short(model.distinct(size)), f"factor {model.distinct.factor(size):.2f}", f"{one.runs:,.0f}",
        short(one.moved, "B"), short(one.disk, "B"), short(one.file, "B"), short(one.memory, "B"),
        "yes" if one.fits else "no",
    ]  # fmt: skip


def changes(numbers: Numbers) -> str:
    """Return the limits of the design, in the order in which a growing corpus reaches them."""
    model, price = model_of(numbers), numbers["price"]
    ends, ends_of = trainer_ends(model), {least: trainer_ends(model, least) for least in (2, 5, 10)}
    factor = model.distinct.factor(ends) ** (1 / model.distinct.fitted.exponent)
    found = [
        (
            ends,
            f"**The trainer runs out of numbers at {short(ends, 'B')}** (within a factor of {factor:.1f}). It numbers "
            "the bytes of the distinct words, and two more for each word, with 31 bits. At that size it takes "
            f"{short(plan(model, ends, 1).memory, 'B')} of memory. Dropping rare words after all counts are added up "
            "moves the limit: "
            + ", ".join(f"to {short(size, 'B')} with {_n(least)}" for least, size in ends_of.items())
            + ". The section on pruning shows how this changes the vocabulary. 64-bit numbers would double the memory.",
        )
    ]
    for size in SIZES:
        cores = driver_waits(model, size)
        one = plan(model, size, CORES[-1])
        found.append(
            (
                size,
                f"**{short(size, 'B')}: the last merge on one core** takes {clock(one.driver)}, as long as "
                f"all counting on {_cores(cores)}. With {CORES[-1]} cores and a merge in as many partitions (each "
                "worker keeps the words whose hash belongs to it), the whole job would take "
                f"{clock(one.partitioned())} instead of {clock(one.seconds)} and cost "
                f"{one.price(price, one.partitioned()):,.2f} instead of {one.price(price):,.2f}. The amount of data "
                "moved stays the same.",
            )
        )
    cores = network_full(model, TB)
    found.append(
        (
            TB,
            f"**The driver's network**: from {_cores(cores)} on, runs arrive faster than {short(NETWORK, 'B')} per "
            f"second, which is ten gigabits ({short(plan(model, TB, 1).moved, 'B')} in total for 1 TB). With fewer "
            "cores, the network is not a bottleneck.",
        )
    )
    many = plan(model, 10 * TB, 256)
    passes = math.ceil(math.log(max(many.runs, 2), FAN_IN))
    found.append(
        (
            10 * TB,
            f"**Files**: 10 TB make {many.runs:,.0f} runs. The driver merges each word {passes} times "
            f"and needs {short(many.disk, 'B')} of disk space. {short(many.moved, 'B')} of runs go to it.",
        )
    )
    memory = [(size, plan(model, size, 1).memory) for size in SIZES]
    found.append(
        (
            100 * GB,
            "**Memory of the trainer**: "
            + ", ".join(f"{short(each, 'B')} at {short(size, 'B')}" for size, each in memory)
            + ". A machine with less memory has to drop rare words. If only words with at least 10 occurrences are "
            "kept, the trainer takes "
            + ", ".join(f"{short(plan(model, size, 1, 10).memory, 'B')} at {short(size, 'B')}" for size in SIZES)
            + ".",
        )
    )
    said = "\n".join(f"{at}. {text}" for at, (_, text) in enumerate(sorted(found, key=lambda each: each[0]), 1))
    return f"## Where the design would have to change\n\n{said}"


def _n(least: int) -> str:
    return f"at least {least} occurrences" if least == 2 else f"at least {least}"


def _cores(number: float) -> str:
    return f"{number:,.0f} cores" if number < 1e6 else "any number of cores"
