"""The words of ``machine`` in plain Python, for NUMBA_DISABLE_JIT=1 and as their reference implementation.

An address is opened with ``ctypes``, which is slow and reads the same bytes.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


def _read(address: int, size: int) -> int:
    return int.from_bytes(ctypes.string_at(int(address), size), "little")


def _write(address: int, value: int, size: int) -> None:
    """Write the lowest ``size`` bytes of ``value``."""
    data = (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
    ctypes.memmove(int(address), data, size)


def load8(address: int) -> np.int64:
    """Return the byte at ``address``."""
    return np.int64(_read(address, 1))


def load32(address: int) -> np.int64:
    """Return four bytes from ``address`` on, 0..2**32 - 1."""
    return np.int64(_read(address, 4))


def load64(address: int) -> np.uint64:
    """Return eight bytes from ``address`` on, unsigned.

    >>> data = np.frombuffer(b"abcdefgh", dtype=np.uint8)
    >>> hex(load64(data.ctypes.data))
    '0x6867666564636261'
    """
    return np.uint64(_read(address, 8))


def loadi64(address: int) -> np.int64:
    """Return eight bytes from ``address`` on, signed."""
    return np.uint64(_read(address, 8)).astype(np.int64)


store8, store32, store64, storei64 = (partial(_write, size=size) for size in (1, 4, 8, 8))


def copy16(to: int, source: int) -> None:
    """Copy 16 bytes."""
    ctypes.memmove(int(to), ctypes.string_at(int(source), 16), 16)


def copy15(to: int, source: int) -> None:
    """Copy 15 bytes, and write a zero after them."""
    ctypes.memmove(int(to), ctypes.string_at(int(source), 15) + b"\0", 16)


def differs16(left: int, right: int) -> np.int64:
    """Return 1 if the 16 bytes in two places differ, 0 if they are the same."""
    return np.int64(ctypes.string_at(int(left), 16) != ctypes.string_at(int(right), 16))


def swap64(value: int) -> np.uint64:
    """Return the eight bytes of a number in the other order.

    >>> hex(swap64(0x0102030405060708))
    '0x807060504030201'
    """
    return np.uint64(int.from_bytes(int(value).to_bytes(8, "little"), "big"))


def fetch(address: int) -> None:
    """Do nothing: Python cannot control what the cache holds."""


def trailing_zeros(mask: int) -> np.int64:
    """Return how many 0 bits lie below the lowest 1 bit; 64 for 0.

    >>> int(trailing_zeros(np.uint64(0b1000))), int(trailing_zeros(np.uint64(0)))
    (3, 64)
    """
    mask = int(mask)
    return np.int64((mask & -mask).bit_length() - 1 if mask else 64)


def leading_zeros(mask: int) -> np.int64:
    """Return how many 0 bits lie above the highest 1 bit; 64 for 0."""
    return np.int64(64 - int(mask).bit_length())


def ones(mask: int) -> np.int64:
    """Return how many 1 bits there are."""
    return np.int64(bin(int(mask)).count("1"))


def fold(left: int, right: int) -> np.uint64:
    """Return the two halves of the 128-bit product, joined by exclusive or."""
    product = int(left) * int(right)
    return np.uint64((product ^ product >> 64) & 0xFFFFFFFFFFFFFFFF)


def bits_of(number: np.float32) -> np.int64:
    """Return the 32 bits of a float32.

    >>> hex(bits_of(np.float32(-2.0)))
    '0xc0000000'
    """
    return np.int64(np.float32(number).view(np.uint32))


def float_of(bits: int) -> np.float32:
    """Return the float32 that has these 32 bits.

    >>> float(float_of(0xC0000000))
    -2.0
    """
    return np.uint32(int(bits) & 0xFFFFFFFF).view(np.float32)


def byte_mask(address: int, set_bits: int, low: int, count: int) -> np.uint64:
    """Return 64 bits: bit k says whether ``(byte k | set_bits) - low``, taken modulo 256, is below ``count``.

    >>> text = np.frombuffer(b"Room 101".ljust(64), dtype=np.uint8)
    >>> bin(byte_mask(text.ctypes.data, 0, ord("0"), 10))
    '0b11100000'
    """
    data = ctypes.string_at(int(address), 64)
    return np.uint64(sum(1 << k for k, byte in enumerate(data) if ((byte | set_bits) - low) & 255 < count))


def smallest(address: int) -> np.int64:
    """Return the smallest of the 16 numbers of four bytes from ``address`` on."""
    return np.int64(min(np.frombuffer(ctypes.string_at(int(address), 64), dtype="<u4").tolist()))


_taking = threading.Lock()


def take(address: int) -> np.int64:
    """Add 1 to the int64 at ``address``, which threads share, and return what it was.

    >>> counter = np.array([5])
    >>> int(take(counter.ctypes.data)), counter.tolist()
    (5, [6])
    """
    with _taking:
        number = loadi64(address)
        storei64(address, number + 1)
    return number


publish, published = storei64, loadi64


class _Record:
    """The fields of a dtype in the memory at an address."""

    def __init__(self, address: int, dtype: np.dtype) -> None:
        vars(self).update(_address=int(address), _fields=dtype.fields)

    def __getattr__(self, name: str) -> Any:
        dtype, offset = self._fields[name]
        return dtype.type(np.frombuffer(ctypes.string_at(self._address + offset, 8), dtype)[0])

    def __setattr__(self, name: str, value: int) -> None:
        _write(self._address + self._fields[name][1], value, 8)


def record_at(dtype: np.dtype) -> Callable[[int], Any]:
    """Return the function that shows the bytes at an address as a record.

    >>> numbers = np.array([3, 4])
    >>> record = record_at(np.dtype([("at", np.int64), ("end", np.int64)]))(numbers.ctypes.data)
    >>> record.end += 1
    >>> numbers.tolist()
    [3, 5]
    """
    return lambda address: _Record(address, dtype)


def address_of(record: Any) -> int:
    """Return the address of a record."""
    return vars(record)["_address"]


_functions: list[Callable[[int], int]] = []


class addressed:
    """Give a function a number by which ``call`` finds it."""

    def __init__(self, function: Callable[[int], int]) -> None:
        self.function = function
        self.address = len(_functions)
        _functions.append(function)


def call(function: int, argument: int) -> int:
    """Call the function with this number.

    >>> double = addressed(lambda number: 2 * number)
    >>> call(double.address, 21)
    42
    """
    return _functions[function](argument)


run = call
