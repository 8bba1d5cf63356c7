"""From words to ids, and back to bytes.

A word that is a token as a whole takes its id at once. Every other word starts as the ids of its bytes and is merged: always the
merge with the smallest id that is possible anywhere, leftmost first.

    short words     ids   h e l l o        the pair values are kept beside the ids; the smallest is found by looking at all
                    value 9 7 4 8          of them, the two ids become one, and the rest moves up
    long words      a heap of value << 32 | position over linked positions, so the worst case stays n log n

Tables are those of ``packing``. Twin: ``reference.encoding``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1
NO_MERGE = 0x7FFFFFFF

# Words up to this many bytes are merged by looking at all pairs. Measured: from about 60 bytes on the heap is faster.
SHORT = 64


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
def _find_pair(left, right, pair_keys):
    """Return the slot of the pair, or the free slot where it would go."""
    key = np.int64(left) << 32 | np.int64(right)
    mask = pair_keys.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(40)) & mask
    while pair_keys[slot] != key and pair_keys[slot] != FREE:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def _pair_value(left, right, pair_keys, pair_ids):
    slot = _find_pair(left, right, pair_keys)
    if pair_keys[slot] == FREE:
        return NO_MERGE
    return np.int64(pair_ids[slot])


@njit(cache=True, nogil=True)
def enter_pairs(lefts, rights, made, pair_keys, pair_ids):
    """Enter pairs into the table: lefts, rights, made : int32[n], (left, right) -> made. A pair entered twice keeps its first."""
    for at in range(lefts.size):
        slot = _find_pair(lefts[at], rights[at], pair_keys)
        if pair_keys[slot] == FREE:
            pair_keys[slot] = np.int64(lefts[at]) << 32 | np.int64(rights[at])
            pair_ids[slot] = made[at]


@njit(cache=True, nogil=True)
def enter_words(wanted, token_text, token_start, word_ids):
    """Enter the tokens ``wanted`` (int32[n]) into the table of whole words; of equal tokens the first is kept."""
    for at in range(wanted.size):
        token = wanted[at]
        slot = _find_word(token_text, token_start[token], token_start[token + 1], token_text, token_start, word_ids)
        if word_ids[slot] == FREE:
            word_ids[slot] = token


@njit(cache=True, nogil=True)
def all_splits(token_text, token_start, word_ids, lefts, rights, made):
    """Find every way to cut a token into two tokens; return how many, or -1 when the output arrays are too short.

    lefts, rights, made : int32[n]. This is what looking up the bytes of two neighbours (tiktoken) means for pairs of ids.
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
def _merge_short(text, begin, end, byte_ids, pair_keys, pair_ids, ids, values, out, used):
    """Merge a short word into ``out`` from ``used`` on; return the new ``used``. ids, values : scratch, int64[SHORT]."""
    number = end - begin
    for at in range(number):
        ids[at] = byte_ids[text[begin + at]]
    for at in range(number - 1):
        values[at] = _pair_value(ids[at], ids[at + 1], pair_keys, pair_ids)
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
            values[best - 1] = _pair_value(ids[best - 1], ids[best], pair_keys, pair_ids)
        if best < number - 1:
            values[best] = _pair_value(ids[best], ids[best + 1], pair_keys, pair_ids)
    for at in range(number):
        out[used + at] = ids[at]
    return used + number


@njit(cache=True, nogil=True)
def _push(heap, size, key):
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key


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
def _merge_long(text, begin, end, byte_ids, pair_keys, pair_ids, ids, after, before, heap, out, used):
    """Merge a long word into ``out`` from ``used`` on; return the new ``used``.

    ids, after, before : int64[n] and heap : int64[3n], scratch for a word of n bytes. A key is stale when its position died or
    now pairs into something else; it is then skipped.
    """
    number = end - begin
    size = 0
    for at in range(number):
        ids[at] = byte_ids[text[begin + at]]
        before[at] = at - 1
        after[at] = at + 1 if at + 1 < number else -1
    for at in range(number - 1):
        value = _pair_value(ids[at], ids[at + 1], pair_keys, pair_ids)
        if value != NO_MERGE:
            _push(heap, size, value << 32 | at)
            size += 1
    while size > 0:
        key = _pop(heap, size)
        size -= 1
        at = key & 0xFFFFFFFF
        value = key >> 32
        gone = after[at]
        if ids[at] < 0 or gone < 0 or _pair_value(ids[at], ids[gone], pair_keys, pair_ids) != value:
            continue
        ids[at] = value
        ids[gone] = -1
        q = after[gone]
        after[at] = q
        if q >= 0:
            before[q] = at
            value = _pair_value(ids[at], ids[q], pair_keys, pair_ids)
            if value != NO_MERGE:
                _push(heap, size, value << 32 | at)
                size += 1
        p = before[at]
        if p >= 0:
            value = _pair_value(ids[p], ids[at], pair_keys, pair_ids)
            if value != NO_MERGE:
                _push(heap, size, value << 32 | p)
                size += 1
    at = 0
    while at >= 0:
        out[used] = ids[at]
        used += 1
        at = after[at]
    return used


