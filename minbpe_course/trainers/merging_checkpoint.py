"""The merges that training has made so far, kept in a folder, so that a run that was ended goes on where it was.

    header of JSON, one line     {"format": ..., "version": 1, "words": SHA-256, "tie_break": ..., "merges": n, ...}
    int32[n, 2]                  the pairs, oldest first, with bytes for the first 256 ids
    int64[n]                     how often each pair occurred when it was merged
    32 bytes                     SHA-256 of everything before

Kept are the merges alone and not the arrays of the trainer. From the words and the merges the arrays are made again
(``kernels.training_again``), by merging each word by itself, on all cores. Measured on 1 GB of source text and
documentation (1.9 million distinct words, 32,000 tokens, two cores), where all merges together take 1.6 s:

    kept                  bytes      to write        to go on behind the last merge
    the merges            0.5 MB     0.003 s         0.9 s
    the arrays            360 MB     0.5 to 1.3 s    0.3 to 1.4 s

The arrays would be written so seldom, if writing is to cost little, that a run of some seconds would lose all it did,
and with more words they grow as the work does. The merges can be written every few seconds for nothing, and the file
does not depend on how a version of the trainer lays out its arrays. They also say more: a run with a larger vocabulary
goes on behind them, one with a smaller vocabulary or a higher ``min_frequency`` takes the first of them and is done.
All of this is true because which merge comes next depends on the words, the rule and the merges before it alone.

A file that belongs to other words or another rule is an error that says so; nothing is ever taken from it. One that is
damaged is told to ``logging`` and replaced: the merges are made again. Readers and writers see whole files only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import DifferentCheckpoint, MissingFile, UnusablePath
from minbpe_course.files import read_whole, write_whole

_log = logging.getLogger("minbpe_course")

FORMAT, VERSION = "merges of minbpe_course", 1
NAME = "merges.state"

# Seconds between two times that the merges are written, at least; and how often what writing took.
_SECONDS, _TIMES = 3.0, 20.0
_SHA256 = 32


class Made(NamedTuple):
    """Merges that are made already.

    pairs : int32[n, 2] · counts : int64[n], never rising · exhausted : the frequency that no further pair reaches, 0
    when that is not known.
    """

    pairs: np.ndarray
    counts: np.ndarray
    exhausted: int

    def wanted(self, limit: int, min_frequency: int) -> tuple[int, bool]:
        """How many of them a call wants that makes ``limit`` merges at most, and whether it wants no others.

        >>> made = Made(np.zeros((3, 2), dtype=np.int32), np.array([9, 5, 5]), exhausted=5)
        >>> made.wanted(2, 1), made.wanted(8, 6), made.wanted(8, 5), made.wanted(8, 1)
        ((2, True), (1, True), (3, True), (3, False))
        """
        frequent = int(np.searchsorted(-self.counts, -min_frequency, side="right"))
        number = min(limit, frequent)
        complete = number == limit or frequent < len(self.counts) or 0 < self.exhausted <= min_frequency
        return number, complete


NOTHING = Made(np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.int64), 0)


class MergingCheckpoint:
    """One folder with the merges of one training run, which is alone there until ``close``.

    >>> import tempfile
    >>> words = WordCounts.from_mapping({b"aab": 2})
    >>> with MergingCheckpoint(tempfile.mkdtemp(), words, "first-seen") as kept:
    ...     kept.write(np.array([[97, 97]], dtype=np.int32), np.array([2]), 0)
    ...     kept.read().pairs.tolist()
    [[97, 97]]

    Raises UnusablePath, FolderInUse.
    """

    def __init__(self, folder: str | os.PathLike[str], words: WordCounts, tie_break: str) -> None:
        self.path = Path(folder) / NAME
        self._tie_break = tie_break
        self._words = _sha256_of(words)
        self._next = 0.0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise UnusablePath(f"{self.path.parent} is a file; a checkpoint is a folder.") from None
        except OSError as error:
            raise UnusablePath(f"cannot make the folder {self.path.parent}: {error.strerror}.") from error
        self._lock = FolderLock(self.path.parent)
        # What a killed process has left beside the file.
        for part in self.path.parent.glob(f".{NAME}.*.part"):
            with contextlib.suppress(OSError):
                part.unlink()

    def __enter__(self) -> MergingCheckpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.release()

    def read(self) -> Made:
        """Return the merges made so far; none when there is no file, or when it is damaged, which is logged.

        Raises DifferentCheckpoint, UnusablePath.
        """
        try:
            data = read_whole(self.path)
        except MissingFile:
            return NOTHING
        header, _, rest = data.partition(b"\n")
        said = self._checked(header)
        if said is None or hashlib.sha256(data[:-_SHA256]).digest() != data[-_SHA256:]:
            return self.damaged("its checksum is wrong")
        number = said["merges"]
        pairs = np.frombuffer(rest, dtype="<i4", count=2 * number).reshape(-1, 2).astype(np.int32)
        counts = np.frombuffer(rest, dtype="<i8", count=number, offset=8 * number).astype(np.int64)
        return Made(pairs, counts, said["exhausted"])

    def damaged(self, why: str) -> Made:
        """Log that the file cannot be used; return what is known then: nothing."""
        _log.warning("%s is damaged (%s) and not used: all merges are made again.", self.path, why)
        return NOTHING

    def is_due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() >= self._next

    def write(self, pairs: np.ndarray, counts: np.ndarray, exhausted: int) -> None:
        """Replace the file. Raises UnusablePath; the file from before is whole then."""
        begun = time.monotonic()
        said = dict(format=FORMAT, version=VERSION, words=self._words, tie_break=self._tie_break)
        said |= dict(merges=len(pairs), exhausted=exhausted)
        data = json.dumps(said).encode("ascii") + b"\n" + pairs.astype("<i4").tobytes() + counts.astype("<i8").tobytes()
        write_whole(self.path, data + hashlib.sha256(data).digest())
        now = time.monotonic()
        self._next = now + max(_SECONDS, _TIMES * (now - begun))

    def write_if_possible(self, pairs: np.ndarray, counts: np.ndarray, exhausted: int) -> None:
        """Replace the file; a disk that is full now is logged, since the model itself may well be finished."""
        try:
            self.write(pairs, counts, exhausted)
        except UnusablePath as problem:
            self._next = time.monotonic() + _TIMES * _SECONDS
            _log.warning("the merges could not be kept; training goes on: %s", problem)

    def _checked(self, header: bytes) -> dict | None:
        """Return what the header says, None when it is damaged. Raises DifferentCheckpoint."""
        try:
            said = json.loads(header.decode("ascii"))
        except ValueError:
            return None
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise DifferentCheckpoint(
                f"{self.path} is no file of merges made so far. Give a folder that is new or empty."
            )
        if said.get("version") != VERSION:
            raise DifferentCheckpoint(
                f"{self.path} was written by another version of minbpe_course (layout {said.get('version')!r}, this "
                f"one reads {VERSION}). Go on with that version, or give another folder."
            )
        if said.get("tie_break") != self._tie_break:
            raise DifferentCheckpoint(
                f"{self.path} holds merges made with tie_break={said.get('tie_break')!r}, and now it is "
                f"{self._tie_break!r}. Say the same again, or give another folder."
            )
        if said.get("words") != self._words:
            raise DifferentCheckpoint(
                f"{self.path} holds merges of other word counts: another text, pattern, special tokens or pruning, or "
                "the same words in another order. Give another folder, or delete this one."
            )
        return said


def _sha256_of(words: WordCounts) -> str:
    made = hashlib.sha256()
    for array, dtype in ((words.ends, "<i8"), (words.counts, "<i8"), (words.text, "u1")):
        made.update(np.ascontiguousarray(array, dtype=dtype).data)
    return made.hexdigest()
