"""The kernels of Unigram agree with their reference implementations; the cache changes nothing."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.engines.sentencepiece.normalizer import normalized_with_positions
from minbpe_course.engines.sentencepiece.unigram import UnigramEngine, UnigramLattice
from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.n_best import n_best
from minbpe_course.reference.pieces import Token
from minbpe_course.reference.sampling import draw_path, forward, sample_n_best
from minbpe_course.reference.unigram import encode_unigram, tokens_of
from tests.reference.unigram_cases import model_of, small_models
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

EXAMPLES = 20 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 80


def spelled(tokens: list[Token], model: PieceModel) -> tuple[list[int], list[int]]:
    """Ids, and the bytes that each stands for."""
    of_bytes = set(model.byte_ids)
    return [token.id for token in tokens], [1 if token.id in of_bytes else len(token.text.encode()) for token in tokens]


def check(model: PieceModel, texts: list[bytes]) -> None:
    engine = UnigramEngine(model)
    wanted = []
    for text in texts:
        tokens = encode_unigram(engine.normalize(text).decode(), model)
        wanted.append([token.id for token in tokens])
        assert engine.encode(text).tolist() == wanted[-1], text
        found = engine.spell(text)
        assert (found.ids.tolist(), found.spans.tolist()) == spelled(tokens, model), text
    # Again, now that the cache knows the segments; and many at once, on two threads.
    assert [engine.encode(text).tolist() for text in texts] == wanted
    assert engine.encode_lists(texts, num_threads=2) == wanted


@settings(max_examples=examples(EXAMPLES))
@given(model=small_models(), texts=st.lists(st.text("ab ▁éx\0", max_size=40), min_size=1, max_size=4))
def test_small_models(model: PieceModel, texts: list[str]) -> None:
    check(model, [text.encode() for text in texts])


@settings(max_examples=examples(EXAMPLES))
@given(model=small_models(), text=st.text("ab▁éx\0", max_size=12), number=st.sampled_from([2, 3, 10, 100]))
def test_small_n_best(model: PieceModel, text: str, number: int) -> None:
    engine = UnigramEngine(model)
    data = text.encode()
    found = engine.n_best(data, number)
    wanted = n_best(engine.normalize(data).decode(), model, number)
    assert [(one.ids.tolist(), one.spans.tolist(), score) for one, score in found] == [
        (*spelled(tokens, model), score) for tokens, score in wanted
    ]


@settings(max_examples=examples(EXAMPLES))
@given(
    model=small_models(finite=True), text=st.text("ab▁éx", max_size=12),
    alpha=st.sampled_from([0.0, 0.1, 0.7, 1.0, 3.0]), seed=st.integers(0, 999),
)  # fmt: skip
def test_small_samples(model: PieceModel, text: str, alpha: float, seed: int) -> None:
    engine = UnigramEngine(model)
    normalized = engine.normalize(text.encode()).decode()
    made = lattice(normalized, model)
    sums = forward(made, alpha)
    inside, _ = normalized_with_positions(engine.rules, text.encode())
    if normalized:
        ours = UnigramLattice(engine.unigram, engine._borrow_worker(), inside).sums(alpha)
        assert ours[np.isfinite(ours)] == pytest.approx(sums, rel=1e-12, abs=1e-12)
    path = draw_path(made, sums, alpha, random.Random(seed))
    found = engine.sample(text.encode(), alpha, random.Random(seed))
    assert (found.ids.tolist(), found.spans.tolist()) == spelled(tokens_of(path, model), model)
    tokens = sample_n_best(normalized, model, 5, alpha, random.Random(seed))
    found = engine.sample(text.encode(), alpha, random.Random(seed), nbest_size=5)
    assert found.ids.tolist() == [token.id for token in tokens]


def test_small_nearly_equal_paths_are_searched_again() -> None:
    # In exact numbers -0.1 - 0.2 is -0.3; which of them is better here depends on the roundings, and so on the place.
    model = model_of({"a": -0.1, "b": -0.2, "ab": -0.3, "c": -0.4, "bc": -0.6, "abc": -0.7, "▁": -0.05, "▁c": -0.45})
    rng = random.Random(1)
    check(model, [" ".join(rng.choice(["ab", "abc", "cab", "bc", "c"]) for _ in range(150)).encode() for _ in range(3)])


def test_small_nul_leads_nowhere() -> None:
    # A text with NUL must not find its way back to the root of the trie.
    model = model_of({"x": -1.0, "y": -1.0, "xy": -0.5, "o": -2.0, "ox": -1.5, ">": -1.0})
    check(model, [b"x\0y", b"\0x", b"o\0xy", b"o>\0x", b"\0\0", b"x\0"])
