"""Sorted runs of words: write them in blocks, read the blocks, and merge several runs.

The counting phase of training ends with rows (word, count, first place). Sorted by word they take little space, since
neighbours share a prefix: ``token``, ``tokenizer``, ``tokens``. And several sorted runs can be merged without holding
any of them in memory, like packs of sorted cards.

    >>> rows = [WordRow(b"low", 5, 0), WordRow(b"lower", 2, 21), WordRow(b"new", 6, 40)]
    >>> block = encode_block(0, rows)
    >>> decode_block(block, 0) == rows
    True
    >>> list(merged([rows, [WordRow(b"lower", 1, 7)]]))[1]
    WordRow(word=b'lower', count=3, first=7)

``docs/counts-file.md`` describes a block byte by byte.
``kernels.counting.runs`` is the compiled version.
"""

from __future__ import annotations

import heapq
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from minbpe_course.errors import UnreadableInput

# A block is full when it has this many words, or when its words have this many bytes in total.
BLOCK_WORDS, BLOCK_TEXT = 2048, 1 << 15

# crc of the rest, words, bytes of a first place, number of the block, bytes of the words, bytes of the columns.
HEAD = struct.Struct("<IHHQQQ")

_LARGEST = (1 << 63) - 1


class WordRow(NamedTuple):
    """A word, how often it occurs, and at which byte of the counted text it occurs first."""

    word: bytes
    count: int  # type: ignore[assignment]
    first: int


def sorted_rows(rows: Iterable[WordRow]) -> list[WordRow]:
    """Return the rows in order of the bytes of their words.

    >>> [row.word for row in sorted_rows([WordRow(b"b", 1, 0), WordRow(b"a", 1, 1), WordRow(b"a\\0", 1, 2)])]
    [b'a', b'a\\x00', b'b']
    """
    return sorted(rows, key=attrgetter("word"))


def blocks_of(rows: Iterable[WordRow]) -> Iterator[list[WordRow]]:
    """Yield sorted rows as the blocks in which they are written.

    >>> [len(block) for block in blocks_of([WordRow(b"a" * 40_000, 1, 0), WordRow(b"b", 1, 1)])]
    [1, 1]
    """
    block: list[WordRow] = []
    text = 0
    for row in rows:
        block.append(row)
        text += len(row.word)
        if len(block) == BLOCK_WORDS or text >= BLOCK_TEXT:
            yield block
            block, text = [], 0
    if block:
        yield block


