"""Measure how time grows with the size of the text, with the size of the vocabulary, and on the worst cases.

All sizes of all contestants run in turn, as in a race. A race cancels the noise of the machine by taking ratios within
a round. That is not possible here, so the curves use processor time and the fastest round: other programs can only make
a run slower.

Time that is proportional to size is constant when it is divided by size; ``spread`` is the largest relative deviation
from that constant. ``exponent`` is the slope on logarithmic axes: it is 1 if twice the size takes twice as long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import texts
from benchmarks.contestants import WORKS, Job
from benchmarks.rows import FULL, MB
from benchmarks.speed import NotAvailable, Race, check_answers, clock_for, interleave

SIZE, VOCABULARY, CHARACTERS = "bytes of text", "tokens", "characters"


@dataclass(frozen=True)
class Curve:
    """The times of the contestants ``who`` at several sizes.

    This course comes first in ``who``, then the contestant whose answer counts as right. ``most_spread`` and
    ``most_exponent`` are the targets for this course.
    """

    section: str
    title: str
    work: str
    text: str
    who: tuple[str, ...]
    along: str
    sizes: tuple[tuple[int, ...], tuple[int, ...]]  # of a quick run and of a full run
    vocab_size: int = 0
    rounds: int = 5
    most_spread: float | None = None
    most_exponent: float | None = None

    def points(self, mode: str) -> tuple[int, ...]:
        """Return the sizes of a run; empty if the run leaves the curve out."""
        return self.sizes[mode == FULL]


_TEXT_SIZES = ((MB, 2 * MB, 4 * MB), (MB, 3 * MB, 10 * MB, 30 * MB, 100 * MB))
_HARD_SIZES = ((20_000, 60_000, 200_000), (20_000, 60_000, 200_000, 500_000, 1_000_000))
_CHINESE_SIZES = ((6_000, 20_000, 60_000), (6_000, 20_000, 60_000, 200_000))
_VOCABULARIES = ((512, 2048, 8192), (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536))

CURVES: tuple[Curve, ...] = (
    Curve("Growth with the text", "encode, cl100k", "encode", "big", ("ours, array", "tiktoken"), SIZE, _TEXT_SIZES,
          most_spread=0.15),
    Curve("Growth with the text", "train 4,096 tokens", "train", "big", ("ours", "rustbpe"), SIZE, _TEXT_SIZES,
          vocab_size=4096, most_exponent=1.15),
    Curve("Growth with the vocabulary", "train on English and code", "train", "english", ("ours", "rustbpe"),
          VOCABULARY, _VOCABULARIES),
    *(
        Curve("Worst cases", name, "encode", name, ("ours, array", "tiktoken"), CHARACTERS,
              _CHINESE_SIZES if name.startswith("Chinese") else _HARD_SIZES, most_exponent=1.15)
        for name in ("one letter", "spaces", "ab repeated", "Chinese without a space")
    ),
)  # fmt: skip


def job_at(curve: Curve, size: int, folder: Path, mode: str) -> Job:
    """Return the job at one point of the curve."""
    if curve.along == CHARACTERS:
        return Job(texts.worst_case(curve.text, size), folder=folder)
    if curve.along == VOCABULARY:
        limit = 10 * MB if mode == FULL else 3 * MB
        return Job(texts.load(folder, curve.text, limit), vocab_size=size, folder=folder)
    return Job(texts.load(folder, curve.text, size), vocab_size=curve.vocab_size, folder=folder)


def run(curve: Curve, folder: Path, mode: str, rounds: int | None = None) -> dict[str, Any]:
    """Measure one curve. ``seconds[who][i]`` in the result are the rounds at ``sizes[i]``."""
    ready = {}
    absent: dict[str, str] = {}
    sizes = []
    for size in curve.points(mode):
        job = job_at(curve, size, folder, mode)
        here = {}
        for name in curve.who:
            try:
                here[name] = WORKS[curve.work][name](job)
            except (NotAvailable, ImportError) as reason:
                absent[name] = str(reason)
        found = Race()
        check_answers(here, curve.who[1], curve.who[:1], found)
        absent |= found.absent
        sizes.append(len(job.data) if curve.along == SIZE else size)
        ready.update({f"{name}|{sizes[-1]}": contestant for name, contestant in here.items()})
    times = interleave(ready, rounds=rounds or curve.rounds, clock=clock_for(1))
    seconds = {
        name: [times[f"{name}|{size}"] for size in sizes]
        for name in curve.who
        if all(f"{name}|{size}" in times for size in sizes)
    }
    return {"sizes": sizes, "seconds": seconds, "absent": absent}


@dataclass(frozen=True)
class Shape:
    """How straight a curve is."""

    exponent: float
    spread: float


def shape(sizes: Sequence[int], seconds: Sequence[Sequence[float]]) -> Shape:
    """Return the shape of one contestant's curve; ``seconds[i]`` are the rounds at ``sizes[i]``.

    >>> shape([1, 2, 4], [[1.0, 1.5], [2.0, 3.0], [4.0, 6.0]])
    Shape(exponent=1.0, spread=0.0)
    """
    at = np.log(np.array(sizes, dtype=float))
    level = np.log(fastest(seconds)) - at
    slope = float(np.polyfit(at, level, 1)[0]) if len(sizes) > 1 else 0.0
    spread = max(abs(math.exp(each - float(level.mean())) - 1) for each in level.tolist())
    return Shape(round(1 + slope, 3), round(spread, 3))


def fastest(seconds: Sequence[Sequence[float]]) -> list[float]:
    """Return the fastest round at each size."""
    return [min(rounds) for rounds in seconds]
