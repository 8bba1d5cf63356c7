"""Counts files as streams of blocks: sorted words go in and come out, with little more than a block in memory.

Everything that reads or writes counts files uses ``BlockReader`` and ``BlockWriter``. The reader trusts nothing: it
compares a length with that of the file before it allocates anything, and a block with its checksum before a kernel sees
it.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file.layout import (
    BLOCK_TEXT,
    BLOCK_WORDS,
    FOOTER,
    HEAD,
    LARGEST_HEADER,
    NUMBERS,
    SIGNATURE,
    SIZE,
    Header,
    Totals,
    open_footer,
    sealed,
)
from minbpe_course.counting.word_counts import LARGEST, NOTHING_DROPPED, TOO_LARGE, Dropped, Rows, covered_bytes
from minbpe_course.errors import InvalidSource, UnreadableInput
from minbpe_course.files import open_to_read

# Bytes read from the disk at a time.
_BUFFER = 1 << 16
# Bytes that kernels may read or write past the end.
_SLACK = 16
# Words, and bytes of them, that wait to be written.
_ROOM, _ROOM_TEXT = 8 * BLOCK_WORDS, 8 * BLOCK_TEXT

_WRONG = {
    1: "it ends in the middle of a word",
    2: "a word has an impossible length",
    3: "a word has an impossible count",
    4: "a word has an impossible first place",
    5: "a word does not follow the one before",
    6: "bytes follow its last word",
}


class BlockWriter:
    """Write a counts file to an open file.

    The caller puts sorted words into ``waiting``, from word ``words`` and byte ``used`` on. ``flush`` writes the full
    blocks, and ``finish`` the last block, the index and the totals.
    """

    def __init__(self, file: BinaryIO, header: Header) -> None:
        from minbpe_course.kernels.counting import runs

        self._kernel = runs
        self._file = file
        self._digest = hashlib.sha256()
        self._at = 0
        self._places = array("q")
        self._last = b""
        self._totals = dict(words=0, text=0, occurrences=0, longest=0)
        self._covered = 0
        self._found = np.zeros(runs.FOUND, dtype=np.int64)
        self._out = np.empty(0, dtype=np.uint8)
        numbers = [np.empty(_ROOM, dtype=np.int64) for _ in range(3)]
        self.waiting = Rows(np.empty(_ROOM_TEXT + _SLACK, dtype=np.uint8), *numbers)
        self.words = self.used = 0
        self._put(header.pack())

    def make_room(self, size: int) -> None:
        """Make room for ``size`` more bytes of words in ``waiting``."""
        if self.used + size + _SLACK > self.waiting.text.size:
            text = np.empty(max(2 * self.used, self.used + size) + _SLACK, dtype=np.uint8)
            text[: self.used] = self.waiting.text[: self.used]
            self.waiting = self.waiting._replace(text=text)

    def flush(self, *, everything: bool = False) -> None:
        """Write the full blocks, or all waiting words. Raises InvalidSource."""
        addresses = [array.ctypes.data for array in self.waiting]
        start = 0
        while start < self.words:
            words = self._kernel.block_words(addresses[1], start, self.words, BLOCK_WORDS, BLOCK_TEXT)
            if not words and not everything:
                break
            words = words or self.words - start
            self._write_block(addresses, start, words)
            start += words
        if start:
            self._move(start)

    def finish(
        self, *, length: int | None = None, min_frequency: int = 1, dropped: Dropped = NOTHING_DROPPED
    ) -> Totals:
        """Write the waiting words, the index and the totals.

        length : bytes of the counted text, to be compared with the counts. Raises InvalidSource.
        """
        self.flush(everything=True)
        found = self._covered + dropped.bytes
        if length is not None and found != length:
            raise InvalidSource(f"the counts stand for {found:,} bytes of text, but {length:,} were counted.")
        index = np.frombuffer(self._places, dtype=np.int64).astype("<i8").tobytes()
        totals = Totals(
            blocks=len(self._places),
            index=self._at,
            bytes=found,
            min_frequency=min_frequency,
            dropped=dropped,
            **self._totals,
        )
        self._put(index)
        packed = totals.pack(index)
        self._put(packed)
        self._file.write(sealed(packed, self._digest.digest()))
        return totals

    def _write_block(self, addresses: list[int], start: int, words: int) -> None:
        ends = self.waiting.ends
        begin = int(ends[start - 1]) if start else 0
        first, end = int(ends[start]), int(ends[start + words - 1])
        room = HEAD.size + words * self._kernel.MOST + end - begin + _SLACK
        if self._out.size < room:
            self._out = np.empty(room, dtype=np.uint8)
        out = self._out.ctypes.data + HEAD.size
        wrong = self._kernel.encode_block(*addresses, start, words, out, self._found.ctypes.data)
        word = self.waiting.text[begin:first].tobytes()
        if wrong == self._kernel.TOO_LARGE:
            raise InvalidSource(f"{TOO_LARGE}.")
        if wrong or (word <= self._last and self._places):
            raise InvalidSource("words must be distinct and not empty, counts above 0, and first places not below 0.")
        before = int(ends[start + words - 2]) if words > 1 else begin
        self._last = self.waiting.text[before:end].tobytes()
        size, width, longest, occurrences, covered = self._found.tolist()
        HEAD.pack_into(self._out.data, 0, 0, words, width, len(self._places), end - begin, size)
        data = self._out.data[: HEAD.size + size]
        struct.pack_into("<I", self._out.data, 0, zlib.crc32(data[4:]))
        self._places.append(self._at)
        self._put(data)
        self._covered += covered
        totals = self._totals
        totals["words"] += words
        totals["text"] += end - begin
        totals["occurrences"] += occurrences
        totals["longest"] = max(totals["longest"], longest)

    def _move(self, start: int) -> None:
        """Move the remaining words, fewer than a block, to the front."""
        begin, left = int(self.waiting.ends[start - 1]), self.words - start
        text, ends, counts, firsts = self.waiting
        text[: self.used - begin] = text[begin : self.used].copy()
        ends[:left] = ends[start : self.words] - begin
        counts[:left] = counts[start : self.words].copy()
        firsts[:left] = firsts[start : self.words].copy()
        self.words, self.used = left, self.used - begin

    def _put(self, data: bytes | memoryview) -> None:
        self._digest.update(data)
        self._file.write(data)
        self._at += len(data)


class BlockReader:
    """Read a counts file, or a run in memory; call ``close`` afterwards, or use ``with``.

    Raises UnreadableInput, UnusablePath.
    """

    def __init__(self, source: Path | bytes) -> None:
        from minbpe_course.kernels.counting import runs

        self._kernel = runs
        self.name = "a run in memory" if isinstance(source, bytes) else str(source)
        self._file: BinaryIO = io.BytesIO(source) if isinstance(source, bytes) else open_to_read(source, _BUFFER)
        self._buffer = np.empty(1 << 15, dtype=np.uint8)
        self._found = np.zeros(1, dtype=np.int64)
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
        """Close the file."""
        self._file.close()

    def blocks(self, shift: int = 0) -> Iterator[Rows]:
        """Yield the words in order, block by block; add ``shift`` to their first places.

        Raises UnreadableInput, and InvalidSource when the counts add up to more than 63 bits.
        """
        at, last = self.start, b""
        words = text = occurrences = covered = places = 0
        for number in range(self.totals.blocks):
            places = zlib.crc32(struct.pack("<Q", at), places)
            rows, end = self._block(number, at, shift)
            if rows.text[: rows.ends[0]].tobytes() <= last:
                raise self.damaged(at, f"block {number:,} does not follow the one before")
            last = rows.text[rows.ends[-2] if rows.ends.size > 1 else 0 :].tobytes()
            at = end
            words += rows.ends.size
            text += rows.text.size
            covered += covered_bytes(rows.ends, rows.counts)
            if covered > LARGEST:
                raise InvalidSource(f"{self.name}: {TOO_LARGE}, from block {number:,} on. Count the text again.")
            occurrences += int(rows.counts.sum())
            yield rows
        totals = self.totals
        found = (at, words, text, occurrences, covered + totals.dropped.bytes, places)
        said = (totals.index, totals.words, totals.text, totals.occurrences, totals.bytes)
        if found != (*said, self._index_crc):
            raise self.damaged(at, "the blocks do not add up to the totals of the file")

    def index(self) -> np.ndarray:
        """Return where each block begins, int64. Raises UnreadableInput."""
        data = self._read(self.totals.index, 8 * self.totals.blocks)
        if zlib.crc32(data) != self._index_crc:
            raise self.damaged(self.totals.index, "the checksum of the index is wrong")
        return np.frombuffer(data, dtype="<i8")

    def block(self, number: int, place: int) -> Rows:
        """Return the block that begins at ``place`` according to the index. Raises UnreadableInput."""
        return self._block(number, place, 0)[0]

    def sealed(self) -> Iterator[bytes]:
        """Yield the bytes that the SHA-256 in the footer covers."""
        left = self.size - FOOTER + NUMBERS.size
        self._file.seek(0)
        while left and (data := self._file.read(min(left, 1 << 20))):
            left -= len(data)
            yield data

    def damaged(self, place: int, why: str) -> UnreadableInput:
        """Return the error that says what is wrong at which byte."""
        return UnreadableInput(
            f"{self.name}: byte {place:,} of {self.size:,}: {why}. The file is damaged; count again, or copy it again."
        )

    def _block(self, number: int, at: int, shift: int) -> tuple[Rows, int]:
        if not self.start <= at <= self.totals.index - HEAD.size:
            raise self.damaged(at, "no block can begin here")
        self._read_into(at, 0, HEAD.size)
        crc, words, width, said, text, size = HEAD.unpack_from(self._buffer.data)
        end = at + HEAD.size + size
        if end > self.totals.index:
            raise self.damaged(at, f"block {number:,} claims to be longer than the file")
        self._read_into(at + HEAD.size, HEAD.size, size)
        if zlib.crc32(self._buffer.data[4 : HEAD.size + size]) != crc:
            raise self.damaged(at, f"the checksum of block {number:,} is wrong")
        # All words but the last are shorter than BLOCK_TEXT together; the unshared part of the last is in the columns.
        fits = said == number and 0 < words <= BLOCK_WORDS and 0 < width <= 8 and 0 < text < 2 * BLOCK_TEXT + size
        if not fits:
            raise self.damaged(at, f"block {number:,} does not belong here")
        memory = np.empty(24 * words + text + _SLACK, dtype=np.uint8)
        wrong = self._kernel.decode_block(
            self._buffer.ctypes.data + HEAD.size,
            size,
            words,
            width,
            text,
            shift,
            memory.ctypes.data,
            self._found.ctypes.data,
        )
        if wrong:
            raise self.damaged(at + HEAD.size + int(self._found[0]), f"block {number:,}: {_WRONG[wrong]}")
        ends, counts, firsts = memory[: 24 * words].view(np.int64).reshape(3, words)
        return Rows(memory[24 * words : 24 * words + text], ends, counts, firsts), end

    def _open(self) -> None:
        self.size = self._file.seek(0, io.SEEK_END)
        begin = len(SIGNATURE) + SIZE.size
        head = self._read(0, min(begin, self.size))
        if head[: len(SIGNATURE) - 1] != SIGNATURE[:-1]:
            raise UnreadableInput(f"{self.name} is not a counts file: it begins differently.")
        if head[: len(SIGNATURE)] != SIGNATURE:
            raise UnreadableInput(
                f"{self.name} is a counts file of a version other than 1. Read it with the release that wrote it."
            )
        if self.size < begin + FOOTER:
            raise self.damaged(self.size, "the file ends too early")
        length, crc = SIZE.unpack_from(head, len(SIGNATURE))
        if length > min(LARGEST_HEADER, self.size - begin - FOOTER):
            raise self.damaged(len(SIGNATURE), "the header claims to be longer than the file")
        data = self._read(begin, length)
        if zlib.crc32(head[: len(SIGNATURE) + 4] + data) != crc:
            raise self.damaged(len(SIGNATURE), "the checksum of the header is wrong")
        self.start = begin + length
        try:
            self.header = Header.unpack(data)
            self.totals, self._index_crc, self.sha256 = open_footer(
                self._read(self.size - FOOTER, FOOTER), self.start, self.size
            )
        except UnreadableInput as problem:
            raise UnreadableInput(f"{self.name}: {problem}") from None

    def _read(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(size)
        if len(data) != size:
            raise self.damaged(at, "the file became shorter while it was being read")
        return data

    def _read_into(self, at: int, place: int, size: int) -> None:
        """Read ``size`` bytes at ``at`` into the buffer at ``place``."""
        if self._buffer.size < place + size + _SLACK:
            buffer = np.empty(place + size + (size >> 2) + _SLACK, dtype=np.uint8)
            buffer[:place] = self._buffer[:place]
            self._buffer = buffer
        self._file.seek(at)
        if self._file.readinto(self._buffer.data[place : place + size]) != size:  # type: ignore[attr-defined]
            raise self.damaged(at, "the file became shorter while it was being read")
