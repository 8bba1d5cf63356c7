"""Filling the hash tables that ``kernels.pieces`` looks things up in.

The two hashes here are copies of those in ``kernels.pieces``: a compiled kernel that is kept on disk does not notice a
change in another file, so each file owns what it calls, and a test holds the copies equal.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1


@njit(cache=True, nogil=True)
def _find_pair(left, right, pair_keys):
    """Return the slot of the pair, or the free slot where it would go."""
    key = np.int64(left) << 32 | np.int64(right)
    mask = pair_keys.size - 1
    slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
    while pair_keys[slot] != key and pair_keys[slot] != FREE:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def _neighbour_slot(left, right, size):
    key = np.uint64(left) << np.uint64(21) | np.uint64(right)
    return np.int64(key * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & (size - 1)


@njit(cache=True, nogil=True)
def enter_pairs(lefts, rights, made, ranks, pair_keys, pair_values):
    """Enter (left, right) -> made with its rank, all int32[n], into the hash table."""
    for at in range(lefts.size):
        slot = _find_pair(lefts[at], rights[at], pair_keys)
        pair_keys[slot] = np.int64(lefts[at]) << 32 | np.int64(rights[at])
        pair_values[slot] = np.int64(ranks[at]) << 32 | np.int64(made[at])


@njit(cache=True, nogil=True)
def enter_neighbours(lefts, rights, neighbours):
    """Mark code points, int32[n], that stand side by side inside a piece."""
    for at in range(lefts.size):
        neighbours[_neighbour_slot(lefts[at], rights[at], neighbours.size)] = 1