def encode_block(number: int, rows: Sequence[WordRow]) -> bytes:
    """Return the bytes of a block; ``number`` : how many blocks of the file come before it.

    >>> encode_block(0, [WordRow(b"low", 5, 0), WordRow(b"lower", 2, 21)])[32:].hex(" ")
    '03 32 05 02 00 15 6c 6f 77 65 72'
    """
    lengths, counts, suffixes = bytearray(), bytearray(), bytearray()
    before = b""
    for word, count, _ in rows:
        shared = _shared(before, word)
        rest = len(word) - shared
        lengths.append(min(shared, 15) << 4 | min(rest, 15))
        if shared >= 15:
            lengths += varint(shared - 15)
        if rest >= 15:
            lengths += varint(rest - 15)
        counts += varint(count)
        suffixes += word[shared:]
        before = word
    width = max(1, (max(row.first for row in rows).bit_length() + 7) // 8)
    firsts = b"".join(row.first.to_bytes(width, "little") for row in rows)
    columns = bytes(lengths + counts + firsts + suffixes)
    text = sum(len(row.word) for row in rows)
    covered = HEAD.pack(0, len(rows), width, number, text, len(columns))[4:] + columns
    return struct.pack("<I", zlib.crc32(covered)) + covered


def decode_block(data: bytes, number: int, before: bytes = b"") -> list[WordRow]:
    """Return the rows of a block. ``before`` : the last word of the previous block; all words must be greater.

    Raises UnreadableInput with the byte of the block at which it is damaged.
    """
    if len(data) < HEAD.size:
        raise UnreadableInput(f"byte 0 of the block: {len(data)} bytes are no block.")
    crc, words, width, said, text, size = HEAD.unpack_from(data)
    if len(data) != HEAD.size + size or zlib.crc32(data[4:]) != crc:
        raise UnreadableInput("byte 0 of the block: its checksum is another.")
    if said != number or not 0 < words <= BLOCK_WORDS or not 0 < width <= 8:
        raise UnreadableInput("byte 4 of the block: it does not belong here.")
    reader = _Columns(data)
    lengths = [reader.lengths() for _ in range(words)]
    if sum(shared + rest for shared, rest in lengths) != text:
        raise UnreadableInput(f"byte {reader.at} of the block: its words have another length than it says.")
    counts = [reader.varint() for _ in range(words)]
    firsts = [int.from_bytes(reader.take(width), "little") for _ in range(words)]
    rows: list[WordRow] = []
    word = b""
    for (shared, rest), count, first in zip(lengths, counts, firsts):
        begin = reader.at
        suffix = reader.take(rest)
        # The word must be greater than the one before, and its suffix must not repeat shared bytes.
        follows = rest and shared <= len(word) and (shared == len(word) or suffix[0] > word[shared])
        if not follows or (not rows and shared):
            raise UnreadableInput(f"byte {begin} of the block: a word that does not follow the one before.")
        if not 0 < count <= _LARGEST or first > _LARGEST:
            raise UnreadableInput(f"byte {begin} of the block: a count or a place that none can have.")
        word = word[:shared] + suffix
        rows.append(WordRow(word, count, first))
    if reader.at != len(data):
        raise UnreadableInput(f"byte {reader.at} of the block: bytes behind its last word.")
    if rows[0].word <= before:
        raise UnreadableInput("byte 0 of the block: its first word does not follow the block before.")
    return rows


def merged(runs: Iterable[Iterable[WordRow]], min_frequency: int = 1) -> Iterator[WordRow]:
    """Yield the rows of several sorted runs as one: a word's counts are added, the first of its places stays.

    >>> one, other = [WordRow(b"a", 1, 0), WordRow(b"b", 2, 1)], [WordRow(b"b", 3, 7), WordRow(b"c", 1, 9)]
    >>> [tuple(row) for row in merged([one, other], min_frequency=2)]
    [(b'b', 5, 1)]
    """
    together = heapq.merge(*runs, key=attrgetter("word"))
    for word, same in groupby(together, key=attrgetter("word")):
        rows = list(same)
        count = sum(row.count for row in rows)
        if count >= min_frequency:
            yield WordRow(word, count, min(row.first for row in rows))


def varint(number: int) -> bytes:
    """Return a number seven bits at a time, the lowest first; the eighth bit says that more follows.

    >>> varint(5).hex(), varint(300).hex()
    ('05', 'ac02')
    """
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _shared(before: bytes, word: bytes) -> int:
    """Return the length of the common prefix."""
    same = 0
    while same < min(len(before), len(word)) and before[same] == word[same]:
        same += 1
    return same


class _Columns:
    """The bytes of a block after its head, consumed from the front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = HEAD.size

    def take(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        if size > len(self._data) - self.at:
            raise UnreadableInput(f"byte {self.at} of the block: it ends in the middle of a word.")
        self.at += size
        return self._data[self.at - size : self.at]

    def varint(self) -> int:
        """Return the next number, which must be spelled in as few bytes as possible."""
        number = shift = 0
        begin = self.at
        while True:
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if number > _LARGEST or (byte == 0 and shift > 7):
            raise UnreadableInput(f"byte {begin} of the block: no number.")
        return number

    def lengths(self) -> tuple[int, int]:
        """Return how many bytes a word shares with the one before, and how many follow."""
        byte = self.take(1)[0]
        shared, rest = byte >> 4, byte & 15
        if shared == 15:
            shared += self.varint()
        if rest == 15:
            rest += self.varint()
        return shared, rest
