"""The cache of words and their ids, which answers for most words of a text.

One entry for each hash, 32 bytes, half a cache line:

    key        ``tables.key_of`` the word                            16 bytes, compared at once; exact, no collisions
    ids        id, id, id, id; the top byte is how many there are    16 bytes, stored at once; the next overwrite extras

The encoder compares a word with the entry of its hash, and nothing else. Where two words have the same entry, it
belongs to the more recent one; the other moves to the other half of the cache line, and a third one to the adjacent
line. ``known_elsewhere`` finds them there and exchanges them with the one in their entry, so that a frequent word is
nearly always in its own entry. With four places a word is rarely lost, and a lost word is encoded again.

A word of more ids has one of the two top bits set in its key, which no word of a text has. So the fast path does not
recognize it wherever it is, and ``known_elsewhere`` finds it. Five or six ids of up to 20 bits are packed into the
entry, and a word of more, or of larger ones, has them in the ``arena``:

    PACKED     id | id << 20 | id << 40 · the same of three more | how many << 60
    MANY       place in the arena · epoch << 8 | how many

The arena holds ids (and the texts of ``encoding``'s long words). A place in it is the distance from its beginning, so
that a larger arena may begin with a copy. When it is full it starts again, with a new epoch: entries of an earlier
epoch are then unknown.

At first the cache contains the vocabulary. ``misses`` counts the words that it learns; after many, the encoder comes
back to have it made larger. Reference implementation: a dict from words to lists of ids.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.encoding.tables import KEYED, TOP, key_hash, key_of, token_at

# Ids that an entry holds; the last one shares its place with their number.
HELD = 4
ENTRY = 32
WAYS = 4 * ENTRY
LAST_ID_BITS = 24
NUMBER_MASK = np.uint64((1 << 56) - 1)
NOTHING = np.uint64(0)
MANY, PACKED = np.uint64(1 << 63), np.uint64(1 << 62)

# Ids that a packed entry holds, and the bits of one.
MOST_PACKED, PACKED_BITS = 6, 20
PACKED_MASK = np.uint64((1 << PACKED_BITS) - 1)
HIGH_PACKED_MASK = np.uint64(((1 << PACKED_BITS) - 1) << 32)
COUNT_BIT = 3 * PACKED_BITS


@helper
def mask_of(block):
    """Return the mask that makes of a hash the distance of its entry from the first, in bytes."""
    return np.uint64(block.cache_mask * ENTRY)


@helper
def place_of(block, mixed):
    """Return the address of the cache entry for this hash."""
    return block.cache + np.int64(mixed & mask_of(block))


@helper
def room_in_the_arena(block, room):
    """Take ``room`` bytes, a multiple of 8, of the arena; return their place."""
    used = block.arena_used
    if used + room > block.arena_size:
        # Full: start again. The new epoch invalidates what points to the old texts and ids.
        used = 0
        block.epoch += 1
    block.arena_used = used + room
    block.long_misses += 1
    return used


@helper
def copy_ids(to, source, count):
    """Copy ids, sixteen bytes at a time: both sides have room."""
    for k in range(0, count, HELD):
        machine.copy16(to + 4 * k, source + 4 * k)
    return to + 4 * count


@helper
def answer_from(place, out):
    """Copy the ids of an entry; return the new ``out``."""
    machine.copy15(out, place + 16)
    return out + (machine.load8(place + 31) << 2)


@helper
def _unpack(entry, out):
    """Copy the ids of a packed entry, always six; return the new ``out``."""
    # Ids from the bits 0, 20 and 40 go to the bits 0 and 32, two at a time.
    first, second = machine.load64(entry + 16), machine.load64(entry + 24)
    machine.store64(out, first & PACKED_MASK | first << np.uint64(12) & HIGH_PACKED_MASK)
    machine.store64(out + 8, first >> np.uint64(40) & PACKED_MASK | second << np.uint64(32) & HIGH_PACKED_MASK)
    machine.store64(out + 16, second >> np.uint64(20) & PACKED_MASK | second >> np.uint64(8) & HIGH_PACKED_MASK)
    return out + (np.int64(second >> np.uint64(COUNT_BIT)) << 2)


@helper
def _pack(place, begin, count):
    """Store the ids at ``begin`` as a packed entry; return whether that is possible."""
    high = 0
    first, second = NOTHING, np.uint64(count) << np.uint64(COUNT_BIT)
    if count > MOST_PACKED:
        return False
    for k in range(count):
        token_id = machine.load32(begin + 4 * k)
        high |= token_id
        shift = np.uint64(PACKED_BITS * (k % 3))
        if k < 3:
            first |= np.uint64(token_id) << shift
        else:
            second |= np.uint64(token_id) << shift
    if high >> PACKED_BITS != 0:
        return False
    machine.store64(place + 16, first)
    machine.store64(place + 24, second)
    return True


@helper
def move(to, source):
    """Copy an entry."""
    machine.copy16(to, source)
    machine.copy16(to + 16, source + 16)


@helper
def _exchange(left, right):
    """Exchange two entries, which may be the same one."""
    first, second = machine.load64(left), machine.load64(left + 8)
    third, fourth = machine.load64(left + 16), machine.load64(left + 24)
    move(left, right)
    machine.store64(right, first)
    machine.store64(right + 8, second)
    machine.store64(right + 16, third)
    machine.store64(right + 24, fourth)


@helper
def ways_of(place):
    """Return how many bytes of entries to search: one cache line, or two if the first is full."""
    return WAYS if machine.load64((place ^ ENTRY) + 8) != NOTHING else WAYS >> 1


@helper
def known_elsewhere(block, place, first, second, out):
    """Return the ids of a word whose own entry did not answer at once; ``out`` itself if they are not known."""
    for way in range(0, ways_of(place), ENTRY):
        entry = place ^ way
        if machine.load64(entry) == first:
            there = machine.load64(entry + 8)
            if there == second:
                out = answer_from(entry, out)
                _exchange(place, entry)
                return out
            if there == second | PACKED:
                out = _unpack(entry, out)
                if way > ENTRY:
                    _exchange(place ^ ENTRY, entry)
                return out
            sizes = machine.loadi64(entry + 24)
            if there == second | MANY and sizes >> 8 == block.epoch:
                out = copy_ids(out, block.arena + machine.loadi64(entry + 16), sizes & 255)
                if way > ENTRY:
                    _exchange(place ^ ENTRY, entry)
                return out
    return out


@helper
def free_way(place):
    """Return the first free entry for a word with this place, or the last one that it may have."""
    way = 0
    while way < WAYS - ENTRY and machine.load64((place ^ way) + 8) != NOTHING:
        way += ENTRY
    return place ^ way


@helper
def set_aside(place):
    """Free this entry: move its word to a free one or to a neighbor, and the neighbor's word to the next cache line."""
    aside = free_way(place)
    if aside == place:
        return
    if aside ^ place == WAYS - ENTRY:
        move(aside, place ^ ENTRY)
        aside = place ^ ENTRY
    move(aside, place)


