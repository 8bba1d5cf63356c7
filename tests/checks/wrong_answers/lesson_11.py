"""Wrong answers to the exercises of lesson 11, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("11.gain_interval", "a draw is a set", "", ("for place in places", "for place in set(places)"))
WRONG.edit("11.efficiency", "no thought of 1", "alpha-one", ("elif alpha == 1", "elif False"))
WRONG.edit("11.efficiency", "no thought of infinity", "alpha-infinity", ("if alpha == math.inf", "if False"))
WRONG.edit(
    "11.efficiency",
    "the formula as it stands",
    "underflow",
    ("(share / top) ** alpha", "share**alpha"),
    ("alpha * math.log2(top) + ", ""),
)
WRONG.edit(
    "11.efficiency", "nothing is even", "too-few", ('raise ValueError("two tokens must be in use")', "return 0.0")
)
WRONG.edit(
    "11.cheat",
    "the commonest that helps",
    "below the level",
    ("(values[token], token)", "values[token] > so_far and counts.get(token, 0)"),
    points=2,
)
WRONG.edit(
    "11.cheat",
    "the best of the first round, all at once",
    "below the level",
    ("{*chosen, token}", "{token}"),
    ("        so_far = values[favourite]\n", ""),
    points=3,
)


@WRONG.add("11.test_front", "three points in a row", "misses:both-strict")
def test_front(front):
    assert list(front([(1, 1), (2, 2), (3, 3)])) == [(1, 1), (2, 2), (3, 3)]


@WRONG.add("11.test_front", "all ties, but only above zero", "misses:above-zero", points=1)
def test_front(front):
    from itertools import product

    for points in product([(1, 3), (2, 1), (2, 3), (1, 1), (3, 2)], repeat=3):
        beaten = {p for p in points for q in points if q != p and q[0] <= p[0] and q[1] >= p[1]}
        assert list(front(list(points))) == sorted(set(points) - beaten)


@WRONG.add("11.test_front", "a test that asks for the hull", "rejects-right")
def test_front(front):
    assert list(front([(0, 0), (5, 1), (6, 9)])) == [(0, 0), (6, 9)]


@WRONG.add("11.cheat", "everything that has halves", "too-many")
def cheat(counts, halves, most):
    return list(halves)


@WRONG.add("11.cheat", "whatever is common", "bytes")
def cheat(counts, halves, most):
    return sorted(counts, key=counts.get, reverse=True)[:most]
