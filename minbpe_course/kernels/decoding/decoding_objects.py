"""From a list of ids to text or bytes in one call: ``decoding`` with Python objects at both ends.

    list --items_of--> pointers --value_of--> id --entry_of--> 16 bytes into the buffer --text_of--> str

Each function returns a Python object. If that is a number, the list cannot be decoded here: -1 if it is not a list or
tuple, -2 - k if element k is not a plain int or not the id of a token. The caller then tries again with an array, which
finds the error. Reference implementation: ``engines.decoding``, by arrays.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import objects
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.machine import copy, copy16, load8, load32, loadi64
from minbpe_course.kernels.decoding.decoding import (
    ENTRY,
    IN_ENTRY,
    LONG,
    block_at,
    entry_of,
    note_offset,
    token_address,
    token_length,
)

# Ids between two looks at the room that is left in the buffer.
BATCH = 256

# The wanted result.
AS_BYTES, AS_TEXT = 0, 1


@compiled(gil=True)
def decode_list(ids, form, errors, block):
    """Return the text (AS_TEXT) or the bytes (AS_BYTES) of a list or tuple of ids.

    ids : ``id`` of the list · errors : ``id`` of a str such as "replace", 0 for "strict". Raises what the decoder of
    UTF-8 raises, and MemoryError.
    """
    items, number = objects.items_of(ids, block_at(block).objects)
    if number < 0:
        return objects.owned(objects.number_of(-1))
    return objects.owned(_decode(items, number, True, form, errors, block))


@compiled(gil=True)
def decode_numbers(ids, form, errors, block):
    """Decode an array in the same way, int64[n]."""
    return objects.owned(_decode(ids.ctypes.data, ids.size, False, form, errors, block))


@helper
def _enlarged(buffer, room):
    """Return the address of the buffer with more room; 0 if memory runs out; then the buffer is released."""
    larger = objects.enlarge(buffer, room)
    if larger == 0:
        objects.release(buffer)
    return larger


@helper
def _decode(items, number, boxed, form, errors, block):
    """Return the address of what stands for ``number`` ids at ``items``: pointers to ints (boxed), or int64."""
    words = block_at(block).objects
    entries = block_at(block).entries
    dense = block_at(block).dense
    room = 5 * number + 3 * ENTRY * BATCH
    buffer = objects.allocate(room)
    if buffer == 0:
        return objects.out_of_memory()
    used = np.int64(0)
    for begin in range(0, number, BATCH):
        end = min(begin + BATCH, number)
        # Room for a batch of entries; a long token makes room for itself and for the rest of its batch.
        if used + ENTRY * BATCH > room:
            room = room + (room >> 1) + 2 * ENTRY * BATCH
            buffer = _enlarged(buffer, room)
            if buffer == 0:
                return objects.out_of_memory()
        for k in range(begin, end):
            token = loadi64(items + 8 * k)
            if boxed:
                token = objects.value_of(token, words)
            entry = entries + ENTRY * token
            if token < 0 or token >= dense:
                entry = entry_of(token, block)
                if entry == 0:
                    objects.release(buffer)
                    return objects.number_of(-2 - k)
            length = load8(entry + IN_ENTRY)
            if length <= IN_ENTRY:
                copy16(buffer + used, entry)
                used += length
                continue
            if length != LONG:
                objects.release(buffer)
                return objects.number_of(-2 - k)
            source, length = loadi64(entry), load32(entry + 8)
            if used + length + ENTRY * (BATCH + 1) > room:
                room = room + (room >> 1) + length + 2 * ENTRY * BATCH
                buffer = _enlarged(buffer, room)
                if buffer == 0:
                    return objects.out_of_memory()
            copy(buffer + used, source, length)
            used += length
    made = objects.text_of(buffer, used, errors) if form == AS_TEXT else objects.bytes_of(buffer, used)
    objects.release(buffer)
    return made


@compiled(gil=True)
def tokens_of_list(ids, block):
    """Return a list with the bytes of each id of a list or tuple. ids : ``id`` of the list."""
    words = block_at(block).objects
    items, number = objects.items_of(ids, words)
    if number < 0:
        return objects.owned(objects.number_of(-1))
    made = objects.new_list(number)
    if made == 0:
        return objects.owned(made)
    # Making a list may have run Python code that changed the other one.
    items, still = objects.items_of(ids, words)
    if still != number:
        objects.drop(made)
        return objects.owned(objects.number_of(-1))
    for k in range(number):
        entry = entry_of(objects.value_of(loadi64(items + 8 * k), words), block)
        if entry == 0:
            objects.drop(made)
            return objects.owned(objects.number_of(-2 - k))
        token = objects.bytes_of(token_address(entry), token_length(entry))
        if token == 0:
            objects.drop(made)
            return objects.owned(token)
        objects.set_item(made, k, token)
    return objects.owned(made)


@compiled(gil=True)
def offsets_of_list(ids, block):
    """Return, for each id of a list or tuple, the index of the first character that its bytes belong to, as a list.

    ids : ``id`` of the list. A token that begins inside a character gets that character's index.
    """
    words = block_at(block).objects
    items, number = objects.items_of(ids, words)
    if number < 0:
        return objects.owned(objects.number_of(-1))
    offsets = objects.allocate(4 * number + 4)
    if offsets == 0:
        return objects.owned(objects.out_of_memory())
    begun = np.int64(0)
    for k in range(number):
        entry = entry_of(objects.value_of(loadi64(items + 8 * k), words), block)
        if entry == 0:
            objects.release(offsets)
            return objects.owned(objects.number_of(-2 - k))
        begun = note_offset(entry, begun, offsets + 4 * k)
    made = objects.list_of(offsets, number, words)
    objects.release(offsets)
    return objects.owned(made)
