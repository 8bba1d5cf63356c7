"""Extrapolate the slopes to 100 GB, 1 TB and 10 TB, with an estimate of the error.

Everything is computed from a ``Model``, which contains the fits. There are three separate errors:

    distinct words     by far the largest; estimated by the backtests of the growth
    speed of one core  how much it differs between kinds of text
    cost per word      how far the measurements are from their fitted line
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.scale.fits import Backtest, Growing, Line, Power, backtests, first_within, growing, line, power
from benchmarks.speed import Ratio

GB, TB = 1e9, 1e12
SIZES = (100 * GB, TB, 10 * TB)
CORES = (2, 16, 64, 256)

# Bytes of text per task of a cluster (``counting.sources``), and how many runs the driver merges at once
# (``counting.run_store``).
TOGETHER, FAN_IN = 2.0**28, 24
# The trainer numbers the bytes of all distinct words, and two more for each, in 31 bits (``trainers.byte_pair``).
TRAINER_LIMIT = 2.0**31
# A fit uses only the last part of the measurements. These are the candidates for how many times as much text there is
# at the end of that part as at its beginning; the one with the best predictions is used.
WINDOWS = (8.0, 32.0, 1000.0)
NETWORK = 1.25e9  # bytes per second into one machine: ten gigabits


@dataclass(frozen=True)
class Grown:
    """The growth of a number of words with the text: the fit, and its predictions for sizes that were measured."""

    fitted: Power
    errors: Growing
    measured: float  # the largest measured size in bytes
    window: float
    tests: Sequence[Backtest]

    def __call__(self, size: float) -> float:
        return self.fitted(size)

    def factor(self, size: float) -> float:
        """Return the factor within which the number at ``size`` is expected."""
        return self.errors.factor(size / self.measured)

    def reaches(self, number: float) -> float:
        """Return how many bytes of text it takes to reach ``number``."""
        return (number / self.fitted.scale) ** (1 / self.fitted.exponent)


def grown(xs: Sequence[float], ys: Sequence[float]) -> Grown:
    """Fit growth on the last part of the measurements."""
    tests = {window: backtests(xs, ys, window) for window in WINDOWS}
    window = min(WINDOWS, key=lambda each: growing(tests[each]).usual)
    start = first_within(xs, window)
    return Grown(power(xs[start:], ys[start:]), growing(tests[window]), xs[-1], window, tests[window])


@dataclass(frozen=True)
class Model:
    """The measurements that the plan needs. Seconds are for one core; bytes are bytes of text unless noted."""

    speed: float  # bytes per second, from the text of a task to a sorted run
    slowest: float  # the same for the kind of text that is counted most slowly
    fastest: float
    distinct: Grown
    kept: Grown  # bytes of the distinct words
    pruned: Mapping[int, float]  # share of the distinct words that occur at least this often, at any size
    sorting: Line  # seconds to sort and write a run, by its words
    merging: Line  # seconds to merge, by the number of input words
    file: Line  # bytes of a counts file, by its words
    training: Line  # seconds to learn the merges, by distinct words
    trainer: Line  # bytes of memory that training adds, by distinct words
    loading: Line  # seconds to load a counts file, by its words
    scaling: float  # speed of two workers, divided by twice the speed of one


@dataclass(frozen=True)
class Plan:
    """The cost of a corpus of ``size`` bytes on ``cores`` cores, in seconds and bytes."""

    size: float
    cores: int
    counting: float  # on all cores: counting, sorting and merging on the workers
    driver: float  # on one core: the last merge
    training: float  # on one core: loading the counts and learning the merges
    runs: float  # how many are sent to the driver
    moved: float  # bytes of runs through the driver's network
    disk: float  # the most bytes on the driver's disk
    file: float  # bytes of the counts file
    memory: float  # bytes of the trainer
    fits: bool  # whether the trainer can number the words

    @property
    def seconds(self) -> float:
        """The total time, from the first byte to the last merge."""
        return self.counting + self.driver + self.training

    def partitioned(self) -> float:
        """Return the total time if the last merge is done in as many partitions as there are cores."""
        return self.counting + self.driver / self.cores + self.training

    def price(self, an_hour: float, seconds: float | None = None) -> float:
        """Return the price of all cores for ``seconds``, by default for the total time."""
        return self.cores * (self.seconds if seconds is None else seconds) / 3600 * an_hour


def plan(model: Model, size: float, cores: int, least: int = 1) -> Plan:
    """Plan one corpus. Words rarer than ``least`` are dropped after all counts are added up, before training."""
    runs = math.ceil(size / TOGETHER)
    one_run = min(TOGETHER, size)
    driver, level = 0.0, one_run
    while level < size:
        driver += size / level * model.merging.slope * model.distinct(level)
        level *= FAN_IN
    share = 1.0 if least == 1 else model.pruned[least]
    distinct = share * model.distinct(size)
    moved = runs * model.file(model.distinct(one_run))
    whole = model.file(model.distinct(size))
    return Plan(
        size=size,
        cores=cores,
        counting=size / model.speed / (cores * model.scaling),
        driver=driver,
        training=model.training(distinct) + model.loading(distinct),
        runs=runs,
        moved=moved,
        disk=2 * whole + FAN_IN * model.file(model.distinct(level / FAN_IN)),
        file=model.file(distinct),
        memory=model.trainer(distinct) + model.kept(size) * share + 24 * distinct,
        fits=model.kept(size) * share + 2 * distinct < TRAINER_LIMIT,
    )


def trainer_ends(model: Model, least: int = 1) -> float:
    """Return the bytes of text from which the trainer can no longer number the words."""
    return _crossing(lambda size: 0.0 if plan(model, size, 1, least).fits else 1.0, 0.5)


def driver_waits(model: Model, size: float) -> float:
    """Return the number of cores from which the last merge takes longer than all the parallel work."""
    one = plan(model, size, 1)
    return one.counting / one.driver if one.driver else math.inf


def network_full(model: Model, size: float) -> float:
    """Return the number of cores from which runs arrive faster than one machine's network can receive them."""
    one = plan(model, size, 1)
    return NETWORK / (one.moved / one.counting)


