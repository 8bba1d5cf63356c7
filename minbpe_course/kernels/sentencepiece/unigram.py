"""SentencePiece Unigram on normalized text: the cut with the best sum of float32 scores, mostly from a cache.

    ▁Hello|▁world|▁Hello ...       no piece goes across these places (see ``segments``): every path passes them
      -3.1  -8.9    -12.0          so a segment depends on the text before it by one number, the best sum there

Sums are rounded. After another sum, the same segment may be cut differently, but only if two of its ways are about as
good. So the cache keeps with each segment how much better its best way is wherever another way joins it (its *margin*).
If that is more than all roundings together, the cut is the cached one, and its scores are added, one after another,
rounding as the full search does. Otherwise the search runs again.

    rounding: each addition to a sum of size M is off by half of ulp(M) at most, so in a segment of n characters two
    sums that are compared are off by less than (n + 2) * ulp(M); margin / (n + 2) is kept, and compared with ulp(M)

Text is as ``normalize`` writes it: valid UTF-8, with one byte for ▁ if the model escapes spaces.

    nodes          the trie, see ``piece_trie``
    scores         float32 of each id; a user-defined piece has the one that its bytes give it
    lengths        uint32 of each id: its bytes
    unknown_score  the bits of a float32 · longest  bytes of the longest piece
    sum            the bits of the best sum up to at, when the encoder comes back for something
    cache          128 bytes for each of cache_mask + 1 segments, an even number, zeros at first; or 0
    scratch        20 bytes for each byte of a segment, and 64 more · records  24 bytes for each of BATCH segments
    spans          0, or int32: how many bytes, ▁ counted as three, each id stands for

Reference implementation: ``reference.unigram``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import GOLDEN, HIGH_HALF, OTHER_GOLDEN, low_bytes
from minbpe_course.kernels.sentencepiece.piece_trie import character_size
from minbpe_course.kernels.sentencepiece.unigram_search import (
    FARTHEST_SUM,
    NOTHING,
    UNKNOWN,
    ZERO_SUM,
    path_of,
    search,
    trace,
)

# An entry of the cache: the first 16 bytes of the segment, margin, reach, sizes, ids; then the rest of it.
ENTRY, MARGIN, REACH, SIZES, IDS, REST = 128, 16, 20, 24, 28, 64
CACHED_BYTES, CACHED_IDS = 48, 9

# Segments whose cache entries are prefetched together.
BATCH = 32

SPACE = 0x20

ULP_FACTOR = np.float32(2.0**-23)
LARGER = np.float32(1.0001)
EXPONENT = 0x7F800000

ZERO, ONE = np.uint64(0), np.uint64(1)


@helper
def _ulp(number):
    """The distance from a float32 above 0 to the next."""
    return machine.float_of(machine.bits_of(number) & EXPONENT) * ULP_FACTOR


@helper
def _width(byte, escapes):
    """Return the bytes of the user's text for a character that begins with ``byte``, and its bytes here."""
    size = character_size(byte)
    return (3 if escapes and byte == SPACE else size), size


@helper
def _seen(at, end, escapes):
    """Return how many bytes of the user's text those from ``at`` to ``end`` stand for."""
    size = end - at
    while escapes and at < end:
        size += 2 if machine.load8(at) == SPACE else 0
        at += 1
    return size


