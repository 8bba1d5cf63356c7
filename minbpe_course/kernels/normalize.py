"""SentencePiece's normaliser on UTF-8 bytes: rules of the model's own table, spaces to ▁, the added space, broken bytes to U+FFFD.

Tables are those of ``packing_pieces.pack_rules``: a double-array trie for the rules, a hashed trie for user-defined pieces, and for
each byte whether one of the two can begin with it, so that most characters are copied after one look. Twin: ``text.normalize``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1
MOST_NESTED_RULES = 32
MOST_NESTED_PIECES = 64
STARTS_PIECE, STARTS_RULE = 1, 2
SPACE = 0x20


@njit(cache=True, nogil=True)
def _longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids):
    """Return (length, id) of the longest user-defined piece at ``at``; (0, -1) for none."""
    mask = trie_keys.size - 1
    node = np.int64(0)
    longest = 0
    found = np.int64(-1)
    nested = 0
    for place in range(at, end):
        key = node << 8 | np.int64(text[place])
        slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
        while trie_keys[slot] != key and trie_keys[slot] != FREE:
            slot = (slot + 1) & mask
        if trie_keys[slot] == FREE:
            break
        node = np.int64(trie_nodes[slot])
        if trie_ids[node] >= 0:
            longest = place + 1 - at
            found = np.int64(trie_ids[node])
            nested += 1
            if nested == MOST_NESTED_PIECES:
                break
    return longest, found


@njit(cache=True, nogil=True)
def _longest_rule(text, at, end, units, strings):
    """Return (length of the key, where its replacement begins) of the longest rule at ``at``; length 0 for none."""
    longest = 0
    begin = 0
    nested = 0
    unit = np.int64(units[0])
    node = (unit >> 10) << ((unit & 0x200) >> 6)
    for place in range(at, end):
        byte = np.int64(text[place])
        node ^= byte
        if node >= units.size:
            break
        unit = np.int64(units[node])
        if unit & 0x800000FF != byte:
            break
        node ^= (unit >> 10) << ((unit & 0x200) >> 6)
        if unit >> 8 & 1 and node < units.size:
            value = np.int64(units[node]) & 0x7FFFFFFF
            if value < strings.size:
                longest = place + 1 - at
                begin = value
                nested += 1
                if nested == MOST_NESTED_RULES:
                    break
    return longest, begin


@njit(cache=True, nogil=True)
def _character_length(text, at, end):
    """Bytes of the UTF-8 character at ``at``, 0 if there is no valid one."""
    lead = text[at]
    if lead < 0x80:
        return 1
    if lead < 0xC2 or lead > 0xF4:
        return 0
    length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if at + length > end:
        return 0
    for place in range(at + 1, at + length):
        if text[place] & 0xC0 != 0x80:
            return 0
    second = text[at + 1]
    if (
        (lead == 0xE0 and second < 0xA0)
        or (lead == 0xED and second > 0x9F)
        or (lead == 0xF0 and second < 0x90)
        or (lead == 0xF4 and second > 0x8F)
    ):
        return 0
    return length


@njit(cache=True, nogil=True)
def _put(byte, position, escape, out, positions, used):
    """Write one byte of output, a space as ▁ when ``escape``; return the new ``used``."""
    if byte == SPACE and escape:
        out[used] = 0xE2
        out[used + 1] = 0x96
        out[used + 2] = 0x81
        if positions.size > 0:
            positions[used] = position
            positions[used + 1] = position
            positions[used + 2] = position
        return used + 3
    out[used] = byte
    if positions.size > 0:
        positions[used] = position
    return used + 1


@njit(cache=True, nogil=True)
def _next_step(text, at, end, starts, trie_keys, trie_nodes, trie_ids, units, strings):
    """Return (length of the step, source, begin): the output is text (0), a string at ``begin`` (1) or U+FFFD (2)."""
    start = starts[text[at]]
    if start != 0:
        if start & STARTS_PIECE:
            length, _ = _longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids)
            if length > 0:
                return length, 0, at
        if start & STARTS_RULE:
            length, begin = _longest_rule(text, at, end, units, strings)
            if length > 0:
                return length, 1, begin
    length = _character_length(text, at, end)
    if length > 0:
        return length, 0, at
    return 1, 2, 0


@njit(cache=True, nogil=True)
def normalize_texts(text, ends, starts, trie_keys, trie_nodes, trie_ids, units, strings, flags, out, positions, out_ends):
    """Normalise texts that lie one after another in ``text``; return the bytes used in ``out``, or -1 when it is too short.

    text : uint8[n] · ends : int64[d], one past each text · starts : uint8[256] · flags : uint8[4], add_dummy_prefix,
    remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix · out : uint8 · positions : int64, one longer than out,
    for the place in ``text`` of every byte of ``out`` and of the end of the last text (-1 if nothing was left of that text), or of
    size 0 · out_ends : int64[d].
    """
    dummy = flags[0] != 0
    remove = flags[1] != 0
    escape = flags[2] != 0
    suffix = flags[3] != 0
    width = 3 if escape else 1
    used = 0
    at = 0
    for document in range(ends.size):
        end = ends[document]
        first = used
        if remove:
            while at < end:
                length, source, begin = _next_step(text, at, end, starts, trie_keys, trie_nodes, trie_ids, units, strings)
                if source == 0 and not (length == 1 and text[begin] == SPACE):
                    break
                if source == 1 and not (strings[begin] == SPACE and strings[begin + 1] == 0):
                    break
                if source == 2:
                    break
                at += length
        if at == end:
            if positions.size > 0:
                positions[used] = -1
            out_ends[document] = used
            continue
        if used + width > out.size:
            return -1
        if dummy and not suffix:
            used = _put(SPACE, at, escape, out, positions, used)
        after_space = remove
        while at < end:
            byte = text[at]
            if byte < 0x80 and byte != SPACE and starts[byte] == 0:
                if used >= out.size:
                    return -1
                out[used] = byte
                if positions.size > 0:
                    positions[used] = at
                used += 1
                at += 1
                after_space = False
                continue
            length, source, begin = _next_step(text, at, end, starts, trie_keys, trie_nodes, trie_ids, units, strings)
            if source == 2:
                if used + 3 > out.size:
                    return -1
                for place in range(3):
                    out[used] = 0xEF if place == 0 else 0xBF if place == 1 else 0xBD
                    if positions.size > 0:
                        positions[used] = at
                    used += 1
                after_space = False
            else:
                read = begin
                written = False
                while (source == 0 and read < begin + length) or (source == 1 and strings[read] != 0):
                    byte = text[read] if source == 0 else strings[read]
                    read += 1
                    if after_space and byte == SPACE and not written:
                        continue
                    if used + 3 > out.size:
                        return -1
                    used = _put(byte, at, escape, out, positions, used)
                    written = True
                if written:
                    after_space = remove and byte == SPACE
            at += length
        stop = end
        while remove and used - first >= width:
            if escape:
                if not (out[used - 3] == 0xE2 and out[used - 2] == 0x96 and out[used - 1] == 0x81):
                    break
            elif out[used - 1] != SPACE:
                break
            used -= width
            if positions.size > 0:
                stop = positions[used]
        if dummy and suffix:
            if used + width > out.size:
                return -1
            used = _put(SPACE, stop, escape, out, positions, used)
        if positions.size > 0:
            positions[used] = stop
        out_ends[document] = used
    return used
