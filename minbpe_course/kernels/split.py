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

No character is read more than a fixed number of times, so time grows linearly whatever the text. The helpers are
inlined by Numba: handing arrays to a real call costs more than the work. Twin: ``reference.split``, alternative by
alternative.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# The families of text.patterns; a test compares the numbers.
GPT2_FAMILY, CL100K_FAMILY, CL100K_MINBPE_FAMILY, O200K_FAMILY = 0, 1, 2, 3

# The classes of text.unicode_tables; a test compares the numbers.
OTHER, UPPER, LOWER, EITHER, MARK, NUMBER, SPACE, NEWLINE = 0, 1, 2, 3, 4, 5, 6, 7

# Sets of classes: bit k is class k.
LETTERS = 1 << UPPER | 1 << LOWER | 1 << EITHER
UPPERS = 1 << UPPER | 1 << EITHER | 1 << MARK
LOWERS = 1 << LOWER | 1 << EITHER | 1 << MARK
OTHERS = 1 << OTHER | 1 << MARK
SPACES = 1 << SPACE | 1 << NEWLINE
PREFIXES = 1 << OTHER | 1 << MARK | 1 << SPACE

BLANK, APOSTROPHE, SLASH, CARRIAGE_RETURN, LINE_FEED = 0x20, 0x27, 0x2F, 0x0D, 0x0A


@njit(inline="always")
def _character(text, at, classes):
    """The character that begins at ``at``: class << 3 | bytes."""
    first = np.int64(text[at])
    if first < 0x80:
        return np.int64(classes[first]) << 3 | 1
    second = np.int64(text[at + 1]) & 0x3F
    if first < 0xE0:
        return np.int64(classes[(first & 0x1F) << 6 | second]) << 3 | 2
    third = np.int64(text[at + 2]) & 0x3F
    if first < 0xF0:
        return np.int64(classes[(first & 0x0F) << 12 | second << 6 | third]) << 3 | 3
    fourth = np.int64(text[at + 3]) & 0x3F
    return np.int64(classes[(first & 0x07) << 18 | second << 12 | third << 6 | fourth]) << 3 | 4


@njit(inline="always")
def _run_end(text, at, classes, wanted):
    """Where the run of characters with classes in ``wanted`` that begins at ``at`` ends."""
    while at < text.size:
        found = _character(text, at, classes)
        if not wanted >> (found >> 3) & 1:
            break
        at += found & 7
    return at


@njit(inline="always")
def _contraction(text, at, any_case):
    """How many bytes the contraction that begins with the apostrophe at ``at`` has, 0 if there is none."""
    size = text.size
    if at + 1 >= size:
        return 0
    first = np.int64(text[at + 1])
    second = np.int64(text[at + 2]) if at + 2 < size else 0
    if any_case:
        # U+017F, the long s, is an s when case is ignored.
        if first == 0xC5 and second == 0xBF:
            return 3
        first |= 0x20
        second |= 0x20
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return 2
    if (first == 0x6C and second == 0x6C) or ((first == 0x72 or first == 0x76) and second == 0x65):
        return 3
    return 0


@njit(cache=True, nogil=True)
def split_text(text, start, family, classes, ends):
    """Write where each word of ``text`` ends; return how many words were written.

    text : uint8[n], valid UTF-8 · start : where the first word begins · family : one of the numbers above · classes :
    uint8[0x110000], read-only · ends : int64[m], one past each word, filled from 0. If the result is m, there may be
    more words: call again with ``start = ends[m - 1]``. The last word ends at n.
    """
    size = text.size
    gpt2 = family == GPT2_FAMILY
    o200k = family == O200K_FAMILY
    letters = LETTERS | 1 << MARK if o200k else LETTERS
    count = 0
    at = start
    while at < size and count < ends.size:
        found = _character(text, at, classes)
        kind = found >> 3
        first = np.int64(text[at])
        body = at
        if not o200k and first == APOSTROPHE:
            length = _contraction(text, at, not gpt2)
            if length > 0:
                at += length
                ends[count] = at
                count += 1
                continue

        # A prefix joins the letters that follow it; a blank also joins others, and in gpt2 numbers.
        if PREFIXES >> kind & 1 and not letters >> kind & 1 and (not gpt2 or first == BLANK):
            after = at + (found & 7)
            if after < size:
                next_kind = _character(text, after, classes) >> 3
                joins = letters
                if first == BLANK:
                    joins |= OTHERS | 1 << NUMBER if gpt2 else OTHERS
                if joins >> next_kind & 1:
                    body = after
                    kind = next_kind

        if letters >> kind & 1:
            if not o200k:
                at = _run_end(text, body, classes, LETTERS)
            else:
                either_end = body
                at = body
                while at < size:
                    found = _character(text, at, classes)
                    if not UPPERS >> (found >> 3) & 1:
                        break
                    at += found & 7
                    if LOWERS >> (found >> 3) & 1:
                        either_end = at
                if at < size and found >> 3 == LOWER:
                    at = _run_end(text, at, classes, LOWERS)
                elif either_end > body:
                    at = either_end
                if at < size and text[at] == APOSTROPHE:
                    at += _contraction(text, at, True)
        elif kind == NUMBER:
            if gpt2:
                at = _run_end(text, body, classes, 1 << NUMBER)
            else:
                at = body + (found & 7)
                for _ in range(2):
                    if at < size:
                        found = _character(text, at, classes)
                        at += found & 7 if found >> 3 == NUMBER else 0
        elif OTHERS >> kind & 1:
            at = _run_end(text, body, classes, OTHERS)
            if not gpt2:
                while at < size and (
                    text[at] == LINE_FEED or text[at] == CARRIAGE_RETURN or (o200k and text[at] == SLASH)
                ):
                    at += 1
        else:
            begin = at
            last = at
            line_end = at
            while at < size:
                found = _character(text, at, classes)
                if not SPACES >> (found >> 3) & 1:
                    break
                last = at
                at += found & 7
                if found >> 3 == NEWLINE:
                    line_end = at
            if family == CL100K_FAMILY and at == size:
                pass
            elif not gpt2 and line_end > begin:
                at = line_end
            elif at < size and last > begin:
                at = last
        ends[count] = at
        count += 1
    return count