@helper
def write_path(block, at, number, out):
    """Write the ids of the path, and their spans; return the new ``out``."""
    path = path_of(block)
    lengths = block.lengths
    byte_ids = block.byte_ids
    unknown = block.unknown
    escapes = block.escapes != 0
    first = block.first_out
    spans = block.spans - first
    spell = spans != -first
    for k in range(number):
        piece = machine.load32(path + 4 * (number - 1 - k))
        if piece != UNKNOWN:
            size = machine.load32(lengths + 4 * piece)
            machine.store32(out, piece)
            if spell:
                machine.store32(out + spans, _seen(at, at + size, escapes))
            out += 4
            at += size
            continue
        byte = machine.load8(at)
        width, size = _width(byte, escapes)
        if byte_ids != 0:
            for place in range(width):
                if width != size:
                    byte = 0xE2 if place == 0 else 0x96 if place == 1 else 0x81
                else:
                    byte = machine.load8(at + place)
                machine.store32(out, machine.load32(byte_ids + 4 * byte))
                if spell:
                    machine.store32(out + spans, 1)
                out += 4
        elif out > first and machine.load32(out - 4) == unknown:
            # Unknown characters side by side become one id; no other piece has it.
            if spell:
                machine.store32(out - 4 + spans, machine.load32(out - 4 + spans) + width)
        else:
            machine.store32(out, unknown)
            if spell:
                machine.store32(out + spans, width)
            out += 4
        at += size
    return out


@helper
def _eight(at, left):
    """Eight bytes as a number, of which only ``left`` count."""
    word = machine.load64(at)
    return word & low_bytes(left) if left < 8 else word


@helper
def _head(at, size):
    """The first 16 bytes of a segment as two numbers, zeros after its end."""
    if size < 8:
        return _eight(at, size), ZERO
    return machine.load64(at), _eight(at + 8, size - 8)


@helper
def _is_rest(entry, at, size):
    """Whether the bytes of a segment after its first 16 are those of the entry."""
    for place in range(16, size, 8):
        if _eight(at + place, size - place) != machine.load64(entry + REST + place - 16):
            return False
    return True


@helper
def _keep_rest(entry, at, size):
    """Write the bytes of a segment after its first 16 into the entry."""
    for place in range(16, size, 8):
        machine.store64(entry + REST + place - 16, _eight(at + place, size - place))


@helper
def _keep(block, entry, first, second, at, end, characters, number, sum_before):
    """Note a segment in the cache: its bytes, its path, and how much better that is.

    A path through an unknown character is not kept, since neighbours can change its id.
    """
    best = block.scratch
    lengths = block.lengths
    path = path_of(block)
    for k in range(number):
        if machine.load32(path + 4 * k) == UNKNOWN:
            return
    machine.store64(entry, first)
    machine.store64(entry + 8, second)
    _keep_rest(entry, at, end - at)
    reach = ZERO_SUM
    for place in range(1, end - at + 1):
        if machine.load32(best + 16 * place + 4) != NOTHING:
            reach = max(reach, abs(machine.float_of(machine.load32(best + 16 * place)) - sum_before))
    margin = np.float32(np.inf)
    place = end
    for k in range(number):
        piece = machine.load32(path + 4 * k)
        slot = best + 16 * (place - at)
        margin = min(margin, machine.float_of(machine.load32(slot)) - machine.float_of(machine.load32(slot + 8)))
        place -= machine.load32(lengths + 4 * piece)
        machine.store32(entry + IDS + 4 * (number - 1 - k), piece)
    # The measured margin is itself subject to rounding.
    off = np.float32(characters + 2) * _ulp(abs(sum_before) + reach)
    machine.store32(entry + MARGIN, machine.bits_of((margin - off) / np.float32(characters + 2)))
    machine.store32(entry + REACH, machine.bits_of((reach + off) * LARGER))
    machine.store32(entry + SIZES, (end - at) << 8 | number)


@helper
def _is_here(entry, first, second, at, size):
    """Whether an entry is that of a segment, whose head is (first, second)."""
    return (
        machine.load64(entry) == first
        and machine.load64(entry + 8) == second
        and machine.load32(entry + SIZES) >> 8 == size
        and (size <= 16 or _is_rest(entry, at, size))
    )


@helper
def _known(block, entry, total, out):
    """Write the ids of a cached segment if its margin is enough; return (new ``out``, new sum), or (0, the sum)."""
    scores = block.scores
    reach = abs(total) + machine.float_of(machine.load32(entry + REACH))
    if reach < FARTHEST_SUM and machine.float_of(machine.load32(entry + MARGIN)) > _ulp(reach):
        for k in range(machine.load32(entry + SIZES) & 0xFF):
            piece = machine.load32(entry + IDS + 4 * k)
            total += machine.float_of(machine.load32(scores + 4 * piece))
            machine.store32(out, piece)
            out += 4
        return out, total
    return np.int64(0), total


