"""Cutting normalized text where no SentencePiece merge can ever reach across.

Two neighbours merge only if some piece of the model contains their characters side by side. Most models have no piece
with a letter before a space, a letter next to a comma, or two digits. So their text falls into short segments, and each
is encoded alone and cached::

     The year 2024, she said        The| year| |2|0|2|4|,| she| said

Masks give the class of 64 characters at once. ``segment_cuts``, uint64[6, 6], has all bits set for (class on the right,
class on the left) where a cut is allowed, and 0 elsewhere. Reference implementation: ``reference.segments``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.splitting.split import write_places

# The classes: ASCII letters and digits, the space, control characters, the rest of ASCII, everything above.
LETTER, DIGIT, SPACE, CONTROL, PUNCTUATION, HIGH = range(6)
CLASSES = 6

ONE, ZERO, TOP_BIT = np.uint64(1), np.uint64(0), np.uint64(63)


@helper
def _cuts_before(cuts, right, members, left):
    """Return where a character of class ``right``, the bits ``members``, may be cut off from the one before it.

    left : for each class the bits of the places after one of its characters.
    """
    allowed = cuts + 8 * CLASSES * right
    found = machine.load64(allowed) & left[0]
    for k in range(1, CLASSES):
        found |= machine.load64(allowed + 8 * k) & left[k]
    return found & members


@machine.addressed
def split_segments(address):
    """Write where each segment ends to ``ends``; move ``at`` after the segments and return their number.

    As ``split.split_words``, for text after which bytes may be read.
    """
    block = layout.block_at(address)
    at = block.at
    end = block.end
    ends = block.ends
    room = block.room
    cuts = block.segment_cuts
    count = 0
    last = at
    before = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    while at < end and count < room:
        letters = machine.byte_mask(at, 0x20, 0x61, 26)
        digits = machine.byte_mask(at, 0, 0x30, 10)
        spaces = machine.byte_mask(at, 0, 0x20, 1)
        controls = machine.byte_mask(at, 0, 0, 0x20)
        high = machine.byte_mask(at, 0, 0x80, 0x80)
        rest = ~(letters | digits | spaces | controls | high)
        left = (
            letters << ONE | before[0],
            digits << ONE | before[1],
            spaces << ONE | before[2],
            controls << ONE | before[3],
            rest << ONE | before[4],
            high << ONE | before[5],
        )
        begins = (
            _cuts_before(cuts, LETTER, letters, left)
            | _cuts_before(cuts, DIGIT, digits, left)
            | _cuts_before(cuts, SPACE, spaces, left)
            | _cuts_before(cuts, CONTROL, controls, left)
            | _cuts_before(cuts, PUNCTUATION, rest, left)
            | _cuts_before(cuts, HIGH, high, left)
        )
        size = end - at
        if size < 64:
            begins &= (ONE << np.uint64(size)) - ONE
        if begins != ZERO:
            write_places(begins, at, ends + 8 * count)
            count += machine.ones(begins)
            last = at + 63 - machine.leading_zeros(begins)
        before = (
            letters >> TOP_BIT,
            digits >> TOP_BIT,
            spaces >> TOP_BIT,
            controls >> TOP_BIT,
            rest >> TOP_BIT,
            high >> TOP_BIT,
        )
        at += 64
    if at >= end and last < end:
        machine.storei64(ends + 8 * count, end)
        count += 1
        last = end
    block.at = last
    return count
