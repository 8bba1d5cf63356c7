"""A certificate: no vocabulary of so many tokens encodes these words in fewer tokens.

    words     abc 1  abd 1  abe 1  bc 1  bd 1  be 1          three tokens, besides the letters
    tolls     each place where a token could be used gets a toll, 0 or more
    paths     every word takes the cheapest path, with any tokens: 1 for each token, and its toll
    bound     what all paths cost, minus the tolls of all places of those three tokens that collect the most

Why no vocabulary can beat the bound, whatever the tolls are. Encode the words with it, and add the tolls that you pay
to the number of tokens. That is at least the cost of the cheapest paths. And you paid at most the tolls of all places
of its tokens, so at most those of the three that collect the most.

The highest bound is the optimum of a linear program, in which a token may be in the vocabulary by half. ``find_tolls``
approaches it with projected subgradients. Tolls are multiples of 1/4096, so that sums have no rounding errors.

Limits: words of some thousand bytes in all; a bound is only about the text that it was made from. Source: Tempus,
Whittington, Schmidt, Komm and Pimentel, "Tokenisation via Convex Relaxations" (2026), https://arxiv.org/abs/2605.22821.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from minbpe_course.reference.fewest_tokens import fewest_tokens

Place = tuple[int, int]
Tolls = Mapping[bytes, Mapping[Place, float]]
GRAIN = 4096
PATIENCE = 10  # steps without a higher bound until they get shorter


def toll_bound(words: Mapping[bytes, int], tolls: Tolls, number: int) -> float:
    """Return a number of tokens that no vocabulary of ``number`` tokens, besides the bytes, can go below.

    words : how often each occurs. tolls : for each word, the toll of a place (begin, end); 0 where none is given.

    >>> toll_bound({b"ab": 5, b"abc": 1}, {}, 1)
    6.0
    >>> toll_bound({b"ab": 5, b"abc": 1}, {b"abc": {(0, 3): 1.0}, b"ab": {(0, 2): 0.25}}, 1)
    7.0
    """
    paid, collected = 0.0, Counter[bytes]()
    for word, count in words.items():
        cheapest = [0.0]
        for end in range(1, len(word) + 1):
            cheapest.append(
                min(before + 1 + tolls.get(word, {}).get((at, end), 0) for at, before in enumerate(cheapest))
            )
        paid += count * cheapest[-1]
        for (begin, end), toll in tolls.get(word, {}).items():
            collected[word[begin:end]] += count * toll  # type: ignore[assignment]
    return paid - sum(toll for _, toll in collected.most_common(number))


def tokens_needed(words: Mapping[bytes, int], tokens: Iterable[bytes]) -> int:
    """Return how many tokens all words need, each in the fewest of these tokens and the bytes.

    >>> tokens_needed({b"bat": 1, b"at": 2}, [b"at"])
    4
    """
    table = dict.fromkeys([*(bytes([byte]) for byte in range(256)), *tokens], 0)
    return sum(count * len(fewest_tokens(word, table)) for word, count in words.items())


def find_tolls(
    words: Mapping[bytes, int], number: int, target: float, steps: int = 500
) -> tuple[dict[bytes, dict[Place, float]], list[bytes]]:
    """Return tolls with a high bound, and the tokens that collected the most while they were sought.

    target : what some vocabulary needs; steps are longer, the further the bound is from it.

    Where a path uses a place whose token is not among those that collect the most, its toll rises; where such a token
    is not used, it falls.

    >>> words = dict.fromkeys([b"abc", b"abd", b"abe", b"bc", b"bd", b"be"], 1)
    >>> tolls, tokens = find_tolls(words, 3, target=10)
    >>> round(toll_bound(words, tolls, 3), 2), sorted(tokens)
    (9.0, [b'abc', b'abd', b'abe'])
    """
    order = sorted(words, key=len, reverse=True)  # so that the words with a place (begin, end) come first
    lengths, counts = np.array([len(word) for word in order]), np.array([words[word] for word in order])
    numbers: dict[bytes, int] = {}
    first: dict[Place, int] = {}  # the number of the first word's place; the others follow
    rows: list[tuple[int, Place, int]] = []
    for end in range(2, len(order[0]) + 1):
        for begin in range(end - 1):
            first[begin, end] = len(rows)
            rows += [
                (word, (begin, end), numbers.setdefault(order[word][begin:end], len(numbers)))
                for word in range(int((lengths >= end).sum()))
            ]
    weight, token = counts[[word for word, *_ in rows]], np.array([token for *_, token in rows])
    tolls, best = np.zeros(len(rows)), (0.0, np.zeros(len(rows)))
    chosen, scale, waited = np.zeros(len(numbers)), 1.0, 0
    for _ in range(steps):
        cost, used = _cheapest(tolls, first, lengths)
        sums = np.bincount(token, weights=tolls * weight, minlength=len(numbers))
        among = np.zeros(len(numbers))
        among[np.argsort(-sums, kind="stable")[:number]] = 1
        bound = float((cost * counts).sum() - (sums * among).sum())
        best, waited = ((bound, tolls), 0) if bound > best[0] else (best, waited + 1)
        if waited > PATIENCE:
            scale, waited = scale * 0.7, 0
        slope = used - among[token]
        length = scale * (target - bound) / max(1.0, float((slope * slope * weight).sum()))
        tolls = np.maximum(0, np.round((tolls + length * slope) * GRAIN) / GRAIN)
        chosen = chosen * 0.98 + among * 0.02
    found: dict[bytes, dict[Place, float]] = {}
    for at in np.flatnonzero(best[1]):
        found.setdefault(order[rows[at][0]], {})[rows[at][1]] = float(best[1][at])
    names = list(numbers)
    return found, [names[at] for at in np.argsort(-chosen, kind="stable")[:number]]


def _cheapest(tolls: np.ndarray, first: Mapping[Place, int], lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each word's cheapest path costs, and which places are on it: 0 or 1."""
    cost, came = np.zeros((lengths[0] + 1, len(lengths))), np.zeros((lengths[0] + 1, len(lengths)), dtype=int)
    for end in range(1, lengths[0] + 1):
        many = int((lengths >= end).sum())
        ways = cost[:end, :many] + 1
        for begin in range(end - 1):
            ways[begin] += tolls[first[begin, end] : first[begin, end] + many]
        came[end, :many], cost[end, :many] = ways.argmin(axis=0), ways.min(axis=0)
    used = np.zeros(len(tolls))
    for word, end in enumerate(lengths.tolist()):
        while end:
            begin = int(came[end, word])
            if end - begin > 1:
                used[first[begin, end] + word] = 1
            end = begin
    return cost[lengths, np.arange(len(lengths))], used
