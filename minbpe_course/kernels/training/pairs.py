"""Counting adjacent pairs and merging one pair, over flat arrays of ids.

    ids   int32   1 2 3 1 2
    keys  int64   left << 32 | right, one slot a pair, open addressing, -1 = free
    order int64   the slots in the order in which their pairs were first seen

Reference implementation: ``reference.pairs``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled

FREE = -1


@compiled
def count_pairs(ids, weight, keys, counts, order, used):
    """Add ``weight`` for every neighbouring pair of ``ids``; return how many distinct pairs the table now holds.

    ids : int32[n] · keys, counts : int64[size], size a power of two, keys filled with -1 at first · order :
    int64[size] · used : how many pairs the table holds already. Returns -1, with nothing lost so far, when the table
    might overflow: the caller must give at least ``2 * (used + n)`` slots.
    """
    size = keys.size
    if 2 * (used + ids.size) > size:
        return -1
    mask = size - 1
    for at in range(ids.size - 1):
        key = np.int64(ids[at]) << 32 | np.int64(ids[at + 1])
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(32)) & mask
        while keys[slot] != FREE and keys[slot] != key:
            slot = (slot + 1) & mask
        if keys[slot] == FREE:
            keys[slot] = key
            counts[slot] = 0
            order[used] = slot
            used += 1
        counts[slot] += weight
    return used


@compiled
def merge_pair(ids, left, right, new_id, out):
    """Copy ``ids`` to ``out`` with (left, right) -> new_id, from left to right; return how many entries of ``out``
    are used.

    ids : int32[n] · out : int32[n] or longer; it may be ``ids`` itself, since writing never overtakes reading.
    """
    used = 0
    at = 0
    while at < ids.size:
        if at + 1 < ids.size and ids[at] == left and ids[at + 1] == right:
            out[used] = new_id
            at += 2
        else:
            out[used] = ids[at]
            at += 1
        used += 1
    return used
