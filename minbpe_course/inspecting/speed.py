"""A race between contestants: first the answers are compared, then each runs in turn, round after round.

    round 1    a b c
    round 2    b c a      whoever follows a big one finds the caches of the processor full of the other's data,
    round 3    c a b      so the order rotates

A machine that is slow for a minute is slow for everybody in that round. So what counts is the ratio within a round, and
of these ratios the median. Nobody is timed whose answer is not the answer of the one who is taken for right.
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
    """Return the clock for work on so many threads.

    For one it is the time that the processor gave to this process, where the system counts that finely: what other
    programs do at the same time hardly shows in it, and helpers of somebody else count as work. Else the clock on the
    wall.
    """
    fine = time.get_clock_info("process_time").resolution < 1e-4
    return time.process_time if threads == 1 and fine else time.perf_counter


class NotAvailable(Exception):
    """A contestant cannot take part here; the message says why, in the words of the table."""


class WrongAnswer(MinbpeCourseError):
    """This course gave another answer than the one taken for right: nothing to time, something to mend."""


@dataclass(frozen=True)
class Contestant:
    """One way to do the work.

    ``run(prepared)`` is timed; ``prepare()`` makes its argument before every run and is not. ``answer(result)`` brings
    the result to the form in which answers are compared. ``most_runs`` bounds the runs of one turn, for those whose
    preparation takes far longer than the run.
    """

    run: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None
    answer: Callable[[Any], Any] = lambda result: result
    most_runs: int = 10_000


@dataclass
class Race:
    """What came out: the seconds of one run for each contestant and round, and why somebody is missing."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def ratio(self, ours: str, against: Sequence[str]) -> Ratio | None:
        """How many times as long the others took; of several, the fastest in each round. None when all are absent."""
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
    """Compare the answers with that of ``truth``, then measure all who gave it, but for those who are ``untimed``.

    ``contestants`` are made here, so that one who cannot be made is only absent. Raises WrongAnswer when one of
    ``ours`` answers differently from ``truth``.
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
    """Drop from ``ready`` whoever answers something else, and say so in ``result.absent``."""
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
        except Exception as problem:  # somebody else's program, on a text that it cannot take: the others go on
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
    """Say where two answers part, or return None when they are equal."""
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
    # What is there already lives on: the collections below need not look at it again.
    gc.freeze()
    try:
        for round_number in range(rounds):
            for at in range(len(names)):
                name = names[(at + round_number) % len(names)]
                gc.collect()  # nobody pays for the garbage of the one before
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
        del result  # freeing is not part of the work, and not of the next run's time either
    return total / runs
