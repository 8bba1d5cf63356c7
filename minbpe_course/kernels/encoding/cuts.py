"""Where a word may be cut before merging, because no token can reach across.

If no token of the vocabulary contains the character X followed by Y, then no merge joins bytes of both, in any word.
So a word can be cut between them, and both sides encoded alone. Words of Chinese,
Japanese or Thai are whole sentences, and fall into pieces that occur again and again::

    温故而知新可以为师矣     温 | 故 | 而 | 知 | 新 | 可以 | 为 | 师 | 矣

The table answers "is there such a token?" by one bit for the hash of (X, Y). A shared bit says yes too often; then a
cut is missed, and the ids are the same. A token may also begin or end inside a character. Then only its bytes are
known: every X that ends with the same byte is kept together with every Y that begins with the same byte.

    cuts         2^20 bits    the bit of hash(X, Y) is set where some token holds both
    cut_bytes    2^16 bits    the same for last byte of X << 8 | first byte of Y

This is right only where merging its own bytes gives every token below ``whole_only``; the others never come up in a
merge. Reference implementation: ``reference.cuts``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import GOLDEN, ONE, OTHER_GOLDEN, SIX, SIXTY_THREE, is_set, token_at
from minbpe_course.kernels.splitting.windows import character, character_at, valid_character

PAIR_BITS = 20
PAIR_MASK = np.uint64((1 << PAIR_BITS) - 1)
CODE_BITS, THREE = np.uint64(21), np.uint64(3)


@helper
def _bit_of(left, right):
    """Return the place of the bit for two code points."""
    return machine.fold((np.uint64(left) << CODE_BITS | np.uint64(right)) ^ GOLDEN, OTHER_GOLDEN) & PAIR_MASK


@helper
def _set(bits, place):
    at = bits + np.int64(place >> SIX << THREE)
    machine.store64(at, machine.load64(at) | ONE << (place & SIXTY_THREE))


@helper
def next_cut(block, at, end):
    """Return where the piece that begins at ``at`` ends: the first place where the word may be cut, or ``end``."""
    cuts = block.cuts
    cut_bytes = block.cut_bytes
    code = -1
    while at < end:
        first = machine.load8(at)
        found = character_at(at)
        next_code = found >> 3
        # Nearly all pairs of ASCII characters occur in some token, so these are not looked up.
        if code >= 0 and (code >= 0x80 or next_code >= 0x80):
            pair = np.uint64(machine.load8(at - 1) << 8 | first)
            if not is_set(cuts, _bit_of(code, next_code)) and not is_set(cut_bytes, pair):
                return at
        code = next_code
        at += found & 7
    return end


@machine.addressed
def note_cuts(address):
    """Set the bit of every two characters, or parts of them, that some token contains side by side.

    Enter tokens that are one character of two or three bytes into ``characters``.
    """
    block = layout.block_at(address)
    characters = block.characters
    cuts = block.cuts
    cut_bytes = block.cut_bytes
    for number in range(block.whole_only):
        begin, length = token_at(block, number)
        at, end = begin, begin + length
        code = -1
        if 2 <= end - at <= 3 and valid_character(at, end) == end - at:
            machine.store32(characters + 4 * (character(at) >> 3), number)
        while at < end:
            first = machine.load8(at)
            size = valid_character(at, end)
            next_code = character_at(at) >> 3 if size > 0 else -1
            if at > begin:
                if code >= 0 and next_code >= 0:
                    _set(cuts, _bit_of(code, next_code))
                else:
                    _set(cut_bytes, np.uint64(machine.load8(at - 1) << 8 | first))
            code = next_code
            at += max(size, 1)
    return 0
