"""From the characters of a str to UTF-8, without the GIL and without a second copy of the whole text.

CPython keeps a text as an array of 1, 2 or 4 bytes for each character, by its largest one: a single emoji makes a text
of 100 MB one of 400 MB. ``str.encode`` makes a UTF-8 copy of all of it, on one core, before anything else can begin.
This kernel writes only the wanted stretches, to a buffer that is used again and again:

    text       characters 0 .. n                stretches    int64  start stop | start stop | ...   (characters)
    out        h  e  l  l  o  c3 a9 ...         becomes             begin end  | begin end  | ...   (addresses)

Sixteen ASCII characters are narrowed in one step, a vector of 16 x 32 bits to one of 16 x 8; others are written one by
one. Reference implementations: ``reference.utf8`` for the rule, ``str.encode`` for the whole.
"""

from __future__ import annotations

import ctypes

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from minbpe_course.kernels.common.compiled import PLAIN, compiled, helper
from minbpe_course.kernels.common.machine import load8, load32, loadi64, store8, storei64

# Bytes after the output that may be overwritten.
SLACK = 16


@intrinsic
def _characters_of(typing_context, text):
    """Return the address of the first character of a str."""

    def build(context, builder, signature, arguments):
        from numba.core import cgutils

        characters = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=arguments[0])
        return builder.ptrtoint(characters.data, ir.IntType(64))

    return types.int64(types.unicode_type), build


def _narrowing(bits):
    """Make the intrinsic that writes 16 characters of ``bits`` bits as bytes, and returns whether all were ASCII."""

    @intrinsic
    def narrow(typing_context, to, at):
        def build(context, builder, signature, arguments):
            wide, bytes16 = ir.VectorType(ir.IntType(bits), 16), ir.VectorType(ir.IntType(8), 16)
            data = builder.load(builder.inttoptr(arguments[1], wide.as_pointer()), align=1)
            small = builder.trunc(data, bytes16)
            builder.store(small, builder.inttoptr(arguments[0], bytes16.as_pointer()), align=1)
            ascii_only = builder.icmp_unsigned("<", data, ir.Constant(wide, [0x80] * 16))
            every = builder.bitcast(ascii_only, ir.IntType(16))
            return builder.icmp_unsigned("==", every, ir.Constant(ir.IntType(16), 0xFFFF))

        return types.boolean(types.int64, types.int64), build

    return narrow


_narrow1, _narrow2, _narrow4 = _narrowing(8), _narrowing(16), _narrowing(32)


def _adding(bits):
    """Make the intrinsic that returns how many bytes above 16 the UTF-8 of 16 characters of ``bits`` bits takes."""

    @intrinsic
    def add(typing_context, at):
        def build(context, builder, signature, arguments):
            wide = ir.VectorType(ir.IntType(bits), 16)
            data = builder.load(builder.inttoptr(arguments[0], wide.as_pointer()), align=1)
            total = ir.Constant(ir.IntType(64), 0)
            for border in (border for border in (0x80, 0x800, 0x10000) if border < 1 << bits):
                above = builder.icmp_unsigned(">=", data, ir.Constant(wide, [border] * 16))
                number = builder.ctpop(builder.bitcast(above, ir.IntType(16)))
                total = builder.add(total, builder.zext(number, ir.IntType(64)))
            return total

        return types.int64(types.int64), build

    return add


_add1, _add2, _add4 = _adding(8), _adding(16), _adding(32)


@helper
def _character(at, kind):
    """Return the code point at an address, in 1, 2 or 4 bytes."""
    if kind == 1:
        return load8(at)
    if kind == 2:
        return load8(at) | load8(at + 1) << 8
    return load32(at)


