"""A heap of pairs: the commonest on top, and of equals the one that the tie-break rule prefers.

    heap   int64[3 * size]   count  tie  slot   |   count  tie  slot   |   ...      parent of k: (k - 1) / 2

A tie is a number, and the lower one wins: the first living cell (FIRST_SEEN) or the ids left << 32 | right
(SMALLEST_PAIR). In GREATEST_BYTES it is the ids too, and what they stand for is compared: left sides first, then right
sides. ``tokens`` is the address of two int64 for each id: the address of its bytes, and how many there are. It is an
address since an array would be counted as referenced for every comparison, and that costs more than the comparison.

Python's ``heapq`` is the readable twin; ``kernels.training`` says what is stored and when.
"""

from __future__ import annotations

from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.machine import load8, loadi64

FIRST_SEEN, SMALLEST_PAIR, GREATEST_BYTES = 0, 1, 2


@helper
def first_is_better(rule, tie, other, tokens):
    """Whether ``tie`` wins against another tie of the same count."""
    if rule != GREATEST_BYTES:
        return tie < other
    a, b = tie >> 32, other >> 32
    if a == b:
        a, b = tie & 0xFFFFFFFF, other & 0xFFFFFFFF
    text_a, length_a = loadi64(tokens + 16 * a), loadi64(tokens + 16 * a + 8)
    text_b, length_b = loadi64(tokens + 16 * b), loadi64(tokens + 16 * b + 8)
    for at in range(min(length_a, length_b)):
        x, y = load8(text_a + at), load8(text_b + at)
        if x != y:
            return x > y
    return length_a > length_b


@helper
def rise(rule, heap, at, count, tie, slot, tokens):
    """Put an entry into the free place ``at``, or above."""
    while at > 0:
        parent = (at - 1) >> 1
        if heap[3 * parent] != count:
            better = count > heap[3 * parent]
        else:
            better = first_is_better(rule, tie, heap[3 * parent + 1], tokens)
        if not better:
            break
        for k in range(3):
            heap[3 * at + k] = heap[3 * parent + k]
        at = parent
    heap[3 * at] = count
    heap[3 * at + 1] = tie
    heap[3 * at + 2] = slot


@helper
def sink(rule, heap, size, count, tie, slot, tokens):
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
                better = first_is_better(rule, heap[3 * other + 1], heap[3 * child + 1], tokens)
            child = other if better else child
        if heap[3 * child] != count:
            better = heap[3 * child] > count
        else:
            better = first_is_better(rule, heap[3 * child + 1], tie, tokens)
        if not better:
            break
        for k in range(3):
            heap[3 * at + k] = heap[3 * child + k]
        at = child
    heap[3 * at] = count
    heap[3 * at + 1] = tie
    heap[3 * at + 2] = slot
