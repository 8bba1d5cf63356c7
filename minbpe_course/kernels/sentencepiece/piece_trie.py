"""Pieces as a double-array trie, one machine word for each node.

    node                 label (8 bits) | base (28 bits) | id of the piece that ends here (28 bits), NO_PIECE for none
    child for a byte     the node base ^ byte, if its label is that byte

One load and one comparison lead from a node to the next, and with 8 bytes a node, many fit the cache. No two nodes have
the same base, so the label alone identifies a child. A free node has the label 0xFF and the root 0xFE, bytes that UTF-8
never contains: pieces must be UTF-8. The first 256 nodes stay free, since a node without children has the base 0.
Reference implementations: ``reference.lattice.Scores``, ``text.normalize.LongestMatch``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common.compiled import compiled, helper

LABEL_MASK = np.uint64(0xFF)
BASE_SHIFT, ID_SHIFT = np.uint64(8), np.uint64(36)
BASE_MASK = np.uint64((1 << 28) - 1)
NO_PIECE = (1 << 28) - 1
MOST_NODES = 1 << 28

FREE_NODE = np.uint64(0xFF) | np.uint64(NO_PIECE) << ID_SHIFT
WINDOW = 16 * 256  # how far back free nodes are searched
TRIES = 256  # and how many are tried, before fresh nodes are taken
ROOT, ROOT_LABEL = 256, np.uint64(0xFE)
MOST_NESTED_PIECES = 64


@helper
def character_size(lead):
    """Return how many bytes the UTF-8 character with this first byte has."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


@helper
def base_of(node):
    """Return where the children of a node are."""
    return np.int64(node >> BASE_SHIFT & BASE_MASK)


@helper
def piece_of(node):
    """Return the id of the piece that ends in the node, NO_PIECE for none."""
    return np.int64(node >> ID_SHIFT)


@helper
def is_child(node, byte):
    """Tell whether the node found for a byte is a child for that byte."""
    return np.int64(node & LABEL_MASK) == byte


@helper
def longest_piece(nodes, at, end):
    """Return (length, id) of the longest piece at ``at``; (0, -1) for none. The text may be invalid UTF-8."""
    base = base_of(machine.load64(nodes + 8 * ROOT))
    longest = np.int64(0)
    found = np.int64(-1)
    nested = 0
    place = at
    while place < end:
        byte = machine.load8(place)
        node = machine.load64(nodes + 8 * (base ^ byte))
        # Free nodes and the root have these bytes as labels.
        if byte >= 0xFE or not is_child(node, byte):
            break
        base = base_of(node)
        place += 1
        piece = piece_of(node)
        if piece != NO_PIECE:
            longest = place - at
            found = piece
            nested += 1
            if nested == MOST_NESTED_PIECES:
                break
    return longest, found


@helper
def _next_free(nexts, at):
    """Return the first free node from ``at`` on, and shorten ``nexts``, which leads from taken nodes to later ones."""
    end = at
    while machine.load32(nexts + 4 * end) != end:
        end = machine.load32(nexts + 4 * end)
    while at != end:
        further = machine.load32(nexts + 4 * at)
        machine.store32(nexts + 4 * at, end)
        at = further
    return end


@helper
def _find_base(nodes, nexts, bases, labels, number, used):
    """Return an unused base at which all ``number`` labels are free; ``used`` is where fresh nodes begin."""
    first = machine.load8(labels)
    at = _next_free(nexts, max(ROOT, used - WINDOW))
    tries = 0
    while at < used and tries < TRIES:
        base = at ^ first
        fits = machine.load8(bases + base) == 0
        for k in range(1, number if fits else 1):
            if machine.load64(nodes + 8 * (base ^ machine.load8(labels + k))) != FREE_NODE:
                fits = False
                break
        if fits:
            return base
        tries += 1
        at = _next_free(nexts, at + 1)
    return used


@compiled
def build_trie(text, starts, ids, number, nodes, nexts, bases, room, work):
    """Fill ``nodes``; return how many are used, or -1 if more than ``room`` are needed.

    All are addresses or numbers. text, starts : the bytes of the ``number`` pieces, sorted, no two alike, and
    int64[number + 1] · ids : uint32 · nodes : uint64[room] · nexts : uint32[room + 1] · bases : zeros, uint8[room] ·
    work : 256 bytes, and 32 for each piece and one more.
    """
    for at in range(room):
        machine.store64(nodes + 8 * at, FREE_NODE)
        machine.store32(nexts + 4 * at, at)
    machine.store32(nexts + 4 * room, room)
    used = 2 * ROOT
    if room < used:
        return -1
    labels, stack = work, work + 256
    # A node waits with its pieces, its depth and its place.
    machine.store64(nodes + 8 * ROOT, np.uint64(NO_PIECE) << ID_SHIFT | ROOT_LABEL)
    machine.store32(nexts + 4 * ROOT, ROOT + 1)
    machine.storei64(stack, 0)
    machine.storei64(stack + 8, number)
    machine.storei64(stack + 16, 0)
    machine.storei64(stack + 24, ROOT)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        entry = stack + 32 * waiting
        first, end = machine.loadi64(entry), machine.loadi64(entry + 8)
        depth, place = machine.loadi64(entry + 16), machine.loadi64(entry + 24)
        # A piece that ends here is the first of all that come by.
        if first < end and machine.loadi64(starts + 8 * first + 8) - machine.loadi64(starts + 8 * first) == depth:
            first += 1
        if first == end:
            continue
        children = 0
        last = -1
        for piece in range(first, end):
            byte = machine.load8(text + machine.loadi64(starts + 8 * piece) + depth)
            if byte != last:
                machine.store8(labels + children, byte)
                children += 1
                last = byte
        base = _find_base(nodes, nexts, bases, labels, children, used)
        if base == used:
            used += 256
            if used > room:
                return -1
        machine.store8(bases + base, 1)
        node = machine.load64(nodes + 8 * place)
        machine.store64(nodes + 8 * place, node | np.uint64(base) << BASE_SHIFT)
        piece = first
        for k in range(children):
            byte = machine.load8(labels + k)
            child = base ^ byte
            begin = piece
            while piece < end and machine.load8(text + machine.loadi64(starts + 8 * piece) + depth) == byte:
                piece += 1
            made = NO_PIECE
            if machine.loadi64(starts + 8 * begin + 8) - machine.loadi64(starts + 8 * begin) == depth + 1:
                made = machine.load32(ids + 4 * begin)
            machine.store64(nodes + 8 * child, np.uint64(made) << ID_SHIFT | np.uint64(byte))
            machine.store32(nexts + 4 * child, child + 1)
            entry = stack + 32 * waiting
            machine.storei64(entry, begin)
            machine.storei64(entry + 8, piece)
            machine.storei64(entry + 16, depth + 1)
            machine.storei64(entry + 24, child)
            waiting += 1
    return used
