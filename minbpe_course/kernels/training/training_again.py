"""Laying out the cells of ``training`` for words in which some merges are made already, to go on behind them.

    word       l o w e r              merges so far   (l, o) 256   (256, w) 257   (e, r) 258
    tokens     257   258              spell_words: each word merged by itself, the oldest merge first
    cells      slot of (257, 258)     lay_out_pairs: every pair that is there gets a slot and its postings

Making the merges again one by one would take as long as it took the first time: each would visit all its occurrences.
A word alone is merged in the time it takes to encode it, whatever was counted to choose the merges; and a merge never
makes a pair that is older than itself, so the oldest pair of a word, leftmost first, is always the next one to merge.

Twin: ``reference.training.train_steps`` with ``after``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.training.training import (
    _HIGH_COUNT,
    _LENGTH,
    _NO_RUN,
    DEAD,
    DONE,
    FAR,
    HEADER,
    HEAP,
    MERGES,
    NEEDS_SLOTS,
    NONE,
    POSTINGS,
    SLOTS,
    THRESHOLD,
)

# A place in the table of pairs that no pair has taken; and no merge, which sorts behind all there are.
FREE, NO_MERGE = -1, 0x7FFFFFFFFFFFFFFF

# Bytes of a table of bits that tells most pairs that never merge.
SEEN = 1 << 15

# Words of up to so many bytes are looked through for their best merge; longer ones have a heap.
SHORT = 48

_GOLDEN, _SEEN_MASK = np.uint64(0x9E3779B97F4A7C15), np.uint64(8 * SEEN - 1)


@helper
def _hash(key):
    """The hash of a pair, left << 32 | right; the lower bits are good."""
    mixed = np.uint64(key) * _GOLDEN
    return (mixed ^ mixed >> np.uint64(29)) >> np.uint64(12)


@helper
def _place_of(pairs, key):
    """Where a pair is in the table, or would be: two entries of ``pairs``, the pair and what is known of it."""
    mask = np.int64(pairs.size >> 1) - 1
    at = np.int64(_hash(key)) & mask
    while pairs[2 * at] != key and pairs[2 * at] != FREE:
        at = (at + 1) & mask
    return 2 * at


@helper
def _merge_of(pairs, seen, left, right, place):
    """The merge of two neighbours with its place in the word, as rank << 32 | place, or NO_MERGE."""
    key = left << 32 | right
    bit = _hash(key) & _SEEN_MASK
    # Most neighbours never merge, and a small table of bits stays near the processor.
    if seen[np.int64(bit >> np.uint64(3))] >> np.int64(bit & np.uint64(7)) & 1 == 0:
        return NO_MERGE
    at = _place_of(pairs, key)
    return NO_MERGE if pairs[at] == FREE else pairs[at + 1] << 32 | place


@helper
def _note(heap, size, key):
    """Add a merge, if it is one, to the heap of ``size`` keys; return the new size."""
    if key == NO_MERGE:
        return size
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key
    return size + 1


@helper
def _take(heap, size):
    """Take the smallest of ``size`` keys away and return it."""
    top = heap[0]
    size -= 1
    last = heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return top


@helper
def _join(cells, tokens, first, second, new):
    """Make one token of two neighbours; return where the token before them begins, or ``first`` - 1: the header."""
    length = tokens[2 * new + 1]
    cells[second] = DEAD
    cells[first + length - 1] = DEAD | np.uint32(length)
    cells[first] = new
    before = cells[first - 1]
    return first - np.int64(before & _LENGTH) if DEAD <= before < HEADER else first - 1


@compiled
def enter_merges(merges, made, pairs, seen, tokens):
    """Enter the first ``made`` merges into the table of pairs, and the lengths of all tokens.

    merges : int64, left << 32 | right · pairs : int64[2 * 2^k, 2^k more than ``made``] of FREE · seen : uint8[SEEN] of
    0 · tokens : as for ``training.start_training``.
    """
    # Of bytes that occur nowhere nothing is asked.
    for byte in range(256):
        tokens[2 * byte + 1] = 1
    for rank in range(made):
        pair = merges[rank]
        at = _place_of(pairs, pair)
        pairs[at], pairs[at + 1] = pair, rank
        bit = np.int64(_hash(pair) & _SEEN_MASK)
        seen[bit >> 3] |= np.uint8(1 << (bit & 7))
        length = tokens[2 * (pair >> 32) + 1] + tokens[2 * (pair & 0xFFFFFFFF) + 1]
        tokens[2 * (256 + rank) + 1] = length


@compiled
def spell_words(
    first_word, last_word, text, ends, counts, numbers, merges, pairs, seen, heap, cells, back, tokens, tallies
):  # fmt: skip
    """Write the words from ``first_word`` to ``last_word`` into their cells, as the tokens that the merges leave.

    The first cell of a token holds its id; the last one, of a token of n > 1 bytes, ``D|n``, and those between ``D``.
    Several threads may do so at a time, each with words, a heap and tallies of its own.

    text, ends, counts, numbers, cells, back, tokens : as for ``training.start_training`` · merges, pairs, seen : as
    ``enter_merges`` has left them · heap : int64[SHORT + twice the bytes of these words] · tallies : int64[merges] of
    0, how often each merge was made, weighted by word.
    """
    begin = ends[first_word - 1] if first_word > 0 else 0
    for word in range(first_word, last_word):
        end = ends[word]
        count = counts[word]
        start = begin + 2 * word + 2
        stop = start + end - begin
        cells[start - 2] = np.uint32(count & 0xFFFFFFFF)
        cells[start - 1] = np.uint32(count >> 32) | HEADER
        short = end - begin <= SHORT
        size = np.int64(0)
        left = np.int64(0)
        for place in range(end - begin):
            number = numbers[text[begin + place]]
            back[start + place] = place + 1 if place + 1 < FAR else FAR
            cells[start + place] = number
            tokens[2 * number] = text.ctypes.data + begin + place
            if place > 0:
                key = _merge_of(pairs, seen, left, number, place - 1)
                if short:
                    heap[place - 1] = key
                    size = place
                else:
                    size = _note(heap, size, key)
            left = number

        while size > 0:
            if short:
                key = NO_MERGE
                for place in range(size):
                    key = min(key, heap[place])
                if key == NO_MERGE:
                    break
            else:
                key = _take(heap, size)
                size -= 1
            place = key & 0xFFFFFFFF
            rank = key >> 32
            first = start + place
            pair = merges[rank]
            second = first + tokens[2 * (pair >> 32) + 1]
            # An entry of the heap is outdated when its token was merged, or the one behind it.
            if cells[first] != pair >> 32 or second >= stop or cells[second] != pair & 0xFFFFFFFF:
                continue
            new = 256 + rank
            before = _join(cells, tokens, first, second, new)
            after = first + tokens[2 * new + 1]
            tallies[rank] += count
            tokens[2 * new] = text.ctypes.data + begin + place
            key = _merge_of(pairs, seen, new, np.int64(cells[after]), place) if after < stop else NO_MERGE
            if short:
                heap[place] = key
                if second - start < size:
                    heap[second - start] = NO_MERGE
            else:
                size = _note(heap, size, key)
            if before >= start:
                key = _merge_of(pairs, seen, np.int64(cells[before]), new, before - start)
                if short:
                    heap[before - start] = key
                else:
                    size = _note(heap, size, key)
        begin = end


@compiled
def lay_out_pairs(
    min_frequency, made, ends, cells, slots, runs, postings, tokens, pairs, reached, state
):  # fmt: skip
    """Give every pair of neighbours a slot, and its postings; return DONE, or NEEDS_SLOTS to be called again.

    cells, tokens : as ``spell_words`` has left them, for ``made`` merges · slots, runs, postings, state : as for
    ``training.start_training`` · pairs : int64[2 * 2^k, 2^k more than the slots] of FREE, anew for each call ·
    reached : int64[2] of 0, the word and the cell at which the call before ended.
    """
    found = state[SLOTS]
    for s in range(found):
        at = _place_of(pairs, slots[2 * s + 1])
        pairs[at], pairs[at + 1] = slots[2 * s + 1], s
    for word in range(reached[0], ends.size):
        begin = ends[word - 1] if word > 0 else 0
        start = begin + 2 * word + 2
        stop = start + ends[word] - begin
        weight = np.int64(cells[start - 1] & _HIGH_COUNT) << 32 | np.int64(cells[start - 2])
        here = max(start, reached[1])
        while here < stop:
            left = np.int64(cells[here])
            following = here + tokens[2 * left + 1]
            if following >= stop:
                cells[here] = NONE
                break
            key = left << 32 | np.int64(cells[following])
            at = _place_of(pairs, key)
            if pairs[at] == FREE:
                if found == slots.size >> 1:
                    state[SLOTS] = found
                    reached[0], reached[1] = word, here
                    return NEEDS_SLOTS
                pairs[at], pairs[at + 1] = key, found
                slots[2 * found] = 0
                slots[2 * found + 1] = key
                runs[2 * found + 1] = 0
                found += 1
            s = pairs[at + 1]
            cells[here] = s
            slots[2 * s] += weight
            runs[2 * s + 1] += 1
            here = following

    total = 0
    for s in range(found):
        if slots[2 * s] >= min_frequency:
            number = runs[2 * s + 1]
            runs[2 * s] = total
            runs[2 * s + 1] = total
            total += number
        else:
            runs[2 * s] = _NO_RUN
    begin = 0
    for word in range(ends.size):
        for at in range(begin + 2 * word + 2, ends[word] + 2 * word + 2):
            if cells[at] < NONE:
                s = np.int64(cells[at])
                if runs[2 * s] != _NO_RUN:
                    postings[runs[2 * s + 1]] = at
                    runs[2 * s + 1] += 1
        begin = ends[word]

    state[SLOTS] = found
    state[POSTINGS] = total
    state[HEAP] = 0
    state[MERGES] = made
    state[THRESHOLD] = 0x7FFFFFFFFFFFFFFF
    return DONE
