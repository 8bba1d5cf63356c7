"""Every measure against its closed form, against another way to compute it, and against what is true of all of them.

The witnesses: NumPy and the standard library's statistics, exact fractions, plain definitions. No expected value comes
from the code under test.
"""

from __future__ import annotations

import math
import random
import statistics
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.errors import InvalidOption
from minbpe_course.reference import measures

pytestmark = pytest.mark.medium


costs = st.lists(st.integers(0, 10**6), min_size=1, max_size=30).filter(any)
counts = st.lists(st.integers(0, 10**5), min_size=2, max_size=30).filter(lambda row: sum(map(bool, row)) > 1)
alphas = st.one_of(st.sampled_from([0, 0.5, 1, 2, 2.5, 3, 50, math.inf]), st.floats(0, 60, allow_nan=False))


# ----------------------------------------------------------------------------------------------------
# Who pays


@given(costs)
def test_gini_is_the_mean_difference(row: list[int]) -> None:
    apart = sum(abs(one - other) for one, other in product(row, repeat=2))
    exact = Fraction(apart, 2 * len(row) * sum(row))
    assert measures.gini(row) == pytest.approx(float(exact), abs=1e-12)
    assert measures.gini([7 * cost for cost in row]) == pytest.approx(measures.gini(row), abs=1e-12)
    assert measures.gini(row + row) == pytest.approx(measures.gini(row), abs=1e-12)
    assert measures.gini([cost + 10**6 for cost in row]) <= measures.gini(row) + 1e-12


@given(costs)
def test_a_lorenz_curve_hangs_below_the_diagonal(row: list[int]) -> None:
    curve = measures.lorenz(row)
    assert curve[0] == (0, 0)
    assert curve[-1] == pytest.approx((1, 1))
    assert len(curve) == len(row) + 1
    steps = [(right[1] - left[1]) for left, right in pairwise(curve)]
    assert all(after >= before - 1e-9 for before, after in pairwise(steps)), "it bends upwards only"
    assert all(carried <= share + 1e-9 for share, carried in curve)
    x, y = np.array(curve).T
    assert measures.gini(row) == pytest.approx(1 - float(np.sum(np.diff(x) * (y[1:] + y[:-1]))), abs=1e-9)


# ----------------------------------------------------------------------------------------------------
# Rényi


@given(counts, alphas)
def test_renyi_as_numpy_has_it(row: list[int], alpha: float) -> None:
    p = np.array([count for count in row if count], dtype=np.longdouble)
    p /= p.sum()
    if alpha == 1:
        wanted = -np.sum(p * np.log2(p))
    elif alpha == math.inf:
        wanted = -np.log2(p.max())
    elif abs(alpha - 1) < 1e-4:
        return  # here the division by 1 - alpha costs both sides their digits
    else:
        wanted = np.log2(np.sum(p**alpha)) / (1 - alpha)
    assert measures.renyi_entropy(row, alpha) == pytest.approx(float(wanted), rel=1e-7, abs=1e-9)


@given(counts)
def test_renyi_falls_with_alpha_and_stays_between_its_ends(row: list[int]) -> None:
    used = sum(map(bool, row))
    entropies = [measures.renyi_entropy(row, alpha) for alpha in (0, 0.3, 0.99, 1, 1.01, 2.5, 9, 5_000, math.inf)]
    assert all(before >= after - 1e-9 for before, after in pairwise(entropies))
    assert entropies[0] == pytest.approx(math.log2(used))
    assert entropies[-1] == pytest.approx(math.log2(sum(row) / max(row)))
    assert entropies[-2] == pytest.approx(entropies[-1], rel=1e-3, abs=1e-2), "a large alpha is close to infinity"
    assert 0 <= measures.renyi_efficiency(row) <= 1 + 1e-12


# ----------------------------------------------------------------------------------------------------
# Lines on logarithmic axes


def test_a_fit_is_the_standard_librarys() -> None:
    rng = random.Random(8)
    for _ in range(50):
        x = [rng.uniform(0.1, 90) for _ in range(rng.randint(2, 40))]
        y = [rng.uniform(0.1, 90) for _ in x]
        factor, exponent = measures.power_fit(x, y)
        line = statistics.linear_regression(list(map(math.log, x)), list(map(math.log, y)))
        assert (exponent, math.log(factor)) == pytest.approx((line.slope, line.intercept), abs=1e-6)


