"""From words to the pairs that matter across them: what a later stage of training begins with.

    phrases   by the way | by the by
    numbers   0 1 2' | 0 1 3'                        a number for each word; ' is the bit LAST
    tokens    b y _the _way' | b y _the _ by'        what the merges of the stage before make of the words
    parts     _the _way | _the _                     where tokens meet often

A merge that is made ``n`` times joins two tokens that meet ``n`` times or more, wherever it is made. So phrases can be
cut where two tokens meet less often, without changing any merge of pairs that occur as often: most phrases fall apart
into single tokens, which are left out, and few distinct parts remain.

Reference implementation: ``reference.superwords``, which keeps all phrases whole.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled

# A bit of the number of a word that is the last one of its phrase.
LAST = 1 << 31


@compiled
def mark_last(numbers, stops):
    """Mark the last word of each phrase; numbers : uint32[n] · stops : int64[p], how many words there are up to it."""
    for stop in stops:
        numbers[stop - 1] |= np.uint32(LAST)


@compiled
def join_words(numbers, edges, meets, groups, ends, places):
    """Put one entry in the place of words that must be encoded together, since a merge may join them; compact the row.

    numbers : uint32[n] · edges : uint16 for each word, its first byte and, times 256, its last one · meets :
    bool[65536], whether a merge joins a token that ends with the one byte, times 256, and one that begins with the
    other · groups : uint32[n], becomes the words of all groups, end to end · ends : int64[n / 2], where each group ends
    there, in bytes · places : int64[n / 2], where its entry is; that has only the bit LAST.

    Returns how many entries and how many groups there are.
    """
    to = count = size = 0
    end = np.int64(-1)
    before = np.int64(-1)
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        edge = np.int64(edges[word])
        if end >= 0 and meets[end << 8 | edge & 255]:
            if size == 0 or count == 0 or places[count - 1] != to - 1:
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
        end = -1 if number & np.uint32(LAST) else edge >> 8
    return to, count


@compiled
def count_tokens(numbers, starts):
    """Return how many tokens the phrases have; arrays as in ``write_tokens``."""
    total = np.int64(0)
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        total += starts[word + 1] - starts[word]
    return total


@compiled
def write_tokens(numbers, tokens, starts, row):
    """Write the tokens of phrases to ``row``, uint32, and mark the last one of each; return how many there are.

    numbers : uint32[n] · tokens : uint32, those of all words, end to end, and three more that are read and not used ·
    starts : int64, where the tokens of each word begin, and the end · ``row`` has room for three more.
    """
    to = 0
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        at, stop = starts[word], starts[word + 1]
        # Nearly all words have four tokens or fewer: copying four without asking costs less than counting.
        for k in range(4):
            row[to + k] = tokens[at + k]
        for k in range(4, stop - at):
            row[to + k] = tokens[at + k]
        to += stop - at
        row[to - 1] |= number & np.uint32(LAST)
    return to


@compiled
def bound_pairs(row, counts, spread, bounds):
    """Add up how often pairs occur, many pairs in one sum: no pair occurs more often than its sum says.

    row : uint32, the tokens of phrases, the last one of each marked · counts : int64, how often each phrase occurs, or
    empty if each occurs once · bounds : int64 of 0, a power of two of sums; that of a pair is at ``left * spread +
    right``.
    """
    mask = bounds.size - 1
    phrase = np.int64(0)
    for at in range(row.size - 1):
        token = np.int64(row[at])
        last = token >> 31
        count = counts[phrase] if counts.size > 0 else 1
        # Without a branch: the pair of two phrases adds nothing to the sum of some other pair.
        bounds[(token * spread + (np.int64(row[at + 1]) & (LAST - 1))) & mask] += count & (last - 1)
        phrase += last


@compiled
def keep_frequent(row, counts, spread, bounds, least, parts, ends, weights):
    """Cut phrases where two tokens meet less than ``least`` times by ``bounds``; write the parts of several tokens.

    Arrays as in ``bound_pairs``, and: parts : uint32 with room for all tokens, becomes those of the parts, end to end ·
    ends : int64 with room for half as many and one, where each part ends there, in bytes · weights : int64 with the
    same room, how often its phrase occurs. Returns how many parts there are.
    """
    mask = bounds.size - 1
    phrase = made = size = before = np.int64(0)
    token = np.int64(row[0]) if row.size > 0 else np.int64(LAST)
    for at in range(row.size):
        last = token >> 31
        next_token = np.int64(row[min(at + 1, row.size - 1)])
        count = counts[phrase] if counts.size > 0 else 1
        together = bounds[(token * spread + (next_token & (LAST - 1))) & mask]
        # Without a branch: 1 if the sum is not less, and what is written too early is overwritten.
        after = ~((together - least) >> 63) & (1 - last)
        parts[size] = token & (LAST - 1)
        size += before | after
        ends[made] = 4 * size
        weights[made] = count
        made += before & (1 - after)
        phrase += last
        before = after
        token = next_token
    return made
