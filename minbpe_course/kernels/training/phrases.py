"""From words to the frequent pairs across them, with which a later stage of training begins.

    phrases   by the way | by the by
    numbers   0 1 2' | 0 1 3'                        a number for each word; ' is the bit LAST
    tokens    b y _the _way | b y _the _ by          what the merges of the stage before make of the words
    parts     _the _way | _the _                     where tokens meet often

Each word has one row of ``words``, uint32[w, 4], so that a cache line brings all of it: its first token, its last one,
how many there are, and its first byte and, times 256, its last one; or, later, its kind.

A merge that is made ``n`` times joins two tokens that meet ``n`` times or more, wherever it is made. So phrases can be
cut where two tokens meet less often, without changing any merge of pairs that occur as often: most phrases fall apart
into single tokens, which are left out, and few distinct parts remain.

Reference implementation: ``reference.superwords``, which keeps all phrases whole.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.encoding.backtracking import side_by_side

# A bit of the number of a word that is the last one of its phrase.
LAST = 1 << 31

# Columns of ``words``, and the kinds of words, see ``note_kinds``. Only one of KIND and EDGES is needed at a time.
FIRST, FINAL, NUMBER, EDGES, KIND = 0, 1, 2, 3, 3
ONE, NONE, SOME = range(3)


@compiled
def mark_last(numbers, stops):
    """Mark the last word of each phrase; numbers : uint32[n] · stops : int64[p], how many words there are up to it."""
    for stop in stops:
        numbers[stop - 1] |= np.uint32(LAST)


@compiled
def join_words(numbers, counts, words, meets, address, spread, known, new, groups, ends, places, weights):
    """Put one entry in the place of neighbouring words whose tokens do not fit together; compact the row.

    numbers : uint32[n], the words of phrases · counts : int64, how often each phrase occurs, or empty if each occurs
    once · words : uint32[w, 4], what the module says · meets : bool[65536], whether a merge joins a token that ends
    with the one byte, times 256, and one that begins with the other · address : of the block of an encoder, with
    ``last_merges`` · known : int64 of -1, a power of two of them: a cache of tested pairs, where ``left * spread +
    right`` says · new : pairs of words below this number were tested by an earlier call · groups : uint32[n], becomes
    the words of all groups, end to end · ends : int64[n / 2], where each group ends there, in bytes · places, weights :
    int64[n / 2], where its entry is, which has only the bit LAST, and how often its phrase occurs.

    Returns how many entries and how many groups there are.
    """
    block = layout.block_at(address)
    mask = known.size - 1
    to = count = size = phrase = 0
    inside = False
    before = np.int64(-1)
    for number in numbers:
        word = np.int64(number) & (LAST - 1)
        joined = False
        if (
            inside
            and (word >= new or before >= new)
            and meets[words[before, EDGES] & 0xFF00 | words[word, EDGES] & 0xFF]
        ):
            left, right = np.int64(words[before, FINAL]), np.int64(words[word, FIRST])
            pair = left << 32 | right
            place = (left * spread + right) & mask
            if known[place] >> 1 != pair:
                known[place] = pair << 1 | (0 if side_by_side(block, left, right) else 1)
            joined = known[place] & 1 != 0
        if joined:
            if count == 0 or places[count - 1] != to - 1:
                places[count] = to - 1
                weights[count] = counts[phrase] if counts.size > 0 else 1
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
        phrase += np.int64(number) >> 31
    return to, count


@compiled
def bound_pairs(numbers, counts, words, spread, bounds):
    """Add up how often tokens of neighbouring words meet, many pairs in one sum: no pair meets more often.

    Arrays as in ``join_words``, and bounds : int64 of 0, a power of two of sums; that of a pair is at ``left * spread +
    right``. Returns how many tokens the phrases have.
    """
    mask = bounds.size - 1
    total = phrase = before = inside = np.int64(0)
    for number in numbers:
        word, last = np.int64(number) & (LAST - 1), np.int64(number) >> 31
        count = counts[phrase] if counts.size > 0 else 1
        # Without a branch: the pair of two phrases adds nothing to the sum of some other pair.
        bounds[(before * spread + np.int64(words[word, FIRST])) & mask] += count & -inside
        total += np.int64(words[word, NUMBER])
        before = np.int64(words[word, FINAL])
        inside = 1 - last
        phrase += last
    return total


@compiled
def bound_inner_pairs(uses, tokens, starts, spread, bounds):
    """Add the pairs inside words.

    uses : int64[w], how often each word occurs at most · tokens, starts : uint32, the tokens of all words, end to end,
    and where those of each word begin, and the end.
    """
    mask = bounds.size - 1
    for word in range(starts.size - 1):
        for at in range(starts[word] + 1, starts[word + 1]):
            bounds[(np.int64(tokens[at - 1]) * spread + np.int64(tokens[at])) & mask] += uses[word]


@helper
def _stay_together(left, right, spread, frequent):
    """Return 1 if two neighbouring tokens are frequent together, else 0."""
    place = (left * spread + right) & (8 * frequent.size - 1)
    return np.int64(frequent[place >> 3]) >> (place & 7) & 1


@compiled
def note_kinds(tokens, starts, spread, frequent, words):
    """Note the kind of each word: ONE token; or more, of which NONE stay together, or SOME.

    Arrays as before, and frequent : uint8, a bit for each sum, whether pairs there stay together.
    """
    for word in range(starts.size - 1):
        kind = ONE if starts[word + 1] - starts[word] == 1 else NONE
        for at in range(starts[word] + 1, starts[word + 1]):
            if _stay_together(np.int64(tokens[at - 1]), np.int64(tokens[at]), spread, frequent):
                kind = SOME
        words[word, KIND] = kind


@compiled
def keep_frequent(numbers, counts, words, tokens, starts, spread, frequent, parts, ends, weights):
    """Cut phrases between tokens that rarely meet; write the parts of several tokens.

    Arrays as before, and: parts : uint32 with room for all tokens and one, becomes those of the parts, end to end ·
    ends : int64 with room for half as many and one, where each part ends there, in bytes · weights : int64 with the
    same room, how often its phrase occurs, or empty if each occurs once. Returns how many parts there are.
    """
    phrase = made = size = before = kept = inside = weight = np.int64(0)
    weighted = counts.size > 0
    # One border in three stays, and the processor cannot predict which one. So this loop does not branch: it overwrites
    # the value that it wrote too early. kept : whether ``before`` belongs to a part.
    for number in numbers:
        word, last = np.int64(number) & (LAST - 1), np.int64(number) >> 31
        kind, token = words[word, KIND], np.int64(words[word, FIRST])
        together = _stay_together(before, token, spread, frequent) & inside
        parts[size] = before
        size += kept | together
        ends[made] = 4 * size
        if weighted:
            weights[made] = weight
            weight = counts[phrase]
        made += kept & (1 - together)
        kept = together
        if kind == SOME:
            for at in range(starts[word] + 1, starts[word + 1]):
                before, token = token, np.int64(tokens[at])
                together = _stay_together(before, token, spread, frequent)
                parts[size] = before
                size += kept | together
                ends[made] = 4 * size
                if weighted:
                    weights[made] = weight
                made += kept & (1 - together)
                kept = together
        cut = np.int64(kind == NONE) & kept
        parts[size] = token
        size += cut
        ends[made] = 4 * size
        if weighted:
            weights[made] = weight
        made += cut
        kept -= cut
        before = np.int64(words[word, FINAL])
        inside = 1 - last
        phrase += last
    parts[size] = before
    size += kept
    ends[made] = 4 * size
    if weighted:
        weights[made] = weight
    return made + kept
