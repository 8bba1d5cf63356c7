"""The words during training as a row of cells, and what one merge changes there: for byte pairs and for pieces.

**Cells.** The distinct words lie end to end, one cell of 32 bits for each symbol (a byte or a character) and two before
each word:

    word     "low" 7 times                        "aab" twice, after (a, a) has become one token
    cells    7   H|0   A    B    NONE             2   H|0   C    D|2  NONE
    symbol             l    o    w                          a    a    b
    back               1    2    3                          1    2    3

    A, B, C   slot of the pair that starts here     D|n   last cell of a token of n > 1 symbols; cells between hold D
    NONE      the last token of the word            H|0   high half of the word's count; the low half is before it

So a token's right neighbour is as many cells away as the token has symbols. Its left neighbour is found in the cell
before: a slot (a token of one symbol), ``D|n`` (n cells away) or ``H`` (no neighbour). ``back`` is the distance to the
count (255: too far, so the word is searched for). A visit touches one or two cache lines of cells, and no id is stored.

**Slots.** Each pair that occurs owns a slot: ``slots[2 * s]`` is its count, ``slots[2 * s + 1]`` its ids,
left << 32 | right. They are side by side because the death of a neighbour needs both.

**Postings.** All occurrences of a pair are born in one step (at the start, or when the newer of its two ids is made)
and then only die. So each slot has one run of ``postings`` (cells, ascending) that is written once, from
``runs[2 * s]`` to ``runs[2 * s + 1]``; the cell shows whether an occurrence still lives. At most two pairs are born for
each merged occurrence, and each kills a position, so three postings for each symbol are always enough.

**Heap.** A pair's count and its first living occurrence only get worse. That makes a lazy heap exact: a stored key is
never worse than the true one, so when the top's key is still true, it is the best pair. The heap holds (count, tie,
slot) of the pairs with a count of ``state[THRESHOLD]`` or more, each once. When it is empty, the threshold is lowered
and all slots are read once: a heap of some thousands stays in the cache, and most pairs never enter it.

Waiting for memory takes most of the time, so ``replace_pair`` prefetches cells and slots several occurrences ahead.
Arrays of links and one large heap were 3 times slower.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.machine import fetch, leading_zeros
from minbpe_course.kernels.training.tie_break_heap import FIRST_SEEN, SHORTEST_PIECE, rise, sink

# Why a kernel came back.
DONE, EXHAUSTED, NEEDS_SLOTS = 0, 1, 2

# Entries of ``state``: how many slots, postings, heap entries and merges there are, the threshold, the first id that a
# merge makes, and how many pairs have a count of 0, of 1, of 2 or 3, of 4 to 7, ...
SLOTS, POSTINGS, HEAP, MERGES, THRESHOLD, FIRST_ID, SIZES = range(7)
STATE = SIZES + 64

# Contents of a cell, besides a slot.
NONE, DEAD, HEADER = np.uint32(0x7FFFFFFF), np.uint32(0x80000000), np.uint32(0xC0000000)
LENGTH, HIGH_COUNT = np.uint32(0x7FFFFFFF), np.uint32(0x3FFFFFFF)

# ``back`` of cells that are too far from their word's count.
FAR = 255

# A pair that is too rare to be merged, or may not be merged, has no run of postings.
NO_RUN = -1

# How many occurrences ahead cells and slots are prefetched.
_CELLS_AHEAD, _SLOTS_AHEAD = 16, 8

# At least this many pairs should enter an empty heap when the threshold is lowered.
_HEAP_SIZE = 1000


@helper
def word_of(cell, ends):
    """Return the number of the word that a cell belongs to. ends : one past each word, in symbols."""
    low, high = 0, ends.size - 1
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] + 2 * middle + 2 > cell:
            high = middle
        else:
            low = middle + 1
    return low


@helper
def write_header(cells, at, count):
    """Write a word's count into the two cells from ``at`` on."""
    cells[at] = np.uint32(count & 0xFFFFFFFF)
    cells[at + 1] = np.uint32(count >> 32) | HEADER


@helper
def read_header(cells, at):
    """Return the count in the two cells from ``at`` on."""
    return np.int64(cells[at + 1] & HIGH_COUNT) << 32 | np.int64(cells[at])


@helper
def open_slot(s, left, right, cell, slots, runs):
    """Make slot ``s`` that of a pair that has not occurred yet. Until it gets a run, ``runs[2 * s]`` is ``cell``."""
    slots[2 * s] = 0
    slots[2 * s + 1] = left << 32 | right
    runs[2 * s] = cell
    runs[2 * s + 1] = 0


@helper
def lay_runs(first, last, total, runs):
    """Give a run to each slot from ``first`` to ``last`` whose occurrences, ``runs[2 * s + 1]``, are counted.

    A slot with NO_RUN gets none. total : how many postings there are. Returns how many there will be.
    """
    for s in range(first, last):
        if runs[2 * s] != NO_RUN:
            number = runs[2 * s + 1]
            runs[2 * s] = total
            runs[2 * s + 1] = total
            total += number
    return total


@helper
def begin_state(made, ends, cells, runs, postings, state):
    """Write the postings of the ``made`` pairs that the words begin with, and the state before the first merge."""
    total = lay_runs(0, made, 0, runs)
    at = 0
    begin = 0
    for word in range(ends.size):
        at += 2
        for _ in range(begin, ends[word]):
            s = np.int64(cells[at])
            if s < NONE and runs[2 * s] != NO_RUN:
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
def _tie_of(rule, s, cells, slots, runs, postings, ties):
    """Return the tie of a living pair. By FIRST_SEEN, shorten its run to begin at its first living occurrence."""
    if rule != FIRST_SEEN:
        return ties[s] if rule == SHORTEST_PIECE else slots[2 * s + 1]
    first = runs[2 * s]
    while cells[postings[first]] != s:
        first += 1
    runs[2 * s] = first
    return np.int64(postings[first])


