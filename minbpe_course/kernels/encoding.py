"""From words to ids, and back to bytes.

A word that is a token as a whole takes its id at once. Every other word starts as the ids of its bytes and is merged:
always the merge with the smallest id that is possible anywhere, leftmost first.

    short words     ids   h e l l o     the pair values are kept beside the ids; the smallest is found by looking at
                    value 9 7 4 8       all of them, the two ids become one, and the rest moves up
    long words      a heap of value << 32 | position over linked positions, so the worst case stays n log n

Most words of a text have been seen before in it, so each call keeps a cache of where their ids were written. A word
of up to 15 bytes is its own key, in two machine words; the same key finds it among the tokens:

    key         bytes 0..7 | bytes 8..14, length in the top byte
    cache       key, key, first two ids, place in ``out`` << 24 | how many ids       4 x uint64 an entry, 0 = empty,
                hash, 255 in the top byte | length, begin in the text, as above      direct-mapped; longer words are
                                                                                     compared with the text
    word_table  key, key, id, nothing                                                4 x uint64 an entry, 0 = free,
                                                                                     open addressing

Tables are those of ``packing``. Twin: ``reference.encoding``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1
NO_MERGE = 0x7FFFFFFF

# Up to this many bytes all pairs are looked at; longer words take the heap. Where a character is several bytes fewer
# pairs can merge, so the heap is small and wins early (benchmarks/merge_paths.md).
SHORT = 96
SHORT_NOT_ASCII = 12

# Words up to this many bytes are their own key; words of this many ids or more are not noted in the cache.
KEYED = 15
NOTED = 1 << 24


@njit(cache=True, nogil=True)
def _load(words, begin):
    """Eight bytes from any place, out of the two aligned machine words that hold them. The first byte is the lowest."""
    at = begin >> 3
    shift = np.uint64((begin & 7) << 3)
    return words[at] >> shift | (words[at + 1] << np.uint64(1)) << (np.uint64(63) - shift)


@njit(cache=True, nogil=True)
def _key(words, begin, length):
    """The two machine words that say exactly which word of 1 to 15 bytes this is; the second is never 0."""
    first = _load(words, begin)
    second = np.uint64(length) << np.uint64(56)
    if length < 8:
        first &= (np.uint64(1) << np.uint64(length << 3)) - np.uint64(1)
    elif length > 8:
        kept = (np.uint64(1) << np.uint64((length - 8) << 3)) - np.uint64(1)
        second |= _load(words, begin + 8) & kept
    return first, second


@njit(cache=True, nogil=True)
def _mix(first, second):
    mixed = (first ^ (second >> np.uint64(29)) ^ second) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    return (mixed ^ second) * np.uint64(0xC2B2AE3D27D4EB4F) >> np.uint64(24)


@njit(cache=True, nogil=True)
def _find_keyed(first, second, mixed, word_table):
    """Return the index of the entry that holds the key, or of the free entry where it would go."""
    mask = np.uint64((word_table.size >> 2) - 1)
    slot = mixed & mask
    while True:
        at = np.int64(slot << np.uint64(2))
        if word_table[at + 1] == np.uint64(0) or (word_table[at] == first and word_table[at + 1] == second):
            return at
        slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def _word_hash(text, begin, end):
    mixed = np.uint64(end - begin)
    for at in range(begin, end):
        mixed = (mixed ^ np.uint64(text[at])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return mixed


@njit(cache=True, nogil=True)
def _find_word(text, begin, end, token_text, token_start, word_ids):
    """Return the slot of ``word_ids`` that holds the word, or the free slot where it would go."""
    mask = np.uint64(word_ids.size - 1)
    slot = _word_hash(text, begin, end) & mask
    while True:
        token = word_ids[slot]
        if token == FREE:
            return np.int64(slot)
        there = token_start[token]
        if token_start[token + 1] - there == end - begin:
            same = True
            for at in range(end - begin):
                if token_text[there + at] != text[begin + at]:
                    same = False
                    break
            if same:
                return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def _find_pair(left, right, pair_table):
    """Return the index of the entry that holds the pair, or of the free entry where it would go."""
    key = np.int64(left) << 32 | np.int64(right)
    mask = (pair_table.size >> 1) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(40)) & mask
    while pair_table[2 * slot] != key and pair_table[2 * slot] != FREE:
        slot = (slot + 1) & mask
    return 2 * slot


@njit(cache=True, nogil=True)
def _pair_value(left, right, pair_table):
    at = _find_pair(left, right, pair_table)
    return NO_MERGE if pair_table[at] == FREE else pair_table[at + 1]


@njit(cache=True, nogil=True)
def enter_pairs(lefts, rights, made, pair_table):
    """Enter (left, right) -> made into the table; a pair entered twice keeps its first.

    lefts, rights, made : int32[n].
    """
    for at in range(lefts.size):
        slot = _find_pair(lefts[at], rights[at], pair_table)
        if pair_table[slot] == FREE:
            pair_table[slot] = np.int64(lefts[at]) << 32 | np.int64(rights[at])
            pair_table[slot + 1] = made[at]


@njit(cache=True, nogil=True)
def enter_words(wanted, token_text, token_words, token_start, word_ids, word_table):
    """Enter the tokens ``wanted`` (int32[n]) into the tables of whole words; of equal tokens the first is kept."""
    for at in range(wanted.size):
        token = wanted[at]
        length = token_start[token + 1] - token_start[token]
        if length <= KEYED:
            first, second = _key(token_words, token_start[token], length)
            entry = _find_keyed(first, second, _mix(first, second), word_table)
            if word_table[entry + 1] == np.uint64(0):
                word_table[entry] = first
                word_table[entry + 1] = second
                word_table[entry + 2] = token
        slot = _find_word(token_text, token_start[token], token_start[token + 1], token_text, token_start, word_ids)
        if word_ids[slot] == FREE:
            word_ids[slot] = token


@njit(cache=True, nogil=True)
def all_splits(token_text, token_start, word_ids, lefts, rights, made):
    """Find every way to cut a token into two tokens; return how many, or -1 when the output arrays are too short.

    lefts, rights, made : int32[n]. This is what looking up the bytes of two neighbours (tiktoken) means for pairs of
    ids.
    """
    found = 0
    for token in range(token_start.size - 1):
        begin = token_start[token]
        end = token_start[token + 1]
        for cut in range(begin + 1, end):
            left = word_ids[_find_word(token_text, begin, cut, token_text, token_start, word_ids)]
            if left == FREE:
                continue
            right = word_ids[_find_word(token_text, cut, end, token_text, token_start, word_ids)]
            if right == FREE:
                continue
            if found >= lefts.size:
                return -1
            lefts[found] = left
            rights[found] = right
            made[found] = token
            found += 1
    return found


@njit(cache=True, nogil=True)
def _merge_short(text, begin, end, byte_ids, pair_table, ids, values, out, used):
    """Merge a short word into ``out`` from ``used`` on; return the new ``used``.

    ids, values : scratch, int64[SHORT].
    """
    number = end - begin
    for at in range(number):
        ids[at] = byte_ids[text[begin + at]]
    for at in range(number - 1):
        values[at] = _pair_value(ids[at], ids[at + 1], pair_table)
    while number > 1:
        best = 0
        for at in range(1, number - 1):
            if values[at] < values[best]:
                best = at
        if values[best] == NO_MERGE:
            break
        ids[best] = values[best]
        number -= 1
        for at in range(best + 1, number):
            ids[at] = ids[at + 1]
            values[at - 1] = values[at]
        if best > 0:
            values[best - 1] = _pair_value(ids[best - 1], ids[best], pair_table)
        if best < number - 1:
            values[best] = _pair_value(ids[best], ids[best + 1], pair_table)
    for at in range(number):
        out[used + at] = ids[at]
    return used + number


@njit(cache=True, nogil=True)
def _push(heap, size, key):
    """Add a key to ``heap[:size]``; return the new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key
    return size + 1


