"""The sums of the Unigram lattice against all of its paths, and training against what it promises.

The best path and the n best: ``tests/kernels/test_unigram.py`` and the comparison with sentencepiece.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.n_best import best_paths, n_best
from minbpe_course.reference.sampling import expected_counts, forward
from minbpe_course.reference.unigram import encode_unigram
from minbpe_course.reference.unigram_training import (
    digamma,
    em_step,
    expectation_step,
    prune_losses,
    prune_step,
    seed_scores,
)
from tests.reference.unigram_cases import all_paths, model_of, small_models
from tests.shared.piece_cases import course_lines

pytestmark = pytest.mark.medium


@given(
    model=small_models(finite=True), text=st.text("ab▁éx", max_size=8), theta=st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])
)
def test_sums_over_all_paths(model: PieceModel, text: str, theta: float) -> None:
    made = lattice(text, model)
    paths = list(all_paths(made))
    weights = [math.exp(theta * sum(edge.score for edge in path)) for path in paths]
    total = math.fsum(weights)
    assert forward(made, theta)[-1] == pytest.approx(math.log(total), abs=1e-9)
    counts: Counter[str] = Counter()
    for path, weight in zip(paths, weights):
        for edge in path:
            counts[edge.piece] += weight / total
    assert expected_counts(made, theta) == pytest.approx(dict(counts), abs=1e-9)


def test_of_the_n_best_one_is_the_best_and_many_are_all_paths() -> None:
    model = model_of({"a": -1.0, "b": -2.5, "ab": -2.0})
    assert n_best("ab", model, 1) == [(encode_unigram("ab", model), 0.0)]
    assert len(best_paths(lattice("ab", model), 9)) == 2


def test_digamma_is_the_slope_of_the_log_of_gamma() -> None:
    for x in (0.01, 0.5, 1.0, 3.3, 7.9, 8.1, 100.0, 1e6):
        step = x * 1e-5
        slope = (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)
        assert digamma(x) == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_training_makes_the_words_likelier_and_the_pieces_fewer() -> None:
    words = dict(Counter("▁" + word for line in course_lines()[:150] for word in line.split()).most_common(250))
    scores = seed_scores(words, 400)
    assert abs(math.fsum(map(math.exp, scores.values())) - 1) < 1e-9
    likelihoods = []
    for _ in range(3):
        scores, likelihood = em_step(words, scores)
        likelihoods.append(likelihood)
    assert likelihoods == sorted(likelihoods)
    # Every character is covered by exactly one piece of a path, if it is not unknown by now.
    known = {word: count for word, count in words.items() if set(word) <= scores.keys()}
    letters = sum(len(word) * count for word, count in known.items())
    covered = expectation_step(known, scores)[0]
    assert math.fsum(len(piece) * count for piece, count in covered.items()) == pytest.approx(letters)
    losses = prune_losses(words, scores)
    kept = prune_step(words, scores, 100)
    assert len(kept) < len(scores)
    assert {piece for piece, loss in losses.items() if loss == math.inf} <= kept.keys()
    assert {"e", "t"} <= kept.keys()
    assert min(losses[piece] for piece in kept) >= max(losses[piece] for piece in scores.keys() - kept.keys())
