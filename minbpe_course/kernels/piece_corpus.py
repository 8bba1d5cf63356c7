"""From lines to the words that SentencePiece's trainer sees, and how often each character occurs in them.

    lines       "to be,\\n\\nor not"            kept, without those that are empty, too long or hold U+2585
    normalised  ▁to▁be,  ▁or▁not               ``kernels.normalize``
    words       ▁to ▁be, ▁or ▁not              cut at ▁; a reserved piece such as <s> has become U+001F before that

Everything is UTF-8; what the normaliser wrote is valid. Twin: ``reference.piece_training``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.compiled import compiled, helper
from minbpe_course.kernels.normalize import longest_piece

LINE_FEED, BORDER = 0x0A, 0x1F

# What ``cut_words`` is told about spaces.
BY_SPACE, SUFFIX, RUNS = 1, 2, 4


@compiled
def keep_lines(text, longest, out, ends):
    """Copy the lines that training looks at to ``out``, one behind the other without their line feeds.

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
def cut_words(text, ends, starts, trie_keys, trie_nodes, trie_ids, how, word_ends, words_until):
    """Replace reserved pieces by U+001F and cut sentences into words, in place; return how many words there are.

    text : uint8, normalised sentences one behind the other · ends : int64[sentences], moved to where they end
    afterwards · starts, trie_keys, trie_nodes, trie_ids : the reserved pieces, see ``packing_pieces.pack_rules`` · how :
    BY_SPACE | SUFFIX | RUNS · word_ends : int64, room for a word in three bytes and one in each sentence ·
    words_until : int64[sentences], how many words there are up to the end of each sentence.
    """
    used = 0
    at = 0
    words = 0
    by_space, suffix, runs = how & BY_SPACE != 0, how & SUFFIX != 0, how & RUNS != 0
    for sentence in range(ends.size):
        end = ends[sentence]
        first = used
        after_space = False
        while at < end:
            lead = text[at]
            length = 1
            if starts[lead] != 0:
                found, _ = longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids)
                if found > 0:
                    if suffix and by_space and after_space and used > first:
                        word_ends[words] = used
                        words += 1
                    text[used] = BORDER
                    used += 1
                    at += found
                    after_space = False
                    continue
            if lead >= 0x80:
                length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            space = lead == 0xE2 and text[at + 1] == 0x96 and text[at + 2] == 0x81
            if by_space and used > first:
                if suffix:
                    begins = after_space and not (runs and space)
                else:
                    begins = space and not (runs and after_space)
                if begins:
                    word_ends[words] = used
                    words += 1
            for _ in range(length):
                text[used] = text[at]
                used += 1
                at += 1
            after_space = space
        if used > first:
            word_ends[words] = used
            words += 1
        ends[sentence] = used
        words_until[sentence] = words
    return words


@helper
def character_at(text, at):
    """The character that begins at ``at``: code point << 3 | bytes."""
    lead = np.int64(text[at])
    if lead < 0x80:
        return lead << 3 | 1
    if lead < 0xE0:
        return ((lead & 0x1F) << 6 | np.int64(text[at + 1]) & 0x3F) << 3 | 2
    middle = np.int64(text[at + 1]) & 0x3F
    if lead < 0xF0:
        return ((lead & 0x0F) << 12 | middle << 6 | np.int64(text[at + 2]) & 0x3F) << 3 | 3
    last = (np.int64(text[at + 2]) & 0x3F) << 6 | np.int64(text[at + 3]) & 0x3F
    return ((lead & 0x07) << 18 | middle << 12 | last) << 3 | 4


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
            found = character_at(text, at)
            at += found & 7
            totals[found >> 3] += weight
            characters += 1
    return characters
