"""Unigram, the readable way, against what it should be by definition: every path listed, exact sums, real training."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import float32, lattice
from minbpe_course.reference.n_best import End, Heap, best_paths, n_best
from minbpe_course.reference.sampling import forward
from minbpe_course.reference.unigram import best_path, encode_unigram, viterbi_steps
from tests.reference.unigram_cases import all_paths, model_of, small_models
from tests.shared.long_run import examples

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
