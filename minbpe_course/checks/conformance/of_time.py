"""Rules about time, as a ratio and never in seconds: what four times as much text costs.

Each size is measured several times on texts that are never the same, since a tokenizer may remember words, and the
smallest time counts: whatever else the machine does only adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from minbpe_course.checks.conformance.rule import STOPPED, Exam, Finding, Rule, in_words, kind_of

ROUNDS, TRIES = 3, 3
LONG_ENOUGH = 0.02  # seconds; what is quicker is no danger, and whatever else the machine does would be measured
TIMES_MORE = 8  # characters, when the large text was too quick to measure


def smallest_times(exam: Exam, make: Callable[[int], str], sizes: tuple[int, int]) -> tuple[float, float] | Finding:
    """Return the seconds that a text of each size takes."""
    best = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for at, size in enumerate(sizes):
            outcome = exam.candidate.ask(exam.usual, "encode", make(size))
            if outcome.state != "value":
                wanted = "ids, in time" if outcome.state in STOPPED else "ids"
                return Finding(f"encode(...) of {size:,} characters", in_words(outcome), wanted, kind_of(outcome))
            best[at] = min(best[at], outcome.seconds)
    return best[0], best[1]


def _grows(exam: Exam, make: Callable[[int], str], sizes: tuple[int, int], most: float, what: str) -> Finding | None:
    measured = math.inf
    for _ in range(TRIES):  # a busy moment must not fail anybody
        times = smallest_times(exam, make, sizes)
        if isinstance(times, tuple) and times[1] < LONG_ENOUGH:
            sizes = sizes[0] * TIMES_MORE, sizes[1] * TIMES_MORE
            times = smallest_times(exam, make, sizes)
        if isinstance(times, Finding):
            return times
        if times[1] < LONG_ENOUGH:
            return None
        measured = min(measured, times[1] / max(times[0], 1e-6))
        if measured <= most:
            return None
    return Finding(
        f"{what} of {sizes[0]:,} and of {sizes[1]:,} characters",
        f"the second takes {measured:,.0f} times as long",
        f"at most {most:g} times",
        "slow",
    )


def _time_of_a_text(exam: Exam, dice: Random) -> Finding | None:
    def make(size: int) -> str:
        words = ("".join(dice.choices("abcdefghij", k=dice.randrange(2, 9))) for _ in range(size // 6))
        return " ".join(words)

    return _grows(exam, make, (2_000, 16_000), 26, "texts")


def _time_of_a_word(exam: Exam, dice: Random) -> Finding | None:
    return _grows(exam, lambda size: "".join(dice.choices("acgt", k=size)), (200, 800), 32, "single words")


RULES = (
    Rule(
        "time-of-a-text",
        "Eight times as many words take about eight times as long",
        "Whoever copies the text for each word, or all ids, pays with the square.",
        _time_of_a_text,
    ),
    Rule(
        "time-of-a-word",
        "A word four times as long takes at most about sixteen times as long",
        "The square is the price of the simplest right encoder. More than that, and one long line stops a server.",
        _time_of_a_word,
    ),
)
