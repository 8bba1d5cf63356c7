r"""Where words end, for 64 bytes at once: the rules of the split patterns as arithmetic on masks.

Every mask has one bit for each byte of a window, bit 0 for the first. A window always begins where a word begins, so
nothing before it matters::

    text       I   ' l l   p a y   $ 1 2 3 4 , \n \n    x
    letters    1   0 1 1   1 1 1   0 0 0 0 0 0 0  0  0  1
    numbers    .   . . .   . . .   . 1 1 1 1 . .  .  .  .
    spaces     . 1 . . . 1 . . . 1 . . . . . . 1  1  1  .      of these line breaks: the two \n
    others     .   1 . .   . . .   1 . . . . 1 .  .  .  .      what is left
    begins     1 . 1 . . 1 . . . 1 . 1 . . 1 1 .  .  1  .      I | 'll | ␠pay | ␠$ | 123 | 4 | ,\n\n | ␠x

A word begins where a run of one class begins, except that some runs take the character before them along (a blank, or
in cl100k and o200k any one character that is no letter, number or line break), that line breaks stick to the others
before them, that numbers come in threes, and that white space is cut behind its last line break and before its last
character. All of that looks back, or at the character that follows; none of it looks far. What cannot be decided in
64 bytes is not decided here: the window is cut short in front of it (``known``), every begin that might still change is
dropped, and the next window starts at the last begin that is certain. If that is where this window started, no end is
returned, and the caller asks ``split.word_end``, which knows every rule and reads one character at a time. So rare
things (odd spaces, numbers that are not ASCII, marks without a letter, very long words) need no second description.

Most bytes of most texts are ASCII, whose classes are ranges of bytes. Where there are other characters, those whose
first byte belongs to letters alone are marked by ranges too; only for the rest is the class of each one looked up.

The functions are inlined by LLVM into the one loop that calls them, ``split.split_words``; each is its own for the
shapes of its pattern. Twin: ``reference.split``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import machine
from minbpe_course.kernels.common.compiled import helper

# The classes of text.unicode_tables; a test compares the numbers.
OTHER, UPPER, LOWER, EITHER, MARK, NUMBER, SPACE, NEWLINE = 0, 1, 2, 3, 4, 5, 6, 7

# Sets of classes: bit k is class k.
LETTERS = 1 << UPPER | 1 << LOWER | 1 << EITHER
SPACES = 1 << SPACE | 1 << NEWLINE

ZERO, ONE, TWO, ALL = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(0xFFFFFFFFFFFFFFFF)
THREE, EDGE = np.uint64(3), np.uint64(1 << 63)


@helper
def below(position):
    """The mask of all places before ``position``, 0..64."""
    return ALL if position >= 64 else (ONE << np.uint64(position)) - ONE


@helper
def character(at):
    """The code point whose first byte, not ASCII, is at ``at``, and its bytes: code << 3 | bytes."""
    first = machine.load8(at)
    second = machine.load8(at + 1) & 0x3F
    if first < 0xE0:
        return ((first & 0x1F) << 6 | second) << 3 | 2
    third = machine.load8(at + 2) & 0x3F
    if first < 0xF0:
        return ((first & 0x0F) << 12 | second << 6 | third) << 3 | 3
    return ((first & 0x07) << 18 | second << 12 | third << 6 | machine.load8(at + 3) & 0x3F) << 3 | 4


@helper
def places_of(mark, size):
    """The mask of ``size`` bytes from bit ``mark`` on; what lies beyond the window falls away."""
    return ((ONE << np.uint64(size)) - ONE) << np.uint64(mark)


@helper
def runs_begin(members, taken):
    """Where runs of ``members`` begin that do not follow a ``taken`` place."""
    return members & ~((members | taken) << ONE)


@helper
def spread(begins, continuation):
    """``begins`` together with the later bytes of the characters there, at most three."""
    begins |= begins << ONE & continuation
    begins |= begins << ONE & continuation
    return begins | begins << ONE & continuation


@helper
def at_the_edge(spaces, inside):
    """The run of white space that touches the end of ``inside``; nothing is known of what follows it."""
    others = ~spaces & inside
    return ~below(64 - machine.leading_zeros(others)) & inside


@helper
def contraction(at, available, any_case):
    """How many bytes the contraction has whose apostrophe is at ``at``: 0 for none, -1 for a long s that may be one.

    available : how many bytes from ``at`` on belong to the text.
    """
    if available < 2:
        return 0
    first = machine.load8(at + 1)
    second = machine.load8(at + 2) if available > 2 else 0
    if any_case:
        if first == 0xC5:
            return -1
        first |= 0x20
        second |= 0x20
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return 2
    if (first == 0x6C and second == 0x6C) or ((first == 0x72 or first == 0x76) and second == 0x65):
        return 3
    return 0


@helper
def with_contractions(at, begins, apostrophes, size, whole, any_case):
    """Mend ``begins`` round each of the ``apostrophes`` that begins a word: a contraction is a word of its own."""
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
def gpt2_window(at, size, whole, classes):
    """The begins of words in ``size`` bytes (1..64) from ``at`` on, by the pattern of GPT-2; bit 0 is always set.

    whole : whether the text ends there; then bit ``size`` (below 64) is set when the last word's end is certain too.
    classes : address of the class of each code point.
    """
    letters = machine.byte_mask(at, 0x20, 0x61, 26)
    numbers = machine.byte_mask(at, 0, 0x30, 10)
    blanks = machine.byte_mask(at, 0, 0x20, 1)
    spaces = blanks | machine.byte_mask(at, 0, 0x09, 5)
    high = machine.byte_mask(at, 0, 0x80, 128)
    continuation = ZERO
    inside = below(size)
    if high & inside != ZERO:
        continuation = machine.byte_mask(at, 0, 0x80, 64)
        two, three = letter_leads(at)
        letters |= two | two << ONE | three | three << ONE | three << TWO
        leads = high & ~continuation & ~two & ~three & inside
        while leads != ZERO:
            place = machine.trailing_zeros(leads)
            leads &= leads - ONE
            found = character(at + place)
            kind = machine.load8(classes + (found >> 3))
            if LETTERS >> kind & 1:
                letters |= places_of(place, found & 7)
            elif kind == NUMBER:
                numbers |= places_of(place, found & 7)
            elif SPACES >> kind & 1:
                size, whole = place, False
                inside = below(size)
                break
    others = ~(letters | numbers | spaces)
    other_begins = runs_begin(others, blanks)
    edge = at_the_edge(spaces, inside)
    space_begins = runs_begin(spaces, ZERO)
    # The last of its run leaves the others.
    begins = spaces & ~(spaces >> ONE) & ~edge | space_begins
    begins |= runs_begin(letters, blanks) | runs_begin(numbers, blanks) | other_begins
    begins = begins & ~continuation & inside | (below(size + 1) & ~inside if whole else ZERO)
    apostrophes = machine.byte_mask(at, 0, 0x27, 1) & other_begins & inside
    if apostrophes != ZERO:
        begins = with_contractions(at, begins, apostrophes, size, whole, False)
    return begins


@helper
def letter_leads(at):
    """First bytes of characters of two and of three bytes that are all letters; a test asks the tables."""
    two = machine.byte_mask(at, 0, 0xC4, 6) | machine.byte_mask(at, 0, 0xD0, 2)
    three = machine.byte_mask(at, 0, 0xE5, 4) | machine.byte_mask(at, 0, 0xEB, 2)
    return two, three


@helper
def space_begins_in_lines(spaces, newlines, others, inside, whole, all_whole):
    """Where words begin in white space, by the rules of cl100k and o200k; and the line breaks that stick to others.

    inside : the places that are known · whole : whether the text ends behind them · all_whole : whether white space at
    the end of the text stays in one piece.
    """
    edge = at_the_edge(spaces, inside)
    spaces &= inside
    newlines &= inside
    stuck = newlines & ~(newlines + (newlines & others << ONE))
    free = spaces & ~stuck
    newlines &= ~stuck
    blanks = free & ~newlines
    run_begins = runs_begin(free, ZERO)
    # A blank behind a line break begins a word, unless its run reaches another line break: adding the first bit of a
    # run to the run carries into the place behind the run.
    behind = blanks & newlines << ONE
    if (blanks + behind) & ~blanks & newlines != ZERO:
        rest = behind
        while rest != ZERO:
            place = machine.trailing_zeros(rest)
            rest &= rest - ONE
            follows = machine.trailing_zeros(~(blanks >> np.uint64(place))) + place
            if follows < 64 and newlines >> np.uint64(follows) & ONE != ZERO:
                behind &= ~(ONE << np.uint64(place))
    if not whole or all_whole:
        behind &= ~edge
    return run_begins | behind | blanks & ~(spaces >> ONE) & ~edge, stuck


@helper
def numbers_begin(numbers):
    """Every third number of a run, from its first on."""
    begins = runs_begin(numbers, ZERO)
    fourth = numbers & numbers << ONE & numbers << TWO & numbers << THREE
    if fourth != ZERO:
        step = begins
        while step != ZERO:
            step = step << THREE & fourth
            begins |= step
    return begins


@helper
def cl100k_window(at, size, whole, classes, all_whole):
    """As ``gpt2_window``, by the pattern of GPT-4. all_whole : white space that ends the text stays in one piece."""
    letters = machine.byte_mask(at, 0x20, 0x61, 26)
    numbers = machine.byte_mask(at, 0, 0x30, 10)
    newlines = machine.byte_mask(at, 0, 0x0A, 1) | machine.byte_mask(at, 0, 0x0D, 1)
    blanks = machine.byte_mask(at, 0, 0x20, 1)
    spaces = blanks | machine.byte_mask(at, 0, 0x09, 5)
    high = machine.byte_mask(at, 0, 0x80, 128)
    continuation = ZERO
    inside = below(size)
    if high & inside != ZERO:
        continuation = machine.byte_mask(at, 0, 0x80, 64)
        two, three = letter_leads(at)
        letters |= two | two << ONE | three | three << ONE | three << TWO
        leads = high & ~continuation & ~two & ~three & inside
        while leads != ZERO:
            place = machine.trailing_zeros(leads)
            leads &= leads - ONE
            found = character(at + place)
            kind = machine.load8(classes + (found >> 3))
            if LETTERS >> kind & 1:
                letters |= places_of(place, found & 7)
            elif (SPACES | 1 << NUMBER) >> kind & 1:
                size, whole = place, False
                inside = below(size)
                break
    others = ~(letters | numbers | spaces)
    other_begins = runs_begin(others, blanks) & ~continuation
    prefixes = spread(other_begins, continuation) | spaces & ~newlines
    begins, _ = space_begins_in_lines(spaces, newlines, others, inside, whole, all_whole)
    begins |= runs_begin(letters, prefixes) | numbers_begin(numbers) | other_begins
    begins = begins & ~continuation & inside | (below(size + 1) & ~inside if whole else ZERO)
    apostrophes = machine.byte_mask(at, 0, 0x27, 1) & other_begins & inside
    if apostrophes != ZERO:
        begins = with_contractions(at, begins, apostrophes, size, whole, True)
    return begins


@helper
def o200k_window(at, size, whole, classes):
    """As ``gpt2_window``, by the pattern of GPT-4o, where case matters and contractions stay with their word."""
    lowers = machine.byte_mask(at, 0, 0x61, 26)
    uppers = machine.byte_mask(at, 0, 0x41, 26)
    numbers = machine.byte_mask(at, 0, 0x30, 10)
    newlines = machine.byte_mask(at, 0, 0x0A, 1) | machine.byte_mask(at, 0, 0x0D, 1)
    blanks = machine.byte_mask(at, 0, 0x20, 1)
    spaces = blanks | machine.byte_mask(at, 0, 0x09, 5)
    slashes = machine.byte_mask(at, 0, 0x2F, 1)
    high = machine.byte_mask(at, 0, 0x80, 128)
    continuation = eithers = ZERO
    inside = below(size)
    if high & inside != ZERO:
        continuation = machine.byte_mask(at, 0, 0x80, 64)
        three = machine.byte_mask(at, 0, 0xE5, 4) | machine.byte_mask(at, 0, 0xEB, 2)
        eithers = three | three << ONE | three << TWO
        leads = high & ~continuation & ~three & inside
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
            elif kind == MARK and (lowers | uppers | eithers) << ONE >> np.uint64(place) & ONE != ZERO:
                # A mark behind a letter is one; any other mark may also be a prefix or an "other".
                eithers |= places
            elif kind != OTHER:
                size, whole = place, False
                inside = below(size)
                break
        # "A中" takes a following B along only if a lower-case letter comes after it.
        doubtful = uppers & ~continuation & eithers << ONE & inside
        if doubtful != ZERO:
            size, whole = machine.trailing_zeros(doubtful), False
            inside = below(size)
    letters = uppers | lowers | eithers
    others = ~(letters | numbers | spaces)
    other_begins = runs_begin(others, blanks) & ~continuation
    prefixes = spread(other_begins, continuation) | spaces & ~newlines
    begins, stuck = space_begins_in_lines(spaces, newlines, others, inside, whole, False)
    if slashes & stuck << ONE & inside != ZERO:
        # A slash sticks to the line breaks before it, and more line breaks to the slash.
        size, whole = machine.trailing_zeros(slashes & stuck << ONE), False
        inside = below(size)
        begins, stuck = space_begins_in_lines(spaces, newlines, others, inside, whole, False)
    begins |= runs_begin(letters, prefixes) | uppers & lowers << ONE | numbers_begin(numbers) | other_begins
    begins = begins & ~continuation & inside | (below(size + 1) & ~inside if whole else ZERO)
    apostrophes = machine.byte_mask(at, 0, 0x27, 1) & letters << ONE & inside
    while apostrophes != ZERO:
        place = machine.trailing_zeros(apostrophes)
        apostrophes &= apostrophes - ONE
        if begins >> np.uint64(place) & ONE == ZERO:
            continue
        length = contraction(at + place, size - place, True)
        if length < 0 or (place + 3 > size and not whole):
            return begins & below(place)
        if length > 0:
            behind = place + length
            begins = begins & ~below(behind) | begins & below(place) | below(behind + 1) & ~below(behind)
            # What follows begins a word; an apostrophe there is no second contraction.
            apostrophes &= ~(below(behind + 1) & ~below(behind))
    return begins