@njit(cache=True, nogil=True)
def encode_words(
    text, start, ends, number, byte_ids, token_text, token_start, pair_keys, pair_ids, word_ids, scratch, out, used
):
    """Encode ``number`` words into ``out`` from ``used`` on; return how many entries of ``out`` are used in the end.

    text : uint8[n] · start : where the first word begins · ends : int64, one past each word · the tables of ``packing`` ·
    scratch : int64, at least 2 * SHORT and six entries for each byte of the longest word over SHORT bytes · out : uint32, with
    room for one id a byte.
    """
    begin = start
    short_ids = scratch[:SHORT]
    short_values = scratch[SHORT : 2 * SHORT]
    for at in range(number):
        end = ends[at]
        token = word_ids[_find_word(text, begin, end, token_text, token_start, word_ids)]
        if token != FREE:
            out[used] = token
            used += 1
        elif end - begin <= SHORT:
            used = _merge_short(text, begin, end, byte_ids, pair_keys, pair_ids, short_ids, short_values, out, used)
        else:
            n = end - begin
            used = _merge_long(
                text,
                begin,
                end,
                byte_ids,
                pair_keys,
                pair_ids,
                scratch[:n],
                scratch[n : 2 * n],
                scratch[2 * n : 3 * n],
                scratch[3 * n : 6 * n],
                out,
                used,
            )
        begin = end
    return used


@njit(cache=True, nogil=True)
def longest_word(start, ends, number):
    """The length in bytes of the longest of ``number`` words."""
    longest = 0
    begin = start
    for at in range(number):
        longest = max(longest, ends[at] - begin)
        begin = ends[at]
    return longest


@njit(cache=True, nogil=True)
def lay_merges(pairs, merge_ids, token_start, token_text):
    """Write the bytes of every merge behind those of the ids it joins.

    pairs : int32[n, 2] · merge_ids : int64[n] · token_start : int64[v + 1], filled here from 257 on · token_text : uint8, filled
    from 256 on, or of size 0 to measure only. Returns how many bytes the tokens take together.
    """
    total = 256
    known = 257
    for merge in range(merge_ids.size):
        token = merge_ids[merge]
        while known <= token:
            token_start[known] = total
            known += 1
        for side in range(2):
            source = pairs[merge, side]
            begin = token_start[source]
            length = token_start[source + 1] - begin
            if token_text.size > 0:
                for at in range(length):
                    token_text[total + at] = token_text[begin + at]
            total += length
        token_start[known] = total
        known += 1
    return total


@njit(cache=True, nogil=True)
def reachable_tokens(token_text, token_start, byte_ids, pair_keys, pair_ids, scratch, out, flags):
    """Set ``flags[id]`` (uint8) for every token whose bytes merge into that token alone; return how many do not.

    scratch : as for ``encode_words`` · out : uint32 with room for the longest token.
    """
    lost = 0
    short_ids = scratch[:SHORT]
    short_values = scratch[SHORT : 2 * SHORT]
    for token in range(token_start.size - 1):
        begin = token_start[token]
        end = token_start[token + 1]
        n = end - begin
        flags[token] = 0
        if n == 0:
            continue
        if n <= SHORT:
            used = _merge_short(token_text, begin, end, byte_ids, pair_keys, pair_ids, short_ids, short_values, out, 0)
        else:
            used = _merge_long(
                token_text,
                begin,
                end,
                byte_ids,
                pair_keys,
                pair_ids,
                scratch[:n],
                scratch[n : 2 * n],
                scratch[2 * n : 3 * n],
                scratch[3 * n : 6 * n],
                out,
                0,
            )
        if used == 1 and out[0] == token:
            flags[token] = 1
        else:
            lost += 1
    return lost


@njit(cache=True, nogil=True)
def decode_ids(ids, token_text, token_start, ordinary, out):
    """Write the bytes of ``ids`` (int64[n]) to ``out``; return their number, or ``-1 - k`` when ``ids[k]`` is not ordinary.

    ordinary : uint8[v], 1 for ids that have bytes · out : uint8, or of size 0 to measure only.
    """
    total = 0
    for k in range(ids.size):
        token = ids[k]
        if token < 0 or token >= ordinary.size or ordinary[token] == 0:
            return -1 - k
        begin = token_start[token]
        end = token_start[token + 1]
        if out.size > 0:
            for at in range(end - begin):
                out[total + at] = token_text[begin + at]
        total += end - begin
    return total
