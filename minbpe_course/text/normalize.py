"""SentencePiece's normaliser, readable: text becomes the characters that pieces are made of.

    " Hello  world"    spaces become ▁ (U+2581), one more is added in front        "▁▁Hello▁▁world"

Every step takes a few bytes of input and gives some output: a user-defined piece is copied, a rule of the file's table
is applied, any other character stays, a byte that is not UTF-8 becomes U+FFFD. All steps work on UTF-8 bytes. The rules
are a table in the model file, not ``unicodedata``: no Python version agrees with the table on all of Unicode.

Limits: slow on purpose. ``kernels.sentencepiece.normalize`` is the compiled version.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minbpe_course.errors import UnreadableModel

SPACE_MARK = "▁".encode()  # U+2581
REPLACEMENT = "\ufffd".encode()
MOST_NESTED_RULES = 32  # sentencepiece looks no further than this many rules that begin alike
MOST_NESTED_PIECES = 64  # and this many user-defined pieces
RULE_NAMES = ("identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")
"""The normalizers that sentencepiece contains. ``nmt_`` also drops control characters and makes spaces of others, and
``_cf`` ignores case."""
LONGEST_RULE = 2048  # bytes; a damaged table may contain circles, in which a long text would never end


@cache
def published_rules(name: str) -> bytes:
    """Return the table of one of sentencepiece's normalizers, named in RULE_NAMES; empty for "identity".

    ``tools.normalizer_tables`` copied the tables from sentencepiece unchanged.

    >>> len(published_rules("nmt_nfkc")), published_rules("identity")
    (240007, b'')
    """
    import lzma

    return b"" if name == "identity" else lzma.decompress(table_file(name).read_bytes())


def table_file(name: str) -> Path:
    """Return the path of the table of a normalizer."""
    return Path(__file__).parent / "data" / f"normalizer-{name.replace('_', '-')}.xz"


class Charsmap:
    """The table of replacements in a model file: a double-array trie of keys, then the replacements, each ending in
    NUL.

    The blob: four bytes N, N bytes of 32-bit units, then the strings. From the unit of a node, ``offset ^ byte`` is
    where the child for that byte would be; it is the child if the unit found there carries that byte as its label.

    Raises UnreadableModel for what sentencepiece 0.2.3 refuses: lengths that do not fit, and units that lead out of the
    trie or out of the strings. A table with other damage can be loaded. Two rules then differ from sentencepiece, so
    that the output is valid UTF-8 and finite: a byte of a replacement that is not UTF-8 becomes U+FFFD (a rule whose
    replacement begins inside a character is ignored), and no key is longer than LONGEST_RULE bytes.

    >>> Charsmap(b"").longest_rule(b"abc", 0) is None
    True
    """

    def __init__(self, blob: bytes) -> None:
        self.table = np.empty(0, dtype=np.uint32)
        self.strings = b""
        if not blob:
            return
        if len(blob) <= 4:
            raise UnreadableModel("the table of the normaliser is no longer than its own length field.")
        (size,) = struct.unpack_from("<I", blob)
        if size == 0 or size % 1024 or 4 + size >= len(blob):
            raise UnreadableModel(f"the normaliser's table claims {size:,} bytes of trie in {len(blob):,} bytes.")
        self.strings = blob[4 + size :]
        if self.strings[-1:] != b"\0":
            raise UnreadableModel("the replacements of the normaliser do not end in NUL.")
        units = np.frombuffer(blob, "<u4", size // 4, offset=4)
        _check_units(units, len(self.strings))
        try:
            self.strings.decode("utf-8")
        except UnicodeDecodeError:
            units, self.strings = _repaired(units, self.strings)
        self.table = units.astype(np.uint32)

    @cached_property
    def units(self) -> tuple[int, ...]:
        """The units of the trie."""
        return tuple(self.table.tolist())

    def matches(self, text: bytes, at: int) -> Iterator[tuple[int, bytes]]:
        """Yield (length of the key, replacement) for every rule that begins at ``at``, shortest first."""
        if not self.units:
            return
        node = _offset(self.units[0])
        for length, byte in enumerate(text[at : at + LONGEST_RULE], start=1):
            node ^= byte
            unit = self.units[node]
            if _label(unit) != byte:
                return
            node ^= _offset(unit)
            if unit >> 8 & 1:
                begin = self.units[node] & 0x7FFFFFFF
                if self.strings[begin] & 0xC0 != 0x80:  # not inside a character
                    yield length, self.strings[begin : self.strings.index(b"\0", begin)]

    def longest_rule(self, text: bytes, at: int) -> tuple[int, bytes] | None:
        """Return (length of the key, replacement) of the longest rule that begins at ``at``, or None."""
        nested = list(islice(self.matches(text, at), MOST_NESTED_RULES))
        return nested[-1] if nested else None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _label(unit: int) -> int:
    return unit & 0x800000FF


def _check_units(units: np.ndarray, strings_size: int) -> None:
    """Refuse a trie that leads anywhere outside: every node and its 256 places must be in it, every leaf's value in
    the strings.
    """
    wide = units.astype(np.int64)
    bases = np.arange(units.size) ^ ((wide >> 10) << ((wide & 0x200) >> 6))
    is_node = wide < 1 << 31
    has_leaf = wide >> 8 & 1 == 1
    outside = is_node & (bases | 0xFF >= units.size)
    if outside.any() or wide[0] & 0x800001FF or bases[0] == 0:
        raise UnreadableModel("the trie of the normaliser leads out of itself.")
    if is_node[bases[is_node & has_leaf]].any() or (wide[~is_node] & 0x7FFFFFFF >= strings_size).any():
        raise UnreadableModel("the trie of the normaliser has a rule without a replacement.")


def _repaired(units: np.ndarray, strings: bytes) -> tuple[np.ndarray, bytes]:
    """Replace every byte that is not UTF-8 by U+FFFD, and adjust the values of the leaves."""
    codes = np.frombuffer(strings.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass"), "<u4").copy()
    bad = (codes >= 0xDC80) & (codes <= 0xDCFF)
    sizes = 1 + (~bad & (codes >= 0x80)) + (~bad & (codes >= 0x800)).astype(int) + (~bad & (codes >= 0x10000))
    broken = (np.cumsum(sizes) - sizes)[bad]
    codes[bad] = 0xFFFD
    text = codes.tobytes().decode("utf-32-le")
    values = units & np.uint32(0x7FFFFFFF)
    moved = values + 2 * np.searchsorted(broken, values).astype(np.uint32)
    return np.where(units >> 31 == 1, moved | np.uint32(1 << 31), units), text.encode("utf-8")


class LongestMatch:
    """Finds the longest of some pieces at a place in the text.

    >>> LongestMatch([b"<a>", b"<a><b>"]).length(b"x<a><b", 1)
    3
    """

    def __init__(self, pieces: Iterable[bytes] = ()) -> None:
        self.pieces = frozenset(pieces)
        self.first_bytes = frozenset(piece[0] for piece in self.pieces)
        self.lengths = sorted({len(piece) for piece in self.pieces})

    def length(self, text: bytes, at: int) -> int:
        """Return the length of the longest piece that begins at ``at``, 0 for none."""
        if at >= len(text) or text[at] not in self.first_bytes:
            return 0
        longest = nested = 0
        for length in self.lengths:
            # Compare the length too: a slice at the end of the text may be shorter.
            if at + length <= len(text) and text[at : at + length] in self.pieces:
                longest = length
                nested += 1
                if nested == MOST_NESTED_PIECES:
                    break
        return longest


class Step(NamedTuple):
    """One step of the normaliser: ``text[begin:end]`` becomes ``output``."""

    begin: int
    end: int
    output: bytes


def character_length(text: bytes, at: int) -> int:
    r"""Return how many bytes the UTF-8 character at ``at`` has, 0 if it is invalid.

    >>> character_length("é".encode(), 0), character_length(b"\xed\xa0\x80", 0)
    (2, 0)
    """
    lead = text[at]
    length = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    try:
        text[at : at + length].decode("utf-8")
    except UnicodeDecodeError:
        return 0
    return length


def normalize_steps(text: bytes, charsmap: Charsmap, user_defined: LongestMatch) -> Iterator[Step]:
    """Yield the steps from the start of the text to its end, before spaces are handled.

    >>> [step.output for step in normalize_steps(b"a b", Charsmap(b""), LongestMatch())]
    [b'a', b' ', b'b']
    """
    at = 0
    while at < len(text):
        copied = user_defined.length(text, at)
        rule = None if copied else charsmap.longest_rule(text, at)
        if copied:
            end, output = at + copied, text[at : at + copied]
        elif rule:
            end, output = at + rule[0], rule[1]
        elif length := character_length(text, at):
            end, output = at + length, text[at : at + length]
        else:
            end, output = at + 1, REPLACEMENT
        yield Step(at, end, output)
        at = end


def normalize(
    text: bytes,
    charsmap: Charsmap,
    user_defined: LongestMatch,
    *,
    add_dummy_prefix: bool = True,
    remove_extra_whitespaces: bool = True,
    escape_whitespaces: bool = True,
    treat_whitespace_as_suffix: bool = False,
) -> tuple[bytes, list[int]]:
    """Return the normalised text, and for each of its bytes (and its end) the position in ``text`` that it comes from.

    >>> normalized, positions = normalize(b" a  b ", Charsmap(b""), LongestMatch())
    >>> normalized.decode(), positions
    ('▁a▁b', [1, 1, 1, 1, 2, 2, 2, 4, 5])
    """
    space = SPACE_MARK if escape_whitespaces else b" "
    steps = list(normalize_steps(text, charsmap, user_defined))
    first = 0
    while remove_extra_whitespaces and first < len(steps) and steps[first].output == b" ":
        first += 1
    if first == len(steps):
        return b"", []  # as sentencepiece: empty, without even an end

    out = bytearray()
    positions: list[int] = []

    def put(piece: bytes, position: int) -> None:
        out.extend(piece)
        positions.extend([position] * len(piece))

    if add_dummy_prefix and not treat_whitespace_as_suffix:
        put(space, steps[first].begin)
    after_space = remove_extra_whitespaces
    for step in steps[first:]:
        output = step.output.lstrip(b" ") if after_space else step.output
        put(output.replace(b" ", space), step.begin)
        if output and remove_extra_whitespaces:
            after_space = output.endswith(b" ")

    end = len(text)
    while remove_extra_whitespaces and out.endswith(space):
        end = positions[-len(space)]
        del out[-len(space) :], positions[-len(space) :]
    if add_dummy_prefix and treat_whitespace_as_suffix:
        put(space, end)
    return bytes(out), [*positions, end]
