"""Compressed files: decompression, errors for damaged files, and bounded memory."""

from __future__ import annotations

import random
import tracemalloc
import zlib

import pytest

from minbpe_course.corpus import compressed
from minbpe_course.corpus.compressed import HEAD, Unpacked, may_become_compressed, recognise, unpacked
from minbpe_course.corpus.reading import Corpus, Cutter
from minbpe_course.errors import UnreadableInput
from tests.corpus.corpus_files import PACKERS, all_pieces, assert_resumes, written

pytestmark = pytest.mark.medium

TEXT = "the cat sat on the mat. 中文。é\n" * 40
DATA = TEXT.encode("utf-8")


def in_blocks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("block", [1, 7, 1 << 16])
def test_decompression(kind, block):
    pack = PACKERS[kind]
    for parts in ([DATA], [DATA, b"", DATA[:5]], [b""], [b"", b"x"]):
        packed = b"".join(map(pack, parts))
        before = pack(b"a") + bytes(4)  # made once: a gzip header holds the second in which it was written
        for filled in (packed, packed + bytes(8), before + packed):
            wanted = (b"a" if filled.startswith(before) else b"") + b"".join(parts)
            assert b"".join(Unpacked(in_blocks(filled, block), kind, "x")) == wanted
            # Recognised by the first bytes, as from a pipe.
            assert b"".join(unpacked(in_blocks(filled, block), None, "-")) == wanted


@pytest.mark.parametrize("kind", ["xz", "zst"])
def test_a_small_file_cannot_ask_for_gigabytes(kind):
    packed = bytearray(PACKERS["xz"](DATA))
    if kind == "xz":
        # The size of the dictionary becomes 4 GB; the header of a block begins at 12, and ends with its checksum.
        packed[packed.index(b"\x21\x01") + 2] = 40
        end = 12 + (packed[12] + 1) * 4
        packed[end - 4 : end] = zlib.crc32(packed[12 : end - 4]).to_bytes(4, "little")
    else:
        # A frame with a window of 2 GB, and an empty last block.
        packed = bytearray(b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")
    with pytest.raises(UnreadableInput, match="more than 128 MB of memory"):
        list(Unpacked([bytes(packed)], kind, "x"))


@pytest.mark.parametrize("kind", PACKERS)
def test_an_incomplete_file_is_reported_with_its_good_bytes(kind):
    packed = PACKERS[kind](DATA) + PACKERS[kind](DATA[:100])
    one = len(PACKERS[kind](DATA))
    for stop in range(len(packed)):
        source = Unpacked(in_blocks(packed[:stop], 5), kind, "x.txt")
        found = b""
        if stop == one:
            assert b"".join(source) == DATA
            continue
        with pytest.raises(UnreadableInput, match=r"x\.txt is not a complete .* file") as told:  # noqa: PT012
            for part in source:
                found += part
        assert (DATA + DATA).startswith(found)
        assert f"The first {len(found):,} uncompressed bytes" in str(told.value)
        assert isinstance(told.value, (ValueError, EOFError))


@pytest.mark.parametrize("kind", PACKERS)
def test_damage_is_reported_or_harmless(kind):
    packed = PACKERS[kind](DATA)
    rng = random.Random(1)
    told = 0
    for _ in range(150):
        wrong = bytearray(packed)
        wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
        try:
            found = b"".join(Unpacked([bytes(wrong)], kind, "x"))
        except UnreadableInput:
            told += 1
        else:
            # The header of gzip has no checksum, and the package zstandard writes none by default.
            assert len(found) >= len(DATA) or kind == "zst"
    assert told > 30


@pytest.mark.parametrize("kind", PACKERS)
def test_other_data_before_or_after_is_an_error(kind):
    with pytest.raises(UnreadableInput, match="something else follows the data"):
        list(Unpacked([PACKERS[kind](DATA) + b"more"], kind, "x"))
    with pytest.raises(UnreadableInput, match="begins differently"):
        list(Unpacked([b"plain text"], kind, "x"))
    with pytest.raises(UnreadableInput, match="it is empty"):
        list(Unpacked([], kind, "x"))


def test_compression_is_recognised_by_the_first_bytes():
    for kind, pack in PACKERS.items():
        for data in (b"", b"a", DATA, bytes(random.Random(2).randbytes(5000))):
            packed = pack(data)
            assert recognise(packed[:HEAD]) == kind
            assert all(may_become_compressed(packed[:size]) or recognise(packed[:size]) for size in range(1, 9))
    for text in (b"", b"(", b"B", b"BZh", b"BZh9", b"BZh91AY&SY and so on", "BZh91AY&SY é".encode() * 9, b"plain"):
        assert recognise(text[:HEAD]) is None
        assert b"".join(unpacked(in_blocks(text, 1), None, "-")) == text
    # A character that is cut off at the end of the first bytes.
    assert recognise(b"BZh91AY&SY" + b"x" * (HEAD - 11) + "é".encode()[:1]) is None


@pytest.mark.parametrize("kind", PACKERS)
def test_memory_stays_bounded(kind):
    packed = PACKERS[kind](bytes(64 << 20))
    tracemalloc.start()
    try:
        total = sum(map(len, Unpacked(in_blocks(packed, 1 << 16), kind, "x")))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total == 64 << 20
    assert most < 24 << 20


@pytest.mark.parametrize("kind", PACKERS)
def test_reading_continues_in_the_middle_of_a_compressed_file(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "BLOCK", 1 << 15)
    rng = random.Random(4)
    text = " ".join(str(rng.random()) for _ in range(20_000))
    corpus = Corpus(written(tmp_path / f"text.{kind}", PACKERS[kind](text.encode())))
    cutter = Cutter("cl100k_base")
    (part,) = corpus.parts(cutter, 1000)
    assert len(all_pieces(corpus, cutter, 1)) > 2
    assert_resumes(part, cutter)
