"""A heap of pairs of pieces: the commonest on top, and of equals the one that spells less, or what sorts first.

    heap   int64[3 * size]   count  tie  slot   |   count  tie  slot   |   ...      parent of k: (k - 1) / 2

A tie is ``characters << 32 | cell``: how long the pair is, and where it stands in ``codes``, the numbers of the
characters in the order of code points. Python's ``heapq`` is the readable twin; ``kernels.piece_training`` says what is
stored and when.
"""

from __future__ import annotations

from minbpe_course.kernels.common.compiled import helper

CELL = 0xFFFFFFFF


@helper
def is_better(tie, other, codes):
    """Whether ``tie`` wins against the tie of another pair that is as common."""
    length = tie >> 32
    if length != other >> 32:
        return length < other >> 32
    a, b = tie & CELL, other & CELL
    for k in range(length):
        if codes[a + k] != codes[b + k]:
            return codes[a + k] < codes[b + k]
    return False


@helper
def rise(heap, at, count, tie, slot, codes):
    """Put an entry into the free place ``at``, or above."""
    while at > 0:
        parent = (at - 1) >> 1
        above = heap[3 * parent]
        better = count > above if above != count else is_better(tie, heap[3 * parent + 1], codes)
        if not better:
            break
        for k in range(3):
            heap[3 * at + k] = heap[3 * parent + k]
        at = parent
    heap[3 * at] = count
    heap[3 * at + 1] = tie
    heap[3 * at + 2] = slot


@helper
def sink(heap, size, count, tie, slot, codes):
    """Put an entry in place of the top, or below."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size:
            if heap[3 * other] != heap[3 * child]:
                better = heap[3 * other] > heap[3 * child]
            else:
                better = is_better(heap[3 * other + 1], heap[3 * child + 1], codes)
            child = other if better else child
        below = heap[3 * child]
        better = below > count if below != count else is_better(heap[3 * child + 1], tie, codes)
        if not better:
            break
        for k in range(3):
            heap[3 * at + k] = heap[3 * child + k]
        at = child
    heap[3 * at] = count
    heap[3 * at + 1] = tie
    heap[3 * at + 2] = slot
