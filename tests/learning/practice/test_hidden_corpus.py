"""The hidden corpus: drawn from a seed, in many languages, with words that are in no text of the course."""

from __future__ import annotations

import pytest

from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import InvalidSource
from minbpe_course.learning.practice import hidden_corpus as hidden
from minbpe_course.learning.practice.hidden_corpus import hidden_corpus, own_corpus


def test_the_seed_determines_the_corpus() -> None:
    one, same, other = hidden_corpus("a"), hidden_corpus("a"), hidden_corpus("b")
    assert one == same
    assert one.name == same.name != other.name
    assert not set(one.texts) & set(other.texts)
    assert one.parallel != other.parallel
    assert hidden_corpus("\ud800").texts  # the seed may come from a binary file


def test_half_of_the_words_are_not_in_the_text_of_the_course() -> None:
    known = set(course_text().split())
    for unknown, low, high in ((0.0, 0.0, 0.35), (0.5, 0.3, 0.75), (1.0, 0.5, 1.0)):
        words = [word for text in hidden_corpus("x", unknown=unknown).texts for word in text.split()]
        share = sum(word not in known for word in words) / len(words)
        assert low <= share <= high, (unknown, share)


def test_every_language_says_the_same_names() -> None:
    corpus = hidden_corpus("names")
    assert len(corpus.parallel) == len(hidden.LANGUAGES) >= 30
    assert {text.count("\n") for text in corpus.parallel.values()} == {hidden.NAMES - 1}


def test_own_corpus_needs_texts_and_languages() -> None:
    with pytest.raises(InvalidSource, match="no text"):
        own_corpus(["", ""], {"en": "a", "de": "b"})
    with pytest.raises(InvalidSource, match="two languages"):
        own_corpus(["a"], {"en": "a"})
