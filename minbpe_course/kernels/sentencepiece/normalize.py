"""SentencePiece's normalizer on UTF-8: the rules of the model's own table, the added space, bad bytes to U+FFFD.

    " Hello\u3000world"    one more space at the front, the wide space by rule    "  Hello world"

Inside the engine ▁ is one byte, 0x20. Where spaces are escaped (nearly always) no other space is left, and a ▁ in the
user's text means the same. So words stay short, and plain text is copied unchanged. ``piece_layout`` (engines) turns
such text into the text of pieces.

Each step takes one stretch of the input: a user-defined piece, the longest rule, a character or a bad byte. Most text
needs no steps: for 64 bytes at once, masks show where a rule can begin or another step is needed, and the bytes before
that are copied. The block has what this needs:

    rule_starts   uint8[256]     1 where a user-defined piece can begin with this byte, 2 where a rule can
    units         uint32         the double-array trie of the rules, unit_count of them; strings, strings_size: uint8
    raw_users     the user-defined pieces as text has them, see ``piece_trie``
    loud          int64[3, 2]    ranges of ASCII bytes (first, how many) that no window copies; -1 in the first: all
    flags         the sum of the flags below
    text          where to write, text_size bytes; text_end is set to the end of what was written
    positions     int64, the place in the input of every byte written and of the end, -1 if nothing was; or 0

Reference implementation: ``text.normalize``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.sentencepiece.piece_trie import longest_piece
from minbpe_course.kernels.splitting.windows import valid_character

# ``flags`` is a sum of these.
DUMMY_PREFIX, REMOVE_SPACES, ESCAPE, SUFFIX, HIGH_BYTES = 1, 2, 4, 8, 16

MOST_NESTED_RULES = 32
LONGEST_RULE = 2048
STARTS_PIECE, STARTS_RULE = 1, 2
SPACE = 0x20

# Bytes after the output that kernels may read, and that a window may write.
SLACK = 128

ONE, ZERO = np.uint64(1), np.uint64(0)
LAST = np.uint64(1 << 63)


@helper
def _longest_rule(block, at, end):
    """Return (length of the key, where its replacement begins) of the longest rule at ``at``; length 0 for none."""
    units = block.units
    count = block.unit_count
    strings = block.strings
    strings_size = block.strings_size
    longest = np.int64(0)
    begin = np.int64(0)
    nested = 0
    unit = machine.load32(units)
    node = (unit >> 10) << ((unit & 0x200) >> 6)
    # A damaged table may contain loops.
    end = min(end, at + LONGEST_RULE)
    place = at
    while place < end:
        byte = machine.load8(place)
        node ^= byte
        if node >= count:
            break
        unit = machine.load32(units + 4 * node)
        if unit & 0x800000FF != byte:
            break
        node ^= (unit >> 10) << ((unit & 0x200) >> 6)
        place += 1
        if unit >> 8 & 1 and node < count:
            value = machine.load32(units + 4 * node) & 0x7FFFFFFF
            # A damaged table may point into the middle of a character; the output must be valid UTF-8.
            if value < strings_size and machine.load8(strings + value) & 0xC0 != 0x80:
                longest = place - at
                begin = strings + value
                nested += 1
                if nested == MOST_NESTED_RULES:
                    break
    return longest, begin


@helper
def _quiet_bytes(block, at, flags, after_space):
    """Return how many of the 64 bytes from ``at`` on can be copied as they are."""
    loud = ZERO
    ranges = block.loud
    for k in range(3):
        count = machine.loadi64(ranges + 16 * k + 8)
        if count > 0:
            loud |= machine.byte_mask(at, 0, machine.loadi64(ranges + 16 * k), count)
    if flags & HIGH_BYTES:
        # A rule may also begin with the ASCII character before a mark.
        high = machine.byte_mask(at, 0, 0x80, 0x80)
        loud |= high | high >> ONE | LAST
    elif flags & ESCAPE:
        mark = machine.byte_mask(at, 0, 0xE2, 1)
        if mark != ZERO:
            loud |= mark & (machine.byte_mask(at, 0, 0x96, 1) >> ONE | LAST)
    if flags & REMOVE_SPACES:
        space = machine.byte_mask(at, 0, SPACE, 1)
        loud |= space & (space << ONE | np.uint64(after_space))
    return machine.trailing_zeros(loud)


@helper
def _put(out, byte, begin, escape):
    """Write a byte of a step whose output begins at ``begin``; the last byte of ▁ makes it one byte."""
    ends = escape and byte == 0x81 and out - begin >= 2
    if ends and machine.load8(out - 1) == 0x96 and machine.load8(out - 2) == 0xE2:
        machine.store8(out - 2, SPACE)
        return out - 1
    machine.store8(out, byte)
    return out + 1


@machine.addressed
def normalize(address):
    """Normalize the text from ``at`` to ``end`` to ``text``; return DONE, or NEEDS_TEXT and the bytes ``text_wanted``.

    ``at`` and ``end`` stay unchanged. Only bytes from ``at`` to ``end`` are read; they must be valid UTF-8 if
    ``positions`` is 0.
    """
    block = layout.block_at(address)
    begin = at = block.at
    end = block.end
    flags = block.flags
    text = block.text
    # Where a window or a character can no longer be written.
    full = text + block.text_size - SLACK
    starts = block.rule_starts
    positions = block.positions
    trie = block.raw_users
    remove = flags & REMOVE_SPACES != 0
    escape = flags & ESCAPE != 0
    windows = positions == 0 and machine.loadi64(block.loud) >= 0
    out = text
    after_space = remove
    leading = remove
    opened = False
    while at < end:
        if out > full:
            break
        if windows and opened and end - at >= 64:
            quiet = _quiet_bytes(block, at, flags, after_space)
            if quiet > 0:
                for k in range(0, 64, 16):
                    machine.copy16(out + k, at + k)
                # A window may end inside a character, a step may not begin there.
                while at + quiet < end and machine.load8(at + quiet) & 0xC0 == 0x80:
                    quiet -= 1
                at += quiet
                out += quiet
                after_space = remove and machine.load8(at - 1) == SPACE
                if quiet > 60:
                    continue
        # One step: a stretch of the input (copied), of the replacements, or U+FFFD.
        lead = machine.load8(at)
        start = machine.load8(starts + lead)
        length = np.int64(0)
        source = at
        copied = True
        if start & STARTS_PIECE:
            length, _ = longest_piece(trie, at, end)
        if length == 0 and start & STARTS_RULE:
            length, source = _longest_rule(block, at, end)
            copied = length == 0
        broken = False
        if length == 0:
            source = at
            length = np.int64(1)
            if lead >= 0x80:
                length = np.int64(valid_character(at, end))
                if length == 0:
                    broken = True
                    length = np.int64(1)
        if leading:
            if copied:
                only_space = length == 1 and lead == SPACE
            else:
                only_space = machine.load8(source) == SPACE and machine.load8(source + 1) == 0
            if only_space:
                at += length
                continue
            leading = False
        if not opened:
            opened = True
            if flags & DUMMY_PREFIX and not flags & SUFFIX:
                machine.store8(out, SPACE)
                if positions != 0:
                    machine.storei64(positions, at - begin)
                out += 1
        first = out
        if broken:
            machine.store8(out, 0xEF)
            machine.store8(out + 1, 0xBF)
            machine.store8(out + 2, 0xBD)
            out += 3
            after_space = False
        else:
            read = source
            written = False
            last = np.int64(0)
            while out <= full:
                if copied:
                    if read >= source + length:
                        break
                    last = machine.load8(read)
                else:
                    byte = machine.load8(read)
                    if byte == 0:
                        break
                    last = byte
                read += 1
                if last == SPACE and after_space and not written:
                    continue
                written = True
                out = _put(out, last, first, escape)
            if written:
                after_space = remove and last == SPACE
        if positions != 0:
            while first < out:
                machine.storei64(positions + 8 * (first - text), at - begin)
                first += 1
        at += length
    if out > full:
        block.text_wanted = 2 * (out - text) + 2 * (end - at) + 4 * SLACK
        return layout.NEEDS_TEXT
    stop = end - begin
    while remove and out > text and machine.load8(out - 1) == SPACE:
        out -= 1
        if positions != 0:
            stop = machine.loadi64(positions + 8 * (out - text))
    if opened and flags & DUMMY_PREFIX and flags & SUFFIX:
        machine.store8(out, SPACE)
        if positions != 0:
            machine.storei64(positions + 8 * (out - text), stop)
        out += 1
    if positions != 0:
        machine.storei64(positions + 8 * (out - text), stop if opened else -1)
    block.text_end = out
    return layout.DONE
