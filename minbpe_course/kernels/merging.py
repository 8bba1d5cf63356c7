"""Merging the bytes of one word that is no token and has not been seen lately.

Always the possible merge with the smallest number, leftmost first. Three ways to the same result:

    merge_small      up to SMALL bytes: look at all pairs, merge the best, close the gap, ask for the two new pairs

                         numbers  h e l l o        values  9 7 4 8        4 is the smallest:
                                  h e ll o                 9 . .          the two new pairs are looked up

    merge_heap       any length: a heap of value << 32 | place over linked places, n log n

    backtrack        any length, where every token can be reached by merging: see ``backtracking``

Output is the ids of the tokens, four bytes each, from ``out`` on; the new ``out`` comes back. Twin:
``reference.encoding``.
"""

from __future__ import annotations

import numpy as np
from minbpe_course.kernels.compiled import helper

from minbpe_course.kernels import layout, machine
from minbpe_course.kernels.tables import NO_MERGE, find_token, pair_value

# Bytes up to which it pays to look at all pairs, where both arrays begin in SCRATCH, and how many places fit.
SMALL = 48
VALUES = 4 * 256
MOST_SMALL = 255

# Bytes of SCRATCH that merge_heap needs for each byte of a word.
HEAP_BYTES = 48


@helper
def merge_small(block, at, length, out):
    """Merge a word of up to MOST_SMALL bytes; its last merge, if one token is left, had the second of SCRATCH on its
    right.
    """
    numbers = machine.loadi64(block + layout.SCRATCH)
    values = numbers + VALUES
    byte_numbers = machine.loadi64(block + layout.BYTE_NUMBERS)
    byte_pairs = machine.loadi64(block + layout.BYTE_PAIRS)
    before = machine.load8(at)
    machine.store32(numbers, machine.load32(byte_numbers + 4 * before))
    for k in range(1, length):
        byte = machine.load8(at + k)
        machine.store32(numbers + 4 * k, machine.load32(byte_numbers + 4 * byte))
        machine.store32(values + 4 * k - 4, machine.load32(byte_pairs + 4 * (before << 8 | byte)))
        before = byte
    while length > 1:
        # The place goes into the low bits, so the smallest of all is also the leftmost.
        best = np.int64(NO_MERGE) << 8
        for k in range(length - 1):
            best = min(best, machine.load32(values + 4 * k) << 8 | k)
        value = best >> 8
        if value == NO_MERGE:
            break
        place = best & 255
        length -= 1
        machine.store32(numbers + 4 * place, value)
        for k in range(place + 1, length):
            machine.store32(numbers + 4 * k, machine.load32(numbers + 4 * k + 4))
            machine.store32(values + 4 * k - 4, machine.load32(values + 4 * k))
        if place > 0:
            left = machine.load32(numbers + 4 * place - 4)
            machine.store32(values + 4 * place - 4, pair_value(block, left, value))
        if place < length - 1:
            right = machine.load32(numbers + 4 * place + 4)
            machine.store32(values + 4 * place, pair_value(block, value, right))
    ids = machine.loadi64(block + layout.TOKEN_IDS)
    for k in range(length):
        machine.store32(out + 4 * k, machine.load32(ids + 4 * machine.load32(numbers + 4 * k)))
    return out + 4 * length


