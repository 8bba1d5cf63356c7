r"""Split text in several steps, each of which splits the parts of the step before, like Falcon's ``pre_tokenizer``.

    ("Split", "Regex", r"\d{3}", "Isolated", False)    at what a pattern matches, or "String" and a text
    ("Digits", True)                                   at numbers, one by one or together
    ("Punctuation", "Contiguous")                      at punctuation
    ("Bert",) ("WhitespaceSplit",) ("Whitespace",)     at white space, which goes; punctuation, or symbols, apart
    ("ByteLevel", False, True)                         a space before each part?, GPT-2's pattern?; then bytes become
                                                       printable characters, and later steps see those

The behavior decides what happens to a match: Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from minbpe_course.text import code_points
from minbpe_course.text.byte_alphabet import BYTE_OF, to_printable
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.patterns import R50K_PATTERN
from minbpe_course.text.regex_runner import runner_for, span_finder
from minbpe_course.text.unicode_tables import WHITE_SPACE, punctuation

Step = tuple[Any, ...]

BEHAVIORS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")

_NOT_SPACE = re.compile(f"[^{WHITE_SPACE}]+")
_CODES = {ord(character): byte for character, byte in BYTE_OF.items()}


@lru_cache(maxsize=64)
def splitter_of(steps: Sequence[Step]) -> Callable[[str], list[bytes]]:
    """Return the function that splits a text into words, as bytes. steps : a tuple with at least one ByteLevel.

    Raises InvalidPattern, UnsupportedPattern; the function itself never raises.

    >>> splitter_of((("Digits", True), ("ByteLevel", True, False)))("ab12")
    [b' ab', b' 1', b' 2']
    """
    cut = word_cutter(steps)
    return lambda text: [part.translate(_CODES).encode("latin-1") for part in cut(text)]


def word_cutter(steps: Sequence[Step]) -> Callable[[str], list[str]]:
    """Return the function that splits a text into words, as text.

    >>> word_cutter((("Bert",),))("Don't  stop")
    ['Don', "'", 't', 'stop']
    """
    done = [_step(*step) for step in steps]

    def cut(text: str) -> list[str]:
        # An empty text has no words, not even the space that a ByteLevel adds.
        parts = [text] if text else []
        for do in done:
            parts = [part for whole in parts for part in do(whole) if part]
        return parts

    return cut


def _step(kind: str, *said: Any) -> Callable[[str], Iterable[str]]:
    if kind == "Split":
        source, pattern, behavior, inverted = said
        spans_of = span_finder(source, pattern)
        return lambda text: _split(text, spans_of(text), behavior, inverted)
    if kind == "Digits":
        (one_by_one,) = said
        digits = code_points.has_property("N", TIKTOKEN)
        return lambda text: _split(text, _places(text, digits), "Isolated" if one_by_one else "Contiguous")
    if kind == "Punctuation":
        (behavior,) = said
        return lambda text: _split(text, _places(text, punctuation()), behavior)
    if kind == "WhitespaceSplit":
        return _NOT_SPACE.findall
    if kind == "Whitespace":
        runs = runner_for(r"\w+|[^\w\s]+", TIKTOKEN)
        return lambda text: [text[start:end] for start, end in runs.spans(text)]
    if kind == "Bert":
        return _bert_words().findall
    if kind == "ByteLevel":
        before, gpt2 = said
        return lambda text: _byte_level(text, before, gpt2)
    raise ValueError(kind)


@cache
def _bert_words() -> re.Pattern:
    marks = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in code_points.ranges_of(punctuation()))
    return re.compile(f"[{marks}]|[^{marks}{WHITE_SPACE}]+")


def _places(text: str, wanted: np.ndarray) -> list[tuple[int, int]]:
    if not text:
        return []
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return [(place, place + 1) for place in np.flatnonzero(wanted[points]).tolist()]


def _byte_level(text: str, before: bool, gpt2: bool) -> list[str]:
    if before and not text.startswith(" "):
        text = " " + text
    parts = _split(text, list(runner_for(R50K_PATTERN, TIKTOKEN).spans(text)), "Isolated") if gpt2 else [text]
    return [to_printable(part.encode("utf-8")) for part in parts]


def _split(text: str, spans: Sequence[tuple[int, int]], behavior: str, inverted: bool = False) -> list[str]:
    """Split a text at the spans that match."""
    if not text:
        return []
    parts: list[tuple[int, int, bool]] = []
    done = 0
    for start, end in spans:
        if start > done:
            parts.append((done, start, inverted))
        parts.append((start, end, not inverted))
        done = end
    if done < len(text):
        parts.append((done, len(text), inverted))
    if behavior == "Removed":
        return [text[start:end] for start, end, matched in parts if not matched]
    if behavior == "MergedWithNext":
        return [text[start:end] for start, end in _merged(parts[::-1], behavior)][::-1]
    return [text[start:end] for start, end in _merged(parts, behavior)]


def _merged(parts: Sequence[tuple[int, int, bool]], behavior: str) -> list[tuple[int, int]]:
    """Join parts to the one before them, as the behavior says."""
    made: list[tuple[int, int]] = []
    before = False
    for start, end, matched in parts:
        merges = matched == before if behavior == "Contiguous" else matched and not before
        if merges and made and behavior != "Isolated":
            made[-1] = min(made[-1][0], start), max(made[-1][1], end)
        else:
            made.append((start, end))
        before = matched
    return made
