"""From text to ids: the splitter gives words, and the cache has the ids of most of them.

    text --split_words--> ends --make_keys--> records --copy_known--> ids
                          4,096 at a time     256 at a time

A word that was encoded before costs two comparisons (``word_cache``). The keys of 256 words are made, and their cache
entries prefetched, before the first is read, so that memory answers many reads at a time. The two loops that every word
goes through are separate kernels: so few numbers are in use in each that all of them stay in registers. Other words
go to ``_learn``:

    up to 15 bytes    a token: its id.  Else cut where no token reaches across (``cuts``), each piece like a word;
                      a piece that cannot be cut is merged (``merging``). The ids go into the cache.
    longer            the same, but known words are in a second cache, with text and ids in an arena:

    long       uint64[2^k, 4]    hash | epoch of the arena | length << 32 | how many ids | place in the arena
    arena      text, up to a multiple of 8 bytes, then ids

Nothing here allocates. When a word needs more ``scratch`` memory, or a ``merger`` for its pieces of more than
``small_pieces`` bytes (few texts have any), the encoder returns the reason with ``at`` at the beginning of that word,
and is called again.

Reference implementation: ``reference.encoding``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.layout import AHEAD, GAP
from minbpe_course.kernels.encoding import word_cache
from minbpe_course.kernels.encoding.cuts import next_cut
from minbpe_course.kernels.encoding.merging import merge_small
from minbpe_course.kernels.encoding.tables import KEYED, find_hashed, key_hash, key_of, long_hash, same_bytes, second_of

# Ids beyond one for each byte: the kernels store four at a time.
OUT_SLACK = 4

# How many words one batch looks up, and how many bytes the record of a word has: its key, or the hash if it is too
# long for a key, and where its cache entry is. After the records is a list of the long words.
BATCH, RECORD = 256, 24

# Masks for the keys of words of 0 to KEYED bytes, and of longer ones.
KEY_MASKS = KEYED + 2

# Words of up to this many bytes are noted in the long cache.
LONGEST_NOTED = 256

HIGH_BITS = np.uint64(0x8080808080808080)
HIGH_BITS_OF_SECOND = np.uint64(0x0080808080808080)


@helper
def merge_by_address(block, at, length, out):
    """Merge a piece of more than ``small_pieces`` bytes; return minus the reason if something is missing for it."""
    if length > block.merger_left:
        return -layout.NEEDS_MERGER
    wanted = length * block.merger_bytes + 64
    if wanted > block.scratch_size:
        block.scratch_wanted = wanted
        return -layout.NEEDS_SCRATCH
    block.piece = at
    block.piece_length = length
    block.piece_out = out
    block.merger_left -= length
    return machine.call(block.merger, machine.address_of(block))


@helper
def _token_out(block, number, out):
    machine.store32(out, machine.load32(block.token_ids + 4 * number))
    return out + 4


@helper
def _key_near_the_end(at, length):
    """Return the same key as ``key_of`` where 16 bytes may not be read."""
    first = second = word_cache.NOTHING
    for k in range(min(length, 8)):
        first |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k)
    for k in range(8, length):
        second |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k - 64)
    return first, second_of(second, length)


@helper
def _in_pieces(block, at, length, cuts, out):
    """Encode a word that is not a token: cut it, look up each piece, merge unknown pieces.

    cuts : whether to look for places to cut. Returns minus the reason if something is missing.
    """
    end = at + length
    while at < end:
        cut = next_cut(block, at, end) if cuts else end
        size = cut - at
        keyed = size <= KEYED and size < length
        first = second = mixed = word_cache.NOTHING
        number = np.int64(-1)
        place = np.int64(0)
        begin = out
        if keyed:
            if at + 16 <= block.limit:
                first, second = key_of(at, size)
            else:
                first, second = _key_near_the_end(at, size)
            mixed = key_hash(first, second)
            place = word_cache.place_of(block, mixed)
            if machine.load64(place) == first and machine.load64(place + 8) == second:
                out = word_cache.answer_from(place, out)
            else:
                out = word_cache.known_elsewhere(block, place, first, second, out)
            if out > begin:
                at = cut
                continue
        elif size < length:
            mixed = long_hash(at, size)
        if size < length:
            number = find_hashed(block, at, size, first, second, mixed)
        if number >= block.whole_only:
            # A token only as a whole word. The cache holds words and pieces alike, so this is not cached.
            number = -1
            keyed = False
        # One place that merges: LLVM would inline the code for each.
        if number >= 0:
            out = _token_out(block, number, out)
        elif size <= block.small_pieces:
            out = merge_small(block, at, size, out)
        else:
            out = merge_by_address(block, at, size, out)
            if out < 0:
                return out
        if keyed:
            word_cache.note(block, place, first, second, begin, out)
        at = cut
    return out


@helper
def _long_place(block, mixed):
    """Return the address of the entry of ``long`` for this hash."""
    mask = np.uint64(block.long_mask)
    return block.long + (np.int64(mixed & mask) << 5)


@helper
def _known_long(block, entry, at, length, mixed, out):
    """Return the ids of a long word that was noted; ``out`` itself if this entry is not its own."""
    if machine.load64(entry) != mixed or machine.loadi64(entry + 8) != block.epoch:
        return out
    sizes = machine.loadi64(entry + 16)
    where = block.arena + machine.loadi64(entry + 24)
    if sizes >> 32 != length or not same_bytes(where, at, length):
        return out
    return word_cache.copy_ids(out, where + ((length + 7) & ~7), sizes & 0xFFFFFFFF)


@helper
def _note_long(block, entry, at, length, mixed, begin, out):
    """Note the ids of a long word, which are from ``begin`` to ``out``."""
    text_room = (length + 7) & ~7
    place = word_cache.room_in_the_arena(block, text_room + (((out - begin) + 15) & ~15))
    where = block.arena + place
    for k in range(0, length - 8, 8):
        machine.store64(where + k, machine.load64(at + k))
    machine.store64(where + length - 8, machine.load64(at + length - 8))
    word_cache.copy_ids(where + text_room, begin, (out - begin) >> 2)
    word_cache.set_aside(entry)
    machine.store64(entry, mixed)
    machine.storei64(entry + 8, block.epoch)
    machine.storei64(entry + 16, length << 32 | (out - begin) >> 2)
    machine.storei64(entry + 24, place)


@machine.addressed
def grow_long_cache(address):
    """Move the words of the long cache at ``given``, ``given_left`` entries, to the larger, empty one at ``long``.

    The caller has already copied the old arena to the beginning of the new one.
    """
    block = layout.block_at(address)
    for k in range(block.given_left):
        source = block.given + (k << 5)
        if machine.loadi64(source + 8) == block.epoch:
            word_cache.move(word_cache.free_way(_long_place(block, machine.load64(source))), source)
    return 0


@helper
def _word_at(block, here):
    """Return where the batch's word that ends at the address ``here`` begins."""
    if here == block.batch_first:
        return block.batch_at
    return machine.loadi64(here - 8) & ~GAP


