r"""Where words end, for 64 bytes at once: the rules of the split patterns as arithmetic on masks.

Every mask has one bit for each byte of a window, bit 0 for the first. A window always begins where a word begins, so
nothing before it matters::

    text       I   ' l l   p a y   $ 1 2 3 4 , \n \n    x
    letters    1   0 1 1   1 1 1   0 0 0 0 0 0 0  0  0  1
    numbers    .   . . .   . . .   . 1 1 1 1 . .  .  .  .
    white      . 1 . . . 1 . . . 1 . . . . . . 1  1  1  .      of these line breaks: the two \n
    others     .   1 . .   . . .   1 . . . . 1 .  .  .  .      the rest
    begins     1 . 1 . . 1 . . . 1 . 1 . . 1 1 .  .  1  .      I | 'll | ␠pay | ␠$ | 123 | 4 | ,\n\n | ␠x

A word begins where a run of one class begins, with four exceptions. Some runs take the character before them along: a
space, or in cl100k and o200k any one character that is not a letter, number or line break. Line breaks stick to the
others before them. Numbers come in threes. White space is cut after its last line break and before its last character.
All of these rules look back, or at the next character; none looks far.

Rules that need more than the 64 bytes are left undecided: the window is cut short before that place, every begin that
might still change is dropped, and the next window starts at the last certain begin. If that is where this window
started, no end is returned, and the caller asks ``split.word_end``, which knows every rule and reads one character at a
time. So rare cases (unusual spaces, numbers outside ASCII, marks without a letter, very long words) need no second
description.

Most bytes of most texts are ASCII, whose classes are ranges of bytes. Ranges also mark the other characters whose first
byte leads letters only. A table has the class of every remaining character.

LLVM inlines these functions into the one loop that calls them, ``split.split_words``. Reference implementation:
``reference.split``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common.compiled import helper

# Variants of the families: numbers one by one; marks are letters (in o200k they are anyway); no contractions; no slash
# after others, and Chinese characters in separate words (both o200k). ``split`` has the families.
ONE_DIGIT, MARKS, NO_CONTRACTIONS, NO_SLASH, HAN_APART = 4, 8, 16, 32, 64

# The classes of text.unicode_tables; a test compares the numbers. SPACE is all white space but line breaks.
OTHER, UPPER, LOWER, EITHER, MARK, NUMBER, SPACE, NEWLINE = range(8)
# A Chinese character that is a letter, where these are apart; window_families makes the table.
HAN = 8

# Sets of classes: bit k is class k.
LETTERS = 1 << UPPER | 1 << LOWER | 1 << EITHER
WHITE = 1 << SPACE | 1 << NEWLINE

ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

# What ``| LOWER_CASE`` makes of an ASCII letter is lower case.
LOWER_CASE = 0x20
A, Z, UPPER_A, UPPER_Z, DIGIT_0, DIGIT_9 = b"azAZ09"
TAB, LINE_FEED, CARRIAGE_RETURN, SPACE_BYTE, APOSTROPHE, SLASH = b"\t\n\r '/"
LETTER_D, LETTER_E, LETTER_L, LETTER_M, LETTER_R, LETTER_S, LETTER_T, LETTER_V = b"delmrstv"

# Bytes of UTF-8: the later ones of a character, all that are not ASCII, and the first one of U+017F, the long s.
LATER_FIRST, LATER_LAST, HIGH_FIRST, HIGH_LAST = 0x80, 0xBF, 0x80, 0xFF
LONG_S_LEAD, LONG_S_SECOND = 0xC5, 0xBF

# First bytes of characters that are all letters, a test asks the tables. Of two bytes: U+0100..U+027F (Latin with
# accents, IPA) and U+0400..U+047F (Cyrillic). Of three: U+5000..U+9FFF (Chinese) and U+B000..U+CFFF (Korean), which
# have no case.
LATIN_FIRST, LATIN_LAST, CYRILLIC_FIRST, CYRILLIC_LAST = 0xC4, 0xC9, 0xD0, 0xD1
CHINESE_FIRST, CHINESE_LAST, KOREAN_FIRST, KOREAN_LAST = 0xE5, 0xE9, 0xEB, 0xEC


@helper
def bytes_between(at, first, last):
    """Return the mask of the bytes from ``first`` to ``last``."""
    return machine.byte_mask(at, 0, first, last - first + 1)


@helper
def below(position):
    """Return the mask of all places before ``position``, 0..64."""
    return ALL if position >= 64 else (ONE << np.uint64(position)) - ONE


@helper
def character(at):
    """Return the code point whose first byte, not ASCII, is at ``at``, and its bytes: code << 3 | bytes."""
    first = machine.load8(at)
    second = machine.load8(at + 1) & 0x3F
    if first < 0xE0:
        return ((first & 0x1F) << 6 | second) << 3 | 2
    third = machine.load8(at + 2) & 0x3F
    if first < 0xF0:
        return ((first & 0x0F) << 12 | second << 6 | third) << 3 | 3
    return ((first & 0x07) << 18 | second << 12 | third << 6 | machine.load8(at + 3) & 0x3F) << 3 | 4


@helper
def character_at(at):
    """Return the code point whose first byte, ASCII or not, is at ``at``, and its bytes: code << 3 | bytes."""
    first = machine.load8(at)
    return first << 3 | 1 if first < 0x80 else character(at)


@helper
def valid_character(at, end):
    """Return the bytes of the UTF-8 character that begins at ``at``, 0 if it is invalid."""
    lead = machine.load8(at)
    if lead < 0x80:
        return 1
    second = machine.load8(at + 1) if at + 1 < end else 0
    if lead < 0xC2 or lead > 0xF4 or second & 0xC0 != 0x80:
        return 0
    if lead < 0xE0:
        return 2
    third = machine.load8(at + 2) if at + 2 < end else 0
    if third & 0xC0 != 0x80:
        return 0
    if lead < 0xF0:
        if (lead == 0xE0 and second < 0xA0) or (lead == 0xED and second > 0x9F):
            return 0
        return 3
    fourth = machine.load8(at + 3) if at + 3 < end else 0
    if fourth & 0xC0 != 0x80 or (lead == 0xF0 and second < 0x90) or (lead == 0xF4 and second > 0x8F):
        return 0
    return 4


@helper
def kind_at(at, classes):
    """Return entry << 3 | bytes for the character that begins at ``at``; the table has a byte for each code point."""
    first = machine.load8(at)
    if first < 0x80:
        return machine.load8(classes + first) << 3 | 1
    found = character(at)
    return machine.load8(classes + (found >> 3)) << 3 | found & 7


@helper
def places_of(mark, size):
    """Return the mask of ``size`` bytes from bit ``mark`` on, without those after the window."""
    return ((ONE << np.uint64(size)) - ONE) << np.uint64(mark)


@helper
def runs_begin(members, taken):
    """Return where runs of ``members`` begin that do not follow a ``taken`` place."""
    return members & ~((members | taken) << ONE)


@helper
def spread(begins, later):
    """Return ``begins`` together with the ``later`` bytes of the characters there, at most three."""
    begins |= begins << ONE & later
    begins |= begins << ONE & later
    return begins | begins << ONE & later


@helper
def at_the_edge(white, inside):
    """Return the run of white space that touches the end of ``inside``, so that its next character is unknown."""
    others = ~white & inside
    return ~below(64 - machine.leading_zeros(others)) & inside


@helper
def white_space(at):
    """Return the masks of spaces, of line breaks, and of all ASCII white space (tab, U+000A to U+000D, space)."""
    spaces = bytes_between(at, SPACE_BYTE, SPACE_BYTE)
    newlines = bytes_between(at, LINE_FEED, LINE_FEED) | bytes_between(at, CARRIAGE_RETURN, CARRIAGE_RETURN)
    return spaces, newlines, spaces | bytes_between(at, TAB, CARRIAGE_RETURN)


@helper
def caseless_leads(at):
    """Return the first bytes of characters of three bytes that are all letters without case."""
    return bytes_between(at, CHINESE_FIRST, CHINESE_LAST) | bytes_between(at, KOREAN_FIRST, KOREAN_LAST)


@helper
def letter_leads(at):
    """Return the first bytes of characters of two and of three bytes that are all letters."""
    two = bytes_between(at, LATIN_FIRST, LATIN_LAST) | bytes_between(at, CYRILLIC_FIRST, CYRILLIC_LAST)
    return two, caseless_leads(at)


@helper
def not_ascii(at, size, high, classes, letter_kinds, take_numbers):
    """Classify the characters outside ASCII, whose bytes are ``high``, in the ``size`` bytes from ``at`` on.

    Returns the masks of letters, numbers and later bytes, and where the window must end: before a character that only
    ``word_end`` can decide on. letter_kinds : the set of classes of letters · take_numbers : whether numbers are
    decided here.
    """
    later = bytes_between(at, LATER_FIRST, LATER_LAST)
    two, three = letter_leads(at)
    letters = two | two << ONE | three | three << ONE | three << TWO
    numbers = ZERO
    leads = high & ~later & ~two & ~three & below(size)
    while leads != ZERO:
        place = machine.trailing_zeros(leads)
        leads &= leads - ONE
        found = character(at + place)
        kind = machine.load8(classes + (found >> 3))
        if letter_kinds >> kind & 1:
            letters |= places_of(place, found & 7)
        elif take_numbers and kind == NUMBER:
            numbers |= places_of(place, found & 7)
        elif (WHITE | 1 << NUMBER) >> kind & 1:
            size = place
            break
    return letters, numbers, later, size


@helper
def contraction(at, available, any_case):
    """Return how many bytes the contraction with the apostrophe at ``at`` has: 0 for none, -1 if a long s decides.

    available : how many bytes from ``at`` on belong to the text.
    """
    if available < 2:
        return 0
    first = machine.load8(at + 1)
    second = machine.load8(at + 2) if available > 2 else 0
    if any_case:
        if first == LONG_S_LEAD:
            return -1
        first |= LOWER_CASE
        second |= LOWER_CASE
    if first in (LETTER_S, LETTER_T, LETTER_M, LETTER_D):
        return 2
    if first == LETTER_L and second == LETTER_L:
        return 3
    if first in (LETTER_R, LETTER_V) and second == LETTER_E:
        return 3
    return 0


@helper
def may_begin_contractions(apostrophes, letters, inside):
    """Return the ``apostrophes`` before a letter or a byte not ``inside``: most others are quotation marks."""
    return apostrophes & inside & (letters >> ONE | ~(inside >> ONE))


@helper
def with_contractions(at, begins, apostrophes, size, whole, any_case):
    """Correct ``begins`` around each of the ``apostrophes`` that begins a word: a contraction is a separate word."""
    while apostrophes != ZERO:
        place = machine.trailing_zeros(apostrophes)
        apostrophes &= apostrophes - ONE
        if place + 3 > size and not whole:
            return begins & below(place + 1)
        length = contraction(at + place, size - place, any_case)
        if length < 0:
            return begins & below(place + 1)
        if length > 0:
            begins = begins & ~(THREE << np.uint64(place + 1)) | below(place + length + 1) & ~below(place + length)
    return begins


@helper
def known_begins(begins, later, size, whole):
    """Return the ``begins`` that are characters within ``size`` bytes, and, if the text ends there, its end."""
    inside = below(size)
    return begins & ~later & inside | (below(size + 1) & ~inside if whole else ZERO)


@helper
def gpt2_window(at, size, whole, classes):
    """Return where words begin in ``size`` bytes (1..64) from ``at`` on, by the pattern of GPT-2; bit 0 is always set.

    whole : whether the text ends there; then bit ``size`` (below 64) is set when the last word's end is certain too.
    classes : address of the class of each code point.
    """
    letters = machine.byte_mask(at, LOWER_CASE, A, Z - A + 1)
    numbers = bytes_between(at, DIGIT_0, DIGIT_9)
    spaces, _, white = white_space(at)
    high = bytes_between(at, HIGH_FIRST, HIGH_LAST)
    later = ZERO
    if high & below(size) != ZERO:
        more_letters, more_numbers, later, known = not_ascii(at, size, high, classes, LETTERS, True)
        letters |= more_letters
        numbers |= more_numbers
        whole = whole and known == size
        size = known
    inside = below(size)
    others = ~(letters | numbers | white)
    other_begins = runs_begin(others, spaces)
    # The last character of a run of white space goes with the next word.
    begins = white & ~(white >> ONE) & ~at_the_edge(white, inside) | runs_begin(white, ZERO)
    begins |= runs_begin(letters, spaces) | runs_begin(numbers, spaces) | other_begins
    begins = known_begins(begins, later, size, whole)
    apostrophes = bytes_between(at, APOSTROPHE, APOSTROPHE) & other_begins
    apostrophes = may_begin_contractions(apostrophes, letters, inside)
    if apostrophes != ZERO:
        begins = with_contractions(at, begins, apostrophes, size, whole, False)
    return begins


@helper
def white_begins_in_lines(white, newlines, others, inside, whole, all_whole):
    """Return where words begin in white space by the rules of cl100k and o200k, and which line breaks stick to others.

    inside : the places that are known · whole : whether the text ends after them · all_whole : whether white space at
    the end of the text stays in one piece.
    """
    edge = at_the_edge(white, inside)
    white &= inside
    newlines &= inside
    stuck = newlines & ~(newlines + (newlines & others << ONE))
    free = white & ~stuck
    newlines &= ~stuck
    spaces = free & ~newlines
    # White space after a line break begins a word, unless its run reaches another line break: adding the first bit of
    # a run to the run carries into the place after the run.
    after = spaces & newlines << ONE
    if (spaces + after) & ~spaces & newlines != ZERO:
        rest = after
        while rest != ZERO:
            place = machine.trailing_zeros(rest)
            rest &= rest - ONE
            follows = machine.trailing_zeros(~(spaces >> np.uint64(place))) + place
            if follows < 64 and newlines >> np.uint64(follows) & ONE != ZERO:
                after &= ~(ONE << np.uint64(place))
    if not whole or all_whole:
        after &= ~edge
    return runs_begin(free, ZERO) | after | spaces & ~(white >> ONE) & ~edge, stuck


@helper
def numbers_begin(numbers):
    """Return every third number of a run, from its first on."""
    begins = runs_begin(numbers, ZERO)
    fourth = numbers & numbers << ONE & numbers << TWO & numbers << THREE
    if fourth != ZERO:
        step = begins
        while step != ZERO:
            step = step << THREE & fourth
            begins |= step
    return begins


@helper
def cl100k_window(at, size, whole, classes, all_whole, variant):
    """Do as ``gpt2_window`` by the pattern of GPT-4. all_whole : white space at the end of the text stays whole.

    variant : ONE_DIGIT, MARKS and NO_CONTRACTIONS are heeded.
    """
    letters = machine.byte_mask(at, LOWER_CASE, A, Z - A + 1)
    numbers = bytes_between(at, DIGIT_0, DIGIT_9)
    spaces, newlines, white = white_space(at)
    high = bytes_between(at, HIGH_FIRST, HIGH_LAST)
    later = ZERO
    if high & below(size) != ZERO:
        letter_kinds = LETTERS | 1 << MARK if variant & MARKS else LETTERS
        more_letters, _, later, known = not_ascii(at, size, high, classes, letter_kinds, False)
        letters |= more_letters
        whole = whole and known == size
        size = known
    inside = below(size)
    others = ~(letters | numbers | white)
    other_begins = runs_begin(others, spaces) & ~later
    prefixes = spread(other_begins, later) | white & ~newlines
    begins, _ = white_begins_in_lines(white, newlines, others, inside, whole, all_whole)
    begins |= runs_begin(letters, prefixes) | other_begins
    begins |= numbers if variant & ONE_DIGIT else numbers_begin(numbers)
    begins = known_begins(begins, later, size, whole)
    apostrophes = bytes_between(at, APOSTROPHE, APOSTROPHE) & other_begins
    apostrophes = may_begin_contractions(apostrophes, letters, inside)
    if apostrophes != ZERO and not variant & NO_CONTRACTIONS:
        begins = with_contractions(at, begins, apostrophes, size, whole, True)
    return begins


@helper
def o200k_window(at, size, whole, classes, variant):
    """Do as ``gpt2_window`` by the pattern of GPT-4o, where case matters and contractions stay with their word.

    variant : ONE_DIGIT, NO_CONTRACTIONS, NO_SLASH and HAN_APART are heeded.
    """
    lowers = bytes_between(at, A, Z)
    uppers = bytes_between(at, UPPER_A, UPPER_Z)
    numbers = bytes_between(at, DIGIT_0, DIGIT_9)
    spaces, newlines, white = white_space(at)
    slashes = ZERO if variant & NO_SLASH else bytes_between(at, SLASH, SLASH)
    high = bytes_between(at, HIGH_FIRST, HIGH_LAST)
    later = eithers = hans = ZERO
    inside = below(size)
    if high & inside != ZERO:
        later = bytes_between(at, LATER_FIRST, LATER_LAST)
        three = caseless_leads(at)
        eithers = three | three << ONE | three << TWO
        if variant & HAN_APART:
            chinese = bytes_between(at, CHINESE_FIRST, CHINESE_LAST)
            hans = chinese | chinese << ONE | chinese << TWO
            eithers &= ~hans
        leads = high & ~later & ~three & inside
        while leads != ZERO:
            place = machine.trailing_zeros(leads)
            leads &= leads - ONE
            found = character(at + place)
            kind = machine.load8(classes + (found >> 3))
            places = places_of(place, found & 7)
            if kind == LOWER:
                lowers |= places
            elif kind == EITHER:
                eithers |= places
            elif kind == UPPER:
                uppers |= places
            elif kind == HAN:
                hans |= places
            elif kind == MARK and (lowers | uppers | eithers) << ONE >> np.uint64(place) & ONE != ZERO:
                # A mark after a letter is a letter; any other mark may also be a prefix or an "other".
                eithers |= places
            elif kind != OTHER:
                size, whole = place, False
                inside = below(size)
                break
        # "A中" takes a following B along only if a lower-case letter comes after it.
        doubtful = uppers & ~later & eithers << ONE & inside
        if doubtful != ZERO:
            size, whole = machine.trailing_zeros(doubtful), False
            inside = below(size)
    letters = uppers | lowers | eithers
    others = ~(letters | numbers | white | hans)
    other_begins = runs_begin(others, spaces) & ~later
    prefixes = spread(other_begins, later) | white & ~newlines
    begins, stuck = white_begins_in_lines(white, newlines, others, inside, whole, False)
    if slashes & stuck << ONE & inside != ZERO:
        # A slash sticks to the line breaks before it, and more line breaks to the slash.
        size, whole = machine.trailing_zeros(slashes & stuck << ONE), False
        inside = below(size)
        begins, stuck = white_begins_in_lines(white, newlines, others, inside, whole, False)
    begins |= runs_begin(letters, prefixes) | uppers & lowers << ONE | other_begins | runs_begin(hans, ZERO)
    begins |= numbers if variant & ONE_DIGIT else numbers_begin(numbers)
    begins = known_begins(begins, later, size, whole)
    apostrophes = bytes_between(at, APOSTROPHE, APOSTROPHE) & letters << ONE & inside
    if variant & NO_CONTRACTIONS:
        apostrophes = ZERO
    while apostrophes != ZERO:
        place = machine.trailing_zeros(apostrophes)
        apostrophes &= apostrophes - ONE
        if begins >> np.uint64(place) & ONE == ZERO:
            continue
        length = contraction(at + place, size - place, True)
        if length < 0 or (place + 3 > size and not whole):
            return begins & below(place)
        if length > 0:
            after = place + length
            begins = begins & ~below(after) | begins & below(place) | below(after + 1) & ~below(after)
            # The next character begins a word; an apostrophe there does not begin a second contraction.
            apostrophes &= ~(below(after + 1) & ~below(after))
    return begins