@helper
def note(block, place, first, second, begin, out):
    """Note the ids from ``begin`` to ``out`` for this key."""
    set_aside(place)
    block.misses += 1
    count = (out - begin) >> 2
    if count > HELD or (count == HELD and machine.load32(begin + 12) >> LAST_ID_BITS != 0):
        machine.store64(place, first)
        if _pack(place, begin, count):
            machine.store64(place + 8, second | PACKED)
            return
        where = room_in_the_arena(block, (4 * count + 15) & ~15)
        copy_ids(block.arena + where, begin, count)
        machine.store64(place + 8, second | MANY)
        machine.storei64(place + 16, where)
        machine.storei64(place + 24, block.epoch << 8 | count)
        return
    machine.store64(place, first)
    machine.store64(place + 8, second)
    machine.store64(place + 16, machine.load64(begin))
    machine.store64(place + 24, machine.load64(begin + 8) & NUMBER_MASK | np.uint64(count) << TOP)


@machine.addressed
def fill_cache(address):
    """Put the tokens ``wanted`` (uint32[wanted_count]) of up to KEYED bytes into the empty cache.

    Of tokens that share an entry the first, which was learned earlier, gets it; the next three get those around it.
    """
    block = layout.block_at(address)
    wanted = block.wanted
    ids = block.token_ids
    for k in range(block.wanted_count):
        number = machine.load32(wanted + 4 * k)
        at, length = token_at(block, number)
        if length > KEYED:
            continue
        first, second = key_of(at, length)
        place = free_way(place_of(block, key_hash(first, second)))
        if machine.load64(place + 8) == NOTHING:
            machine.store64(place, first)
            machine.store64(place + 8, second)
            machine.store64(place + 16, np.uint64(machine.load32(ids + 4 * number)))
            machine.store64(place + 24, np.uint64(1) << TOP)
    return 0


@machine.addressed
def grow_cache(address):
    """Move the entries of the cache at ``given``, ``given_left`` of them, into the larger, empty one at ``cache``."""
    block = layout.block_at(address)
    old = block.given
    for k in range(block.given_left):
        source = old + (k << 5)
        second = machine.load64(source + 8)
        if second != NOTHING:
            place = place_of(block, key_hash(machine.load64(source), second & ~(MANY | PACKED)))
            move(free_way(place), source)
    return 0
