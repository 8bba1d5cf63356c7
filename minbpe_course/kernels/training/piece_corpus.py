"""From lines to the words that SentencePiece's trainer counts, and how often each character occurs in them.

    lines       "to be,\\n\\nor not"            kept, without those that are empty, too long or hold U+2585
    normalized  ▁to▁be,  ▁or▁not               ``sentencepiece.normalize``
    words       ▁to ▁be, ▁or ▁not              cut at ▁; before that, reserved pieces such as <s> become U+001F

Everything is UTF-8, except that ▁ is one byte, a space: the normalizer writes it so, and no other space is left.
Reference implementation: ``reference.piece_training``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.sentencepiece.piece_trie import longest_piece
from minbpe_course.kernels.splitting.windows import character_at

LINE_FEED, SPACE, BORDER = 0x0A, 0x20, 0x1F

# How ``cut_words`` treats spaces.
BY_SPACE, SUFFIX, RUNS = 1, 2, 4


@compiled
def keep_lines(text, longest, out, ends):
    """Copy the lines that training uses to ``out``, end to end, without their line feeds.

    text : uint8[n] · longest : in bytes · out : uint8[n] · ends : int64, one for each line feed and one more; where
    each kept line ends in ``out``. Returns how many were kept and how many were too long.
    """
    used = 0
    first = 0
    kept = 0
    too_long = 0
    reserved = False
    for at in range(text.size + 1):
        if at < text.size and text[at] != LINE_FEED:
            out[used] = text[at]
            used += 1
            if text[at] == 0x85 and used - first >= 3 and out[used - 2] == 0x96 and out[used - 3] == 0xE2:
                reserved = True
            continue
        if used - first > longest:
            too_long += 1
            used = first
        elif reserved:
            used = first
        elif used > first:
            ends[kept] = used
            kept += 1
        first = used
        reserved = False
    return kept, too_long


@compiled
def normalize_sentences(address, text, ends, start, used, out, out_ends):
    """Normalize sentences from number ``start`` on; return how many are done and how many bytes of ``out`` are used.

    address : of the normalizer's block, see ``layout`` · text : address · ends : int64[sentences] · out : uint8 ·
    out_ends : int64[sentences]. If ``out`` is too short, fewer are done.
    """
    block = layout.block_at(address)
    at = text + ends[start - 1] if start > 0 else text
    base = out.ctypes.data
    for sentence in range(start, ends.size):
        block.at = at
        at = text + ends[sentence]
        block.end = at
        block.text = base + used
        block.text_size = out.size - used
        if machine.call(block.normalizer, address) != layout.DONE:
            return sentence, used
        used = block.text_end - base
        out_ends[sentence] = used
    return ends.size, used


@compiled
def cut_words(address, text, ends, how, word_ends, words_until):
    """Replace reserved pieces by U+001F and cut sentences into words, in place; return how many words there are.

    address : of a block, whose trie ``users`` has the reserved pieces, and ``user_starts`` the bytes with which they
    begin · text : address of normalized sentences, end to end · ends : int64[sentences] · how : BY_SPACE | SUFFIX |
    RUNS · word_ends : int64, one for each space and each sentence · words_until : int64[sentences], how many words
    there are up to the end of each sentence.
    """
    block = layout.block_at(address)
    starts = block.user_starts
    out = text
    at = text
    words = 0
    by_space, suffix, runs = how & BY_SPACE != 0, how & SUFFIX != 0, how & RUNS != 0
    for sentence in range(ends.size):
        end = text + ends[sentence]
        first = out
        after_space = False
        while at < end:
            byte = machine.load8(at)
            length = np.int64(0)
            if machine.load8(starts + byte) != 0:
                length, _ = longest_piece(block.users, at, end)
                byte = BORDER if length > 0 else byte
            space = byte == SPACE
            if by_space and out > first:
                here, there = (after_space, space) if suffix else (space, after_space)
                if here and not (runs and there):
                    word_ends[words] = out - text
                    words += 1
            machine.store8(out, byte)
            out += 1
            at += max(length, 1)
            after_space = space
        if out > first:
            word_ends[words] = out - text
            words += 1
        words_until[sentence] = words
    return words


@compiled
def count_characters(text, ends, counts, totals):
    """Add to ``totals`` how often each character occurs; return how many characters the words have.

    text : uint8 · ends, counts : int64[words] · totals : int64[0x110000].
    """
    at = 0
    characters = 0
    for word in range(ends.size):
        weight = counts[word]
        while at < ends[word]:
            found = character_at(text.ctypes.data + at)
            at += found & 7
            totals[found >> 3] += weight
            characters += 1
    return characters
