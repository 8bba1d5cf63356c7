"""WordPiece: a word is the longest token that it begins with, then the longest marked token, and so on.

    Tokens!   --characters-->   tokens | !   --tries-->   token ##s | !

The text is read one character at a time: a table says what a character becomes, and whether a word ends there. A word
that is too long, or where no token fits, is one unknown id.

    kinds        uint32 of each character, see ``engines.sentencepiece.characters``; row_starts has its ``several``
    nodes        the trie of all tokens, see ``piece_trie`` · leaves  that of the marked ones, without the mark
    unknown      the id of the unknown token · longest  the most characters of a word
    scratch      the word: for each character 4 bytes, and at ``scratch`` + 4 * room the place in the text of each byte
    positions    0, or int64: where in the text each id begins and ends, from ``base`` on

Words that Python has cut already come with ``given``: int64, where each of ``given_left`` words ends, from
``given_base`` on. Reference implementation: ``reference.wordpiece``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.sentencepiece.piece_trie import NO_PIECE, ROOT, base_of, character_size, is_child, piece_of

LETTER, SYMBOL, ALONE, SPACE, NOTHING, STARTER, MARK, SEVERAL = range(8)
"""What a character is. Symbols make words of their own. STARTER is NOTHING that no mark moves across. A MARK moves
before marks of a higher combining class, as Unicode's normal forms want. SEVERAL stands for other entries."""
KIND_SHIFT, CLASS_SHIFT = 21, 24
POINT_MASK = (1 << KIND_SHIFT) - 1
A_CHARACTER = 4 + 4 * 8
"""Bytes of scratch memory for each character of a word."""
SLACK = 64


@helper
def _longest(nodes, at, end):
    """Return (length, id) of the longest token at ``at``; (0, -1) for none."""
    base = base_of(machine.load64(nodes + 8 * ROOT))
    length = np.int64(0)
    found = np.int64(-1)
    place = at
    while place < end:
        byte = machine.load8(place)
        node = machine.load64(nodes + 8 * (base ^ byte))
        if not is_child(node, byte):
            break
        base = base_of(node)
        place += 1
        piece = piece_of(node)
        if piece != NO_PIECE:
            length = place - at
            found = piece
    return length, found


@helper
def _note(block, begin, end):
    """Note the place of an id in the text."""
    positions = block.positions
    machine.storei64(positions, begin)
    machine.storei64(positions + 8, end)
    block.positions = positions + 16


@helper
def _end_of_character(block, place):
    """Return where the character ends that is at a place of the text, counted from ``base``."""
    return place + character_size(machine.load8(block.base + place))


@helper
def _write_ids(block, begin, end, places):
    """Write the ids of the word that lies at ``begin``.

    places : the address of the place in the text of each of its bytes, int64.
    """
    out = block.out
    spells = block.positions != 0
    before = block.positions
    at = begin
    nodes = block.nodes
    while at < end:
        length, piece = _longest(nodes, at, end)
        if length == 0:
            out = block.out
            machine.store32(out, block.unknown)
            block.out = out + 4
            if spells:
                block.positions = before
                first, last = machine.loadi64(places), machine.loadi64(places + 8 * (end - begin - 1))
                _note(block, first, _end_of_character(block, last))
            return
        if spells:
            first, last = places + 8 * (at - begin), places + 8 * (at - begin + length - 1)
            _note(block, machine.loadi64(first), _end_of_character(block, machine.loadi64(last)))
        machine.store32(out, piece)
        out += 4
        at += length
        nodes = block.leaves
    block.out = out


@helper
def _unknown(block, begin, end):
    """Write the id of a word that is too long, from ``begin`` to ``end`` of the text."""
    machine.store32(block.out, block.unknown)
    block.out += 4
    if block.positions != 0:
        _note(block, begin, end)


@helper
def _code_at(at, size):
    """Return the code point of a character of ``size`` bytes."""
    first = np.int64(machine.load8(at))
    if size == 1:
        return first
    code = first & (0xFF >> (size + 1))
    for k in range(1, size):
        code = code << 6 | np.int64(machine.load8(at + k)) & 0x3F
    return code


