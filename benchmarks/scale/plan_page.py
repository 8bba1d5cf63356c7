"""Write the second half of the page: the cost of larger corpora, and the limits of the design."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from benchmarks.report import table
from benchmarks.scale.pictures import short
from benchmarks.scale.plan import (
    CORES,
    GB,
    LAST_FAN_IN,
    NETWORK,
    RUN,
    SIZES,
    TB,
    TOGETHER,
    Model,
    Plan,
    driver_waits,
    model_of,
    network_full,
    plan,
    text_of_run,
    trainer_ends,
)

Numbers = Mapping[str, Any]


def clock(seconds: float) -> str:
    """A time in the largest unit that leaves something before the point.

    >>> clock(5), clock(90), clock(7200), clock(200_000)
    ('5 s', '1.5 min', '2 h', '2.3 days')
    """
    for size, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.2g} {name}" if seconds < 10 * size else f"{seconds / size:.0f} {name}"
    return f"{seconds:.2g} s"


def plans(numbers: Numbers) -> str:
    """Time and cost by cores; memory, disk and network by size."""
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
        "text", "cores", "counting, all cores", "last merge, one core", "vocabulary, one core", "together", "within",
        "price",
    ]  # fmt: skip
    sizes = [_size_row(model, size) for size in SIZES]
    size_head = [
        "text", "distinct words", "within", "runs at the driver", "through its network", "disk at the driver",
        "counts file", "memory of the trainer", "words numbered",
    ]  # fmt: skip
    slowest, speed, fastest = (each / 1e6 for each in (model.slowest, model.speed, model.fastest))
    said = (
        f"A worker turns {speed:.0f} MB of text a second into sorted runs ({slowest:.0f} to {fastest:.0f} by kind of "
        f"text); several workers do {100 * model.scaling:.0f} % of that each, as measured with two. The disks keep up, "
        f"which at 256 cores means {short(256 * model.speed, 'B')} a second. Each worker counts {short(TOGETHER, 'B')} "
        "at a "
        f"time and merges neighbours until a run has {short(RUN, 'B')}, which is about "
        f"{short(text_of_run(model), 'B')} "
        f"of text; such runs come to the driver, which merges up to {LAST_FAN_IN} at once. The price is {price} a core "
        "and hour (given with --price), paid for all cores until the end. The band takes the kind of text that is "
        "counted slowest or fastest, and the number of words off by the factor of the table below. Left out are "
        "workers "
        "that die, slow disks and other people's load."
    )
    tables = [table(head, rows), table(size_head, sizes)]
    return "\n\n".join(["## The plan: 100 GB, 1 TB, 10 TB", said, *tables, _known(model, numbers)])


def _known(model: Model, numbers: Numbers) -> str:
    """Compare the plan with the measurement of a known size."""
    if "seconds" not in numbers.get("workers", {}):
        return "How right the plan is about what was measured was not measured in this run."
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
        f"Asked about {short(size, 'B')} from a file to a counts file, which was measured: {'; '.join(said)}. The "
        "plan knows "
        "processor time, the clock on the wall also what others did."
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
        "yes" if one.fits else "no: 31 bits",
    ]  # fmt: skip


def changes(numbers: Numbers) -> str:
    """Where something would have to be built otherwise, in the order in which it is met."""
    model, price = model_of(numbers), numbers["price"]
    ends, ends_of = trainer_ends(model), {least: trainer_ends(model, least) for least in (2, 5, 10)}
    factor = model.distinct.factor(ends) ** (1 / model.distinct.fitted.exponent)
    found = [
        (
            ends,
            f"**The trainer's numbers end at {short(ends, 'B')}** (within a factor {factor:.1f}): it numbers the bytes "
            f"of the distinct words and two more for each in 31 bits, and takes "
            f"{short(plan(model, ends, 1).memory, 'B')} of memory there. Dropping rare words when all is added up "
            "moves that: below 2 occurrences to "
            + ", below ".join(f"{_n(least)}{short(size, 'B')}" for least, size in ends_of.items())
            + ". Numbers of 64 bits would double the memory; what changes the vocabulary is told under pruning.",
        )
    ]
    for size in SIZES:
        cores = driver_waits(model, size)
        one = plan(model, size, CORES[-1])
        found.append(
            (
                size,
                f"**{short(size, 'B')}: the last merge on one core** takes {clock(one.driver)}, as long as "
                f"all counting on {_cores(cores)}. With {CORES[-1]} cores a merge in as many partitions (each worker "
                "keeps "
                f"the words whose hash is its own) ends after {clock(one.partitioned())} and not {clock(one.seconds)}, "
                f"{one.price(price):,.2f} and {one.price(price, one.partitioned()):,.2f} in money; what moves "
                "is the same.",
            )
        )
    cores = network_full(model, TB)
    found.append(
        (
            TB,
            f"**The driver's network**: runs arrive at {short(NETWORK, 'B')} a second, ten gigabits, from "
            f"{_cores(cores)} on ({short(plan(model, TB, 1).moved, 'B')} for 1 TB). Before that it is no bottleneck.",
        )
    )
    many = plan(model, 10 * TB, 256)
    passes = math.ceil(math.log(max(many.runs, 2), LAST_FAN_IN))
    found.append(
        (
            10 * TB,
            f"**Files**: 10 TB make {many.runs:,.0f} runs, so the last merge needs {passes} "
            f"{'pass' if passes == 1 else 'passes'} over {short(many.moved, 'B')}, and the driver "
            f"{short(many.disk, 'B')} of disk.",
        )
    )
    memory = [(size, plan(model, size, 1).memory) for size in SIZES]
    found.append(
        (
            100 * GB,
            "**Memory of the trainer**: "
            + ", ".join(f"{short(each, 'B')} at {short(size, 'B')}" for size, each in memory)
            + ". A machine with less drops rare words: "
            + ", ".join(
                f"{short(plan(model, size, 1, 10).memory, 'B')} at {short(size, 'B')} from 10 occurrences on"
                for size in SIZES
            )
            + ".",
        )
    )
    said = "\n".join(f"{at}. {text}" for at, (_, text) in enumerate(sorted(found, key=lambda each: each[0]), 1))
    return f"## Where the design would have to change\n\n{said}"


def _n(least: int) -> str:
    return "" if least == 2 else f"{least} to "


def _cores(number: float) -> str:
    return f"{number:,.0f} cores" if number < 1e6 else "any number of cores"
