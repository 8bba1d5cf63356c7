"""Keep a learner's leaderboard: a small file of measurements. Scores are computed when it is read.

    score = 100 * cube root of (compression * fairness * speed)

    compression   x / (1 + x), where the ids are x times shorter than the bytes, in bits; bytes as ids get 1/2
    fairness      the average of fewest tokens / tokens over the languages: 1 at best
    speed         r / (1 + r), where r is the speed relative to a plain tokenizer of the course

As a product: a bad value cannot be made up for by another. ``practice.contest`` measures. The file is replaced as a
whole, two kernels wait for each other, and a damaged file is moved aside. Entries on different corpora are never
compared. Limits: learners can edit their file; a teacher measures again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from minbpe_course.learning.practice.shared_file import alone, read_shared, write_shared

NAME = ".minbpe_course_leaderboard.json"
LARGEST = 1e15


@dataclass(frozen=True)
class Entry:
    """The measurements of one tokenizer on one corpus.

    bits : per id, log2 of the number of ids up to the highest that was used. tokens, bytes : of the texts.
    fairness : from 0 to 1. speed : relative to the plain tokenizer.

    >>> entry = Entry("mine", "a corpus", bits=9.0, tokens=400, bytes=900, fairness=0.5, speed=1.0)
    >>> entry.times_shorter, round(entry.compression, 3), entry.speed_share, round(entry.score, 1)
    (2.0, 0.667, 0.5, 55.0)
    """

    name: str
    corpus: str
    bits: float
    tokens: int
    bytes: int
    fairness: float
    speed: float

    @property
    def bytes_per_token(self) -> float:
        """The average number of bytes per token."""
        return self.bytes / self.tokens

    @property
    def times_shorter(self) -> float:
        """The bits of the text divided by the bits of the ids."""
        return 8 * self.bytes / (self.bits * self.tokens)

    @property
    def compression(self) -> float:
        """``times_shorter`` scaled to 0..1."""
        return self.times_shorter / (1 + self.times_shorter)

    @property
    def speed_share(self) -> float:
        """``speed`` scaled to 0..1."""
        return self.speed / (1 + self.speed)

    @property
    def score(self) -> float:
        """The geometric mean of the three, from 0 to 100."""
        return float(100 * (self.compression * self.fairness * self.speed_share) ** (1 / 3))


def read_board(path: Path) -> tuple[list[Entry], list[str]]:
    """Return the entries, none if the file is missing, and notes; a damaged file is moved aside."""
    entries, notes = read_shared(path, _entries, "the leaderboard starts from nothing")
    return entries or [], notes


def enter(path: Path, new: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Add entries, replacing older ones of the same name on the same corpus; return all, and notes about the file.

    Writes nothing if there is nothing to add.
    """
    if not new:
        return read_board(path)
    with alone(path):
        entries, notes = read_board(path)
        gone = [(each.name, each.corpus) for each in new]
        entries = [each for each in entries if (each.name, each.corpus) not in gone] + [*new]
        if problem := write_shared(path, {"entries": [asdict(each) for each in entries]}):
            notes.append(f"this is not kept: {problem}")
    return entries, notes


def _entries(stored: Any) -> list[Entry]:
    """Return entries from untrusted values. Raises ValueError, TypeError or KeyError for invalid ones."""
    entries = [Entry(**values) for values in stored["entries"]]
    for entry in entries:
        numbers = (entry.tokens, entry.bytes, entry.speed)
        usual = all(0 < number < LARGEST for number in numbers) and 0 < entry.bits <= 64 and 0 < entry.fairness <= 1
        if not (usual and entry.name and isinstance(entry.name, str)):
            raise ValueError("not an entry")
    return entries
