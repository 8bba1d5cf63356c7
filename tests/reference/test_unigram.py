"""The sums of the Unigram lattice against all of its paths, and training against what it promises.

The best path and the n best: ``tests/kernels/test_unigram.py`` and the comparison with sentencepiece.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import lattice
from minbpe_course.reference.n_best import best_paths, n_best
from minbpe_course.reference.sampling import forward
from minbpe_course.reference.unigram import encode_unigram
from tests.reference.unigram_cases import all_paths, model_of, small_models

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


def test_of_the_n_best_one_is_the_best_and_many_are_all_paths() -> None:
    model = model_of({"a": -1.0, "b": -2.5, "ab": -2.0})
    assert n_best("ab", model, 1) == [(encode_unigram("ab", model), 0.0)]
    assert len(best_paths(lattice("ab", model), 9)) == 2
