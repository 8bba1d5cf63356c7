r"""Cutting UTF-8 text into words, as the split patterns of GPT-2, GPT-4 and GPT-4o do, without a regular expression.

A pattern with alternatives is a decision tree over character classes. Every word takes one path from left to right:

    first character          next character        body                      tail
    -----------------------  --------------------  ------------------------  ------------------------------------
    '                        s t d m ll ve re      contraction               (gpt2, cl100k)
    letter, or a prefix      letter                letters                   o200k: a contraction
    number, or gpt2's space  number                numbers, 3 at most        (gpt2: any number of them)
    other, or a space        other                 others                    cl100k: \r \n, o200k: \r \n /
    white space              anything else         all white space           then step back

Prefix: in gpt2 one space; in cl100k and o200k one character that is not a letter, a number, \r or \n.

Stepping back: white space ends after its last line break (gpt2 has no such rule). Without one, it leaves its last
character to the next word, if there is a next word and the white space is longer than that. cl100k as tiktoken writes
it keeps white space whole at the end of the text; minbpe's version looks for the line break first.

Letters in o200k are upper case first, then lower, where "either" letters (e) and marks count as both:

    A B C d e f | X       A B C | 1       A B e | X Y | 1
    upper lower           upper only      no lower follows, so the upper run ends after its last either

No character is read more than a fixed number of times, so time grows linearly for every text.

Two descriptions of these rules share the work. ``word_end`` walks the tree for one word, one character at a time.
``windows`` decides 64 bytes at once and leaves what it cannot decide to ``word_end``. ``split_words`` goes through a
text with both. It takes the address of a block (``layout``), so that other kernels can call it by its own address.

Reference implementation: ``reference.split``, alternative by alternative.
"""

from __future__ import annotations

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.common.layout import AHEAD
from minbpe_course.kernels.splitting.windows import (
    APOSTROPHE,
    CARRIAGE_RETURN,
    EITHER,
    LETTERS,
    LINE_FEED,
    LONG_S_SECOND,
    LOWER,
    MARK,
    NEWLINE,
    NUMBER,
    ONE,
    OTHER,
    SLASH,
    SPACE,
    SPACE_BYTE,
    UPPER,
    WHITE,
    ZERO,
    cl100k_window,
    contraction,
    gpt2_window,
    kind_at,
    o200k_window,
)

# The families of text.patterns; a test compares the numbers.
GPT2_FAMILY, CL100K_FAMILY, CL100K_MINBPE_FAMILY, O200K_FAMILY = range(4)

# Sets of classes: bit k is class k.
UPPERS = 1 << UPPER | 1 << EITHER | 1 << MARK
LOWERS = 1 << LOWER | 1 << EITHER | 1 << MARK
OTHERS = 1 << OTHER | 1 << MARK
PREFIXES = 1 << OTHER | 1 << MARK | 1 << SPACE

# The bits of ``family`` that say which; the others are the variants of ``windows``.
FAMILY = 3

# How many bytes of text to prefetch ahead of the window: the processor's own prefetcher is too late.
TEXT_AHEAD = 512


@helper
def _run_end(at, end, classes, wanted):
    """Return where the run of characters with classes in ``wanted`` that begins at ``at`` ends."""
    while at < end:
        found = kind_at(at, classes)
        if not wanted >> (found >> 3) & 1:
            break
        at += found & 7
    return at


@helper
def _contraction(at, end, any_case):
    """Return how many bytes the contraction that begins with the apostrophe at ``at`` has, 0 for none."""
    length = contraction(at, end - at, any_case)
    if length >= 0:
        return length
    # U+017F, the long s, is an s when case is ignored. No other character with its first byte is in a contraction.
    return 3 if end - at > 2 and machine.load8(at + 2) == LONG_S_SECOND else 0


@helper
def _letters_end(at, end, classes):
    """Return where a word of letters that begins at ``at`` ends in o200k, contraction included."""
    begin = at
    either_end = at
    kind = -1
    while at < end:
        found = kind_at(at, classes)
        kind = found >> 3
        if not UPPERS >> kind & 1:
            break
        at += found & 7
        if LOWERS >> kind & 1:
            either_end = at
    if at < end and kind == LOWER:
        at = _run_end(at, end, classes, LOWERS)
    elif either_end > begin:
        at = either_end
    if at < end and machine.load8(at) == APOSTROPHE:
        at += _contraction(at, end, True)
    return at


@helper
def _white_end(at, end, classes, family):
    """Return where a word of white space that begins at ``at`` ends."""
    begin = last = line_end = at
    while at < end:
        found = kind_at(at, classes)
        if not WHITE >> (found >> 3) & 1:
            break
        last = at
        at += found & 7
        if found >> 3 == NEWLINE:
            line_end = at
    if family == CL100K_FAMILY and at == end:
        return at
    if family != GPT2_FAMILY and line_end > begin:
        return line_end
    if at < end and last > begin:
        return last
    return at


