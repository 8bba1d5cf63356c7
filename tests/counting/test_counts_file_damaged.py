"""Damaged counts files: a named error that says where, or the same words and numbers as in the undamaged file.

The number in the name of a mutant makes it again. Nothing may crash, and no damaged number may cause a large
allocation.
"""

from __future__ import annotations

import contextlib
import re
import struct
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from minbpe_course import count_words, train
from minbpe_course.counting.counts_file import Header, merge_counts, merge_runs, open_counts, prune_counts
from minbpe_course.counting.counts_file.blocks import BlockWriter
from minbpe_course.counting.counts_file.layout import FOOTER
from minbpe_course.errors import InvalidSource, UnreadableInput
from minbpe_course.reference.counts_file import read_counts
from minbpe_course.reference.runs import HEAD
from tests.counting.counts_cases import HEADER, hostile_text, run_of
from tests.shared.mutated_files import mutants

pytestmark = pytest.mark.medium

COUNT = 250


@cache
def whole() -> dict[str, dict[str, bytes]]:
    """Files of one block, of several, of long words, of none, and one that was pruned."""
    texts = {
        "one word": [b"low"],
        "one block": hostile_text(1, 300),
        "some blocks": hostile_text(2, 800),
        "long words": [b"l" * 70_000, b"l" * 70_001, b"m", b"l" * 33_000],
        "nothing": [],
    }
    made = {name: {"x.counts": run_of(text)} for name, text in texts.items()}
    other = Header(None, ("<|a|>", "é", "\ud800"), ("urls",))
    return made | {"other header": {"x.counts": run_of(texts["one block"], other)}}


