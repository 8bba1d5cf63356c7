"""SentencePiece Unigram on normalised UTF-8: the cut with the best sum of float32 scores, as fast as it can be had.

    ▁Hello ▁world ▁Hello ...       no piece goes across the places between words: every path comes by there
      -3.1  -8.9    -12.0          so all that a word needs to know of the text before it is one number, the best sum

The sums are rounded, so the same word may be cut otherwise behind another sum, but only if two of its ways are about
as good. So the cache keeps with each word by how much its best way is better wherever another way joins it (its
*margin*): if that is more than all roundings together can do, the cut is the one that was found before, and what
remains is to add its scores, one after another, rounding as the full search does. Otherwise the search is done again.

    rounding: a sum of size M is off by half of ulp(M) at most after each addition, so for a word of n characters two
    sums that are compared are off by less than (n + 2) * ulp(M); margin / (n + 2) is kept, and compared with ulp(M)

``best`` in the search, 16 bytes for each place of the word: the best sum, the piece that ends it, the second best sum.
The text must be valid UTF-8, with TEXT_SLACK bytes behind it that may be read. Twin: ``reference.unigram``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels import machine
from minbpe_course.kernels.compiled import compiled, helper
from minbpe_course.kernels.normalizing import RULES, normalize_text
from minbpe_course.kernels.tables import GOLDEN, HIGH_HALF, OTHER_GOLDEN
from minbpe_course.kernels.unigram_trie import NO_PIECE, ROOT, base_of, is_child, piece_of

# The block: what one call works with. First the normaliser's places (see ``normalizing``), then the model's tables,
# then what a thread has of its own.
NODES, SCORES, LENGTHS, BYTE_IDS, UNK_ID, UNKNOWN_SCORE, LONGEST, CUTS, OLD = range(RULES, RULES + 72, 8)
TEXT, ENDS, TEXTS, OUT_ENDS, NORMALIZED, OUT, OUT_LIMIT, SPANS = range(RULES + 72, RULES + 136, 8)
CACHE, CACHE_MASK, NORMALIZED_LIMIT, BEST, PATH, LONGEST_WORD = range(RULES + 136, RULES + 184, 8)
SIZE = (RULES + 184) >> 3

# Why the encoder came back; it is to be called again when there is more room.
NEEDS_NORMALIZED, NEEDS_OUT, NEEDS_WORD = -1, -2, -3

# Where no piece goes across: nowhere, before a ▁ behind anything else, behind a ▁ before anything else.
CUT_NOWHERE, CUT_BEFORE, CUT_BEHIND = range(3)

USER_DEFINED_BIT = 1 << 31  # in LENGTHS: how many bytes each piece has
UNKNOWN = NO_PIECE - 1
NOTHING = 0xFFFFFFFF

# An entry of the cache: the first 16 bytes of the word, margin, reach, sizes, ids; then the rest of the word.
ENTRY, MARGIN, REACH, SIZES, IDS, REST = 128, 16, 20, 24, 28, 64
CACHED_BYTES, CACHED_IDS = 48, 9

FARTHEST_SUM = np.float32(100_000.0)
ULP_FACTOR = np.float32(2.0**-23)
LOWEST = np.float32(-np.inf)
ZERO_SUM, LARGER = np.float32(0.0), np.float32(1.0001)
EXPONENT = 0x7F800000

ZERO, ONE = np.uint64(0), np.uint64(1)


@helper
def _is_mark(at):
    """Whether ▁ is here."""
    return machine.load32(at) & 0xFFFFFF == 0x8196E2


@helper
def _next_mark(at, end):
    """Where the next ▁ begins, or ``end``."""
    while at < end:
        found = machine.byte_mask(at, 0, 0xE2, 1)
        while found != ZERO:
            place = at + machine.trailing_zeros(found)
            if place >= end:
                return end
            if _is_mark(place):
                return place
            found &= found - ONE
        at += 64
    return end


@helper
def _word_end(block, at, end):
    """Where the word that begins at ``at`` ends: at the next place that no piece goes across."""
    cuts = machine.loadi64(block + CUTS)
    if cuts == CUT_NOWHERE:
        return end
    if cuts == CUT_BEFORE:
        while at < end and _is_mark(at):
            at += 3
        return _next_mark(at, end)
    at = _next_mark(at, end)
    while at < end and _is_mark(at):
        at += 3
    return at


@helper
def _offer(slot, candidate, piece):
    """One more way to a place: keep the best sum, and the second best."""
    best = machine.float_of(machine.load32(slot))
    if machine.load32(slot + 4) == NOTHING or candidate > best:
        machine.store32(slot + 8, machine.bits_of(best))
        machine.store64(slot, np.uint64(piece) << HIGH_HALF | np.uint64(machine.bits_of(candidate)))
    elif candidate > machine.float_of(machine.load32(slot + 8)):
        machine.store32(slot + 8, machine.bits_of(candidate))


@helper
def _offer_as_before(slot, here, score, is_user_defined, piece):
    """The same for releases up to 0.2.1: what is compared is the sum in double precision."""
    candidate = np.float64(score) + np.float64(here)
    if is_user_defined:
        candidate = (np.float64(score) - 0.1) + np.float64(here)
    if machine.load32(slot + 4) == NOTHING or candidate > np.float64(machine.float_of(machine.load32(slot))):
        machine.store64(slot, np.uint64(piece) << HIGH_HALF | np.uint64(machine.bits_of(np.float32(candidate))))


@helper
def _search(block, at, end, sum_before):
    """Fill ``best`` for the word from ``at`` to ``end``; return how many characters it has, minus that if it cannot be
    kept in the cache."""
    nodes = machine.loadi64(block + NODES)
    scores = machine.loadi64(block + SCORES)
    lengths = machine.loadi64(block + LENGTHS)
    unknown = machine.float_of(machine.loadi64(block + UNKNOWN_SCORE))
    old = machine.loadi64(block + OLD) != 0
    root = base_of(machine.load64(nodes + 8 * ROOT))
    best = machine.loadi64(block + BEST)
    machine.store64(best, np.uint64(machine.bits_of(sum_before)))
    for place in range(1, end - at + 1):
        machine.storei64(best + 16 * place, NOTHING << 32 | machine.bits_of(LOWEST))
        machine.storei64(best + 16 * place + 8, machine.bits_of(LOWEST))
    characters = 0
    lasting = True
    slot = best
    while at < end:
        lead = machine.load8(at)
        size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        here = machine.float_of(machine.load32(slot))
        if abs(here) > FARTHEST_SUM and not old:
            lasting = False
            last = min(end - at, machine.loadi64(block + LONGEST))
            for place in range(last + 1):
                if place == 0 or machine.load32(slot + 16 * place + 4) != NOTHING:
                    moved = machine.float_of(machine.load32(slot + 16 * place)) - here
                    machine.store32(slot + 16 * place, machine.bits_of(moved))
            here = ZERO_SUM
        alone = False
        base = root
        place = at
        target = slot
        while place < end:
            byte = machine.load8(place)
            node = machine.load64(nodes + 8 * (base ^ byte))
            if not is_child(node, byte):
                break
            base = base_of(node)
            place += 1
            target += 16
            piece = piece_of(node)
            if piece != NO_PIECE:
                score = machine.float_of(machine.load32(scores + 4 * piece))
                if old:
                    special = machine.load32(lengths + 4 * piece) >= USER_DEFINED_BIT
                    _offer_as_before(target, here, score, special, piece)
                else:
                    _offer(target, here + score, piece)
                alone |= place - at == size
        if not alone:
            if old:
                # Both are float32 here, and so is their sum.
                _offer_as_before(slot + 16 * size, ZERO_SUM, here + unknown, False, UNKNOWN)
            else:
                _offer(slot + 16 * size, here + unknown, UNKNOWN)
        at += size
        slot += 16 * size
        characters += 1
    return characters if lasting and not old else -characters


@helper
def _trace(block, at, end):
    """Write the pieces of the best path to PATH, the last one first; return how many."""
    best = machine.loadi64(block + BEST)
    lengths = machine.loadi64(block + LENGTHS)
    path = machine.loadi64(block + PATH)
    number = 0
    place = end
    while place > at:
        piece = machine.load32(best + 16 * (place - at) + 4)
        machine.store32(path + 4 * number, piece)
        number += 1
        if piece == UNKNOWN:
            place -= 1
            while machine.load8(place) & 0xC0 == 0x80:
                place -= 1
        else:
            place -= machine.load32(lengths + 4 * piece) & (USER_DEFINED_BIT - 1)
    return number


@helper
def _ulp(number):
    """The distance from a float32 above 0 to the next."""
    return machine.float_of(machine.bits_of(number) & EXPONENT) * ULP_FACTOR


@helper
def _learn(block, entry, at, end, characters, number, sum_before):
    """Note in the cache's entry the path of the word and by how much it is better. The key is there already."""
    best = machine.loadi64(block + BEST)
    lengths = machine.loadi64(block + LENGTHS)
    path = machine.loadi64(block + PATH)
    reach = ZERO_SUM
    for place in range(1, end - at + 1):
        if machine.load32(best + 16 * place + 4) != NOTHING:
            reach = max(reach, abs(machine.float_of(machine.load32(best + 16 * place)) - sum_before))
    margin = np.float32(np.inf)
    place = end
    for k in range(number):
        piece = machine.load32(path + 4 * k)
        slot = best + 16 * (place - at)
        margin = min(margin, machine.float_of(machine.load32(slot)) - machine.float_of(machine.load32(slot + 8)))
        place -= machine.load32(lengths + 4 * piece) & (USER_DEFINED_BIT - 1)
        machine.store32(entry + IDS + 4 * (number - 1 - k), piece)
    # What was measured is itself off by as much as the roundings could do.
    off = np.float32(characters + 2) * _ulp(abs(sum_before) + reach)
    machine.store32(entry + MARGIN, machine.bits_of((margin - off) / np.float32(characters + 2)))
    machine.store32(entry + REACH, machine.bits_of((reach + off) * LARGER))
    machine.store32(entry + SIZES, (end - at) << 8 | number)


