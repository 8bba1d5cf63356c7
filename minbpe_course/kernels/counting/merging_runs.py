"""Merging sorted runs: of the words that come next in each input, the least one, again and again.

Blocks are decoded by ``runs``; here the words of many inputs are merged with a tree of losers. Every inner place keeps
who lost there, the winner is on top, and to let the next one win, one path from the leaf to the top is played again,
one comparison for each level. Most are decided by the first eight bytes, kept as a number in input and tree.

    input   TEXT     ENDS     COUNTS   FIRSTS   WORDS   NEXT     AT           LENGTH        KEY
            of a decoded block, addresses       there   of them  the address  bytes; -1:    its first eight
                                                        is next  of that word no more words bytes, see ``sorting``

When an input has come to the end of its block or the output is full, the kernel comes back, Python reads or writes, and
it goes on where it was. The last word of the output stays open, since another input may have it too; it is closed, or
dropped when it is too rare, when a greater one comes. Everything is in one block of numbers. Twin: ``reference.runs``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import load64, loadi64, store64, storei64
from minbpe_course.kernels.counting.runs import LARGEST, copy, shared_bytes
from minbpe_course.kernels.counting.sorting import SLACK, key_at, less

# Places in an input, and its bytes.
TEXT, ENDS, COUNTS, FIRSTS, WORDS, NEXT, AT, LENGTH, KEY = range(0, 72, 8)
INPUT = 72
# Bytes of a place in the tree: an input, and the key of its word.
NODE = 16
# Places in the block of a merge.
INPUTS, NUMBER, TREE, STARTED, PLAYING, MIN_FREQUENCY = range(0, 48, 8)
OUT, OUT_ENDS, OUT_COUNTS, OUT_FIRSTS, ROOM, ROOM_TEXT, DONE_WORDS, USED, OPEN = range(48, 120, 8)
DROPPED, DROPPED_OCCURRENCES, DROPPED_BYTES, WANTED = range(120, 152, 8)
BLOCK = 19
# Why it came back.
DONE, NEEDS_BLOCK, NEEDS_ROOM, COUNT_TOO_LARGE = range(4)


@helper
def _show_word(each):
    """Note where the next word of an input is. Of one that has no more, the key is the greatest there is."""
    if loadi64(each + LENGTH) < 0:
        store64(each + KEY, np.uint64(0xFFFFFFFFFFFFFFFF))
        return
    number = loadi64(each + NEXT)
    ends = loadi64(each + ENDS)
    begin = loadi64(ends + 8 * number - 8) if number > 0 else np.int64(0)
    at = loadi64(each + TEXT) + begin
    length = loadi64(ends + 8 * number) - begin
    storei64(each + AT, at)
    storei64(each + LENGTH, length)
    store64(each + KEY, key_at(at, length))


@helper
def _comes_first(each, other):
    """Whether of two inputs whose keys are the same, the first has the word that comes before that of the other."""
    length, other_length = loadi64(each + LENGTH), loadi64(other + LENGTH)
    if length < 0 or other_length < 0:
        return other_length < 0
    if min(length, other_length) <= 8:
        return length < other_length
    return less(loadi64(each + AT), length, loadi64(other + AT), other_length, 8)


@helper
def _play(inputs, number, tree, player):
    """Let an input play from its leaf upwards; who wins at the top is in place 0 of the tree.

    A place that is still empty, -1, keeps whoever comes first.
    """
    key = load64(inputs + INPUT * player + KEY)
    place = (player + number) >> 1
    while place > 0:
        node = tree + NODE * place
        other, other_key = loadi64(node), load64(node + 8)
        if other < 0:
            storei64(node, player)
            store64(node + 8, key)
            return
        swap = other_key < key
        if other_key == key:
            swap = _comes_first(inputs + INPUT * other, inputs + INPUT * player)
        # Who wins cannot be foretold, so nothing branches on it: what the two differ in changes sides, or nothing does.
        keys = (other_key ^ key) & (np.uint64(0) - np.uint64(swap))
        players = (other ^ player) & -np.int64(swap)
        storei64(node, other ^ players)
        store64(node + 8, other_key ^ keys)
        player, key = player ^ players, key ^ keys
        place >>= 1
    storei64(tree, player)


@compiled
def merge_words(block):
    """Merge until an input has no word left in its block, or the output no room; return which, or DONE.

    NEEDS_BLOCK : the input is in PLAYING; it gets a block, or LENGTH -1. NEEDS_ROOM : words, or WANTED bytes.
    """
    inputs, number, tree = loadi64(block + INPUTS), loadi64(block + NUMBER), loadi64(block + TREE)
    out, ends, counts, firsts = (
        loadi64(block + OUT),
        loadi64(block + OUT_ENDS),
        loadi64(block + OUT_COUNTS),
        loadi64(block + OUT_FIRSTS),
    )
    least = loadi64(block + MIN_FREQUENCY)
    made, used, opened = loadi64(block + DONE_WORDS), loadi64(block + USED), loadi64(block + OPEN)
    open_key = key_at(out + used - opened, opened)
    if loadi64(block + STARTED) == 0:
        for player in range(number):
            storei64(tree + NODE * player, -1)
        for player in range(number):
            _show_word(inputs + INPUT * player)
        for player in range(number):
            _play(inputs, number, tree, player)
        storei64(block + STARTED, 1)
    elif loadi64(block + PLAYING) >= 0:
        player = loadi64(block + PLAYING)
        _show_word(inputs + INPUT * player)
        _play(inputs, number, tree, player)
    storei64(block + PLAYING, -1)
    reason = DONE
    while True:
        winner = loadi64(tree)
        each = inputs + INPUT * winner
        length, key = loadi64(each + LENGTH), load64(each + KEY)
        at, word = loadi64(each + AT), loadi64(each + NEXT)
        if (
            length == opened
            and key == open_key
            and (length <= 8 or shared_bytes(out + used - opened + 8, at + 8, length - 8) == length - 8)
        ):
            count, first = loadi64(loadi64(each + COUNTS) + 8 * word), loadi64(loadi64(each + FIRSTS) + 8 * word)
            so_far = loadi64(counts + 8 * made - 8)
            if so_far > LARGEST - count:
                reason = COUNT_TOO_LARGE
                break
            storei64(counts + 8 * made - 8, so_far + count)
            storei64(firsts + 8 * made - 8, min(first, loadi64(firsts + 8 * made - 8)))
        else:
            if opened > 0:
                # Complete now; if it is too rare, what comes next takes its place.
                count = loadi64(counts + 8 * made - 8)
                if count < least:
                    made -= 1
                    used -= opened
                    storei64(block + DROPPED, loadi64(block + DROPPED) + 1)
                    storei64(block + DROPPED_OCCURRENCES, loadi64(block + DROPPED_OCCURRENCES) + count)
                    storei64(block + DROPPED_BYTES, loadi64(block + DROPPED_BYTES) + count * opened)
                opened = 0
            if length < 0:
                break
            if made == loadi64(block + ROOM) or used + length + SLACK > loadi64(block + ROOM_TEXT):
                storei64(block + WANTED, length + SLACK)
                reason = NEEDS_ROOM
                break
            count, first = loadi64(loadi64(each + COUNTS) + 8 * word), loadi64(loadi64(each + FIRSTS) + 8 * word)
            copy(out + used, at, length)
            used += length
            storei64(ends + 8 * made, used)
            storei64(counts + 8 * made, count)
            storei64(firsts + 8 * made, first)
            made += 1
            opened, open_key = length, key
        storei64(each + NEXT, word + 1)
        if word + 1 == loadi64(each + WORDS):
            storei64(block + PLAYING, winner)
            reason = NEEDS_BLOCK
            break
        _show_word(each)
        _play(inputs, number, tree, winner)
    storei64(block + DONE_WORDS, made)
    storei64(block + USED, used)
    storei64(block + OPEN, opened)
    return reason
