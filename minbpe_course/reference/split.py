"""The published split patterns as plain code: one small function per alternative, tried in order at every position.

    "I'll pay 1234!"    I | 'll | ␠pay | ␠ | 123 | 4 | !     (cl100k)

A regular expression with alternatives tries the first one, then the second, and so on; the first that matches gives
the word, and the search continues after it. ``ALTERNATIVES`` lists, for each pattern, its alternatives with a name,
the exact part of the pattern, and the function that does the same. Joined by ``|`` the parts are the pattern.

Slow on purpose: backtracking is done step by step, as the pattern says it. Limits: knows the published patterns only;
any other pattern needs the `regex` library. ``kernels.splitting.split`` is the compiled version.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from minbpe_course.errors import InvalidPattern
from minbpe_course.text import patterns
from minbpe_course.text.unicode_tables import EITHER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER

LETTERS = (UPPER, LOWER, EITHER)
UPPERS = (UPPER, EITHER, MARK)
LOWERS = (LOWER, EITHER, MARK)
OTHERS = (OTHER, MARK)
SPACES = (SPACE, NEWLINE)
PREFIXES = (OTHER, MARK, SPACE)

CONTRACTIONS = ("'s", "'d", "'m", "'t", "'ll", "'ve", "'re")

# (text, class of each character, position) -> where the match ends; the position itself without a match.
Match = Callable[[str, Sequence[int], int], int]


class Alternative(NamedTuple):
    """One alternative of a split pattern: its name, how the pattern writes it, and the function that matches it."""

    name: str
    source: str
    match: Match


class SplitStep(NamedTuple):
    """One word and the alternative that took it; ``text[start:end] == word``."""

    word: str
    start: int
    end: int
    alternative: Alternative


def split_text(text: str, pattern: str, classes: Sequence[int]) -> list[str]:
    """Cut ``text`` into words, as ``regex.findall(pattern, text)`` with these character classes would.

    classes : the class of each code point, as ``unicode_tables.character_classes`` gives it. Raises InvalidPattern
    for any other pattern than the published ones.

    >>> from minbpe_course.text.unicode_tables import character_classes
    >>> split_text("I'll pay 1234!", patterns.CL100K_PATTERN, character_classes("tiktoken"))
    ['I', "'ll", ' pay', ' ', '123', '4', '!']
    """
    return [step.word for step in split_steps(text, pattern, classes)]


def split_steps(text: str, pattern: str, classes: Sequence[int]) -> Iterator[SplitStep]:
    """Yield each word together with the alternative that matched it.

    >>> from minbpe_course.text.unicode_tables import character_classes
    >>> for step in split_steps("Hi  you", patterns.GPT2_SPLIT_PATTERN, character_classes("regex")):
    ...     print(repr(step.word), step.alternative.name)
    'Hi' letters
    ' ' all but the last whitespace
    ' you' letters
    """
    alternatives = alternatives_of(pattern)
    kinds = [int(classes[ord(character)]) for character in text]
    at = 0
    while at < len(text):
        for alternative in alternatives:
            end = alternative.match(text, kinds, at)
            if end > at:
                break
        else:
            raise AssertionError(f"the published patterns match every character, but not {text[at]!r}")
        yield SplitStep(text[at:end], at, end, alternative)
        at = end


def alternatives_of(pattern: str) -> tuple[Alternative, ...]:
    """Return the alternatives of a published pattern in the order in which they are tried.

    >>> [alternative.source for alternative in alternatives_of(patterns.R50K_PATTERN)][:2]
    ["'(?:[sdmt]|ll|ve|re)", ' ?\\\\p{L}++']
    """
    if pattern not in ALTERNATIVES:
        raise InvalidPattern(
            f"{pattern!r} is not one of the published patterns.\nUse the regex library: regex.findall(pattern, text)"
        )
    return ALTERNATIVES[pattern]


def _run(kinds: Sequence[int], at: int, wanted: Collection[int]) -> int:
    """Return where the run of characters with a wanted class ends: ``[...]*``."""
    while at < len(kinds) and kinds[at] in wanted:
        at += 1
    return at


def _one_or_more(kinds: Sequence[int], begin: int, wanted: Collection[int], without: int) -> int:
    """``[...]+``: where the run that begins at ``begin`` ends, or ``without`` if it is empty."""
    end = _run(kinds, begin, wanted)
    return end if end > begin else without


def _optional_space(text: str, at: int) -> int:
    """`` ?``: skip one space if there is one."""
    return at + 1 if text[at] == " " else at


def _same_case(letters: str) -> str:
    """Return what ``(?i:...)`` compares. The long s is an old way to write s, and Unicode folds it to s."""
    return letters.lower().replace("ſ", "s")


def contraction(text: str, kinds: Sequence[int], at: int) -> int:
    """``'(?:[sdmt]|ll|ve|re)``"""
    for ending in CONTRACTIONS:
        if text.startswith(ending, at):
            return at + len(ending)
    return at