@helper
def _write(block, at, number, out, spans, after_unknown):
    """Write the ids of the path in PATH; return (the new ``out``, whether the last one is unknown)."""
    path = machine.loadi64(block + PATH)
    lengths = machine.loadi64(block + LENGTHS)
    byte_ids = machine.loadi64(block + BYTE_IDS)
    for k in range(number):
        piece = machine.load32(path + 4 * (number - 1 - k))
        if piece != UNKNOWN:
            size = machine.load32(lengths + 4 * piece) & (USER_DEFINED_BIT - 1)
            machine.store32(out, piece)
            if spans != 0:
                machine.store32(out + spans, size)
            out += 4
            after_unknown = False
        else:
            lead = machine.load8(at)
            size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            if byte_ids != 0:
                for place in range(at, at + size):
                    machine.store32(out, machine.load32(byte_ids + 4 * machine.load8(place)))
                    if spans != 0:
                        machine.store32(out + spans, 1)
                    out += 4
            elif after_unknown:
                if spans != 0:
                    machine.store32(out - 4 + spans, machine.load32(out - 4 + spans) + size)
            else:
                machine.store32(out, machine.loadi64(block + UNK_ID))
                if spans != 0:
                    machine.store32(out + spans, size)
                out += 4
                after_unknown = True
        at += size
    return out, after_unknown


