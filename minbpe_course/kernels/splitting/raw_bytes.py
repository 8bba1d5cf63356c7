"""Questions about the bytes of a file, answered 64 bytes at a time and without the GIL.

    is_utf8     decoding in Python answers it too, but holds the GIL and takes 7 (multilingual) to 45 (English) times
                as long
    has_pair    whether two bytes are side by side: a text without the beginning of a special token contains none

For ``is_utf8`` each window becomes a few masks of 64 bits, one bit for each byte. ASCII needs one of them. Otherwise
the leads say where continuation bytes must be, and these have to be exactly there. The rest, after the window, is
carried to the next:

    text          a   c3 a9   e6 97 a5   b
    leads         0   1  0    1  0  0    0       must = leads << 1 | leads of three << 2 | leads of four << 3
    must          0   0  1    0  1  1    0

After E0, ED, F0 and F4 not every continuation byte is allowed; the kernel checks these few one by one. Reference
implementations: ``reference.utf8.decode`` and ``bytes.find``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.common.machine import byte_mask, load8, trailing_zeros
from minbpe_course.kernels.splitting.windows import bytes_between, valid_character

NONE, ONE, TWO, THREE = (np.uint64(number) for number in range(4))
SHIFT_61, SHIFT_62, SHIFT_63 = (np.uint64(number) for number in (61, 62, 63))


@compiled
def is_utf8(begin, size):
    """Return whether the ``size`` bytes from the address ``begin`` on are UTF-8; no byte after them is read."""
    at, end = begin, begin + size
    carried = NONE
    while at + 64 <= end:
        high = bytes_between(at, 0x80, 0xFF)
        if high | carried != NONE:
            later, leads = bytes_between(at, 0x80, 0xBF), bytes_between(at, 0xC2, 0xF4)
            three, four = bytes_between(at, 0xE0, 0xF4), bytes_between(at, 0xF0, 0xF4)
            must = carried | leads << ONE | three << TWO | four << THREE
            if later | leads != high or must != later:
                return False
            carried = leads >> SHIFT_63 | three >> SHIFT_62 | four >> SHIFT_61
            # E0 and F0, ED, F4
            narrowed = byte_mask(at, 0x10, 0xF0, 1) | bytes_between(at, 0xED, 0xED) | bytes_between(at, 0xF4, 0xF4)
            while narrowed != NONE:
                if valid_character(at + trailing_zeros(narrowed), end) == 0:
                    return False
                narrowed &= narrowed - ONE
        at += 64
    if carried != NONE:
        # The last window ends inside a character.
        at -= 1
        while load8(at) & 0xC0 == 0x80:
            at -= 1
    while at < end:
        length = valid_character(at, end)
        if length == 0:
            return False
        at += length
    return True


@compiled
def has_pair(begin, size, first, second):
    """Return whether the byte ``second`` follows ``first`` anywhere in the ``size`` bytes from ``begin`` on."""
    at, end = begin, begin + size
    while at + 65 <= end:
        if bytes_between(at, first, first) & bytes_between(at + 1, second, second) != NONE:
            return True
        at += 64
    while at + 1 < end:
        if load8(at) == first and load8(at + 1) == second:
            return True
        at += 1
    return False
