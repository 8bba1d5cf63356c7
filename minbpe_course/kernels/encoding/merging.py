"""Merging the bytes of one word that is not a token and not in the cache.

The possible merge with the smallest number is always next, leftmost first. Three ways to the same result:

    merge_small      up to SMALL bytes: compare all pairs, merge the best, look up the two new pairs

                         numbers  # h e l l o #    values  - 9 7 4 8 -    4 is the smallest
                         alive    1 1 1 1 0 1 1            - 9 . . - -    two new pairs

    merge_heap       any length: a heap of value << 32 | place over linked places, n log n

    backtrack        any length, where every token can be reached by merging: see ``backtracking``

The ids of the tokens go to ``out``, four bytes each; each function returns the new ``out``. Reference implementation:
``reference.encoding``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import FREE, NOTHING_MADE, ONE, find_token, is_set, pair_value, token_at
from minbpe_course.kernels.splitting.windows import character

# Bytes of a word up to which merge_small can go: one bit of a mask each, and one for either end.
SMALL = 62

# Its values are in ``scratch`` after the numbers; a value is the number that a pair makes << 6 | place.
VALUES = 4 * 64
PLACE_BITS = 6
NO_VALUE = 0xFFFFFFFF

# A number that no token has, at both ends of a word.
BORDER = (1 << 21) - 1

ZERO, TWO = np.uint64(0), np.uint64(2)

# Bytes of ``scratch`` that merge_heap needs for each byte of a word.
HEAP_BYTES = 48

# How many bits of a random number decide whether a merge is left out.
LUCK_BITS = np.uint64(32)


@helper
def _symbols(block, at, length, numbers):
    """Write the symbols of a word before any merge, with a border at both ends; return how many symbols there are.

    A byte is a symbol. So is a character of several bytes that is a token, unless some token reaches from inside it to
    a neighbour. Then its bytes merge only with one another until they are that token, and every token that contains the
    character was learned later.
    """
    byte_numbers = block.byte_numbers
    characters = block.characters
    cut_bytes = block.cut_bytes
    machine.store32(numbers, BORDER)
    to = numbers + 4
    end = at + length
    begin = at
    while at < end:
        first = machine.load8(at)
        if first >= 0xC2 and characters != 0 and first < 0xF0:
            found = character(at)
            size = found & 7
            number = machine.load32(characters + 4 * (found >> 3))
            joined = number == FREE
            if at > begin:
                joined |= is_set(cut_bytes, np.uint64(machine.load8(at - 1) << 8 | first))
            if at + size < end:
                joined |= is_set(cut_bytes, np.uint64(machine.load8(at + size - 1) << 8 | machine.load8(at + size)))
            if not joined:
                machine.store32(to, number)
                to += 4
                at += size
                continue
        machine.store32(to, machine.load32(byte_numbers + 4 * first))
        to += 4
        at += 1
    machine.store32(to, BORDER)
    return ((to - numbers) >> 2) - 1


@helper
def merge_small(block, at, length, out):
    """Merge a word of up to SMALL bytes.

    A wrongly predicted branch costs as much as twenty additions, and no branch can be predicted that asks which pair is
    best or whether it has neighbours. So nothing branches on that: places are never moved together, a dead one is a 0
    in ``alive``, and at both ends is a place that merges with nothing.
    """
    numbers = block.scratch
    values = numbers + VALUES
    byte_pairs = block.byte_pairs
    size = length
    length = _symbols(block, at, size, numbers)
    groups = (length + 16) >> 4
    for k in range(groups):
        for place in range(16):
            machine.store32(values + 64 * k + 4 * place, NO_VALUE)
    left = machine.load32(numbers + 4)
    for k in range(1, length):
        right = machine.load32(numbers + 4 * k + 4)
        if length == size:
            made = machine.load32(byte_pairs + 4 * (machine.load8(at + k - 1) << 8 | machine.load8(at + k)))
        else:
            made = pair_value(block, left, right)
        machine.store32(values + 4 * k, made << PLACE_BITS | k)
        left = right
    alive = (TWO << np.uint64(length + 1)) - ONE
    right = BORDER
    while True:
        # The place is in the low bits, so the smallest of all is also the leftmost.
        best = machine.smallest(values)
        for k in range(1, groups):
            best = min(best, machine.smallest(values + 64 * k))
        made = best >> PLACE_BITS
        if made >= NOTHING_MADE:
            break
        place = best & 63
        bit = ONE << np.uint64(place)
        behind = alive & ~(bit | bit - ONE)
        gone = machine.trailing_zeros(behind)
        behind &= behind - ONE
        after = machine.trailing_zeros(behind)
        left = 63 - machine.leading_zeros(alive & bit - ONE)
        alive &= ~(ONE << np.uint64(gone))
        right = machine.load32(numbers + 4 * gone)
        machine.store32(values + 4 * gone, NO_VALUE)
        machine.store32(numbers + 4 * place, made)
        value = pair_value(block, made, machine.load32(numbers + 4 * after))
        machine.store32(values + 4 * place, value << PLACE_BITS | place)
        value = pair_value(block, machine.load32(numbers + 4 * left), made)
        machine.store32(values + 4 * left, value << PLACE_BITS | left)
    block.last_right = right
    ids = block.token_ids
    # All but the borders.
    alive &= (ONE << np.uint64(length + 1)) - TWO
    while alive != ZERO:
        number = machine.load32(numbers + 4 * machine.trailing_zeros(alive))
        machine.store32(out, machine.load32(ids + 4 * number))
        out += 4
        alive &= alive - ONE
    return out


@helper
def push(heap, size, key):
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
def pop(heap, size):
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
def _left_out(block, chance, dropped, merge):
    """Tell whether a merge is left out at random. dropped : address of the merge left out at this place before.

    Among equal ranks an old key can look like a new one, so the answer for a pair is kept.
    """
    if machine.loadi64(dropped) == merge:
        return True
    state = np.uint64(block.luck) + np.uint64(0x9E3779B97F4A7C15)
    block.luck = np.int64(state)
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    if np.int64((mixed ^ (mixed >> np.uint64(31))) >> LUCK_BITS) >= chance:
        return False
    machine.storei64(dropped, merge)
    return True


@helper
def _rank_of(ranks, merge):
    return machine.load32(ranks + 4 * merge) if ranks != 0 else merge


@helper
def _queue(block, heap, size, place, left, right, ranks):
    """Add the merge of two neighbours, if there is one, to the heap of ``size`` keys; return its new size."""
    merge = pair_value(block, left, right)
    if merge == NOTHING_MADE:
        return size
    push(heap, size, _rank_of(ranks, merge) << 32 | place)
    return size + 1


@helper
def merge_linked(block, count, room, ranks, made_by, chance):
    """Merge the ``count`` numbers at ``scratch``; a place that was merged into the one before it becomes -1.

    A key of the heap is stale if its place died or its pair has changed. ranks, made_by : by value of ``pairs``,
    uint32, the rank of a merge and the number that it makes; 0 where the value is that itself · chance : of 2**32, how
    many merges are left out. ``scratch`` has, for each of ``room`` places: number, place after, place before (int64),
    24 bytes of heap; the caller's 8 bytes and 8 more where there is a ``chance``.
    """
    numbers = block.scratch
    after, before, heap = numbers + 8 * room, numbers + 16 * room, numbers + 24 * room
    dropped = numbers + 56 * room
    for k in range(count):
        machine.storei64(after + 8 * k, k + 1 if k + 1 < count else -1)
        machine.storei64(before + 8 * k, k - 1)
        if chance > 0:
            machine.storei64(dropped + 8 * k, -1)
    size = 0
    for k in range(count - 1):
        left, right = machine.loadi64(numbers + 8 * k), machine.loadi64(numbers + 8 * k + 8)
        size = _queue(block, heap, size, k, left, right, ranks)
    while size > 0:
        key = pop(heap, size)
        size -= 1
        place = key & 0xFFFFFFFF
        number = machine.loadi64(numbers + 8 * place)
        gone = machine.loadi64(after + 8 * place)
        if number < 0 or gone < 0:
            continue
        merge = pair_value(block, number, machine.loadi64(numbers + 8 * gone))
        if merge == NOTHING_MADE or _rank_of(ranks, merge) != key >> 32:
            continue
        if chance > 0 and _left_out(block, chance, dropped + 8 * place, merge):
            continue
        block.last_right = machine.loadi64(numbers + 8 * gone)
        block.last_rank = merge
        made = machine.load32(made_by + 4 * merge) if made_by != 0 else merge
        machine.storei64(numbers + 8 * place, made)
        machine.storei64(numbers + 8 * gone, -1)
        right = machine.loadi64(after + 8 * gone)
        machine.storei64(after + 8 * place, right)
        if right >= 0:
            machine.storei64(before + 8 * right, place)
            size = _queue(block, heap, size, place, made, machine.loadi64(numbers + 8 * right), ranks)
        left = machine.loadi64(before + 8 * place)
        if left >= 0:
            size = _queue(block, heap, size, left, machine.loadi64(numbers + 8 * left), made, ranks)


@helper
def merge_heap(block, at, length, out):
    """Merge a word of any length. A value of ``pairs`` is the pair's rank: the number that it makes, if ``made_by`` is
    not given."""
    numbers = block.scratch
    byte_numbers = block.byte_numbers
    for k in range(length):
        machine.storei64(numbers + 8 * k, machine.load32(byte_numbers + 4 * machine.load8(at + k)))
    merge_linked(block, length, length, 0, block.made_by, 0)
    ids = block.token_ids
    for k in range(length):
        number = machine.loadi64(numbers + 8 * k)
        if number >= 0:
            machine.store32(out, machine.load32(ids + 4 * number))
            out += 4
    return out


@machine.addressed
def merge_piece(address):
    """Run ``merge_heap`` for ``piece``: a ``merger`` of ``encoding``."""
    block = layout.block_at(address)
    length = block.piece_length
    return merge_heap(block, block.piece, length, block.piece_out)


@machine.addressed
def reachable_tokens(address):
    """Write to ``wanted`` (uint32) the numbers of all tokens that merging their own bytes gives; return how many.

    The pairs that their last merges joined go to ``lefts``, ``rights`` and ``made`` (uint32, ``pair_count`` of them),
    and their ranks to ``last_ranks``. ``out`` has room for the longest token, and ``scratch`` for merge_heap of it.
    ``made_by`` as for merge_linked.
    """
    block = layout.block_at(address)
    made_by = block.made_by
    out = block.out
    wanted = block.wanted
    ids = block.token_ids
    found = pairs = 0
    for number in range(block.tokens):
        at, length = token_at(block, number)
        if length == 0:
            continue
        block.last_rank = number
        if length <= SMALL and made_by == 0:
            end = merge_small(block, at, length, out)
        else:
            end = merge_heap(block, at, length, out)
        if end != out + 4 or machine.load32(out) != machine.load32(ids + 4 * number):
            continue
        machine.store32(wanted + 4 * found, number)
        found += 1
        if length > 1:
            right = block.last_right
            _, size = token_at(block, right)
            machine.store32(block.lefts + 4 * pairs, find_token(block, at, length - size))
            machine.store32(block.rights + 4 * pairs, right)
            machine.store32(block.made + 4 * pairs, number)
            machine.store32(block.last_ranks + 4 * pairs, block.last_rank)
            pairs += 1
    block.pair_count = pairs
    return found
