"""Texts that tokenizers get wrong, drawn from a seed, so that they cannot be hard-coded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.corpus.texts import course_text

BLANKS = (*" \n\r\t\u00a0\u2003\u3000\u2028\x0b\x85\u200b", "  ", "\r\n", "\n\n")
LETTERS = (
    *"\xe9\u212b\ufb01\uff21\u0130\u0131\xdf\u01c5\u017f\uac00\u6f22\U00020000\ufeff\x00\x1b\x7f\u200d\u200f\u202e",
    *"\ufffd\uffff\ue000\U0010ffff", "e\u0301", "\u1e9b\u0323", "\u0644\u0627", "\u05d0\u05b0", "\u0928\u0940",
    "\u0e19\u0e49\u0e33", "\u1100\u1161", "\U0001f469\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3",
    "\U0001f44d\U0001f3fd", "\u2764\ufe0f",
)  # fmt: skip
SURROGATES = ("\ud800", "\udfff", "\udc00\ud800", "\ud83d\ude00", "\ud83d")
WORDS = (
    "the", "The", " THE", " a", "I'm", "WE'LL", "don't", "\u2019s", "'", "it's", "x1y22", "1234567", "3.14", "007",
    "2nd", "ii", "foo_bar", "CamelCase", "iPhone", "https://", "...", "!!!", "?!", "--", "($)", '"', "\n    return",
    "\tif", "{}", " \n", "\n ", " !", "==", "//", "\n\n//", "\xbd", "\u0663",
)  # fmt: skip
MIXED = (*WORDS, *WORDS, *BLANKS, *LETTERS)


def drawn(parts: Sequence[str], dice: Random, number: int) -> Iterator[str]:
    """Yield texts of up to nine of the parts, the shortest first."""
    yield from ("".join(dice.choices(parts, k=1 + at * 9 // number)) for at in range(number))


def letters(dice: Random, number: int) -> Iterator[str]:
    """Yield characters that are easily changed, first each on its own, then so many texts of several."""
    yield from LETTERS
    yield from drawn([*LETTERS, "a", " "], dice, number)


def prose(dice: Random, number: int, size: int = 200) -> Iterator[str]:
    """Yield parts of the text of the course.

    >>> [len(text) for text in prose(Random(1), 2, 10)]
    [10, 10]
    """
    whole = course_text()
    for _ in range(number):
        at = dice.randrange(len(whole) - size)
        yield whole[at : at + size]
