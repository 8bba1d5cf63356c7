"""What is known of counts after one look at each word: the commonest, and how few words make up how much of a text."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from minbpe_course.counting.counts_file.blocks import Rows


class Counted(NamedTuple):
    """A word, how often it occurs, and at which byte of the counted text first."""

    word: bytes
    count: int  # type: ignore[assignment]
    first: int


class Survey(NamedTuple):
    """common : the commonest words, of equal ones the first seen first · frequencies : count -> how many words have it.

    >>> columns = (np.array(column) for column in ([1, 2, 3], [7, 1, 2], [0, 5, 9]))
    >>> block = Rows(np.frombuffer(b"abc", dtype=np.uint8), *columns)
    >>> found = survey([block], 1)
    >>> found.common[0].word, found.words_that_cover(Fraction(9, 10)), found.frequencies[1]
    (b'a', 2, 1)
    """

    common: list[Counted]
    frequencies: Counter[int]

    def words_that_cover(self, share: Fraction) -> int:
        """How many of the commonest words make up this share of all occurrences."""
        wanted = share * sum(count * words for count, words in self.frequencies.items())
        covered = needed = 0
        for count in sorted(self.frequencies, reverse=True):
            here = min(self.frequencies[count], max(0, -((covered - wanted) // count)))
            covered += here * count
            needed += here
            if covered >= wanted:
                break
        return int(needed)


def survey(blocks: Iterable[Rows], number: int) -> Survey:
    """Look at all words once; ``number`` : how many of the commonest are wanted."""
    common: list[Counted] = []
    frequencies: Counter[int] = Counter()
    for block in blocks:
        for count, words in zip(*(column.tolist() for column in np.unique(block.counts, return_counts=True))):
            frequencies[count] += words
        least = common[-1].count if 0 < number == len(common) else 0
        if number > 0 and block.counts.max() >= least:
            common = heapq.nsmallest(number, [*common, *each_row(block, least)], key=_commonest_first)
    return Survey(common, frequencies)


def each_row(block: Rows, least: int = 0) -> Iterator[Counted]:
    """Yield the words of a block that occur at least so often.

    >>> block = Rows(np.frombuffer(b"abc", dtype=np.uint8), *(np.array(row) for row in ([1, 3], [7, 1], [0, 5])))
    >>> list(each_row(block, 2))
    [Counted(word=b'a', count=7, first=0)]
    """
    text, begin = block.text.tobytes(), 0
    for end, count, first in zip(block.ends.tolist(), block.counts.tolist(), block.firsts.tolist()):
        if count >= least:
            yield Counted(text[begin:end], count, first)
        begin = end


def _commonest_first(row: Counted) -> tuple[int, int]:
    return -row.count, row.first