@helper
def _record_of(block, here):
    """Return the address of the record of the word whose end is at the address ``here``."""
    return block.records + RECORD // 8 * (here - block.batch_first)


@helper
def _known(block, here, record, out):
    """Return the ids of a word that the fast path does not recognize; ``out`` itself if they are not known."""
    length = machine.loadi64(here) - _word_at(block, here)
    if length <= KEYED:
        first, second = machine.load64(record), machine.load64(record + 8)
        return word_cache.known_elsewhere(block, machine.loadi64(record + 16), first, second, out)
    if length > LONGEST_NOTED:
        return out
    at, mixed, place = _word_at(block, here), machine.load64(record), machine.loadi64(record + 16)
    for way in range(0, word_cache.ways_of(place), word_cache.ENTRY):
        found = _known_long(block, place ^ way, at, length, mixed, out)
        if found > out:
            return found
    return out


@helper
def _learn(block, here, out):
    """Encode a word that is not known, and note its ids; return minus the reason if something is missing for it."""
    at = _word_at(block, here)
    length = machine.loadi64(here) - at
    if length >= GAP >> 1:
        # Text between words: GAP is a bit of its end.
        return out
    record = _record_of(block, here)
    first, second = machine.load64(record), machine.load64(record + 8)
    short = length <= KEYED
    mixed = key_hash(first, second) if short else long_hash(at, length)
    number = find_hashed(block, at, length, first, second, mixed)
    begin = out
    if number >= 0:
        out = _token_out(block, number, out)
    else:
        cuts = block.cuts != 0
        if short:
            cuts = cuts and (first & HIGH_BITS) | (second & HIGH_BITS_OF_SECOND) != word_cache.NOTHING
        out = _in_pieces(block, at, length, cuts, out)
        if out < 0:
            return out
    if short:
        if number < block.whole_only:
            word_cache.note(block, machine.loadi64(record + 16), first, second, begin, out)
    elif length <= LONGEST_NOTED:
        _note_long(block, _long_place(block, mixed), at, length, mixed, begin, out)
    return out


@helper
def _fetch_longs(block, number):
    """Finish the records of the long words, ``number`` in their list, and fetch what the long cache has for them."""
    longs = block.records + RECORD * BATCH
    stop = longs + 8 * number
    for listed in range(longs, stop, 8):
        here = machine.loadi64(listed)
        record, at = _record_of(block, here), _word_at(block, here)
        length = machine.loadi64(here) - at
        if length <= LONGEST_NOTED:
            mixed = long_hash(at, length)
            place = _long_place(block, mixed)
            machine.fetch(place)
            machine.store64(record, mixed)
            machine.storei64(record + 16, place)
        machine.storei64(listed, record)
    for listed in range(longs, stop, 8):
        # The entries are on their way: fetch what they point to, too.
        where = block.arena + machine.loadi64(machine.loadi64(machine.loadi64(listed) + 16) + 24)
        machine.fetch(where)
        machine.fetch(where + 64)