def contraction_in_any_case(text: str, kinds: Sequence[int], at: int) -> int:
    """``'(?i:[sdmt]|ll|ve|re)``"""
    for ending in CONTRACTIONS:
        if _same_case(text[at : at + len(ending)]) == ending:
            return at + len(ending)
    return at


def space_and_letters(text: str, kinds: Sequence[int], at: int) -> int:
    r"""`` ?\p{L}+``"""
    return _one_or_more(kinds, _optional_space(text, at), LETTERS, at)


def prefix_and_letters(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``[^\r\n\p{L}\p{N}]?+\p{L}+``"""
    return _one_or_more(kinds, _prefixes(kinds, at)[0], LETTERS, at)


def space_and_numbers(text: str, kinds: Sequence[int], at: int) -> int:
    r"""`` ?\p{N}+``"""
    return _one_or_more(kinds, _optional_space(text, at), (NUMBER,), at)


def three_numbers(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\p{N}{1,3}``"""
    return min(at + 3, _run(kinds, at, (NUMBER,)))


def space_and_others(text: str, kinds: Sequence[int], at: int) -> int:
    r"""`` ?[^\s\p{L}\p{N}]+``"""
    return _one_or_more(kinds, _optional_space(text, at), OTHERS, at)


def others_and_line_breaks(text: str, kinds: Sequence[int], at: int) -> int:
    r"""`` ?[^\s\p{L}\p{N}]+[\r\n]*``"""
    end = space_and_others(text, kinds, at)
    return _run(kinds, end, (NEWLINE,)) if end > at else at


def others_line_breaks_and_slashes(text: str, kinds: Sequence[int], at: int) -> int:
    r"""`` ?[^\s\p{L}\p{N}]+[\r\n/]*``"""
    end = space_and_others(text, kinds, at)
    while at < end < len(text) and text[end] in "\r\n/":
        end += 1
    return end


def _prefixes(kinds: Sequence[int], at: int) -> tuple[int, ...]:
    r"""``[^\r\n\p{L}\p{N}]?``: where a word may begin, the greedy choice first."""
    return (at + 1, at) if kinds[at] in PREFIXES else (at,)


def upper_then_lower(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?``"""
    for begin in _prefixes(kinds, at):
        # The upper run takes what it can, then gives back one character at a time until a lower one can follow.
        for middle in range(_run(kinds, begin, UPPERS), begin - 1, -1):
            end = _run(kinds, middle, LOWERS)
            if end > middle:
                return contraction_in_any_case(text, kinds, end)
    return at


def upper_only(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?``"""
    for begin in _prefixes(kinds, at):
        middle = _run(kinds, begin, UPPERS)
        if middle > begin:
            return contraction_in_any_case(text, kinds, _run(kinds, middle, LOWERS))
    return at


def space_that_ends_the_text(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\s++$``"""
    end = _run(kinds, at, SPACES)
    return end if end == len(text) else at


def space_to_its_last_line_break(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\s*[\r\n]``"""
    end = _run(kinds, at, SPACES)
    while end > at and kinds[end - 1] != NEWLINE:
        end -= 1
    return end


def space_but_its_last(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\s+(?!\S)``: no word may follow, so whitespace gives back its last character, unless the text ends."""
    end = _run(kinds, at, SPACES)
    return end if end == len(text) else max(at, end - 1)


def space(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\s+``"""
    return _run(kinds, at, SPACES)


def one_space(text: str, kinds: Sequence[int], at: int) -> int:
    r"""``\s``"""
    return min(at + 1, _run(kinds, at, SPACES))


_LAST = Alternative("all but the last whitespace", r"\s+(?!\S)", space_but_its_last)
_SPACE = Alternative("whitespace", r"\s+", space)
_ONE_SPACE = Alternative("one whitespace", r"\s", one_space)
_ENDING = Alternative("whitespace that ends the text", r"\s++$", space_that_ends_the_text)
_LINE_BREAK = Alternative("whitespace through the last line break", r"\s*[\r\n]", space_to_its_last_line_break)

ALTERNATIVES: dict[str, tuple[Alternative, ...]] = {
    patterns.R50K_PATTERN: (
        Alternative("contraction", r"'(?:[sdmt]|ll|ve|re)", contraction),
        Alternative("letters", r" ?\p{L}++", space_and_letters),
        Alternative("numbers", r" ?\p{N}++", space_and_numbers),
        Alternative("others", r" ?[^\s\p{L}\p{N}]++", space_and_others),
        _ENDING,
        _LAST,
        _ONE_SPACE,
    ),
    patterns.GPT2_SPLIT_PATTERN: (
        Alternative("contraction", r"'(?:[sdmt]|ll|ve|re)", contraction),
        Alternative("letters", r" ?\p{L}+", space_and_letters),
        Alternative("numbers", r" ?\p{N}+", space_and_numbers),
        Alternative("others", r" ?[^\s\p{L}\p{N}]+", space_and_others),
        _LAST,
        _SPACE,
    ),
    patterns.CL100K_PATTERN: (
        Alternative("contraction", r"'(?i:[sdmt]|ll|ve|re)", contraction_in_any_case),
        Alternative("letters", r"[^\r\n\p{L}\p{N}]?+\p{L}++", prefix_and_letters),
        Alternative("numbers", r"\p{N}{1,3}+", three_numbers),
        Alternative("others", r" ?[^\s\p{L}\p{N}]++[\r\n]*+", others_and_line_breaks),
        _ENDING,
        _LINE_BREAK,
        _LAST,
        _ONE_SPACE,
    ),
    patterns.GPT4_SPLIT_PATTERN: (
        Alternative("contraction", r"'(?i:[sdmt]|ll|ve|re)", contraction_in_any_case),
        Alternative("letters", r"[^\r\n\p{L}\p{N}]?+\p{L}+", prefix_and_letters),
        Alternative("numbers", r"\p{N}{1,3}", three_numbers),
        Alternative("others", r" ?[^\s\p{L}\p{N}]++[\r\n]*", others_and_line_breaks),
        _LINE_BREAK,
        _LAST,
        _SPACE,
    ),
    patterns.O200K_PATTERN: (
        Alternative("letters that end in lower case", patterns.O200K_ALTERNATIVES[0], upper_then_lower),
        Alternative("letters in upper case", patterns.O200K_ALTERNATIVES[1], upper_only),
        Alternative("numbers", r"\p{N}{1,3}", three_numbers),
        Alternative("others", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", others_line_breaks_and_slashes),
        Alternative("whitespace through the last line break", r"\s*[\r\n]+", space_to_its_last_line_break),
        _LAST,
        _SPACE,
    ),
}
