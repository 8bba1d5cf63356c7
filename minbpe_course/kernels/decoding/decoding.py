"""From ids back to bytes: an entry of 16 bytes for every id, copied to the output one after another.

    entry       0 .. 14 the bytes of the token         15  how many they are
    if long     0 .. 7  the address of its bytes        8 .. 11  how many      15  LONG
    a hole      nothing                                                        15  HOLE: no token has this id

Nearly every token fits its entry. Decoding it is one load and one store of 16 bytes, and a step forward by its last
byte; the next token overwrites the extra bytes. Special tokens have entries like all others. So that a special token
with id 2 ** 31 does not need 2 ** 31 entries, ids far above the others are searched for::

    entries     uint8[16 x (dense + far)]      ids 0 .. dense - 1, then the far ones
    far_ids     int64[far]                     ascending

Functions take addresses, not arrays (see ``machine``). Reference implementation: ``BytePairModel.token_bytes``, a dict.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.layout import int64_fields
from minbpe_course.kernels.common.machine import load8, load32, loadi64, record_at, store8, store32, storei64

# Where the entries are and how many, the ids of the far ones and how many, and the block of ``objects``.
BLOCK = int64_fields("entries dense far_ids far objects")
block_at = record_at(BLOCK)

ENTRY = 16
IN_ENTRY = 15
LONG, HOLE = 255, 254


@compiled
def lay_merges(pairs, merge_ids, token_start, token_text):
    """Write the bytes of every merge behind those of the ids it joins.

    pairs : int32[n, 2] · merge_ids : int64[n] · token_start : int64[v + 1], filled here from 257 on · token_text :
    uint8, filled from 256 on, or of size 0 to measure only. Returns how many bytes the tokens take together.
    """
    total = 256
    known = 257
    for merge in range(merge_ids.size):
        token = merge_ids[merge]
        while known <= token:
            token_start[known] = total
            known += 1
        for side in range(2):
            source = pairs[merge, side]
            begin = token_start[source]
            length = token_start[source + 1] - begin
            if token_text.size > 0:
                for at in range(length):
                    token_text[total + at] = token_text[begin + at]
            total += length
        token_start[known] = total
        known += 1
    return total


@compiled
def lay_entries(places, text, bounds, entries):
    """Fill the entries of tokens.

    places : int64[n], which entry · text : uint8, with 16 bytes more than the tokens need; it must live as long as the
    entries · bounds : int64[2, n], where the bytes of each token begin and end in it · entries : uint8[c, 16].
    """
    for k in range(places.size):
        entry = entries.ctypes.data + ENTRY * places[k]
        source = text.ctypes.data + bounds[0, k]
        length = bounds[1, k] - bounds[0, k]
        if length <= IN_ENTRY:
            for at in range(length):
                store8(entry + at, load8(source + at))
            store8(entry + IN_ENTRY, length)
        else:
            storei64(entry, source)
            store32(entry + 8, length)
            store8(entry + IN_ENTRY, LONG)


@helper
def entry_of(token, block):
    """Return the address of the entry of an id, or 0 when no token has it."""
    block = block_at(block)
    dense = block.dense
    if token < 0:
        return np.int64(0)
    if token >= dense:
        far_ids = block.far_ids
        low, high = np.int64(0), block.far
        last = high
        while low < high:
            middle = (low + high) >> 1
            if loadi64(far_ids + 8 * middle) < token:
                low = middle + 1
            else:
                high = middle
        if low == last or loadi64(far_ids + 8 * low) != token:
            return np.int64(0)
        token = dense + low
    entry = block.entries + ENTRY * token
    return entry if load8(entry + IN_ENTRY) != HOLE else np.int64(0)


@helper
def token_length(entry):
    """Return how many bytes the token of an entry has."""
    length = load8(entry + IN_ENTRY)
    return load32(entry + 8) if length == LONG else length


@helper
def token_address(entry):
    """Return the address of the bytes of the token of an entry."""
    return loadi64(entry) if load8(entry + IN_ENTRY) == LONG else entry


@helper
def note_offset(entry, begun, out):
    """Write the index of the first character of a token (uint32, address ``out``); return how many have begun by its
    end.

    begun : how many characters begin before the token.
    """
    source, length = token_address(entry), token_length(entry)
    inside = length > 0 and load8(source) & 0xC0 == 0x80
    store32(out, max(begun - inside, 0))
    for at in range(length):
        begun += load8(source + at) & 0xC0 != 0x80
    return begun


@compiled
def decode_array(ids, out, block):
    """Write the bytes of ``ids`` (int64[n]) to ``out``; return their number, or -1 - k when no token has ids[k].

    out : uint8, or of size 0 to measure only.
    """
    total = np.int64(0)
    for k in range(ids.size):
        entry = entry_of(ids[k], block)
        if entry == 0:
            return -1 - k
        source, length = token_address(entry), token_length(entry)
        for at in range(length if out.size > 0 else 0):
            out[total + at] = load8(source + at)
        total += length
    return total


@compiled
def ends_of_array(ids, out, block):
    """Write where the bytes of each id (int64[n]) end to ``out`` (int64[n]); return 0, or -1 - k when no token has
    ids[k]."""
    end = np.int64(0)
    for k in range(ids.size):
        entry = entry_of(ids[k], block)
        if entry == 0:
            return -1 - k
        end += token_length(entry)
        out[k] = end
    return 0


@compiled
def offsets_of_array(ids, out, block):
    """Write the index of the first character of each id (int64[n]) to ``out`` (uint32[n]); return 0, or -1 - k when no
    token has ids[k]."""
    begun = np.int64(0)
    for k in range(ids.size):
        entry = entry_of(ids[k], block)
        if entry == 0:
            return -1 - k
        begun = note_offset(entry, begun, out.ctypes.data + 4 * k)
    return 0
