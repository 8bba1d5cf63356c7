"""Counting how often each word occurs, in one pass over a text and without a list of its words.

**Table.** Open addressing, one entry of 32 bytes for each distinct word, half of a cache line, so that finding a word
reads one line:

    entry   bytes 0..7   bytes 8..14 | length << 56   count   number      a word of 1 to 15 bytes: no other has this key
            hash         255 << 56 | place in arena   count   number      a longer word: its bytes are compared
            anything     0                            -       -            free

    arena   length  bytes ... | length  bytes ... |                        the longer words, each once

``number`` counts the distinct words in the order first seen. The *first place* of a word is how many bytes of counted
text come before its first occurrence. It is written once, to an array by number:

    firsts  place of word 0 | place of word 1 | ...

The bytes after the end of a short word are zero in its key, so finding it takes two loads, two masks and one comparison
of 16 bytes. In English and in source code 99 of 100 words are short; in languages with two or three bytes a letter,
most.

**Batches.** The table of a large text does not fit the cache. So the keys of 64 words are made and their entries
prefetched; then, when the entries have arrived, the words are counted.

**Where words come from.** ``splitting.split`` writes the ends of some ten thousand words to a buffer, this kernel
counts them, and so on until all stretches of text are counted: there is never an array of all ends. When the table or
the arena is full, the kernel comes back; Python makes it longer, and the kernel continues with the word where it
stopped. The fields of the block:

    table, mask, words, room      address, size - 1, how many words it has, how many fit
    bytes                         of all distinct words together
    arena, used, size             address, bytes used, bytes there are
    batch                         24 bytes for each of 64 words
    splitter, split               the address of a splitter, and of its block
    stretches, left               (begin, end) of each stretch of text, and how many are left
    begin                         where the next word begins
    ends, next, number            the ends of words, the next one to be counted, how many there are
    wanted                        for how many bytes the arena has no room
    firsts, shift                 the first places; the first place of a word minus its address

All are addresses and plain numbers, int64. Reference implementation: ``reference.counting``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import (
    call,
    copy,
    fetch,
    load64,
    loadi64,
    record_at,
    store32,
    store64,
    storei64,
)
from minbpe_course.kernels.encoding.tables import KEY_BITS, key_hash, long_hash, same_bytes

BLOCK = layout.int64_fields(
    "table mask words room bytes arena used size batch splitter split stretches left begin ends next number wanted "
    "firsts shift"
)
block_at = record_at(BLOCK)

# Why the kernel came back.
DONE, NEEDS_TABLE, NEEDS_ARENA = 0, 1, 2

# Bytes of an entry, words of a batch, the longest word whose bytes are its key.
ENTRY, TOGETHER, SHORT = 32, 64, 15

# Bytes after words, texts and arenas that may be read, and after the output that may be overwritten.
SLACK = 24

_ZERO, _ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_LONG = np.uint64(255) << np.uint64(56)
_PLACE = np.uint64((1 << 56) - 1)


@helper
def _lowest_bytes(number):
    """Return a mask of the lowest ``number`` bytes, 1 to 8."""
    return _ALL >> np.uint64(64 - 8 * number)


@helper
def _home(first, second, mask):
    """Return where in the table the search for a key begins."""
    return np.int64(key_hash(first, second ^ KEY_BITS) & np.uint64(mask))


@helper
def _enter(block, entry, first, second, weight):
    """Write a new word to a free entry."""
    number = block.words
    store64(entry, first)
    store64(entry + 8, second)
    storei64(entry + 16, weight)
    storei64(entry + 24, number)
    block.words = number + 1


@helper
def _note_first(block, place):
    """Note the first place of the word that was entered last."""
    number = block.words - 1
    storei64(block.firsts + 8 * number, place + block.shift)


@helper
def _count_short(block, table, mask, at, first, second, weight, place):
    """Count a word by its key, searching from place ``at`` of the table on; return the address of its entry.

    place : where the word is, to note if it is new.
    """
    while True:
        entry = table + ENTRY * at
        there = load64(entry + 8)
        if load64(entry) == first and there == second:
            storei64(entry + 16, loadi64(entry + 16) + weight)
            return entry
        if there == _ZERO:
            _enter(block, entry, first, second, weight)
            _note_first(block, place)
            block.bytes += np.int64(second >> np.uint64(56))
            return entry
        at = (at + 1) & mask


@helper
def _count_long(block, begin, length, mixed, weight, place):
    """Count a word of more than SHORT bytes, whose hash is ``mixed``; return its entry, or 0 if the arena is full."""
    table, mask, arena = block.table, block.mask, block.arena
    at = np.int64(mixed & np.uint64(mask))
    while True:
        entry = table + ENTRY * at
        second = load64(entry + 8)
        if second == _ZERO:
            used = block.used
            if used + 8 + length + SLACK > block.size:
                block.wanted = length + SLACK
                return 0
            storei64(arena + used, length)
            copy(arena + used + 8, begin, length)
            _enter(block, entry, mixed, _LONG | np.uint64(used), weight)
            _note_first(block, place)
            block.used = used + 8 + length
            block.bytes += length
            return entry
        if load64(entry) == mixed and second >= _LONG:
            known = arena + np.int64(second & _PLACE)
            if loadi64(known) == length and same_bytes(known + 8, begin, length):
                storei64(entry + 16, loadi64(entry + 16) + weight)
                return entry
        at = (at + 1) & mask


@helper
def _count_ends(block, weights, numbers):
    """Count the words whose ends are waiting; return DONE, NEEDS_TABLE or NEEDS_ARENA.

    weights : address of how often each word occurs, int64, or 0 if each occurs once. numbers : where to write the
    number of each word, uint32, or 0.
    """
    table, mask, batch = block.table, block.mask, block.batch
    ends, at, number = block.ends, block.next, block.number
    begin = block.begin
    reason = DONE
    while at < number:
        together = min(TOGETHER, number - at)
        if block.words + together > block.room:
            reason = NEEDS_TABLE
            break
        word = begin
        for k in range(together):
            end = loadi64(ends + 8 * (at + k))
            length = end - word
            if length <= SHORT:
                low = min(length, 8)
                first = load64(word) & _lowest_bytes(low)
                # A shift by 64 would not shift; two shifts do.
                second = load64(word + 8) & (_ALL >> np.uint64(8) >> np.uint64(56 - 8 * (length - low)))
                second |= np.uint64(length) << np.uint64(56)
                place = _home(first, second, mask)
            else:
                first = long_hash(word, length)
                second = _ZERO
                place = np.int64(first & np.uint64(mask))
            fetch(table + ENTRY * place)
            store64(batch + 24 * k, first)
            store64(batch + 24 * k + 8, second)
            storei64(batch + 24 * k + 16, place)
            word = end
        for k in range(together):
            end = loadi64(ends + 8 * (at + k))
            weight = loadi64(weights + 8 * (at + k)) if weights != 0 else 1
            first, second = load64(batch + 24 * k), load64(batch + 24 * k + 8)
            if second != _ZERO:
                entry = _count_short(block, table, mask, loadi64(batch + 24 * k + 16), first, second, weight, begin)
            else:
                entry = _count_long(block, begin, end - begin, first, weight, begin)
                if entry == 0:
                    reason = NEEDS_ARENA
                    together = k
                    break
            if numbers != 0:
                store32(numbers + 4 * (at + k), loadi64(entry + 24))
            begin = end
        at += together
        if reason != DONE:
            break
    block.next = at
    block.begin = begin
    return reason


@compiled
def count_words(address):
    """Count the words of all stretches of text; return DONE, NEEDS_TABLE or NEEDS_ARENA.

    address : of a block. Words are not empty, and SLACK bytes after each may be read. Words whose ends are waiting are
    counted first; all are counted when the splitter has no text left and ``left`` is 0.
    """
    block = block_at(address)
    split = layout.block_at(block.split)
    while True:
        reason = _count_ends(block, 0, 0)
        if reason != DONE:
            return reason
        if split.at == split.end:
            if block.left == 0:
                return DONE
            stretch = block.stretches
            split.at = loadi64(stretch)
            split.end = loadi64(stretch + 8)
            block.begin = loadi64(stretch)
            block.stretches = stretch + 16
            block.left -= 1
            continue
        block.next = 0
        block.number = call(block.splitter, block.split)


@compiled
def count_numbered(address, weights, numbers):
    """Count the words whose ends are waiting and write the number of each; return why, as ``count_words`` does.

    weights : address of int64, how often each word of ``ends`` occurs, or 0 if once · numbers : address of uint32.
    """
    return _count_ends(block_at(address), weights, numbers)


@compiled
def move_words(address, table, size):
    """Enter all words into a longer, empty ``table`` of ``size`` entries, a power of two. The block is not changed."""
    block = block_at(address)
    old = block.table
    for k in range(block.mask + 1):
        entry = old + ENTRY * k
        second = load64(entry + 8)
        if second == _ZERO:
            continue
        at = _home(load64(entry), second, size - 1)
        if second >= _LONG:
            at = np.int64(load64(entry) & np.uint64(size - 1))
        while load64(table + ENTRY * at + 8) != _ZERO:
            at = (at + 1) & (size - 1)
        copy(table + ENTRY * at, entry, ENTRY)


@compiled
def find_entries(address, entries):
    """Write the address of the entry of each word to ``entries``, int64[WORDS], in the order first seen."""
    block = block_at(address)
    table = block.table
    for k in range(block.mask + 1):
        entry = table + ENTRY * k
        if load64(entry + 8) != _ZERO:
            storei64(entries + 8 * loadi64(entry + 24), entry)


@compiled
def write_words(address, entries, text, ends, counts):
    """Write all words end to end, where each ends and how often it occurs, in the order of ``entries``.

    entries, text, ends, counts : addresses of int64[WORDS], uint8[BYTES + SLACK], int64[WORDS], int64[WORDS].
    """
    block = block_at(address)
    arena = block.arena
    at = 0
    for number in range(block.words):
        entry = loadi64(entries + 8 * number)
        second = load64(entry + 8)
        if second < _LONG:
            copy(text + at, entry, 16)
            at += np.int64(second >> np.uint64(56))
        else:
            word = arena + np.int64(second & _PLACE)
            length = loadi64(word)
            copy(text + at, word + 8, length)
            at += length
        storei64(ends + 8 * number, at)
        storei64(counts + 8 * number, loadi64(entry + 16))


@compiled
def add_words(address, other_at, entries, start, stop):
    """Count the words ``start`` .. ``stop`` of another table, ``entries`` in its order, as often as they occur there.

    Returns how many of them were counted before this table or its arena was full. The first place of a word is the one
    counted first, so the caller joins tables in the order of the text.
    """
    block, other = block_at(address), block_at(other_at)
    arena, firsts = other.arena, other.firsts
    for number in range(start, stop):
        if block.words == block.room:
            return number - start
        entry = loadi64(entries + 8 * number)
        if number + 8 < stop:
            fetch(loadi64(entries + 8 * (number + 8)))
        first, second, weight = load64(entry), load64(entry + 8), loadi64(entry + 16)
        place = loadi64(firsts + 8 * number)
        if second < _LONG:
            table, mask = block.table, block.mask
            _count_short(block, table, mask, _home(first, second, mask), first, second, weight, place)
        else:
            word = arena + np.int64(second & _PLACE)
            if _count_long(block, word + 8, loadi64(word), first, weight, place) == 0:
                return number - start
    return stop - start
