"""The variants of the window scanners cut as the tables of their patterns do, which cut as ``regex`` and tiktoken."""

from __future__ import annotations

import random

import pytest

from benchmarks.published_patterns import PUBLISHED
from minbpe_course.splitting.pattern_table import compile_table
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.splitting.window_families import FINGERPRINTS, MARKS, fingerprint, pattern_of, variant_of, variants
from minbpe_course.text import patterns
from tests.shared.cases import hostile_texts
from tests.shared.random_patterns import random_text
from tests.splitting.test_pattern_table import LETTERS, by_table

pytestmark = pytest.mark.medium


def test_the_fingerprints_are_those_of_the_variants() -> None:
    found = {fingerprint(compile_table(pattern_of(each), "tiktoken")): each & ~MARKS for each in variants()}
    assert found == FINGERPRINTS


@pytest.mark.parametrize("engine", ["tiktoken", "regex"])
def test_patterns_are_recognised_however_they_are_spelled(engine: str) -> None:
    spelled = {
        patterns.R50K_PATTERN: 0,
        patterns.GPT2_RELEASE_PATTERN: 0,
        patterns.CL100K_PATTERN: 1,
        patterns.GPT4_SPLIT_PATTERN: 2,
        patterns.CL100K_FIRST_PATTERN: 2,
        patterns.O200K_PATTERN: 3,
        PUBLISHED["GPT-NeoX"]: 0,
        PUBLISHED["Llama 3, OLMo 3"]: 2,
        PUBLISHED["Qwen 2 and 3"]: 6,
        PUBLISHED["Qwen 3.5"]: 14,
        PUBLISHED["tekken, Nemotron 3"]: 23,
        PUBLISHED["Kimi K2"]: 99,
        r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s": None,
    }
    for pattern, variant in spelled.items():
        # To regex, $ is also before a last line break, and && is two letters.
        if engine == "tiktoken" or not ("&&" in pattern or "$" in pattern):
            assert variant_of(compile_table(pattern, engine), engine) == variant


def first_plane() -> str:
    """A text with every character of the first plane after a letter, before one, and twice."""
    characters = [chr(code) for code in range(1 << 16) if not 0xD800 <= code < 0xE000]
    return "".join(f"a{each}A {each}{each}1" for each in characters)


@pytest.mark.parametrize("variant", variants())
def test_a_variant_cuts_as_its_table(variant: int) -> None:
    rng = random.Random(variant)
    texts = [random_text(rng, LETTERS + "  \n/''") for _ in range(300)] + hostile_texts(variant, 100)
    texts += ["".join(rng.choices(texts, k=6)) for _ in range(100)] + [first_plane()]
    scanner, table = Splitter(pattern_of(variant), engine="tiktoken"), by_table(pattern_of(variant))
    assert scanner.variant == variant
    for text in texts:
        assert scanner.words(text) == table.words(text)
