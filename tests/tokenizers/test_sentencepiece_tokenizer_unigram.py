"""Unigram against sentencepiece itself: ids and pieces, N-best lists with their scores, and how samples are spread."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
import sentencepiece
from numpy.random import default_rng

from minbpe_course.corpus.texts import course_text
from minbpe_course.engines.sentencepiece.unigram import UnigramEngine
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.sampling import forward
from minbpe_course.reference.unigram import tokens_of
from tests.reference.unigram_cases import TRAINED, all_paths, chi_square, edited, is_plausible, trained
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes

pytestmark = pytest.mark.medium

STRINGS = 400
LISTS = 25
EDITS = ("tied", "decimal", "wild")


@cache
def pair(name: str) -> tuple[UnigramEngine, Any]:
    return both(trained(name))


def both(data: bytes) -> tuple[UnigramEngine, Any]:
    return UnigramEngine(sentencepiece_proto.from_bytes(data)), sentencepiece.SentencePieceProcessor(model_proto=data)


def same(ours: UnigramEngine, theirs: Any, texts: list[bytes]) -> None:
    for text in texts:
        assert ours.encode(text).tolist() == theirs.encode(text), text


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("how", EDITS)
def test_models_edited_at_random(name: str, how: str) -> None:
    rng = random.Random(name + how)
    ours, theirs = both(edited(trained(name), rng, how))
    same(ours, theirs, fixed_texts()[::9] + [hostile_bytes(rng) for _ in range(STRINGS // 8)])
    if how != "wild":
        # Cache entries from the beginning of a text must be right near its end, where sums are less precise.
        lines = rng.sample(course_lines(), 300)
        same(ours, theirs, [" ".join(lines).encode(), " ".join(lines * 2).encode()])


@pytest.mark.parametrize("name", ["plain", "symbols nmt_nfkc", "no dummy"])
def test_text_above_ascii(name: str) -> None:
    # Valid UTF-8, so that it goes the quick way: letters of many scripts, with marks that rules join to them.
    rng = random.Random(name)
    ours, theirs = pair(name)
    letters = sorted({*course_text(), *map(chr, [*range(0x1100, 0x1200, 5), *range(0x3041, 0x30FF)])})
    marks = [chr(code) for code in (0x300, 0x301, 0x308, 0x327, 0x64B, 0x93C, 0x1161, 0x3099, 0x309A, 0xFE0F, 0x20)]
    for _ in range(STRINGS):
        drawn = [rng.choice(letters if rng.random() < 0.7 else marks) for _ in range(rng.randint(1, 40))]
        at = rng.randrange(len(course_text()))
        text = "".join(drawn) + course_text()[at : at + rng.randint(0, 150)] + rng.choice(marks)
        assert ours.encode_list(text) == theirs.encode(text), text


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("how", EDITS)
def test_n_best_lists(name: str, how: str) -> None:
    rng = random.Random(name + how)
    ours, theirs = both(edited(trained(name), rng, how))
    for number in range(max(1, LISTS // len(EDITS))):
        text = (
            rng.choice(course_lines())[: rng.choice([20, 60, 150])].encode() if number % 2 else hostile_bytes(rng)[:90]
        )
        size = rng.choice([1, 2, 3, 10, 64, 300])
        wanted = [
            ([piece.id for piece in one.pieces], one.score)
            for one in theirs.nbest_encode(text, nbest_size=size, return_type="proto").nbests
        ]
        assert [(found.ids.tolist(), score) for found, score in ours.n_best(text, size)] == wanted, (text, size)


# ---- Sampling: equal in distribution

WORDS = ("▁the", "▁tokens", "▁into")


def counted(draws: list[tuple[int, ...]], chances: dict[tuple[int, ...], float]) -> bool:
    counts = Counter(draws)
    assert counts.keys() <= chances.keys()
    seen = [counts[ids] for ids in chances]
    return is_plausible(*chi_square(seen, [chance * len(draws) for chance in chances.values()]))


def exact_chances(engine: UnigramEngine, text: str, alpha: float) -> dict[tuple[int, ...], float]:
    """The chance of every encoding, from a list of all paths."""
    made = lattice(engine.normalize(text.encode()).decode(), engine.model)
    chances: Counter[tuple[int, ...]] = Counter()
    total = forward(made, alpha)[-1]
    for path in all_paths(made):
        ids = tuple(token.id for token in tokens_of(path, engine.model))
        chances[ids] += math.exp(alpha * math.fsum(edge.score for edge in path) - total)
    assert math.fsum(chances.values()) == pytest.approx(1)
    return dict(chances)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("text", ["the", "tokens", "ab"])
def test_samples_are_spread_as_they_should(text: str, alpha: float) -> None:
    ours, theirs = pair("symbols" if text == "ab" else "plain")
    chances = exact_chances(ours, text, alpha)
    assert len(chances) > 1
    rng = default_rng(7)
    assert counted([tuple(ours.sample(text.encode(), alpha, rng).ids.tolist()) for _ in range(4_000)], chances)
    sentencepiece.set_random_generator_seed(11)
    options = dict(enable_sampling=True, nbest_size=-1, alpha=alpha)
    assert counted([tuple(theirs.encode(text, **options)) for _ in range(4_000)], chances)
