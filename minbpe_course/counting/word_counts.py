"""Distinct words with their counts in memory: the result of counting, and the input of training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from minbpe_course.errors import InvalidSource

# Words that are checked at a time.
_CHECKED = 1 << 16
LARGEST = (1 << 63) - 1
TOO_LARGE = "the counts stand for more bytes of text than 63 bits can number"


class Rows(NamedTuple):
    """Distinct words and their counts as flat arrays.

    text : uint8[n], the words end to end · ends : int64[w], one past each word · counts : int64[w] · firsts : int64[w],
    how many bytes of the counted text come before the first occurrence of each word.
    """

    text: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    firsts: np.ndarray


def covered_bytes(ends: np.ndarray, counts: np.ndarray, start: int = 0) -> int:
    """Return how many bytes of text some words make that occur so often, however many.

    ends : int64, one past each word · counts : int64 · start : where the first word begins.

    >>> covered_bytes(np.array([3, 8]), np.array([2, 1 << 62]))
    23058430092136939526
    """
    if not ends.size:
        return 0
    if int(counts.max()) * int(ends[-1] - start) >= 1 << 63:
        begins = [start, *ends[:-1].tolist()]
        return sum((end - begin) * count for begin, end, count in zip(begins, ends.tolist(), counts.tolist()))
    # The sum fits 63 bits, so it does not matter that these products may wrap.
    found = int(ends @ counts) - int(ends[:-1] @ counts[1:]) - start * int(counts[0])
    return found & LARGEST


class Dropped(NamedTuple):
    """Words removed by pruning: distinct ones, their occurrences, and the bytes of text that these make."""

    words: int
    occurrences: int
    bytes: int


NOTHING_DROPPED = Dropped(0, 0, 0)


class WordCounts(Mapping[bytes, int]):
    """Each distinct word with its count, in the order first seen.

    It reads like a dict from bytes to int; the trainer uses its flat arrays:

    text : uint8[n], the words end to end · ends : int64[w], one past each word · counts : int64[w] · firsts : int64[w],
    how many bytes of the counted text come before each word's first occurrence, or None without a text ·
    occurrences : the sum of all counts · bytes : of the counted text, dropped words included · dropped : removed by
    pruning · min_frequency : the greatest frequency below which words were dropped, 1 for none.

    Raises InvalidSource when the arrays contradict each other, or stand for more text than 63
    bits can number.

    >>> from minbpe_course.counting.count_words import count_words
    >>> counts = count_words("low low lower", pattern=r"\\S+|\\s")
    >>> dict(counts)
    {b'low': 2, b' ': 2, b'lower': 1}
    >>> counts.ends.tolist(), counts.firsts.tolist()
    ([3, 4, 9], [0, 3, 8])
    """

    def __init__(
        self,
        text: np.ndarray,
        ends: np.ndarray,
        counts: np.ndarray,
        firsts: np.ndarray | None = None,
        dropped: Dropped = NOTHING_DROPPED,
        min_frequency: int = 1,
    ) -> None:
        self.text = _column("text", text, np.uint8)
        self.ends = _column("ends", ends, np.int64)
        self.counts = _column("counts", counts, np.int64)
        self.firsts = None if firsts is None else _column("firsts", firsts, np.int64)
        self.dropped = dropped
        self.min_frequency = min_frequency
        self._check()
        self._lookup: dict[bytes, int] | None = None

    def _check(self) -> None:
        """Raise InvalidSource unless kernels can work on the arrays."""
        words = self.ends.size
        if self.counts.size != words or (self.firsts is not None and self.firsts.size != words):
            raise InvalidSource(f"{words:,} ends need as many counts and firsts, got {self.counts.size:,} counts.")
        last = covered = 0
        for start in range(0, words, _CHECKED):
            ends, counts = self.ends[start : start + _CHECKED], self.counts[start : start + _CHECKED]
            lengths = np.diff(ends, prepend=last)
            if lengths.min() <= 0 or counts.min() <= 0:
                raise InvalidSource("ends must ascend from 1 on, since no word is empty, and counts must be above 0.")
            covered += covered_bytes(ends, counts, last)
            last = int(ends[-1])
        if last > self.text.size:
            raise InvalidSource(f"the last word ends at byte {last:,}, but the text has {self.text.size:,} bytes.")
        # The trainer adds counts of pairs in 64 bits, where too large a sum would silently become negative.
        self.bytes = covered + self.dropped.bytes
        if self.bytes > LARGEST:
            raise InvalidSource(f"{TOO_LARGE}: {self.bytes:,}. Divide all counts by the same number.")

    @property
    def occurrences(self) -> int:
        """The sum of all counts."""
        return int(self.counts.sum())

    @classmethod
    def from_mapping(cls, counts: Mapping[bytes, int] | Mapping[str, int]) -> WordCounts:
        """Return word counts from a mapping, whose words may be bytes or str. Raises InvalidSource."""
        words, numbers = [], []
        for word, count in counts.items():
            if isinstance(word, str):
                word = word.encode("utf-8")
            if not isinstance(word, bytes):
                raise InvalidSource(f"words must be bytes or str, got {word!r}.")
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 0 < count < 1 << 62:
                raise InvalidSource(f"the count of {word!r} must be a whole number above 0, got {count!r}.")
            if word:
                words.append(word)
                numbers.append(count)
        ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)), dtype=np.int64)
        # A copy: a read-only array has another type in Numba, which would compile the trainer a second time.
        text = np.frombuffer(b"".join(words), dtype=np.uint8).copy()
        return cls(text, ends, np.array(numbers, dtype=np.int64))

    def pruned(self, min_frequency: int) -> WordCounts:
        """Return the counts of the words that occur at least ``min_frequency`` times; ``dropped`` describes the others.

        >>> WordCounts.from_mapping({b"low": 5, b"new": 1}).pruned(2).dropped
        Dropped(words=1, occurrences=1, bytes=3)
        """
        if min_frequency <= self.min_frequency:
            return self
        kept = self.counts >= min_frequency
        lengths = np.diff(self.ends, prepend=0)
        rare = self.counts[~kept]
        dropped = Dropped(
            self.dropped.words + rare.size,
            self.dropped.occurrences + int(rare.sum()),
            self.dropped.bytes + int((rare * lengths[~kept]).sum()),
        )
        text = self.text[np.repeat(kept, lengths)]
        firsts = None if self.firsts is None else self.firsts[kept]
        ends = np.cumsum(lengths[kept], dtype=np.int64)
        return WordCounts(text, ends, self.counts[kept], firsts, dropped, min_frequency)

    def __getitem__(self, word: bytes) -> int:
        if self._lookup is None:
            self._lookup = dict(self._pairs())
        return self._lookup[word]

    def __iter__(self) -> Iterator[bytes]:
        return (word for word, _ in self._pairs())

    def __len__(self) -> int:
        return len(self.ends)

    def __repr__(self) -> str:
        return f"WordCounts({len(self):,} distinct words, {self.occurrences:,} words)"

    def _pairs(self) -> Iterator[tuple[bytes, int]]:
        data = self.text.tobytes()
        begin = 0
        for end, count in zip(self.ends.tolist(), self.counts.tolist()):
            yield data[begin:end], count
            begin = end


def _column(name: str, array: np.ndarray, dtype: type) -> np.ndarray:
    """Return an array as it is if kernels can take it. Raises InvalidSource."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        found = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InvalidSource(f"{name} must be a NumPy array of {np.dtype(dtype)} in one dimension, got {found}.")
    return array
