"""Read a counts file from the first byte to the last, with nothing but the standard library.

Start here to read counts files in another language; ``docs/counts-file.md`` describes the format in words. This reader
holds the whole file in memory; ``counting.counts_file`` streams it.

    >>> from minbpe_course.counting.counts_file import Header, run_bytes
    >>> from minbpe_course.counting.word_counts import Rows
    >>> import numpy as np
    >>> low = np.frombuffer(b"low", dtype=np.uint8), np.array([3]), np.array([2]), np.array([0])
    >>> header, totals, rows = read_counts(run_bytes(Rows(*low), header=Header()))
    >>> header["pattern"], totals["occurrences"], rows
    (None, 2, [WordRow(word=b'low', count=2, first=0)])
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from typing import Any

from minbpe_course.errors import UnreadableInput
from minbpe_course.reference.runs import HEAD, WordRow, decode_block

SIGNATURE = b"\x89wordcounts\r\n\x1a\n\x01"
FOOTER = 132
NUMBERS = (
    "blocks",
    "index",
    "words",
    "text",
    "occurrences",
    "bytes",
    "longest",
    "min_frequency",
    "dropped_words",
    "dropped_occurrences",
    "dropped_bytes",
)


def read_counts(data: bytes) -> tuple[dict[str, Any], dict[str, int], list[WordRow]]:
    """Return the header, the totals and all rows of a counts file. Raises UnreadableInput."""
    _must(data[:16] == SIGNATURE, 0, "not a counts file of version 1")
    _must(len(data) >= 24 + FOOTER, len(data), "too short")

    # Header: its length, its checksum, and JSON.
    length, crc = struct.unpack_from("<II", data, 16)
    start = 24 + length
    _must(start <= len(data) - FOOTER, 16, "the header is longer than the file")
    _must(zlib.crc32(data[:20] + data[24:start]) == crc, 16, "the header has another checksum")
    header = json.loads(data[24:start])

    # Footer: eleven numbers, checksum of the index, SHA-256 of all before, checksum of the footer, end mark.
    footer = len(data) - FOOTER
    _must(data[-4:] == b"\x1aWC\n", len(data), "the end is missing")
    _must(zlib.crc32(data[footer:-8]) == struct.unpack("<I", data[-8:-4])[0], footer, "the totals are damaged")
    *numbers, index_crc = struct.unpack_from("<11QI", data, footer)
    totals = dict(zip(NUMBERS, numbers))
    _must(hashlib.sha256(data[: footer + 92]).digest() == data[footer + 92 : footer + 124], footer, "another SHA-256")

    # Index: where each block begins.
    begin, blocks = totals["index"], totals["blocks"]
    _must(start <= begin and begin + 8 * blocks == footer, footer, "no room for the index")
    _must(zlib.crc32(data[begin:footer]) == index_crc, begin, "the index is damaged")
    index = struct.unpack_from(f"<{blocks}Q", data, begin)

    # Blocks, one after the other.
    rows: list[WordRow] = []
    at = start
    for number, place in enumerate(index):
        _must(place == at <= begin - HEAD.size, at, "a block begins elsewhere")
        end = at + HEAD.size + HEAD.unpack_from(data, at)[-1]
        _must(end <= begin, at, "a block is longer than the file")
        try:
            rows += decode_block(data[at:end], number, rows[-1].word if rows else b"")
        except UnreadableInput as problem:
            raise UnreadableInput(f"block {number}, which begins at byte {at}: {problem}") from None
        at = end
    _must(at == begin, at, "there is data after the last block")

    # The sums must be those of the rows.
    text = sum(len(row.word) for row in rows)
    occurrences = sum(row.count for row in rows)
    covered = sum(len(row.word) * row.count for row in rows) + totals["dropped_bytes"]
    sums = len(rows), text, occurrences, covered, max((len(row.word) for row in rows), default=0)
    said = tuple(totals[name] for name in ("words", "text", "occurrences", "bytes", "longest"))
    _must(sums == said, footer, "the totals are not those of the words")
    return header, totals, rows


def _must(right: bool, place: int, why: str) -> None:
    if not right:
        raise UnreadableInput(f"byte {place}: {why}.")
