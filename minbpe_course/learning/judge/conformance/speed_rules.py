"""Rules about speed, as a ratio and never in seconds: how much longer a longer text takes.

Each size is measured several times, on texts that are never the same, since a tokenizer may remember words. The
smallest time counts, because other work of the machine only adds to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from minbpe_course.learning.judge.conformance.rule import STOPPED, Exam, broken, rule, value_of

ROUNDS, TRIES = 3, 3
LONG_ENOUGH = 0.02  # seconds; a shorter time is harmless, and too short to measure on a busy machine
TIMES_MORE = 8  # characters, when the large text was too quick to measure


def smallest_times(exam: Exam, make: Callable[[int], str], sizes: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds that a text of each size takes."""
    best = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for at, size in enumerate(sizes):
            outcome = exam.candidate.ask(exam.usual, "encode", make(size))
            wanted = "ids, in time" if outcome.state in STOPPED else "ids"
            value_of(outcome, f"encode(...) of {size:,} characters", wanted)
            best[at] = min(best[at], outcome.seconds)
    return best[0], best[1]


def _grows(exam: Exam, make: Callable[[int], str], sizes: tuple[int, int], most: float, what: str) -> None:
    measured = math.inf
    for _ in range(TRIES):  # a busy moment must not fail a tokenizer
        times = smallest_times(exam, make, sizes)
        if times[1] < LONG_ENOUGH:
            sizes = sizes[0] * TIMES_MORE, sizes[1] * TIMES_MORE
            times = smallest_times(exam, make, sizes)
        if times[1] < LONG_ENOUGH:
            return
        measured = min(measured, times[1] / max(times[0], 1e-6))
        if measured <= most:
            return
    given = f"{what} of {sizes[0]:,} and of {sizes[1]:,} characters"
    broken(given, f"the second takes {measured:,.0f} times as long", f"at most {most:g} times", "slow")


@rule(
    "time-of-a-text",
    "Eight times as many words take about eight times as long",
    "Copying the whole text, or all ids, for each word takes quadratic time.",
)
def time_of_a_text(exam: Exam, dice: Random) -> None:
    def make(size: int) -> str:
        return " ".join("".join(dice.choices("abcdefghij", k=dice.randrange(2, 9))) for _ in range(size // 6))

    _grows(exam, make, (2_000, 16_000), 26, "texts")


@rule(
    "time-of-a-word",
    "A word four times as long takes at most about sixteen times as long",
    "The simplest right encoder takes quadratic time. With more than that, one long line stops a server.",
)
def time_of_a_word(exam: Exam, dice: Random) -> None:
    _grows(exam, lambda size: "".join(dice.choices("acgt", k=size)), (200, 800), 32, "single words")
