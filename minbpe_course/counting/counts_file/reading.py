"""A counts file as a mapping from words to counts, of which only a little is ever in memory."""

from __future__ import annotations

import hashlib
import heapq
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockReader
from minbpe_course.counting.counts_file.layout import ORDER, SIGNATURE, Header
from minbpe_course.counting.word_counts import Rows, WordCounts
from minbpe_course.errors import UnreadableInput


class Counted(NamedTuple):
    """A word, its count, and how many bytes of the counted text come before its first occurrence."""

    word: bytes
    count: int  # type: ignore[assignment]
    first: int


def commonest(blocks: Iterable[Rows], number: int) -> list[Counted]:
    """Return the ``number`` commonest words of some blocks, among equals the first seen first."""
    common: list[Counted] = []
    for block in blocks:
        least = common[-1].count if 0 < number == len(common) else 0
        if number > 0 and block.counts.max(initial=0) >= least:
            rows = (row for row in each_row(block) if row.count >= least)
            common = heapq.nsmallest(number, [*common, *rows], key=lambda row: (-row.count, row.first))
    return common


def each_row(block: Rows) -> Iterator[Counted]:
    """Yield the words of a block."""
    text, begin = block.text.tobytes(), 0
    for end, count, first in zip(block.ends.tolist(), block.counts.tolist(), block.firsts.tolist()):
        yield Counted(text[begin:end], count, first)
        begin = end


