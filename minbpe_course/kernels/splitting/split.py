r"""Cutting UTF-8 text into words, as the split patterns of GPT-2, GPT-4 and GPT-4o do, without a regular expression.

A pattern with alternatives is a decision tree over character classes. Every word takes one path from left to right:

    first character          next character        body                      tail
    -----------------------  --------------------  ------------------------  ------------------------------------
    '                        s t d m ll ve re      contraction               (gpt2, cl100k)
    letter, or a prefix      letter                letters                   o200k: a contraction
    number, or gpt2's blank  number                numbers, 3 at most        (gpt2: any number of them)
    other, or a blank        other                 others                    cl100k: \r \n, o200k: \r \n /
    white space              anything else         all white space           then step back

Prefix: in gpt2 one blank; in cl100k and o200k one character that is no letter, number, \r or \n.

Stepping back: white space ends behind its last line break (gpt2 has no such rule). Without one, it leaves its last
character to the word that follows, if a word follows and the white space is longer than that. cl100k as tiktoken writes
it keeps white space whole at the end of the text; as minbpe writes it, the line break is looked for first.

Letters in o200k are upper case first, then lower, where "either" letters (e) and marks count as both:

    A B C d e f | X       A B C | 1       A B e | X Y | 1
    upper lower           upper only      no lower follows, so the upper run ends behind its last either

No character is read more than a fixed number of times, so time grows linearly whatever the text.

Two descriptions of this share the work. ``word_end`` walks the tree, one character at a time, for one word. ``windows``
decides 64 bytes at once and leaves to ``word_end`` whatever it cannot decide. ``split_words`` goes through a text with
both. It takes a block of numbers, so that other kernels can call it by its address:

    block    AT  END  LIMIT  FAMILY  CLASSES  BASE  ENDS  ROOM          int64 each
             text            which   table    of    where the ends go
             from   to       tree             ends
                    up to which address bytes may be read

Twin: ``reference.split``, alternative by alternative.
"""

from __future__ import annotations

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.splitting.windows import (
    EITHER,
    LETTERS,
    LOWER,
    MARK,
    NEWLINE,
    NUMBER,
    ONE,
    OTHER,
    SPACE,
    SPACES,
    UPPER,
    ZERO,
    character,
    cl100k_window,
    contraction,
    gpt2_window,
    o200k_window,
)

# The families of text.patterns; a test compares the numbers.
GPT2_FAMILY, CL100K_FAMILY, CL100K_MINBPE_FAMILY, O200K_FAMILY = 0, 1, 2, 3

# Sets of classes: bit k is class k.
UPPERS = 1 << UPPER | 1 << EITHER | 1 << MARK
LOWERS = 1 << LOWER | 1 << EITHER | 1 << MARK
OTHERS = 1 << OTHER | 1 << MARK
PREFIXES = 1 << OTHER | 1 << MARK | 1 << SPACE

BLANK, APOSTROPHE, SLASH, CARRIAGE_RETURN, LINE_FEED = 0x20, 0x27, 0x2F, 0x0D, 0x0A

# Entries behind ROOM that may be written, and bytes behind a window that may be read.
SLACK, AHEAD = 64, 80


@helper
def _kind(at, classes):
    """The character that begins at ``at``: class << 3 | bytes."""
    first = machine.load8(at)
    if first < 0x80:
        return machine.load8(classes + first) << 3 | 1
    found = character(at)
    return machine.load8(classes + (found >> 3)) << 3 | found & 7


@helper
def _run_end(at, end, classes, wanted):
    """Where the run of characters with classes in ``wanted`` that begins at ``at`` ends."""
    while at < end:
        found = _kind(at, classes)
        if not wanted >> (found >> 3) & 1:
            break
        at += found & 7
    return at


@helper
def _contraction(at, end, any_case):
    """How many bytes the contraction that begins with the apostrophe at ``at`` has, 0 if there is none."""
    length = contraction(at, end - at, any_case)
    if length >= 0:
        return length
    # U+017F, the long s, is an s when case is ignored; no other character that begins with C5 is in a contraction.
    return 3 if end - at > 2 and machine.load8(at + 2) == 0xBF else 0


@helper
def _letters_end(at, end, classes):
    """Where a word of letters that begins at ``at`` ends in o200k, contraction included."""
    begin = at
    either_end = at
    kind = -1
    while at < end:
        found = _kind(at, classes)
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
def _spaces_end(at, end, classes, family):
    """Where a word of white space that begins at ``at`` ends."""
    begin = last = line_end = at
    while at < end:
        found = _kind(at, classes)
        if not SPACES >> (found >> 3) & 1:
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
    """Where the word ends that begins at the address ``at``; the text ends at ``end``."""
    gpt2 = family == GPT2_FAMILY
    o200k = family == O200K_FAMILY
    letters = LETTERS | 1 << MARK if o200k else LETTERS
    found = _kind(at, classes)
    kind = found >> 3
    first = machine.load8(at)
    body = at
    if not o200k and first == APOSTROPHE:
        length = _contraction(at, end, not gpt2)
        if length > 0:
            return at + length

    # A prefix joins the letters that follow it; a blank also joins others, and in gpt2 numbers.
    if PREFIXES >> kind & 1 and not letters >> kind & 1 and (not gpt2 or first == BLANK):
        after = at + (found & 7)
        if after < end:
            next_kind = _kind(after, classes) >> 3
            joins = letters
            if first == BLANK:
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
                found = _kind(at, classes)
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
    return _spaces_end(at, end, classes, family)


@machine.addressed
def split_words(address):
    """Write where each word ends, minus BASE, to ENDS; return how many words there were, and move AT behind them.

    Stops when ROOM words are written, or up to SLACK more, at END, or when fewer than AHEAD bytes may be read: a text
    with nothing behind it is copied, from there on, to a place with room. The text between AT and END is valid UTF-8
    that begins where a word begins; bytes behind END and before LIMIT are read but do not count.
    """
    block = layout.block_at(address)
    at = block.at
    end = block.end
    limit = block.limit - AHEAD
    family = block.family
    classes = block.classes
    base = block.base
    ends = block.ends
    room = block.room
    count = 0
    while at < end and at <= limit and count < room:
        size = min(end - at, 64)
        whole = size < 64
        if family == GPT2_FAMILY:
            begins = gpt2_window(at, size, whole, classes)
        elif family == O200K_FAMILY:
            begins = o200k_window(at, size, whole, classes)
        else:
            begins = cl100k_window(at, size, whole, classes, family == CL100K_FAMILY)
        begins &= ~ONE
        to = ends + 8 * count
        if begins == ZERO:
            at = word_end(at, end, family, classes)
            machine.storei64(to, at - base)
            count += 1
            continue
        found = machine.ones(begins)
        place = 63 - machine.leading_zeros(begins)
        here = at - base
        # Storing sixteen without asking costs less than asking after each; what is too much is overwritten.
        for k in range(16):
            machine.storei64(to + 8 * k, here + machine.trailing_zeros(begins))
            begins &= begins - ONE
        k = 16
        while begins != ZERO:
            machine.storei64(to + 8 * k, here + machine.trailing_zeros(begins))
            begins &= begins - ONE
            k += 1
        count += found
        at += place
    block.at = at
    return count


@machine.addressed
def given_words(address):
    """A splitter that splits nothing: hands on the ends at GIVEN (int64, GIVEN_LEFT of them, from GIVEN_BASE on)."""
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
