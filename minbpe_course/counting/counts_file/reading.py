"""A counts file as a mapping from words to counts, of which little is ever in memory."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockReader, Rows
from minbpe_course.counting.counts_file.layout import ORDER, Dropped, Header, Totals
from minbpe_course.counting.counts_file.survey import Counted, Survey, each_row, survey
from minbpe_course.errors import UnreadableCounts

if TYPE_CHECKING:
    from minbpe_course.counting.word_counts import WordCounts

# In the class below ``bytes`` is a number.
_Word: TypeAlias = bytes
# First words of blocks that a file keeps in mind.
_REMEMBERED = 1 << 14


class CountsFile(Mapping[bytes, int]):
    """The counts of a text, kept in a file: a mapping from words to counts, in order of the words' bytes.

    Made by ``open_counts``. Iterating streams through the file; a single word is found by the index of the file.

    path · header · occurrences : the sum of all counts · bytes : of the counted text · dropped : what prunings took out
    · min_frequency : the greatest that words were dropped below, 1 for never · sha256 : of the content, hexadecimal.

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
            self._totals: Totals = reader.totals
            self._seal = reader.sha256
        self._index: np.ndarray | None = None
        self._first_words: dict[int, _Word] = {}
        self._last: tuple[int, Rows] | None = None
        # The words of that block, once it has been asked twice: whoever asks in order finds most of them here.
        self._near: dict[_Word, int] = {}
        self._near_of = -1

    @property
    def pattern(self) -> str | None:
        """The regular expression by which the text was split, or None."""
        return self.header.pattern

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The borders between words, which were not counted."""
        return self.header.special_tokens

    @property
    def cleaning(self) -> tuple[str, ...]:
        """The names of the filters that the text went through."""
        return self.header.cleaning

    @property
    def occurrences(self) -> int:
        """The sum of all counts."""
        return self._totals.occurrences

    @property
    def bytes(self) -> int:
        """How many bytes of text were counted, those of dropped words among them."""
        return self._totals.bytes

    @property
    def longest(self) -> int:
        """Bytes of the longest word."""
        return self._totals.longest

    @property
    def dropped(self) -> Dropped:
        """What prunings took out, all together."""
        return self._totals.dropped

    @property
    def min_frequency(self) -> int:
        """The greatest frequency below which words were ever dropped; 1 says that nothing was."""
        return self._totals.min_frequency

    @property
    def sha256(self) -> str:
        """The SHA-256 that the file says of itself; ``check`` says whether that is so."""
        return self._seal.hex()

    def __len__(self) -> int:
        return self._totals.words

    def __iter__(self) -> Iterator[_Word]:
        return (word for word, _ in self._pairs())

    def __reduce__(self) -> tuple[type[CountsFile], tuple[str]]:
        return type(self), (str(self.path),)

    def __repr__(self) -> str:
        return f"CountsFile({str(self.path)!r}: {len(self):,} distinct words, {self.occurrences:,} words)"

    def __getitem__(self, word: _Word) -> int:
        if not isinstance(word, _Word):
            raise KeyError(word)
        if count := self._near.get(word):
            return count
        with self._opened() as reader:
            if self._index is None:
                self._index = reader.index()
            # The last block that begins with this word or before it.
            number = bisect_right(range(len(self._index)), word, key=lambda block: self._first_word(reader, block)) - 1
            if number < 0:
                raise KeyError(word)
            if self._last is None or self._last[0] != number:
                self._last = number, reader.block(number, int(self._index[number]))
            elif self._near_of != number:
                self._near_of, self._near = number, {row.word: row.count for row in each_row(self._last[1])}
        block = self._last[1]
        place = bisect_left(range(block.ends.size), word, key=lambda place: _word(block, place))
        if place == block.ends.size or _word(block, place) != word:
            raise KeyError(word)
        return int(block.counts[place])

    def _first_word(self, reader: BlockReader, number: int) -> _Word:
        """The word with which a block begins, remembered, since all searches begin alike."""
        if number not in self._first_words:
            if len(self._first_words) == _REMEMBERED:
                self._first_words.clear()
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
        """Yield word, count and first place of each word, in order of the words' bytes."""
        for block in self.blocks():
            yield from each_row(block)

    def blocks(self) -> Iterator[Rows]:
        """Yield the same as flat arrays, some thousand words at a time. Raises UnreadableCounts."""
        with self._opened() as reader:
            yield from reader.blocks()

    def load(self) -> WordCounts:
        """Return all of it in memory, in the order first seen. Raises UnreadableCounts."""
        from minbpe_course.counting.word_counts import WordCounts
        from minbpe_course.kernels.counting.sorting import SLACK, gather_words

        text = np.empty(self._totals.text + SLACK, dtype=np.uint8)
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
        sorted_text, sorted_ends = np.empty_like(text), np.empty_like(ends)
        places = [array.ctypes.data for array in (text, ends, order)]
        gather_words(*places, words, sorted_text.ctypes.data, 0, sorted_ends.ctypes.data)
        known = None if self.header.places == ORDER else firsts[order]
        return WordCounts(sorted_text[:used], sorted_ends, counts[order], known, self.dropped, self.min_frequency)

    def most_common(self, number: int = 10) -> list[tuple[_Word, int]]:
        """Return the commonest words with their counts; of equal ones the first seen comes first."""
        return [(one.word, one.count) for one in self.survey(number).common]

    def survey(self, number: int = 10) -> Survey:
        """Return the commonest words and how many words have which count, after reading all once."""
        return survey(self.blocks(), number)

    def check(self) -> None:
        """Read all of it and compare every checksum. Raises UnreadableCounts, which says where the damage is."""
        digest = hashlib.sha256()
        with self._opened() as reader:
            for _ in reader.blocks():
                pass
            reader.index()
            for data in reader.sealed():
                digest.update(data)
            if digest.digest() != self._seal:
                raise reader.damaged(reader.size, "the SHA-256 of the file is another")

    def _pairs(self) -> Iterator[tuple[_Word, int]]:
        return ((one.word, one.count) for one in self.rows())

    def _opened(self) -> BlockReader:
        reader = BlockReader(self.path)
        if reader.sha256 != self._seal:
            reader.close()
            raise UnreadableCounts(f"{self.path} was replaced since it was opened; open it again: open_counts(path)")
        return reader


def _word(block: Rows, place: int) -> bytes:
    return block.text[block.ends[place - 1] if place else 0 : block.ends[place]].tobytes()


def open_counts(path: str | PathLike[str]) -> CountsFile:
    """Open a counts file; only its header and its totals are read at once.

    Raises UnusablePath, and UnreadableCounts when it is no counts file or damaged.

    >>> import tempfile
    >>> from minbpe_course.counting.counts_file import write_counts
    >>> path = Path(tempfile.mkdtemp(), "small.counts")
    >>> write_counts({b"low": 5, b"lower": 2}, path)[b"low"]
    5
    >>> open_counts(path).most_common(1)
    [(b'low', 5)]
    """
    return CountsFile(os.fspath(path))
