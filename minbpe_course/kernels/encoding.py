"""From text to ids: words come from the splitter, and most of them from a cache.

    text --split_words--> ends --records--> keys --cache--> ids
                          320 at a time     64 at a time

A word that was seen before costs one comparison. The cache has one place for each hash, 32 bytes, half a cache line:

    key        bytes 0..7 | bytes 8..14, length in the top byte      16 bytes, compared at once; exact, no collisions
    answer     id, id, id, id; the top byte is how many there are    16 bytes, stored at once; too much is overwritten

It begins with the vocabulary in it. The keys of 64 words are made, and their places fetched, before the first is
looked at, so that memory answers many questions at a time. What is not in the cache goes to ``_missed``:

    up to 15 bytes    a token: its id.  Else cut where no token reaches across (``cuts``), each piece like a word;
                      a piece that cannot be cut is merged (``merging``). The answer goes into the cache.
    longer            the same, but known words lie in a second cache, with text and ids in an ARENA:

    LONG       uint64[2^k, 4]    hash | where in the arena | length << 32 | how many ids | epoch
    ARENA      text, up to a multiple of 8 bytes, then ids; when it is full, it is begun again in a new epoch

A short word of more than four ids has its ids in the arena too, and the top bit set in its key, which no word of the
text has: so the fast path takes it for unknown, and ``_missed`` finds it.

Nothing here allocates. When the SCRATCH is too small for a very long word, or a trie would help, the encoder comes back
with NEEDS_SCRATCH or NEEDS_TRIE and AT where that word begins, and can be called again. Twin: ``reference.encoding``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels import layout, machine
from minbpe_course.kernels.backtracking import BACKTRACK_BYTES, backtrack
from minbpe_course.kernels.compiled import helper
from minbpe_course.kernels.cuts import next_cut
from minbpe_course.kernels.merging import HEAP_BYTES, SMALL, merge_heap, merge_small
from minbpe_course.kernels.split import AHEAD
from minbpe_course.kernels.tables import (
    KEYED,
    TOP,
    find_keyed,
    find_long,
    key_hash,
    key_of,
    long_hash,
    same_bytes,
)

BATCH = 64

# Words of up to this many bytes are noted in the long cache, and each takes at most this much of the arena.
LONGEST_NOTED = 256
MOST_NOTED = 3 * LONGEST_NOTED

# Ids that a cache entry holds; the last one shares its place with their number.
HELD = 4
LAST_ID_BITS = 24
NUMBER_MASK = np.uint64((1 << 56) - 1)
NOTHING = np.uint64(0)
MANY = np.uint64(1 << 63)
HIGH_BITS = np.uint64(0x8080808080808080)
HIGH_BITS_OF_SECOND = np.uint64(0x0080808080808080)


@helper
def _place_of(block, mixed):
    """The address of the cache entry for this hash."""
    mask = np.uint64(machine.loadi64(block + layout.CACHE_MASK))
    return machine.loadi64(block + layout.CACHE) + (np.int64(mixed & mask) << 5)


@helper
def _room_in_the_arena(block, room):
    """The address of ``room`` bytes, a multiple of 8, of the arena."""
    used = machine.loadi64(block + layout.ARENA_USED)
    if used + room > machine.loadi64(block + layout.ARENA_SIZE):
        # Full: begin again. What still points to the old texts and ids is told by the epoch.
        used = 0
        machine.storei64(block + layout.EPOCH, machine.loadi64(block + layout.EPOCH) + 1)
    machine.storei64(block + layout.ARENA_USED, used + room)
    machine.storei64(block + layout.LONG_MISSES, machine.loadi64(block + layout.LONG_MISSES) + 1)
    return machine.loadi64(block + layout.ARENA) + used


@helper
def _copy_ids(to, source, count):
    """Copy ids, sixteen bytes at a time: both sides have room."""
    for k in range(0, count, HELD):
        machine.copy16(to + 4 * k, source + 4 * k)
    return to + 4 * count


@helper
def _known_to_be_many(block, place, first, second, out):
    """The ids of a word of up to KEYED bytes that has more than HELD; ``out`` itself if this entry is not its own."""
    if machine.load64(place) != first or machine.load64(place + 8) != second | MANY:
        return out
    sizes = machine.loadi64(place + 24)
    if sizes >> 8 != machine.loadi64(block + layout.EPOCH):
        return out
    return _copy_ids(out, machine.loadi64(place + 16), sizes & 255)


@helper
def _note(block, place, first, second, begin, out):
    """Note the ids from ``begin`` to ``out`` for this key."""
    count = (out - begin) >> 2
    if count > HELD or (count == HELD and machine.load32(begin + 12) >> LAST_ID_BITS != 0):
        where = _room_in_the_arena(block, (4 * count + 15) & ~15)
        _copy_ids(where, begin, count)
        machine.store64(place, first)
        machine.store64(place + 8, second | MANY)
        machine.storei64(place + 16, where)
        machine.storei64(place + 24, machine.loadi64(block + layout.EPOCH) << 8 | count)
        return
    machine.store64(place, first)
    machine.store64(place + 8, second)
    machine.store64(place + 16, machine.load64(begin))
    machine.store64(place + 24, machine.load64(begin + 8) & NUMBER_MASK | np.uint64(count) << TOP)
    misses = block + layout.MISSES
    machine.storei64(misses, machine.loadi64(misses) + 1)


@helper
def _merge(block, at, length, out):
    """Merge a word or piece; minus the reason when something is missing for it."""
    if length <= SMALL:
        return merge_small(block, at, length, out)
    linear = machine.loadi64(block + layout.LINEAR) != 0
    if linear and machine.loadi64(block + layout.TRIE) == 0:
        return -layout.NEEDS_TRIE
    wanted = length * (BACKTRACK_BYTES if linear else HEAP_BYTES) + 64
    if wanted > machine.loadi64(block + layout.SCRATCH_SIZE):
        machine.storei64(block + layout.SCRATCH_WANTED, wanted)
        return -layout.NEEDS_SCRATCH
    return backtrack(block, at, length, out) if linear else merge_heap(block, at, length, out)


@helper
def _token_out(block, number, out):
    machine.store32(out, machine.load32(machine.loadi64(block + layout.TOKEN_IDS) + 4 * number))
    return out + 4


@helper
def _key_near_the_end(at, length):
    """``key_of`` where 16 bytes may not be read."""
    first = second = NOTHING
    for k in range(min(length, 8)):
        first |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k)
    for k in range(8, length):
        second |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k - 64)
    return first, second | np.uint64(length) << TOP


@helper
def _piece(block, at, length, out):
    """Encode a piece of a word that cannot be cut."""
    if length > KEYED:
        number = find_long(block, at, length, long_hash(at, length))
        return _token_out(block, number, out) if number >= 0 else _merge(block, at, length, out)
    if at + 16 <= machine.loadi64(block + layout.LIMIT):
        first, second = key_of(at, length)
    else:
        first, second = _key_near_the_end(at, length)
    mixed = key_hash(first, second)
    place = _place_of(block, mixed)
    if machine.load64(place) == first and machine.load64(place + 8) == second:
        answer = machine.load64(place + 24)
        machine.store64(out, machine.load64(place + 16))
        machine.store64(out + 8, answer & NUMBER_MASK)
        return out + (np.int64(answer >> TOP) << 2)
    number = find_keyed(block, first, second, mixed)
    begin = out
    out = _token_out(block, number, out) if number >= 0 else merge_small(block, at, length, out)
    _note(block, place, first, second, begin, out)
    return out


@helper
def _pieces(block, at, end, out):
    """Encode a word in pieces; minus the reason when something is missing."""
    while at < end:
        cut = next_cut(block, at, end)
        out = _piece(block, at, cut - at, out)
        if out < 0:
            return out
        at = cut
    return out


@helper
def _long_word(block, at, length, mixed, out):
    """Encode a word of more than KEYED bytes; minus the reason when something is missing."""
    noted = length <= LONGEST_NOTED
    if not noted:
        mixed = long_hash(at, length)
    mask = np.uint64(machine.loadi64(block + layout.LONG_MASK))
    entry = machine.loadi64(block + layout.LONG) + (np.int64(mixed & mask) << 5)
    if (
        noted
        and machine.load64(entry) == mixed
        and machine.loadi64(entry + 24) == machine.loadi64(block + layout.EPOCH)
    ):
        sizes = machine.loadi64(entry + 16)
        where = machine.loadi64(entry + 8)
        if sizes >> 32 == length and same_bytes(where, at, length):
            return _copy_ids(out, where + ((length + 7) & ~7), sizes & 0xFFFFFFFF)
    begin = out
    number = find_long(block, at, length, mixed)
    if number >= 0:
        out = _token_out(block, number, out)
    elif machine.loadi64(block + layout.CUTS) != 0:
        out = _pieces(block, at, at + length, out)
    else:
        out = _merge(block, at, length, out)
    if out < 0 or not noted:
        return out
    text_room = (length + 7) & ~7
    where = _room_in_the_arena(block, text_room + (((out - begin) + 15) & ~15))
    for k in range(0, length - 8, 8):
        machine.store64(where + k, machine.load64(at + k))
    machine.store64(where + length - 8, machine.load64(at + length - 8))
    _copy_ids(where + text_room, begin, (out - begin) >> 2)
    machine.store64(entry, mixed)
    machine.storei64(entry + 8, where)
    machine.storei64(entry + 16, length << 32 | (out - begin) >> 2)
    machine.storei64(entry + 24, machine.loadi64(block + layout.EPOCH))
    return out


@helper
def _missed(block, at, length, first, second, mixed, place, out):
    """Encode a word that the cache does not hold; minus the reason when something is missing for it."""
    if length > KEYED:
        return _long_word(block, at, length, mixed, out)
    begin = out
    out = _known_to_be_many(block, place, first, second, out)
    if out > begin:
        return out
    number = find_keyed(block, first, second, mixed)
    if number >= 0:
        out = _token_out(block, number, out)
    elif machine.loadi64(block + layout.CUTS) != 0 and (
        (first & HIGH_BITS) | (second & HIGH_BITS_OF_SECOND) != NOTHING
    ):
        out = _pieces(block, at, at + length, out)
    else:
        out = merge_small(block, at, length, out)
    _note(block, place, first, second, begin, out)
    return out


@helper
def _to_the_tail(block):
    """Copy the last bytes of the text, fewer than AHEAD, to where more may be read, and go on there."""
    at = machine.loadi64(block + layout.AT)
    rest = machine.loadi64(block + layout.END) - at
    tail = machine.loadi64(block + layout.TAIL)
    for k in range(rest):
        machine.store8(tail + k, machine.load8(at + k))
    machine.storei64(block + layout.AT, tail)
    machine.storei64(block + layout.END, tail + rest)
    machine.storei64(block + layout.LIMIT, tail + 2 * AHEAD)


@machine.addressed
def encode_text(block):
    """Encode the text from AT to END to OUT; return DONE, or what is missing for the word at AT.

    OUT has room for one id a byte and 4 more. Bytes before LIMIT may be read, which may be END itself; BASE is 0.
    TAIL : 2 * AHEAD bytes · RECORDS : 32 bytes for each of BATCH words · KEY_MASKS : uint64[17, 2], see ``packing``.
    """
    splitter = machine.loadi64(block + layout.SPLITTER)
    ends = machine.loadi64(block + layout.ENDS)
    records = machine.loadi64(block + layout.RECORDS)
    key_masks = machine.loadi64(block + layout.KEY_MASKS)
    cache = machine.loadi64(block + layout.CACHE)
    mask = np.uint64(machine.loadi64(block + layout.CACHE_MASK))
    long = machine.loadi64(block + layout.LONG)
    long_mask = np.uint64(machine.loadi64(block + layout.LONG_MASK))
    longs = records + 24 * BATCH
    out = machine.loadi64(block + layout.OUT)
    while True:
        if machine.loadi64(block + layout.MISSES) > machine.loadi64(block + layout.GROW_AFTER):
            machine.storei64(block + layout.OUT, out)
            return layout.NEEDS_CACHE
        if machine.loadi64(block + layout.LONG_MISSES) > machine.loadi64(block + layout.LONG_GROW_AFTER):
            machine.storei64(block + layout.OUT, out)
            return layout.NEEDS_LONG
        begin = machine.loadi64(block + layout.AT)
        number = machine.call(splitter, block)
        if number == 0:
            if begin >= machine.loadi64(block + layout.END):
                break
            _to_the_tail(block)
            continue
        done = 0
        while done < number:
            batch = min(number - done, BATCH)
            at = begin
            number_of_longs = 0
            for k in range(batch):
                end = machine.loadi64(ends + 8 * (done + k))
                length = min(end - at, KEYED + 1)
                # A word that is too long for a key gets one that no entry has.
                first = machine.load64(at) & machine.load64(key_masks + 16 * length)
                second = machine.load64(at + 8) & machine.load64(key_masks + 16 * length + 8)
                second |= np.uint64(length) << TOP
                mixed = key_hash(first, second)
                record = records + 24 * k
                if length > KEYED and end - at <= LONGEST_NOTED:
                    mixed = long_hash(at, end - at)
                    entry = long + (np.int64(mixed & long_mask) << 5)
                    machine.fetch(entry)
                    machine.storei64(longs + 8 * number_of_longs, entry)
                    number_of_longs += 1
                machine.store64(record, first)
                machine.store64(record + 8, second)
                machine.store64(record + 16, mixed)
                machine.fetch(cache + (np.int64(mixed & mask) << 5))
                at = end
            for k in range(number_of_longs):
                # The entry is on its way; what it points to is asked for as well, before the first word is looked at.
                where = machine.loadi64(machine.loadi64(longs + 8 * k) + 8)
                machine.fetch(where)
                machine.fetch(where + 64)
            for k in range(batch):
                record = records + 24 * k
                first = machine.load64(record)
                second = machine.load64(record + 8)
                mixed = machine.load64(record + 16)
                place = cache + (np.int64(mixed & mask) << 5)
                end = machine.loadi64(ends + 8 * (done + k))
                if (machine.load64(place) ^ first) | (machine.load64(place + 8) ^ second) == NOTHING:
                    answer = machine.load64(place + 24)
                    machine.store64(out, machine.load64(place + 16))
                    machine.store64(out + 8, answer & NUMBER_MASK)
                    out += np.int64(answer >> TOP) << 2
                else:
                    made = _missed(block, begin, end - begin, first, second, mixed, place, out)
                    if made < 0:
                        _give_back(block, begin, number - done - k)
                        machine.storei64(block + layout.OUT, out)
                        return -made
                    out = made
                begin = end
            done += batch
    machine.storei64(block + layout.OUT, out)
    return layout.DONE


@helper
def _give_back(block, begin, words):
    """Go back to the word at ``begin``; this one and those behind it, ``words`` in all, will be encoded later."""
    machine.storei64(block + layout.AT, begin)
    machine.storei64(block + layout.GIVEN, machine.loadi64(block + layout.GIVEN) - 8 * words)
    machine.storei64(block + layout.GIVEN_LEFT, machine.loadi64(block + layout.GIVEN_LEFT) + words)


@machine.addressed
def given_words(block):
    """A splitter that splits nothing: hands on the ends at GIVEN (int64, GIVEN_LEFT of them, from GIVEN_BASE on)."""
    given = machine.loadi64(block + layout.GIVEN)
    base = machine.loadi64(block + layout.GIVEN_BASE)
    ends = machine.loadi64(block + layout.ENDS)
    left = machine.loadi64(block + layout.GIVEN_LEFT)
    number = min(left, machine.loadi64(block + layout.ROOM))
    for k in range(number):
        machine.storei64(ends + 8 * k, base + machine.loadi64(given + 8 * k))
    if number > 0:
        machine.storei64(block + layout.AT, machine.loadi64(ends + 8 * number - 8))
    machine.storei64(block + layout.GIVEN, given + 8 * number)
    machine.storei64(block + layout.GIVEN_LEFT, left - number)
    return number


@machine.addressed
def fill_cache(block):
    """Put every token WANTED (uint32, WANTED_COUNT of them) of up to KEYED bytes into the empty cache.

    Of two that share a place the first is kept, which was learned earlier.
    """
    wanted = machine.loadi64(block + layout.WANTED)
    starts = machine.loadi64(block + layout.TOKEN_STARTS)
    text = machine.loadi64(block + layout.TOKEN_TEXT)
    ids = machine.loadi64(block + layout.TOKEN_IDS)
    for k in range(machine.loadi64(block + layout.WANTED_COUNT)):
        number = machine.load32(wanted + 4 * k)
        start = machine.loadi64(starts + 8 * number)
        length = machine.loadi64(starts + 8 * number + 8) - start
        if length > KEYED:
            continue
        first, second = key_of(text + start, length)
        place = _place_of(block, key_hash(first, second))
        if machine.load64(place + 8) == NOTHING:
            machine.store64(place, first)
            machine.store64(place + 8, second)
            machine.store64(place + 16, np.uint64(machine.load32(ids + 4 * number)))
            machine.store64(place + 24, np.uint64(1) << TOP)
    return 0


@machine.addressed
def grow_cache(block):
    """Move every entry of the cache at GIVEN, of GIVEN_LEFT entries, into the larger, empty one at CACHE."""
    old = machine.loadi64(block + layout.GIVEN)
    for k in range(machine.loadi64(block + layout.GIVEN_LEFT)):
        source = old + (k << 5)
        second = machine.load64(source + 8)
        if second != NOTHING:
            place = _place_of(block, key_hash(machine.load64(source), second & ~MANY))
            machine.copy16(place, source)
            machine.copy16(place + 16, source + 16)
    return 0
