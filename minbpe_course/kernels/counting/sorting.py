"""Sorting words by their bytes: eight bytes at a time, by three-way quicksort.

    keys    uint64[w]   the next eight bytes of each word, the first one highest; zeros after its end
    order   int64[w]    which word

Both are moved together. A part is three numbers, (from, to, depth): all its words begin with the same ``depth`` bytes,
and its keys are the next eight. One of its keys, taken at random, divides it into smaller, equal and greater words. Of
the equal ones, the words that end within these eight bytes are sorted by length, and the others are the next part,
eight bytes deeper. So long equal beginnings are read once.

A random key makes no order of the words a slow one. The smallest of the three parts is sorted first, so fewer than 2 *
log2(w) parts wait. Reference implementation: ``reference.runs.sorted_rows``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import copy, load64, loadi64, store64, storei64, swap64

# Parts that wait, each three numbers; words of a part that is not worth dividing.
WAITING, FEW = 256, 12
# Bytes after the words that may be read, and after the output that may be overwritten.
SLACK = 16

_ALL, _ZERO = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)


@helper
def key_at(word, left):
    """Return the next eight bytes of a word that has ``left`` more, as a number that sorts as they do."""
    if left >= 8:
        return swap64(load64(word))
    if left <= 0:
        return _ZERO
    return swap64(load64(word) & (_ALL >> np.uint64(64 - 8 * left)))


@helper
def less(one, length, other, other_length, at):
    """Return whether a word comes before another with which it has the first ``at`` bytes in common."""
    both = min(length, other_length)
    while at < both:
        first, second = key_at(one + at, both - at), key_at(other + at, both - at)
        if first != second:
            return first < second
        at += 8
    return length < other_length


@helper
def begin_of(ends, word):
    """Return where a word begins: where the one before it ends."""
    return loadi64(ends + 8 * word - 8) if word > 0 else np.int64(0)


@helper
def _comes_before(text, ends, key, word, other_key, other, depth):
    """Return whether ``word`` comes before ``other``; their keys are those of ``depth``."""
    if key != other_key:
        return key < other_key
    begin, other_begin = begin_of(ends, word), begin_of(ends, other)
    length, other_length = loadi64(ends + 8 * word) - begin, loadi64(ends + 8 * other) - other_begin
    return less(text + begin, length, text + other_begin, other_length, depth + 8)


@helper
def _insert(text, ends, keys, order, start, stop, depth):
    """Sort a few words by putting each where it belongs among those before it."""
    for place in range(start + 1, stop):
        key, word = load64(keys + 8 * place), loadi64(order + 8 * place)
        at = place
        while at > start and _comes_before(
            text, ends, key, word, load64(keys + 8 * at - 8), loadi64(order + 8 * at - 8), depth
        ):
            store64(keys + 8 * at, load64(keys + 8 * at - 8))
            storei64(order + 8 * at, loadi64(order + 8 * at - 8))
            at -= 1
        store64(keys + 8 * at, key)
        storei64(order + 8 * at, word)


@helper
def _swap(keys, order, one, other):
    key, word = load64(keys + 8 * one), loadi64(order + 8 * one)
    store64(keys + 8 * one, load64(keys + 8 * other))
    storei64(order + 8 * one, loadi64(order + 8 * other))
    store64(keys + 8 * other, key)
    storei64(order + 8 * other, word)


@helper
def _deeper(text, ends, keys, order, start, stop, depth):
    """Sort those of equal words that end here to the front, and give the others their next keys; return where they
    begin."""
    inner = start
    for place in range(start, stop):
        word = loadi64(order + 8 * place)
        if loadi64(ends + 8 * word) - begin_of(ends, word) <= depth + 8:
            _swap(keys, order, inner, place)
            inner += 1
    # Equal bytes, so only the length tells them apart: nine words at most.
    _insert(text, ends, keys, order, start, inner, depth)
    for place in range(inner, stop):
        word = loadi64(order + 8 * place)
        at = begin_of(ends, word) + depth + 8
        store64(keys + 8 * place, key_at(text + at, loadi64(ends + 8 * word) - at))
    return inner


@helper
def _wait(waiting, number, start, stop, depth):
    """Note a part that is to be sorted, unless it is sorted; return how many wait."""
    if stop - start < 2:
        return number
    storei64(waiting + 24 * number, start)
    storei64(waiting + 24 * number + 8, stop)
    storei64(waiting + 24 * number + 16, depth)
    return number + 1


@compiled
def sort_words(text, ends, words, keys, order, waiting):
    """Write to ``order`` the numbers of the words, sorted by their bytes. All are addresses but ``words``, how many.

    text : the words end to end, with SLACK readable after · ends : int64, one past each word · keys : room for uint64
    of each · order : for int64 of each · waiting : for 3 * WAITING int64.
    """
    begin = np.int64(0)
    for word in range(words):
        end = loadi64(ends + 8 * word)
        store64(keys + 8 * word, key_at(text + begin, end - begin))
        storei64(order + 8 * word, word)
        begin = end
    random = np.uint64(1)
    number = _wait(waiting, 0, 0, words, 0)
    while number > 0:
        number -= 1
        start, stop = loadi64(waiting + 24 * number), loadi64(waiting + 24 * number + 8)
        depth = loadi64(waiting + 24 * number + 16)
        if stop - start <= FEW:
            _insert(text, ends, keys, order, start, stop, depth)
            continue
        # Twenty bits of a sequence that visits all of them.
        random = (random * np.uint64(0x2545F491) + np.uint64(0x1B873593)) & np.uint64(0xFFFFFFFF)
        pivot = load64(keys + 8 * (start + np.int64(random) % (stop - start)))
        low, at, high = start, start, stop
        while at < high:
            key = load64(keys + 8 * at)
            if key < pivot:
                _swap(keys, order, low, at)
                low += 1
                at += 1
            elif key > pivot:
                high -= 1
                _swap(keys, order, at, high)
            else:
                at += 1
        inner = _deeper(text, ends, keys, order, low, high, depth)
        one, two, three = (start, low, depth), (inner, high, depth + 8), (high, stop, depth)
        # The largest waits longest.
        if one[1] - one[0] < two[1] - two[0]:
            one, two = two, one
        if two[1] - two[0] < three[1] - three[0]:
            two, three = three, two
        if one[1] - one[0] < two[1] - two[0]:
            one, two = two, one
        number = _wait(waiting, number, one[0], one[1], one[2])
        number = _wait(waiting, number, two[0], two[1], two[2])
        number = _wait(waiting, number, three[0], three[1], three[2])


@compiled
def gather_words(text, ends, order, words, out, at, out_ends):
    """Write words in the order that is given, end to end, from byte ``at`` of ``out`` on; return where they end.

    text, ends, order, out, out_ends : addresses · words : how many of ``order``. ``out`` has SLACK after the words.
    """
    for place in range(words):
        word = loadi64(order + 8 * place)
        begin = begin_of(ends, word)
        length = loadi64(ends + 8 * word) - begin
        copy(out + at, text + begin, length)
        at += length
        storei64(out_ends + 8 * place, at)
    return at