@helper
def _head(at, size):
    """The first 16 bytes of a word as two numbers, zeros behind its end."""
    first, second = machine.load64(at), machine.load64(at + 8)
    if size < 8:
        return first & (ONE << np.uint64(8 * size)) - ONE, ZERO
    if size < 16:
        second &= (ONE << np.uint64(8 * size - 64)) - ONE
    return first, second


@helper
def _is_rest(entry, at, size):
    """Whether the bytes of a word behind its first 16 are those of the entry."""
    place = 16
    while place < size:
        word = machine.load64(at + place)
        if size - place < 8:
            word &= (ONE << np.uint64(8 * (size - place))) - ONE
        if word != machine.load64(entry + REST + place - 16):
            return False
        place += 8
    return True


@helper
def _keep_rest(entry, at, size):
    """Write the bytes of a word behind its first 16 into the entry."""
    place = 16
    while place < size:
        word = machine.load64(at + place)
        if size - place < 8:
            word &= (ONE << np.uint64(8 * (size - place))) - ONE
        machine.store64(entry + REST + place - 16, word)
        place += 8


@compiled
def address_of(data):
    """The address of a uint8 array; asking the array itself takes five times as long."""
    return data.ctypes.data


@compiled
def encode_texts(block):
    """Encode texts that lie one after another; return how many ids there are, or why there must be more room.

    block : the address of SIZE int64 of the names above. TEXT : the bytes · ENDS : int64[TEXTS], one past each text ·
    NORMALIZED, NORMALIZED_LIMIT : room for one normalised text and TEXT_SLACK bytes more, or 0 if TEXT is normalised
    already · BEST : 16 bytes for each byte of the longest word (LONGEST_WORD) and one more · PATH : 4 bytes for each ·
    CACHE : zeros at first, CACHE_MASK + 1 entries, or 0 for none · OUT, OUT_LIMIT : room for the ids, uint32 · SPANS :
    0, or how many bytes behind OUT the int32 lie that say how many bytes each id stands for · OUT_ENDS : int64[TEXTS].
    """
    scores = machine.loadi64(block + SCORES)
    lengths = machine.loadi64(block + LENGTHS)
    path = machine.loadi64(block + PATH)
    cache = machine.loadi64(block + CACHE)
    mask = np.uint64(machine.loadi64(block + CACHE_MASK))
    spans = machine.loadi64(block + SPANS)
    text = machine.loadi64(block + TEXT)
    ends = machine.loadi64(block + ENDS)
    normalized = machine.loadi64(block + NORMALIZED)
    limit = machine.loadi64(block + OUT_LIMIT)
    first_out = machine.loadi64(block + OUT)
    out = first_out
    begin = text
    for number in range(machine.loadi64(block + TEXTS)):
        at = begin
        begin = stop = text + machine.loadi64(ends + 8 * number)
        if normalized != 0:
            stop = normalize_text(block, at, stop, normalized, machine.loadi64(block + NORMALIZED_LIMIT))
            if stop == 0:
                return NEEDS_NORMALIZED
            at = normalized
        total = ZERO_SUM
        after_unknown = False
        while at < stop:
            end = _word_end(block, at, stop)
            size = end - at
            if limit - out < 4 * size:
                return NEEDS_OUT
            entry = np.int64(0)
            first = second = ZERO
            if size <= CACHED_BYTES and cache != 0:
                first, second = _head(at, size)
                mixed = machine.fold(first ^ GOLDEN, second ^ OTHER_GOLDEN ^ np.uint64(size))
                if size > 16:
                    mixed = machine.fold(mixed ^ machine.load64(end - 16), machine.load64(end - 8) ^ GOLDEN)
                entry = cache + ENTRY * np.int64(mixed >> HIGH_HALF & mask)
                sizes = machine.load32(entry + SIZES)
                if (
                    sizes >> 8 == size
                    and machine.load64(entry) == first
                    and machine.load64(entry + 8) == second
                    and (size <= 16 or _is_rest(entry, at, size))
                ):
                    reach = abs(total) + machine.float_of(machine.load32(entry + REACH))
                    if reach < FARTHEST_SUM and machine.float_of(machine.load32(entry + MARGIN)) > _ulp(reach):
                        for k in range(sizes & 0xFF):
                            piece = machine.load32(entry + IDS + 4 * k)
                            total += machine.float_of(machine.load32(scores + 4 * piece))
                            machine.store32(out, piece)
                            if spans != 0:
                                length = machine.load32(lengths + 4 * piece) & (USER_DEFINED_BIT - 1)
                                machine.store32(out + spans, length)
                            out += 4
                        after_unknown = False
                        at = end
                        continue
            if size > machine.loadi64(block + LONGEST_WORD):
                machine.storei64(block + LONGEST_WORD, size)
                return NEEDS_WORD
            characters = _search(block, at, end, total)
            pieces = _trace(block, at, end)
            out, after_unknown = _write(block, at, pieces, out, spans, after_unknown)
            if entry != 0 and characters > 0 and pieces <= CACHED_IDS:
                # A path through an unknown character is not kept: what it becomes depends on its neighbours.
                known = True
                for k in range(pieces):
                    known &= machine.load32(path + 4 * k) != UNKNOWN
                if known:
                    machine.store64(entry, first)
                    machine.store64(entry + 8, second)
                    _keep_rest(entry, at, size)
                    _learn(block, entry, at, end, characters, pieces, total)
            total = machine.float_of(machine.load32(machine.loadi64(block + BEST) + 16 * size))
            at = end
        machine.storei64(machine.loadi64(block + OUT_ENDS) + 8 * number, (out - first_out) >> 2)
    return (out - first_out) >> 2
