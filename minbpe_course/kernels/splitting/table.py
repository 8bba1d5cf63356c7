"""Cutting text into words with the table of a split pattern: one look-up for each character.

``splitting.pattern_table`` explains the table. ``rows`` has one row for each state and one entry for each kind of
character in it; the entry is where the next row is, and what to do before the character is read:

    HERE       a word ends before this character
    BETWEEN    and what ends is not a word: no word begins with these characters
    BACK       a word ends before the character read last; then as the entry says
    RARE       the word ended further back, or nowhere: ``_read_again`` looks where

The place of a word's end is stored for every character, and only an end is counted. This avoids a branch.

Where words are phrases or lines, one row leads to itself with nearly every character: ``long_row``. In it, ``stays``
says for eight bytes at once that nothing ends, without waiting for one entry after another.

Text between words is in ``ends`` like a word, with the bit GAP: the encoder takes it for a word that is too long for
its cache, and ``encoding._learn`` leaves it out.

Reference implementation: ``reference.pattern_table``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.layout import AHEAD, GAP
from minbpe_course.kernels.splitting.windows import character, kind_at

# As in splitting.pattern_table; a test compares them.
HERE, BACK, RARE, MARK, BETWEEN = 1, 2, 4, 8, 16
FLAG_BITS = 5
# Moves the flag BETWEEN to the bit GAP.
_TO_GAP = 58

# How many characters the kernel reads before it checks the room for ends: each may end two words. Fewer in a row with
# long words, so that the kernel soon notices that row.
_UNCHECKED, _UNCHECKED_LONG = 24, 6


@helper
def _first_row(block, at):
    """Return the row of a word that begins at ``at``."""
    if block.row_starts == 0 or at == block.base:
        return block.rows
    at -= 1
    while machine.load8(at) & 0xC0 == 0x80:
        at -= 1
    return block.rows + machine.loadi64(block.row_starts + 8 * (kind_at(at, block.kinds) >> 3))


@helper
def _read_again(block, begin, end):
    """Return the last place before ``end`` where the word that begins at ``begin`` could end; 0 for none."""
    row = _first_row(block, begin)
    at = begin
    mark = np.int64(0)
    while at < end:
        found = kind_at(at, block.kinds)
        entry = machine.load32(row + 4 * (found >> 3))
        if entry & MARK:
            mark = at
        row = block.rows + (entry >> FLAG_BITS)
        at += found & 7
    return mark


@helper
def _end_of_stay(stays, at, stop):
    """Return the first place from ``at`` on, or ``stop``, where a character begins that may leave the row."""
    begin = at
    while at + 8 <= stop:
        stay = np.int64(1)
        for k in range(8):
            stay &= machine.load8(stays + machine.load8(at + k))
        if stay == 0:
            break
        at += 8
    while at < stop and machine.load8(stays + machine.load8(at)) != 0:
        at += 1
    while at > begin and machine.load8(at) & 0xC0 == 0x80:
        at -= 1
    return at


@machine.addressed
def word_by_table(address):
    """Return where the word ends that begins at ``at``, for a pattern that leaves no text between words."""
    block = layout.block_at(address)
    row = block.rows
    begin = at = before = block.at
    entry = np.int64(0)
    while at < block.end:
        found = kind_at(at, block.kinds)
        entry = machine.load32(row + 4 * (found >> 3))
        if entry & (HERE | BACK | RARE):
            break
        row = block.rows + (entry >> FLAG_BITS)
        before = at
        at += found & 7
    if at >= block.end:
        entry = machine.load32(row + 4 * block.end_kind)
    if entry & RARE:
        return _read_again(block, begin, at)
    return before if entry & BACK else at


@machine.addressed
def split_by_table(address):
    """Split as ``split.split_words`` does, by a table. The end of text between words has the bit GAP.

    ``base`` is where the text begins if the pattern looks behind.
    """
    block = layout.block_at(address)
    kinds, rows, end, base, ends, room = block.kinds, block.rows, block.end, block.base, block.ends, block.room
    begin = at = before = block.at
    stop = min(end, block.limit - AHEAD + 1)
    if begin >= stop:
        return 0
    row = _first_row(block, begin)
    count = 0
    # The entry of ``ends`` for the text before ``begin`` that is not a word, or -1.
    gap = -1
    long_row, stays = block.long_row, block.stays
    unchecked = _UNCHECKED if stays == 0 else _UNCHECKED_LONG
    while True:
        if row == long_row:
            begun = at
            at = _end_of_stay(stays, at, stop)
            if at > begun:
                before = at - 1
                while machine.load8(before) & 0xC0 == 0x80:
                    before -= 1
        entry = np.int64(0)
        some = min(stop, at + unchecked)
        while at < some:
            byte = machine.load8(at)
            kind = machine.load8(kinds + byte)
            size = 1
            if byte >= 0x80:
                found = character(at)
                kind = machine.load8(kinds + (found >> 3))
                size = found & 7
            entry = machine.load32(row + 4 * kind)
            if entry & (BACK | RARE):
                break
            machine.storei64(ends + 8 * count, at - base | (entry & BETWEEN) << _TO_GAP)
            count += entry & HERE
            row = rows + (entry >> FLAG_BITS)
            before = at
            at += size
        if count > gap + 1:
            gap = -1
        finished = at >= end
        if finished:
            entry = machine.load32(row + 4 * block.end_kind)
        if entry & RARE:
            finished = False
            if gap < 0 and count > 0:
                begin = base + (machine.loadi64(ends + 8 * count - 8) & ~GAP)
            mark = _read_again(block, begin, at)
            if mark > 0:
                machine.storei64(ends + 8 * count, mark - base)
                count += 1
                at = mark
            else:
                if gap < 0:
                    gap = count
                    count += 1
                begin += kind_at(begin, kinds) & 7
                machine.storei64(ends + 8 * gap, begin - base | GAP)
                at = begin
                finished = at >= end
            before = at
            row = _first_row(block, at)
        elif finished or entry & BACK:
            machine.storei64(ends + 8 * count, before - base)
            count += entry >> 1 & 1
            machine.storei64(ends + 8 * count, at - base | (entry & BETWEEN) << _TO_GAP)
            count += entry & HERE
            if not finished:
                row = rows + (entry >> FLAG_BITS)
                before = at
                at += kind_at(at, kinds) & 7
        if finished:
            block.at = end
            return count
        if count >= room or (at >= stop and stop < end and count > 0):
            count = 1 if room == 1 else count
            block.at = base + (machine.loadi64(ends + 8 * count - 8) & ~GAP)
            return count
        if at >= stop and stop < end:
            # One word, which may continue to the end of the text: where it begins, enough bytes may be read.
            stop, room = end, 1


@machine.addressed
def split_parts(address):
    """Cut each part of a text by itself, text between words as well; write where each of the new parts ends.

    ``given`` : int64[given_left], where the parts end, after ``base``; becomes how many new parts there are up to
    there · ``splitter`` : the address of a splitter · ``ends`` has room for one end for each byte, and SLACK.
    Returns how many there are.
    """
    block = layout.block_at(address)
    first = block.ends
    count = 0
    for part in range(block.given_left):
        block.end = block.base + machine.loadi64(block.given + 8 * part)
        between = np.int64(0)
        while block.at < block.end:
            ends = block.ends = first + 8 * count
            block.room = block.end - block.at
            for k in range(machine.call(block.splitter, address)):
                end = machine.loadi64(ends + 8 * k)
                # Text between words may come in several pieces.
                count += 1 if end & between == 0 else 0
                machine.storei64(first + 8 * count - 8, end & ~GAP)
                between = end & GAP
        machine.storei64(block.given + 8 * part, count)
    return count
