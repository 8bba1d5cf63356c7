"""Words by a pattern's table: those of ``regex`` run on kinds, of the reference, and of tiktoken."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from benchmarks.published_patterns import PUBLISHED
from minbpe_course import Encoding
from minbpe_course.errors import InvalidPattern, SlowPattern
from minbpe_course.reference.pattern_table import PatternTable
from minbpe_course.splitting.pattern_table import NotRegular, compile_table
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import code_points
from minbpe_course.text.patterns import (
    CL100K_PATTERN,
    GPT2_SPLIT_PATTERN,
    O200K_PATTERN,
    R50K_PATTERN,
    SUPERWORDS_PATTERN,
)
from minbpe_course.text.regex_runner import runner_for
from tests.shared.random_patterns import (
    TIKTOKEN_LETTERS,
    found_by_regex,
    random_pattern,
    random_text,
    random_tiktoken_pattern,
)

PATTERNS = {"GPT-2": R50K_PATTERN, "GPT-4": CL100K_PATTERN, "GPT-4o": O200K_PATTERN} | PUBLISHED
LETTERS = TIKTOKEN_LETTERS + "tTlLrRvVeEdDmM" * 2 + "ǅʰа́७"


@pytest.fixture(params=[1 << 16, 3])
def few_words_at_a_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words come in one run, or in runs of a few."""
    monkeypatch.setattr("minbpe_course.splitting.splitter.RUN", request.param)


def by_table(pattern: str, engine: str = "tiktoken") -> Splitter:
    """A splitter that uses the table, also of a pattern that has a scanner."""
    made = compile_table(pattern, engine)
    splitter = Splitter(pattern, keep_all=False, engine=engine)
    splitter.variant = None
    splitter.table = made
    return splitter


@pytest.mark.medium
@pytest.mark.parametrize("engine", ["tiktoken", "regex"])
def test_random_patterns_give_the_words_of_regex(engine: str, few_words_at_a_time: None) -> None:
    rng, made, tried = random.Random(engine), 0, 0
    while made < 60:
        tried += 1
        pattern = random_tiktoken_pattern(rng) if engine == "tiktoken" else random_pattern(rng)
        try:
            spans = runner_for(pattern, engine).spans
            splitter = by_table(pattern, engine)
        except (InvalidPattern, NotRegular):
            continue
        made += 1
        for _ in range(25):
            text = random_text(rng, TIKTOKEN_LETTERS)
            wanted = [text[begin:end] for begin, end in spans(text)]
            assert engine == "tiktoken" or found_by_regex(pattern, text) == wanted, (pattern, text)
            assert [word.decode() for word in splitter.words(text)] == wanted, (pattern, text)
    assert made > tried / 3


@pytest.mark.medium
def test_the_reference_gives_the_same_words() -> None:
    rng, made = random.Random(3), 0
    while made < 50:
        pattern = random_tiktoken_pattern(rng)
        try:
            splitter, reference = by_table(pattern), PatternTable(pattern)
        except (InvalidPattern, NotRegular, NotImplementedError, AssertionError):
            continue
        made += 1
        for _ in range(15):
            text = random_text(rng, TIKTOKEN_LETTERS)
            assert [word.decode() for word in splitter.words(text)] == reference.words(text), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        (r"\d+|\s+(?!\S)|\S", "a12  b", ["a", "12", " ", "b"]),
        ("a+b|a", "aaaab aaa", ["aaaab", "a", "a", "a"]),
        ("abcd|a|bcx", "abcx abcd", ["a", "bcx", "abcd"]),
        (r"\b\w+\b", "un mot, 字", ["un", "mot", "字"]),
        (r"(?<=\s)\w+|\W", "a bc d", [" ", "bc", " ", "d"]),
        ("a??b|c", "abacb", ["ab", "c", "b"]),
        (r"x$|\Ay|.", "yxyx", ["y", "x", "y", "x"]),
        ("[^a]{2,3}|aa", "xyzxa" + "a", ["xyz", "aa"]),
        ("ab|[^a]", "a" * 200 + "b", ["ab"]),
        ("z", "no word at all", []),
    ],
)
def test_words_and_the_text_between_them(pattern: str, text: str, wanted: list[str], few_words_at_a_time: None) -> None:
    assert [word.decode() for word in by_table(pattern).words(text)] == wanted
    ours = Encoding("ours", pat_str=pattern, mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={})
    assert bytes(ours.encode_ordinary(text)) == "".join(wanted).encode()


