"""Training without recounting: the merges of ``reference.training``, found by updating only what a merge touches.

**Cells.** The distinct words lie one behind the other, one cell of 32 bits for each byte and two in front of each word:

    word     "low" 7 times                        "aab" twice, after (a, a) has become one token
    cells    7   H|0   A    B    NONE             2   H|0   C    D|2  NONE
    byte               l    o    w                          a    a    b
    back               1    2    3                          1    2    3

    A, B, C   slot of the pair that starts here     D|n   last byte of a token of n > 1 bytes; the others hold D
    NONE      the last token of the word            H|0   high half of the word's count; the low half is before it

So a token's right neighbour is as many cells away as the token has bytes, and the left one is found in the cell before:
it is a slot (a token of one byte), ``D|n`` (n cells away), or ``H`` (there is none). ``back`` says how far away the
count is (255: farther, then it is searched for). A visit touches one or two cache lines of cells, and no id is stored:

**Slots.** A pair that occurs owns a slot, ``slots[2 * s]`` its count and ``slots[2 * s + 1]`` its ids, left << 32 |
right, side by side, since a neighbour's death asks for both.

**Postings.** A pair's occurrences are all born in one step (at the start, or when the newer of its two ids is made) and
then only die. So each slot has one run of ``postings`` (cells, ascending) that is written once, from ``runs[2 * s]`` to
``runs[2 * s + 1]``; whether an occurrence still lives is seen in its cell. At most two pairs are born for each merged
occurrence, and each kills a position, so three postings for each byte are always enough.

**Heap.** A pair's count and its first living occurrence only ever get worse. That makes a lazy heap exact: a stored key
is never better than the true one was, so when the top's key is still true it is the best pair. The heap holds (count,
tie, slot) of pairs with a count of ``state[THRESHOLD]`` or more, each once. When it is empty, the threshold goes down
and all slots are read once: a heap of some thousands stays in the cache, and most pairs never see it.

What costs time here is waiting for memory, so the loop asks for cells and slots several occurrences ahead. Measured
against the version before it, which held five arrays of links and one large heap: 3 times faster. Slots grow: the
kernel comes back with NEEDS_SLOTS and is called again with longer arrays; all that it must remember is in ``state``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import fetch, leading_zeros
from minbpe_course.kernels.training.training_heap import FIRST_SEEN, rise, sink

# Why the kernel came back.
DONE, EXHAUSTED, NEEDS_SLOTS = 0, 1, 2

# Entries of ``state``.
SLOTS, POSTINGS, HEAP, MERGES, THRESHOLD, SIZES = 0, 1, 2, 3, 4, 5
STATE = SIZES + 64

# What a cell can be, besides a slot.
NONE, DEAD, HEADER = np.uint32(0x7FFFFFFF), np.uint32(0x80000000), np.uint32(0xC0000000)
_LENGTH, _HIGH_COUNT = np.uint32(0x7FFFFFFF), np.uint32(0x3FFFFFFF)

# ``back`` of cells that are too far from their word's count.
FAR = 255

# No run of postings, since the pair is too rare to be merged.
_NO_RUN = -1

# How many occurrences ahead cells and then slots are asked for.
_CELLS_AHEAD, _SLOTS_AHEAD = 16, 8

# How many pairs the threshold shall let into an empty heap, at least.
_HEAP_SIZE = 1000


@helper
def _tie_of(rule, s, cells, slots, runs, postings):
    """The tie of a living pair; its run is shortened to begin at its first living occurrence."""
    if rule != FIRST_SEEN:
        return slots[2 * s + 1]
    first = runs[2 * s]
    while cells[postings[first]] != s:
        first += 1
    runs[2 * s] = first
    return np.int64(postings[first])


@helper
def _word_of(cell, ends):
    """The number of the word to which a cell belongs."""
    low, high = 0, ends.size - 1
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] + 2 * middle + 2 > cell:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def start_training(text, ends, counts, numbers, slot_of, cells, back, slots, runs, postings, tokens, state):
    """Lay out the words, and give every pair of bytes its slot and its postings.

    text : uint8[n], the distinct words end to end · ends : int64[w], one past each word · counts : int64[w], below
    2**62 · numbers : int64[256], the id of each byte · slot_of : int32[65,536] of -1 · cells : uint32[n + 2w], back :
    uint8 the same · slots, runs : int64[2 * 65,536 or more] · postings : uint32[3n] · tokens : int64[2 * vocabulary],
    address and length of each id's bytes · state : int64[STATE].
    """
    made = 0
    begin = 0
    at = 0
    for word in range(ends.size):
        end = ends[word]
        count = counts[word]
        cells[at] = np.uint32(count & 0xFFFFFFFF)
        cells[at + 1] = np.uint32(count >> 32) | HEADER
        at += 2
        for place in range(begin, end):
            left = numbers[text[place]]
            back[at] = place - begin + 1 if place - begin + 1 < FAR else FAR
            cells[at] = NONE
            tokens[2 * left] = text.ctypes.data + place
            tokens[2 * left + 1] = 1
            if place + 1 < end:
                right = numbers[text[place + 1]]
                s = np.int64(slot_of[left << 8 | right])
                if s < 0:
                    s = made
                    made += 1
                    slot_of[left << 8 | right] = s
                    slots[2 * s] = 0
                    slots[2 * s + 1] = left << 32 | right
                    runs[2 * s + 1] = 0
                cells[at] = s
                slots[2 * s] += count
                runs[2 * s + 1] += 1
            at += 1
        begin = end

    total = 0
    for s in range(made):
        number = runs[2 * s + 1]
        runs[2 * s] = total
        runs[2 * s + 1] = total
        total += number
    at = 0
    begin = 0
    for word in range(ends.size):
        at += 2
        for _ in range(begin, ends[word]):
            s = np.int64(cells[at])
            if s != NONE:
                postings[runs[2 * s + 1]] = at
                runs[2 * s + 1] += 1
            at += 1
        begin = ends[word]

    state[SLOTS] = made
    state[POSTINGS] = total
    state[HEAP] = 0
    state[MERGES] = 0
    state[THRESHOLD] = 0x7FFFFFFFFFFFFFFF


@helper
def _refill(rule, min_frequency, cells, slots, runs, postings, heap, tokens, state):
    """Lower the threshold and fill the empty heap with the pairs that now reach it."""
    old = state[THRESHOLD]
    # How many pairs have a count of 1, of 2 or 3, of 4 to 7, ...
    for bits in range(64):
        state[SIZES + bits] = 0
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if min_frequency <= count < old:
            state[SIZES + 64 - leading_zeros(np.uint64(count))] += 1
    bits = np.int64(63)
    pairs = np.int64(0)
    while bits > 1 and pairs + state[SIZES + bits] < _HEAP_SIZE:
        pairs += state[SIZES + bits]
        bits -= 1
    threshold = max(np.int64(1) << (bits - 1), min_frequency)
    size = np.int64(0)
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if threshold <= count < old:
            rise(rule, heap, size, count, _tie_of(rule, s, cells, slots, runs, postings), s, tokens)
            size += 1
    state[HEAP] = size
    state[THRESHOLD] = threshold


@helper
def _best_slot(rule, min_frequency, cells, slots, runs, postings, heap, tokens, state):
    """Bring the best living pair to the top of the heap and return its slot; -1: none reaches ``min_frequency``."""
    while True:
        if state[HEAP] == 0:
            if state[THRESHOLD] <= min_frequency:
                return -1
            _refill(rule, min_frequency, cells, slots, runs, postings, heap, tokens, state)
            continue
        s = heap[2]
        count = slots[2 * s]
        tie = np.int64(0)
        if count >= state[THRESHOLD]:
            tie = _tie_of(rule, s, cells, slots, runs, postings)
            if heap[0] == count and heap[1] == tie:
                return s
        else:
            # The pair is gone, or waits for a lower threshold: the last entry takes its place.
            last = state[HEAP] - 1
            state[HEAP] = last
            count, tie, s = heap[3 * last], heap[3 * last + 1], heap[3 * last + 2]
        sink(rule, heap, state[HEAP], count, tie, s, tokens)


@compiled
def train_merges(
    rule, min_frequency, stop_at, text, ends, cells, back, slots, runs, postings, heap, tokens, slot_before, slot_after,
    born, merges, counts, state,
):  # fmt: skip
    """Make merges until ``stop_at`` of them exist; return DONE, EXHAUSTED (no pair left) or NEEDS_SLOTS.

    Arrays as in ``start_training``, and: heap : int64[3 * slots] · slot_before, slot_after : int32[vocabulary] filled
    with -1, the slot of (x, new) and of (new, x) while one merge is made · born : uint32[4n], cell and slot of each
    occurrence born in one merge · merges : int64[merges], left << 32 | right · counts : int64[merges].
    """
    cells_at, back_at, slots_at = cells.ctypes.data, back.ctypes.data, slots.ctypes.data
    while state[MERGES] < stop_at:
        best = _best_slot(rule, min_frequency, cells, slots, runs, postings, heap, tokens.ctypes.data, state)
        if best < 0:
            return EXHAUSTED
        first, last = runs[2 * best], runs[2 * best + 1]
        if state[SLOTS] + 2 * (last - first) > slots.size >> 1:
            return NEEDS_SLOTS

        merge = state[MERGES]
        new = 256 + merge
        pair = slots[2 * best + 1]
        merges[merge] = pair
        counts[merge] = slots[2 * best]
        # A cell's pair tells both its ids, so the two lengths are all that has to be known about x and y.
        length_x = tokens[2 * (pair >> 32) + 1]
        length = length_x + tokens[2 * (pair & 0xFFFFFFFF) + 1]
        oldest = state[SLOTS]
        made = oldest
        births = 0
        some = np.int64(0)

        for posting in range(first, last):
            if posting + _CELLS_AHEAD < last:
                ahead = np.int64(postings[posting + _CELLS_AHEAD])
                fetch(cells_at + 4 * ahead)
                fetch(back_at + ahead)
            if posting + _SLOTS_AHEAD < last:
                ahead = np.int64(postings[posting + _SLOTS_AHEAD])
                if cells[ahead] == best:
                    fetch(slots_at + 16 * np.int64(cells[ahead + length_x]))
                    before = cells[ahead - 1]
                    if DEAD <= before < HEADER:
                        before = cells[ahead - np.int64(before & _LENGTH)]
                    fetch(slots_at + 16 * np.int64(before))

            at = np.int64(postings[posting])
            if cells[at] != best:
                continue
            some = at
            header = at - np.int64(back[at])
            if back[at] == FAR:
                word = _word_of(at, ends)
                header = (ends[word - 1] if word > 0 else 0) + 2 * word + 1
            weight = np.int64(cells[header] & _HIGH_COUNT) << 32 | np.int64(cells[header - 1])

            # Three pairs die: (x, y) itself, (before, x) and (y, after). Two may be born: (before, new), (new, after).
            before, after = cells[at - 1], cells[at + length_x]
            cells[at + length_x] = DEAD
            cells[at + length - 1] = DEAD | np.uint32(length)
            if before < HEADER:
                p = at - 1
                if before >= DEAD:
                    p = at - np.int64(before & _LENGTH)
                    before = cells[p]
                dying = np.int64(before)
                slots[2 * dying] -= weight
                z = slots[2 * dying + 1] >> 32
                s = np.int64(slot_before[z])
                if s < 0:
                    s = made
                    made += 1
                    slot_before[z] = s
                    slots[2 * s] = 0
                    slots[2 * s + 1] = z << 32 | new
                    runs[2 * s + 1] = 0
                cells[p] = s
                slots[2 * s] += weight
                runs[2 * s + 1] += 1
                born[2 * births] = p
                born[2 * births + 1] = s
                births += 1
            if after == NONE:
                cells[at] = NONE
            else:
                dying = np.int64(after)
                slots[2 * dying] -= weight
                z = slots[2 * dying + 1] & 0xFFFFFFFF
                s = np.int64(slot_after[z])
                if s < 0:
                    s = made
                    made += 1
                    slot_after[z] = s
                    slots[2 * s] = 0
                    slots[2 * s + 1] = new << 32 | z
                    runs[2 * s + 1] = 0
                cells[at] = s
                slots[2 * s] += weight
                runs[2 * s + 1] += 1
                born[2 * births] = at
                born[2 * births + 1] = s
                births += 1
        # So the pair, still on top of the heap, is gone when the next one is looked for.
        slots[2 * best] = 0
        tokens[2 * new] = text.ctypes.data + some - 2 * _word_of(some, ends) - 2
        tokens[2 * new + 1] = length

        # A run for every new pair that may be merged one day; then its occurrences, in the order in which they lie.
        total = state[POSTINGS]
        for s in range(oldest, made):
            slot_before[slots[2 * s + 1] >> 32] = -1
            slot_after[slots[2 * s + 1] & 0xFFFFFFFF] = -1
            if slots[2 * s] >= min_frequency:
                number = runs[2 * s + 1]
                runs[2 * s] = total
                runs[2 * s + 1] = total
                total += number
            else:
                runs[2 * s] = _NO_RUN
        for b in range(births):
            s = np.int64(born[2 * b + 1])
            if runs[2 * s] != _NO_RUN:
                postings[runs[2 * s + 1]] = born[2 * b]
                runs[2 * s + 1] += 1
        for s in range(oldest, made):
            if slots[2 * s] >= state[THRESHOLD]:
                tie = _tie_of(rule, s, cells, slots, runs, postings)
                rise(rule, heap, state[HEAP], slots[2 * s], tie, s, tokens.ctypes.data)
                state[HEAP] += 1
        state[POSTINGS] = total
        state[SLOTS] = made
        state[MERGES] = merge + 1
    return DONE
