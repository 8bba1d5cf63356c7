"""Measures of a tokenizer: a short function for each number, and its source.

Plain numbers in, plain numbers out; nothing here knows a tokenizer, and ``encode`` is any function from text to ids.
Sums of ratios are never taken where a ratio of sums is meant: every byte and every token counts once.

Raises InvalidOption where there is nothing to divide by. The lesson that builds these numbers is
``15_measuring_a_tokenizer``; ``reference.ngrams`` is the small language model that it measures losses with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from itertools import accumulate, pairwise
from random import Random
from typing import TypeVar

from minbpe_course.errors import InvalidOption

Item = TypeVar("Item")
Name = TypeVar("Name", bound=Hashable)
Encoder = Callable[[str], Sized]


def _positive(value: float, what: str) -> float:
    if not (math.isfinite(value) and value > 0):
        raise InvalidOption(f"{what} is {value!r}; it must be a number above 0.")
    return value


def _costs(values: Iterable[float], what: str = "costs") -> list[float]:
    """Return the values as a list: at least one, all finite, none negative, not all of them 0."""
    listed = list(values)
    for place, value in enumerate(listed):
        if not (math.isfinite(value) and value >= 0):
            raise InvalidOption(f"{what}[{place}] is {value!r}; each must be a finite number, 0 or more.")
    if not sum(listed):
        raise InvalidOption(f"there are no {what} to measure: {'all are 0' if listed else 'none were given'}.")
    return listed


# ----------------------------------------------------------------------------------------------------
# How long, how many


def bytes_per_token(texts: str | Iterable[str], encode: Encoder) -> float:
    """Return how many bytes of UTF-8 a token stands for: all bytes through all tokens, not a mean of means.

    >>> bytes_per_token(["abcd", "ab"], lambda text: text[::2])
    2.0
    """
    texts = [texts] if isinstance(texts, str) else list(texts)
    tokens = sum(len(encode(text)) for text in texts)
    return sum(len(text.encode("utf-8")) for text in texts) / _positive(tokens, "the number of tokens")


def fertility(words: Iterable[str], encode: Encoder) -> float:
    """Return how many tokens a word needs, on average. The caller cuts the words; common words are repeated.

    >>> fertility(["the", "the", "cat"], lambda word: [1] if word == "the" else [2, 3])
    1.3333333333333333
    """
    words = list(words)
    return sum(len(encode(word)) for word in words) / _positive(len(words), "the number of words")


# ----------------------------------------------------------------------------------------------------
# Where words are cut


def agreement(found: Iterable[Set[int]], wanted: Iterable[Set[int]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of cuts: the share of those found that are right, the share of those wanted that
    are found, and the harmonic mean of the two. One set of places for each word, in the same order.

    >>> agreement([{3, 5}, {2}], [{5}, {2}])
    (0.6666666666666666, 1.0, 0.8)
    """
    rows = list(zip(found, wanted, strict=True))
    right = sum(len(one & other) for one, other in rows)
    cuts, ends = sum(len(one) for one, _ in rows), sum(len(other) for _, other in rows)
    precision, recall = right / _positive(cuts, "the number of cuts"), right / _positive(ends, "the number of ends")
    return precision, recall, 2 * right / (cuts + ends)


# ----------------------------------------------------------------------------------------------------
# Who pays how much


def parity(costs: Mapping[Name, float], base: Name) -> dict[Name, float]:
    """Return every cost as a multiple of what ``base`` pays for the same text; 1 for ``base`` itself.

    >>> parity({"en": 10, "hi": 45}, "en")
    {'en': 1.0, 'hi': 4.5}
    """
    if base not in costs:
        raise InvalidOption(f"there is no {base!r} to compare with; these are there: {', '.join(map(str, costs))}")
    _costs(costs.values())
    unit = _positive(costs[base], f"the cost of {base!r}")
    return {name: cost / unit for name, cost in costs.items()}


def lorenz(costs: Iterable[float]) -> list[tuple[float, float]]:
    """Return the Lorenz curve: the cheapest share of all that pay, and the share of the whole cost that they carry.

    >>> lorenz([1, 3])
    [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)]
    """
    ordered = sorted(_costs(costs))
    sums = list(accumulate(ordered, initial=0.0))
    return [(place / len(ordered), carried / sums[-1]) for place, carried in enumerate(sums)]


def gini(costs: Iterable[float]) -> float:
    """Return the Gini index: twice the area between the Lorenz curve and the diagonal. 0 when all pay the same, and
    1 - 1/n when one of n pays everything.

    >>> gini([2, 2, 2]), gini([0, 0, 0, 1]), gini([1, 3])
    (0.0, 0.75, 0.25)
    """
    curve = lorenz(costs)
    below = sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(curve))
    return 1 - 2 * below


# ----------------------------------------------------------------------------------------------------
# How evenly tokens are used


