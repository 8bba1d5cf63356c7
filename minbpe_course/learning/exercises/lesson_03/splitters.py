"""Splitters that several exercises of lesson 03 use."""

from __future__ import annotations

from collections.abc import Callable

import regex

from minbpe_course.learning.judge.exercise import Case, Outcome
from minbpe_course.reference.split import split_text
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.text.unicode_tables import character_classes

Splitter = Callable[[str], list[str]]


def by_pattern(pattern: str) -> Splitter:
    r"""Return a function that splits with this pattern and drops what it does not match.

    >>> by_pattern(r"\p{L}+")("a b")
    ['a', 'b']
    """
    compiled = regex.compile(pattern)
    return lambda text: [match.group() for match in compiled.finditer(text)]


def gpt4(text: str) -> list[str]:
    """Split as GPT-4 does, with frozen Unicode classes and without a regular expression.

    >>> gpt4("I'll pay 1234!")
    ['I', "'ll", ' pay', ' ', '123', '4', '!']
    """
    return split_text(text, GPT4_SPLIT_PATTERN, character_classes("regex"))  # type: ignore[arg-type]


def loses_text(case: Case, outcome: Outcome, wanted: object) -> bool:
    """Tell whether an answer is a list of words that are shorter, together, than the text.

    >>> loses_text(Case("", ("a b",)), Outcome("value", ["a", "b"]), None)
    True
    """
    words = outcome.value
    is_words = isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)
    return is_words and len("".join(words)) < len(case.args[0])