@njit(cache=True, nogil=True)
def _pop(heap, size):
    """Take the smallest key out of ``heap[:size]``; afterwards ``heap[:size - 1]`` is the heap."""
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


@njit(cache=True, nogil=True)
def _merge_long(text, begin, end, byte_ids, pair_table, ids, after, before, heap, out, used):
    """Merge a long word into ``out`` from ``used`` on; return the new ``used``.

    ids, after, before : int64[n] and heap : int64[3n], scratch for a word of n bytes. A key is stale when its
    position died or now pairs into something else; it is then skipped.
    """
    number = end - begin
    size = 0
    for at in range(number):
        ids[at] = byte_ids[text[begin + at]]
        before[at] = at - 1
        after[at] = at + 1 if at + 1 < number else -1
    for at in range(number - 1):
        value = _pair_value(ids[at], ids[at + 1], pair_table)
        if value != NO_MERGE:
            size = _push(heap, size, value << 32 | at)
    while size > 0:
        key = _pop(heap, size)
        size -= 1
        at = key & 0xFFFFFFFF
        value = key >> 32
        gone = after[at]
        if ids[at] < 0 or gone < 0 or _pair_value(ids[at], ids[gone], pair_table) != value:
            continue
        ids[at] = value
        ids[gone] = -1
        q = after[gone]
        after[at] = q
        if q >= 0:
            before[q] = at
            value = _pair_value(ids[at], ids[q], pair_table)
            if value != NO_MERGE:
                size = _push(heap, size, value << 32 | at)
        p = before[at]
        if p >= 0:
            value = _pair_value(ids[p], ids[at], pair_table)
            if value != NO_MERGE:
                size = _push(heap, size, value << 32 | p)
    at = 0
    while at >= 0:
        out[used] = ids[at]
        used += 1
        at = after[at]
    return used