def test_zipf_and_heaps_of_texts_that_keep_them_exactly() -> None:
    for exponent in (-0.5, -1, -1.7):
        row = [1_000 * rank**exponent for rank in range(1, 40)]
        random.Random(1).shuffle(row)
        assert measures.zipf([0, *row, 0]) == pytest.approx((1_000, exponent))
    assert measures.heaps("a" * 500) == pytest.approx((1, 0))
    assert measures.heaps(range(500)) == pytest.approx((1, 1))
    # A token that is new at every square: after n tokens there are about the square root of n.
    tokens = [math.isqrt(at) for at in range(100_000)]
    assert measures.heaps(tokens, 40)[1] == pytest.approx(0.5, abs=0.03)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=300), st.integers(2, 30))
def test_growth_counts_what_is_different(tokens: list[int], points: int) -> None:
    grown = measures.vocabulary_growth(tokens, points)
    assert grown == [(length, len(set(tokens[:length]))) for length, _ in grown]
    assert grown[0][0] == 1
    assert grown[-1][0] == len(tokens)
    assert len(grown) <= points


# ----------------------------------------------------------------------------------------------------
# How sure


def test_the_spread_of_a_mean_is_what_the_formula_says() -> None:
    rng = random.Random(1)
    sample = [rng.gauss(10, 2) for _ in range(300)]
    means = measures.bootstrap(sample, statistics.fmean, rounds=2_000)
    assert statistics.stdev(means) == pytest.approx(statistics.pstdev(sample) / math.sqrt(300), rel=0.06)
    assert means == sorted(means) == measures.bootstrap(sample, statistics.fmean, rounds=2_000)
    assert means != measures.bootstrap(sample, statistics.fmean, rounds=2_000, seed=12)


def test_an_interval_leaves_out_as_much_on_either_side() -> None:
    values = sorted(random.Random(2).random() for _ in range(1_001))
    for share in (0.5, 0.8, 0.95):
        low, high = measures.interval(values, share)
        wanted = np.percentile(values, [50 - 50 * share, 50 + 50 * share])
        assert (low, high) == pytest.approx(tuple(wanted), abs=0.01)
        assert sum(value < low for value in values) == sum(value > high for value in values)


# ----------------------------------------------------------------------------------------------------
# Costs


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12))
def test_a_front_by_its_definition(points: list[tuple[int, int]]) -> None:
    named = dict(enumerate(points))
    front = measures.pareto_front(named)
    unbeaten = {
        name
        for name, (cost, gain) in named.items()
        if not any(other <= cost and more >= gain and (other, more) != (cost, gain) for other, more in points)
    }
    assert set(front) == unbeaten
    assert [points[name][0] for name in front] == sorted(points[name][0] for name in front)


@pytest.mark.parametrize(
    ("width", "layers", "weights"),
    [(768, 12, 124_439_808), (1024, 24, 354_823_168), (1280, 36, 774_030_080), (1600, 48, 1_557_611_200)],
)
def test_the_four_models_of_gpt2_have_the_published_sizes(width: int, layers: int, weights: int) -> None:
    tables, everything = measures.transformer_parameters(50_257, width, layers)
    assert everything == weights
    assert tables == 50_257 * width
    apart = measures.transformer_parameters(50_257, width, layers, tied=False)
    assert apart == (2 * tables, everything + tables)


def test_the_work_is_what_the_matrices_need() -> None:
    """Multiplications counted one matrix at a time, for a text of 64 bytes in tokens of 4."""
    width, layers, vocabulary, tokens = 8, 3, 100, 16
    counted = 0
    for _ in range(layers):
        counted += tokens * (3 * width * width + width * width + 2 * width * 4 * width)
        counted += 2 * sum(width * seen for seen in range(tokens))
    counted += tokens * vocabulary * width
    work = measures.work_per_byte(vocabulary, 4.0, width, layers, window=64)
    # Attention to half of the window on average: the sum above has tokens - 1 in the place of tokens.
    assert sum(work.values()) * 64 == pytest.approx(counted + layers * width * tokens)


# ----------------------------------------------------------------------------------------------------
# Nothing to measure


BROKEN = {
    "no texts": lambda: measures.bytes_per_token([], list),
    "no words": lambda: measures.fertility([], list),
    "nobody to compare with": lambda: measures.parity({"en": 1}, "hi"),
    "a gift": lambda: measures.gini([1, -1]),
    "a negative alpha": lambda: measures.renyi_entropy([1, 2], -1),
    "too small a vocabulary": lambda: measures.renyi_efficiency([5, 5, 5], size=2),
    "a negative loss": lambda: measures.bits_per_byte(-1.0, 5),
    "a logarithm of zero": lambda: measures.power_fit([1, 2], [0, 3]),
    "all of the middle": lambda: measures.interval([1, 2], 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_to_measure_has_a_name(name: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        BROKEN[name]()
    assert isinstance(raised.value, ValueError)
    assert len(str(raised.value)) > 20
