"""Byte-pair training without recounting: the merges of ``reference.training``, found by updating what a merge touches.

``cells`` draws the words, the pairs and their occurrences in memory; here a symbol is a byte. Words may begin as tokens
of several bytes, with which a later stage of training continues (``reference.superwords``).

When the slots run out, the kernel comes back with NEEDS_SLOTS and is called again with longer arrays. All that it must
remember is in ``state``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.training.cells import (
    DEAD,
    DONE,
    EXHAUSTED,
    FAR,
    FIRST_ID,
    MERGES,
    NEEDS_SLOTS,
    NO_RUN,
    NONE,
    SLOTS,
    add_pairs,
    begin_state,
    best_slot,
    open_slot,
    replace_pair,
    word_of,
    write_header,
)

# In ``read_words``, the token of a word that is one token.
ALONE = 0xFFFFFFFF


@compiled
def start_training(
    text, ends, counts, ids, sizes, spread, slot_of, cells, back, slots, runs, postings, tokens, state
):  # fmt: skip
    """Lay out the words, and give every pair of tokens its slot and its postings.

    text : uint8[n], the distinct words end to end · ends : int64[w], one past each word · counts : int64[w], below
    2**62 · ids : uint32[t], the tokens of the words: bytes, or what earlier merges made of them · sizes :
    int64[256 + earlier merges], the bytes of each id · slot_of : int32 of -1, a power of two of places and more than
    there are pairs, or 65,536 for bytes; the search for a pair begins at place ``left * spread + right`` · cells :
    uint32[n + 2w], back : uint8 the same · slots, runs : int64[2 * pairs or more] · postings : uint32[3t] · tokens :
    int64[2 * vocabulary], address and length of each id's bytes · state : int64[STATE].
    """
    mask = slot_of.size - 1
    made = 0
    begin = 0
    at = 0
    token = 0
    for word in range(ends.size):
        end = ends[word]
        count = counts[word]
        write_header(cells, at, count)
        at += 2
        place = begin
        while place < end:
            left = np.int64(ids[token])
            token += 1
            size = sizes[left]
            back[at] = place - begin + 1 if place - begin + 1 < FAR else FAR
            tokens[2 * left] = text.ctypes.data + place
            tokens[2 * left + 1] = size
            place += size
            s = np.int64(NONE)
            if place < end:
                right = np.int64(ids[token])
                home = (left * spread + right) & mask
                s = np.int64(slot_of[home])
                while s >= 0 and slots[2 * s + 1] != left << 32 | right:
                    home = (home + 1) & mask
                    s = np.int64(slot_of[home])
                if s < 0:
                    s = made
                    made += 1
                    slot_of[home] = s
                    open_slot(s, left, right, at, slots, runs)
                slots[2 * s] += count
                runs[2 * s + 1] += 1
            cells[at] = s
            for k in range(1, size):
                cells[at + k] = DEAD
            if size > 1:
                cells[at + size - 1] = DEAD | np.uint32(size)
            at += size
        begin = end
    begin_state(made, ends, cells, runs, postings, state)
    state[FIRST_ID] = sizes.size


@compiled
def find_best(rule, min_frequency, cells, slots, runs, postings, heap, tokens, state):
    """Return the slot of the best pair, -1 if none occurs ``min_frequency`` times. Arrays as in ``train_merges``."""
    return best_slot(rule, min_frequency, cells, slots, runs, postings, slots[:0], heap, tokens.ctypes.data, state)


@compiled
def train_merges(
    rule, min_frequency, stop_at, given, text, ends, cells, back, slots, runs, postings, heap, tokens, slot_before,
    slot_after, born, merges, counts, state,
):  # fmt: skip
    """Make merges until there are ``stop_at``; return DONE, EXHAUSTED (no pair left) or NEEDS_SLOTS.

    given : the slot of the next pair; -1 for the best pair each time. Arrays as in ``start_training``, and: heap :
    int64[3 * slots] · slot_before, slot_after : int32[vocabulary] filled with -1, the slot of (x, new) and of (new, x)
    while one merge is made · born : uint32[4t], cell and slot of each occurrence born in one merge · merges :
    int64[merges], left << 32 | right · counts : int64[merges].
    """
    texts = tokens.ctypes.data
    ties = slots[:0]
    while state[MERGES] < stop_at:
        best = given
        if best < 0:
            best = best_slot(rule, min_frequency, cells, slots, runs, postings, ties, heap, texts, state)
            if best < 0:
                return EXHAUSTED
        if state[SLOTS] + 2 * (runs[2 * best + 1] - runs[2 * best]) > slots.size >> 1:
            return NEEDS_SLOTS
        merge = state[MERGES]
        new = state[FIRST_ID] + merge
        pair = slots[2 * best + 1]
        merges[merge] = pair
        counts[merge] = slots[2 * best]
        length_x = tokens[2 * (pair >> 32) + 1]
        length = length_x + tokens[2 * (pair & 0xFFFFFFFF) + 1]
        made, births, some = replace_pair(
            best, new, length_x, length, ends, cells, back, slots, runs, postings, slot_before, slot_after, born, state
        )
        tokens[2 * new] = text.ctypes.data + some - 2 * word_of(some, ends) - 2
        tokens[2 * new + 1] = length
        for s in range(state[SLOTS], made):
            if slots[2 * s] < min_frequency:
                runs[2 * s] = NO_RUN
        add_pairs(rule, made, births, cells, slots, runs, postings, ties, heap, texts, born, state)
    return DONE


@compiled
def read_words(ends, cells, slots, tokens, bytes_by_id, ids, starts):
    """Write the tokens that training made of the words; return how many there are.

    Arrays as in ``start_training``, and: bytes_by_id : uint8[256], the byte of each of the first ids · ids : uint32
    with room for all symbols, becomes the tokens of all words, end to end; that of a word of one token is ALONE, since
    only pairs have ids in cells · starts : uint32[w + 1], where those of each word begin, and the end.
    """
    at = size = begin = 0
    for word in range(ends.size):
        starts[word] = size
        at += 2
        stop = at + ends[word] - begin
        begin = ends[word]
        right = ALONE
        while cells[at] != NONE:
            pair = slots[2 * np.int64(cells[at]) + 1]
            left, right = pair >> 32, pair & 0xFFFFFFFF
            ids[size] = left if left > 255 else bytes_by_id[left]
            size += 1
            at += tokens[2 * left + 1]
        ids[size] = right if right > 255 else bytes_by_id[right]
        size += 1
        at = stop
    starts[ends.size] = size
    return size
