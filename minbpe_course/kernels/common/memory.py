"""Words, tokens and numbers laid out as flat arrays; this file chooses their dtypes.

    token_text   uint8[t + 16]   the bytes of all ordinary tokens, end to end, and zeros
    token_start  int64[v + 1]    where each id's bytes begin; a skipped id has zero bytes
    ids          uint32[n]       the output of encoding

Compiled code works on addresses (see ``machine``), and the arrays must live as long as their addresses are in use. A
``Block`` holds both: the numbers, and the arrays that they point to.
"""

from __future__ import annotations

import contextlib
import functools
import mmap
from collections.abc import Mapping, Sequence

import numpy as np

ID = np.uint32

# Zeros after texts and tokens: kernels read words of 8 or 16 bytes, and texts in windows of 64.
TOKEN_SLACK, TEXT_SLACK = 16, 80

HUGE_PAGE, CACHE_LINES = 1 << 21, 128
# The smallest page of any processor that Numba supports.
PAGE = 1 << 12


class Block:
    """Named numbers for a compiled function, int64, and the arrays whose addresses are among them.

    fields : a dtype of int64 with names, such as ``layout.BLOCK``. Kernels see the same names: ``machine.record_at``.
    An array that is assigned is kept alive, in ``kept``; the number is its address. Raises AttributeError for a name
    that is not among the fields.

    >>> block = Block(np.dtype([("count", np.int64), ("scores", np.int64)]))
    >>> block.scores = np.array([1.5, 2.5])
    >>> block.count = 7
    >>> block.count, block.scores == block.kept["scores"].ctypes.data
    (7, True)
    """

    __slots__ = ("_places", "address", "fields", "kept", "numbers")
    fields: np.dtype
    numbers: np.ndarray
    kept: dict[str, np.ndarray]
    address: int
    _places: dict[str, int]

    def __init__(self, fields: np.dtype) -> None:
        keep = object.__setattr__
        keep(self, "fields", fields)
        keep(self, "numbers", np.zeros(fields.itemsize >> 3, dtype=np.int64))
        keep(self, "kept", {})
        keep(self, "address", self.numbers.ctypes.data)
        keep(self, "_places", _places(fields))

    def __setattr__(self, name: str, value: int | np.ndarray) -> None:
        if isinstance(value, np.ndarray):
            self.kept[name] = value
            value = value.ctypes.data
        try:
            self.numbers[self._places[name]] = value
        except KeyError:
            raise AttributeError(f"the block has no field {name!r}") from None

    def __getattr__(self, name: str) -> int:
        try:
            return int(self.numbers[self._places[name]])
        except KeyError:
            raise AttributeError(f"the block has no field {name!r}") from None

    def take(self, other: Block, *names: str) -> None:
        """Set fields to those of another block, and keep the same arrays alive."""
        for name in names:
            setattr(self, name, other.kept.get(name, getattr(other, name)))

    def copy(self) -> Block:
        """Return another block with the same numbers, which keeps the same arrays alive."""
        other = Block(self.fields)
        other.numbers[:] = self.numbers
        other.kept.update(self.kept)
        return other

    def settle(self) -> None:
        """Move the arrays close together, into memory that Linux may map with huge pages.

        Tables are read at random places; with pages of 4 kB, finding the page would take longer than reading it.
        """
        larger = {name: array for name, array in self.kept.items() if array.nbytes >= 1 << 12}
        memory = zeros(sum(array.nbytes + 63 & ~63 for array in larger.values()))
        at = 0
        for name, array in larger.items():
            moved = memory[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
            moved[...] = array
            setattr(self, name, moved)
            at += array.nbytes + 63 & ~63


@functools.cache
def _places(fields: np.dtype) -> dict[str, int]:
    """Return the index of each field among the numbers of a block."""
    return {name: place for place, name in enumerate(fields.names or ())}


def zeros(size: int) -> np.ndarray:
    """Return uint8[size] of zeros, for random reads and writes: in huge pages where Linux has them.

    It begins at a multiple of 128 bytes, the size of two cache lines.

    >>> zeros(3).tolist(), zeros(1 << 22).size
    ([0, 0, 0], 4194304)
    """
    if size < HUGE_PAGE // 2 or not hasattr(mmap, "MADV_HUGEPAGE"):
        data = np.zeros(size + CACHE_LINES, dtype=np.uint8)
        begin = -data.ctypes.data % CACHE_LINES
        return data[begin : begin + size]
    memory = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):
        memory.madvise(mmap.MADV_HUGEPAGE)
    data = np.frombuffer(memory, dtype=np.uint8)
    begin = -data.ctypes.data % HUGE_PAGE
    return data[begin : begin + size]


def end_of_page(end: int) -> int:
    """Return up to which address bytes may be read if the last one that belongs to us is before ``end``.

    Memory is protected by pages, so the rest of a page may be read wherever one byte of it may.

    >>> end_of_page(4095), end_of_page(4096), end_of_page(4097)
    (4096, 4096, 8192)
    """
    return (end - 1 | PAGE - 1) + 1


def padded(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes as uint8[n], and the same memory as uint64 with at least 80 zero bytes after them."""
    words = np.frombuffer(data + bytes(TEXT_SLACK + 8 - len(data) % 8), dtype=np.uint64)
    return words.view(np.uint8)[: len(data)], words


def lay_tokens(tokens: Mapping[int, bytes], number: int) -> tuple[np.ndarray, np.ndarray]:
    """Lay ``tokens`` (id -> bytes, any order) end to end; ids below ``number`` without a token get zero bytes.

    >>> text, start = lay_tokens({2: b"ab", 0: b"c"}, 3)
    >>> text[:3].tobytes(), start.tolist()
    (b'cab', [0, 1, 1, 3])
    """
    return lay_in_order([tokens.get(token_id, b"") for token_id in range(number)])


def lay_in_order(tokens: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Lay tokens end to end, as ``lay_tokens`` does for the ids 0, 1, 2, ...

    >>> text, start = lay_in_order([b"c", b"", b"ab"])
    >>> text[:3].tobytes(), start.tolist()
    (b'cab', [0, 1, 1, 3])
    """
    start = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens)), out=start[1:])
    return np.frombuffer(b"".join(tokens) + bytes(TOKEN_SLACK), dtype=np.uint8), start


def slots_for(entries: int) -> int:
    """Return the slots of a hash table for ``entries``: a power of two, at most three quarters full.

    >>> slots_for(12), slots_for(13)
    (32, 32)
    """
    return 1 << max(4, (4 * entries // 3).bit_length())
