"""SentencePiece BPE for one segment of normalized text: from characters to ids.

    ▁hello      characters first:          ▁ h e l l o
                always the best pair:      ▁ h e l l o  →  ▁ he l l o  →  ▁ he ll o  →  ...

The best pair is the one whose piece has the best score; among equals, the leftmost. Symbols are numbers of tokens as in
``tables``. ``symbols``, uint32[0x110000], is the number of each character + 1, or 0 for a character that is in no
piece: its symbol is NOBODY, which merges with nothing. ``pairs`` gives the merge of two symbols; ``merged``, uint32 by
merge, the symbol that it makes; ``ranks``, uint32 by merge, how good it is, 0 for the best. Where scores belong to
pieces, all ways to make a piece are one merge with its number, and equal scores have equal ranks. Where merges are a
list, each line is a merge. Up to SMALL symbols all pairs are compared (``merging.merge_small`` explains how that works
without branches); more go through a heap.

The remaining symbols become ids: ``token_ids`` where that is not NO_ID, else

    an UNUSED piece           the pieces that it was joined from: leaves, uint32 by number, FREE or which one;
                              leaf_starts int64, where its leaf_parts begin: uint32 pairs, id and bytes
    no piece, byte_ids        one id a byte, uint32[256]; three for ▁, which is one byte here (``normalize``) if escapes
    no piece, none            the id unknown; neighbours fuse later, in ``documents``

BPE-dropout leaves merges out at random, ``dropout`` of 2**32; each pair is tried once, when it would be next. ``luck``
is the state of the random numbers (splitmix64).

Before the first thousand segments the table of pairs is not worth making. Until then ``filter`` is 0, and ``pairs`` is
a table like ``words``, of all pieces, in which the text of two symbols is found.

If ``spans`` is not 0, it is an address where the number of bytes of text that each id stands for goes (uint32), ▁
counted as three. Reference implementation: ``reference.pieces``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.merging import BORDER, NO_VALUE, PLACE_BITS, SMALL, TWO, VALUES, ZERO, merge_linked
from minbpe_course.kernels.encoding.tables import (
    FREE,
    KEYED,
    NOTHING_MADE,
    ONE,
    find_in,
    key_of,
    pair_value,
    token_at,
    token_hash,
)
from minbpe_course.kernels.splitting.windows import character_at

# The symbol of an unknown character, and the border at both ends. Where in ``scratch`` merges and begins are.
NOBODY = BORDER
MADES, STARTS = 2 * VALUES, 3 * VALUES
# And the text of two symbols, for which there is room: few symbols have at most 256 bytes.
JOINED = 4 * VALUES

# Bytes of ``scratch`` for each byte of a segment, when it is merged with the heap.
HEAP_BYTES = 64

SPACE = 0x20


@helper
def _symbol(block, at):
    """Return the character at ``at``: number << 3 | bytes."""
    found = character_at(at)
    number = machine.load32(block.symbols + 4 * (found >> 3)) - 1
    if number < 0:
        number = np.int64(NOBODY)
    return number << 3 | found & 7


@helper
def note_span(block, at, size):
    """Note, if spans are wanted, that the next id stands for ``size`` bytes from ``at`` on."""
    spans = block.spans
    if spans != 0:
        seen = size
        if block.escapes != 0:
            for k in range(size):
                if machine.load8(at + k) == SPACE:
                    seen += 2
        machine.store32(spans, seen)
        block.spans = spans + 4


@helper
def _put(block, token_id, at, size, out):
    machine.store32(out, token_id)
    note_span(block, at, size)
    return out + 4


@helper
def _put_byte(block, byte, out):
    spans = block.spans
    if spans != 0:
        machine.store32(spans, 1)
        block.spans = spans + 4
    machine.store32(out, machine.load32(block.byte_ids + 4 * byte))
    return out + 4


@helper
def _put_unknown(block, at, size, out):
    """Write the ids of text that is not a piece."""
    if block.byte_ids == 0:
        return _put(block, block.unknown, at, size, out)
    escapes = block.escapes != 0
    for k in range(size):
        byte = machine.load8(at + k)
        if byte == SPACE and escapes:
            out = _put_byte(block, 0xE2, out)
            out = _put_byte(block, 0x96, out)
            byte = 0x81
        out = _put_byte(block, byte, out)
    return out


@helper
def _put_symbol(block, number, at, size, out):
    """Write the ids of one symbol that is left."""
    leaves = np.int64(FREE)
    if number != NOBODY:
        token_id = machine.load32(block.token_ids + 4 * number)
        if token_id != layout.NO_ID:
            return _put(block, token_id, at, size, out)
        leaves = machine.load32(block.leaves + 4 * number)
    if leaves == FREE:
        return _put_unknown(block, at, size, out)
    starts = block.leaf_starts + 8 * leaves
    part = block.leaf_parts + 8 * machine.loadi64(starts)
    stop = block.leaf_parts + 8 * machine.loadi64(starts + 8)
    while part < stop:
        token_id = machine.load32(part)
        size = machine.load32(part + 4)
        known = token_id != layout.NO_ID
        out = _put(block, token_id, at, size, out) if known else _put_unknown(block, at, size, out)
        at += size
        part += 8
    return out


@helper
def _joined_value(block, joined, left, right):
    """Return the same as ``pair_value`` without a table of pairs: look up the text of both among all pieces."""
    if left == NOBODY or right == NOBODY:
        return np.int64(NOTHING_MADE)
    first, size = token_at(block, left)
    second, more = token_at(block, right)
    machine.copy(joined, first, size)
    machine.copy(joined + size, second, more)
    size += more
    one = two = np.uint64(0)
    if size <= KEYED:
        one, two = key_of(joined, size)
    mask = np.uint64(block.pair_mask)
    found = find_in(block, block.pairs, mask, joined, size, one, two, token_hash(joined, size))
    return found if found >= 0 else np.int64(NOTHING_MADE)


@helper
def _offer(block, scratch, place, left, right):
    """Note the merge of the symbols ``left`` and ``right``, at the place of the left one."""
    if block.filter != 0:
        made = np.int64(pair_value(block, left, right))
    else:
        made = _joined_value(block, scratch + JOINED, left, right)
    value = np.int64(NO_VALUE)
    if made != NOTHING_MADE:
        value = machine.load32(block.ranks + 4 * made) << PLACE_BITS | place
    machine.store32(scratch + VALUES + 4 * place, value)
    machine.store32(scratch + MADES + 4 * place, made)


@helper
def _merge_few(block, at, end, out):
    """Merge up to SMALL symbols; 0 if there are more."""
    scratch = block.scratch
    machine.store32(scratch, NOBODY)
    number = 0
    place = at
    while place < end:
        if number == SMALL:
            return np.int64(0)
        found = _symbol(block, place)
        number += 1
        machine.store32(scratch + 4 * number, found >> 3)
        machine.store32(scratch + STARTS + 4 * number, place - at)
        place += found & 7
    machine.store32(scratch + 4 * number + 4, NOBODY)
    machine.store32(scratch + STARTS + 4 * number + 4, end - at)
    groups = (number + 16) >> 4
    for k in range(16 * groups):
        machine.store32(scratch + VALUES + 4 * k, NO_VALUE)
    left = machine.load32(scratch + 4)
    for k in range(1, number):
        right = machine.load32(scratch + 4 * k + 4)
        _offer(block, scratch, k, left, right)
        left = right
    alive = (TWO << np.uint64(number + 1)) - ONE
    while True:
        best = machine.smallest(scratch + VALUES)
        for k in range(1, groups):
            best = min(best, machine.smallest(scratch + VALUES + 64 * k))
        if best == NO_VALUE:
            break
        place = best & 63
        made = machine.load32(block.merged + 4 * machine.load32(scratch + MADES + 4 * place))
        bit = ONE << np.uint64(place)
        behind = alive & ~(bit | bit - ONE)
        gone = machine.trailing_zeros(behind)
        behind &= behind - ONE
        after = machine.trailing_zeros(behind)
        before = 63 - machine.leading_zeros(alive & bit - ONE)
        alive &= ~(ONE << np.uint64(gone))
        machine.store32(scratch + VALUES + 4 * gone, NO_VALUE)
        machine.store32(scratch + 4 * place, made)
        _offer(block, scratch, place, made, machine.load32(scratch + 4 * after))
        _offer(block, scratch, before, machine.load32(scratch + 4 * before), made)
    # All but the borders.
    alive &= (ONE << np.uint64(number + 1)) - TWO
    while alive != ZERO:
        place = machine.trailing_zeros(alive)
        alive &= alive - ONE
        begin = machine.load32(scratch + STARTS + 4 * place)
        stop = end - at
        if alive != ZERO:
            stop = machine.load32(scratch + STARTS + 4 * machine.trailing_zeros(alive))
        out = _put_symbol(block, machine.load32(scratch + 4 * place), at + begin, stop - begin, out)
    return out


@helper
def _merge_many(block, at, end, out, chance):
    """Merge any number of symbols, leaving out ``chance`` of 2**32 merges."""
    numbers = block.scratch
    starts = numbers + 48 * (end - at)
    number = 0
    place = at
    while place < end:
        found = _symbol(block, place)
        machine.storei64(numbers + 8 * number, found >> 3)
        machine.storei64(starts + 8 * number, place)
        number += 1
        place += found & 7
    merge_linked(block, number, end - at, block.ranks, block.merged, chance)
    place = 0
    while place < number:
        begin = machine.loadi64(starts + 8 * place)
        symbol = machine.loadi64(numbers + 8 * place)
        place += 1
        while place < number and machine.loadi64(numbers + 8 * place) < 0:
            place += 1
        stop = machine.loadi64(starts + 8 * place) if place < number else end
        out = _put_symbol(block, symbol, begin, stop - begin, out)
    return out


@machine.addressed
def merge_segment(address):
    """Encode ``piece``, ``piece_length`` bytes of normalized text, to ``piece_out``; return where its ids end.

    Up to 16 bytes after it may be read. A ``merger`` of ``encoding``.
    """
    block = layout.block_at(address)
    at = block.piece
    end = at + block.piece_length
    begin = block.piece_out
    out = _merge_few(block, at, end, begin)
    if out == 0:
        if block.filter == 0:
            return -layout.NEEDS_MERGER
        out = _merge_many(block, at, end, begin, 0)
    return out


@machine.addressed
def drop_segment(address):
    """Merge as ``merge_segment`` does, but leave out merges by ``dropout``."""
    block = layout.block_at(address)
    at = block.piece
    return _merge_many(block, at, at + block.piece_length, block.piece_out, block.dropout)


@machine.addressed
def reachable_pieces(address):
    """Write the numbers of the pieces that merging their characters gives to ``wanted`` (uint32); return how many."""
    block = layout.block_at(address)
    out = block.out
    wanted = block.wanted
    ids = block.token_ids
    merger = block.merger
    block.piece_out = out
    found = 0
    for number in range(block.tokens):
        token_id = machine.load32(ids + 4 * number)
        if token_id == layout.NO_ID:
            continue
        block.piece, block.piece_length = token_at(block, number)
        if machine.call(merger, address) == out + 4 and machine.load32(out) == token_id:
            machine.store32(wanted + 4 * found, number)
            found += 1
    return found
