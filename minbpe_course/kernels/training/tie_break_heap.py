"""A binary heap of pairs: the most frequent on top, and among equals the one that the tie-break rule prefers.

    heap   int64[3 * size]   count  tie  slot   |   count  tie  slot   |   ...      parent of k: (k - 1) / 2

A tie is one number, and what it means depends on the rule:

    FIRST_SEEN       the cell of the pair's first living occurrence; the smaller wins
    SMALLEST_PAIR    the ids, left << 32 | right; the smaller wins
    GREATEST_BYTES   the ids; the greater bytes win, those of the left id first, then those of the right one
    SHORTEST_PIECE   characters << 32 | cell of one occurrence; fewer characters win, then the smaller text

``texts`` is an address, since passing an array would count a reference at every comparison. For GREATEST_BYTES it
holds two int64 for each id, the address and the length of its bytes; for SHORTEST_PIECE the uint32 code of the
character in each cell; the other rules do not read it. Reference implementation: Python's ``heapq``.
"""

from __future__ import annotations

from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.machine import load8, load32, loadi64

FIRST_SEEN, SMALLEST_PAIR, GREATEST_BYTES, SHORTEST_PIECE = range(4)

LOW_HALF = 0xFFFFFFFF


@helper
def _is_greater(one, other, texts):
    """Return whether the bytes of one id are greater than those of another."""
    text, length = loadi64(texts + 16 * one), loadi64(texts + 16 * one + 8)
    other_text, other_length = loadi64(texts + 16 * other), loadi64(texts + 16 * other + 8)
    for at in range(min(length, other_length)):
        byte, other_byte = load8(text + at), load8(other_text + at)
        if byte != other_byte:
            return byte > other_byte
    return length > other_length


@helper
def _is_shorter(tie, other, texts):
    """Return whether a piece has fewer characters than another or, with equally many, the smaller text."""
    length = tie >> 32
    if length != other >> 32:
        return length < other >> 32
    cell, other_cell = tie & LOW_HALF, other & LOW_HALF
    for k in range(length):
        code, other_code = load32(texts + 4 * (cell + k)), load32(texts + 4 * (other_cell + k))
        if code != other_code:
            return code < other_code
    return False


@helper
def _wins(rule, tie, other, texts):
    """Return whether ``tie`` wins against the tie of a pair with the same count."""
    if rule < GREATEST_BYTES:
        return tie < other
    if rule == SHORTEST_PIECE:
        return _is_shorter(tie, other, texts)
    if tie >> 32 != other >> 32:
        return _is_greater(tie >> 32, other >> 32, texts)
    return _is_greater(tie & LOW_HALF, other & LOW_HALF, texts)


@helper
def _is_better(rule, count, tie, other_count, other_tie, texts):
    return count > other_count if count != other_count else _wins(rule, tie, other_tie, texts)


@helper
def _move(heap, to, source):
    for k in range(3):
        heap[3 * to + k] = heap[3 * source + k]


@helper
def rise(rule, heap, at, count, tie, slot, texts):
    """Put an entry at the free place ``at`` or, while it is better than its parent, above."""
    while at > 0:
        parent = (at - 1) >> 1
        if not _is_better(rule, count, tie, heap[3 * parent], heap[3 * parent + 1], texts):
            break
        _move(heap, at, parent)
        at = parent
    heap[3 * at], heap[3 * at + 1], heap[3 * at + 2] = count, tie, slot


@helper
def sink(rule, heap, size, count, tie, slot, texts):
    """Put an entry at the top or, while a child is better than it, below."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and _is_better(
            rule, heap[3 * other], heap[3 * other + 1], heap[3 * child], heap[3 * child + 1], texts
        ):
            child = other
        if not _is_better(rule, heap[3 * child], heap[3 * child + 1], count, tie, texts):
            break
        _move(heap, at, child)
        at = child
    heap[3 * at], heap[3 * at + 1], heap[3 * at + 2] = count, tie, slot
