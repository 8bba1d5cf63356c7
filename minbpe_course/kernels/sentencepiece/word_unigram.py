"""Unigram as the `tokenizers` library does it: the cut with the best sum of float64 scores, each word from zero.

    ▁Hello▁world     two words, if a word ends before every ▁; otherwise one

sentencepiece adds float32 scores from the beginning of the text, so the two may differ where ways to cut are about as
good (see ``unigram``). Of equal sums the first one found is kept, and shorter pieces are found first. A character that
begins no piece of one character is also offered as unknown. The unknown piece, and adjacent unknown characters, become
one text: its id if it is a piece, otherwise its bytes or one unknown id. The trie of pieces is that of
``piece_trie``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.sentencepiece.piece_trie import NO_PIECE, ROOT, base_of, character_size, is_child, piece_of

UNKNOWN = -1
NOTHING = -2


@helper
def _word_end(text, begin, size):
    """Return where the word ends that begins at ``begin``: before the next ▁."""
    at = begin + character_size(text[begin])
    while at < size:
        if text[at] == 0xE2 and text[at + 1] == 0x96 and text[at + 2] == 0x81:
            return at
        at += character_size(text[at])
    return at


@helper
def _search(nodes, scores, unknown_score, text, begin, end, best, pieces, starts):
    """Fill in the best sum, the last piece and where it starts, for every place of a word."""
    root = base_of(machine.load64(nodes + 8 * ROOT))
    best[begin] = 0.0
    for place in range(begin + 1, end + 1):
        pieces[place] = NOTHING
    at = begin
    while at < end:
        size = character_size(text[at])
        here = best[at]
        alone = False
        base = root
        place = at
        while place < end:
            byte = np.int64(text[place])
            node = machine.load64(nodes + 8 * (base ^ byte))
            if not is_child(node, byte):
                break
            base = base_of(node)
            place += 1
            piece = piece_of(node)
            if piece != NO_PIECE:
                total = scores[piece] + here
                if pieces[place] == NOTHING or total > best[place]:
                    best[place], pieces[place], starts[place] = total, piece, at
                alone |= place - at == size
        if not alone:
            place = at + size
            total = unknown_score + here
            if pieces[place] == NOTHING or total > best[place]:
                best[place], pieces[place], starts[place] = total, UNKNOWN, at
        at += size


@helper
def _piece_at(nodes, text, begin, end):
    """Return the piece that is exactly this part of the text, or UNKNOWN."""
    node = machine.load64(nodes + 8 * ROOT)
    for place in range(begin, end):
        byte = np.int64(text[place])
        node = machine.load64(nodes + 8 * (base_of(node) ^ byte))
        if not is_child(node, byte):
            return UNKNOWN
    piece = piece_of(node)
    return UNKNOWN if piece == NO_PIECE else piece


@compiled
def encode_words(nodes, scores, unknown_score, unknown_id, byte_ids, cut_at_marks, text, best, pieces, starts, out):
    """Encode normalized text; return how many ids ``out`` has.

    nodes : address of the trie · scores : float64 by id · unknown_score : float64 · unknown_id : the id of the unknown
    piece · byte_ids : int64[256], or empty without byte fallback · cut_at_marks : whether a word ends before every ▁ ·
    text : uint8[n], valid UTF-8 · best : float64[n + 1] · pieces, starts : int64[n + 1] · out : uint32[n].
    """
    size = text.size
    number = 0
    begin = 0
    while begin < size:
        end = _word_end(text, begin, size) if cut_at_marks else size
        _search(nodes, scores, unknown_score, text, begin, end, best, pieces, starts)
        # Backwards along the best path, leaving at each start where its piece ends.
        place = end
        while place > begin:
            before = starts[place]
            if pieces[place] == unknown_id:
                pieces[place] = UNKNOWN
            starts[place] = -1
            best[before] = place
            place = before
        while place < end:
            after = np.int64(best[place])
            piece = pieces[after]
            if piece == UNKNOWN:
                while after < end and pieces[np.int64(best[after])] == UNKNOWN:
                    after = np.int64(best[after])
                piece = _piece_at(nodes, text, place, after)
            if piece != UNKNOWN:
                out[number] = piece
                number += 1
            elif byte_ids.size:
                for k in range(place, after):
                    out[number] = byte_ids[text[k]]
                    number += 1
            else:
                out[number] = unknown_id
                number += 1
            place = after
        begin = end
    return number
