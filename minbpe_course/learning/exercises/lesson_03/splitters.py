"""Splitters that several exercises of lesson 03 use."""

import regex

from minbpe_course.reference.split import split_text
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.text.unicode_tables import character_classes


def by_pattern(pattern):
    r"""Return a function that splits with this pattern and drops what it does not match.

    >>> by_pattern(r"\p{L}+")("a b")
    ['a', 'b']
    """
    compiled = regex.compile(pattern)
    return lambda text: [match.group() for match in compiled.finditer(text)]


def gpt4(text):
    """Split as GPT-4 does, with frozen Unicode classes and without a regular expression.

    >>> gpt4("I'll pay 1234!")
    ['I', "'ll", ' pay', ' ', '123', '4', '!']
    """
    return split_text(text, GPT4_SPLIT_PATTERN, character_classes("regex"))


def loses_text(case, outcome, wanted):
    """Tell whether an answer is a list of words that are shorter, together, than the text.

    >>> from minbpe_course.learning.judge.exercise import Case, Outcome
    >>> loses_text(Case("", ("a b",)), Outcome("value", ["a", "b"]), None)
    True
    """
    return isinstance(outcome.value, (list, tuple)) and len("".join(outcome.value)) < len(case.args[0])