def all_of(path: Path) -> tuple[object, ...]:
    """Return everything in a file, read in every way."""
    counts = open_counts(path)
    rows = list(counts.rows())
    sample = [(row.word, counts[row.word]) for row in rows[:: max(1, len(rows) // 5)]]
    said = counts.header, counts.occurrences, counts.bytes, counts.dropped, counts.longest, counts.min_frequency
    return rows, sample, said


@cache
def expected(label: str, folder: Path) -> tuple[object, ...]:
    path = folder / f"{label}.counts"
    path.write_bytes(whole()[label]["x.counts"])
    return all_of(path)


def read(path: Path) -> tuple[object, str]:
    """Return the content of a file, or the text of the error."""
    try:
        return all_of(path), ""
    except UnreadableInput as problem:
        return None, str(problem)


def test_mutants_are_refused_or_read_the_same(tmp_path):
    refused = 0
    tracemalloc.start()
    try:
        for mutant in mutants(whole(), seed=11, count=COUNT):
            wanted = expected(mutant.label, tmp_path)
            path = mutant.write(tmp_path / "m") / "x.counts"
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            found, problem = read(path)
            assert tracemalloc.get_traced_memory()[1] - before < 40 * path.stat().st_size + (1 << 21), mutant.name
            if problem:
                refused += 1
                assert str(path) in problem, mutant.name
                assert re.search(r"byte [\d,]+|not a counts file|a version other", problem), mutant.name
                continue
            assert found == wanted, mutant.name
            with contextlib.suppress(UnreadableInput):
                assert read_counts(path.read_bytes())[2] == wanted[0], mutant.name
    finally:
        tracemalloc.stop()
    assert refused > 0.8 * COUNT


def test_every_byte_of_a_small_file_matters(tmp_path):
    data = run_of([b"low", b"lower", b"low"])
    path = tmp_path / "x.counts"
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with pytest.raises(UnreadableInput, match=r"x\.counts"):
            open_counts(path).check()
        path.write_bytes(data[:at])
        with pytest.raises(UnreadableInput, match=r"x\.counts"):
            open_counts(path)


def sealed_again(data: bytearray) -> bytes:
    """Return a file with a changed footer, with the right checksum."""
    struct.pack_into("<I", data, len(data) - 8, zlib.crc32(data[-FOOTER:-8]))
    return bytes(data)


@pytest.mark.parametrize("place", range(11))
@pytest.mark.parametrize("number", [0, 1, 1 << 40, (1 << 64) - 1])
def test_wrong_totals(tmp_path, place, number):
    text = hostile_text(4, 3000)
    data = bytearray(run_of(text))
    path = tmp_path / "x.counts"
    path.write_bytes(data)
    wanted = list(open_counts(path).rows())
    at = len(data) - FOOTER + 8 * place
    if struct.unpack_from("<Q", data, at)[0] == number:
        return
    struct.pack_into("<Q", data, at, number)
    path.write_bytes(sealed_again(data))
    tracemalloc.start()
    try:
        # Some sums are only verified by check.
        assert list(open_counts(path).rows()) == wanted
        open_counts(path).load()
    except UnreadableInput:
        pass
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 1 << 24
    with pytest.raises(UnreadableInput):
        open_counts(path).check()


def write_block(writer: BlockWriter, first: int, count: int) -> None:
    """Write a block of 2,048 words of five bytes: "w" and a number from ``first`` on."""
    writer.make_room(5 * 2048)
    text = b"".join(b"w%04d" % (first + number) for number in range(2048))
    writer.waiting.text[: 5 * 2048] = np.frombuffer(text, dtype=np.uint8)
    writer.waiting.ends[:2048] = np.arange(5, 5 * 2048 + 1, 5)
    writer.waiting.counts[:2048] = count
    writer.waiting.firsts[:2048] = np.arange(2048) + first
    writer.words, writer.used = 2048, 5 * 2048
    writer.flush(everything=True)


def too_large(path: Path, blocks: int = 3) -> None:
    """Write a file whose footer hides how much text its counts stand for: 2**62 bytes in each block."""
    with path.open("wb") as file:
        writer = BlockWriter(file, HEADER)
        for at in range(blocks):
            write_block(writer, 2048 * at, (1 << 62) // (5 * 2048))
        writer._covered = 99
        writer.finish()


def test_counts_that_add_up_to_more_than_63_bits_are_refused(tmp_path):
    path, good = tmp_path / "x.counts", tmp_path / "good.counts"
    too_large(path)
    good.write_bytes(run_of([b"low", b"lower"]))
    for call in (
        lambda: open_counts(path).load(),
        lambda: open_counts(path).check(),
        lambda: train(path, 300),
        lambda: train(path, 300, memory="16MB", stages=[(280, "gpt2")]),
        lambda: merge_counts([path], tmp_path / "z.counts"),
        lambda: merge_counts([good, path], tmp_path / "z.counts"),
        lambda: merge_runs([path.read_bytes()] * 3, tmp_path / "z.counts", memory=1),
        lambda: prune_counts(path, tmp_path / "z.counts", 2),
        lambda: count_words(path),
    ):
        with pytest.raises(InvalidSource, match="63 bits"):
            call()
    assert not (tmp_path / "z.counts").exists()
    # Less text, but more than the footer says.
    too_large(path, blocks=1)
    with pytest.raises(UnreadableInput, match="do not add up"):
        train(path, 300)


def test_swapped_blocks(tmp_path):
    data = run_of([b"%c%05d" % (letter, number) for letter in b"abc" for number in range(2048)])
    path = tmp_path / "x.counts"
    path.write_bytes(data)
    counts = open_counts(path)
    first = data.index(b"}", data.index(b"{")) + 1
    size = HEAD.size + HEAD.unpack_from(data, first)[-1]
    second = first + size
    assert HEAD.unpack_from(data, second)[-1] + HEAD.size == size, "both must be of one size for this test"
    path.write_bytes(data[:first] + data[second : second + size] + data[first:second] + data[second + size :])
    with pytest.raises(UnreadableInput, match="does not belong here"):
        list(counts)
    with pytest.raises(UnreadableInput, match="block 1 does not belong here"):
        _ = counts[b"a00001"]


@pytest.mark.parametrize("first", [0, 1, 2047])
def test_blocks_follow_one_another(tmp_path, first):
    """The writer refuses a word that was written before, and the reader a file of such a writer, all sums right."""
    with (tmp_path / "x.counts").open("wb") as file:
        writer = BlockWriter(file, HEADER)
        write_block(writer, 0, 1)
        with pytest.raises(InvalidSource, match="distinct"):
            write_block(writer, first, 1)
        writer._last = b""
        write_block(writer, first, 1)
        writer.finish()
    with pytest.raises(UnreadableInput, match="block 1 does not follow the one before"):
        open_counts(tmp_path / "x.counts").load()


def test_readers_of_a_damaged_file_leave_nothing_behind(tmp_path):
    data = bytearray(run_of(hostile_text(6, 4000)))
    data[len(data) // 2] ^= 4
    path = tmp_path / "x.counts"
    path.write_bytes(data)
    whole_one = tmp_path / "y.counts"
    whole_one.write_bytes(run_of(hostile_text(7, 100)))
    for call in (
        lambda: merge_runs([whole_one, path], tmp_path / "z.counts"),
        lambda: merge_runs([whole_one, path, bytes(data)], tmp_path / "z.counts", memory=1),
        lambda: prune_counts(path, tmp_path / "z.counts", 2),
    ):
        with pytest.raises(UnreadableInput, match="byte"):
            call()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.counts", "y.counts"]
    assert open_counts(whole_one).header == HEADER
