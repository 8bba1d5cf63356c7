"""Encoding in one step from Python: a str in, a list out, or many texts at once.

A call from Python into compiled code costs about as much as encoding 50 bytes, so each of these is one call:

    encode_list    a short str -> list        with the GIL: releasing and taking it would take longer
    encode_short   a short str -> short_out   the same, without the list
    place_text     a str -> the address of its bytes
    place_texts    a list of str -> places: int64[n, 2], address and size of each
    encode_many    places -> ids and offsets, without the GIL, so that threads work in parallel

The bytes of a str are those that CPython keeps for it: its characters if it is ASCII, otherwise a copy that is made
once and kept with it.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.memory import end_of_page
from minbpe_course.kernels.common.objects import TYPE_AT, items_of, list_of, number_of, owned, utf8_of
from minbpe_course.kernels.splitting.split import TEXT_AHEAD

# How many objects to prefetch ahead: they are scattered in memory.
OBJECTS_AHEAD = 8

_end_of_page = helper(end_of_page)


@helper
def _place(block, at, size):
    """Set the text to encode: ``size`` bytes at the address ``at``."""
    block.at = at
    block.end = at + size
    # Without this, the last bytes of every text would be copied to where more may be read after them.
    block.limit = _end_of_page(at + size)


@compiled(gil=True)
def place_text(text, address):
    """Write the address of a str's bytes to the block; return how many there are, -1 if it has no UTF-8 form."""
    block = layout.block_at(address)
    data, size = utf8_of(text)
    if data == 0:
        return np.int64(-1)
    _place(block, data, size)
    return size


@compiled(gil=True)
def encode_short(text, address):
    """Encode a str to ``short_out``; return how many ids it has, or a negative number: see ``encode_list``.

    text : ``id`` of the str.
    """
    block = layout.block_at(address)
    size = place_text(text, address)
    if size < 0:
        return size
    if size > layout.SHORT_BYTES:
        return np.int64(-2)
    out = block.short_out
    block.out = out
    block.out_end = out + 4 * layout.SHORT_IDS
    reason = machine.call(block.encoder, address)
    if reason != layout.DONE:
        return -2 - reason
    return (block.out - out) >> 2


@compiled(gil=True)
def encode_list(text, address):
    """Encode a str; return the list of its ids, or a number if that is not done yet.

    text : ``id`` of the str. -1: it has no UTF-8 form. -2: it is longer than SHORT_BYTES. Below that: -2 minus the
    reason why the encoder came back; provide what is missing and start again.
    """
    block = layout.block_at(address)
    number = encode_short(text, address)
    if number < 0:
        return owned(number_of(number))
    return owned(list_of(block.short_out, number, block.objects))


@compiled(gil=True)
def place_texts(texts, begin, kind, places, objects):
    """Write the address and size of each str of a list; return the first item that is not a str or has no UTF-8 form.

    texts : ``id`` of the list · begin : the first to read · kind : ``id(str)`` · places : address of int64, two for
    each item · objects : as for ``items_of``. Returns how many there are when all are written.
    """
    items, number = items_of(texts, objects)
    for k in range(begin, number):
        machine.fetch(machine.loadi64(items + 8 * min(k + OBJECTS_AHEAD, number - 1)))
        item = machine.loadi64(items + 8 * k)
        if machine.loadi64(item + TYPE_AT) != kind:
            return k
        data, size = utf8_of(item)
        if data == 0:
            return k
        machine.storei64(places + 16 * k, data)
        machine.storei64(places + 16 * k + 8, size)
    return number


@helper
def _fetch_text(places, k):
    """Prefetch the beginning of text k, of which ``split_words`` prefetches the rest."""
    at = machine.loadi64(places + 16 * k)
    for ahead in range(0, min(machine.loadi64(places + 16 * k + 8), TEXT_AHEAD), 64):
        machine.fetch(at + ahead)


@compiled
def encode_many(address, places, begin, end, offsets, first, again):
    """Encode the texts ``begin`` to ``end`` of ``places`` to ``out``, end to end; return the first that is not done.

    offsets : address of int64; ``offsets[k + 1]`` becomes the number of ids from the address ``first`` to the end of
    text k · again : 1 to continue inside text ``begin``, when what the encoder came back for (``reason``) is there.
    """
    block = layout.block_at(address)
    for k in range(begin, end):
        if not again:
            _place(block, machine.loadi64(places + 16 * k), machine.loadi64(places + 16 * k + 8))
            _fetch_text(places, min(k + 1, end - 1))
        again = 0
        reason = machine.call(block.encoder, machine.address_of(block))
        if reason != layout.DONE:
            block.reason = reason
            return k
        machine.storei64(offsets + 8 * k + 8, (block.out - first) >> 2)
    return end