@njit(cache=True, nogil=True)
def _merge_word(text, begin, end, byte_ids, pair_table, scratch, out, used):
    """Merge one word into ``out`` from ``used`` on; return the new ``used``. scratch : as for ``encode_words``."""
    n = end - begin
    if n <= (SHORT if text[end - 1] < 128 else SHORT_NOT_ASCII):
        ids, values = scratch[:SHORT], scratch[SHORT : 2 * SHORT]
        return _merge_short(text, begin, end, byte_ids, pair_table, ids, values, out, used)
    ids, after, before, heap = scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n], scratch[3 * n : 6 * n]
    return _merge_long(text, begin, end, byte_ids, pair_table, ids, after, before, heap, out, used)


@njit(cache=True, nogil=True)
def encode_words(
    text, words, start, ends, number, byte_ids, token_text, token_start, pair_table, word_ids, word_table, cache,
    scratch, out, used,
):  # fmt: skip
    """Encode ``number`` words into ``out`` from ``used`` on; return how many entries of ``out`` are used in the end.

    text : uint8[n] · words : uint64, the same memory with at least 16 bytes more behind the text · start : where the
    first word begins · ends : int64, one past each word · the tables of ``packing`` · cache : uint64[4 x a power of
    two], zeros at first, to be kept for the next words of the same text and the same ``out`` · scratch : int64, six
    entries a byte of the longest word or of SHORT · out : uint32, with room for one id a byte and one more.
    """
    begin = start
    mask = np.uint64((cache.size >> 2) - 1)
    low = np.uint64(0xFFFFFFFF)
    for number_of_word in range(number):
        end = ends[number_of_word]
        length = end - begin
        if length <= KEYED:
            first, second = _key(words, begin, length)
            mixed = _mix(first, second)
        else:
            first = _word_hash(text, begin, end)
            second = np.uint64(255) << np.uint64(56) | np.uint64(length)
            mixed = first
        at = np.int64((mixed & mask) << np.uint64(2))
        known = cache[at] == first and cache[at + 1] == second
        if known and length > KEYED:
            there = np.int64(cache[at + 2])
            for byte in range(length):
                if text[there + byte] != text[begin + byte]:
                    known = False
                    break
        if known:
            place = np.int64(cache[at + 3] >> np.uint64(24))
            count = np.int64(cache[at + 3] & np.uint64(NOTED - 1))
            if length <= KEYED and count <= 2:
                out[used] = cache[at + 2] & low
                out[used + 1] = cache[at + 2] >> np.uint64(32)
            else:
                for k in range(count):
                    out[used + k] = out[place + k]
            used += count
        else:
            place = used
            if length <= KEYED:
                entry = _find_keyed(first, second, mixed, word_table)
                token = np.int64(word_table[entry + 2]) if word_table[entry + 1] != np.uint64(0) else FREE
            else:
                token = np.int64(word_ids[_find_word(text, begin, end, token_text, token_start, word_ids)])
            if token != FREE:
                out[used] = token
                used += 1
            else:
                used = _merge_word(text, begin, end, byte_ids, pair_table, scratch, out, used)
            count = used - place
            if count < NOTED:
                cache[at] = first
                cache[at + 1] = second
                cache[at + 3] = np.uint64(place) << np.uint64(24) | np.uint64(count)
                if length > KEYED:
                    cache[at + 2] = begin
                else:
                    second_id = np.uint64(out[place + 1]) if count > 1 else np.uint64(0)
                    cache[at + 2] = np.uint64(out[place]) | second_id << np.uint64(32)
        begin = end
    return used


@njit(cache=True, nogil=True)
def reachable_tokens(token_text, token_start, byte_ids, pair_table, scratch, out, flags):
    """Set ``flags[id]`` (uint8) for every token whose bytes merge into that token alone; return how many do not.

    scratch : as for ``encode_words`` · out : uint32 with room for the longest token.
    """
    lost = 0
    for token in range(token_start.size - 1):
        begin = token_start[token]
        end = token_start[token + 1]
        flags[token] = 0
        if begin == end:
            continue
        used = _merge_word(token_text, begin, end, byte_ids, pair_table, scratch, out, 0)
        if used == 1 and out[0] == token:
            flags[token] = 1
        else:
            lost += 1
    return lost
