"""SentencePiece's normaliser on UTF-8: rules of the model's own table, spaces to ▁, the added space, bad bytes to
U+FFFD.

Tables are those of ``packing_pieces.pack_rules``: a double-array trie for the rules, a hashed trie for user-defined
pieces, and for each byte whether one of the two can begin with it, so that most characters are copied after one look.
That look is in the outermost function: Numba counts references to every array that it hands to another function, which
is dearer than copying a character. Twin: ``text.normalize``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.compiled import compiled

FREE = -1
MOST_NESTED_RULES = 32
MOST_NESTED_PIECES = 64
STARTS_PIECE, STARTS_RULE = 1, 2
SPACE = 0x20


@compiled
def longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids):
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


@compiled
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
            # A damaged table may point into the middle of a character; what leaves here must be valid UTF-8.
            if value < strings.size and strings[value] & 0xC0 != 0x80:
                longest = place + 1 - at
                begin = value
                nested += 1
                if nested == MOST_NESTED_RULES:
                    break
    return longest, begin


@compiled
def _put_space(position, escape, placed, out, positions, used):
    """Write the space that the model adds to every text; return the new ``used``."""
    for place in range(3 if escape else 1):
        out[used] = SPACE if not escape else 0xE2 if place == 0 else 0x96 if place == 1 else 0x81
        if placed:
            positions[used] = position
        used += 1
    return used


@compiled
def _character_length(lead, second, third, fourth):
    """Bytes of the UTF-8 character that begins with these bytes (0 for a byte behind the end); 0 if there is none."""
    if lead < 0x80:
        return 1
    if lead < 0xC2 or lead > 0xF4 or second & 0xC0 != 0x80:
        return 0
    if lead < 0xE0:
        return 2
    if third & 0xC0 != 0x80:
        return 0
    if lead < 0xF0:
        if (lead == 0xE0 and second < 0xA0) or (lead == 0xED and second > 0x9F):
            return 0
        return 3
    if fourth & 0xC0 != 0x80 or (lead == 0xF0 and second < 0x90) or (lead == 0xF4 and second > 0x8F):
        return 0
    return 4


@compiled
def _special_step(text, at, end, start, trie_keys, trie_nodes, trie_ids, units, strings):
    """Return (bytes taken, copied or not, where the replacement begins); (0, 0, 0) if no piece and no rule is here."""
    if start & STARTS_PIECE:
        length, _ = longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids)
        if length > 0:
            return length, 1, at
    if start & STARTS_RULE:
        length, begin = _longest_rule(text, at, end, units, strings)
        if length > 0:
            return length, 0, begin
    return 0, 0, 0


@compiled
def normalize_texts(
    text, ends, starts, trie_keys, trie_nodes, trie_ids, units, strings, flags, out, positions, out_ends
):
    """Normalise texts that lie one after another in ``text``; return the bytes used in ``out``, -1 if it is too short.

    text : uint8[n] · ends : int64[d], one past each text · starts : uint8[256] · flags : uint8[4], add_dummy_prefix,
    remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix · out : uint8 · positions : int64, one
    longer than out, for the place in ``text`` of every byte of ``out`` and of the end of the last text (-1 if nothing
    was left of that text), or of size 0 · out_ends : int64[d].
    """
    dummy = flags[0] != 0
    remove = flags[1] != 0
    escape = flags[2] != 0
    suffix = flags[3] != 0
    width = 3 if escape else 1
    placed = positions.size > 0
    used = 0
    at = 0
    for document in range(ends.size):
        end = ends[document]
        first = used
        after_space = remove
        leading = remove
        opened = False
        stop = end
        while at < end:
            # One step: a stretch of the input (copied), of the replacements, or U+FFFD.
            lead = text[at]
            start = starts[lead]
            length = 0
            copied = 1
            begin = at
            if start != 0:
                length, copied, begin = _special_step(
                    text, at, end, start, trie_keys, trie_nodes, trie_ids, units, strings
                )
            broken = False
            if length == 0:
                copied, begin, length = 1, at, 1
                if lead >= 0x80:
                    second = text[at + 1] if at + 1 < end else 0
                    third = text[at + 2] if at + 2 < end else 0
                    fourth = text[at + 3] if at + 3 < end else 0
                    length = _character_length(lead, second, third, fourth)
                    if length == 0:
                        broken = True
                        length = 1

            if leading:
                if copied == 1:
                    only_space = length == 1 and lead == SPACE
                else:
                    only_space = strings[begin] == SPACE and strings[begin + 1] == 0
                if only_space:
                    at += length
                    continue
                leading = False
            if not opened:
                opened = True
                if used + width > out.size:
                    return -1
                if dummy and not suffix:
                    used = _put_space(at, escape, placed, out, positions, used)

            if broken:
                if used + 3 > out.size:
                    return -1
                for place in range(3):
                    out[used] = 0xEF if place == 0 else 0xBF if place == 1 else 0xBD
                    if placed:
                        positions[used] = at
                    used += 1
                after_space = False
            else:
                read = begin
                written = False
                last = np.uint8(0)
                while (copied == 1 and read < begin + length) or (copied == 0 and strings[read] != 0):
                    last = text[read] if copied == 1 else strings[read]
                    read += 1
                    if last == SPACE and after_space and not written:
                        continue
                    if used + 3 > out.size:
                        return -1
                    written = True
                    if last == SPACE and escape:
                        out[used] = 0xE2
                        out[used + 1] = 0x96
                        out[used + 2] = 0x81
                        if placed:
                            positions[used] = at
                            positions[used + 1] = at
                            positions[used + 2] = at
                        used += 3
                    else:
                        out[used] = last
                        if placed:
                            positions[used] = at
                        used += 1
                if written:
                    after_space = remove and last == SPACE
            at += length

        while remove and used - first >= width:
            if escape:
                if not (out[used - 3] == 0xE2 and out[used - 2] == 0x96 and out[used - 1] == 0x81):
                    break
            elif out[used - 1] != SPACE:
                break
            used -= width
            if placed:
                stop = positions[used]
        if opened and dummy and suffix:
            if used + width > out.size:
                return -1
            used = _put_space(stop, escape, placed, out, positions, used)
        if placed:
            positions[used] = stop if opened else -1
        out_ends[document] = used
    return used
