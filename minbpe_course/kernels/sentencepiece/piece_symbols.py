"""The pieces of a model as text inside the engine, and the symbols with which BPE begins.

    pieces   <s> ▁the a ▁ …     -->   tokens  " the", "a", " ", …  then the characters that are only inside pieces
                                      symbols  code point -> number of its token + 1

Reference implementation: ``reference.pieces`` finds both in the texts themselves.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.splitting.windows import character_at, valid_character

UNUSED = 5
SPACE, MARK = 0x20, 0x2581


@compiled
def lay_pieces(text, starts, kinds, count, wanted, escape, out, out_starts, ids, places, symbols):
    """Lay out the pieces of the ``wanted`` kinds, then the other characters; return how many there are of both.

    All are addresses or numbers. text, starts : the ``count`` pieces, each followed by one byte, int64[count + 1] ·
    kinds : uint8[count] · wanted : a bit for each kind · escape : whether ▁ becomes a space, and pieces with a space
    are left out · out, out_starts : the tokens, int64 · ids : uint32, NO_ID for UNUSED pieces and characters · places :
    int64, the number of each token's piece, -1 for characters · symbols : zeros, uint32[0x110000]; or 0, and no
    characters are added.
    """
    number = 0
    to = out
    machine.storei64(out_starts, 0)
    for piece in range(count):
        kind = machine.load8(kinds + piece)
        if wanted >> kind & 1 == 0:
            continue
        at = text + machine.loadi64(starts + 8 * piece)
        end = text + machine.loadi64(starts + 8 * piece + 8) - 1
        begin = to
        characters = 0
        code = np.int64(0)
        while at < end:
            size = valid_character(at, end)
            code = character_at(at) >> 3
            if size <= 0 or code == 0 or (escape and code == SPACE):
                break
            if escape and code == MARK:
                code = np.int64(SPACE)
                machine.store8(to, SPACE)
                to += 1
            else:
                for k in range(size):
                    machine.store8(to + k, machine.load8(at + k))
                to += size
            characters += 1
            at += size
        if at < end:
            to = begin
            continue
        if characters == 1 and symbols != 0:
            machine.store32(symbols + 4 * code, number + 1)
        machine.store32(ids + 4 * number, piece if kind != UNUSED else layout.NO_ID)
        machine.storei64(places + 8 * number, piece)
        number += 1
        machine.storei64(out_starts + 8 * number, to - out)
    at, end = out, to if symbols != 0 else out
    while at < end:
        found = character_at(at)
        symbol = symbols + 4 * (found >> 3)
        if machine.load32(symbol) == 0:
            for k in range(found & 7):
                machine.store8(to, machine.load8(at + k))
                to += 1
            machine.store32(ids + 4 * number, layout.NO_ID)
            machine.storei64(places + 8 * number, -1)
            number += 1
            machine.storei64(out_starts + 8 * number, to - out)
            machine.store32(symbol, number)
        at += found & 7
    return number


@compiled
def note_neighbours(text, starts, count, classes, cuts):
    """Set ``cuts``, uint64[6, 6], to 0 where some token has a byte of the first class after one of the second.

    All are addresses or numbers. text, starts : the ``count`` tokens, int64[count + 1] · classes : uint8[256].
    """
    for number in range(count):
        at = text + machine.loadi64(starts + 8 * number)
        end = text + machine.loadi64(starts + 8 * number + 8)
        before = np.int64(-1)
        while at < end:
            kind = machine.load8(classes + machine.load8(at))
            if before >= 0:
                machine.store64(cuts + 8 * (6 * kind + before), np.uint64(0))
            before = kind
            at += 1
    return 0
