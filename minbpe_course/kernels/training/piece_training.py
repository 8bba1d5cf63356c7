"""The merges of SentencePiece's BPE trainer, found by updating what a merge touches.

``cells`` draws the words, the pairs and their occurrences in memory; here a symbol is a character:

    word     ▁aab, 7 times
    cells    7   H|0   A    B    C    NONE
    codes              0    1    1    2        the number of each character, in code point order; never changed
    back               1    2    3    4

Differences from ``training``:

* **What may be a piece** is decided once, when a pair gets its slot: length, spaces, scripts. A pair that may not be a
  piece has NO_RUN. It is counted like the others, since its slot tells which ids are neighbours, but never merged.
* **Ties**: fewer characters, then the smaller text. ``ties[s]`` is ``characters << 32 | cell`` of an occurrence, living
  or dead, whose ``codes`` are the text. No two pairs spell the same: a stretch of text becomes the same tokens wherever
  it occurs, so one text is put together in one way.
* **Pairs that are gone** (count 0, even those that came and went within one merge) are merged when no other pair is
  left. The text does not change, but the vocabulary grows. So the threshold goes down to 0.

Reference implementation: ``reference.piece_training``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.splitting.windows import character_at
from minbpe_course.kernels.training.cells import (
    DONE,
    EXHAUSTED,
    FAR,
    FIRST_ID,
    MERGES,
    NEEDS_SLOTS,
    NO_RUN,
    NONE,
    SLOTS,
    add_pairs,
    begin_state,
    best_slot,
    open_slot,
    read_header,
    replace_pair,
    write_header,
)
from minbpe_course.kernels.training.tie_break_heap import SHORTEST_PIECE

# Entries of ``rules``: the longest piece in characters, and what is split.
MOST, BY_SPACE, SUFFIX, SPACES_ALONE, BY_SCRIPT = range(5)
RULES = 5

# Kinds of characters; all others are scripts.
KIND_NEVER, KIND_SPACE, KIND_INHERITED, KIND_ANY = 0, 1, 2, 255


@helper
def may_be_piece(cell, length, codes, kinds, rules):
    """Return whether the ``length`` characters from ``cell`` on may be one piece."""
    if length > rules[MOST]:
        return False
    spaces = 0
    misplaced = False
    script = np.uint8(KIND_ANY)
    for k in range(length):
        kind = kinds[codes[cell + k]]
        if kind == KIND_NEVER:
            return False
        if kind == KIND_SPACE:
            spaces += 1
            if rules[SUFFIX] != 0:
                misplaced |= k < length - 1 and (rules[BY_SPACE] != 0 or k == 0)
            else:
                misplaced |= k > 0 and (rules[BY_SPACE] != 0 or k == length - 1)
            continue
        if kind == KIND_INHERITED:
            kind = script
        if rules[BY_SCRIPT] != 0 and kind != KIND_ANY and script != KIND_ANY and kind != script:
            return False
        script = kind
    return not misplaced or (rules[SPACES_ALONE] != 0 and spaces == length)


@helper
def _set_tie(s, length, codes, kinds, rules, runs, ties):
    """Note where the text of a new pair is; give the pair NO_RUN if it may not be a piece."""
    cell = runs[2 * s]
    ties[s] = length << 32 | cell
    if not may_be_piece(cell, length, codes, kinds, rules):
        runs[2 * s] = NO_RUN


@compiled
def lay_out(text, text_ends, counts, numbers, cells, codes, back, ends):
    """Write the words into cells.

    text : uint8[n], the distinct words end to end · text_ends, counts : int64[w], counts below 2**62 · numbers :
    int32[0x110000], the number of each character · cells, codes : uint32, back : uint8, one for each character and two
    for each word · ends : int64[w], becomes one past each word, in characters.
    """
    at = 0
    cell = 0
    for word in range(ends.size):
        write_header(cells, cell, counts[word])
        cell += 2
        begin = cell
        while at < text_ends[word]:
            found = character_at(text.ctypes.data + at)
            at += found & 7
            codes[cell] = numbers[found >> 3]
            cells[cell] = NONE
            back[cell] = cell - begin + 1 if cell - begin + 1 < FAR else FAR
            cell += 1
        ends[word] = cell - 2 * (word + 1)


@compiled
def start_training(
    cells, codes, ends, kinds, rules, table, slot_of, slots, ties, runs, postings, lengths, characters, state
):  # fmt: skip
    """Give every pair of characters its slot and its postings; return how many slots that takes.

    Do nothing if there are too few slots. kinds : uint8[characters] · rules : int64[RULES] · table : int64 of
    -1, a power of two of places and at least twice the pairs, the keys left << 32 | right; slot_of : int32, their
    slots · slots, runs : int64[2 * size] · ties : int64[size] · postings : uint32, three for each cell · lengths :
    int32[vocabulary], characters of each id · characters : how many ids there are before the first merge · state :
    int64[STATE].
    """
    mask = table.size - 1
    made = 0
    room = ties.size
    begin = 0
    for word in range(ends.size):
        cell = begin + 2 * word + 2
        stop = ends[word] + 2 * word + 2
        weight = read_header(cells, cell - 2)
        for at in range(cell, stop - 1):
            left, right = np.int64(codes[at]), np.int64(codes[at + 1])
            key = left << 32 | right
            place = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & mask
            while table[place] != key and table[place] != -1:
                place = (place + 1) & mask
            if table[place] == -1:
                table[place] = key
                slot_of[place] = made
                if made < room:
                    open_slot(made, left, right, at, slots, runs)
                    _set_tie(made, 2, codes, kinds, rules, runs, ties)
                made += 1
            s = np.int64(slot_of[place])
            cells[at] = s
            if s < room:
                slots[2 * s] += weight
                runs[2 * s + 1] += 1
        begin = ends[word]
    if made > room:
        return made
    begin_state(made, ends, cells, runs, postings, state)
    state[FIRST_ID] = characters
    for character in range(characters):
        lengths[character] = 1
    return made


@compiled
def train_pieces(
    stop_at, ends, cells, codes, back, kinds, rules, slots, ties, runs, postings, heap, lengths, slot_before,
    slot_after, born, merges, counts, state,
):  # fmt: skip
    """Make merges until there are ``stop_at``; return DONE, EXHAUSTED (no pair left) or NEEDS_SLOTS.

    Arrays as in ``start_training``, and: heap : int64[3 * size] · slot_before, slot_after : int32[vocabulary] filled
    with -1, the slot of (x, new) and of (new, x) while one merge is made · born : uint32[4 * cells], cell and slot of
    each occurrence born in one merge · merges : int64[merges], ``characters << 32 | cell`` of each piece · counts :
    int64[merges].
    """
    rule, texts = SHORTEST_PIECE, codes.ctypes.data
    while state[MERGES] < stop_at:
        best = best_slot(rule, 0, cells, slots, runs, postings, ties, heap, texts, state)
        if best < 0:
            return EXHAUSTED
        if state[SLOTS] + 2 * (runs[2 * best + 1] - runs[2 * best]) > ties.size:
            return NEEDS_SLOTS
        merge = state[MERGES]
        new = state[FIRST_ID] + merge
        pair = slots[2 * best + 1]
        merges[merge] = ties[best]
        counts[merge] = slots[2 * best]
        length_x = np.int64(lengths[pair >> 32])
        length = ties[best] >> 32
        lengths[new] = length
        made, births, _ = replace_pair(
            best, new, length_x, length, ends, cells, back, slots, runs, postings, slot_before, slot_after, born, state
        )
        for s in range(state[SLOTS], made):
            pair = slots[2 * s + 1]
            whole = np.int64(lengths[pair >> 32]) + np.int64(lengths[pair & 0xFFFFFFFF])
            _set_tie(s, whole, codes, kinds, rules, runs, ties)
        add_pairs(rule, made, births, cells, slots, runs, postings, ties, heap, texts, born, state)
    return DONE
