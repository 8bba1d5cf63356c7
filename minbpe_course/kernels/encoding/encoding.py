"""From text to ids: the splitter gives words, and the cache has the ids of most of them.

    text --split_words--> ends --records--> keys --cache--> ids
                          320 at a time     64 at a time

A word that was encoded before costs one comparison (``word_cache``). The keys of 64 words are made, and their cache
entries prefetched, before the first is read, so that memory answers many reads at a time. Other words go to
``_missed``:

    up to 15 bytes    a token: its id.  Else cut where no token reaches across (``cuts``), each piece like a word;
                      a piece that cannot be cut is merged (``merging``). The ids go into the cache.
    longer            the same, but known words are in a second cache, with text and ids in an arena:

    long       uint64[2^k, 4]    hash | where in the arena | length << 32 | how many ids | epoch
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
from minbpe_course.kernels.encoding.tables import KEYED, TOP, find_hashed, key_hash, key_of, long_hash, same_bytes

BATCH = 64

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
    """``key_of`` where 16 bytes may not be read."""
    first = second = word_cache.NOTHING
    for k in range(min(length, 8)):
        first |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k)
    for k in range(8, length):
        second |= np.uint64(machine.load8(at + k)) << np.uint64(8 * k - 64)
    return first, second | np.uint64(length) << TOP


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
    """The address of the entry of ``long`` for this hash."""
    mask = np.uint64(block.long_mask)
    return block.long + (np.int64(mixed & mask) << 5)


@helper
def _known_long(block, entry, at, length, mixed, out):
    """The ids of a long word that was noted; ``out`` itself if this entry is not its own."""
    if machine.load64(entry) != mixed or machine.loadi64(entry + 24) != block.epoch:
        return out
    sizes = machine.loadi64(entry + 16)
    where = machine.loadi64(entry + 8)
    if sizes >> 32 != length or not same_bytes(where, at, length):
        return out
    return word_cache.copy_ids(out, where + ((length + 7) & ~7), sizes & 0xFFFFFFFF)


@helper
def _note_long(block, entry, at, length, mixed, begin, out):
    """Note the ids of a long word, which are from ``begin`` to ``out``."""
    text_room = (length + 7) & ~7
    where = word_cache.room_in_the_arena(block, text_room + (((out - begin) + 15) & ~15))
    for k in range(0, length - 8, 8):
        machine.store64(where + k, machine.load64(at + k))
    machine.store64(where + length - 8, machine.load64(at + length - 8))
    word_cache.copy_ids(where + text_room, begin, (out - begin) >> 2)
    if machine.load64(entry) != word_cache.NOTHING:
        word_cache.set_aside(entry)
    machine.store64(entry, mixed)
    machine.storei64(entry + 8, where)
    machine.storei64(entry + 16, length << 32 | (out - begin) >> 2)
    machine.storei64(entry + 24, block.epoch)


@helper
def _missed(block, at, length, first, second, mixed, place, out):
    """Encode a word that its cache entry does not have; return minus the reason if something is missing for it.

    mixed : the hash of its key, or of the whole word if that is longer and may be noted.
    """
    if length >= GAP >> 1:
        # Text between words: GAP is a bit of its end.
        return out
    cuts = block.cuts != 0
    begin = out
    short = length <= KEYED
    noted = length <= LONGEST_NOTED
    if short:
        out = word_cache.known_elsewhere(block, place, first, second, out)
        cuts = cuts and (first & HIGH_BITS) | (second & HIGH_BITS_OF_SECOND) != word_cache.NOTHING
    else:
        if not noted:
            mixed = long_hash(at, length)
        place = _long_place(block, mixed)
        if noted:
            out = _known_long(block, place, at, length, mixed, out)
            if out == begin:
                out = _known_long(block, place ^ word_cache.ENTRY, at, length, mixed, out)
    if out > begin:
        return out
    number = find_hashed(block, at, length, first, second, mixed)
    if number >= 0:
        out = _token_out(block, number, out)
    else:
        out = _in_pieces(block, at, length, cuts, out)
        if out < 0:
            return out
    if short:
        if number < block.whole_only:
            word_cache.note(block, place, first, second, begin, out)
    elif noted:
        _note_long(block, place, at, length, mixed, begin, out)
    return out


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


@machine.addressed
def encode_text(address):
    """Encode the text from ``at`` to ``end`` to ``out``; return DONE, or why the word at ``at`` cannot be encoded yet.

    ``out`` has room for one id for each byte and 4 more. Bytes before ``limit``, which may be ``end`` itself, may be
    read; ``base`` is 0. ``tail`` : 2 * AHEAD bytes · ``records`` : 32 bytes for each of BATCH words · ``key_masks`` :
    uint64[17, 2], the bytes that belong to a key, by the length of the word.
    """
    block = layout.block_at(address)
    splitter = block.splitter
    ends = block.ends
    records = block.records
    key_masks = block.key_masks
    cache = block.cache
    mask = np.uint64(block.cache_mask)
    long = block.long
    long_mask = np.uint64(block.long_mask)
    longs = records + 24 * BATCH
    out = block.out
    while True:
        if block.misses > block.grow_after:
            block.out = out
            return layout.NEEDS_CACHE
        if block.long_misses > block.long_grow_after:
            block.out = out
            return layout.NEEDS_LONG
        begin = block.at
        number = machine.call(splitter, address)
        if number == 0:
            if begin >= block.end:
                break
            _to_the_tail(block)
            continue
        done = 0
        while done < number:
            batch = min(number - done, BATCH)
            at = begin
            number_of_longs = 0
            high = word_cache.NOTHING
            for k in range(batch):
                end = machine.loadi64(ends + 8 * (done + k))
                length = min(end - at, KEYED + 1)
                # A word that is too long for a key gets a key that no entry has.
                first = machine.load64(at) & machine.load64(key_masks + 16 * length)
                second = machine.load64(at + 8) & machine.load64(key_masks + 16 * length + 8)
                high |= first
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
                at = end & ~GAP
            if high & HIGH_BITS != word_cache.NOTHING:
                # Words with many ids are frequent outside of ASCII: prefetch what their entries point to.
                for k in range(batch):
                    record = records + 24 * k
                    place = cache + (np.int64(machine.load64(record + 16) & mask) << 5)
                    if machine.load64(place + 8) == machine.load64(record + 8) | word_cache.MANY:
                        machine.fetch(machine.loadi64(place + 16))
            for k in range(number_of_longs):
                # The entries are on their way: prefetch what they point to, too.
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
                if (machine.load64(place) ^ first) | (machine.load64(place + 8) ^ second) == word_cache.NOTHING:
                    out = word_cache.answer_from(place, out)
                else:
                    made = _missed(block, begin, end - begin, first, second, mixed, place, out)
                    if made < 0:
                        _give_back(block, begin, number - done - k)
                        block.out = out
                        return -made
                    out = made
                begin = end & ~GAP
            done += batch
    block.out = out
    return layout.DONE


@helper
def _give_back(block, begin, words):
    """Go back to the word at ``begin``: encode it and the words after it, ``words`` in all, in a later call."""
    block.at = begin
    block.given -= 8 * words
    block.given_left += words
