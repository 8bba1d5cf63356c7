"""The fixed parts of a counts file: its header, its totals, and the sizes of its blocks.

    signature   16 bytes   89 "wordcounts" 0d 0a 1a 0a 01            the last byte is the version
    header      4 + 4 + n  length of the JSON, crc32, JSON           how the text was split
    blocks                 see ``blocks``                            words, counts, first places
    index       8 each     where each block begins
    footer      132 bytes  totals, SHA-256 of all before it, crc32, end mark

``docs/counts-file.md`` specifies every byte.
"""

from __future__ import annotations

import builtins
import json
import struct
import zlib
from dataclasses import dataclass, replace
from typing import Any

from minbpe_course.counting.word_counts import LARGEST, NOTHING_DROPPED, TOO_LARGE, Dropped
from minbpe_course.errors import InvalidSource, UnreadableInput
from minbpe_course.text.patterns import named_pattern

VERSION = 1
SIGNATURE = b"\x89wordcounts\r\n\x1a\n" + bytes([VERSION])
END = b"\x1aWC\n"
FORM = "minbpe_course counts"

# After the signature: the length of the JSON, and the crc32 of the signature, that length and the JSON.
SIZE = struct.Struct("<II")
# A block is full when it has this many words, or when its words have this many bytes together.
BLOCK_WORDS, BLOCK_TEXT = 2048, 1 << 15
# Of a block: crc32 of all that follows, words, bytes of a first place, block number, bytes of words, bytes of columns.
HEAD = struct.Struct("<IHHQQQ")
# Eleven numbers and the crc32 of the index, then the SHA-256, the crc32 of all that, and the end mark.
NUMBERS = struct.Struct("<11QI")
FOOTER = NUMBERS.size + 32 + 4 + 4
LARGEST_HEADER = 1 << 24

EXACT, ORDER = "exact", "order"


@dataclass(frozen=True)
class Header:
    """How the counted text was split into words. Only counts with equal headers can be added.

    pattern : the regular expression, or None for no splitting. special_tokens : the borders between words, not counted.
    cleaning : the preprocessing of the text, as passed to ``write_counts``. places : "exact", or "order" where first
    places only give the order of the words.
    """

    pattern: str | None = None
    special_tokens: tuple[str, ...] = ()
    cleaning: tuple[str, ...] = ()
    places: str = EXACT

    def __post_init__(self) -> None:
        if self.pattern is not None:
            object.__setattr__(self, "pattern", named_pattern(self.pattern))
        object.__setattr__(self, "special_tokens", tuple(dict.fromkeys(self.special_tokens)))
        object.__setattr__(self, "cleaning", tuple(self.cleaning))

    def together(self, other: Header) -> Header | None:
        """Return the header of the sum of two files, or None if their words were split differently."""
        same = (self.pattern, set(self.special_tokens), self.cleaning)
        if same != (other.pattern, set(other.special_tokens), other.cleaning):
            return None
        return self if self.places == other.places else replace(self, places=ORDER)

    def pack(self) -> bytes:
        """Return the bytes before the first block. Raises InvalidSource when they are too many."""
        fields: dict[str, Any] = {
            "form": FORM,
            "version": VERSION,
            "pattern": self.pattern,
            "special_tokens": self.special_tokens,
            "cleaning": self.cleaning,
            "places": self.places,
        }
        data = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        if len(data) > LARGEST_HEADER:
            raise InvalidSource(f"the pattern and the special tokens are {len(data):,} bytes, too long for a header.")
        size = struct.pack("<I", len(data))
        return SIGNATURE + size + struct.pack("<I", zlib.crc32(SIGNATURE + size + data)) + data

    @classmethod
    def unpack(cls, data: bytes) -> Header:
        """Return the header that this JSON describes. Raises UnreadableInput."""
        try:
            fields = json.loads(data)
            texts = (*fields["special_tokens"], *fields["cleaning"])
            if not all(isinstance(text, str) for text in texts) or fields["places"] not in (EXACT, ORDER):
                raise ValueError("a field has the wrong type")
            if not isinstance(fields["pattern"], (str, type(None))):
                raise ValueError("the pattern is not a string")
            return cls(fields["pattern"], tuple(fields["special_tokens"]), tuple(fields["cleaning"]), fields["places"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableInput(f"byte 24: the header is damaged ({error}).") from None


@dataclass(frozen=True)
class Totals:
    """The numbers in a footer.

    blocks : how many · index : where it begins · words : distinct words in the file · text : the bytes of these ·
    occurrences : the sum of the counts · bytes : of the counted text, dropped words included · longest : bytes of the
    longest word · min_frequency : the greatest frequency below which words were ever dropped.
    """

    blocks: int = 0
    index: int = 0
    words: int = 0
    text: int = 0
    occurrences: int = 0
    bytes: int = 0
    longest: int = 0
    min_frequency: int = 1
    dropped: Dropped = NOTHING_DROPPED

    def pack(self, index: builtins.bytes) -> builtins.bytes:
        """Return the footer up to the SHA-256. Raises InvalidSource."""
        numbers = [self.blocks, self.index, self.words, self.text, self.occurrences, self.bytes, self.longest]
        numbers += [self.min_frequency, *self.dropped]
        if max(numbers) > LARGEST:
            raise InvalidSource(f"{TOO_LARGE}: {self.bytes:,}.")
        return NUMBERS.pack(*numbers, zlib.crc32(index))


def sealed(packed: bytes, sha256: bytes) -> bytes:
    """Return the end of a footer whose numbers are ``packed``; ``sha256`` : of the file including these numbers."""
    return sha256 + struct.pack("<I", zlib.crc32(packed + sha256)) + END


def open_footer(data: bytes, start: int, size: int) -> tuple[Totals, int, bytes]:
    """Return the totals, the crc32 of the index, and the SHA-256.

    start : where the first block begins · size : bytes of the whole file. Raises UnreadableInput.
    """
    place = f"byte {size - FOOTER:,} of {size:,}"
    if data[-4:] != END:
        raise UnreadableInput(f"byte {size:,}: the end mark is missing: the file is cut short, or something follows.")
    if zlib.crc32(data[:-8]) != struct.unpack("<I", data[-8:-4])[0]:
        raise UnreadableInput(f"{place}: the checksum of the totals is wrong.")
    *numbers, crc = NUMBERS.unpack_from(data)
    blocks, index, words, text, occurrences, length, longest, least, *dropped = numbers
    totals = Totals(blocks, index, words, text, occurrences, length, longest, least, Dropped(*dropped))
    fits = start <= index and index + 8 * blocks + FOOTER == size and least >= 1 and max(numbers) <= LARGEST
    # Checked before anything is allocated: a reader never reserves more than the file can hold.
    if not fits or words > blocks * BLOCK_WORDS or text > 2 * blocks * BLOCK_TEXT + size:
        raise UnreadableInput(f"{place}: the totals contradict the length of the file.")
    return totals, crc, data[NUMBERS.size : NUMBERS.size + 32]
