"""The merges of SentencePiece's BPE trainer, found by updating only what a merge touches.

The plan is that of ``kernels.training``: the words lie in cells of 32 bits, a cell holds the slot of the pair that
starts there, a pair's occurrences are born in one step and then only die, and a small lazy heap holds the commonest
pairs. Read that first. What differs:

    word     ▁aab, 7 times
    cells    7   H|0   A    B    C    NONE     one for each character, not for each byte
    codes              0    1    1    2        the number of each character, in the order of code points; never changed
    back               1    2    3    4

* **What may be a piece** is decided once, when a pair gets its slot: length, spaces, scripts. A pair that may not has
  the tie NEVER, and is counted like the others, since its slot says which ids are neighbours, but never merged.
* **Ties**: fewer characters, then the smaller text. ``ties[s]`` is ``characters << 32 | cell`` of an occurrence, living
  or dead, whose ``codes`` are the text. Two pairs never spell the same: what became of a stretch of text does not
  depend on what is beside it, so one text is put together in one way everywhere.
* **Pairs that are gone** (count 0, even those that came and went within one merge) are merged when nothing else is
  left, for nothing changes but the vocabulary. So the threshold goes down to 0, and a pair that was merged has the
  count -1.

Twin: ``reference.piece_training``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import fetch, leading_zeros
from minbpe_course.kernels.training.piece_corpus import character_at
from minbpe_course.kernels.training.piece_heap import rise, sink

# Why the kernel came back.
DONE, EXHAUSTED, NEEDS_SLOTS = 0, 1, 2

# Entries of ``state``.
SLOTS, POSTINGS, HEAP, MERGES, THRESHOLD, CHARACTERS, SIZES = 0, 1, 2, 3, 4, 5, 6
STATE = SIZES + 65

# Entries of ``rules``: the longest piece in characters, and what is split.
MOST, BY_SPACE, SUFFIX, SPACES_ALONE, BY_SCRIPT = 0, 1, 2, 3, 4
RULES = 5

# Kinds of characters; all others are scripts.
KIND_NEVER, KIND_SPACE, KIND_INHERITED, KIND_ANY = 0, 1, 2, 255

# The tie of a pair that may not be a piece.
NEVER = -1

# What a cell can be, besides a slot.
NONE, DEAD, HEADER = np.uint32(0x7FFFFFFF), np.uint32(0x80000000), np.uint32(0xC0000000)
_LENGTH, _HIGH_COUNT = np.uint32(0x7FFFFFFF), np.uint32(0x3FFFFFFF)

# ``back`` of cells that are too far from their word's count.
FAR = 255

_CELLS_AHEAD, _SLOTS_AHEAD = 16, 8
_HEAP_SIZE = 1000


@helper
def may_be_piece(cell, length, codes, kinds, rules):
    """Whether the ``length`` characters from ``cell`` on may be one piece."""
    if length > rules[MOST]:
        return False
    spaces = 0
    misplaced = False
    script = np.uint8(KIND_ANY)
    for k in range(length):
        kind = kinds[codes[cell + k]]
        if kind == KIND_NEVER:
            return False
        if kind == KIND_SPACE:
            spaces += 1
            if rules[SUFFIX] != 0:
                misplaced |= k < length - 1 and (rules[BY_SPACE] != 0 or k == 0)
            else:
                misplaced |= k > 0 and (rules[BY_SPACE] != 0 or k == length - 1)
            continue
        if kind == KIND_INHERITED:
            kind = script
        if rules[BY_SCRIPT] != 0 and kind != KIND_ANY and script != KIND_ANY and kind != script:
            return False
        script = kind
    return not misplaced or (rules[SPACES_ALONE] != 0 and spaces == length)


@helper
def _word_of(cell, firsts):
    """The number of the word to which a cell belongs."""
    low, high = 0, firsts.size - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if firsts[middle] <= cell:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def lay_out(text, ends, counts, numbers, cells, codes, back, firsts):
    """Write the words into cells.

    text : uint8[n], the distinct words end to end · ends, counts : int64[w], counts below 2**62 · numbers :
    int32[0x110000], the number of each character · cells, codes : uint32, back : uint8, one for each character and two
    for each word · firsts : int64[w], the cell of the first character of each word.
    """
    at = 0
    cell = 0
    for word in range(ends.size):
        cells[cell] = np.uint32(counts[word] & 0xFFFFFFFF)
        cells[cell + 1] = np.uint32(counts[word] >> 32) | HEADER
        cell += 2
        firsts[word] = cell
        begin = cell
        while at < ends[word]:
            found = character_at(text, at)
            at += found & 7
            codes[cell] = numbers[found >> 3]
            cells[cell] = NONE
            back[cell] = cell - begin + 1 if cell - begin + 1 < FAR else FAR
            cell += 1


@compiled
def start_training(
    cells, codes, back, firsts, kinds, rules, table, slot_of, slots, ties, runs, postings, lengths, state
):
    """Give every pair of characters its slot and its postings; return how many slots that takes.

    Where the slots are too few nothing is done. kinds : uint8[characters] · rules : int64[RULES] · table : int64 of
    -1, a power of two of places and at least twice the pairs, the keys left << 32 | right; slot_of : int32, their
    slots · slots, runs : int64[2 * size] · ties : int64[size] · postings : uint32, three for each cell · lengths :
    int32[vocabulary], characters of each id · state : int64[STATE], CHARACTERS already in it.
    """
    mask = table.size - 1
    made = 0
    room = ties.size
    for word in range(firsts.size):
        cell = firsts[word]
        stop = firsts[word + 1] - 2 if word + 1 < firsts.size else np.int64(cells.size)
        weight = np.int64(cells[cell - 1] & _HIGH_COUNT) << 32 | np.int64(cells[cell - 2])
        for at in range(cell, stop - 1):
            left, right = np.int64(codes[at]), np.int64(codes[at + 1])
            key = left << 32 | right
            place = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & mask
            while table[place] != key and table[place] != -1:
                place = (place + 1) & mask
            if table[place] == -1:
                table[place] = key
                slot_of[place] = made
                if made < room:
                    slots[2 * made] = 0
                    slots[2 * made + 1] = key
                    runs[2 * made + 1] = 0
                    ties[made] = np.int64(2) << 32 | at if may_be_piece(at, 2, codes, kinds, rules) else NEVER
                made += 1
            s = np.int64(slot_of[place])
            cells[at] = s
            if s < room:
                slots[2 * s] += weight
                runs[2 * s + 1] += 1
    if made > room:
        return made

    total = 0
    for s in range(made):
        number = runs[2 * s + 1] if ties[s] != NEVER else 0
        runs[2 * s] = total
        runs[2 * s + 1] = total
        total += number
    for at in range(cells.size):
        # A header's low half may look like a slot: whatever has no way back is none.
        if back[at] != 0 and cells[at] != NONE:
            s = np.int64(cells[at])
            if ties[s] != NEVER:
                postings[runs[2 * s + 1]] = at
                runs[2 * s + 1] += 1

    for character in range(state[CHARACTERS]):
        lengths[character] = 1
    state[SLOTS] = made
    state[POSTINGS] = total
    state[HEAP] = 0
    state[MERGES] = 0
    state[THRESHOLD] = 0x7FFFFFFFFFFFFFFF
    return made


@helper
def _refill(codes, slots, ties, heap, state):
    """Lower the threshold and fill the empty heap with the pairs that now reach it."""
    old = state[THRESHOLD]
    # How many pairs have a count of 0, of 1, of 2 or 3, of 4 to 7, ...
    for bits in range(65):
        state[SIZES + bits] = 0
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if 0 <= count < old and ties[s] != NEVER:
            state[SIZES + 64 - leading_zeros(np.uint64(count))] += 1
    bits = np.int64(63)
    pairs = np.int64(0)
    while bits > 1 and pairs + state[SIZES + bits] < _HEAP_SIZE:
        pairs += state[SIZES + bits]
        bits -= 1
    threshold = np.int64(1) << (bits - 1) if old > 1 else np.int64(0)
    size = np.int64(0)
    for s in range(state[SLOTS]):
        count = slots[2 * s]
        if threshold <= count < old and ties[s] != NEVER:
            rise(heap, size, count, ties[s], s, codes)
            size += 1
    state[HEAP] = size
    state[THRESHOLD] = threshold


@helper
def _best_slot(codes, slots, ties, heap, state):
    """Bring the best pair to the top of the heap and return its slot; -1: all have been merged."""
    while True:
        if state[HEAP] == 0:
            if state[THRESHOLD] == 0:
                return -1
            _refill(codes, slots, ties, heap, state)
            continue
        s = heap[2]
        count = slots[2 * s]
        tie = ties[s]
        if count >= state[THRESHOLD]:
            if heap[0] == count:
                return s
        else:
            # The pair was merged, or waits for a lower threshold: the last entry takes its place.
            last = state[HEAP] - 1
            state[HEAP] = last
            count, tie, s = heap[3 * last], heap[3 * last + 1], heap[3 * last + 2]
        sink(heap, state[HEAP], count, tie, s, codes)


@compiled
def train_pieces(
    stop_at, cells, codes, back, firsts, kinds, rules, slots, ties, runs, postings, heap, lengths, slot_before,
    slot_after, born, merges, counts, state,
):  # fmt: skip
    """Make merges until ``stop_at`` of them exist; return DONE, EXHAUSTED (no pair left) or NEEDS_SLOTS.

    Arrays as in ``start_training``, and: heap : int64[3 * size] · slot_before, slot_after : int32[vocabulary] filled
    with -1, the slot of (x, new) and of (new, x) while one merge is made · born : uint32[4 * cells], cell and slot of
    each occurrence born in one merge · merges : int64[merges], ``characters << 32 | cell`` of each piece · counts :
    int64[merges].
    """
    cells_at, back_at, slots_at = cells.ctypes.data, back.ctypes.data, slots.ctypes.data
    while state[MERGES] < stop_at:
        best = _best_slot(codes, slots, ties, heap, state)
        if best < 0:
            return EXHAUSTED
        first, last = runs[2 * best], runs[2 * best + 1]
        if state[SLOTS] + 2 * (last - first) > ties.size:
            return NEEDS_SLOTS

        merge = state[MERGES]
        new = state[CHARACTERS] + merge
        pair = slots[2 * best + 1]
        merges[merge] = ties[best]
        counts[merge] = slots[2 * best]
        length_x = np.int64(lengths[pair >> 32])
        length = ties[best] >> 32
        lengths[new] = length
        oldest = state[SLOTS]
        made = oldest
        births = 0

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
            header = at - np.int64(back[at])
            if back[at] == FAR:
                header = firsts[_word_of(at, firsts)] - 1
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
                    whole = at + length - p
                    ties[s] = whole << 32 | p if may_be_piece(p, whole, codes, kinds, rules) else NEVER
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
                    whole = length + lengths[z]
                    ties[s] = whole << 32 | at if may_be_piece(at, whole, codes, kinds, rules) else NEVER
                cells[at] = s
                slots[2 * s] += weight
                runs[2 * s + 1] += 1
                born[2 * births] = at
                born[2 * births + 1] = s
                births += 1
        # So the pair, still on top of the heap, is gone when the next one is looked for.
        slots[2 * best] = -1

        # A run for every new pair that may be a piece; then its occurrences, in the order in which they lie.
        total = state[POSTINGS]
        for s in range(oldest, made):
            slot_before[slots[2 * s + 1] >> 32] = -1
            slot_after[slots[2 * s + 1] & 0xFFFFFFFF] = -1
            if ties[s] != NEVER:
                number = runs[2 * s + 1]
                runs[2 * s] = total
                runs[2 * s + 1] = total
                total += number
        for b in range(births):
            s = np.int64(born[2 * b + 1])
            if ties[s] != NEVER:
                postings[runs[2 * s + 1]] = born[2 * b]
                runs[2 * s + 1] += 1
        for s in range(oldest, made):
            if ties[s] != NEVER and slots[2 * s] >= state[THRESHOLD]:
                rise(heap, state[HEAP], slots[2 * s], ties[s], s, codes)
                state[HEAP] += 1
        state[POSTINGS] = total
        state[SLOTS] = made
        state[MERGES] = merge + 1
    return DONE