def renyi_entropy(counts: Iterable[float], alpha: float) -> float:
    """Return the Rényi entropy in bits: ``log2(sum of p**alpha) / (1 - alpha)`` with p the shares of the counts.

    0 counts the tokens in use (Hartley), 1 is Shannon's entropy, infinity looks at the commonest token only. The
    larger alpha, the more the common tokens decide. Raises InvalidOption for a negative alpha.

    >>> [renyi_entropy([1, 1, 1, 1], alpha) for alpha in (0, 1, 2.5, math.inf)]
    [2.0, 2.0, 2.0, 2.0]
    >>> renyi_entropy([2, 1, 1], 0) == math.log2(3), renyi_entropy([2, 1, 1], 1), renyi_entropy([2, 1, 1], math.inf)
    (True, 1.5, 1.0)
    """
    if not alpha >= 0:
        raise InvalidOption(f"alpha is {alpha!r}; it must be 0 or more.")
    used = [count for count in _costs(counts, "counts") if count > 0]
    total = math.fsum(used)
    shares = [count / total for count in used]
    if alpha == 1:
        return math.fsum(share * -math.log2(share) for share in shares)
    if alpha == math.inf:
        return -math.log2(max(shares))
    # The largest share is taken out of the sum, so that a large alpha does not make everything 0.
    top = max(shares)
    inside = math.fsum((share / top) ** alpha for share in shares)
    return (alpha * math.log2(top) + math.log2(inside)) / (1 - alpha)


def renyi_efficiency(counts: Iterable[float], alpha: float = 2.5, size: int | None = None) -> float:
    """Return the Rényi entropy as a share of the most that so many tokens could have (Zouhar et al., 2306.16842).

    size : how many tokens there are; those in use when it is None, as the paper's own program has it. 2.5 is its alpha.

    >>> renyi_efficiency([5, 5, 5, 5]), round(renyi_efficiency([3, 2, 1, 1]), 4)
    (1.0, 0.8265)
    >>> renyi_efficiency([1, 1], size=4)
    0.5
    """
    counts = list(counts)
    used = sum(count > 0 for count in counts)
    size = used if size is None else size
    entropy = renyi_entropy(counts, alpha)
    if size < max(2, used):
        raise InvalidOption(f"a vocabulary of {size} has no efficiency: {used} tokens are in use, 2 are needed.")
    return entropy / math.log2(size)


# ----------------------------------------------------------------------------------------------------
# The loss of a model


def bits_per_byte(nats: float, size: int) -> float:
    """Return a loss (natural logarithms, summed over all tokens of a text) in bits for each of its ``size`` bytes.

    A model that finds 256 bytes equally likely loses 8 bits for each:

    >>> bits_per_byte(100 * math.log(256), 100)
    8.0
    """
    if not (math.isfinite(nats) and nats >= 0):
        raise InvalidOption(f"a loss of {nats!r} is impossible: it must be a finite number, 0 or more.")
    return nats / math.log(2) / _positive(size, "the number of bytes")


# ----------------------------------------------------------------------------------------------------
# Straight lines on logarithmic axes