def _crossing(number: Callable[[float], float], wanted: float) -> float:
    low, high = 1e9, 1e18
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if number(middle) < wanted else (low, middle)
    return low


def model_of(numbers: Mapping[str, Any]) -> Model:
    """Fit the model to the numbers of a run."""
    growth = numbers["growth"]["all"]
    sizes = growth["bytes"]
    speeds = {kind: found["bytes"] / Ratio.of(found["seconds"]).median for kind, found in numbers["parts"].items()}
    merges = numbers["reduced"]["merges"]
    runs = {row["size"]: row for row in merges}.values()
    trained = numbers["trained"]
    files = numbers["files"]["files"]
    found = numbers.get("workers", {}).get("seconds", {})
    scaling = 1.0
    if "1 worker" in found:
        pairs = zip(found["1 worker"], found["2 workers"])
        scaling = min(1.0, Ratio.of([one / two / 2 for one, two in pairs]).median)
    return Model(
        speed=speeds["all"],
        slowest=min(speeds.values()),
        fastest=max(speeds.values()),
        distinct=grown(sizes, growth["distinct"]),
        kept=grown(sizes, growth["kept"]),
        pruned={least: growth[f"from {least}"][-1] / growth["distinct"][-1] for least in (2, 3, 5, 10, 100)},
        sorting=line([row["words_of_run"] for row in runs], [row["sorting"] for row in runs]),
        merging=line([row["words_in"] for row in merges], [Ratio.of(row["seconds"]).median for row in merges]),
        file=line([row["distinct"] for row in files], [row["file"] for row in files]),
        training=line([row["distinct"] for row in trained], [Ratio.of(row["seconds"]).median for row in trained]),
        trainer=line([row["distinct"] for row in trained], [1e6 * row["added"] for row in trained]),
        loading=line([row["distinct"] for row in files], [row["loading"] for row in files]),
        scaling=scaling,
    )