@machine.addressed
def make_keys(address):
    """Write the records of a batch of words and fetch their cache entries.

    Returns how many are in the list of long words, the addresses of their ends.
    """
    block = layout.block_at(address)
    at, here, stop = block.batch_at, block.batch_first, block.batch_stop
    record, masks, cache = block.records, block.key_masks, block.cache
    mask = word_cache.mask_of(block)
    longs = record + RECORD * BATCH
    number = 0
    while here < stop:
        end = machine.loadi64(here)
        length = end - at
        if length > KEYED:
            machine.storei64(longs + 8 * number, here)
            number += 1
            # A word that is too long for a key gets a key that no entry has. Text between words comes here too.
            length = KEYED + 1
            end &= ~GAP
        masked = masks + 8 * length
        first = machine.load64(at) & machine.load64(masked)
        second = machine.load64(at + 8) & machine.load64(masked + 8 * KEY_MASKS)
        second ^= machine.load64(masked + 16 * KEY_MASKS)
        place = cache + np.int64(key_hash(first, second) & mask)
        machine.fetch(place)
        machine.store64(record, first)
        machine.store64(record + 8, second)
        machine.storei64(record + 16, place)
        at = end
        here += 8
        record += RECORD
    return number


@machine.addressed
def copy_known(address):
    """Copy the ids of words until one is not known; return the address of its end, ``batch_stop`` if all are known."""
    block = layout.block_at(address)
    here, stop, out = block.batch_next, block.batch_stop, block.out
    record = _record_of(block, here)
    while here < stop:
        place = machine.loadi64(record + 16)
        if machine.differs16(place, record):
            found = _known(block, here, record, out)
            if found == out:
                break
            out = found
        else:
            out = word_cache.answer_from(place, out)
        here += 8
        record += RECORD
    block.out = out
    block.batch_next = here
    return here


@helper
def _to_the_tail(block):
    """Copy the last bytes of the text, fewer than AHEAD, to memory with enough bytes after it, and continue there."""
    at = block.at
    rest = block.end - at
    tail = block.tail
    for k in range(rest):
        machine.store8(tail + k, machine.load8(at + k))
    block.at = tail
    block.end = tail + rest
    block.limit = tail + 2 * AHEAD


@helper
def drop_counted(block):
    """Where ids are only counted, count those that are there and let the next ones replace them."""
    if block.count_from != 0:
        block.counted += block.out - block.count_from
        block.out = block.count_from


@machine.addressed
def encode_text(address):
    """Encode the text from ``at`` to ``end`` to ``out``; return DONE, or why the word at ``at`` cannot be encoded yet.

    ``out``, up to ``out_end``, has room for one id for each byte and 4 more; otherwise the reason is NEEDS_OUT when the
    room is too small for the next words. Bytes before ``limit``, which may be ``end`` itself, may be read; ``base`` is
    0. ``tail`` : 2 * AHEAD bytes · ``records`` : 32 bytes for each of BATCH words · ``key_masks`` :
    uint64[3, KEY_MASKS] · ``key_maker``, ``copier`` : the addresses of ``make_keys`` and ``copy_known``.
    """
    block = layout.block_at(address)
    ends = block.ends
    while True:
        drop_counted(block)
        if block.misses > block.grow_after:
            return layout.NEEDS_CACHE
        if block.long_misses > block.long_grow_after:
            return layout.NEEDS_LONG
        begin = block.at
        if begin >= block.end:
            return layout.DONE
        number = machine.call(block.splitter, address)
        if number == 0:
            _to_the_tail(block)
            continue
        stop = ends + 8 * number
        if block.out + 4 * ((machine.loadi64(stop - 8) & ~GAP) - begin + OUT_SLACK) > block.out_end:
            _give_back(block, begin, number)
            return layout.NEEDS_OUT
        block.batch_at = begin
        for here in range(ends, stop, 8 * BATCH):
            block.batch_first = block.batch_next = here
            block.batch_stop = min(here + 8 * BATCH, stop)
            _fetch_longs(block, machine.call(block.key_maker, address))
            while machine.call(block.copier, address) < block.batch_stop:
                out = _learn(block, block.batch_next, block.out)
                if out < 0:
                    _give_back(block, _word_at(block, block.batch_next), (stop - block.batch_next) >> 3)
                    return -out
                block.out = out
                block.batch_next += 8
            block.batch_at = _word_at(block, block.batch_stop)


@helper
def _give_back(block, at, words):
    """Go back to the word at ``at``: it and the words after it, ``words`` in all, come in a later call."""
    block.at = at
    block.given -= 8 * words
    block.given_left += words
