"""The references of lesson 15, compared with NumPy, plain definitions, and exhaustive search."""

from __future__ import annotations

import itertools
import math
import random
from functools import partial

import numpy as np
import pytest

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.catalogue import find
from minbpe_course.checks.exercise import Case
from minbpe_course.checks.judge import cases_of
from minbpe_course.checks.lesson_15 import (
    bits_per_byte,
    bytes_per_token,
    cheat,
    efficiency,
    gain_interval,
    tests_of_front,
)
from minbpe_course.reference import measures
from tests.shared.lesson_code import cases_under, solved

pytestmark = pytest.mark.medium

drawn = partial(cases_under, 6)


# ----------------------------------------------------------------------------------------------------
# Single numbers


def test_bytes_per_token_counts_every_byte_once() -> None:
    for case in drawn("15.bytes_per_token"):
        (rows,) = case.args
        assert all(text and ids for text, ids in rows)
        wanted = len("".join(text for text, _ in rows).encode("utf-8")) / len([one for _, ids in rows for one in ids])
        assert bytes_per_token._bytes_per_token(rows) == wanted


def test_the_planted_loss_is_right_for_ascii_only() -> None:
    exercise = find("15.bits_per_byte")
    assert exercise.planted is not None
    seen = {"ASCII": 0, "other letters": 0}
    for case in drawn("15.bits_per_byte"):
        losses, text = case.args
        right = math.isclose(exercise.planted(losses, text), bits_per_byte._bits_per_byte(losses, text))
        assert right == text.isascii() == (case.category == "ASCII"), text
        seen[case.category] += 1
    assert min(seen.values()) > 20


def test_gini_is_the_mean_difference_of_all_pairs() -> None:
    for case in drawn("15.gini"):
        costs = np.array(case.args[0], dtype=float)
        wanted = np.abs(costs[:, None] - costs[None, :]).sum() / (2 * len(costs) * costs.sum())
        assert measures.gini(case.args[0]) == pytest.approx(wanted, abs=1e-12)
        if case.category == "some pay more" and len(costs) > 2:
            assert list(costs) != sorted(costs), "sorting must matter"


def test_the_corners_of_the_efficiency_are_all_asked() -> None:
    cases = drawn("15.efficiency")
    assert {case.category for case in cases} == {
        efficiency.SOME, efficiency.UNUSED, efficiency.SHANNON, efficiency.LARGE, efficiency.ENDLESS,
        efficiency.TOO_FEW,
    }  # fmt: skip
    for case in cases:
        counts, alpha = case.args
        p = np.array([count for count in counts if count], dtype=np.longdouble)
        if len(p) < 2:
            with pytest.raises(ValueError, match=r"in use|counts") as raised:
                efficiency._efficiency(counts, alpha)
            assert type(raised.value) is ValueError
            continue
        p /= p.sum()
        if alpha == 1:
            entropy = -np.sum(p * np.log2(p))
        elif alpha == math.inf:
            entropy = -np.log2(p.max())
        else:
            entropy = (alpha * np.log2(p.max()) + np.log2(np.sum((p / p.max()) ** alpha))) / (1 - alpha)
        assert efficiency._efficiency(counts, alpha) == pytest.approx(float(entropy / np.log2(len(p)))), case


def test_a_large_alpha_is_too_large_for_the_plain_formula() -> None:
    for case in drawn("15.efficiency"):
        counts, alpha = case.args
        if case.category == efficiency.LARGE:
            assert sum((count / sum(counts)) ** alpha for count in counts) == 0.0


# ----------------------------------------------------------------------------------------------------
# Intervals


def test_an_interval_is_numpys() -> None:
    for case in drawn("15.gain_interval"):
        rows, draws = np.array(case.args[0]), case.args[1]
        gains = []
        for draw in draws:
            size, first, second = rows[list(draw)].sum(axis=0)
            gains.append(size / second - size / first)
        cut = len(draws) // 40
        kept = np.sort(gains)[cut : len(gains) - cut]
        assert gain_interval.gain_interval(*case.args) == pytest.approx((kept[0], kept[-1]))
        assert (cut > 0) == (case.category == gain_interval.MANY)


# ----------------------------------------------------------------------------------------------------
# Fronts


def points_of_all_kinds() -> list[list[tuple[int, int]]]:
    rng = random.Random(6)
    tried = [list(points) for size in range(4) for points in itertools.product([(0, 0), (0, 1), (1, 0)], repeat=size)]
    tried += [[(rng.randint(-5, 5), rng.randint(-5, 5)) for _ in range(rng.randint(0, 9))] for _ in range(400)]
    return tried


def test_right_fronts_agree_and_do_not_change_their_input() -> None:
    functions = [implementation_of(source, "front") for source in tests_of_front.RIGHT]
    for points in points_of_all_kinds():
        wanted = sorted(
            {
                (cost, gain)
                for cost, gain in points
                if not any(other <= cost and more >= gain and (other, more) != (cost, gain) for other, more in points)
            }
        )
        for function in functions:
            handed = list(points)
            assert list(function(handed)) == wanted
            assert handed == points


# ----------------------------------------------------------------------------------------------------
# Cheats


def spelled(counts: dict[int, int], halves: dict[int, tuple[int, int]], dropped: set[int]) -> dict[int, int]:
    """The counts after dropping, token by token."""
    found: dict[int, int] = {}

    def put(token: int, times: int) -> None:
        if token in dropped:
            for half in halves[token]:
                put(half, times)
        else:
            found[token] = found.get(token, 0) + times

    for token, times in counts.items():
        put(token, times)
    return found


def test_dropping_keeps_the_text() -> None:
    rng = random.Random(9)
    for case in drawn("15.cheat"):
        counts, halves, _ = case.args
        dropped = set(rng.sample(list(halves), min(len(halves), 5)))
        assert dict(cheat.counts_without(counts, halves, dropped)) == {
            token: count for token, count in spelled(counts, halves, dropped).items() if count
        }


def test_the_search_is_the_best_where_all_choices_can_be_tried() -> None:
    """With one token to drop it is the best there is; with more it may be beaten, and the metric then exceeds 100."""
    for case in drawn("15.cheat"):
        counts, halves, _ = case.args
        one = Case(case.category, (counts, halves, 1))
        if case.category == cheat.FEW:
            best = max(cheat.gain(one, [token]) for token in halves)
            assert cheat.gain(one, solved("15")["cheat"](counts, halves, 1)) == pytest.approx(max(best, 0))


def test_the_measure_does_not_depend_on_the_secret() -> None:
    answer_of = solved("15")["cheat"]
    for secret in "abc":
        cases = tuple(one.case for one in cases_of(find("15.cheat"), secret))
        answers = [answer_of(*case.args) for case in cases]
        assert all(cheat.complaint(case, answer) is None for case, answer in zip(cases, answers))
        # The ids decide between equal tokens, and the secret gives the ids.
        assert cheat.measured(cases, answers)[0] == pytest.approx(100, abs=0.1)
        assert cheat.measured(cases, [[] for _ in cases])[0] == 0


def test_the_example_of_the_text() -> None:
    counts, halves, most = find("15.cheat").shown[0].args
    assert solved("15")["cheat"](counts, halves, most) == [9]
    assert cheat.counts_without(counts, halves, [9]) == {1: 93, 2: 94, 3: 5, 12: 3}
