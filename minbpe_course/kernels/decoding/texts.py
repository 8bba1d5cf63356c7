"""From UTF-8 to a str, without making it twice.

Python's own decoder begins with the narrowest of the three forms of a str (1, 2 or 4 bytes a character) and copies all
of it into the next wider one when a character does not fit: a text of code with one emoji is written three times. Here
a first pass, 64 bytes at a time, finds the width, and each character is then written once:

    bytes       h e l l o   e2 80 93   f0 9f 99 82        only bytes that begin a character count
    widest      4 bytes a character, since some byte is f0 or more
    str         h...e...l...l...o...  –...  🙂..           eight ASCII characters in one store

Python decodes bytes that are not UTF-8, texts of ASCII alone (which it copies) and those that are mostly not ASCII (at
which it is as fast). Reference implementation: ``bytes.decode``.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.machine import byte_mask, load8, load32, load64, ones, store8, store32
from minbpe_course.kernels.common.objects import drop, new_text, python_at, text_of

WINDOW = 64
NOT_ASCII = np.uint64(0x8080808080808080)
INVALID = -1


def _widening(bits: int):
    @intrinsic
    def widen(typing_context, to, source):
        """Write the eight bytes at ``source`` as eight wider numbers."""

        def build(context, builder, signature, arguments):
            narrow, wide = (ir.VectorType(ir.IntType(width), 8) for width in (8, bits))
            data = builder.load(builder.inttoptr(arguments[1], narrow.as_pointer()), align=1)
            place = builder.inttoptr(arguments[0], wide.as_pointer())
            builder.store(builder.zext(data, wide), place, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), build

    return widen


_widen16, _widen32 = _widening(16), _widening(32)


@intrinsic
def _store16(typing_context, address, value):
    def build(context, builder, signature, arguments):
        half = ir.IntType(16)
        place = builder.inttoptr(arguments[0], half.as_pointer())
        builder.store(builder.trunc(arguments[1], half), place, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@helper
def survey(data, size):
    """Return (characters, width) of UTF-8: how many begin, and how many bytes the widest takes in a str; 0 for ASCII.

    64 bytes from any place before the end may be read.
    """
    continuing = np.int64(0)
    two, four = np.uint64(0), np.uint64(0)
    anything = np.uint64(0)
    for at in range(0, size, WINDOW):
        inside = np.uint64(0xFFFFFFFFFFFFFFFF)
        if size - at < WINDOW:
            inside = (np.uint64(1) << np.uint64(size - at)) - np.uint64(1)
        high = byte_mask(data + at, 0, 0x80, 0x80) & inside
        if high != np.uint64(0):
            anything |= high
            continuing += ones(byte_mask(data + at, 0, 0x80, 0x40) & inside)
            two |= byte_mask(data + at, 0, 0xC4, 0x3C) & inside
            four |= byte_mask(data + at, 0, 0xF0, 0x10) & inside
    width = 0
    if anything != np.uint64(0):
        width = 4 if four != np.uint64(0) else (2 if two != np.uint64(0) else 1)
    return size - continuing, width


@helper
def _put(out, width, code):
    if width == 1:
        store8(out, code)
    elif width == 2:
        _store16(out, code)
    else:
        store32(out, code)


@helper
def _continued(byte):
    return byte & 0xC0 == 0x80


@helper
def transcode(data, size, out, width):
    """Write the characters of UTF-8 as numbers of ``width`` bytes; return how many, or INVALID.

    ``out`` has room for as many as ``survey`` counts.
    """
    begin = out
    at, end = data, data + size
    while at < end:
        while at + 8 <= end and load64(at) & NOT_ASCII == np.uint64(0):
            if width == 2:
                _widen16(out, at)
            elif width == 4:
                _widen32(out, at)
            else:
                for k in range(8):
                    store8(out + k, load8(at + k))
            at += 8
            out += 8 * width
        if at >= end:
            break
        first = load8(at)
        if first < 0x80:
            _put(out, width, first)
            at += 1
        elif first < 0xE0:
            if first < 0xC2 or at + 2 > end or not _continued(load8(at + 1)):
                return INVALID
            _put(out, width, (first & 0x1F) << 6 | load8(at + 1) & 0x3F)
            at += 2
        elif first < 0xF0:
            if at + 3 > end or not (_continued(load8(at + 1)) and _continued(load8(at + 2))):
                return INVALID
            code = (first & 0x0F) << 12 | (load8(at + 1) & 0x3F) << 6 | load8(at + 2) & 0x3F
            # Too long for what it says, or one half of a pair of UTF-16.
            if code < 0x800 or 0xD800 <= code < 0xE000:
                return INVALID
            _put(out, width, code)
            at += 3
        else:
            if first > 0xF4 or at + 4 > end or load32(at) & 0xC0C0C000 != 0x80808000:
                return INVALID
            code = (first & 7) << 18 | (load8(at + 1) & 0x3F) << 12 | (load8(at + 2) & 0x3F) << 6 | load8(at + 3) & 0x3F
            if code < 0x10000 or code > 0x10FFFF:
                return INVALID
            _put(out, width, code)
            at += 4
        out += width
    return (out - begin) // width


@helper
def text_from(data, size, errors, block):
    """Return the address of a new str, or 0 with an exception set, as ``text_of`` does.

    data : address of ``size`` bytes, and 64 more that may be read · block : that of ``objects``.
    """
    header = python_at(block).text_at
    if header != 0 and size > WINDOW:
        characters, width = survey(data, size)
        if width != 0 and size - characters <= size >> 2:
            widest = 0xFF if width == 1 else (0xFFFF if width == 2 else 0x10FFFF)
            made = new_text(characters, widest)
            if made == 0:
                return made
            if transcode(data, size, made + header, width) == characters:
                return made
            drop(made)
    return text_of(data, size, errors)
