"""SentencePiece's normaliser for one text, by addresses: what the fused encoders call when nobody asks for positions.

Almost all text is letters and single spaces, and the table of the model has rules for letters too: for ``e`` and a
combining accent behind it. So each byte has a class that says, after one look at the byte behind it, that nothing
begins here:

    PLAIN      copied                            LETTER     copied if ASCII (but NUL) is behind it
    SPACE      becomes ▁, or nothing             OTHER      the longest user-defined piece, or rule, or a character

``kernels.normalize`` does the same with positions. Twin: ``text.normalize``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels import machine
from minbpe_course.kernels.compiled import helper

# In the block of the caller: addresses, sizes, and the four switches.
CLASSES, TRIE_KEYS, TRIE_NODES, TRIE_IDS, TRIE_MASK, UNITS, UNIT_COUNT, STRINGS, STRING_BYTES = range(0, 72, 8)
DUMMY, REMOVE, ESCAPE, SUFFIX = range(72, 104, 8)
RULES = 104  # bytes of all of them

PLAIN, SPACE_CLASS, OTHER = range(3)
STARTS_PIECE, STARTS_RULE = 4, 8  # added to OTHER: what may begin with the byte
LETTER = STARTS_RULE

SPACE, MARK, REPLACEMENT = 0x20, 0x8196E2, 0xBDBFEF
MOST_NESTED_RULES, MOST_NESTED_PIECES = 32, 64
FREE = -1
ROOM_FOR_ONE = 16  # bytes that are there whenever one character or space is written
GOLDEN, HASH_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(40)


@helper
def _longest_piece(block, at, end):
    """Bytes of the longest user-defined piece here, 0 for none."""
    keys = machine.loadi64(block + TRIE_KEYS)
    mask = machine.loadi64(block + TRIE_MASK)
    nodes = machine.loadi64(block + TRIE_NODES)
    ids = machine.loadi64(block + TRIE_IDS)
    node = longest = nested = 0
    for place in range(at, end):
        key = node << 8 | machine.load8(place)
        slot = np.int64(np.uint64(key) * GOLDEN >> HASH_SHIFT) & mask
        while machine.loadi64(keys + 8 * slot) != key and machine.loadi64(keys + 8 * slot) != FREE:
            slot = (slot + 1) & mask
        if machine.loadi64(keys + 8 * slot) == FREE:
            break
        node = machine.load32(nodes + 4 * slot)
        if machine.load32(ids + 4 * node) < 0x80000000:
            longest = place + 1 - at
            nested += 1
            if nested == MOST_NESTED_PIECES:
                break
    return longest


@helper
def _longest_rule(block, at, end):
    """(Bytes of the longest rule here, where its replacement begins); 0 bytes for none."""
    units = machine.loadi64(block + UNITS)
    count = machine.loadi64(block + UNIT_COUNT)
    strings = machine.loadi64(block + STRINGS)
    longest = begin = nested = 0
    unit = machine.load32(units)
    node = (unit >> 10) << ((unit & 0x200) >> 6)
    for place in range(at, end):
        byte = machine.load8(place)
        node ^= byte
        if node >= count:
            break
        unit = machine.load32(units + 4 * node)
        if unit & 0x800000FF != byte:
            break
        node ^= (unit >> 10) << ((unit & 0x200) >> 6)
        if unit >> 8 & 1 and node < count:
            value = machine.load32(units + 4 * node) & 0x7FFFFFFF
            # A damaged table may point into the middle of a character; what leaves here must be valid UTF-8.
            if value < machine.loadi64(block + STRING_BYTES) and machine.load8(strings + value) & 0xC0 != 0x80:
                longest = place + 1 - at
                begin = strings + value
                nested += 1
                if nested == MOST_NESTED_RULES:
                    break
    return longest, begin


@helper
def _character(at, end):
    """Bytes of the UTF-8 character here, 0 if there is no valid one."""
    lead = machine.load8(at)
    if lead < 0x80:
        return 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if lead < 0xC2 or lead > 0xF4 or at + size > end:
        return 0
    second = machine.load8(at + 1)
    low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
    high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
    if second < low or second > high:
        return 0
    for place in range(at + 2, at + size):
        if machine.load8(place) & 0xC0 != 0x80:
            return 0
    return size


@helper
def _step(block, at, end, kind):
    """One step: (bytes taken, where its output begins, bytes of output); -1 for the last: it ends with NUL."""
    if kind & STARTS_PIECE:
        size = _longest_piece(block, at, end)
        if size > 0:
            return size, at, size
    if kind & STARTS_RULE:
        size, begin = _longest_rule(block, at, end)
        if size > 0:
            return size, begin, -1
    size = _character(at, end)
    if size > 0:
        return size, at, size
    return 1, 0, 0


@helper
def _put_space(block, out):
    """Write what a space becomes."""
    if machine.loadi64(block + ESCAPE):
        machine.store32(out, MARK)
        return out + 3
    machine.store8(out, SPACE)
    return out + 1


@helper
def normalize_text(block, at, end, out, limit):
    """Normalise one text to ``out``; return where the result ends, or 0 if that would be beyond ``limit``.

    block : the address of the places above, RULES bytes.
    """
    classes = machine.loadi64(block + CLASSES)
    remove = machine.loadi64(block + REMOVE) != 0
    escape = machine.loadi64(block + ESCAPE) != 0
    dummy = machine.loadi64(block + DUMMY) != 0
    suffix = machine.loadi64(block + SUFFIX) != 0
    first = out
    while remove and at < end:
        size, begin, length = _step(block, at, end, machine.load8(classes + machine.load8(at)))
        alone = length == 1 or (length < 0 and machine.load8(begin) != 0 and machine.load8(begin + 1) == 0)
        if not alone or machine.load8(begin) != SPACE:
            break
        at += size
    if at == end:
        return out
    if limit - out < ROOM_FOR_ONE:
        return np.int64(0)
    if dummy and not suffix:
        out = _put_space(block, out)
    after_space = remove
    while at < end:
        if limit - out < ROOM_FOR_ONE:
            return np.int64(0)
        byte = machine.load8(at)
        kind = machine.load8(classes + byte)
        if kind == PLAIN or (kind == LETTER and (at + 1 == end or (machine.load8(at + 1) - 1) & 0xFF < 0x7F)):
            machine.store8(out, byte)
            out += 1
            at += 1
            after_space = False
            continue
        if kind == SPACE_CLASS:
            if not after_space:
                out = _put_space(block, out)
                after_space = remove
            at += 1
            continue
        size, begin, length = _step(block, at, end, kind)
        at += size
        if begin == 0:
            machine.store32(out, REPLACEMENT)
            out += 3
            after_space = False
            continue
        written = False
        last = 0
        while length != 0:
            byte = machine.load8(begin)
            if length < 0 and byte == 0:
                break
            last = byte
            begin += 1
            length -= 1
            if byte == SPACE and after_space and not written:
                continue
            if limit - out < ROOM_FOR_ONE:
                return np.int64(0)
            written = True
            if byte == SPACE:
                out = _put_space(block, out)
            else:
                machine.store8(out, byte)
                out += 1
        if written:
            after_space = remove and last == SPACE
    if remove:
        if escape:
            while out - first >= 3 and machine.load32(out - 3) & 0xFFFFFF == MARK:
                out -= 3
        else:
            while out > first and machine.load8(out - 1) == SPACE:
                out -= 1
    if dummy and suffix:
        out = _put_space(block, out)
    return out
