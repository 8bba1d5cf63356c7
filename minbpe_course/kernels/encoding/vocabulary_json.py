"""The vocabulary and the merges of a tokenizer.json, read from its bytes in one pass.

    {"a": 0, "b": 1, "ab": 2}       names: their texts end to end, and their ids
    ["a b", ["ab", "a"]]            merges: the texts of their parts end to end, left, right, left, right

Only the form in which nearly all files are written is read: whole numbers as ids, two parts to a merge. Anything else
ends the reading, and the caller reads the file with ``json``, which is the reference implementation.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.encoding.tables import FREE, find_token

QUOTE, BACKSLASH, COMMA, COLON, SPACE, LETTER_U = 0x22, 0x5C, 0x2C, 0x3A, 0x20, 0x75
OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = 0x5B, 0x5D, 0x7B, 0x7D
# Bytes of a file for each name or merge, at least: "a":0, and "a b",
SHORTEST_NAME, SHORTEST_MERGE = 5, 5
MOST_ID_DIGITS = 10


@helper
def _skip(data, at):
    """The place of the next byte that is not white space, or the size of the data."""
    while at < data.size and (data[at] == SPACE or data[at] == 0x0A or data[at] == 0x0D or data[at] == 0x09):
        at += 1
    return at


@helper
def _four_digits(data, at):
    r"""The number after the ``\u`` at ``at``, -1 if four hexadecimal digits are not there."""
    if at + 6 > data.size or data[at] != BACKSLASH or data[at + 1] != LETTER_U:
        return np.int64(-1)
    code = np.int64(0)
    for k in range(2, 6):
        byte = np.int64(data[at + k])
        letter = byte | 0x20
        if 0x30 <= byte <= 0x39:
            code = code << 4 | byte - 0x30
        elif 0x61 <= letter <= 0x66:
            code = code << 4 | letter - 0x57
        else:
            return np.int64(-1)
    return code


@helper
def _escaped(data, at):
    """The character that the escape at ``at`` stands for and the bytes of the escape: code << 4 | bytes, or -1."""
    if at + 2 > data.size:
        return np.int64(-1)
    letter = np.int64(data[at + 1])
    if letter in (QUOTE, BACKSLASH, 0x2F):
        return letter << 4 | 2
    if letter in (0x62, 0x66, 0x6E, 0x72, 0x74):
        # b, f, n, r and t.
        code = 8 if letter == 0x62 else 12 if letter == 0x66 else 10 if letter == 0x6E else 13 if letter == 0x72 else 9
        return np.int64(code << 4 | 2)
    code = _four_digits(data, at)
    if not 0xD800 <= code < 0xE000:
        return code << 4 | 6 if code >= 0 else code
    low = _four_digits(data, at + 6)
    if code >= 0xDC00 or not 0xDC00 <= low < 0xE000:
        return np.int64(-1)
    return (0x10000 + (code - 0xD800 << 10) + low - 0xDC00) << 4 | 12


@helper
def _put_character(text, used, code):
    """Write a character as UTF-8; return where the next one goes."""
    if code < 0x80:
        text[used] = code
        return used + 1
    if code < 0x800:
        text[used] = 0xC0 | code >> 6
    else:
        if code < 0x10000:
            text[used] = 0xE0 | code >> 12
        else:
            text[used] = 0xF0 | code >> 18
            text[used + 1] = 0x80 | code >> 12 & 0x3F
            used += 1
        text[used + 1] = 0x80 | code >> 6 & 0x3F
        used += 1
    text[used + 1] = 0x80 | code & 0x3F
    return used + 2


@helper
def _read_string(data, at, text, used, split):
    """Read the string that begins after the quote before ``at``: where it ends, and how much of ``text`` is used.

    split : the byte at which to stop, or -1. The end is -1 if the string is not of the usual form.
    """
    while at < data.size:
        byte = np.int64(data[at])
        if byte in (QUOTE, split):
            return at, used
        if byte < SPACE:
            break
        if byte != BACKSLASH:
            text[used] = byte
            used += 1
            at += 1
            continue
        found = _escaped(data, at)
        if found < 0 or found >> 4 == split:
            break
        used = _put_character(text, used, found >> 4)
        at += found & 15
    return np.int64(-1), used


@helper
def _next_item(data, at, close):
    """The place after the comma at ``at`` or before the bracket ``close``; -1 if neither is there."""
    at = _skip(data, at)
    if at >= data.size:
        return np.int64(-1)
    if data[at] == close:
        return at
    if data[at] != COMMA:
        return np.int64(-1)
    at = _skip(data, at + 1)
    return at if at < data.size and data[at] != close else np.int64(-1)


@compiled
def read_names(data, begin, byte_of, text, starts, ids, tokens, token_starts, spelled, end):
    """Read the names and ids of the object at ``data[begin]``; return how many, -1 for another form.

    byte_of : int16[n], the byte that a character spells, or -1 · text : uint8, starts : int64, the names · ids : int64
    · tokens : uint8, token_starts : int64, the bytes that they spell · spelled : uint8, 0 for the names that spell none
    · end : int64[2], gets the place after the object.
    """
    at = _skip(data, begin + 1)
    number = 0
    used = 0
    made = 0
    starts[0] = token_starts[0] = 0
    while at < data.size and data[at] != CLOSE_OBJECT:
        if data[at] != QUOTE or number == ids.size:
            return -1
        first = used
        at, used = _read_string(data, at + 1, text, used, -1)
        if at < 0:
            return -1
        at = _skip(data, at + 1)
        if at >= data.size or data[at] != COLON:
            return -1
        at = _skip(data, at + 1)
        digits = at
        token_id = np.int64(0)
        while at < data.size and 0x30 <= data[at] <= 0x39 and at - digits < MOST_ID_DIGITS:
            token_id = token_id * 10 + np.int64(data[at]) - 0x30
            at += 1
        if at == digits or (data[digits] == 0x30 and at > digits + 1):
            return -1
        at = _next_item(data, at, CLOSE_OBJECT)
        if at < 0:
            return -1
        spelled[number] = used > first
        k = first
        while k < used:
            code = np.int64(text[k])
            k += 1
            if code >= 0x80:
                more = np.int64(text[k]) if k < used else np.int64(0)
                two = 0xC2 <= code < 0xE0 and more >> 6 == 2
                code = (code & 0x1F) << 6 | more & 0x3F if two else np.int64(byte_of.size)
                k += 1
            if code >= byte_of.size or byte_of[code] < 0:
                spelled[number] = 0
                made = token_starts[number]
                break
            tokens[made] = byte_of[code]
            made += 1
        ids[number] = token_id
        number += 1
        starts[number] = used
        token_starts[number] = made
    end[0] = at + 1
    return number if at < data.size else -1


@compiled
def read_merges(data, begin, text, starts, end):
    """Read the merges of the list at ``data[begin]``; return how many, -1 for another form.

    text : uint8, starts : int64[2 * n + 1], the parts · end : int64[2], gets the place after the list, and how many of
    the merges are lists of two strings.
    """
    at = _skip(data, begin + 1)
    number = 0
    used = 0
    lists = 0
    starts[0] = 0
    while at < data.size and data[at] != CLOSE_LIST:
        if 2 * number + 2 >= starts.size:
            return -1
        listed = data[at] == OPEN_LIST
        if listed:
            at = _skip(data, at + 1)
        if at >= data.size or data[at] != QUOTE:
            return -1
        at, used = _read_string(data, at + 1, text, used, -1 if listed else SPACE)
        if at < 0 or data[at] != (QUOTE if listed else SPACE) or used == starts[2 * number]:
            return -1
        starts[2 * number + 1] = used
        at += 1
        if listed:
            at = _next_item(data, at, CLOSE_LIST)
            if at < 0 or data[at] != QUOTE:
                return -1
            at += 1
        at, used = _read_string(data, at, text, used, -1 if listed else SPACE)
        if at < 0 or data[at] != QUOTE or used == starts[2 * number + 1]:
            return -1
        at += 1
        if listed:
            at = _skip(data, at)
            if at >= data.size or data[at] != CLOSE_LIST:
                return -1
            at += 1
            lists += 1
        number += 1
        starts[2 * number] = used
        at = _next_item(data, at, CLOSE_LIST)
        if at < 0:
            return -1
    end[0] = at + 1
    end[1] = lists
    return number if at < data.size else -1


@machine.addressed
def find_words(address):
    """Write the number of the token that each word is to ``made`` (uint32), FREE for none.

    ``lefts``, ``rights`` : int64[pair_count], the addresses where the words begin and end. 16 bytes more may be read.
    """
    block = layout.block_at(address)
    for k in range(block.pair_count):
        at = machine.loadi64(block.lefts + 8 * k)
        found = find_token(block, at, machine.loadi64(block.rights + 8 * k) - at)
        machine.store32(block.made + 4 * k, found if found >= 0 else FREE)
    return 0
