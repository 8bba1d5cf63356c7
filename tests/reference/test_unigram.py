"""Unigram, the readable way, against what it should be by definition: every path listed, exact sums, real training."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import float32, lattice
from minbpe_course.reference.n_best import End, Heap, best_paths, n_best
from minbpe_course.reference.sampling import backward, entropy, expected_counts, forward, forward_backward
from minbpe_course.reference.unigram import best_path, encode_unigram, viterbi_steps
from minbpe_course.reference.unigram_training import (
    digamma,
    em_step,
    expectation_step,
    prune_losses,
    prune_step,
    seed_scores,
)
from tests.reference.unigram_cases import all_paths, model_of, small_models
from tests.shared.long_run import examples
from tests.shared.piece_cases import course_lines

pytestmark = pytest.mark.medium

MODEL = model_of({"a": -1.0, "b": -2.5, "ab": -2.0, "ba": -4.25, "aba": -4.5, "bb": -3.5, "é": -6.0})


@settings(max_examples=examples(150))
@given(model=small_models(finite=True), text=st.text("ab▁éx", max_size=9))
def test_the_best_path_has_the_best_sum(model: PieceModel, text: str) -> None:
    path = best_path(text, model)
    assert "".join(edge.piece for edge in path) == text
    sums = [sum(Fraction(edge.score) for edge in one) for one in all_paths(lattice(text, model))]
    # User-defined pieces count bytes in one and characters in the other, which differ where there is é or ▁.
    if all(len(piece) == len(piece.encode()) for piece in model.user_defined):
        found = sum(Fraction(edge.score) for edge in path)
        assert found >= max(sums) - Fraction(len(text) + 1, 10**5)


@given(model=small_models(finite=True), text=st.text("ab▁éx", min_size=1, max_size=8))
def test_the_n_best_are_all_paths_in_order(model: PieceModel, text: str) -> None:
    made = lattice(text, model)
    everything = sorted(sum(Fraction(edge.score) for edge in path) for path in all_paths(made))[::-1]
    found = best_paths(made, 1000)
    assert len(found) == len(everything) == len({tuple(path) for path, _ in found})
    for (path, score), wanted in zip(found, everything):
        assert "".join(edge.piece for edge in path) == text
        assert abs(score - wanted) < 1e-4
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert found[:3] == best_paths(made, 3)[:3]


@given(
    model=small_models(finite=True), text=st.text("ab▁éx", max_size=8), theta=st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])
)
def test_sums_over_all_paths(model: PieceModel, text: str, theta: float) -> None:
    made = lattice(text, model)
    paths = list(all_paths(made))
    weights = [math.exp(theta * sum(edge.score for edge in path)) for path in paths]
    total = math.fsum(weights)
    assert forward(made, theta)[-1] == pytest.approx(math.log(total), abs=1e-9)
    assert backward(made, theta)[0] == pytest.approx(math.log(total), abs=1e-9)
    counts: Counter[str] = Counter()
    for path, weight in zip(paths, weights):
        for edge in path:
            counts[edge.piece] += weight / total
    assert expected_counts(made, theta) == pytest.approx(dict(counts), abs=1e-9)
    assert sum(expected_counts(made, theta).values()) == pytest.approx(sum(forward_backward(made, theta)))
    exact = -math.fsum(weight / total * math.log(weight / total) for weight in weights)
    assert entropy(made, theta) == pytest.approx(exact, abs=1e-9)


def test_of_equal_sums_the_longer_last_piece_wins() -> None:
    model = model_of({"a": -1.0, "aa": -2.0, "aaa": -3.0})
    assert [edge.piece for edge in best_path("aaaa", model)] == ["a", "aaa"]
    steps = list(viterbi_steps("aa", model))
    assert [(step.edge.piece, step.before, step.better) for step in steps] == [
        ("a", None, True), ("aa", None, True), ("a", -2.0, False),
    ]  # fmt: skip


def test_sums_are_float32() -> None:
    model = model_of({"a": -0.1, "b": -0.1})
    total = 0.0
    for step in viterbi_steps("ab" * 500, model):
        total = float32(total + float32(-0.1))
        assert step.candidate == total


def test_far_from_zero_sums_are_set_back() -> None:
    model = model_of({"a": -30_000.0, "b": 1.0})
    candidates = [step.candidate for step in viterbi_steps("aaaaaa", model)]
    assert candidates == [-30_000.0, -60_000.0, -90_000.0, -120_000.0, -30_000.0, -60_000.0]


def test_the_heap_gives_what_was_put_in() -> None:
    rng = random.Random(3)
    for size in range(1, 60):
        heap = Heap()
        numbers = [float(rng.randrange(8)) for _ in range(size)]
        for number in numbers:
            heap.push(End(number, 0.0, None, None))
        assert [heap.pop().promise for _ in numbers] == sorted(numbers, reverse=True)


def test_nothing_and_one() -> None:
    assert n_best("", MODEL, 5) == [([], 0.0)]
    assert n_best("ab", MODEL, 1) == [(encode_unigram("ab", MODEL), 0.0)]
    assert encode_unigram("", MODEL) == []


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
