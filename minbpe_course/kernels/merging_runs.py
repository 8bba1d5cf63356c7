"""Merging sorted runs: of the words that come next in each input, the least one, again and again.

Blocks are decoded by ``runs``; here the words of many inputs are merged with a tree of losers. Every inner place keeps
who lost there, the winner is on top, and to let the next one win, one path from the leaf to the top is played again,
one comparison for each level. Most are decided by the first eight bytes, which each input keeps as a number.

    input   TEXT     ENDS     COUNTS   FIRSTS   WORDS   NEXT     AT           LENGTH        KEY
            of a decoded block, addresses       there   of them  the address  bytes; -1:    its first eight
                                                        is next  of that word no more words bytes, see ``sorting``

When an input has come to the end of its block or the output is full, the kernel comes back, Python reads or writes, and
it goes on where it was. The last word of the output stays open, since another input may have it too; it is closed, or
dropped when it is too rare, when a greater one comes. Everything is in one block of numbers. Twin: ``reference.runs``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.compiled import compiled, helper
from minbpe_course.kernels.machine import load64, loadi64, store64, storei64
from minbpe_course.kernels.runs import LARGEST, copy, shared_bytes
from minbpe_course.kernels.sorting import SLACK, key_at, less

# Places in an input, and its bytes.
TEXT, ENDS, COUNTS, FIRSTS, WORDS, NEXT, AT, LENGTH, KEY = range(0, 72, 8)
INPUT = 72
# Places in the block of a merge.
INPUTS, NUMBER, TREE, STARTED, PLAYING, MIN_FREQUENCY = range(0, 48, 8)
OUT, OUT_ENDS, OUT_COUNTS, OUT_FIRSTS, ROOM, ROOM_TEXT, DONE_WORDS, USED, OPEN = range(48, 120, 8)
DROPPED, DROPPED_OCCURRENCES, DROPPED_BYTES, WANTED = range(120, 152, 8)
BLOCK = 19
# Why it came back.
DONE, NEEDS_BLOCK, NEEDS_ROOM, COUNT_TOO_LARGE = range(4)


@helper
def _show_word(each):
    """Note where the next word of an input is."""
    number = loadi64(each + NEXT)
    ends = loadi64(each + ENDS)
    begin = loadi64(ends + 8 * number - 8) if number > 0 else np.int64(0)
    at = loadi64(each + TEXT) + begin
    length = loadi64(ends + 8 * number) - begin
    storei64(each + AT, at)
    storei64(each + LENGTH, length)
    store64(each + KEY, key_at(at, length))


@helper
def _wins(each, other):
    """Whether the next word of an input comes before that of another."""
    length, other_length = loadi64(each + LENGTH), loadi64(other + LENGTH)
    if length < 0 or other_length < 0:
        return other_length < 0
    key, other_key = load64(each + KEY), load64(other + KEY)
    if key != other_key:
        return key < other_key
    if min(length, other_length) <= 8:
        return length < other_length
    return less(loadi64(each + AT), length, loadi64(other + AT), other_length, 8)


@helper
def _play(block, player):
    """Let an input play from its leaf upwards; who wins at the top is in place 0 of the tree.

    A place that is still empty, -1, keeps whoever comes first.
    """
    inputs, tree = loadi64(block + INPUTS), loadi64(block + TREE)
    place = (player + loadi64(block + NUMBER)) >> 1
    while place > 0:
        other = loadi64(tree + 8 * place)
        if other < 0:
            storei64(tree + 8 * place, player)
            return
        if _wins(inputs + INPUT * other, inputs + INPUT * player):
            storei64(tree + 8 * place, player)
            player = other
        place >>= 1
    storei64(tree, player)


@helper
def _close(block):
    """The last word of the output is complete: keep it, or drop it when it is too rare."""
    number = loadi64(block + DONE_WORDS)
    if loadi64(block + OPEN) == 0:
        return
    storei64(block + OPEN, 0)
    count = loadi64(loadi64(block + OUT_COUNTS) + 8 * number - 8)
    if count >= loadi64(block + MIN_FREQUENCY):
        return
    number -= 1
    begin = loadi64(loadi64(block + OUT_ENDS) + 8 * number - 8) if number > 0 else np.int64(0)
    length = loadi64(block + USED) - begin
    storei64(block + USED, begin)
    storei64(block + DONE_WORDS, number)
    storei64(block + DROPPED, loadi64(block + DROPPED) + 1)
    storei64(block + DROPPED_OCCURRENCES, loadi64(block + DROPPED_OCCURRENCES) + count)
    storei64(block + DROPPED_BYTES, loadi64(block + DROPPED_BYTES) + count * length)


@helper
def _is_open(block, at, length, key):
    """Whether this word is the last one of the output."""
    if loadi64(block + OPEN) == 0:
        return False
    number = loadi64(block + DONE_WORDS) - 1
    ends = loadi64(block + OUT_ENDS)
    begin = loadi64(ends + 8 * number - 8) if number > 0 else np.int64(0)
    if loadi64(ends + 8 * number) - begin != length:
        return False
    other = loadi64(block + OUT) + begin
    return key_at(other, length) == key and (length <= 8 or shared_bytes(other + 8, at + 8, length - 8) == length - 8)


@compiled
def merge_words(block):
    """Merge until an input has no word left in its block, or the output no room; return which, or DONE.

    NEEDS_BLOCK : the input is in PLAYING; it gets a block, or LENGTH -1. NEEDS_ROOM : words, or WANTED bytes.
    """
    inputs, number, tree = loadi64(block + INPUTS), loadi64(block + NUMBER), loadi64(block + TREE)
    if loadi64(block + STARTED) == 0:
        for player in range(number):
            storei64(tree + 8 * player, -1)
        for player in range(number):
            if loadi64(inputs + INPUT * player + LENGTH) >= 0:
                _show_word(inputs + INPUT * player)
        for player in range(number):
            _play(block, player)
        storei64(block + STARTED, 1)
    elif loadi64(block + PLAYING) >= 0:
        player = loadi64(block + PLAYING)
        if loadi64(inputs + INPUT * player + LENGTH) >= 0:
            _show_word(inputs + INPUT * player)
        _play(block, player)
    storei64(block + PLAYING, -1)
    while True:
        winner = loadi64(tree)
        each = inputs + INPUT * winner
        length = loadi64(each + LENGTH)
        if length < 0:
            _close(block)
            return DONE
        at, word = loadi64(each + AT), loadi64(each + NEXT)
        count = loadi64(loadi64(each + COUNTS) + 8 * word)
        first = loadi64(loadi64(each + FIRSTS) + 8 * word)
        if _is_open(block, at, length, load64(each + KEY)):
            counted = loadi64(block + OUT_COUNTS) + 8 * loadi64(block + DONE_WORDS) - 8
            seen = loadi64(block + OUT_FIRSTS) + 8 * loadi64(block + DONE_WORDS) - 8
            if loadi64(counted) > LARGEST - count:
                return COUNT_TOO_LARGE
            storei64(counted, loadi64(counted) + count)
            storei64(seen, min(first, loadi64(seen)))
        else:
            _close(block)
            made, used = loadi64(block + DONE_WORDS), loadi64(block + USED)
            if made == loadi64(block + ROOM) or used + length + SLACK > loadi64(block + ROOM_TEXT):
                storei64(block + WANTED, length + SLACK)
                return NEEDS_ROOM
            copy(loadi64(block + OUT) + used, at, length)
            storei64(loadi64(block + OUT_ENDS) + 8 * made, used + length)
            storei64(loadi64(block + OUT_COUNTS) + 8 * made, count)
            storei64(loadi64(block + OUT_FIRSTS) + 8 * made, first)
            storei64(block + DONE_WORDS, made + 1)
            storei64(block + USED, used + length)
            storei64(block + OPEN, 1)
        storei64(each + NEXT, word + 1)
        if word + 1 == loadi64(each + WORDS):
            storei64(block + PLAYING, winner)
            return NEEDS_BLOCK
        _show_word(each)
        _play(block, winner)
