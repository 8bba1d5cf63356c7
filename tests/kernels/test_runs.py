"""``kernels.sorting``, ``kernels.runs`` and ``kernels.merging_runs`` do what ``reference.runs`` says.

Blocks are compared byte for byte; the kernel refuses the same files as the reference implementation.
"""

from __future__ import annotations

import random
import struct
import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.counting.counts_file import merge_runs, run_bytes
from minbpe_course.counting.counts_file.blocks import BlockReader
from minbpe_course.counting.word_counts import Dropped
from minbpe_course.errors import UnreadableInput
from minbpe_course.kernels.counting import runs
from minbpe_course.reference import runs as reference
from minbpe_course.reference.counts_file import read_counts
from minbpe_course.reference.runs import WordRow
from tests.counting.counts_cases import (
    HEADER,
    arrays,
    hostile_text,
    hostile_texts,
    hostile_words,
    length_of,
    rows_of,
    run_of,
)

pytestmark = pytest.mark.medium


def in_order(words: list[bytes]) -> list[bytes]:
    """The words of a run, which both kernels of ``sorting`` put in order."""
    return [row.word for row in read_counts(run_of(words))[2]]


SMALL = {
    "nothing": [],
    "one": [b"a"],
    "prefixes of one another": [b"a" * length for length in range(1, 40)][::-1],
    "zeros": [b"\0" * length for length in range(1, 30)] + [b"a" + b"\0" * length for length in range(20)],
    "all bytes": [bytes([value]) for value in range(255, -1, -1)],
    "last byte of long ones": [b"x" * 50 + bytes([value]) for value in range(60, 0, -1)],
    "high and low bytes": [b"\xff\x00", b"\x00\xff", b"\x80", b"\x7f", b"\xff", b"\x00"],
}


@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_orders(words):
    assert in_order(words) == in_order(sorted(words)) == sorted(words)


@given(st.lists(st.binary(min_size=1, max_size=20) | hostile_words, unique=True))
def test_small_orders_of_hostile_words(words):
    assert in_order(words) == sorted(words)


def test_orders_of_many():
    for seed in range(3):
        words = list(dict.fromkeys(hostile_text(seed, 3000)))
        assert in_order(words) == sorted(words)
        # Orders that are slow for careless ways to sort.
        assert in_order(sorted(words)) == in_order(sorted(words)[::-1]) == sorted(words)


def blocks_in(data: bytes) -> list[bytes]:
    """The blocks of a file, encoded."""
    with BlockReader(data) as reader:
        begins = [*reader.index().tolist(), reader.totals.index]
    return [data[start:stop] for start, stop in pairwise(begins)]


@given(hostile_texts)
def test_small_runs_of_hostile_words(text):
    rows = rows_of(text)
    in_order = reference.sorted_rows(rows)
    data = run_of(text)
    assert blocks_in(data) == [reference.encode_block(*block) for block in enumerate(reference.blocks_of(in_order))]
    header, totals, found = read_counts(data)
    assert found == in_order
    assert (header["pattern"], totals["bytes"]) == (HEADER.pattern, len(b"".join(text)))


@pytest.mark.parametrize("count", [1, 127, 128, 16384, (1 << 63) - 1])
@pytest.mark.parametrize("first", [0, 255, 256, (1 << 40) - 1, (1 << 63) - 1])
def test_small_numbers_of_every_size(count, first):
    rows = [WordRow(b"a", count, first)]
    data = run_bytes(arrays(rows), header=HEADER)
    assert read_counts(data)[2] == rows
    with BlockReader(data) as reader:
        (block,) = reader.blocks()
    assert (block.counts.tolist(), block.firsts.tolist()) == ([count], [first])


def test_full_blocks_by_words_and_by_bytes():
    many = [f"{number:05}".encode() for number in range(2 * reference.BLOCK_WORDS + 1)]
    large = [b"%03d" % number + b"z" * 1000 for number in range(100)]
    huge = [b"h" * 40_000, b"h" * 40_001, b"i" * (1 << 20)]
    for words in (many, large, huge, many[: reference.BLOCK_WORDS]):
        in_order = reference.sorted_rows(rows_of(words))
        expected = [reference.encode_block(*block) for block in enumerate(reference.blocks_of(in_order))]
        assert blocks_in(run_of(words)) == expected


# ----------------------------------------------------------------------------------------------------
# Merging


