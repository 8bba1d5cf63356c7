"""Places where texts may be cut: the words of the parts are those of the whole, on any number of threads."""

from __future__ import annotations

import random
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.published_patterns import PUBLISHED
from minbpe_course.errors import InvalidPattern, SlowPattern
from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.pattern_table import NotRegular, compile_table
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.splitting.step_splitter import StepSplitter
from minbpe_course.splitting.window_families import pattern_of
from minbpe_course.text import unicode_tables
from minbpe_course.text.patterns import PATTERNS
from tests.shared.cases import hostile_text
from tests.shared.random_patterns import TIKTOKEN_LETTERS, random_pattern, random_text, random_tiktoken_pattern
from tests.splitting.test_pattern_table import LETTERS, by_table

NAMED = {name: pattern for name, pattern in PATTERNS.items() if name not in ("p50k_edit", "o200k_harmony")}
# Words that end one character ago, and further back.
AGO = ["a+b|a|[^a]", "s+'|s|[^s]", "abcd|abx|[a-dx]|[^a-dx]", r".*\n|.+", r"\s+(?!\S)|\s|[^\s1]+1?|1"]

DEEPSEEK = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"""| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""",
)


def cut_everywhere(splitter: Splitter | StepSplitter, text: str) -> list[str]:
    places = splitter.cut_places
    assert places is not None
    found = [0, *places.between(text, 0, len(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(found)]


@pytest.mark.medium
@pytest.mark.parametrize("pattern", [*NAMED.values(), *PUBLISHED.values(), *AGO])
def test_parts_have_the_words_of_the_whole(pattern: str) -> None:
    rng, cut = random.Random(pattern), 0
    splitters = [Splitter(pattern, keep_all=False, engine="tiktoken"), by_table(pattern)]
    for turn in range(150):
        text = random_text(rng, LETTERS) * 2 if turn % 3 else hostile_text(rng, pieces=60, surrogates=False)
        words = splitters[0].words(text)
        for splitter in splitters:
            parts = cut_everywhere(splitter, text)
            assert [word for part in parts for word in splitter.words(part)] == words
            cut += len(parts) - 1
    assert cut > 500, "hardly anything was cut, so hardly anything was tested"


@pytest.mark.medium
@pytest.mark.parametrize("engine", ["tiktoken", "regex"])
def test_parts_by_random_patterns(engine: str) -> None:
    rng, made, cut = random.Random(engine), 0, 0
    while made < 60:
        pattern = random_tiktoken_pattern(rng) if engine == "tiktoken" else random_pattern(rng)
        # Most random patterns leave text between words, so that nothing may be cut.
        pattern += rng.choice(["|.|\n", r"|\s+(?!\S)|[\s\S]", r"|\w+|\W", r"|[\s\S]{1,3}", ""])
        try:
            splitter = by_table(pattern, engine)
        except (InvalidPattern, NotRegular):
            continue
        if splitter.cut_places is None:
            continue
        made += 1
        for _ in range(25):
            text = random_text(rng, TIKTOKEN_LETTERS) + random_text(rng, TIKTOKEN_LETTERS)
            parts = cut_everywhere(splitter, text)
            words = splitter.words(text)
            assert [word for part in parts for word in splitter.words(part)] == words, (pattern, text, parts)
            long = LongText(splitter, gather=rng.randint(1, 9))
            pieces = [long.add(text[at : at + 2]) for at in range(0, len(text), 2)] + [long.finish()]
            assert [word for piece in pieces for word in splitter.words(piece)] == words, (pattern, text, pieces)
            cut += len(parts) - 1
    assert cut > 1_000, "hardly anything was cut, so hardly anything was tested"


def in_steps(patterns: Sequence[str]) -> StepSplitter:
    splitter = StepSplitter.__new__(StepSplitter)
    splitter._tables = [compile_table(pattern, "tiktoken") for pattern in patterns]
    return splitter


def words_of(splitter: StepSplitter, text: str) -> list[bytes]:
    return [
        run.text[begin:end].tobytes()
        for run in splitter.runs(text)
        for begin, end in pairwise([0, *run.ends[: run.number].tolist()])
    ]


@pytest.mark.medium
def test_parts_by_steps() -> None:
    rng, cut = random.Random(9), Counter[str]()
    published = [(*DEEPSEEK,), (r"\p{N}", PUBLISHED["GPT-NeoX"])]
    drawn: list[tuple[str, ...]] = []
    while len(drawn) < 60:
        patterns = tuple(random_tiktoken_pattern(rng) for _ in range(rng.choice([1, 2, 3])))
        try:
            if not any(table.starts.size for table in in_steps(patterns)._tables or ()):
                drawn.append(patterns)
        except (InvalidPattern, NotRegular):
            continue
    for patterns in published + drawn:
        splitter = in_steps(patterns)
        for turn in range(100 if patterns in published else 25):
            letters = LETTERS if turn % 2 else TIKTOKEN_LETTERS
            text = random_text(rng, letters) + random_text(rng, letters)
            parts = cut_everywhere(splitter, text)
            found = [word for part in parts for word in words_of(splitter, part)]
            assert found == words_of(splitter, text), (patterns, text, parts)
            cut["published" if patterns in published else "drawn"] += len(parts) - 1
    assert min(cut.values()) > 500, "hardly anything was cut, so hardly anything was tested"


@pytest.mark.medium
@pytest.mark.parametrize("variant", range(4))
def test_the_pairs_of_the_families_follow_from_their_tables(variant: int) -> None:
    of_family = CutPlaces.of_families(unicode_tables.character_classes("tiktoken"))
    of_table = CutPlaces.of_table(compile_table(pattern_of(variant), "tiktoken"))
    assert of_table is not None
    classes, kinds = np.unique(np.stack([of_family._kinds, of_table._kinds]), axis=1)
    assert not (of_family._safe[np.ix_(classes, classes)] & ~of_table._safe[np.ix_(kinds, kinds)]).any()
    assert of_family._safe.sum() > 20


def test_composed_text_is_composed_in_parts() -> None:
    everywhere = CutPlaces(np.zeros(0x110000, dtype=np.uint8), np.ones((1, 1), dtype=bool), near=True).stable
    stable = [chr(code) for code in np.flatnonzero(everywhere._kinds == 0).tolist()]
    assert len(stable) > 30_000
    compose = partial(unicodedata.normalize, "NFC")
    # Characters that can be composed with one before them are in the decompositions of other characters.
    marks = {part for code in range(sys.maxunicode) for part in unicodedata.normalize("NFD", chr(code))[1:]}
    assert not marks.intersection(stable)
    assert all(compose(one) == one and unicodedata.combining(one) == 0 for one in stable)
    rng = random.Random(5)
    letters = [*stable[:128], *"かが가e=й\u1100\u1161\u11a8\u3099\u0301\u0338"]
    for _ in range(3000):
        text = "".join(rng.choices(letters, k=20))
        places = [0, *everywhere.between(text, 0, 20), 20]
        assert "".join(compose(text[start:stop]) for start, stop in pairwise(places)) == compose(text)


@pytest.mark.parametrize("pattern", [r"\b\w+\b|\W", r"\w+", r"(a|b)\1|[\s\S]", None])
def test_patterns_without_places(pattern: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowPattern)
        assert Splitter(pattern).cut_places is None


def test_the_last_place_and_places_apart() -> None:
    places = by_table(PUBLISHED["Qwen 2 and 3"]).cut_places
    assert places is not None
    assert places.last("", 0) == places.last("abc", 3) == 0
    assert list(places.between("", 0, 9)) == list(places.between("a b", 5, 9)) == []
    text = "the cat\nsat " + "x" * 20_000 + ". a" * 50
    wanted = list(places.between(text, 0, len(text)))
    for stop in [*range(20), *range(len(text) - 160, len(text) + 1)]:
        assert places.last(text, stop) == max((place for place in wanted if place <= stop), default=0)
        assert places.last(text, stop, stop - 2) in (stop - 1, stop, 0)
        assert list(places.between(text, stop, stop + 99)) == [place for place in wanted if stop <= place < stop + 99]
    apart = list(places.apart(text, 0, len(text), 7))
    assert set(apart) <= set(wanted)
    assert min(after - before for before, after in pairwise([0, *apart])) >= 7
