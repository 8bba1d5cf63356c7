"""The kernels of Unigram agree with their reference implementations; the cache changes nothing."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.engines.sentencepiece.normalizer import normalized_with_positions
from minbpe_course.engines.sentencepiece.unigram import UnigramEngine, UnigramLattice
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.n_best import n_best
from minbpe_course.reference.pieces import Token
from minbpe_course.reference.sampling import draw_path, forward, sample_n_best
from minbpe_course.reference.unigram import encode_unigram, tokens_of
from tests.reference.unigram_cases import edited, model_of, small_models, trained
from tests.shared.piece_cases import fixed_texts, hostile_bytes

pytestmark = pytest.mark.medium

ROOT = Path(__file__).parents[2]
EXAMPLES = 20 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 150


def spelled(tokens: list[Token], model: PieceModel) -> tuple[list[int], list[int]]:
    """Ids, and the bytes that each stands for."""
    of_bytes = set(model.byte_ids)
    return [token.id for token in tokens], [1 if token.id in of_bytes else len(token.text.encode()) for token in tokens]


def check(model: PieceModel, texts: list[bytes], old: bool = False) -> None:
    engine = UnigramEngine(model, old)
    compat = "0.2.1" if old else "0.2.3"
    wanted = []
    for text in texts:
        tokens = encode_unigram(engine.normalize(text).decode(), model, compat)
        wanted.append([token.id for token in tokens])
        assert engine.encode(text).tolist() == wanted[-1], text
        found = engine.spell(text)
        assert (found.ids.tolist(), found.spans.tolist()) == spelled(tokens, model), text
    # Again, now that the cache knows the segments; and many at once, on two threads.
    assert [engine.encode(text).tolist() for text in texts] == wanted
    assert engine.encode_lists(texts, num_threads=2) == wanted


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    model=small_models(), texts=st.lists(st.text("ab ▁éx\0", max_size=40), min_size=1, max_size=4), old=st.booleans()
)
def test_small_models(model: PieceModel, texts: list[str], old: bool) -> None:
    check(model, [text.encode() for text in texts], old)


@settings(max_examples=EXAMPLES, deadline=None)
@given(model=small_models(), text=st.text("ab▁éx\0", max_size=12), number=st.sampled_from([2, 3, 10, 100]))
def test_small_n_best(model: PieceModel, text: str, number: int) -> None:
    engine = UnigramEngine(model)
    data = text.encode()
    found = engine.n_best(data, number)
    wanted = n_best(engine.normalize(data).decode(), model, number)
    assert [(one.ids.tolist(), one.spans.tolist(), score) for one, score in found] == [
        (*spelled(tokens, model), score) for tokens, score in wanted
    ]


def test_small_n_best_with_many_ties() -> None:
    model = model_of({"a": -1.0, "aa": -2.0, "aaa": -3.0, "b": -1.0, "ab": -2.0, "ba": -2.0, "aba": -2.5})
    engine = UnigramEngine(model)
    for text, number in (("aaaaaaaa", 128), ("abaabaab", 60), ("aabbaabbaa", 10)):
        wanted = n_best(text, model, number)
        found = engine.n_best(text.encode(), number)
        assert [(one.ids.tolist(), score) for one, score in found] == [
            ([token.id for token in tokens], score) for tokens, score in wanted
        ]


@settings(max_examples=EXAMPLES, deadline=None)
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


@pytest.mark.parametrize("seed", range(4))
def test_nul_leads_nowhere_from_any_node(seed: int) -> None:
    # Not back to the root either. Encoding cuts at NUL before it searches; a lattice is laid over everything.
    rng = random.Random(seed)
    pieces = {"".join(rng.choices("abcdefgh", k=rng.randint(1, 4))) for _ in range(200)}
    model = model_of({piece: -rng.uniform(1, 9) for piece in sorted(pieces)})
    engine = UnigramEngine(model)
    for prefix in sorted({piece[:end] for piece in pieces for end in range(1, len(piece) + 1)}):
        text = f"{prefix}\0{rng.choice(sorted(pieces))}"
        (found, _), *_ = engine.n_best(text.encode(), 2)
        assert found.ids.tolist() == engine.encode_list(text) == [token.id for token in encode_unigram(text, model)]


@pytest.mark.parametrize("name", ["plain", "symbols nmt_nfkc", "suffix", "across words"])
@pytest.mark.parametrize("how", ["kept", "tied", "decimal", "wild"])
def test_trained_models(name: str, how: str) -> None:
    rng = random.Random(name + how)
    data = edited(trained(name), rng, how)
    texts = fixed_texts()[::6] + [hostile_bytes(rng) for _ in range(120)]
    check(sentencepiece_proto.from_bytes(data), texts, old=how == "decimal")
