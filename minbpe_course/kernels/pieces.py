"""SentencePiece BPE on normalised UTF-8: from characters to ids.

    ▁Hello▁world      cut where two characters meet that no piece holds side by side:      ▁Hello | ▁world
                      each stretch: from the cache, or merged: the best rank, of equal ranks the leftmost

No merge can cross such a cut, so the cuts change nothing but the time. Short stretches are merged by looking at all
pairs, long ones with a heap. Tables are those of ``packing_pieces``; the text must be valid UTF-8, as
``kernels.normalize`` writes it. Twin: ``reference.pieces``.

The busiest loops call nothing that takes an array: counting references to it would cost more than the work.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.compiled import compiled
from minbpe_course.kernels.normalize import longest_piece
from minbpe_course.kernels.piece_tables import neighbour_slot

FREE = -1
NO_MERGE = 0x7FFFFFFFFFFFFFFF
SHORT = 48  # symbols; longer stretches are merged with a heap
CACHED_BYTES = 31  # a stretch up to this long has its bytes as its key, each ▁ counting as one
CACHED_IDS = 7


@compiled
def _pair_value(left, right, pair_keys, pair_values):
    """``rank << 32 | made`` of the pair, or NO_MERGE."""
    if left < 0 or right < 0:
        return NO_MERGE
    key = np.int64(left) << 32 | np.int64(right)
    mask = pair_keys.size - 1
    slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
    while pair_keys[slot] != key and pair_keys[slot] != FREE:
        slot = (slot + 1) & mask
    return pair_values[slot] if pair_keys[slot] == key else NO_MERGE


@compiled
def _merge_short(symbols, sizes, number, pair_keys, pair_values, values):
    """Merge in place by looking at all pairs; return how many symbols are left. values : int64[number], scratch."""
    mask = pair_keys.size - 1
    begin, end = 0, number - 1
    while True:
        # What has changed: all pairs at first, later the two beside the last merge.
        for at in range(begin, end):
            value = np.int64(NO_MERGE)
            if symbols[at] >= 0 and symbols[at + 1] >= 0:
                key = symbols[at] << 32 | symbols[at + 1]
                slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
                while pair_keys[slot] != key and pair_keys[slot] != FREE:
                    slot = (slot + 1) & mask
                if pair_keys[slot] == key:
                    value = pair_values[slot]
            values[at] = value
        best = -1
        best_rank = np.int64(NO_MERGE >> 32)
        # Only "less" moves to the right: of equal ranks the leftmost stays.
        for at in range(number - 1):
            if values[at] >> 32 < best_rank:
                best = at
                best_rank = values[at] >> 32
        if best < 0:
            return number
        symbols[best] = values[best] & 0xFFFFFFFF
        sizes[best] += sizes[best + 1]
        number -= 1
        for at in range(best + 1, number):
            symbols[at] = symbols[at + 1]
            sizes[at] = sizes[at + 1]
            values[at - 1] = values[at]
        begin = max(best - 1, 0)
        end = min(best + 1, number - 1)


@compiled
def _push(heap, size, key):
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key


@compiled
def _pop(heap, size):
    """Take the smallest key out of ``heap[:size]``; afterwards ``heap[:size - 1]`` is the heap."""
    top = heap[0]
    size -= 1
    last = heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return top


@compiled
def _merge_long(symbols, sizes, number, pair_keys, pair_values, after, before, heap):
    """Merge in place with a heap of ``rank << 32 | left``; return how many symbols are left.

    after, before : int64[number] and heap : int64[3 * number], scratch. A key is stale when its left symbol died or the
    pair that begins there now has another rank. (Another pair of the same rank has put in the same key: nothing is
    lost or moved.)
    """
    size = 0
    for at in range(number):
        before[at] = at - 1
        after[at] = at + 1 if at + 1 < number else -1
    for at in range(number - 1):
        value = _pair_value(symbols[at], symbols[at + 1], pair_keys, pair_values)
        if value != NO_MERGE:
            _push(heap, size, value >> 32 << 32 | at)
            size += 1
    while size > 0:
        key = _pop(heap, size)
        size -= 1
        at = key & 0xFFFFFFFF
        gone = after[at]
        if sizes[at] == 0 or gone < 0:
            continue
        value = _pair_value(symbols[at], symbols[gone], pair_keys, pair_values)
        if value == NO_MERGE or value >> 32 != key >> 32:
            continue
        symbols[at] = value & 0xFFFFFFFF
        sizes[at] += sizes[gone]
        sizes[gone] = 0
        right = after[gone]
        after[at] = right
        if right >= 0:
            before[right] = at
            value = _pair_value(symbols[at], symbols[right], pair_keys, pair_values)
            if value != NO_MERGE:
                _push(heap, size, value >> 32 << 32 | at)
                size += 1
        left = before[at]
        if left >= 0:
            value = _pair_value(symbols[left], symbols[at], pair_keys, pair_values)
            if value != NO_MERGE:
                _push(heap, size, value >> 32 << 32 | left)
                size += 1
    kept = 0
    at = 0
    while at >= 0:
        symbols[kept] = symbols[at]
        sizes[kept] = sizes[at]
        kept += 1
        at = after[at]
    return kept


@compiled
def _write_unknown(text, at, size, byte_ids, unk_id, first, out, spans, used):
    """Write bytes, or one unknown id that takes in the unknown one before it; return the new ``used``."""
    if byte_ids.size > 0:
        for place in range(at, at + size):
            out[used] = byte_ids[text[place]]
            if spans.size > 0:
                spans[used] = 1
            used += 1
        return used
    if used > first and out[used - 1] == unk_id:
        if spans.size > 0:
            spans[used - 1] += size
        return used
    out[used] = unk_id
    if spans.size > 0:
        spans[used] = size
    return used + 1


@compiled
def _write_symbols(
    text, at, symbols, sizes, number, takes, leaf_start, leaf_ids, leaf_bytes, byte_ids, unk_id, first, out, spans, used
):
    """Write the ids of merged symbols that begin at byte ``at``; return the new ``used``."""
    for place in range(number):
        symbol = symbols[place]
        size = sizes[place]
        if symbol < 0:
            used = _write_unknown(text, at, size, byte_ids, unk_id, first, out, spans, used)
        elif takes[symbol] < 0:
            out[used] = symbol
            if spans.size > 0:
                spans[used] = size
            used += 1
        else:
            leaf_at = at
            for leaf in range(leaf_start[takes[symbol]], leaf_start[takes[symbol] + 1]):
                leaf_size = leaf_bytes[leaf]
                if leaf_ids[leaf] < 0:
                    used = _write_unknown(text, leaf_at, leaf_size, byte_ids, unk_id, first, out, spans, used)
                else:
                    out[used] = leaf_ids[leaf]
                    if spans.size > 0:
                        spans[used] = leaf_size
                    used += 1
                leaf_at += leaf_size
        at += size
    return used


@compiled
def _merge_stretch(
    text, begin, number, char_symbols, pair_keys, pair_values, takes, leaf_start, leaf_ids, leaf_bytes, byte_ids,
    unk_id, scratch, first, out, spans, used,
):  # fmt: skip
    """Encode the stretch whose ``number`` code points are at the front of ``scratch``; return the new ``used``."""
    symbols = scratch[:number]
    sizes = scratch[number : 2 * number]
    for at in range(number):
        code = symbols[at]
        sizes[at] = 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
        symbols[at] = char_symbols[code]
    after = scratch[2 * number : 3 * number]
    if number <= SHORT:
        number = _merge_short(symbols, sizes, number, pair_keys, pair_values, after)
    else:
        before = scratch[3 * number : 4 * number]
        heap = scratch[4 * number : 7 * number]
        number = _merge_long(symbols, sizes, number, pair_keys, pair_values, after, before, heap)
    return _write_symbols(
        text, begin, symbols, sizes, number, takes, leaf_start, leaf_ids, leaf_bytes, byte_ids, unk_id, first, out,
        spans, used,
    )  # fmt: skip


@compiled
def encode_texts(
    text, ends, starts, trie_keys, trie_nodes, trie_ids, char_symbols, pair_keys, pair_values, neighbours, takes,
    leaf_start, leaf_ids, leaf_bytes, byte_ids, unk_id, cache_keys, cache_ids, scratch, out, spans, out_ends,
):  # fmt: skip
    """Encode normalised texts that lie one after another in ``text``; return how many entries of ``out`` are used.

    text : uint8[n] · ends : int64[d], one past each text · the tables of ``packing_pieces`` · unk_id : -1 only with
    byte_ids · cache_keys : uint64[2**k, 4] and cache_ids : uint32[2**k, 8], zeros at first, or [0, ...] for no cache ·
    scratch : int64 · out : uint32, at least n · spans : int32[n] for the bytes of ``text`` that each id stands for, or
    of size 0 · out_ends : int64[d]. Returns ``-1 - n`` when ``scratch`` must have more than 7 * n entries; call again
    then.
    """
    used = 0
    at = 0
    use_cache = spans.size == 0 and cache_keys.size > 0
    fuses = byte_ids.size == 0
    for document in range(ends.size):
        end = ends[document]
        first = used
        begin = at
        number = 0
        previous = np.int64(-1)
        while True:
            length = 0
            piece = np.int64(-1)
            code = np.int64(-1)
            size = 0
            cut = at == end
            if not cut:
                lead = np.int64(text[at])
                if starts[lead] & 1:
                    length, piece = longest_piece(text, at, end, trie_keys, trie_nodes, trie_ids)
                if length > 0:
                    cut = True
                else:
                    if lead < 0x80:
                        code, size = lead, 1
                    elif lead < 0xE0:
                        code, size = (lead & 0x1F) << 6 | np.int64(text[at + 1]) & 0x3F, 2
                    elif lead < 0xF0:
                        code = (lead & 0x0F) << 6 | np.int64(text[at + 1]) & 0x3F
                        code, size = code << 6 | np.int64(text[at + 2]) & 0x3F, 3
                    else:
                        code = (lead & 0x07) << 6 | np.int64(text[at + 1]) & 0x3F
                        code = code << 6 | np.int64(text[at + 2]) & 0x3F
                        code, size = code << 6 | np.int64(text[at + 3]) & 0x3F, 4
                    cut = previous >= 0 and neighbours[neighbour_slot(previous, code, neighbours.size)] == 0

            if cut and begin < at:
                cached = use_cache and at - begin <= 3 * CACHED_BYTES
                # Unknown pieces fuse across a cut, except where they become bytes.
                after_unknown = fuses and used > first and out[used - 1] == unk_id
                slot = 0
                hit = False
                k0 = k1 = k2 = k3 = np.uint64(0)
                if cached:
                    # ▁ counts as one byte that no UTF-8 has, so that indented lines fit too.
                    taken = 0
                    place = begin
                    while place < at and taken < CACHED_BYTES:
                        byte = np.uint64(text[place])
                        if byte == 0xE2 and text[place + 1] == 0x96 and text[place + 2] == 0x81:
                            byte = np.uint64(0xFF)
                            place += 2
                        place += 1
                        byte <<= np.uint64((taken & 7) << 3)
                        if taken < 8:
                            k0 |= byte
                        elif taken < 16:
                            k1 |= byte
                        elif taken < 24:
                            k2 |= byte
                        else:
                            k3 |= byte
                        taken += 1
                    cached = place == at
                    k3 |= np.uint64(taken) << np.uint64(56)
                    mixed = (k0 ^ (k1 * np.uint64(0xC2B2AE3D27D4EB4F))) * np.uint64(0x9E3779B97F4A7C15)
                    mixed ^= (k2 ^ k3 * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xC2B2AE3D27D4EB4F)
                    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
                    slot = np.int64(mixed >> np.uint64(40)) & (cache_keys.shape[0] - 1)
                    hit = (
                        cached
                        and cache_keys[slot, 0] == k0
                        and cache_keys[slot, 1] == k1
                        and cache_keys[slot, 2] == k2
                        and cache_keys[slot, 3] == k3
                    )
                if hit:
                    skip = 1 if after_unknown and cache_ids[slot, 0] == unk_id else 0
                    for place in range(skip, np.int64(cache_ids[slot, CACHED_IDS])):
                        out[used] = cache_ids[slot, place]
                        used += 1
                else:
                    start = used
                    used = _merge_stretch(
                        text, begin, number, char_symbols, pair_keys, pair_values, takes, leaf_start, leaf_ids,
                        leaf_bytes, byte_ids, unk_id, scratch, first, out, spans, used,
                    )  # fmt: skip
                    # After an unknown piece the ids may lack a first one that fused, so they are not kept.
                    if cached and not after_unknown and used - start <= CACHED_IDS:
                        cache_keys[slot, 0] = k0
                        cache_keys[slot, 1] = k1
                        cache_keys[slot, 2] = k2
                        cache_keys[slot, 3] = k3
                        for place in range(used - start):
                            cache_ids[slot, place] = out[start + place]
                        cache_ids[slot, CACHED_IDS] = used - start
                begin = at
                number = 0

            if at == end:
                break
            if length > 0:
                out[used] = piece
                if spans.size > 0:
                    spans[used] = length
                used += 1
                at += length
                begin = at
                previous = np.int64(-1)
            else:
                if 7 * number + 7 > scratch.size:
                    return -2 - number
                scratch[number] = code
                number += 1
                previous = code
                at += size
        out_ends[document] = used
    return used
