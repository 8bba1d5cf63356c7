"""Encoding a long word without merging, in time that grows with its length alone.

Where merging its own bytes gives every token, a sequence of tokens is the result of merging exactly if each two
neighbours are the result of merging their own bytes. So tokens are taken from left to right: the longest that fits and
may follow the one before it. If none may, the place is a dead end, and the token before is replaced by a shorter one.
Each place is a dead end at most once::

    taken      | ab | cab |          place 5: nothing fits after "cab"
    dead                    x        so place 5 is dead, and "ca" replaces "cab", the longest token it begins with

A trie finds the longest token at a place. It is a hash table of the node that follows a node for a byte.

    trie         uint64[2^k]   node (32 bits) | byte (8 bits) | node below (24 bits); all ones where free
    node_tokens  uint32        the number of the token that ends in the node, or FREE
    prefixes     uint32[v]     the longest shorter token that each token begins with, or FREE
    last_merges  uint32[v, 2]  the two tokens that were merged into each; a byte is its own two parts

The numbers of the 256 bytes must be the smallest. Tokens from ``whole_only`` on, which no merge makes, are left out.
Source: the ``bpe`` crate of GitHub's rust-gems. Reference implementation: ``reference.backtracking``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import (
    FREE,
    GOLDEN,
    HIGH_HALF,
    NOTHING_MADE,
    ONE,
    OTHER_GOLDEN,
    pair_value,
    token_at,
)

NODE_BITS, BYTE_BITS = np.uint64(24), np.uint64(8)
NODE_MASK = np.uint64((1 << 24) - 1)
FREE_NODE = np.uint64(0xFFFFFFFFFFFFFFFF)
MOST_NODES = 1 << 24

# Bytes of ``scratch`` for each byte of a word.
BACKTRACK_BYTES = 8


@helper
def child_of(trie, mask, node, byte):
    """Return the node below ``node`` for this byte, or -1 - slot for the free slot where it would go."""
    key = np.uint64(node) << BYTE_BITS | np.uint64(byte)
    slot = machine.fold(key ^ GOLDEN, OTHER_GOLDEN) >> HIGH_HALF & mask
    while True:
        entry = machine.load64(trie + (np.int64(slot) << 3))
        if entry == FREE_NODE:
            return -1 - np.int64(slot)
        if entry >> NODE_BITS == key:
            return np.int64(entry & NODE_MASK)
        slot = (slot + ONE) & mask


@helper
def _longest(block, at, end):
    """Return the number of the longest token that the text at ``at`` begins with."""
    trie = block.trie
    mask = np.uint64(block.trie_mask)
    tokens = block.node_tokens
    node = 0
    found = FREE
    while at < end:
        node = child_of(trie, mask, node, machine.load8(at))
        if node < 0:
            break
        token = machine.load32(tokens + 4 * node)
        if token != FREE:
            found = token
        at += 1
    return found


@helper
def side_by_side(block, left, right):
    """Return whether two tokens can be neighbours in a result.

    Undo their merges, newest first, and look for a merge across.

    A byte has itself as both parts.
    """
    merges = block.last_merges
    limit = np.int64(NOTHING_MADE)
    while True:
        if pair_value(block, left, right) < limit:
            return False
        if left > right:
            limit = left
            left = machine.load32(merges + 8 * left + 4)
            if left == limit:
                limit = right + 1
                right = machine.load32(merges + 8 * right)
                if right + 1 == limit:
                    return True
        else:
            limit = right + 1
            right = machine.load32(merges + 8 * right)
            if right + 1 == limit:
                limit = left
                left = machine.load32(merges + 8 * left + 4)
                if left == limit:
                    return True


@helper
def backtrack(block, at, length, out):
    """Encode a word of any length, in time that grows with its length, where every token is reached by merging.

    ``scratch`` holds the tokens taken so far and, for each place, whether it is a dead end.
    """
    taken = block.scratch
    dead = taken + 4 * length
    starts = block.token_starts
    prefixes = block.prefixes
    for k in range(length + 1):
        machine.store8(dead + k, 0)
    end = at + length
    place = 0
    number = 0
    token = _longest(block, at, end)
    while place < length:
        size = machine.loadi64(starts + 8 * token + 8) - machine.loadi64(starts + 8 * token)
        fits = machine.load8(dead + place + size) == 0
        if fits and number > 0:
            fits = side_by_side(block, machine.load32(taken + 4 * number - 4), token)
        if fits:
            machine.store32(taken + 4 * number, token)
            number += 1
            place += size
            if place < length:
                token = _longest(block, at + place, end)
            continue
        shorter = machine.load32(prefixes + 4 * token)
        if shorter != FREE:
            token = shorter
            continue
        machine.store8(dead + place, 1)
        number -= 1
        token = machine.load32(taken + 4 * number)
        place -= machine.loadi64(starts + 8 * token + 8) - machine.loadi64(starts + 8 * token)
    ids = block.token_ids
    for k in range(number):
        machine.store32(out + 4 * k, machine.load32(ids + 4 * machine.load32(taken + 4 * k)))
    return out + 4 * number


@machine.addressed
def backtrack_piece(address):
    """Run ``backtrack`` for ``piece``: a ``merger`` of ``encoding``."""
    block = layout.block_at(address)
    length = block.piece_length
    return backtrack(block, block.piece, length, block.piece_out)


@machine.addressed
def build_trie(address):
    """Fill ``trie``, ``node_tokens`` (all FREE at first), ``prefixes`` and ``last_merges``; return the number of nodes.

    The last merges come from ``lefts``, ``rights`` and ``made``.
    """
    block = layout.block_at(address)
    trie = block.trie
    mask = np.uint64(block.trie_mask)
    tokens = block.node_tokens
    prefixes = block.prefixes
    merges = block.last_merges
    count = block.whole_only
    nodes = 1
    for number in range(count):
        node = 0
        begin, length = token_at(block, number)
        for at in range(begin, begin + length):
            byte = machine.load8(at)
            below = child_of(trie, mask, node, byte)
            if below < 0:
                key = np.uint64(node) << BYTE_BITS | np.uint64(byte)
                machine.store64(trie + 8 * (-1 - below), key << NODE_BITS | np.uint64(nodes))
                below = nodes
                nodes += 1
            node = below
        if node > 0 and machine.load32(tokens + 4 * node) == FREE:
            machine.store32(tokens + 4 * node, number)
        machine.store32(merges + 8 * number, number)
        machine.store32(merges + 8 * number + 4, number)
    for number in range(count):
        node = 0
        found = FREE
        begin, length = token_at(block, number)
        for at in range(begin, begin + length - 1):
            node = child_of(trie, mask, node, machine.load8(at))
            token = machine.load32(tokens + 4 * node)
            if token != FREE:
                found = token
        machine.store32(prefixes + 4 * number, found)
    lefts = block.lefts
    rights = block.rights
    made = block.made
    for k in range(block.pair_count):
        number = machine.load32(made + 4 * k)
        machine.store32(merges + 8 * number, machine.load32(lefts + 4 * k))
        machine.store32(merges + 8 * number + 4, machine.load32(rights + 4 * k))
    return nodes
