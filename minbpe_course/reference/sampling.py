"""Probabilities on a Unigram lattice: of a way to cut a text drawn at random, and expected counts.

    weight of a path     exp(theta * sum of its scores)          theta 0: every path alike; great: always the best
    forward[place]       log of the summed weight of all paths from the beginning to the place
    backward[place]      the same from the place to the end

Even if there are more paths than atoms on Earth, two passes over the edges give these sums exactly. With them a path is
drawn edge by edge, from the end: each edge with its share of the weight of all paths that end there.

Random numbers come from the caller's own generator (``numpy.random.default_rng(seed)``), so a draw can be repeated.
They are not the ones that sentencepiece draws; the chances are the same. Sums are float64.

Limits: slow on purpose; the text must be normalised. ``kernels.sentencepiece.lattice`` is the compiled version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import Edge, Lattice, lattice
from minbpe_course.reference.n_best import n_best
from minbpe_course.reference.pieces import Token
from minbpe_course.reference.unigram import tokens_of


class Random(Protocol):
    """A generator whose ``random()`` returns a float in [0, 1), such as ``numpy.random.Generator``."""

    def random(self) -> float:
        """Return the next number."""


def log_add(left: float, right: float) -> float:
    """Return ``log(exp(left) + exp(right))`` without leaving the range of floats.

    >>> log_add(-math.inf, -1000.0), round(log_add(-1000.0, -1000.0), 4)
    (-1000.0, -999.3069)
    """
    low, high = min(left, right), max(left, right)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def forward(made: Lattice, theta: float = 1.0) -> list[float]:
    """Return, for every place, the log of the summed weight of all paths from the beginning to it.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -2.0), (2, 1, 1), "unigram")
    >>> [round(math.exp(sum) / math.exp(-length), 6) for length, sum in enumerate(forward(lattice("aaaa", model)))]
    [1.0, 1.0, 2.0, 3.0, 5.0]
    """
    sums = [0.0] + [-math.inf] * len(made.text)
    for edge in made.edges:
        sums[edge.end] = log_add(sums[edge.end], sums[edge.begin] + theta * edge.score)
    return sums


def backward(made: Lattice, theta: float = 1.0) -> list[float]:
    """Return, for every place, the log of the summed weight of all paths from it to the end."""
    sums = [-math.inf] * len(made.text) + [0.0]
    for edge in reversed(made.edges):
        sums[edge.begin] = log_add(sums[edge.begin], sums[edge.end] + theta * edge.score)
    return sums


def forward_backward(made: Lattice, theta: float = 1.0) -> list[float]:
    """Return, for every edge of ``made.edges``, the chance that a path drawn at random takes it.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -3.0), (2, 1, 1, 1), "unigram")
    >>> [round(chance, 3) for chance in forward_backward(lattice("ab", model))]  # a, ab, b
    [0.5, 0.5, 0.5]
    """
    before, behind = forward(made, theta), backward(made, theta)
    return [math.exp(before[edge.begin] + theta * edge.score + behind[edge.end] - before[-1]) for edge in made.edges]


def expected_counts(made: Lattice, theta: float = 1.0) -> dict[str, float]:
    """Return how often each piece is expected in a path drawn at random.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -2.0), (2, 1, 1), "unigram")
    >>> {piece: round(count, 3) for piece, count in expected_counts(lattice("aaa", model)).items()}
    {'a': 1.667, 'aa': 0.667}
    """
    counts: dict[str, float] = {}
    for edge, chance in zip(made.edges, forward_backward(made, theta)):
        counts[edge.piece] = counts.get(edge.piece, 0.0) + chance
    return counts


def choose(chances: Sequence[float], left: float) -> int:
    """Return the index of the chance that contains ``left``, if the chances are laid out from 0 on.

    If rounding leads beyond the end, it is the last chance above 0; if all are 0, the first.

    >>> [choose([0.25, 0.0, 0.75], left) for left in (0.2, 0.25, 0.9, 1.0)], choose([math.nan, 0.0], 0.5)
    ([0, 2, 2, 2], 0)
    """
    chosen = 0
    for number, chance in enumerate(chances):
        if chance > 0:
            chosen = number
            left -= chance
            if left < 0:
                break
    return chosen


def draw_path(made: Lattice, sums: list[float], theta: float, rng: Random) -> list[Edge]:
    """Draw one path; ``sums`` is ``forward(made, theta)``.

    >>> from numpy.random import default_rng
    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -3.0), (2, 1, 1, 1), "unigram")
    >>> made, rng = lattice("ab", model), default_rng(3)
    >>> [[edge.piece for edge in draw_path(made, forward(made), 1.0, rng)] for _ in range(4)]
    [['ab'], ['ab'], ['a', 'b'], ['ab']]
    """
    path: list[Edge] = []
    end = len(made.text)
    while end > 0:
        edges = made.ending[end]
        chances = [math.exp(sums[edge.begin] + theta * edge.score - sums[end]) for edge in edges]
        path.append(edges[choose(chances, rng.random())])
        end = path[-1].begin
    return path[::-1]


def sample(text: str, model: PieceModel, alpha: float, rng: Random) -> list[Token]:
    """Return the tokens of one way to cut a normalised text, drawn from all of them.

    alpha : how sharply to prefer good ones (``theta`` above): 0.1 is usual in training.

    >>> from numpy.random import default_rng
    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -1.5), (2, 1, 1), "unigram")
    >>> [token.piece for token in sample("aaaaaa", model, 0.5, default_rng(1))]
    ['a', 'a', 'aa', 'a', 'a']
    """
    made = lattice(text, model)
    return tokens_of(draw_path(made, forward(made, alpha), alpha, rng), model)


def sample_n_best(text: str, model: PieceModel, number: int, alpha: float, rng: Random) -> list[Token]:
    """Return the tokens of one of the ``number`` best ways to cut a normalised text; if ``number`` is 1, the best.

    >>> from numpy.random import default_rng
    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -1.5), (2, 1, 1), "unigram")
    >>> [token.piece for token in sample_n_best("aaaa", model, 2, 0.1, default_rng(1))]
    ['aa', 'aa']
    """
    best = n_best(text, model, number)
    if len(best) == 1:
        return best[0][0]
    logs = [alpha * score for _, score in best]
    highest = max(logs)
    weights = [math.exp(log - highest) for log in logs]
    return best[choose(weights, rng.random() * sum(weights))][0]
