"""Counting how often each word occurs, in one pass over the words of a text.

    arena   l o w n e w e s t ...      the bytes of each new word, copied once, in the order first seen
    ends        3           9          one past each word
    counts      5           6
    table   open addressing: number of the word, -1 = free

The text itself is not needed afterwards. Twin: ``reference.counting``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1

# Entries of ``state``.
WORDS, BYTES = 0, 1


@njit(cache=True, nogil=True)
def count_words(text, start, ends, number, weight, table, arena, word_ends, word_counts, word_hashes, state):
    """Count ``number`` words of ``text``; return how many of them were counted before some array was full.

    text : uint8[n] · start : where the first word begins · ends : int64[number or more], one past each word · weight
    : added for each word · table : int64[size], size a power of two · arena : uint8 · word_ends, word_counts : int64,
    word_hashes : uint64 · state : int64[2]. When the result is smaller than ``number``, make the table, the arena and
    the word arrays longer (``fill_table`` for the table) and call again from the first word not counted.
    """
    mask = table.size - 1
    begin = start
    for at in range(number):
        end = ends[at]
        length = end - begin
        known = state[WORDS]
        if 2 * (known + 1) > table.size or known + 1 > word_ends.size or state[BYTES] + length > arena.size:
            return at
        mixed = np.uint64(length)
        for byte in range(begin, end):
            mixed = (mixed ^ np.uint64(text[byte])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        slot = np.int64(mixed & np.uint64(mask))
        while True:
            word = table[slot]
            if word == FREE:
                used = state[BYTES]
                for byte in range(length):
                    arena[used + byte] = text[begin + byte]
                word_ends[known] = used + length
                word_counts[known] = weight
                word_hashes[known] = mixed
                table[slot] = known
                state[BYTES] = used + length
                state[WORDS] = known + 1
                break
            if word_hashes[word] == mixed:
                there = word_ends[word - 1] if word > 0 else 0
                if word_ends[word] - there == length:
                    same = True
                    for byte in range(length):
                        if arena[there + byte] != text[begin + byte]:
                            same = False
                            break
                    if same:
                        word_counts[word] += weight
                        break
            slot = (slot + 1) & mask
        begin = end
    return number


@njit(cache=True, nogil=True)
def fill_table(word_hashes, number, table):
    """Enter the first ``number`` words into a longer, empty ``table``."""
    mask = table.size - 1
    for word in range(number):
        slot = np.int64(word_hashes[word] & np.uint64(mask))
        while table[slot] != FREE:
            slot = (slot + 1) & mask
        table[slot] = word
