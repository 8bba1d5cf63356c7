"""Many texts by many threads: each thread takes the next stretch of texts, and copies its ids to their place.

    places    | text | text | text | text | text | text | text | text |      int64[n, 2], addresses and sizes
    borders   0                    3                    5            8      where stretches begin, int64[number + 1]
    counts    |         412        |         -1         |     398    |      ids of each stretch, -1 until encoded
    ids       |11 7 9 ...          |                                        all ids, end to end

The place of a stretch depends on the counts of all stretches before it: in this picture, stretch 2 waits for stretch 1.
Meanwhile its thread holds the ids in its room, after any others that wait, and encodes the next stretch. Threads need
Python only to get memory, so they rarely wait for the GIL.

    queue     shared by all threads (``layout.QUEUE``). ``next``, ``counts`` and ``room`` are addresses. The memory for
              all ids, ``room`` of them at ``ids``, is allocated after the first stretch, whose count predicts the
              total roughly.
    share     of one thread (``layout.SHARE``): the stretch that it encodes, texts ``text`` to ``stop``, with ids from
              the byte ``first`` of its room on; those that it holds, each as number, first byte and number of ids;
              ``known``, the first stretch whose count it does not know, and ``start``, where that one begins

Reference implementation: ``engines.text_engine.join_ids`` of the ids of each text.
"""

from __future__ import annotations

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.encoding.calls import encode_many

# How many stretches a thread may hold, and how many it encodes before it lets Python look for a Ctrl-C.
MOST_HELD, AT_A_TIME = 64, 64

# Ids that kernels may write after the last one.
AFTER = 16


@helper
def _take(block, queue, share):
    """Take the next stretch; return whether there is one."""
    stretch = machine.take(queue.next)
    if stretch >= queue.number:
        return False
    share.stretch = stretch
    share.text = machine.loadi64(queue.borders + 8 * stretch)
    share.stop = machine.loadi64(queue.borders + 8 * stretch + 8)
    share.first = block.out - share.room
    share.inside = 0
    return True


@helper
def _copy_exactly(to, source, size):
    """Copy ``size`` bytes, a multiple of 4, and write nothing after them: another thread's ids may be there."""
    many = size & ~15
    for k in range(0, many, 16):
        machine.copy16(to + k, source + k)
    for k in range(many, size, 4):
        machine.store32(to + k, machine.load32(source + k))


@helper
def _place(queue, stretch, source, count, start):
    """Copy the ids of a stretch to their place and move the offsets of its texts there."""
    _copy_exactly(queue.ids + 4 * start, source, 4 * count)
    begin, stop = machine.loadi64(queue.borders + 8 * stretch), machine.loadi64(queue.borders + 8 * stretch + 8)
    for at in range(queue.offsets + 8 * begin + 8, queue.offsets + 8 * stop + 8, 8):
        machine.storei64(at, machine.loadi64(at) + start)


@helper
def _place_held(block, queue, share):
    """Copy the ids of the stretches that this thread holds, as far as their places are known."""
    room = machine.published(queue.room)
    while share.held_from < share.held_to:
        held = share.held + 24 * share.held_from
        stretch, count = machine.loadi64(held), machine.loadi64(held + 16)
        while share.known < stretch:
            before = machine.published(queue.counts + 8 * share.known)
            if before < 0:
                return
            share.known += 1
            share.start += before
        if share.start + count > room:
            return
        _place(queue, stretch, share.room + machine.loadi64(held + 8), count, share.start)
        share.held_from += 1
    share.held_from = share.held_to = 0
    block.out = share.room


@compiled
def encode_stretches(address, queue_address, share_address):
    """Encode stretches until none is left, DONE; otherwise return what is missing, or that this call PAUSES.

    address : of the thread's block, with ``out`` in the room. NEEDS_ROOM : the stretch just taken does not fit in the
    room, or too many stretches are held · NEEDS_IDS : the first stretch is encoded.
    """
    block, queue, share = layout.block_at(address), layout.queue_at(queue_address), layout.share_at(share_address)
    for _ in range(AT_A_TIME):
        if share.text == share.stop and not _take(block, queue, share):
            return layout.DONE
        if not share.inside:
            size = machine.loadi64(queue.sizes + 8 * share.stretch)
            if share.held_to == MOST_HELD or block.out + 4 * (size + AFTER) > share.room_end:
                return layout.NEEDS_ROOM
        share.text = encode_many(
            address, queue.places, share.text, share.stop, queue.offsets, share.room + share.first, share.inside
        )
        share.inside = 1 if share.text < share.stop else 0
        if share.inside:
            return block.reason
        count = (block.out - share.room - share.first) >> 2
        held = share.held + 24 * share.held_to
        machine.storei64(held, share.stretch)
        machine.storei64(held + 8, share.first)
        machine.storei64(held + 16, count)
        share.held_to += 1
        machine.publish(queue.counts + 8 * share.stretch, count)
        _place_held(block, queue, share)
        if share.stretch == 0:
            return layout.NEEDS_IDS
    return layout.PAUSES


@compiled
def offer_ids(queue_address, ids, room):
    """Tell all threads where the ids of all texts go: ``room`` of them at the address ``ids``."""
    queue = layout.queue_at(queue_address)
    queue.ids = ids
    machine.publish(queue.room, room)