@helper
def _write(to, code):
    """Write a character as UTF-8; return how many bytes it has."""
    if code < 0x80:
        machine.store8(to, code)
        return 1
    if code < 0x800:
        machine.store8(to, 0xC0 | code >> 6)
        machine.store8(to + 1, 0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        machine.store8(to, 0xE0 | code >> 12)
        machine.store8(to + 1, 0x80 | code >> 6 & 0x3F)
        machine.store8(to + 2, 0x80 | code & 0x3F)
        return 3
    machine.store8(to, 0xF0 | code >> 18)
    machine.store8(to + 1, 0x80 | code >> 12 & 0x3F)
    machine.store8(to + 2, 0x80 | code >> 6 & 0x3F)
    machine.store8(to + 3, 0x80 | code & 0x3F)
    return 4


@helper
def _write_mark(kinds, first, to, entry):
    """Write a mark before those of a higher class, but not before the address ``first``; return its bytes."""
    size = _write(to, entry & POINT_MASK)
    at = to
    while at > first:
        before = at - 1
        while machine.load8(before) & 0xC0 == 0x80:
            before -= 1
        other = machine.load32(kinds + 4 * _code_at(before, at - before))
        if other >> KIND_SHIFT & 7 != MARK or other >> CLASS_SHIFT <= entry >> CLASS_SHIFT:
            break
        for k in range(at - before):
            machine.store8(at - 1 - k + size, machine.load8(at - 1 - k))
        at = before
        _write(at, entry & POINT_MASK)
    return size


@helper
def _given_words(block):
    """Encode the words that are cut already."""
    base, ends = block.given_base, block.given
    begin = base
    for k in range(block.given_left):
        end = base + machine.loadi64(ends + 8 * k)
        characters = 0
        for at in range(begin, end):
            characters += machine.load8(at) & 0xC0 != 0x80
        if characters > block.longest:
            _unknown(block, 0, 0)
        else:
            _write_ids(block, begin, end, 0)
        begin = end


@machine.addressed
def encode_words(address):
    """Encode the text from ``at`` to ``end`` to ``out``, which has room for an id for each byte.

    Return DONE, or NEEDS_SCRATCH for more memory.
    """
    block = layout.block_at(address)
    if block.given != 0:
        _given_words(block)
        return layout.DONE
    kinds = block.kinds
    at, end, base = block.at, block.end, block.base
    longest = block.longest
    # No character becomes more than two for each of its bytes.
    room = min(longest, 2 * (end - at)) + 4
    if room * A_CHARACTER + SLACK > block.scratch_size:
        block.scratch_wanted = room * A_CHARACTER + SLACK
        return layout.NEEDS_SCRATCH
    spells = block.positions != 0
    word = block.scratch
    places = word + 4 * room
    to = word
    fixed = word  # no mark moves before this place
    characters = 0
    first = last = at  # the characters of the text that made the word
    run = LETTER
    while at < end:
        size = character_size(machine.load8(at))
        entry = np.int64(machine.load32(kinds + 4 * _code_at(at, size)))
        number = 1
        several = np.int64(0)
        if entry >> KIND_SHIFT & 7 == SEVERAL:
            several = block.row_starts + 4 * (entry & POINT_MASK)
            number = np.int64(machine.load32(several))
        for k in range(number):
            if several != 0:
                entry = np.int64(machine.load32(several + 4 * (k + 1)))
            kind = entry >> KIND_SHIFT & 7
            if kind == NOTHING:
                continue
            if kind == STARTER:
                fixed = to
                continue
            apart = kind in (SPACE, ALONE) or run == ALONE or (kind == SYMBOL) != (run == SYMBOL)
            if characters > 0 and apart:
                if characters > longest:
                    _unknown(block, first - base, last - base)
                else:
                    _write_ids(block, word, to, places)
                to = fixed = word
                characters = 0
            if kind == SPACE:
                continue
            if characters == 0:
                first = at
                run = kind if kind != MARK else LETTER
            last = at + size
            characters += 1
            if characters <= longest:
                made = _write_mark(kinds, fixed, to, entry) if kind == MARK else _write(to, entry & POINT_MASK)
                if spells:
                    for each in range(made):
                        machine.storei64(places + 8 * (to - word + each), at - base)
                to += made
        at += size
    if characters > longest:
        _unknown(block, first - base, last - base)
    elif characters > 0:
        _write_ids(block, word, to, places)
    block.at = at
    return layout.DONE