@helper
def _push(heap, size, key):
    """Add a key to the heap of ``size`` keys."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        above = machine.loadi64(heap + 8 * parent)
        if above <= key:
            break
        machine.storei64(heap + 8 * at, above)
        at = parent
    machine.storei64(heap + 8 * at, key)


@helper
def _pop(heap, size):
    """Take the smallest of ``size`` keys; afterwards ``size - 1`` keys are the heap."""
    top = machine.loadi64(heap)
    size -= 1
    last = machine.loadi64(heap + 8 * size)
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and machine.loadi64(heap + 8 * child + 8) < machine.loadi64(heap + 8 * child):
            child += 1
        below = machine.loadi64(heap + 8 * child)
        if below >= last:
            break
        machine.storei64(heap + 8 * at, below)
        at = child
    machine.storei64(heap + 8 * at, last)
    return top


@helper
def merge_heap(block, at, length, out):
    """Merge a word of any length. A key is stale when its place died or pairs into something else by now."""
    numbers = machine.loadi64(block + layout.SCRATCH)
    after = numbers + 8 * length
    before = after + 8 * length
    heap = before + 8 * length
    byte_numbers = machine.loadi64(block + layout.BYTE_NUMBERS)
    for k in range(length):
        machine.storei64(numbers + 8 * k, machine.load32(byte_numbers + 4 * machine.load8(at + k)))
        machine.storei64(before + 8 * k, k - 1)
        machine.storei64(after + 8 * k, k + 1 if k + 1 < length else -1)
    size = 0
    for k in range(length - 1):
        value = pair_value(block, machine.loadi64(numbers + 8 * k), machine.loadi64(numbers + 8 * k + 8))
        if value != NO_MERGE:
            _push(heap, size, value << 32 | k)
            size += 1
    while size > 0:
        key = _pop(heap, size)
        size -= 1
        place = key & 0xFFFFFFFF
        value = key >> 32
        number = machine.loadi64(numbers + 8 * place)
        gone = machine.loadi64(after + 8 * place)
        if number < 0 or gone < 0 or pair_value(block, number, machine.loadi64(numbers + 8 * gone)) != value:
            continue
        machine.storei64(numbers + 8 * place, value)
        machine.storei64(numbers + 8 * gone, -1)
        right = machine.loadi64(after + 8 * gone)
        machine.storei64(after + 8 * place, right)
        if right >= 0:
            machine.storei64(before + 8 * right, place)
            made = pair_value(block, value, machine.loadi64(numbers + 8 * right))
            if made != NO_MERGE:
                _push(heap, size, made << 32 | place)
                size += 1
        left = machine.loadi64(before + 8 * place)
        if left >= 0:
            made = pair_value(block, machine.loadi64(numbers + 8 * left), value)
            if made != NO_MERGE:
                _push(heap, size, made << 32 | left)
                size += 1
    ids = machine.loadi64(block + layout.TOKEN_IDS)
    place = 0
    while place >= 0:
        machine.store32(out, machine.load32(ids + 4 * machine.loadi64(numbers + 8 * place)))
        out += 4
        place = machine.loadi64(after + 8 * place)
    return out


@machine.addressed
def reachable_tokens(block):
    """Write to WANTED (uint32) the numbers of all tokens that merging their own bytes gives; return how many.

    The pairs that their last merges joined go to LEFTS, RIGHTS and MADE (uint32, PAIR_COUNT of them); a token of more than
    MOST_SMALL bytes has none written. OUT has room for the longest token, SCRATCH for merge_heap of it.
    """
    out = machine.loadi64(block + layout.OUT)
    scratch = machine.loadi64(block + layout.SCRATCH)
    wanted = machine.loadi64(block + layout.WANTED)
    starts = machine.loadi64(block + layout.TOKEN_STARTS)
    text = machine.loadi64(block + layout.TOKEN_TEXT)
    ids = machine.loadi64(block + layout.TOKEN_IDS)
    found = pairs = 0
    for number in range(machine.loadi64(block + layout.TOKENS)):
        at = text + machine.loadi64(starts + 8 * number)
        length = machine.loadi64(starts + 8 * number + 8) - machine.loadi64(starts + 8 * number)
        if length == 0:
            continue
        small = length <= MOST_SMALL
        end = merge_small(block, at, length, out) if small else merge_heap(block, at, length, out)
        if end != out + 4 or machine.load32(out) != machine.load32(ids + 4 * number):
            continue
        machine.store32(wanted + 4 * found, number)
        found += 1
        if small and length > 1:
            right = machine.load32(scratch + 4)
            size = machine.loadi64(starts + 8 * right + 8) - machine.loadi64(starts + 8 * right)
            machine.store32(machine.loadi64(block + layout.LEFTS) + 4 * pairs, find_token(block, at, length - size))
            machine.store32(machine.loadi64(block + layout.RIGHTS) + 4 * pairs, right)
            machine.store32(machine.loadi64(block + layout.MADE) + 4 * pairs, number)
            pairs += 1
    machine.storei64(block + layout.PAIR_COUNT, pairs)
    return found
