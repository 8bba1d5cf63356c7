"""Unigram against sentencepiece itself: ids, and N-best lists with their scores."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sentencepiece

from minbpe_course.engines.sentencepiece.unigram import UnigramEngine
from minbpe_course.formats import sentencepiece_proto
from tests.reference.unigram_cases import TRAINED, edited, trained
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes

pytestmark = pytest.mark.medium

STRINGS = 400
LISTS = 25
EDITS = ("tied", "decimal", "wild")


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
