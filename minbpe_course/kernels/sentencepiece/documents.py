"""A whole text for a SentencePiece model: normalized, cut at user-defined pieces, encoded part by part.

    text --normalize-->  text  | part | <user> | part | <user><user> | part |
                                 ids     id      ids     id    id      ids

User-defined pieces are found from the left, the longest first, and merge with nothing. Each part between two of them
goes to ``part_encoder`` (``encoding.encode_text`` over ``segments``). Adjacent unknown ids become one.

    user_starts   uint8[256], 1 for each byte with which a user-defined piece can begin; 0 without such pieces
    users         their trie, see ``piece_trie``

When something is missing, both functions return the reason and are called again; if ``at`` is inside ``text``, a text
was begun. Reference implementation: ``reference.pieces``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.encoding import drop_counted, merge_by_address
from minbpe_course.kernels.sentencepiece.normalize import SLACK
from minbpe_course.kernels.sentencepiece.piece_trie import longest_piece
from minbpe_course.kernels.sentencepiece.pieces import note_span

# Ids beyond those: the kernels store four at a time.
OUT_SLACK = 4


@helper
def _next_user(block, at, end):
    """Return where the next user-defined piece begins, or ``end``."""
    starts = block.user_starts
    if starts == 0:
        return end
    while at < end:
        if machine.load8(starts + machine.load8(at)) != 0:
            length, _ = longest_piece(block.users, at, end)
            if length > 0:
                return at
        at += 1
    return end


@helper
def _begin(block):
    """Normalize the text and start with an empty part; return DONE, or why that is not possible yet."""
    text = block.text
    at = block.at
    if not text <= at <= text + block.text_size:
        reason = machine.call(block.normalizer, machine.address_of(block))
        if reason != layout.DONE:
            return reason
        block.at = text
        block.end = text
        block.limit = block.text_end + SLACK
        block.first_out = 0
    if block.first_out == 0:
        out = block.out
        most = (block.text_end - text) * block.ids_a_byte
        if out + 4 * (most + OUT_SLACK) > block.out_end and block.count_from == 0:
            return layout.NEEDS_OUT
        block.first_out = out
        block.first_span = block.spans
    return layout.DONE


@helper
def _next_part(block):
    """Write the id of the user-defined piece after the last part, if there is one, and find the next part.

    Returns False at the end of the text.
    """
    at = block.end
    end = block.text_end
    if at == end:
        return False
    length = np.int64(0)
    if block.user_starts != 0:
        length, piece = longest_piece(block.users, at, end)
        if length > 0:
            out = block.out
            machine.store32(out, piece)
            block.out = out + 4
            note_span(block, at, length)
    at += length
    block.at = at
    block.end = _next_user(block, at, end)
    return True


@helper
def _fuse(block):
    """Make one id of adjacent unknown ones, and one span."""
    unknown = block.unknown
    spans = block.first_span
    if block.byte_ids != 0:
        return
    at = to = block.first_out
    end = block.out
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
    block.out = to


@machine.addressed
def encode_document(address):
    """Encode the text from ``at`` to ``end`` to ``out``; return DONE, or why that is not possible yet.

    ``out`` has room up to ``out_end``: for ``ids_a_byte`` ids for every byte of normalized text.
    """
    block = layout.block_at(address)
    reason = _begin(block)
    if reason != layout.DONE:
        return reason
    encoder = block.part_encoder
    while True:
        drop_counted(block)
        if block.at < block.end:
            reason = machine.call(encoder, address)
            if reason != layout.DONE:
                return reason
        if not _next_part(block):
            break
    _fuse(block)
    return layout.DONE


@machine.addressed
def spell_part(address):
    """Encode a part, noting ``spans``, without the caches: a ``part_encoder``."""
    block = layout.block_at(address)
    end = block.end
    splitter = block.splitter
    ends = block.ends
    while block.at < end:
        begin = block.at
        number = machine.call(splitter, address)
        for k in range(number):
            stop = machine.loadi64(ends + 8 * k)
            out = merge_by_address(block, begin, stop - begin, block.out)
            if out < 0:
                block.at = begin
                return -out
            block.out = out
            begin = stop
    return layout.DONE
