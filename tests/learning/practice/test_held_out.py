"""The held-out texts: real, not in the sources, and drawn by a seed."""

from __future__ import annotations

import pytest

from minbpe_course.corpus.texts import clock_story, course_text, pydoc_topics
from minbpe_course.errors import InvalidSource
from minbpe_course.learning.practice import held_out as held
from minbpe_course.learning.practice.held_out import held_out, own_texts, sources


def test_nothing_held_out_is_in_the_sources() -> None:
    everything = "".join(text for texts in sources().values() for text in texts)
    public = held_out()
    for texts in (*public.texts.values(), *public.parallel.values()):
        assert texts
        assert all(text.strip() not in everything for text in texts)


def test_the_texts_are_those_of_the_course() -> None:
    known = course_text() + "".join(sentence for story in clock_story().values() for sentence in story)
    public = held_out()
    for texts in (*sources().values(), *public.texts.values(), *public.parallel.values()):
        assert all(text.strip() in known for text in texts)


def test_a_seed_draws_passages_and_the_same_sentences_in_every_language() -> None:
    one, same, other = held_out("a"), held_out("a"), held_out("\ud800")  # a seed may come from a binary file
    assert one == same
    assert one.name != other.name
    assert len(one.texts["help pages"]) == held.PASSAGES
    assert all(text.strip() in pydoc_topics() for text in one.texts["help pages"])
    public = held_out().parallel
    places = {tuple(public[language].index(text) for text in texts) for language, texts in one.parallel.items()}
    assert len(places) == 1


def test_own_texts_need_a_text_and_two_languages() -> None:
    with pytest.raises(InvalidSource, match="no text"):
        own_texts({"mine": ["", ""]}, {"en": ["a"], "de": ["b"]})
    with pytest.raises(InvalidSource, match="two languages"):
        own_texts({"mine": ["a"]}, {"en": ["a"]})