@helper
def _refill(rule, least, cells, slots, runs, postings, ties, heap, texts, state):
    """Lower the threshold and fill the empty heap with the pairs that reach it now."""
    old = state[THRESHOLD]
    for bits in range(64):
        state[SIZES + bits] = 0
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if least <= count < old and runs[2 * s] != NO_RUN:
            state[SIZES + 64 - leading_zeros(np.uint64(count))] += 1
    bits = np.int64(63)
    pairs = np.int64(0)
    while bits > 1 and pairs + state[SIZES + bits] < _HEAP_SIZE:
        pairs += state[SIZES + bits]
        bits -= 1
    threshold = max(np.int64(1) << (bits - 1), least) if old > 1 else np.int64(0)
    size = np.int64(0)
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if threshold <= count < old and runs[2 * s] != NO_RUN:
            tie = _tie_of(rule, s, cells, slots, runs, postings, ties)
            rise(rule, heap, size, count, tie, s, texts)
            size += 1
    state[HEAP] = size
    state[THRESHOLD] = threshold


@helper
def best_slot(rule, least, cells, slots, runs, postings, ties, heap, texts, state):
    """Bring the best pair to the top of the heap and return its slot; -1 if no pair occurs ``least`` times."""
    while True:
        if state[HEAP] == 0:
            if state[THRESHOLD] <= least:
                return -1
            _refill(rule, least, cells, slots, runs, postings, ties, heap, texts, state)
            continue
        s = heap[2]
        count = slots[2 * s]
        tie = np.int64(0)
        if count >= state[THRESHOLD]:
            tie = _tie_of(rule, s, cells, slots, runs, postings, ties)
            if heap[0] == count and heap[1] == tie:
                return s
        else:
            # The pair was merged, or waits for a lower threshold: the last entry takes its place.
            last = state[HEAP] - 1
            state[HEAP] = last
            count, tie, s = heap[3 * last], heap[3 * last + 1], heap[3 * last + 2]
        sink(rule, heap, state[HEAP], count, tie, s, texts)


@helper
def replace_pair(
    best, new, length_x, length, ends, cells, back, slots, runs, postings, slot_before, slot_after, born, state
):  # fmt: skip
    """Make the token ``new`` of every living occurrence of the pair in slot ``best``; open slots for the pairs born.

    length_x, length : symbols of the pair's left token and of the new one. The occurrences that are born go to
    ``born``, cell and slot of each. Returns how many slots there are, how many occurrences were born, and a cell where
    the new token begins.
    """
    cells_at, back_at, slots_at = cells.ctypes.data, back.ctypes.data, slots.ctypes.data
    first, last = runs[2 * best], runs[2 * best + 1]
    made = state[SLOTS]
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
                    before = cells[ahead - np.int64(before & LENGTH)]
                fetch(slots_at + 16 * np.int64(before))

        at = np.int64(postings[posting])
        if cells[at] != best:
            continue
        some = at
        header = at - np.int64(back[at]) - 1
        if back[at] == FAR:
            word = word_of(at, ends)
            header = (ends[word - 1] if word > 0 else 0) + 2 * word
        weight = read_header(cells, header)

        # Three pairs die: (x, y) itself, (before, x) and (y, after). Two may be born: (before, new), (new, after).
        before, after = cells[at - 1], cells[at + length_x]
        cells[at + length_x] = DEAD
        cells[at + length - 1] = DEAD | np.uint32(length)
        if before < HEADER:
            p = at - 1
            if before >= DEAD:
                p = at - np.int64(before & LENGTH)
                before = cells[p]
            dying = np.int64(before)
            slots[2 * dying] -= weight
            z = slots[2 * dying + 1] >> 32
            s = np.int64(slot_before[z])
            if s < 0:
                s = made
                made += 1
                slot_before[z] = s
                open_slot(s, z, new, p, slots, runs)
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
                open_slot(s, new, z, at, slots, runs)
            cells[at] = s
            slots[2 * s] += weight
            runs[2 * s + 1] += 1
            born[2 * births] = at
            born[2 * births + 1] = s
            births += 1
    # So the pair, which is still on top of the heap, leaves it in the next search for a best pair.
    slots[2 * best] = -1
    for s in range(state[SLOTS], made):
        slot_before[slots[2 * s + 1] >> 32] = -1
        slot_after[slots[2 * s + 1] & 0xFFFFFFFF] = -1
    return made, births, some


@helper
def add_pairs(rule, made, births, cells, slots, runs, postings, ties, heap, texts, born, state):
    """Write the postings of the pairs that a merge made, and put the frequent ones on the heap.

    Pairs that are not to be merged have NO_RUN.
    """
    oldest = state[SLOTS]
    total = lay_runs(oldest, made, state[POSTINGS], runs)
    for b in range(births):
        s = np.int64(born[2 * b + 1])
        if runs[2 * s] != NO_RUN:
            postings[runs[2 * s + 1]] = born[2 * b]
            runs[2 * s + 1] += 1
    for s in range(oldest, made):
        if slots[2 * s] >= state[THRESHOLD] and runs[2 * s] != NO_RUN:
            tie = _tie_of(rule, s, cells, slots, runs, postings, ties)
            rise(rule, heap, state[HEAP], slots[2 * s], tie, s, texts)
            state[HEAP] += 1
    state[POSTINGS] = total
    state[SLOTS] = made
    state[MERGES] += 1
