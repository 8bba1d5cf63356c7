"""The named patterns are the ones that minbpe and tiktoken run, and equal families really cut alike."""

from __future__ import annotations

import itertools

import pytest
import regex
import tiktoken_ext.openai_public as openai_public

from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import patterns

SAME_FAMILY = [
    pytest.param(patterns.R50K_PATTERN, patterns.GPT2_SPLIT_PATTERN, id="gpt2: tiktoken and minbpe"),
    pytest.param(patterns.R50K_PATTERN, patterns.GPT2_RELEASE_PATTERN, id="gpt2: tiktoken and the release"),
    pytest.param(patterns.GPT4_SPLIT_PATTERN, patterns.CL100K_FIRST_PATTERN, id="gpt4: minbpe and tiktoken's first"),
]
HARD = ["a", "B", "'", "s", "1", " ", "\n", "!"]


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


@pytest.mark.parametrize(("one", "other"), SAME_FAMILY)
def test_spellings_of_one_family_cut_alike(one, other):
    assert patterns.scanner_for(one) == patterns.scanner_for(other)
    for length in range(5):
        for characters in itertools.product(HARD, repeat=length):
            text = "".join(characters)
            assert regex.findall(one, text) == regex.findall(other, text), repr(text)


def test_tiktoken_reads_its_own_spellings_and_regex_all_others():
    ours = {name: patterns.engine_of(pattern) for name, pattern in patterns.PATTERNS.items()}
    assert {name for name, engine in ours.items() if engine == "regex"} == {"minbpe_gpt2", "minbpe_gpt4", "superwords"}
    assert set(ours.values()) == {"regex", "tiktoken"}