@helper
def word_end(at, end, family, classes):
    """Return where the word that begins at the address ``at`` ends; the text ends at ``end``."""
    gpt2 = family == GPT2_FAMILY
    o200k = family == O200K_FAMILY
    letters = LETTERS | 1 << MARK if o200k else LETTERS
    found = kind_at(at, classes)
    kind = found >> 3
    first = machine.load8(at)
    body = at
    if not o200k and first == APOSTROPHE:
        length = _contraction(at, end, not gpt2)
        if length > 0:
            return at + length

    # A prefix joins the letters that follow it; a space also joins others, and in gpt2 numbers.
    if PREFIXES >> kind & 1 and not letters >> kind & 1 and (not gpt2 or first == SPACE_BYTE):
        after = at + (found & 7)
        if after < end:
            next_kind = kind_at(after, classes) >> 3
            joins = letters
            if first == SPACE_BYTE:
                joins |= OTHERS | 1 << NUMBER if gpt2 else OTHERS
            if joins >> next_kind & 1:
                body = after
                kind = next_kind

    if letters >> kind & 1:
        return _letters_end(body, end, classes) if o200k else _run_end(body, end, classes, LETTERS)
    if kind == NUMBER:
        if gpt2:
            return _run_end(body, end, classes, 1 << NUMBER)
        at = body + (found & 7)
        for _ in range(2):
            if at < end:
                found = kind_at(at, classes)
                at += found & 7 if found >> 3 == NUMBER else 0
        return at
    if OTHERS >> kind & 1:
        at = _run_end(body, end, classes, OTHERS)
        if not gpt2:
            while at < end:
                first = machine.load8(at)
                if first != LINE_FEED and first != CARRIAGE_RETURN and not (o200k and first == SLASH):
                    break
                at += 1
        return at
    return _white_end(at, end, classes, family)


@helper
def write_places(mask, begin, to):
    """Write ``begin`` + k for each bit k of ``mask`` to ``to``, int64; up to 16 entries more are overwritten."""
    # Storing sixteen without asking costs less than asking after each.
    for k in range(16):
        machine.storei64(to + 8 * k, begin + machine.trailing_zeros(mask))
        mask &= mask - ONE
    to += 8 * 16
    while mask != ZERO:
        machine.storei64(to, begin + machine.trailing_zeros(mask))
        mask &= mask - ONE
        to += 8


@machine.addressed
def split_words(address):
    """Write where each word ends, minus ``base``, to ``ends``; move ``at`` after the words and return their number.

    Stops when ``room`` words are written, or up to SLACK more, at ``end``, or when fewer than AHEAD bytes may be read:
    the caller then copies the rest of the text to memory with enough bytes after it. The text from ``at`` to ``end`` is
    valid UTF-8 that begins where a word begins; bytes between ``end`` and ``limit`` are read but do not count.
    """
    block = layout.block_at(address)
    at = block.at
    end = block.end
    limit = block.limit - AHEAD
    variant = block.family
    family = variant & FAMILY
    classes = block.classes
    base = block.base
    ends = block.ends
    room = block.room
    count = 0
    while at < end and at <= limit and count < room:
        size = min(end - at, 64)
        whole = size < 64
        machine.fetch(at + TEXT_AHEAD)
        if family == GPT2_FAMILY:
            begins = gpt2_window(at, size, whole, classes)
        elif family == O200K_FAMILY:
            begins = o200k_window(at, size, whole, classes, variant)
        else:
            begins = cl100k_window(at, size, whole, classes, family == CL100K_FAMILY, variant)
        begins &= ~ONE
        to = ends + 8 * count
        if begins == ZERO:
            if variant == family:
                at = word_end(at, end, family, classes)
            else:
                block.at = at
                at = machine.call(block.word_by_table, address)
            machine.storei64(to, at - base)
            count += 1
            continue
        count += machine.ones(begins)
        here = at - base
        at += 63 - machine.leading_zeros(begins)
        write_places(begins, here, to)
    block.at = at
    return count


@compiled
def split_stretches(address, stretches, ends):
    """Split each stretch of a text by itself; return how many words there are.

    address : of a block with its splitter · stretches : int64, the addresses of begin and end of each · ends : int64
    with room for an end for each byte, and SLACK; words end there, minus ``base``.
    """
    block = layout.block_at(address)
    first = ends.ctypes.data
    count = 0
    for k in range(0, stretches.size, 2):
        block.at, block.end = stretches[k], stretches[k + 1]
        while block.at < block.end:
            block.ends = first + 8 * count
            block.room = block.end - block.at
            count += machine.call(block.splitter, address)
    return count


@machine.addressed
def given_words(address):
    """Do the same as ``split_words`` for text that is split already: copy ends from ``given``, int64[given_left]."""
    block = layout.block_at(address)
    given = block.given
    base = block.given_base
    ends = block.ends
    left = block.given_left
    number = min(left, block.room)
    for k in range(number):
        machine.storei64(ends + 8 * k, base + machine.loadi64(given + 8 * k))
    if number > 0:
        block.at = machine.loadi64(ends + 8 * number - 8)
    block.given = given + 8 * number
    block.given_left = left - number
    return number
