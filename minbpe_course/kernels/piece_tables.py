"""Filling the hash tables that ``kernels.pieces`` looks things up in.

The hash of a pair is written out there once more, in a loop that may call nothing that takes an array.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.compiled import compiled

FREE = -1


@compiled
def _find_pair(left, right, pair_keys):
    """Return the slot of the pair, or the free slot where it would go."""
    key = np.int64(left) << 32 | np.int64(right)
    mask = pair_keys.size - 1
    slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
    while pair_keys[slot] != key and pair_keys[slot] != FREE:
        slot = (slot + 1) & mask
    return slot


@compiled
def neighbour_slot(left, right, size):
    """The entry of a table of ``size`` entries that says whether some piece holds these code points side by side."""
    key = np.uint64(left) << np.uint64(21) | np.uint64(right)
    return np.int64(key * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & (size - 1)


@compiled
def enter_pairs(lefts, rights, made, ranks, pair_keys, pair_values):
    """Enter (left, right) -> made with its rank, all int32[n], into the hash table."""
    for at in range(lefts.size):
        slot = _find_pair(lefts[at], rights[at], pair_keys)
        pair_keys[slot] = np.int64(lefts[at]) << 32 | np.int64(rights[at])
        pair_values[slot] = np.int64(ranks[at]) << 32 | np.int64(made[at])


@compiled
def enter_neighbours(lefts, rights, neighbours):
    """Mark code points, int32[n], that stand side by side inside a piece."""
    for at in range(lefts.size):
        neighbours[neighbour_slot(lefts[at], rights[at], neighbours.size)] = 1
