"""kernels.machine and kernels.machine_plain say the same: word by word, at odd addresses."""

from __future__ import annotations

import random
from itertools import product
from threading import Thread

import numba
import numpy as np
import pytest

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common import machine_plain as plain
from minbpe_course.kernels.common.compiled import compiled

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT
needs_numba = pytest.mark.skipif(not COMPILED, reason="compares compiled code with Python")

ALL = 2**64 - 1
NUMBERS = [0, 1, 2, 3, 63, 64, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, ALL - 1, ALL]
NUMBERS += [1 << bit for bit in range(64)] + [ALL ^ 1 << bit for bit in range(64)]
NUMBERS += [random.Random(1).getrandbits(random.Random(bits).randint(1, 64)) for bits in range(200)]


def memory(seed: int = 0, size: int = 400) -> np.ndarray:
    """Random bytes with runs of 0 and of 255 in them."""
    data = np.frombuffer(random.Random(seed).randbytes(size), dtype=np.uint8).copy()
    data[size // 4 : size // 4 + 40], data[size // 2 : size // 2 + 40] = 0, 255
    return data


@compiled
def read_all(which, at, out):
    if which == 8:
        out[0] = machine.load8(at)
    elif which == 32:
        out[0] = machine.load32(at)
    elif which == 64:
        out[0] = np.int64(machine.load64(at))
    else:
        out[0] = machine.loadi64(at)


@compiled
def write_all(which, at, value):
    if which == 8:
        machine.store8(at, value)
    elif which == 32:
        machine.store32(at, value)
    elif which == 64:
        machine.store64(at, np.uint64(value))
    elif which == 65:
        machine.storei64(at, value)
    else:
        machine.copy16(at, value)
    machine.fetch(at)


@compiled
def copy_fifteen(to, source):
    machine.copy15(to, source)


@compiled
def count_all(mask, out):
    out[0] = machine.trailing_zeros(mask)
    out[1] = machine.leading_zeros(mask)
    out[2] = machine.ones(mask)


@compiled
def fold(left, right):
    return machine.fold(left, right)


@compiled
def there_and_back(bits):
    return machine.float_of(bits), machine.bits_of(machine.float_of(bits))


@compiled
def byte_mask(at, set_bits, low, number):
    return machine.byte_mask(at, set_bits, low, number)


@compiled
def smallest(at):
    return machine.smallest(at)


@compiled
def differs(left, right):
    return machine.differs16(left, right)


@needs_numba
def test_sixteen_bytes_differ_in_one_bit_or_not_at_all() -> None:
    data = memory()
    left, right = data[3:19], data[100:116]
    right[:] = left
    places = left.ctypes.data, right.ctypes.data
    assert differs(*places) == plain.differs16(*places) == 0
    for bit in range(128):
        right[bit >> 3] ^= 1 << (bit & 7)
        assert differs(*places) == plain.differs16(*places) == 1, bit
        right[bit >> 3] ^= 1 << (bit & 7)


@needs_numba
def test_loads_at_every_address() -> None:
    data = memory()
    out = np.zeros(1, dtype=np.int64)
    for place in range(data.size - 8):
        at = data.ctypes.data + place
        for which, word in ((8, plain.load8), (32, plain.load32), (64, plain.load64), (65, plain.loadi64)):
            read_all(which, at, out)
            wanted = word(at)
            assert out.view(np.uint64)[0] == np.array([wanted]).view(np.uint64)[0], (which, place)
            size = min(which, 64) // 8
            unsigned = int.from_bytes(data[place : place + size].tobytes(), "little")
            assert int(wanted) == (
                unsigned if which < 65 else int.from_bytes(data[place : place + 8], "little", signed=True)
            )


@needs_numba
def test_stores_write_only_their_bytes() -> None:
    words = ((8, plain.store8), (32, plain.store32), (64, plain.store64), (65, plain.storei64))
    for place, number in enumerate(NUMBERS):
        for which, word in words:
            ours, theirs = memory(place), memory(place)
            signed = int(np.uint64(number).astype(np.int64))
            write_all(which, ours.ctypes.data + place % 77, signed)
            word(theirs.ctypes.data + place % 77, np.uint64(number) if which == 64 else np.int64(signed))
            assert (ours == theirs).all(), (which, number)
            size = min(which, 64) // 8
            wanted = memory(place)
            wanted[place % 77 : place % 77 + size] = list((number % 2 ** (8 * size)).to_bytes(size, "little"))
            assert (ours == wanted).all(), (which, number)


@needs_numba
@pytest.mark.parametrize("distance", [-33, -16, -15, -1, 0, 1, 15, 16, 40])
def test_bytes_are_copied_even_if_they_overlap(distance: int) -> None:
    whole, cut = (lambda to, at: write_all(16, to, at), plain.copy16), (copy_fifteen, plain.copy15)
    for begin, (copies, last) in product((100, 101, 107), ((whole, 16), (cut, 15))):
        wanted = memory(3)
        wanted[begin + distance : begin + distance + 16] = [*memory(3)[begin : begin + last], *[0] * (16 - last)]
        for copy in copies:
            data = memory(3)
            copy(data.ctypes.data + begin + distance, data.ctypes.data + begin)
            assert (data == wanted).all()


@needs_numba
def test_bits_are_counted_alike() -> None:
    out = np.zeros(3, dtype=np.int64)
    for number in NUMBERS:
        mask = np.uint64(number)
        count_all(mask, out)
        assert out.tolist() == [plain.trailing_zeros(mask), plain.leading_zeros(mask), plain.ones(mask)], number
        text = f"{number:064b}"
        assert out.tolist() == [64 - len(text.rstrip("0")), 64 - len(text.lstrip("0")), text.count("1")]


@needs_numba
def test_products_are_folded_alike() -> None:
    for left in NUMBERS[::3]:
        for right in NUMBERS[::5]:
            found = fold(np.uint64(left), np.uint64(right))
            assert found == plain.fold(np.uint64(left), np.uint64(right))
            assert int(found) == (left * right & ALL) ^ (left * right >> 64)


@needs_numba
def test_floats_and_their_bits() -> None:
    for number in NUMBERS:
        signed = int(np.uint64(number).astype(np.int64))
        found, bits = there_and_back(signed)
        assert bits == number & 0xFFFFFFFF == plain.bits_of(plain.float_of(signed))
        assert str(np.float32(found)) == str(plain.float_of(signed))


@needs_numba
def test_64_bytes_are_compared_alike() -> None:
    # Every range that the windows ask for, and edges: nothing, one, all but one, round the end.
    ranges = [(0x20, 0x61, 26), (0, 0x61, 26), (0, 0x41, 26), (0, 0x30, 10), (0, 0x20, 1), (0, 9, 5), (0, 0x0A, 1)]
    ranges += [(0, 0x80, 128), (0, 0x80, 64), (0, 0xC4, 6), (0, 0xE5, 4), (0, 0, 0), (0, 0, 1), (0, 0, 255)]
    ranges += [(0, 255, 1), (0, 250, 12), (0, 1, 255), (255, 255, 1), (255, 0, 255), (0x80, 0x80, 1)]
    whole = np.arange(256, dtype=np.uint8)
    for data in (
        memory(5),
        memory(6),
        np.concatenate([whole, whole]),
        np.zeros(130, np.uint8),
        np.full(130, 255, np.uint8),
    ):
        for place in [*range(0, 66, 5), *range(0, data.size - 64, 64)]:
            at = data.ctypes.data + place
            for given in ranges:
                assert byte_mask(at, *given) == plain.byte_mask(at, *given), (place, given)


@needs_numba
def test_the_smallest_of_sixteen_at_every_place() -> None:
    chance = random.Random(2)
    for number in (0, 1, 2**31 - 1, 2**31, 2**32 - 2):
        for place in range(16):
            for shift in (0, 1, 3, 4, 7):
                data = np.zeros(80, dtype=np.uint8)
                values = [chance.choice([number + 1, 2**32 - 1]) for _ in range(16)]
                values[place] = number
                data[shift : shift + 64] = np.array(values, dtype="<u4").view(np.uint8)
                at = data.ctypes.data + shift
                assert smallest(at) == number == plain.smallest(at)


@compiled
def take_many(counter, numbers):
    for k in range(numbers.size):
        numbers[k] = machine.take(counter)


@compiled
def say(at, value):
    machine.publish(at, value)
    return machine.published(at)


def test_threads_never_take_the_same_number() -> None:
    counter = np.array([7])
    taken = [np.zeros(20_000 if COMPILED else 200, dtype=np.int64) for _ in range(4)]
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
    assert say(place.ctypes.data, value) == value == place[0]