def power_fit(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return (factor, exponent) of ``y = factor * x**exponent``: least squares of the logarithms.

    >>> [round(value, 9) for value in power_fit([1, 2, 4], [3, 12, 48])]
    [3.0, 2.0]
    """
    if len(x) != len(y) or len(set(x)) < 2:
        raise InvalidOption(f"a line needs two places: x has {len(set(x))}; {len(x)} x and {len(y)} y were given.")
    across = [math.log(_positive(value, "x")) for value in x]
    up = [math.log(_positive(value, "y")) for value in y]
    middle, height = math.fsum(across) / len(across), math.fsum(up) / len(up)
    spread = math.fsum((value - middle) ** 2 for value in across)
    slope = math.fsum((a - middle) * (b - height) for a, b in zip(across, up)) / spread
    return math.exp(height - slope * middle), slope


def zipf(counts: Iterable[float]) -> tuple[float, float]:
    """Return (factor, exponent) of "the commonest comes factor times, the n-th ``n**exponent`` times that".

    >>> [round(value, 6) for value in zipf([60, 30, 20, 15, 12])]
    [60.0, -1.0]
    """
    ordered = sorted((count for count in _costs(counts, "counts") if count > 0), reverse=True)
    return power_fit(range(1, len(ordered) + 1), ordered)


def vocabulary_growth(tokens: Sequence[Hashable], points: int = 20) -> list[tuple[int, int]]:
    """Return how many different tokens the first n tokens have, for up to ``points`` values of n, evenly in log n.

    >>> vocabulary_growth("abacabad", 4)
    [(1, 1), (2, 2), (4, 3), (8, 4)]
    """
    if points < 2 or not tokens:
        raise InvalidOption(f"{points} points of {len(tokens)} tokens: two points and one token are the least.")
    lengths = sorted({max(1, round(len(tokens) ** (place / (points - 1)))) for place in range(points)})
    seen: set[Hashable] = set()
    found, at = [], 0
    for length in lengths:
        seen.update(tokens[at:length])
        found.append((length, len(seen)))
        at = length
    return found


def heaps(tokens: Sequence[Hashable], points: int = 20) -> tuple[float, float]:
    """Return (factor, exponent) of "n tokens have ``factor * n**exponent`` different ones".

    >>> [round(value, 6) for value in heaps(range(1_000))]
    [1.0, 1.0]
    """
    lengths, different = zip(*vocabulary_growth(tokens, points))
    return power_fit(lengths, different)


# ----------------------------------------------------------------------------------------------------
# How sure


def bootstrap(
    items: Sequence[Item], statistic: Callable[[list[Item]], float], rounds: int = 1000, seed: int = 11
) -> list[float]:
    """Return the statistic of ``rounds`` samples, sorted: each as many items as there are, drawn with repetition.

    It shows how much of a number is due to the choice of texts (Efron, 1979). Items are what could as well have been
    others: texts, sentences; not tokens, which depend on their neighbours.

    >>> bootstrap([5, 5, 5], lambda drawn: sum(drawn) / len(drawn), rounds=3)
    [5.0, 5.0, 5.0]
    """
    if not items or rounds < 1:
        raise InvalidOption(f"{rounds} samples of {len(items)} items: one of each is the least.")
    random = Random(seed)
    return sorted(statistic(random.choices(items, k=len(items))) for _ in range(rounds))


def interval(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """Return the two values between which the middle ``share`` of sorted values lies.

    >>> interval(list(range(1001)), 0.9)
    (50, 950)
    """
    if not values or not 0 < share < 1:
        raise InvalidOption(f"the middle {share!r} of {len(values)} values: share lies between 0 and 1.")
    cut = round((1 - share) / 2 * (len(values) - 1))
    return values[cut], values[-1 - cut]


def paired_interval(
    first: Sequence[float],
    second: Sequence[float],
    sizes: Sequence[float] | None = None,
    rounds: int = 2000,
    seed: int = 11,
) -> tuple[float, float, float]:
    """Return second minus first, and the 95 % interval of that difference: documents are drawn, in pairs.

    first, second : one number for each document, of the same documents. With ``sizes`` they are sums, such as bits, and
    what is compared is their sum over all documents divided by the sum of the sizes, such as bytes.

    Raises InvalidOption for lists of different lengths. Source: Efron (1979); Koehn (2004) for pairs.

    >>> paired_interval([10.0, 20.0], [9.0, 18.0], sizes=[5, 10])
    (-0.2, -0.2, -0.2)
    """
    sizes = [1.0] * len(first) if sizes is None else sizes
    if not len(first) == len(second) == len(sizes):
        raise InvalidOption(f"{len(first)}, {len(second)} and {len(sizes)} numbers: one of each for every document.")

    def difference(rows: list[tuple[float, float, float]]) -> float:
        one, other, size = map(sum, zip(*rows))
        return (other - one) / size

    rows = list(zip(first, second, sizes))
    return difference(rows), *interval(bootstrap(rows, difference, rounds, seed))


# ----------------------------------------------------------------------------------------------------
# Cost


def pareto_front(points: Mapping[Name, tuple[float, float]]) -> list[Name]:
    """Return the names that no other beats, cheapest first. ``points[name]`` is (cost, gain).

    One beats another if it costs no more and gains no less, and is better in one of the two.

    >>> pareto_front({"small": (1, 1), "good": (2, 5), "wasteful": (3, 4), "large": (4, 6)})
    ['small', 'good', 'large']
    """
    front: list[Name] = []
    for name in sorted(points, key=lambda name: (points[name][0], -points[name][1])):
        cost, gain = points[name]
        if not front or gain > points[front[-1]][1] or (cost, gain) == points[front[-1]]:
            front.append(name)
    return front


def transformer_parameters(
    vocabulary: int, width: int = 768, layers: int = 12, context: int = 1024, *, tied: bool = True
) -> tuple[int, int]:
    """Return (weights that belong to the vocabulary, all weights) of a model with the shape of GPT-2.

    tied : the table that turns ids into vectors also turns vectors into ids, as in GPT-2. Otherwise there are two.

    >>> transformer_parameters(50_257)
    (38597376, 124439808)
    """
    tables = vocabulary * width * (1 if tied else 2)
    # A layer: four matrices of attention and two of four times the width, their biases, and two normalisations.
    body = context * width + layers * (12 * width**2 + 13 * width) + 2 * width
    return tables, tables + body


def work_per_byte(
    vocabulary: int, bytes_per_token: float, width: int = 768, layers: int = 12, window: int = 4096
) -> dict[str, float]:
    """Return the multiplications of a GPT-2-shaped model for a byte of text, by part: layers, attention, head.

    window : how many bytes of text the model looks back on; attention pays for each token in it, half of them on
    average. The head compares each token's vector with every token of the vocabulary.

    >>> work_per_byte(256, 1.0, width=2, layers=1, window=8)
    {'layers': 48.0, 'attention': 16.0, 'head': 512.0}
    """
    length = _positive(bytes_per_token, "bytes_per_token")
    return {
        "layers": 12 * layers * width**2 / length,
        "attention": layers * width * (window / length) / length,
        "head": vocabulary * width / length,
    }