@given(st.lists(hostile_texts, min_size=1, max_size=7), st.integers(1, 3))
def test_merging_hostile_runs(tmp_path_factory, texts, min_frequency):
    at, sorted_runs = 0, []
    for text in texts:
        sorted_runs.append(reference.sorted_rows(rows_of(text, at)))
        at += len(b"".join(text))
    expected = list(reference.merged(sorted_runs, min_frequency))
    everything = list(reference.merged(sorted_runs))
    output = tmp_path_factory.mktemp("merged") / "all.counts"
    made = merge_runs([run_of(text) for text in texts], output, min_frequency=min_frequency)
    assert list(made.rows()) == expected
    gone = [row for row in everything if row.count < min_frequency]
    assert made.dropped == Dropped(len(gone), sum(row.count for row in gone), length_of(gone))
    assert made.bytes == at


@pytest.mark.parametrize("number", [1, 2, 8, 100])
def test_small_merges_of_any_number(tmp_path, number):
    texts = [[b"%d" % (each % 3), b"same", b"%d" % each] for each in range(number)]
    texts[number // 2] = []
    words = [word for text in texts for word in text]
    made = merge_runs([run_of(text) for text in texts], tmp_path / "all.counts")
    assert made.path.read_bytes() == run_of(words)


def test_greatest_words_of_runs_that_end_early(tmp_path):
    """The first eight bytes of these are the greatest number, which also stands for having no word left."""
    texts = [[b"a"], [b"\xff" * 8], [b"\xff" * 7, b"\xff" * 9], [], [b"\xff" * 8, b"\xff" * 17], [b"b"]]
    for order in (texts, texts[::-1]):
        made = merge_runs([run_of(text) for text in order], tmp_path / "all.counts")
        assert made.path.read_bytes() == run_of([word for text in order for word in text])


# ----------------------------------------------------------------------------------------------------
# Both refuse damaged blocks


def kernel_reads(block: bytes) -> list[WordRow] | None:
    """What ``decode_block`` of the kernels makes of a block whose head is right."""
    _, words, width, _, text, size = reference.HEAD.unpack_from(block)
    data = np.frombuffer(block + b"\xaa" * 16, dtype=np.uint8)
    memory, place = np.full(24 * words + text + 16, 0xEE, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    wrong = runs.decode_block(
        data.ctypes.data + reference.HEAD.size, size, words, width, text, 0, memory.ctypes.data, place.ctypes.data
    )
    assert 0 <= place[0] <= size
    if wrong:
        return None
    ends, counts, firsts = (column.tolist() for column in memory[: 24 * words].view(np.int64).reshape(3, words))
    text_of = memory[24 * words :].tobytes()
    return [WordRow(text_of[start:end], *row) for start, end, *row in zip([0, *ends], ends, counts, firsts)]


def reference_reads(block: bytes) -> list[WordRow] | None:
    try:
        return reference.decode_block(block, 0)
    except UnreadableInput:
        return None


def sealed_again(block: bytearray) -> bytes:
    """With a checksum that is right, as no accident would leave it."""
    struct.pack_into("<I", block, 0, zlib.crc32(block[4:]))
    return bytes(block)


def test_columns_that_are_damaged_but_sealed():
    rng = random.Random(5)
    refused = read = 0
    for number in range(1000):
        rows = reference.sorted_rows(rows_of(hostile_text(number % 50, rng.choice([1, 3, 20]))))
        block = bytearray(reference.encode_block(0, rows))
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(reference.HEAD.size, len(block))
            if rng.random() < 0.2:
                del block[at:]
            elif rng.random() < 0.2:
                block[at:at] = rng.randbytes(rng.choice([1, 9]))
            else:
                block[at] = rng.choice([0, 1, 0x0F, 0xF0, 0x80, 0xFF, rng.randrange(256)])
            struct.pack_into("<Q", block, reference.HEAD.size - 8, len(block) - reference.HEAD.size)
            if len(block) == reference.HEAD.size:
                break
        if rng.random() < 0.2:
            struct.pack_into("<Q", block, 16, max(1, struct.unpack_from("<Q", block, 16)[0] + rng.choice([-1, 1, 100])))
        data = sealed_again(block)
        expected = reference_reads(data)
        assert kernel_reads(data) == expected, f"number {number}"
        refused, read = refused + (expected is None), read + (expected is not None)
    assert refused > 150
    assert read > 150
