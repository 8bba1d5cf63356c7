"""A vocabulary as tables in memory, and the two questions that encoding asks of them.

Is this word a token? Tokens are end to end in ``token_text``; ``words`` is a hash table of their numbers.

    words        uint32[2^m]     11 bits of the hash << 21 | number of a token, or FREE; open addressing
    token_text   uint8           the bytes of all tokens, and at least 16 more
    token_starts int64[v + 1]    where each begins; a number without bytes is never found

A word of up to 15 bytes is its own key, two machine words, so that comparing words is comparing two numbers:

    first        bytes 0 to 7, the first byte lowest, zeros after a shorter word
    second       bytes 8 to 14, and the length in the top byte; then exclusive or KEY_BITS

KEY_BITS cost the lookup nothing, since it writes them together with the length, and save its hash two constants.

What do two neighbours become? ``pairs`` has the answer for every pair of numbers that merges. Most questions have the
answer "nothing", and a filter of single bits, which fits a faster cache, gives that answer for most of them:

    pairs        uint64[2^k]     left (21 bits) | right (21 bits) | what they become (22 bits); all ones where free
    filter       2^20 bits       the bit of a pair's hash is set
    byte_pairs   uint32[65536]   the same answer for two bytes, where every word starts: first byte << 8 | second

The number of a token is also its priority: a smaller one is merged earlier.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper

FREE = 0xFFFFFFFF
FREE_PAIR = np.uint64(0xFFFFFFFFFFFFFFFF)
MADE_BITS, PART_BITS = np.uint64(22), np.uint64(21)
NUMBER_BITS = 21
NUMBERS = (1 << NUMBER_BITS) - 1
TAG_MASK = np.uint64((1 << 11) - 1)

# One number less than there are, since FREE would be the last one with all bits of the hash.
MOST_TOKENS = NUMBERS
FILTER_BITS = 20
NOTHING_MADE = (1 << 22) - 1

# Words of up to this many bytes are their own key.
KEYED = 15

ONE, SIX, EIGHT, TOP = np.uint64(1), np.uint64(6), np.uint64(8), np.uint64(56)
SIXTY_THREE = np.uint64(63)
GOLDEN, OTHER_GOLDEN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
FILTER_MASK = np.uint64((1 << FILTER_BITS) - 1)
MADE_MASK = np.uint64((1 << 22) - 1)
HIGH_HALF = np.uint64(32)

# GOLDEN without the top bits of its bytes, so that a key still shows which bytes of a word are not ASCII. The top byte,
# 30, is the length of no word with a key, so that no key has a second half of 0.
KEY_BITS = np.uint64(0x1E3779397F4A7C15)


@helper
def key_hash(first, second):
    """Return the hash of a key; all 64 bits are good. ``second`` is never 0, so that ``first`` may be anything."""
    return machine.fold(first + second, second)


@helper
def second_of(tail, length):
    """Return the second half of the key of a word whose bytes from the eighth on are ``tail``."""
    return (tail | np.uint64(length) << TOP) ^ KEY_BITS


@helper
def is_set(bits, place):
    """Return whether bit ``place`` (uint64) of the bits at the address ``bits`` is 1."""
    return machine.load64(bits + np.int64(place >> SIX << np.uint64(3))) >> (place & SIXTY_THREE) & ONE != np.uint64(0)


@helper
def low_bytes(number):
    """Return the mask of the lowest ``number`` bytes, 0..7."""
    return (ONE << (np.uint64(number) * EIGHT)) - ONE


@helper
def key_of(at, length):
    """Return the key of the word of 1 to 15 bytes at ``at``, two machine words; 16 bytes are read."""
    first = machine.load64(at)
    if length < 8:
        return first & low_bytes(length), second_of(np.uint64(0), length)
    return first, second_of(machine.load64(at + 8) & low_bytes(length - 8), length)


@helper
def long_hash(at, length):
    """Return the hash of 8 bytes or more."""
    mixed = np.uint64(length) * GOLDEN
    stop = at + length - 8
    while at < stop:
        mixed = machine.fold(mixed ^ machine.load64(at), OTHER_GOLDEN)
        at += 8
    return machine.fold(mixed ^ machine.load64(stop), GOLDEN)


@helper
def same_bytes(left, right, length):
    """Return whether ``length`` bytes, 8 or more, are the same in two places."""
    stop = length - 8
    done = 0
    while done < stop:
        if machine.load64(left + done) != machine.load64(right + done):
            return False
        done += 8
    return machine.load64(left + stop) == machine.load64(right + stop)


@helper
def token_at(block, number):
    """Return where the bytes of a token are, and how many."""
    start = machine.loadi64(block.token_starts + 8 * number)
    return block.token_text + start, machine.loadi64(block.token_starts + 8 * number + 8) - start


@helper
def find_hashed(block, at, length, first, second, mixed):
    """Return the number of the token with these bytes, or -1 - slot for the free slot where it would go.

    first, second : ``key_of`` the bytes, if they are KEYED or fewer; then ``at`` is not read · mixed : ``token_hash``.
    """
    return find_in(block, block.words, np.uint64(block.word_mask), at, length, first, second, mixed)


@helper
def find_in(block, words, mask, at, length, first, second, mixed):
    """Search as ``find_hashed`` does, in another table of the same tokens."""
    slot = mixed >> HIGH_HALF & mask
    tag = np.int64(mixed & TAG_MASK)
    while True:
        entry = machine.load32(words + (np.int64(slot) << 2))
        if entry == FREE:
            return -1 - np.int64(slot)
        if entry >> NUMBER_BITS == tag:
            # Nearly always the right one, thanks to the tag.
            number = entry & NUMBERS
            place, size = token_at(block, number)
            if size == length:
                if length > KEYED:
                    if same_bytes(place, at, length):
                        return number
                else:
                    one, two = key_of(place, length)
                    if one == first and two == second:
                        return number
        slot = (slot + ONE) & mask


@helper
def find_token(block, at, length):
    """Search as ``find_hashed`` does, for any bytes; 16 bytes are read."""
    first = second = np.uint64(0)
    if length <= KEYED:
        first, second = key_of(at, length)
    return find_hashed(block, at, length, first, second, token_hash(at, length))


@helper
def token_hash(at, length):
    """Return ``key_hash`` or ``long_hash``, by the length; 16 bytes are read."""
    if length <= KEYED:
        first, second = key_of(at, length)
        return key_hash(first, second)
    return long_hash(at, length)


@helper
def pair_value(block, left, right):
    """Return the number that two neighbours become, or NOTHING_MADE."""
    key = np.uint64(left) << PART_BITS | np.uint64(right)
    mixed = machine.fold(key ^ GOLDEN, OTHER_GOLDEN)
    pairs = block.pairs
    mask = np.uint64(block.pair_mask)
    slot = mixed >> HIGH_HALF & mask
    # Fetched before the filter is read, so that pairs in the table do not wait for memory twice.
    machine.fetch(pairs + (np.int64(slot) << 3))
    bit = mixed & FILTER_MASK
    word = machine.load64(block.filter + np.int64(bit >> SIX << np.uint64(3)))
    if word >> (bit & SIXTY_THREE) & ONE == np.uint64(0):
        return NOTHING_MADE
    while True:
        entry = machine.load64(pairs + (np.int64(slot) << 3))
        if entry == FREE_PAIR:
            return NOTHING_MADE
        if entry >> MADE_BITS == key:
            return np.int64(entry & MADE_MASK)
        slot = (slot + ONE) & mask


@helper
def _enter_pair(block, left, right, made):
    """Enter a pair into ``pairs`` and ``filter``. A pair that is there already is kept."""
    key = np.uint64(left) << PART_BITS | np.uint64(right)
    mixed = machine.fold(key ^ GOLDEN, OTHER_GOLDEN)
    bit = mixed & FILTER_MASK
    at = block.filter + np.int64(bit >> SIX << np.uint64(3))
    machine.store64(at, machine.load64(at) | ONE << (bit & SIXTY_THREE))
    pairs = block.pairs
    mask = np.uint64(block.pair_mask)
    slot = mixed >> HIGH_HALF & mask
    while True:
        entry = machine.load64(pairs + (np.int64(slot) << 3))
        if entry == FREE_PAIR:
            machine.store64(pairs + (np.int64(slot) << 3), key << MADE_BITS | np.uint64(made))
            return
        if entry >> MADE_BITS == key:
            return
        slot = (slot + ONE) & mask


@machine.addressed
def enter_words(address):
    """Enter ``wanted`` (uint32[wanted_count], numbers of tokens) into ``words``; the first of equal tokens is kept."""
    block = layout.block_at(address)
    wanted = block.wanted
    words = block.words
    for k in range(block.wanted_count):
        number = machine.load32(wanted + 4 * k)
        at, length = token_at(block, number)
        found = find_token(block, at, length)
        if found < 0:
            tag = np.int64(token_hash(at, length) & TAG_MASK)
            machine.store32(words + 4 * (-1 - found), tag << NUMBER_BITS | number)
    return 0


@machine.addressed
def enter_pairs(address):
    """Enter ``lefts``, ``rights`` -> ``made`` (uint32, ``pair_count`` of them) into ``pairs`` and ``filter``."""
    block = layout.block_at(address)
    lefts = block.lefts
    rights = block.rights
    made = block.made
    for k in range(block.pair_count):
        _enter_pair(block, machine.load32(lefts + 4 * k), machine.load32(rights + 4 * k), machine.load32(made + 4 * k))
    return 0


@machine.addressed
def all_splits(address):
    """Write every way to cut a token into two tokens to ``lefts``, ``rights``, ``made`` (uint32); return how many.

    This is what looking up the bytes of two neighbours, as tiktoken does, means for pairs of numbers. Where tokens may
    be thousands of bytes long, ``known_sizes`` saves looking for parts of a size that no token has.
    """
    block = layout.block_at(address)
    sizes = block.known_sizes
    lefts = block.lefts
    rights = block.rights
    made = block.made
    found = 0
    for number in range(block.tokens):
        begin, length = token_at(block, number)
        end = begin + length
        for cut in range(begin + 1, end):
            if sizes != 0 and not (machine.load8(sizes + cut - begin) and machine.load8(sizes + end - cut)):
                continue
            left = find_token(block, begin, cut - begin)
            if left < 0:
                continue
            right = find_token(block, cut, end - cut)
            if right < 0:
                continue
            machine.store32(lefts + 4 * found, left)
            machine.store32(rights + 4 * found, right)
            machine.store32(made + 4 * found, number)
            found += 1
    return found
