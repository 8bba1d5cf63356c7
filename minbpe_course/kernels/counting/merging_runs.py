"""Merging sorted runs: of the words that come next in each input, the smallest one, again and again.

``runs`` decodes blocks; here the words of many inputs are merged with a tree of losers. Every inner node keeps the
loser, and the winner is at the top. To find the next winner, one path from the leaf to the top is played again, with
one comparison for each level. Most are decided by the first eight bytes, kept as a number in input and tree. The fields
of an input:

    text, ends, counts, firsts, words     a decoded block: addresses, and how many words it has
    next, at, length                      the next word: its number, address and bytes (-1: no more words)
    key                                   its first eight bytes, see ``sorting``

When an input has come to the end of its block, or the output is full, the kernel comes back; Python reads or writes,
and the kernel continues. The last word of the output stays open, since another input may have it too. A greater word
closes it, or drops it if it is too rare. Reference implementation: ``reference.runs``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.layout import int64_fields
from minbpe_course.kernels.common.machine import copy, loadi64, record_at, storei64
from minbpe_course.kernels.counting.runs import LARGEST, shared_bytes
from minbpe_course.kernels.counting.sorting import SLACK, begin_of, key_at, less

INPUT = np.dtype([*int64_fields("text ends counts firsts words next at length").descr, ("key", np.uint64)])
# An entry of the tree: the number of an input and the key of its word.
NODE = np.dtype([("player", np.int64), ("key", np.uint64)])
BLOCK = int64_fields(
    "inputs number tree started playing min_frequency out out_ends out_counts out_firsts room room_text done_words "
    "used open dropped dropped_occurrences dropped_bytes wanted"
)
block_at, input_at, node_at = record_at(BLOCK), record_at(INPUT), record_at(NODE)
INPUT_SIZE, NODE_SIZE = INPUT.itemsize, NODE.itemsize
# Why it came back.
DONE, NEEDS_BLOCK, NEEDS_ROOM, COUNT_TOO_LARGE = range(4)


@helper
def _show_word(each):
    """Note where the next word of an input is. An input without more words gets the greatest key."""
    if each.length < 0:
        each.key = np.uint64(0xFFFFFFFFFFFFFFFF)
        return
    number = each.next
    begin = begin_of(each.ends, number)
    at = each.text + begin
    length = loadi64(each.ends + 8 * number) - begin
    each.at = at
    each.length = length
    each.key = key_at(at, length)


@helper
def _comes_first(each, other):
    """Tell whether the first of two inputs with the same key has the smaller word."""
    length, other_length = each.length, other.length
    if length < 0 or other_length < 0:
        return other_length < 0
    if min(length, other_length) <= 8:
        return length < other_length
    return less(each.at, length, other.at, other_length, 8)


@helper
def _play(inputs, number, tree, player):
    """Let an input play from its leaf upwards; the winner is in node 0 of the tree.

    A node that is still empty, -1, keeps the first input that comes.
    """
    key = input_at(inputs + INPUT_SIZE * player).key
    place = (player + number) >> 1
    while place > 0:
        node = node_at(tree + NODE_SIZE * place)
        other, other_key = node.player, node.key
        if other < 0:
            node.player, node.key = player, key
            return
        swap = other_key < key
        if other_key == key:
            swap = _comes_first(input_at(inputs + INPUT_SIZE * other), input_at(inputs + INPUT_SIZE * player))
        # The winner is unpredictable, so nothing branches on it: the bits that differ change sides, or none do.
        keys = (other_key ^ key) & (np.uint64(0) - np.uint64(swap))
        players = (other ^ player) & -np.int64(swap)
        node.player, node.key = other ^ players, other_key ^ keys
        player, key = player ^ players, key ^ keys
        place >>= 1
    node_at(tree).player = player


@compiled
def merge_words(address):
    """Merge until an input has no word left in its block, or the output no room; return which, or DONE.

    NEEDS_BLOCK : the input is in ``playing``; it gets a block, or ``length`` -1. NEEDS_ROOM : words, or ``wanted``
    bytes.
    """
    block = block_at(address)
    inputs, number, tree = block.inputs, block.number, block.tree
    out, ends, counts, firsts = block.out, block.out_ends, block.out_counts, block.out_firsts
    least = block.min_frequency
    made, used, opened = block.done_words, block.used, block.open
    open_key = key_at(out + used - opened, opened)
    if block.started == 0:
        for player in range(number):
            node_at(tree + NODE_SIZE * player).player = -1
        for player in range(number):
            _show_word(input_at(inputs + INPUT_SIZE * player))
        for player in range(number):
            _play(inputs, number, tree, player)
        block.started = 1
    elif block.playing >= 0:
        player = block.playing
        _show_word(input_at(inputs + INPUT_SIZE * player))
        _play(inputs, number, tree, player)
    block.playing = -1
    reason = DONE
    while True:
        winner = node_at(tree).player
        each = input_at(inputs + INPUT_SIZE * winner)
        length, key = each.length, each.key
        at, word = each.at, each.next
        if (
            length == opened
            and key == open_key
            and (length <= 8 or shared_bytes(out + used - opened + 8, at + 8, length - 8) == length - 8)
        ):
            count, first = loadi64(each.counts + 8 * word), loadi64(each.firsts + 8 * word)
            so_far = loadi64(counts + 8 * made - 8)
            if so_far > LARGEST - count:
                reason = COUNT_TOO_LARGE
                break
            storei64(counts + 8 * made - 8, so_far + count)
            storei64(firsts + 8 * made - 8, min(first, loadi64(firsts + 8 * made - 8)))
        else:
            if opened > 0:
                # Complete now; if it is too rare, the next word takes its place.
                count = loadi64(counts + 8 * made - 8)
                if count < least:
                    made -= 1
                    used -= opened
                    block.dropped += 1
                    block.dropped_occurrences += count
                    block.dropped_bytes += count * opened
                opened = 0
            if length < 0:
                break
            if made == block.room or used + length + SLACK > block.room_text:
                block.wanted = length + SLACK
                reason = NEEDS_ROOM
                break
            count, first = loadi64(each.counts + 8 * word), loadi64(each.firsts + 8 * word)
            copy(out + used, at, length)
            used += length
            storei64(ends + 8 * made, used)
            storei64(counts + 8 * made, count)
            storei64(firsts + 8 * made, first)
            made += 1
            opened, open_key = length, key
        each.next = word + 1
        if word + 1 == each.words:
            block.playing = winner
            reason = NEEDS_BLOCK
            break
        _show_word(each)
        _play(inputs, number, tree, winner)
    block.done_words = made
    block.used = used
    block.open = opened
    return reason