@helper
def _ask_for(block, at, begin, batch):
    """Write the key and the hash of each segment to ``records``, and prefetch its two cache entries."""
    ends = block.ends
    records = block.records
    cache = block.cache
    mask = np.uint64(block.cache_mask)
    for k in range(begin, batch):
        end = machine.loadi64(ends + 8 * k)
        size = end - at
        if size <= CACHED_BYTES:
            first, second = _head(at, size)
            mixed = machine.fold(first ^ GOLDEN, second ^ OTHER_GOLDEN ^ np.uint64(size))
            if size > 16:
                mixed = machine.fold(mixed ^ machine.load64(end - 16), machine.load64(end - 8) ^ GOLDEN)
            record = records + 24 * (k - begin)
            machine.store64(record, first)
            machine.store64(record + 8, second)
            machine.store64(record + 16, mixed)
            slot = np.int64(mixed >> HIGH_HALF & mask)
            machine.fetch(cache + ENTRY * slot)
            machine.fetch(cache + ENTRY * (slot ^ 1))
        at = end


@machine.addressed
def encode_part(address):
    """Encode the normalized text from ``at`` to ``end``, the whole text, to ``out``; return DONE, or what is missing.

    A ``part_encoder`` of ``documents``. When something is missing it is called again, with ``at`` and ``sum`` as it
    left them.
    """
    block = layout.block_at(address)
    if block.at == block.text:
        block.sum = 0
    stop = block.end
    splitter = block.splitter
    ends = block.ends
    records = block.records
    cache = block.cache
    mask = np.uint64(block.cache_mask)
    if block.spans != 0:
        cache = np.int64(0)
    out = block.out
    total = machine.float_of(block.sum)
    while block.at < stop:
        at = block.at
        number = machine.call(splitter, address)
        for begin in range(0, number, BATCH):
            batch = min(begin + BATCH, number)
            if cache != 0:
                _ask_for(block, at, begin, batch)
            for k in range(begin, batch):
                end = machine.loadi64(ends + 8 * k)
                size = end - at
                entry = np.int64(0)
                first = second = ZERO
                if size <= CACHED_BYTES and cache != 0:
                    record = records + 24 * (k - begin)
                    first, second = machine.load64(record), machine.load64(record + 8)
                    mixed = machine.load64(record + 16)
                    slot = np.int64(mixed >> HIGH_HALF & mask)
                    entry, other = cache + ENTRY * slot, cache + ENTRY * (slot ^ 1)
                    found = _is_here(entry, first, second, at, size)
                    if not found:
                        # Each segment has two entries. If both are taken, a bit of the hash picks one to replace.
                        if _is_here(other, first, second, at, size):
                            entry = other
                            found = True
                        elif machine.load32(entry + SIZES) != 0 and (
                            machine.load32(other + SIZES) == 0 or mixed & ONE != ZERO
                        ):
                            entry = other
                    if found:
                        written, total = _known(block, entry, total, out)
                        if written != 0:
                            out = written
                            at = end
                            continue
                if block.scratch_size < 20 * size + 64:
                    block.scratch_wanted = 20 * size + 64
                    block.at = at
                    block.out = out
                    block.sum = machine.bits_of(total)
                    return layout.NEEDS_SCRATCH
                characters = search(block, at, end, total)
                pieces = trace(block, at, end)
                out = write_path(block, at, pieces, out)
                if entry != 0 and characters > 0 and pieces <= CACHED_IDS:
                    _keep(block, entry, first, second, at, end, characters, pieces, total)
                total = machine.float_of(machine.load32(block.scratch + 16 * size))
                at = end
    block.out = out
    return layout.DONE
