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

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from minbpe_course.errors import InvalidOption, MinbpeCourseError
from minbpe_course.files import write_whole
from minbpe_course.learning.practice.shared_file import alone, read_shared, shared_bytes

NAME = ".minbpe_course_leaderboard.json"
LONGEST_NAME = 40
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


@dataclass
class Board:
    """The entries, and notes about problems with the file."""

    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def ranked(self, corpus: str) -> list[Entry]:
        """Return the entries on one corpus, the best first; equal scores by name."""
        return sorted(
            (each for each in self.entries if each.corpus == corpus), key=lambda each: (-each.score, each.name)
        )


def read_board(path: Path) -> Board:
    """Return the entries, none if the file is missing; a damaged file is moved aside, with a note."""
    entries, notes = read_shared(path, _entries, "the leaderboard starts from nothing")
    return Board(entries or [], notes)


def enter(path: Path, entries: Iterable[Entry]) -> Board:
    """Add entries, replacing older ones of the same name on the same corpus; return the board.

    Writes nothing if there is nothing to add. Problems with the file do not raise; they are in the notes. Raises
    InvalidOption for an entry without a name.
    """
    new = [_entry(asdict(each)) for each in entries]
    if not new:
        return read_board(path)
    with alone(path):
        board = read_board(path)
        gone = {(each.name, each.corpus) for each in new}
        board.entries = [each for each in board.entries if (each.name, each.corpus) not in gone] + new
        try:
            write_whole(path, shared_bytes({"entries": [asdict(each) for each in board.entries]}))
        except (OSError, MinbpeCourseError) as error:
            board.notes.append(f"this is not kept: {error}")
    return board


def _entries(stored: Any) -> list[Entry]:
    return [_entry(values) for values in stored["entries"]]


def _entry(values: Any) -> Entry:
    """Return an entry from untrusted values. Raises ValueError, TypeError or KeyError for invalid ones."""
    name = " ".join(str(values["name"]).encode("utf-8", "replace").decode("utf-8").split())[:LONGEST_NAME]
    if not name:
        raise InvalidOption("an entry needs a name, for example: --name mine")
    entry = Entry(**{**values, "name": name, "corpus": str(values["corpus"])})
    numbers = (entry.bits, entry.tokens, entry.bytes, entry.fairness, entry.speed)
    if not all(0 < number < LARGEST for number in numbers) or entry.fairness > 1:
        raise ValueError("not an entry")
    return entry