@helper
def _write_character(to, code):
    """Write one code point from U+0080 on; return how many bytes it took."""
    if code < 0x800:
        store8(to, 0xC0 | code >> 6)
        store8(to + 1, 0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        store8(to, 0xE0 | code >> 12)
        store8(to + 1, 0x80 | code >> 6 & 0x3F)
        store8(to + 2, 0x80 | code & 0x3F)
        return 3
    store8(to, 0xF0 | code >> 18)
    store8(to + 1, 0x80 | code >> 12 & 0x3F)
    store8(to + 2, 0x80 | code >> 6 & 0x3F)
    store8(to + 3, 0x80 | code & 0x3F)
    return 4


@compiled
def write_utf8(text, stretches, number, out):
    """Write ``number`` stretches of a str as UTF-8, end to end; return the address after the last byte.

    stretches : address of int64[2 * number], first character and one past the last; replaced by the addresses where
    their bytes begin and end · out : address of ``room_for`` bytes or more. Returns -1 at a lone surrogate, which has
    no UTF-8.
    """
    kind = np.int64(text._kind)
    characters = _characters_of(text)
    to = out
    for stretch in range(number):
        place = stretches + 16 * stretch
        at = characters + kind * loadi64(place)
        end = characters + kind * loadi64(place + 8)
        storei64(place, to)
        while at < end:
            if at + 16 * kind <= end:
                if kind == 1:
                    narrow = _narrow1(to, at)
                elif kind == 2:
                    narrow = _narrow2(to, at)
                else:
                    narrow = _narrow4(to, at)
                if narrow:
                    to += 16
                    at += 16 * kind
                    continue
            # The last characters, or sixteen of which some are not ASCII.
            stop = min(at + 16 * kind, end)
            while at < stop:
                code = _character(at, kind)
                if code < 0x80:
                    store8(to, code)
                    to += 1
                elif 0xD800 <= code < 0xE000:
                    return np.int64(-1)
                else:
                    to += _write_character(to, code)
                at += kind
        storei64(place + 8, to)
    return to


def _write_plain(text, stretches, number, out):
    """Do as ``write_utf8``, without Numba, which alone knows where a str keeps its characters."""
    to = int(out)
    for stretch in range(number):
        place = stretches + 16 * stretch
        try:
            data = text[loadi64(place) : loadi64(place + 8)].encode("utf-8")
        except UnicodeEncodeError:
            return -1
        ctypes.memmove(to, data, len(data))
        storei64(place, to)
        to += len(data)
        storei64(place + 8, to)
    return to


@compiled
def size_of_utf8(text, stretches, number):
    """Return how many bytes ``write_utf8`` would write, ignoring lone surrogates; ``stretches`` stay unchanged."""
    kind = np.int64(text._kind)
    characters = _characters_of(text)
    size = np.int64(0)
    for stretch in range(number):
        place = stretches + 16 * stretch
        at = characters + kind * loadi64(place)
        end = characters + kind * loadi64(place + 8)
        size += (end - at) // kind
        while at + 16 * kind <= end:
            if kind == 1:
                size += _add1(at)
            elif kind == 2:
                size += _add2(at)
            else:
                size += _add4(at)
            at += 16 * kind
        while at < end:
            # A byte of Latin-1 from U+0080 on is two of UTF-8.
            code = _character(at, kind)
            size += np.int64(code >= 0x80) + np.int64(code >= 0x800) + np.int64(code >= 0x10000)
            at += kind
    return size


def _size_plain(text, stretches, number):
    """Return what ``size_of_utf8`` does, without Numba."""
    places = [loadi64(stretches + 8 * k) for k in range(2 * number)]
    return sum(len(text[start:stop].encode("utf-8", "surrogatepass")) for start, stop in zip(places[::2], places[1::2]))


if PLAIN:
    write_utf8 = _write_plain
    size_of_utf8 = _size_plain


def room_for(text, characters):
    """Return the most bytes that ``characters`` characters of ``text`` may take, slack included.

    >>> room_for("ascii", 5), room_for("na\\u00efve", 5)
    (21, 36)
    """
    if text.isascii():
        return characters + SLACK
    return 4 * characters + SLACK
