"""The named patterns are the ones that tiktoken runs, and phrases end where they should."""

from __future__ import annotations

import pytest
import regex
import tiktoken_ext.openai_public as openai_public

from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import patterns


@pytest.mark.parametrize("name", openai_public.ENCODING_CONSTRUCTORS)
def test_named_patterns_are_those_of_the_installed_tiktoken(name, monkeypatch):
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **options: {})
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *args, **options: {})
    assert patterns.named_pattern(name) == openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("By the way, I'm a fan.", ["By the way, I'm a fan."]),
        ("It’s 12345 o'clock", ["It’s ", "123", "45", " o'clock"]),
        ("to be: or  not\nto be", ["to be:", " or  not\nto be"]),
        ("see a::b, c:\\d :) ::: e:1 :", ["see a::b, c:\\d :) :::", " e:", "1", " :"]),
        ("यह हिन्दी है।", ["यह हिन्दी है।"]),
        ("x = f(a b):\n    return x\n\ny = x.\n\n\n", ["x = f(a b):\n    return x\n\n", "y = x.\n\n\n"]),
        ("one\r\ntwo\r\n\r\nthree\rfour\r", ["one\r\ntwo\r\n\r\n", "three\rfour\r"]),
        ("\n\n: x:\n: ", ["\n\n", ":", " x:\n:", " "]),
    ],
)
def test_phrases_end_at_numbers_colons_and_blank_lines(text, phrases):
    assert regex.findall(patterns.SUPERWORDS_PATTERN, text) == phrases
    assert [word.decode() for word in Splitter(patterns.SUPERWORDS_PATTERN).words(text)] == phrases
    assert Splitter(patterns.SUPERWORDS_PATTERN).direct
