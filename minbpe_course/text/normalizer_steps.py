r"""The normalizer of a tokenizer.json: steps that change text before it is split into words.

    ("NFC",) ("NFD",) ("NFKC",) ("NFKD",)    Unicode's normal forms
    ("Lowercase",)                           each character by itself
    ("Replace", "Regex", r"\s+", " ")        what a pattern matches, or "String" and a text, becomes another text
    ("Prepend", "x")                         before every text that is not empty
    ("Strip", True, True)                    white space on the left, on the right

`tokenizers` 0.23 normalizes by Unicode 9 and lowercases by Unicode 17; the tables of Python differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any, cast, get_args

from minbpe_course.text import code_points, composing
from minbpe_course.text.oniguruma import TABLES
from minbpe_course.text.searching import searcher

Step = tuple[Any, ...]

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000"
"""Unicode's white space. Python's ``str.isspace`` has four control characters more."""

# Capital letters since Unicode 14, which Python 3.10 does not know: first, last, and the distance to the small letter.
_NEWER_CAPITALS = (
    (0x2C2F, 0x2C2F, 48),
    (0x10570, 0x1057A, 39),
    (0x1057C, 0x1058A, 39),
    (0x1058C, 0x10592, 39),
    (0x10594, 0x10595, 39),
    (0x1C89, 0x1C89, 1),
    (0x10D50, 0x10D65, 32),
    (0x16EA0, 0x16EB8, 27),
    *((point, point, 1) for point in (0xA7C0, 0xA7CC, 0xA7CE, 0xA7D0, 0xA7D2, 0xA7D4, 0xA7D6, 0xA7D8, 0xA7DA)),
    (0xA7CB, 0xA7CB, 0x264 - 0xA7CB),
    (0xA7DC, 0xA7DC, 0x19B - 0xA7DC),
)


@lru_cache(maxsize=64)
def normalizer(steps: Sequence[Step]) -> Callable[[str], str]:
    """Return what does all of ``steps``, a tuple, to a text. Raises InvalidPattern, UnsupportedPattern.

    >>> normalizer((("NFC",), ("Replace", "Regex", r"\\s+", " "), ("Lowercase",)))("Cafe\u0301  A")
    'café a'
    """
    done = [_step(*step) for step in steps]

    def normalize(text: str) -> str:
        for do in done:
            text = do(text)
        return text

    return normalize


def _step(kind: str, *said: Any) -> Callable[[str], str]:
    if kind in get_args(composing.Form):
        return partial(composing.normal_form, cast(composing.Form, kind))
    if kind == "Lowercase":
        return lambda text: text.translate(_small_letters())
    if kind == "Replace":
        found, content = searcher(said[0], said[1]), said[2]
        return lambda text: _replaced(text, found.spans(text), content)
    if kind == "Prepend":
        return lambda text: said[0] + text if text else text
    if kind == "Strip":
        return partial(_stripped, left=said[0], right=said[1])
    raise ValueError(kind)


def _replaced(text: str, spans: Sequence[tuple[int, int]], content: str) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += text[done:start], content
        done = end
    return "".join([*parts, text[done:]])


def _stripped(text: str, left: bool, right: bool) -> str:
    text = text.lstrip(WHITE_SPACE) if left else text
    return text.rstrip(WHITE_SPACE) if right else text


@cache
def _small_letters() -> dict[int, str]:
    """Every character that is not its own small letter, for ``str.translate``."""
    newer = code_points.newer_than(TABLES)
    known = (chr(point) for point in range(code_points.CODE_POINTS) if not newer[point])
    small = {ord(letter): letter.lower() for letter in known if letter.lower() != letter}
    for first, last, distance in _NEWER_CAPITALS:
        small |= {point: chr(point + distance) for point in range(first, last + 1)}
    return small
