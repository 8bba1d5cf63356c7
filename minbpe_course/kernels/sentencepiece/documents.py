"""A whole text for a SentencePiece model: normalised, cut at user-defined pieces, encoded part by part.

    text --normalize-->  TEXT  | part | <user> | part | <user><user> | part |
                                 ids     id      ids     id    id      ids

A user-defined piece is found from the left, the longest first, and merges with nothing; what is between two of them is
a part, for which PART_ENCODER is called (``encoding.encode_text`` over ``segments``). Unknown ids side by side become
one.

    USER_STARTS   bits for two bytes with which a user-defined piece can begin, uint64[1024]; 0 where there are none
    USERS         their trie, as ``normalize.longest_piece`` reads it

When something is missing both functions come back with the reason, and are called again: a text whose AT lies in TEXT
is one that was begun. Twin: ``reference.pieces``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.encoding import merge_by_address
from minbpe_course.kernels.encoding.tables import is_set
from minbpe_course.kernels.sentencepiece.normalize import SLACK, longest_piece
from minbpe_course.kernels.sentencepiece.pieces import note_span

# Ids beyond those: the kernels store four at a time.
OUT_SLACK = 4


@helper
def _next_user(block, at, end):
    """Where the next user-defined piece begins, or ``end``."""
    starts = machine.loadi64(block + layout.USER_STARTS)
    if starts == 0:
        return end
    while at < end:
        if is_set(starts, np.uint64(machine.load32(at) & 0xFFFF)):
            length, _ = longest_piece(block + layout.USERS, at, end)
            if length > 0:
                return at
        at += 1
    return end


@helper
def _begin(block):
    """Normalise the text and make its first part, of no length, the one that is done; or say what is missing."""
    text = machine.loadi64(block + layout.TEXT)
    at = machine.loadi64(block + layout.AT)
    if not text <= at <= text + machine.loadi64(block + layout.TEXT_SIZE):
        reason = machine.call(machine.loadi64(block + layout.NORMALIZER), block)
        if reason != layout.DONE:
            return reason
        machine.storei64(block + layout.AT, text)
        machine.storei64(block + layout.END, text)
        machine.storei64(block + layout.LIMIT, machine.loadi64(block + layout.TEXT_END) + SLACK)
        machine.storei64(block + layout.FIRST_OUT, 0)
    if machine.loadi64(block + layout.FIRST_OUT) == 0:
        out = machine.loadi64(block + layout.OUT)
        most = (machine.loadi64(block + layout.TEXT_END) - text) * machine.loadi64(block + layout.IDS_A_BYTE)
        if out + 4 * (most + OUT_SLACK) > machine.loadi64(block + layout.OUT_END):
            return layout.NEEDS_OUT
        machine.storei64(block + layout.FIRST_OUT, out)
        machine.storei64(block + layout.FIRST_SPAN, machine.loadi64(block + layout.SPANS))
    return layout.DONE


@helper
def _next_part(block):
    """Write the user-defined piece that follows the part just done, if one does, and make the next part; False at the
    end of the text."""
    at = machine.loadi64(block + layout.END)
    end = machine.loadi64(block + layout.TEXT_END)
    if at == end:
        return False
    length = np.int64(0)
    if machine.loadi64(block + layout.USER_STARTS) != 0:
        length, piece = longest_piece(block + layout.USERS, at, end)
        if length > 0:
            out = machine.loadi64(block + layout.OUT)
            machine.store32(out, piece)
            machine.storei64(block + layout.OUT, out + 4)
            note_span(block, at, length)
    at += length
    machine.storei64(block + layout.AT, at)
    machine.storei64(block + layout.END, _next_user(block, at, end))
    return True


@helper
def _fuse(block):
    """Make one id of unknown ones side by side, and one span."""
    unknown = machine.loadi64(block + layout.UNKNOWN)
    spans = machine.loadi64(block + layout.FIRST_SPAN)
    if machine.loadi64(block + layout.BYTE_IDS) != 0:
        return
    at = to = machine.loadi64(block + layout.FIRST_OUT)
    end = machine.loadi64(block + layout.OUT)
    first = at
    before = np.int64(-1)
    while at < end:
        token_id = machine.load32(at)
        if token_id == unknown and before == unknown:
            if spans != 0:
                last = spans + (to - 4 - first)
                machine.store32(last, machine.load32(last) + machine.load32(spans + (at - first)))
        else:
            machine.store32(to, token_id)
            if spans != 0:
                machine.store32(spans + (to - first), machine.load32(spans + (at - first)))
            to += 4
        before = token_id
        at += 4
    machine.storei64(block + layout.OUT, to)


@machine.addressed
def encode_document(block):
    """Encode the text from AT to END to OUT; return DONE, or what is missing.

    OUT has room up to OUT_END: for IDS_A_BYTE ids for every byte of normalised text.
    """
    reason = _begin(block)
    if reason != layout.DONE:
        return reason
    encoder = machine.loadi64(block + layout.PART_ENCODER)
    while True:
        if machine.loadi64(block + layout.AT) < machine.loadi64(block + layout.END):
            reason = machine.call(encoder, block)
            if reason != layout.DONE:
                return reason
        if not _next_part(block):
            break
    _fuse(block)
    return layout.DONE


@machine.addressed
def spell_part(block):
    """A PART_ENCODER that notes SPANS and leaves the caches alone."""
    end = machine.loadi64(block + layout.END)
    splitter = machine.loadi64(block + layout.SPLITTER)
    ends = machine.loadi64(block + layout.ENDS)
    while machine.loadi64(block + layout.AT) < end:
        begin = machine.loadi64(block + layout.AT)
        number = machine.call(splitter, block)
        for k in range(number):
            stop = machine.loadi64(ends + 8 * k)
            out = merge_by_address(block, begin, stop - begin, machine.loadi64(block + layout.OUT))
            if out < 0:
                machine.storei64(block + layout.AT, begin)
                return -out
            machine.storei64(block + layout.OUT, out)
            begin = stop
    return layout.DONE
