"""Compare the speed of several implementations: check that they agree, then run them in turn for several rounds.

    round 1    a b c
    round 2    b c a      the order rotates, since each one finds the processor's caches full of the data of the one
    round 3    c a b      before it

A machine that is slow for a minute is slow for all of them in that round. So the measure is the ratio within a round,
and the median of these ratios. An implementation with a different answer is not timed.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minbpe_course.errors import MinbpeCourseError

ROUNDS = 5
LEAST_SECONDS = 0.02  # a turn repeats short work until this long has been measured


def clock_for(threads: int) -> Callable[[], float]:
    """Return the clock for work on ``threads`` threads.

    For one thread it is the processor time of this process, if the system measures it finely: other programs barely
    change it, and helper threads of a library count. Otherwise it is wall-clock time.
    """
    fine = time.get_clock_info("process_time").resolution < 1e-4
    return time.process_time if threads == 1 and fine else time.perf_counter


class NotAvailable(Exception):
    """A contestant cannot run here; the message gives the reason for the table."""


class WrongAnswer(MinbpeCourseError):
    """This package gave another answer than the reference, so there is nothing to time and a bug to fix."""


@dataclass(frozen=True)
class Contestant:
    """One way to do the work.

    ``run(prepared)`` is timed; ``prepare()`` makes its argument before every run and is not timed. ``answer(result)``
    converts the result to the form in which answers are compared. ``most_runs`` limits the runs of one turn, for
    contestants whose preparation takes far longer than the run.
    """

    run: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None
    answer: Callable[[Any], Any] = lambda result: result
    most_runs: int = 10_000


@dataclass
class Race:
    """The result: the seconds of one run for each contestant and round, and the reasons for absence."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def ratio(self, ours: str, against: Sequence[str]) -> Ratio | None:
        """Return how many times as long the others took, the fastest of them in each round; None if all are absent."""
        others = [self.seconds[name] for name in against if name in self.seconds]
        if ours not in self.seconds or not others:
            return None
        return Ratio.of([min(theirs) / mine for mine, *theirs in zip(self.seconds[ours], *others)])


@dataclass(frozen=True)
class Ratio:
    """The median of the ratios of the rounds, the smallest and the largest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Ratio:
        """Return the summary of some ratios."""
        return cls(statistics.median(ratios), min(ratios), max(ratios))


def race(
    contestants: Mapping[str, Callable[[], Contestant]],
    *,
    truth: str,
    ours: Sequence[str],
    untimed: Collection[str] = (),
    rounds: int = ROUNDS,
    least_seconds: float = LEAST_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> Race:
    """Compare all answers with that of ``truth``, then time the contestants that agree, except the ``untimed``.

    The contestants are created here, so one that cannot be created is only absent. Raises WrongAnswer when one of
    ``ours`` disagrees with ``truth``.
    """
    result = Race()
    ready: dict[str, Contestant] = {}
    for name, make in contestants.items():
        try:
            ready[name] = make()
        except NotAvailable as reason:
            result.absent[name] = str(reason)
        except ImportError as reason:
            result.absent[name] = f"not installed here ({reason})"
    check_answers(ready, truth, ours, result)
    timed = {name: contestant for name, contestant in ready.items() if name not in untimed}
    result.seconds = interleave(timed, rounds=rounds, least_seconds=least_seconds, clock=clock)
    return result


def check_answers(ready: dict[str, Contestant], truth: str, ours: Sequence[str], result: Race) -> None:
    """Move the contestants with another answer from ``ready`` to ``result.absent``."""
    known = next((name for name in (truth, *ours) if name in ready), None)
    if known is None:
        ready.clear()
        return
    right = answer_of(ready[known])
    for name in [name for name in ready if name != known]:
        try:
            difference = first_difference(answer_of(ready[name]), right)
        except NotAvailable as reason:
            difference = str(reason)
        except Exception as problem:  # an error of another library does not stop the others
            difference = f"fails: {type(problem).__name__}: {problem}"
        if difference is None:
            continue
        if name in ours:
            raise WrongAnswer(f"{name} beside {known}: {difference}")
        result.absent[name] = difference
        del ready[name]


def answer_of(contestant: Contestant) -> Any:
    """Run once and return the answer as it is compared."""
    return contestant.answer(contestant.run(contestant.prepare()))


def first_difference(found: Any, wanted: Any) -> str | None:
    """Return where two answers differ, or None if they are equal."""
    if isinstance(found, np.ndarray) and isinstance(wanted, np.ndarray):
        if np.array_equal(found, wanted):
            return None
        shared = min(len(found), len(wanted))
        unequal = np.flatnonzero(found[:shared] != wanted[:shared])
        at = int(unequal[0]) if len(unequal) else shared
        return f"another answer from place {at:,} of {len(wanted):,} on"
    if found == wanted:
        return None
    if isinstance(found, (str, bytes, list, tuple)) and type(found) is type(wanted):
        pairs = zip(found, wanted)
        at = next((at for at, (mine, other) in enumerate(pairs) if mine != other), min(len(found), len(wanted)))
        return f"another answer from place {at:,} of {len(wanted):,} on"
    return "another answer"


def interleave(
    ready: Mapping[str, Contestant],
    *,
    rounds: int = ROUNDS,
    least_seconds: float = LEAST_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Return the seconds of one run of each contestant, for each round."""
    seconds: dict[str, list[float]] = {name: [] for name in ready}
    names = list(ready)
    gc.collect()
    # Existing objects survive, so the collections below can skip them.
    gc.freeze()
    try:
        for round_number in range(rounds):
            for at in range(len(names)):
                name = names[(at + round_number) % len(names)]
                gc.collect()  # so that no contestant pays for the garbage of another
                seconds[name].append(one_turn(ready[name], least_seconds, clock))
    finally:
        gc.unfreeze()
    return seconds


def one_turn(contestant: Contestant, least_seconds: float, clock: Callable[[], float]) -> float:
    """Return the seconds of one run: the mean over as many as it takes to see ``least_seconds``."""
    total, runs = 0.0, 0
    while runs == 0 or (total < least_seconds and runs < contestant.most_runs):
        prepared = contestant.prepare()
        began = clock()
        result = contestant.run(prepared)
        total += clock() - began
        runs += 1
        del result  # freeing belongs neither to this run nor to the next
    return total / runs
