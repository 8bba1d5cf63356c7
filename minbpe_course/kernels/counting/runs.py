"""Blocks of a counts file, written and read: sorted words, each as the part that it does not share with the one before.

    block   head, 32 bytes           crc32, words, width, number, text, size     written and checked in Python
            columns
              lengths   a byte       shared << 4 | rest; 15 means that the rest of the number follows as a varint
              counts    varints
              places    width bytes each
              suffixes  the bytes of each word that the one before did not share

``docs/counts-file.md`` has the whole format. ``encode_block`` and ``decode_block`` turn columns into flat arrays and
back. Input comes from a file, so lengths are checked before anything is read or written, and words out of order are
refused, so that readers can rely on the order.

All addresses are int64. Reference implementation: ``reference.runs``; ``merging_runs`` merges decoded blocks.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import copy, load8, load64, loadi64, store8, store64, storei64, trailing_zeros
from minbpe_course.kernels.counting.sorting import begin_of

# What ``encode_block`` finds out.
COLUMNS, WIDTH, LONGEST, OCCURRENCES, COVERED = range(0, 40, 8)
FOUND = 5
# The most bytes that a word takes in columns, without its text.
MOST = 1 + 9 + 9 + 9 + 8

# What ``decode_block`` may find wrong, and ``encode_block``: words that are not in order, too large a sum.
FINE, CUT_OFF, NO_LENGTH, NO_COUNT, NO_PLACE, NOT_IN_ORDER, TOO_MUCH, TOO_LARGE = range(8)

LARGEST = np.int64((1 << 63) - 1)


@helper
def _put_varint(at, number):
    """Write a number, seven bits a byte; return where it ends."""
    while number >= 128:
        store8(at, number & 127 | 128)
        number >>= 7
        at += 1
    store8(at, number)
    return at + 1


@helper
def _take_varint(at, end):
    """Read a number; return it and where it ends. It is -1 when it is cut off, too long, or longer than it need be."""
    number = np.int64(0)
    for shift in range(0, 63, 7):
        if at >= end:
            return np.int64(-1), at
        byte = load8(at)
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            if byte == 0 and shift > 0:
                return np.int64(-1), at
            return number, at
    return np.int64(-1), at


@helper
def shared_bytes(one, other, most):
    """Return how many bytes two words have in common at their beginnings; both have ``most``."""
    at = np.int64(0)
    while at < most:
        differing = load64(one + at) ^ load64(other + at)
        if differing != np.uint64(0):
            return min(most, at + (trailing_zeros(differing) >> 3))
        at += 8
    return most


@compiled
def block_words(ends, start, stop, most, enough):
    """Return how many of the words ``start`` .. ``stop`` are the next block; 0 while it is not full.

    ends : address of int64, one past each word · most, enough : how many words, and how many bytes, fill a block.
    """
    begin = begin_of(ends, start)
    for word in range(start, min(stop, start + most)):
        if loadi64(ends + 8 * word) - begin >= enough:
            return word + 1 - start
    return most if stop - start >= most else 0


@compiled
def encode_block(text, ends, counts, firsts, start, words, out, found):
    """Write the columns of a block to ``out``, and to ``found`` how large they are and their sums; return FINE or not.

    text, ends, counts, firsts : addresses of sorted words, the block begins with number ``start`` and has ``words``.
    ``out`` has room for MOST bytes for each word, for their bytes, and SLACK. Answers: NOT_IN_ORDER, which is also said
    of a word that is there twice, NO_COUNT of one below 1, NO_PLACE of one below 0, TOO_LARGE when the sums are beyond
    63 bits.
    """
    first_begin = begin_of(ends, start)
    at, before, before_length = out, text, np.int64(0)
    begin = first_begin
    longest, greatest = np.int64(0), np.int64(0)
    occurrences, covered, about = np.int64(0), np.int64(0), 0.0
    for word in range(start, start + words):
        end = loadi64(ends + 8 * word)
        length = end - begin
        here = text + begin
        shared = shared_bytes(before, here, min(before_length, length))
        rest = length - shared
        if rest <= 0 or (shared < before_length and load8(here + shared) < load8(before + shared)):
            return NOT_IN_ORDER
        store8(at, min(shared, 15) << 4 | min(rest, 15))
        at += 1
        if shared >= 15:
            at = _put_varint(at, shared - 15)
        if rest >= 15:
            at = _put_varint(at, rest - 15)
        count, first = loadi64(counts + 8 * word), loadi64(firsts + 8 * word)
        if count < 1:
            return NO_COUNT
        if first < 0:
            return NO_PLACE
        longest, greatest = max(longest, length), max(greatest, first)
        about += float(count) * float(length)
        # A division takes longer than all the rest, so it is made only near the limit.
        if about > 9.0e18 and count > (LARGEST - covered) // length:
            return TOO_LARGE
        occurrences += count
        covered += count * length
        before, before_length, begin = here, length, end
    for word in range(start, start + words):
        at = _put_varint(at, loadi64(counts + 8 * word))
    width = 1
    while width < 8 and greatest >> 8 * width > 0:
        width += 1
    for word in range(start, start + words):
        store64(at, np.uint64(loadi64(firsts + 8 * word)))
        at += width
    # Once more from the front, what each word shares is in its first byte.
    lengths, begin = out, first_begin
    for word in range(start, start + words):
        end = loadi64(ends + 8 * word)
        byte = load8(lengths)
        lengths += 1
        shared = byte >> 4
        if shared == 15:
            more, lengths = _take_varint(lengths, at)
            shared += more
        if byte & 15 == 15:
            lengths = _take_varint(lengths, at)[1]
        copy(at, text + begin + shared, end - begin - shared)
        at += end - begin - shared
        begin = end
    storei64(found + COLUMNS, at - out)
    storei64(found + WIDTH, width)
    storei64(found + LONGEST, longest)
    storei64(found + OCCURRENCES, occurrences)
    storei64(found + COVERED, covered)
    return FINE


@compiled
def decode_block(data, size, words, width, text, shift, out, place):
    """Read the columns of a block into ``out``; return FINE, or what is wrong, and write to ``place`` where.

    data, size : the columns, with SLACK readable after · words, width, text : values from the head · shift :
    the number added to the first places. out : the address of 24 bytes for each word, ``text`` bytes, and SLACK; it
    will contain

        ends int64[words]   counts int64[words]   firsts int64[words]   the words end to end
    """
    end, at = data + size, data
    counts, firsts = out + 8 * words, out + 16 * words
    total, before = np.int64(0), np.int64(0)
    for word in range(words):
        storei64(place, at - data)
        if at >= end:
            return CUT_OFF
        byte = load8(at)
        at += 1
        shared, rest = byte >> 4, byte & 15
        if shared == 15:
            more, at = _take_varint(at, end)
            if more < 0 or more > text:
                return NO_LENGTH
            shared += more
        if rest == 15:
            more, at = _take_varint(at, end)
            if more < 0 or more > text:
                return NO_LENGTH
            rest += more
        before, longest = shared + rest, before
        total += before
        if rest == 0 or shared > longest or total > text:
            return NO_LENGTH
        storei64(out + 8 * word, total)
        storei64(firsts + 8 * word, shared)
    storei64(place, at - data)
    if total != text:
        return NO_LENGTH
    for word in range(words):
        storei64(place, at - data)
        count, at = _take_varint(at, end)
        if count < 1:
            return NO_COUNT
        storei64(counts + 8 * word, count)
    storei64(place, at - data)
    if end - at < words * width:
        return CUT_OFF
    suffix = at + words * width
    here, begin, length = out + 24 * words, np.int64(0), np.int64(0)
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 8 * width)
    for word in range(words):
        first = np.int64(load64(at) & mask)
        if first < 0 or first > LARGEST - shift:
            storei64(place, at - data)
            return NO_PLACE
        at += width
        stop = loadi64(out + 8 * word)
        shared = loadi64(firsts + 8 * word)
        rest = stop - begin - shared
        storei64(place, suffix - data)
        if rest > end - suffix:
            return CUT_OFF
        if shared < length and load8(suffix) <= load8(here - length + shared):
            return NOT_IN_ORDER
        storei64(firsts + 8 * word, first + shift)
        copy(here, here - length, shared)
        copy(here + shared, suffix, rest)
        length = stop - begin
        here += length
        suffix += rest
        begin = stop
    storei64(place, suffix - data)
    return FINE if suffix == end else TOO_MUCH