@pytest.mark.parametrize(
    "pattern",
    [
        SUPERWORDS_PATTERN,
        r"[^\n]+|\n",
        r"[^\n]*\n|[^\n]+",
        r"(?:[^.!?]|[.!?](?! ))+[.!?]?|[\s\S]",
        r"[^é字]+",
        r"\p{L}[^y9]*9|[^y]",
        r"(?:\p{L}|[ ,])+(?!\d)|[\s\S]",
        r"[^\n𝕊]+\n|[\s\S]",
    ],
)
def test_words_as_long_as_lines(pattern: str, few_words_at_a_time: None) -> None:
    splitter, runner, rng = by_table(pattern), runner_for(pattern, "tiktoken"), random.Random(pattern)
    assert splitter.table.long_row >= 0
    rare = ["\n", "9", ":", ": ", ". ", "!", "y", "\r\n", "²", "٣", "é", "字", "𝕊", "\U0001d7d9", "\u200b"]
    for _ in range(200):
        common = rng.choice(["etaoin shrdlu,", "абвгд ежз", "字中文漢，。", "aé ñü", "안녕 하세요", "😀 👋a"])
        parts = ["".join(rng.choices(common, k=rng.choice([0, 1, 7, 8, 9, 60, 300]))) for _ in range(rng.randrange(9))]
        text = "".join(part + rng.choice(rare) for part in parts) + rng.choice(["", *parts])
        wanted = [text[begin:end] for begin, end in runner.spans(text) if end > begin]
        assert [word.decode() for word in splitter.words(text)] == wanted, text


def test_lost_text_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidPattern, match="matches nothing at position 3: '!! ' would be lost"):
        list(Splitter(r"\w+").runs("éab!! c"))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"a(?=bc)|\w", "looks at more than one character"),
        (r"(?>a|ab)c|\w", "atomic group with a choice"),
        (r"(?:ab)++|\w", "possessive repetition of more than one set"),
        ("a{500}b{600}|" * 3 + r"\w", "steps|states"),
    ],
)
def test_what_has_no_table_runs_on_regex_with_a_warning(pattern: str, reason: str) -> None:
    with pytest.raises(NotRegular, match=reason):
        compile_table(pattern, "tiktoken")
    with pytest.warns(SlowPattern, match=reason):
        splitter = Splitter(pattern, keep_all=False, engine="tiktoken")
    text = "aaabcabbbc abab"
    assert [w.decode() for w in splitter.words(text)] == [
        text[i:j] for i, j in runner_for(pattern, "tiktoken").spans(text)
    ]


def test_published_patterns_are_small_and_warn_about_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pattern in PATTERNS.values():
            assert len(compile_table(pattern, "tiktoken").rows) <= 30
            assert Splitter(pattern, keep_all=False, engine="tiktoken").direct


def test_a_pattern_in_the_dialect_of_regex_has_the_characters_of_regex() -> None:
    kinds = {}
    for engine in ("regex", "tiktoken"):
        made = compile_table(GPT2_SPLIT_PATTERN, engine)
        kinds[engine] = np.equal(made.kinds, made.kinds[ord("a")])
    changed = np.flatnonzero(kinds["regex"] != kinds["tiktoken"])
    assert set(changed.tolist()) <= set(np.flatnonzero(code_points.newer_than("tiktoken")).tolist())
