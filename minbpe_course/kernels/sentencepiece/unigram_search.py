"""The search for the best way to cut a segment of text into the pieces of a Unigram model (Viterbi).

``best`` has 8 bytes for each place of the segment: the best sum so far, float32, and the piece that ends there. The
pieces of the best path are written after it. See ``unigram`` for the fields of the block. Reference implementation:
``reference.unigram.viterbi_steps``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import HIGH_HALF
from minbpe_course.kernels.sentencepiece.piece_trie import NO_PIECE, ROOT, base_of, character_size, is_child, piece_of

UNKNOWN = NO_PIECE - 1
NOTHING = 0xFFFFFFFF

FARTHEST_SUM = np.float32(100_000.0)
EMPTY = np.uint64(NOTHING << 32 | 0xFF800000)  # no piece, and minus infinity
ZERO_SUM = np.float32(0.0)


@helper
def _offer(slot, candidate, piece):
    """Keep the best sum of the ways to a place."""
    if machine.load32(slot + 4) == NOTHING or candidate > machine.float_of(machine.load32(slot)):
        machine.store64(slot, np.uint64(piece) << HIGH_HALF | np.uint64(machine.bits_of(candidate)))


@helper
def search(block, at, end, sum_before):
    """Fill ``best`` for the segment from ``at`` to ``end``."""
    nodes = block.nodes
    scores = block.scores
    unknown = machine.float_of(block.unknown_score)
    root = base_of(machine.load64(nodes + 8 * ROOT))
    best = block.scratch
    machine.store64(best, np.uint64(machine.bits_of(sum_before)))
    for place in range(1, end - at + 1):
        machine.store64(best + 8 * place, EMPTY)
    slot = best
    while at < end:
        size = character_size(machine.load8(at))
        here = machine.float_of(machine.load32(slot))
        if abs(here) > FARTHEST_SUM:
            last = min(end - at, block.longest)
            for place in range(last + 1):
                if place == 0 or machine.load32(slot + 8 * place + 4) != NOTHING:
                    moved = machine.float_of(machine.load32(slot + 8 * place)) - here
                    machine.store32(slot + 8 * place, machine.bits_of(moved))
            here = ZERO_SUM
        alone = False
        base = root
        place = at
        target = slot
        while place < end:
            byte = machine.load8(place)
            node = machine.load64(nodes + 8 * (base ^ byte))
            if not is_child(node, byte):
                break
            base = base_of(node)
            place += 1
            target += 8
            piece = piece_of(node)
            if piece != NO_PIECE:
                _offer(target, here + machine.float_of(machine.load32(scores + 4 * piece)), piece)
                alone |= place - at == size
        if not alone:
            _offer(slot + 8 * size, here + unknown, UNKNOWN)
        at += size
        slot += 8 * size


@helper
def path_of(block):
    """Return where the pieces of the best path are written, after ``best``."""
    scratch = block.scratch
    return scratch + 2 * block.scratch_size // 3 // 16 * 16


@helper
def trace(block, at, end):
    """Write the pieces of the best path behind ``best``, the last one first; return how many."""
    best = block.scratch
    lengths = block.lengths
    path = path_of(block)
    number = 0
    place = end
    while place > at:
        piece = machine.load32(best + 8 * (place - at) + 4)
        machine.store32(path + 4 * number, piece)
        number += 1
        if piece == UNKNOWN:
            place -= 1
            while machine.load8(place) & 0xC0 == 0x80:
                place -= 1
        else:
            place -= machine.load32(lengths + 4 * piece)
    return number