class CountsFile(Mapping[bytes, int]):
    """The counts of a text, kept in a file: a mapping from words to counts, sorted by the bytes of the words.

    ``open_counts`` returns one. Iterating streams through the file; the index of the file finds a single word.

    path · header · pattern, special_tokens, cleaning : how the text was split · occurrences : the sum of all counts ·
    bytes : of the counted text, dropped words included · longest : bytes of the longest word · dropped : the words that
    pruning removed · min_frequency : the greatest frequency below which words were dropped, 1 for never · sha256 :
    recorded in the file, hexadecimal; ``check`` verifies it.

    >>> import tempfile
    >>> from minbpe_course.counting.count_words import count_words
    >>> from minbpe_course.counting.counts_file import write_counts
    >>> path = Path(tempfile.mkdtemp(), "small.counts")
    >>> counts = write_counts(count_words("low low lower", pattern=r"\\S+|\\s"), path, pattern=r"\\S+|\\s")
    >>> list(counts.items()), counts.occurrences, counts.bytes
    ([(b' ', 2), (b'low', 2), (b'lower', 1)], 5, 13)
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        with BlockReader(self.path) as reader:
            self.header: Header = reader.header
            totals, self._digest = reader.totals, reader.sha256
        self.pattern = self.header.pattern
        self.special_tokens = self.header.special_tokens
        self.cleaning = self.header.cleaning
        self.occurrences = totals.occurrences
        self.bytes = totals.bytes
        self.longest = totals.longest
        self.dropped = totals.dropped
        self.min_frequency = totals.min_frequency
        self.sha256 = self._digest.hex()
        self._words, self._text = totals.words, totals.text
        self._index: np.ndarray | None = None
        self._first_words: dict[int, bytes] = {}
        self._last: tuple[int, Rows] | None = None

    def __len__(self) -> int:
        return self._words

    def __iter__(self) -> Iterator[bytes]:
        return (row.word for row in self.rows())

    def __reduce__(self) -> tuple[type[CountsFile], tuple[str]]:
        return type(self), (str(self.path),)

    def __repr__(self) -> str:
        return f"CountsFile({str(self.path)!r}: {len(self):,} distinct words, {self.occurrences:,} words)"

    def __getitem__(self, word: bytes) -> int:
        if not isinstance(word, bytes):
            raise KeyError(word)
        with self._opened() as reader:
            if self._index is None:
                self._index = reader.index()
            # The last block that begins with this word or before it.
            number = bisect_right(range(len(self._index)), word, key=lambda block: self._first_word(reader, block)) - 1
            if number < 0:
                raise KeyError(word)
            if self._last is None or self._last[0] != number:
                self._last = number, reader.block(number, int(self._index[number]))
        block = self._last[1]
        place = bisect_left(range(block.ends.size), word, key=lambda place: _word(block, place))
        if place == block.ends.size or _word(block, place) != word:
            raise KeyError(word)
        return int(block.counts[place])

    def _first_word(self, reader: BlockReader, number: int) -> bytes:
        """Return the first word of a block, cached because all binary searches begin with the same blocks."""
        if number not in self._first_words:
            assert self._index is not None
            self._first_words[number] = _word(reader.block(number, int(self._index[number])), 0)
        return self._first_words[number]

    def __contains__(self, word: object) -> bool:
        try:
            self[word]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def rows(self) -> Iterator[Counted]:
        """Yield word, count and first place of each word, sorted by the bytes of the words."""
        for block in self.blocks():
            yield from each_row(block)

    def blocks(self) -> Iterator[Rows]:
        """Yield the same as flat arrays, a few thousand words at a time. Raises UnreadableInput."""
        with self._opened() as reader:
            yield from reader.blocks()

    def load(self) -> WordCounts:
        """Return all counts in memory, in the order first seen. Raises UnreadableInput."""
        from minbpe_course.kernels.counting.sorting import SLACK

        text = np.empty(self._text + SLACK, dtype=np.uint8)
        ends, counts, firsts = (np.empty(len(self), dtype=np.int64) for _ in range(3))
        words = used = 0
        for block in self.blocks():
            stop = words + block.ends.size
            text[used : used + block.text.size] = block.text
            ends[words:stop] = block.ends + used
            counts[words:stop] = block.counts
            firsts[words:stop] = block.firsts
            words, used = stop, used + block.text.size
        order = np.argsort(firsts)
        known = None if self.header.places == ORDER else firsts[order]
        return WordCounts(*in_order(text, ends, order), counts[order], known, self.dropped, self.min_frequency)

    def most_common(self, number: int = 10) -> list[tuple[bytes, int]]:
        """Return the commonest words with their counts, among equals the first seen first."""
        return [(row.word, row.count) for row in commonest(self.blocks(), number)]

    def check(self) -> None:
        """Read everything and verify every checksum. Raises UnreadableInput, which says where the damage is."""
        digest = hashlib.sha256()
        with self._opened() as reader:
            for _ in reader.blocks():
                pass
            reader.index()
            for data in reader.sealed():
                digest.update(data)
            if digest.digest() != self._digest:
                raise reader.damaged(reader.size, "the SHA-256 of the file is wrong")

    def _opened(self) -> BlockReader:
        reader = BlockReader(self.path)
        if reader.sha256 != self._digest:
            reader.close()
            raise UnreadableInput(f"{self.path} was replaced after it was opened; open it again: open_counts(path)")
        return reader


def _word(block: Rows, place: int) -> bytes:
    return block.text[block.ends[place - 1] if place else 0 : block.ends[place]].tobytes()


def in_order(text: np.ndarray, ends: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words at ``order``, and where they end; text : has SLACK bytes after the words."""
    from minbpe_course.kernels.counting.sorting import gather_words

    sorted_text, sorted_ends = np.empty_like(text), np.empty_like(ends)
    places = [array.ctypes.data for array in (text, ends, order)]
    size = gather_words(*places, ends.size, sorted_text.ctypes.data, 0, sorted_ends.ctypes.data)
    return sorted_text[:size], sorted_ends


def open_counts(path: str | PathLike[str]) -> CountsFile:
    """Open a counts file; this reads only its header and its totals.

    Raises UnusablePath, and UnreadableInput when it is damaged or not a counts file.

    >>> import tempfile
    >>> from minbpe_course.counting.counts_file import write_counts
    >>> path = Path(tempfile.mkdtemp(), "small.counts")
    >>> write_counts({b"low": 5, b"lower": 2}, path)[b"low"]
    5
    >>> open_counts(path).most_common(1)
    [(b'low', 5)]
    """
    return CountsFile(os.fspath(path))


def is_counts_file(path: str | PathLike[str]) -> bool:
    """Return whether a file begins as a counts file of any version does."""
    try:
        # Not a pipe: the bytes read here would be lost.
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return file.read(len(SIGNATURE) - 1) == SIGNATURE[:-1]
    except (OSError, ValueError):
        return False
