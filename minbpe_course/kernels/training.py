"""Training without recounting: the merges of ``reference.training``, found by updating only what a merge touches.

All unique words lie end to end; a position is an index into that row, and neighbours inside a word are linked:

    text    l o w | l o w e r | n e w e s t      bytes of the unique words, in the order first seen
    symbol  l o w   l o w e r   n e w e s t      id that starts at each position; a merge keeps the left position
    after   1 2 .   4 5 6 7 .   ...              next living position, -1 at the end of a word
    slot    A B .   A B C D .   ...              which pair starts at each position

A pair owns a slot. Its occurrences are all born in one step (at the start, or when the newer of its two ids is made)
and then only die, so each slot has one run of ``postings`` (positions, ascending) written once, and both its count
and its first living position only ever get worse. That makes a lazy heap exact: a stored key is never worse than the
true one, so when the top's key is still true it is the best pair.

At most two pairs are born for every merged occurrence, and every merged occurrence kills one position, so
``postings`` never needs more than three entries a position. Slots grow: the kernel stops with NEEDS_SLOTS and can be
called again with longer arrays; everything it must remember is in ``state``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Why the kernel came back.
DONE, EXHAUSTED, NEEDS_SLOTS = 0, 1, 2

# Tie-break rules. A tie key is an int64 where smaller is better; GREATEST_BYTES compares token bytes instead.
FIRST_SEEN, SMALLEST_PAIR, GREATEST_BYTES = 0, 1, 2

# Entries of ``state``.
SLOTS, POSTINGS, HEAP, MERGES = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def _compare_tokens(text, start_a, length_a, start_b, length_b):
    """Order two byte strings inside ``text``: negative, zero or positive."""
    for at in range(min(length_a, length_b)):
        difference = np.int64(text[start_a + at]) - np.int64(text[start_b + at])
        if difference != 0:
            return difference
    return length_a - length_b


@njit(cache=True, nogil=True)
def _greater_bytes(a, b, text, left, right, token_start, token_length):
    """Whether the pair in slot ``a`` has greater bytes than that in slot ``b``: left sides first, then right sides."""
    x = left[a]
    y = left[b]
    if x == y:
        x = right[a]
        y = right[b]
    return _compare_tokens(text, token_start[x], token_length[x], token_start[y], token_length[y]) > 0


# The two sifts compare in place. A function called for every comparison counts references to each of its arrays, and
# that, measured, took four fifths of all training time.


@njit(cache=True, nogil=True)
def _sift_down(rule, size, at, heap_count, heap_tie, heap_slot, text, left, right, token_start, token_length):
    """Let the entry at ``at`` sink below every better one."""
    count = heap_count[at]
    tie = heap_tie[at]
    slot = heap_slot[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size:
            if heap_count[other] != heap_count[child]:
                better = heap_count[other] > heap_count[child]
            elif rule != GREATEST_BYTES:
                better = heap_tie[other] < heap_tie[child]
            else:
                better = _greater_bytes(
                    heap_slot[other], heap_slot[child], text, left, right, token_start, token_length
                )
            if better:
                child = other
        if heap_count[child] != count:
            better = heap_count[child] > count
        elif rule != GREATEST_BYTES:
            better = heap_tie[child] < tie
        else:
            better = _greater_bytes(heap_slot[child], slot, text, left, right, token_start, token_length)
        if not better:
            break
        heap_count[at] = heap_count[child]
        heap_tie[at] = heap_tie[child]
        heap_slot[at] = heap_slot[child]
        at = child
    heap_count[at] = count
    heap_tie[at] = tie
    heap_slot[at] = slot


@njit(cache=True, nogil=True)
def _sift_up(rule, at, heap_count, heap_tie, heap_slot, text, left, right, token_start, token_length):
    """Let the entry at ``at`` rise above every worse one."""
    count = heap_count[at]
    tie = heap_tie[at]
    slot = heap_slot[at]
    while at > 0:
        parent = (at - 1) // 2
        if heap_count[parent] != count:
            better = count > heap_count[parent]
        elif rule != GREATEST_BYTES:
            better = tie < heap_tie[parent]
        else:
            better = _greater_bytes(slot, heap_slot[parent], text, left, right, token_start, token_length)
        if not better:
            break
        heap_count[at] = heap_count[parent]
        heap_tie[at] = heap_tie[parent]
        heap_slot[at] = heap_slot[parent]
        at = parent
    heap_count[at] = count
    heap_tie[at] = tie
    heap_slot[at] = slot


@njit(cache=True, nogil=True)
def start_training(
    rule,
    byte_numbers,
    text,
    word_ends,
    word_counts,
    symbol,
    after,
    before,
    word_of,
    slot,
    postings,
    left,
    right,
    count,
    first,
    last,
    heap_count,
    heap_tie,
    heap_slot,
    token_start,
    token_length,
    state,
):
    """Link the words, give every pair of bytes a slot and its postings, and build the heap.

    text : uint8[n], the unique words end to end · word_ends : int64[w], one past each word · word_counts : int64[w] ·
    byte_numbers : int64[256], the number of each byte in the tie rule · symbol, after, before, word_of, slot :
    int32[n] · postings : int32[3n] · left, right : int32[s], count, first, last : int64[s], heap_count, heap_tie :
    int64[s], heap_slot : int32[s], all with s >= 65,536 · token_start, token_length : int64[vocabulary] · state :
    int64[4].
    """
    slot_of = np.full(65536, -1, dtype=np.int32)
    slots = 0
    begin = 0
    for word in range(word_ends.size):
        end = word_ends[word]
        for at in range(begin, end):
            symbol[at] = text[at]
            word_of[at] = word
            before[at] = at - 1 if at > begin else -1
            after[at] = at + 1 if at + 1 < end else -1
            slot[at] = -1
            if at + 1 < end:
                pair = np.int64(text[at]) * 256 + np.int64(text[at + 1])
                s = slot_of[pair]
                if s < 0:
                    s = slots
                    slot_of[pair] = s
                    left[s] = text[at]
                    right[s] = text[at + 1]
                    count[s] = 0
                    last[s] = 0
                    slots += 1
                slot[at] = s
                count[s] += word_counts[word]
                last[s] += 1
            token_start[text[at]] = at
            token_length[text[at]] = 1
        begin = end

    total = 0
    for s in range(slots):
        first[s] = total
        total += last[s]
        last[s] = first[s]
    for at in range(text.size):
        s = slot[at]
        if s >= 0:
            postings[last[s]] = at
            last[s] += 1

    for s in range(slots):
        heap_count[s] = count[s]
        heap_slot[s] = s
        if rule == FIRST_SEEN:
            heap_tie[s] = postings[first[s]]
        else:
            heap_tie[s] = byte_numbers[left[s]] << 32 | byte_numbers[right[s]]
    for at in range(slots // 2 - 1, -1, -1):
        _sift_down(rule, slots, at, heap_count, heap_tie, heap_slot, text, left, right, token_start, token_length)

    state[SLOTS] = slots
    state[POSTINGS] = total
    state[HEAP] = slots
    state[MERGES] = 0


@njit(cache=True, nogil=True)
def _best_slot(
    rule, min_frequency, slot, postings, count, first, last, heap_count, heap_tie, heap_slot, text, left, right,
    token_start, token_length, state,
):  # fmt: skip
    """Bring the best living pair to the top of the heap and return its slot; -1 when none reaches ``min_frequency``."""
    while state[HEAP] > 0:
        s = heap_slot[0]
        tie = heap_tie[0]
        if rule == FIRST_SEEN and count[s] > 0:
            while slot[postings[first[s]]] != s:
                first[s] += 1
            tie = np.int64(postings[first[s]])
        if heap_count[0] == count[s] and heap_tie[0] == tie and count[s] >= min_frequency:
            return s
        if count[s] >= min_frequency:
            heap_count[0] = count[s]
            heap_tie[0] = tie
        else:
            state[HEAP] -= 1
            heap_count[0] = heap_count[state[HEAP]]
            heap_tie[0] = heap_tie[state[HEAP]]
            heap_slot[0] = heap_slot[state[HEAP]]
        _sift_down(rule, state[HEAP], 0, heap_count, heap_tie, heap_slot, text, left, right, token_start, token_length)
    return -1


@njit(cache=True, nogil=True)
def train_merges(
    rule,
    byte_numbers,
    min_frequency,
    stop_at,
    text,
    word_counts,
    symbol,
    after,
    before,
    word_of,
    slot,
    postings,
    left,
    right,
    count,
    first,
    last,
    heap_count,
    heap_tie,
    heap_slot,
    token_start,
    token_length,
    slot_before,
    slot_after,
    born_at,
    born_slot,
    out_left,
    out_right,
    out_count,
    state,
):
    """Make merges until ``stop_at`` of them exist; return DONE, EXHAUSTED (no pair left) or NEEDS_SLOTS.

    Arrays as in ``start_training``, and: slot_before, slot_after : int32[vocabulary] filled with -1, the slot of (x,
    new) and of (new, x) while one merge is made · born_at, born_slot : int32[2n] · out_left, out_right :
    int32[merges], out_count : int64[merges].
    """
    while state[MERGES] < stop_at:
        best = _best_slot(
            rule, min_frequency, slot, postings, count, first, last, heap_count, heap_tie, heap_slot, text, left, right,
            token_start, token_length, state,
        )  # fmt: skip
        if best < 0:
            return EXHAUSTED
        if state[SLOTS] + 2 * (last[best] - first[best]) > count.size:
            return NEEDS_SLOTS

        merge = state[MERGES]
        new_id = np.int32(256 + merge)
        x = left[best]
        y = right[best]
        out_left[merge] = x
        out_right[merge] = y
        out_count[merge] = count[best]
        oldest = state[SLOTS]
        slots = oldest
        born = 0

        for posting in range(first[best], last[best]):
            at = postings[posting]
            if slot[at] != best:
                continue
            gone = after[at]
            p = before[at]
            q = after[gone]
            weight = word_counts[word_of[at]]
            if token_length[new_id] == 0:
                token_start[new_id] = at
                token_length[new_id] = token_length[x] + token_length[y]

            # Three pairs die: (before, x), (x, y) itself, (y, after).
            count[best] -= weight
            slot[at] = -1
            if slot[gone] >= 0:
                count[slot[gone]] -= weight
                slot[gone] = -1
            symbol[at] = new_id
            after[at] = q

            # Two may be born: (before, new) and (new, after).
            if p >= 0:
                count[slot[p]] -= weight
                z = symbol[p]
                s = slot_before[z]
                if s < 0:
                    s = slots
                    slots += 1
                    slot_before[z] = s
                    left[s] = z
                    right[s] = new_id
                    count[s] = 0
                slot[p] = s
                count[s] += weight
                born_at[born] = p
                born_slot[born] = s
                born += 1
            if q >= 0:
                before[q] = at
                z = symbol[q]
                s = slot_after[z]
                if s < 0:
                    s = slots
                    slots += 1
                    slot_after[z] = s
                    left[s] = new_id
                    right[s] = z
                    count[s] = 0
                slot[at] = s
                count[s] += weight
                born_at[born] = at
                born_slot[born] = s
                born += 1

        # A pair born beside the next occurrence may have died in the same step; only the living get postings.
        for s in range(oldest, slots):
            last[s] = 0
        for b in range(born):
            if slot[born_at[b]] == born_slot[b]:
                last[born_slot[b]] += 1
        total = state[POSTINGS]
        for s in range(oldest, slots):
            first[s] = total
            total += last[s]
            last[s] = first[s]
        for b in range(born):
            s = born_slot[b]
            if slot[born_at[b]] == s:
                postings[last[s]] = born_at[b]
                last[s] += 1
        state[POSTINGS] = total

        for s in range(oldest, slots):
            if left[s] != new_id:
                slot_before[left[s]] = -1
            elif right[s] != new_id:
                slot_after[right[s]] = -1
            if count[s] >= min_frequency and first[s] < last[s]:
                top = state[HEAP]
                heap_count[top] = count[s]
                heap_slot[top] = s
                if rule == FIRST_SEEN:
                    heap_tie[top] = postings[first[s]]
                else:
                    number_left = byte_numbers[left[s]] if left[s] < 256 else np.int64(left[s])
                    number_right = byte_numbers[right[s]] if right[s] < 256 else np.int64(right[s])
                    heap_tie[top] = number_left << 32 | number_right
                _sift_up(rule, top, heap_count, heap_tie, heap_slot, text, left, right, token_start, token_length)
                state[HEAP] = top + 1
        # (new, new) can be reached from both sides.
        slot_before[new_id] = -1
        slot_after[new_id] = -1
        state[SLOTS] = slots
        state[MERGES] = merge + 1
    return DONE
