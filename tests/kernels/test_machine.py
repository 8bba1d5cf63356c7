"""kernels.machine and kernels.machine_plain do what their table says: word by word, at odd addresses."""

from __future__ import annotations

import random
from collections.abc import Callable
from threading import Thread
from typing import Any

import numba
import numpy as np
import pytest

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common import machine_plain as plain
from minbpe_course.kernels.common.compiled import compiled

pytestmark = pytest.mark.medium

ALL = 2**64 - 1
NUMBERS = [0, 1, 2, 3, 63, 64, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, ALL - 1, ALL]
NUMBERS += [1 << bit for bit in range(64)] + [ALL ^ 1 << bit for bit in range(64)]
NUMBERS += [random.Random(1).getrandbits(random.Random(bits).randint(1, 64)) for bits in range(200)]


def memory(seed: int = 0, size: int = 400) -> np.ndarray:
    """Random bytes with runs of 0 and of 255 in them."""
    data = np.frombuffer(random.Random(seed).randbytes(size), dtype=np.uint8).copy()
    data[size // 4 : size // 4 + 40], data[size // 2 : size // 2 + 40] = 0, 255
    return data


def both(name: str) -> list[Callable[..., Any]]:
    """A word as compiled code has it, and in plain Python."""
    word = getattr(machine, name)
    return [compiled(lambda *given: word(*given)), getattr(plain, name)]


@pytest.mark.parametrize(("name", "size"), [("load8", 1), ("load32", 4), ("load64", 8), ("loadi64", 8)])
def test_loads_at_every_address(name: str, size: int) -> None:
    data = memory()
    places, signed = range(data.size - 8), name == "loadi64"
    wanted = [int.from_bytes(data[at : at + size].tobytes(), "little", signed=signed) for at in places]
    for word in both(name):
        assert [word(data.ctypes.data + at) for at in places] == wanted


@pytest.mark.parametrize(("name", "size"), [("store8", 1), ("store32", 4), ("store64", 8), ("storei64", 8)])
def test_stores_write_only_their_bytes(name: str, size: int) -> None:
    for word in both(name):
        for seed, number in enumerate(NUMBERS):
            data, wanted, at = memory(seed), memory(seed), seed % 77
            word(data.ctypes.data + at, np.uint64(number).astype(np.uint64 if name == "store64" else np.int64))
            wanted[at : at + size] = list((number % 2 ** (8 * size)).to_bytes(size, "little"))
            assert (data == wanted).all(), number


@pytest.mark.parametrize(("name", "size"), [("copy16", 16), ("copy15", 15)])
@pytest.mark.parametrize("distance", [-33, -16, -15, -1, 0, 1, 15, 16, 40])
def test_bytes_are_copied_even_if_they_overlap(name: str, size: int, distance: int) -> None:
    for word in both(name):
        for begin in (100, 101, 107):
            data, wanted = memory(3), memory(3)
            wanted[begin + distance : begin + distance + 16] = [*data[begin : begin + size], *[0] * (16 - size)]
            word(data.ctypes.data + begin + distance, data.ctypes.data + begin)
            assert (data == wanted).all()


def test_sixteen_bytes_differ_in_one_bit_or_not_at_all() -> None:
    data = memory()
    left, right = data[3:19], data[100:116]
    right[:] = left
    places = left.ctypes.data, right.ctypes.data
    for word in both("differs16"):
        assert word(*places) == 0
        for bit in range(128):
            right[bit >> 3] ^= 1 << (bit & 7)
            assert word(*places) == 1, bit
            right[bit >> 3] ^= 1 << (bit & 7)


COUNTS: dict[str, Callable[[str], int]] = {
    "trailing_zeros": lambda bits: 64 - len(bits.rstrip("0")),
    "leading_zeros": lambda bits: 64 - len(bits.lstrip("0")),
    "ones": lambda bits: bits.count("1"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_bits_are_counted(name: str) -> None:
    for word in both(name):
        assert [word(np.uint64(number)) for number in NUMBERS] == [COUNTS[name](f"{one:064b}") for one in NUMBERS]


def test_products_are_folded() -> None:
    for word in both("fold"):
        for left in NUMBERS[::3]:
            for right in NUMBERS[::5]:
                assert int(word(np.uint64(left), np.uint64(right))) == (left * right & ALL) ^ (left * right >> 64)


@compiled
def there_and_back(bits):
    return machine.float_of(bits), machine.bits_of(machine.float_of(bits))


def test_floats_and_their_bits() -> None:
    for number in NUMBERS:
        signed = int(np.uint64(number).astype(np.int64))
        found, bits = there_and_back(signed)
        assert bits == number & 0xFFFFFFFF == plain.bits_of(plain.float_of(signed))
        assert str(np.float32(found)) == str(plain.float_of(signed))


def test_64_bytes_are_compared_alike() -> None:
    # Letters of both cases, and edges: nothing, one, all but one, round the end.
    ranges = [(0x20, 0x61, 26), (0, 0x80, 128), (0, 0, 0), (0, 0, 1), (0, 0, 255), (0, 250, 12), (255, 0, 255)]
    chance = random.Random(4)
    ranges += [(chance.choice([0, 0x20, 0x80]), *random.Random(at).choices(range(256), k=2)) for at in range(30)]
    fast, slow = both("byte_mask")
    for data in (memory(5), memory(6), np.arange(512).astype(np.uint8)):
        for place in [*range(0, 66, 5), *range(0, data.size - 64, 64)]:
            at = data.ctypes.data + place
            for given in ranges:
                assert fast(at, *given) == slow(at, *given), (place, given)


def test_the_smallest_of_sixteen_at_every_place() -> None:
    chance = random.Random(2)
    for word in both("smallest"):
        for number in (0, 1, 2**31 - 1, 2**31, 2**32 - 2):
            for place in range(16):
                values = np.array([chance.choice([number + 1, 2**32 - 1]) for _ in range(16)], dtype="<u4")
                values[place] = number
                for shift in (0, 1, 3, 4, 7):
                    data = np.frombuffer(bytes(shift) + values.tobytes(), dtype=np.uint8)
                    assert word(data.ctypes.data + shift) == number


@compiled
def take_many(counter, numbers):
    for k in range(numbers.size):
        numbers[k] = machine.take(counter)


def test_threads_never_take_the_same_number() -> None:
    counter = np.array([7])
    taken = [np.zeros(200 if numba.config.DISABLE_JIT else 20_000, dtype=np.int64) for _ in range(4)]
    threads = [Thread(target=take_many, args=(counter.ctypes.data, each)) for each in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = np.sort(np.concatenate(taken))
    assert found.tolist() == list(range(7, 7 + found.size))
    assert counter.tolist() == [7 + found.size]


@pytest.mark.parametrize("value", [0, -1, 2**62])
def test_what_is_published_is_seen(value: int) -> None:
    place = np.array([5])
    for publish, published in zip(both("publish"), both("published")):
        publish(place.ctypes.data, value)
        assert published(place.ctypes.data) == value == place[0]
