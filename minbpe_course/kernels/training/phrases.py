"""From words to the pairs that matter across them: what a later stage of training begins with.

    phrases   by the way | by the by
    numbers   0 1 2' | 0 1 3'                        a number for each word; ' is the bit LAST
    tokens    b y _the _way | b y _the _ by          what the merges of the stage before make of the words
    parts     _the _way | _the _                     where tokens meet often

A merge that is made ``n`` times joins two tokens that meet ``n`` times or more, wherever it is made. So phrases can be
cut where two tokens meet less often, without changing any merge of pairs that occur as often: most phrases fall apart
into single tokens, which are left out, and few distinct parts remain.

Reference implementation: ``reference.superwords``, which keeps all phrases whole.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.encoding.backtracking import side_by_side

# A bit of the number of a word that is the last one of its phrase.
LAST = 1 << 31


@compiled
def mark_last(numbers, stops):
    """Mark the last word of each phrase; numbers : uint32[n] · stops : int64[p], how many words there are up to it."""
    for stop in stops:
        numbers[stop - 1] |= np.uint32(LAST)


@compiled
def join_words(numbers, edges, meets, outer, address, spread, known, new, groups, ends, places):
    """Put one entry in the place of neighbouring words whose tokens do not fit together; compact the row.

    numbers : uint32[n] · edges : uint16 for each word, its first byte and, times 256, its last one · meets :
    bool[65536], whether a merge joins a token that ends with the one byte, times 256, and one that begins with the
    other · outer : uint32[2, words], the first and the last token of each word · address : of the block of an encoder,
    with ``last_merges`` · known : int64 of -1, a power of two of them: a cache of tested pairs, where ``left * spread +
    right`` says · new : pairs of words below this number were tested by an earlier call · groups : uint32[n], becomes
    the words of all groups, end to end · ends : int64[n / 2], where each group ends there, in bytes · places : int64[n
    / 2], where its entry is; that has only the bit LAST.

    Returns how many entries and how many groups there are.
    """
    block = layout.block_at(address)
    mask = known.size - 1
    to = count = size = 0
    inside = False
    before = np.int64(-1)
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        joined = False
        if inside and (word >= new or before >= new) and meets[edges[before] & 0xFF00 | edges[word] & 255]:
            left, right = np.int64(outer[1, before]), np.int64(outer[0, word])
            pair = left << 32 | right
            place = (left * spread + right) & mask
            if known[place] >> 1 != pair:
                known[place] = pair << 1 | (0 if side_by_side(block, left, right) else 1)
            joined = known[place] & 1 != 0
        if joined:
            if count == 0 or places[count - 1] != to - 1:
                places[count] = to - 1
                groups[size] = before
                size += 1
                count += 1
            groups[size] = word
            size += 1
            ends[count - 1] = 4 * size
            numbers[to - 1] = number & np.uint32(LAST)
        else:
            numbers[to] = number
            to += 1
        before = word
        inside = number & np.uint32(LAST) == 0
    return to, count


@compiled
def bound_pairs(numbers, counts, tokens, starts, spread, bounds):
    """Add up how often pairs of tokens occur, many pairs in one sum: no pair occurs more often than its sum says.

    numbers : uint32, the words of phrases, the last one of each marked · counts : int64, how often each phrase occurs,
    or empty if each occurs once · tokens : uint32, those of all words, end to end · starts : uint32, where those of
    each word begin, and the end · bounds : int64 of 0, a power of two of sums; that of a pair is at ``left * spread +
    right``. Returns how many tokens the phrases have.
    """
    mask = bounds.size - 1
    total = phrase = before = inside = np.int64(0)
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        last = np.int64(number) >> 31
        count = counts[phrase] if counts.size > 0 else 1
        total += starts[word + 1] - starts[word]
        for at in range(starts[word], starts[word + 1]):
            token = np.int64(tokens[at])
            # Without a branch: the pair of two phrases adds nothing to the sum of some other pair.
            bounds[(before * spread + token) & mask] += count & -inside
            before = token
            inside = np.int64(1)
        inside = 1 - last
        phrase += last
    return total


@compiled
def keep_frequent(numbers, counts, tokens, starts, spread, frequent, parts, ends, weights):
    """Cut phrases between tokens that rarely meet; write the parts of several tokens.

    Arrays as in ``bound_pairs``, and: frequent : uint8, a bit for each sum, whether pairs there are kept together ·
    parts : uint32 with room for all tokens and one, becomes those of the parts, end to end · ends : int64 with room for
    half as many and one, where each part ends there, in bytes · weights : int64 with the same room, how often its
    phrase occurs, or empty if each occurs once. Returns how many parts there are.
    """
    mask = 8 * frequent.size - 1
    phrase = made = size = before = kept = inside = np.int64(0)
    weighted = counts.size > 0
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        last = np.int64(number) >> 31
        for at in range(starts[word], starts[word + 1]):
            token = np.int64(tokens[at])
            place = (before * spread + token) & mask
            # 1 if the token before stays with this one. Without a branch: what is written too early is overwritten.
            together = np.int64(frequent[place >> 3]) >> (place & 7) & inside
            parts[size] = before
            size += kept | together
            ends[made] = 4 * size
            if weighted:
                weights[made] = counts[phrase - 1 + inside]
            made += kept & (1 - together)
            before, kept, inside = token, together, np.int64(1)
        inside = 1 - last
        phrase += last
    parts[size] = before
    size += kept
    ends[made] = 4 * size
    if weighted:
        weights[made] = counts[phrase - 1]
    return made + kept
