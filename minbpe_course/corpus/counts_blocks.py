"""Counts files as streams: blocks of sorted words go in and come out, and little more than a block is in memory.

``BlockWriter`` and ``BlockReader`` are what everything that reads or writes counts files is made of. The reader
believes nothing: a length is compared with the length of the file before anything is allocated for it, and a block with
its checksum before a kernel sees it.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from minbpe_course.corpus.counts_layout import (
    FOOTER,
    LARGEST_HEADER,
    NOTHING_DROPPED,
    NUMBERS,
    SIGNATURE,
    SIZE,
    Dropped,
    Header,
    Totals,
    open_footer,
    sealed,
)
from minbpe_course.errors import InvalidSource, UnreadableCounts
from minbpe_course.files import opened_to_read
from minbpe_course.reference.runs import BLOCK_TEXT, BLOCK_WORDS, HEAD, Row, decode_block, encode_block

# How much is asked of the disk at a time.
_BUFFER = 1 << 16


class Rows(NamedTuple):
    """Words end to end, uint8[n]; one past each word, counts and first places, each int64[w]."""

    text: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    firsts: np.ndarray


class BlockWriter:
    """Writes a counts file to a file that is open: ``add`` the words in order, then ``finish``."""

    def __init__(self, file: BinaryIO, header: Header) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._at = 0
        self._places: list[bytes] = []
        self._rows: list[Row] = []
        self._text = 0
        self._totals = dict(words=0, occurrences=0, longest=0)
        self._covered = 0
        self._put(header.pack())

    def add(self, rows: Rows) -> None:
        """Write words that follow those before."""
        text, begin = rows.text.tobytes(), 0
        for end, count, first in zip(rows.ends.tolist(), rows.counts.tolist(), rows.firsts.tolist()):
            word = text[begin:end]
            begin = end
            self._rows.append(Row(word, count, first))
            self._text += len(word)
            self._totals["words"] += 1
            self._totals["occurrences"] += count
            self._totals["longest"] = max(self._totals["longest"], len(word))
            self._covered += len(word) * count
            if len(self._rows) == BLOCK_WORDS or self._text >= BLOCK_TEXT:
                self._write_block()

    def finish(self, *, length: int, min_frequency: int = 1, dropped: Dropped = NOTHING_DROPPED) -> Totals:
        """Write index and footer. ``length`` : bytes of the counted text. Raises InvalidSource, CountsTooLarge."""
        if self._rows:
            self._write_block()
        if self._covered + dropped.bytes != length:
            raise InvalidSource(
                f"the words and their counts are {self._covered + dropped.bytes:,} bytes of text, "
                f"and {length:,} are said to have been counted."
            )
        index = b"".join(self._places)
        totals = Totals(
            len(self._places), self._at, bytes=length, dropped=dropped, **self._totals, min_frequency=min_frequency
        )
        self._put(index)
        packed = totals.pack(index)
        self._put(packed)
        self._file.write(sealed(packed, self._digest.digest()))
        return totals

    def _write_block(self) -> None:
        self._places.append(struct.pack("<Q", self._at))
        self._put(encode_block(len(self._places) - 1, self._rows))
        self._rows, self._text = [], 0

    def _put(self, data: bytes) -> None:
        self._digest.update(data)
        self._file.write(data)
        self._at += len(data)


class BlockReader:
    """Reads a counts file, or a run that is in memory; ``close`` it, or use it in a ``with``.

    Raises UnreadableCounts, UnusablePath.
    """

    def __init__(self, source: Path | bytes) -> None:
        self.name = "a run in memory" if isinstance(source, bytes) else str(source)
        self._file: BinaryIO = io.BytesIO(source) if isinstance(source, bytes) else opened_to_read(source, _BUFFER)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> BlockReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def blocks(self) -> Iterator[Rows]:
        """Yield the words in order, block by block. Raises UnreadableCounts."""
        at, last = self.start, b""
        words = occurrences = 0
        places = 0
        for number in range(self.totals.blocks):
            places = zlib.crc32(struct.pack("<Q", at), places)
            rows, at = self._block(number, at, last)
            last = rows.text[rows.ends[-2] if rows.ends.size > 1 else 0 :].tobytes()
            words += rows.ends.size
            occurrences += int(rows.counts.sum())
            yield rows
        found = (at, words, occurrences, places)
        if found != (self.totals.index, self.totals.words, self.totals.occurrences, self._index_crc):
            raise self.damaged(at, "the blocks do not add up to the totals of the file")

    def index(self) -> np.ndarray:
        """Where each block begins, int64. Raises UnreadableCounts."""
        data = self._read(self.totals.index, 8 * self.totals.blocks)
        if zlib.crc32(data) != self._index_crc:
            raise self.damaged(self.totals.index, "the index has another checksum")
        return np.frombuffer(data, dtype="<i8")

    def block(self, number: int, place: int) -> Rows:
        """Return one block, of which the index says that it begins at ``place``. Raises UnreadableCounts."""
        return self._block(number, place, b"")[0]

    def first_word(self, number: int, place: int) -> bytes:
        """Return the word with which a block begins."""
        rows = self.block(number, place)
        return rows.text[: rows.ends[0]].tobytes()

    def sealed(self) -> Iterator[bytes]:
        """Yield the bytes of which the footer keeps the SHA-256."""
        left = self.size - FOOTER + NUMBERS.size
        self._file.seek(0)
        while left and (data := self._file.read(min(left, 1 << 20))):
            left -= len(data)
            yield data

    def damaged(self, place: int, why: str) -> UnreadableCounts:
        """Return the error that says what is wrong, and where."""
        return UnreadableCounts(
            f"{self.name}: byte {place:,} of {self.size:,}: {why}. The file is damaged; count again, or copy it again."
        )

    def _block(self, number: int, at: int, last: bytes) -> tuple[Rows, int]:
        if not self.start <= at <= self.totals.index - HEAD.size:
            raise self.damaged(at, "no block can begin here")
        head = self._read(at, HEAD.size)
        size = HEAD.unpack(head)[-1]
        end = at + HEAD.size + size
        if end > self.totals.index:
            raise self.damaged(at, f"block {number:,} says that it is longer than the file")
        try:
            rows = decode_block(head + self._read(at + HEAD.size, size), number, last)
        except UnreadableCounts as problem:
            raise self.damaged(at, f"block {number:,}: {problem}") from None
        text = np.frombuffer(b"".join(row.word for row in rows), dtype=np.uint8)
        ends = np.cumsum([len(row.word) for row in rows], dtype=np.int64)
        counts, firsts = (np.array(column, dtype=np.int64) for column in list(zip(*rows))[1:])
        return Rows(text, ends, counts, firsts), end

    def _open(self) -> None:
        self.size = self._file.seek(0, io.SEEK_END)
        begin = len(SIGNATURE) + SIZE.size
        head = self._read(0, min(begin, self.size))
        if head[: len(SIGNATURE) - 1] != SIGNATURE[:-1]:
            raise UnreadableCounts(f"{self.name} is no counts file: it does not begin as one.")
        if head[: len(SIGNATURE)] != SIGNATURE:
            raise UnreadableCounts(
                f"{self.name} is a counts file of version {head[len(SIGNATURE) - 1]}, which only a newer release reads."
            )
        if self.size < begin + FOOTER:
            raise self.damaged(self.size, "the file ends too early")
        length, crc = SIZE.unpack_from(head, len(SIGNATURE))
        if length > min(LARGEST_HEADER, self.size - begin - FOOTER):
            raise self.damaged(len(SIGNATURE), "the header says that it is longer than the file")
        data = self._read(begin, length)
        if zlib.crc32(head[: len(SIGNATURE) + 4] + data) != crc:
            raise self.damaged(len(SIGNATURE), "the header has another checksum")
        try:
            self.header = Header.unpack(data)
            self.totals, self._index_crc, self.sha256 = open_footer(self._read(self.size - FOOTER, FOOTER), self.size)
        except UnreadableCounts as problem:
            raise UnreadableCounts(f"{self.name}: {problem}") from None
        self.start = begin + length
        if self.totals.index < self.start:
            raise self.damaged(self.totals.index, "the index lies before the first block")

    def _read(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(size)
        if len(data) != size:
            raise self.damaged(at, "the file became shorter while it was read")
        return data
