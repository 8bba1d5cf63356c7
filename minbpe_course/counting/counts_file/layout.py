"""What stands before and behind the words of a counts file: its header, its index and its totals.

    signature   16 bytes   89 "wordcounts" 0d 0a 1a 0a 01            the last byte is the version
    header      4 + 4 + n  length of the JSON, crc32, JSON           how the text was cut
    blocks                 see ``reference.runs``                    words, counts, first places
    index       8 each     where each block begins
    footer      132 bytes  totals, SHA-256 of all before it, crc32, end mark

``docs/counts-file.md`` says it byte by byte.
"""

from __future__ import annotations

import builtins
import json
import struct
import zlib
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from minbpe_course.errors import CountsTooLarge, InvalidSource, UnreadableCounts
from minbpe_course.reference.runs import BLOCK_TEXT, BLOCK_WORDS
from minbpe_course.text.patterns import named_pattern

VERSION = 1
SIGNATURE = b"\x89wordcounts\r\n\x1a\n" + bytes([VERSION])
END = b"\x1aWC\n"
FORM = "minbpe_course counts"

# Behind the signature: how long the JSON is, and the crc32 of the signature, that length and the JSON.
SIZE = struct.Struct("<II")
# Eleven numbers and the crc32 of the index; then the SHA-256, the crc32 of all that, and the end mark.
NUMBERS = struct.Struct("<11QI")
FOOTER = NUMBERS.size + 32 + 4 + 4
LARGEST = (1 << 63) - 1
# Longer than any list of special tokens, and short enough to be read by whoever has it.
LARGEST_HEADER = 1 << 24

EXACT, ORDER = "exact", "order"


class Dropped(NamedTuple):
    """What prunings have taken out: distinct words, how often they occurred, and how many bytes of text that is."""

    words: int
    occurrences: int
    bytes: int


NOTHING_DROPPED = Dropped(0, 0, 0)


@dataclass(frozen=True)
class Header:
    """How the counted text was cut into words. Counts with the same header may be added.

    pattern : the regular expression, or None for no splitting. special_tokens : the borders between words, not counted.
    cleaning : the names of the filters that the text went through. places : "exact", or "order" where the first places
    only say which word came first (see ``write_counts``).

    >>> Header(r"\\S+|\\s").special_tokens
    ()
    """

    pattern: str | None = None
    special_tokens: tuple[str, ...] = ()
    cleaning: tuple[str, ...] = ()
    places: str = EXACT

    def __post_init__(self) -> None:
        # A name is the pattern that it names; a list is understood, too.
        if self.pattern is not None:
            object.__setattr__(self, "pattern", named_pattern(self.pattern))
        object.__setattr__(self, "special_tokens", tuple(dict.fromkeys(self.special_tokens)))
        object.__setattr__(self, "cleaning", tuple(self.cleaning))

    def together(self, other: Header) -> Header | None:
        """Return the header of the sum of both, or None where the words were cut in another way."""
        same = (self.pattern, set(self.special_tokens), self.cleaning)
        if same != (other.pattern, set(other.special_tokens), other.cleaning):
            return None
        return self if self.places == other.places else replace(self, places=ORDER)

    def pack(self) -> bytes:
        """Return what stands before the first block."""
        said: dict[str, Any] = {
            "form": FORM,
            "version": VERSION,
            "pattern": self.pattern,
            "special_tokens": self.special_tokens,
            "cleaning": self.cleaning,
            "places": self.places,
        }
        data = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        if len(data) > LARGEST_HEADER:
            raise InvalidSource(f"the pattern and the special tokens are {len(data):,} bytes, too long for a header.")
        size = struct.pack("<I", len(data))
        return SIGNATURE + size + struct.pack("<I", zlib.crc32(SIGNATURE + size + data)) + data

    @classmethod
    def unpack(cls, data: bytes) -> Header:
        """Take it from the JSON of a file whose checksum was right."""
        try:
            said = json.loads(data)
            texts = (said["pattern"], *said["special_tokens"], *said["cleaning"])
            if not all(isinstance(text, str) for text in texts[1:]) or said["places"] not in (EXACT, ORDER):
                raise ValueError("no texts")
            if not isinstance(said["pattern"], (str, type(None))):
                raise ValueError("no pattern")
            return cls(said["pattern"], tuple(said["special_tokens"]), tuple(said["cleaning"]), said["places"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableCounts(f"byte 24: the header is no header ({error}).") from None


@dataclass(frozen=True)
class Totals:
    """The numbers of a footer.

    blocks : how many · index : where it begins · words : distinct words in the file · text : the bytes of these ·
    occurrences : the sum of their counts · bytes : of the counted text, with what was dropped · longest : bytes of the
    longest word · min_frequency : the greatest that words were ever dropped below.
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
        """Return what stands before the SHA-256. Raises CountsTooLarge."""
        numbers = [self.blocks, self.index, self.words, self.text, self.occurrences, self.bytes, self.longest]
        numbers += [self.min_frequency, *self.dropped]
        if max(numbers) > LARGEST:
            raise CountsTooLarge(f"these are counts of {self.bytes:,} bytes of text, and 63 bits number no more.")
        return NUMBERS.pack(*numbers, zlib.crc32(index))


def sealed(packed: bytes, sha256: bytes) -> bytes:
    """Return what stands behind the numbers of a footer; ``sha256`` : of the file with these numbers."""
    return sha256 + struct.pack("<I", zlib.crc32(packed + sha256)) + END


def open_footer(data: bytes, start: int, size: int) -> tuple[Totals, int, bytes]:
    """Return the totals, the crc32 of the index and the SHA-256.

    start : where the first block begins · size : bytes of the whole file.

    Raises UnreadableCounts.
    """
    place = f"byte {size - FOOTER:,} of {size:,}"
    if data[-4:] != END:
        raise UnreadableCounts(f"byte {size:,}: the end of the file is missing, or something stands behind it.")
    if zlib.crc32(data[:-8]) != struct.unpack("<I", data[-8:-4])[0]:
        raise UnreadableCounts(f"{place}: the totals have another checksum.")
    *numbers, crc = NUMBERS.unpack_from(data)
    blocks, index, words, text, occurrences, length, longest, least, *gone = numbers
    totals = Totals(blocks, index, words, text, occurrences, length, longest, least, Dropped(*gone))
    fits = start <= index and index + 8 * blocks + FOOTER == size and least >= 1 and max(numbers) <= LARGEST
    # Nobody need make room for more than the file can hold.
    if not fits or words > blocks * BLOCK_WORDS or text > 2 * blocks * BLOCK_TEXT + size:
        raise UnreadableCounts(f"{place}: the totals contradict the length of the file.")
    return totals, crc, data[NUMBERS.size : NUMBERS.size + 32]
