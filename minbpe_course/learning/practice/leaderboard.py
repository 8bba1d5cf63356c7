"""Keep a learner's leaderboard: a small file of measurements.

The score is bytes per token, over all held-out texts. A vocabulary has a budget: an entry that uses more ids than
``MOST_IDS`` is shown below the others and has no place. ``practice.contest`` measures. The file is replaced as a whole,
two kernels wait for each other, and a damaged file is moved aside. Entries on different texts are never compared.
Limits: learners can edit their file; a teacher measures again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from minbpe_course.learning.practice.shared_file import alone, read_shared, write_shared

NAME = ".minbpe_course_leaderboard.json"
MOST_IDS = 2_048  # the budget
LARGEST = 1e15


@dataclass(frozen=True)
class Entry:
    """The measurements of one tokenizer on some held-out texts.

    ids : up to the highest that was used. tokens, bytes : of all texts. dearest : the tokens of the language that needs
    most, as a multiple of the one that needs fewest, for the same sentences. speed : relative to the plain tokenizer.

    >>> Entry("mine", "some texts", ids=512, tokens=400, bytes=900, dearest=4.0, speed=1.0).bytes_per_token
    2.25
    """

    name: str
    texts: str
    ids: int
    tokens: int
    bytes: int
    dearest: float
    speed: float

    @property
    def bytes_per_token(self) -> float:
        """The score: the average number of bytes per token."""
        return self.bytes / self.tokens


def read_board(path: Path) -> tuple[list[Entry], list[str]]:
    """Return the entries, none if the file is missing, and notes; a damaged file is moved aside."""
    entries, notes = read_shared(path, _entries, "the leaderboard starts from nothing")
    return entries or [], notes


def enter(path: Path, new: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Add entries, replacing older ones of the same name on the same texts; return all, and notes about the file.

    Writes nothing if there is nothing to add.
    """
    if not new:
        return read_board(path)
    with alone(path):
        entries, notes = read_board(path)
        gone = [(each.name, each.texts) for each in new]
        entries = [each for each in entries if (each.name, each.texts) not in gone] + [*new]
        if problem := write_shared(path, {"entries": [asdict(each) for each in entries]}):
            notes.append(f"this is not kept: {problem}")
    return entries, notes


def _entries(stored: Any) -> list[Entry]:
    """Return entries from untrusted values. Raises ValueError, TypeError or KeyError for invalid ones."""
    entries = [Entry(**values) for values in stored["entries"]]
    for entry in entries:
        numbers = (entry.ids, entry.tokens, entry.bytes, entry.speed)
        usual = all(0 < number < LARGEST for number in numbers) and 1 <= entry.dearest < LARGEST
        if not (usual and entry.name and isinstance(entry.name, str)):
            raise ValueError("not an entry")
    return entries
