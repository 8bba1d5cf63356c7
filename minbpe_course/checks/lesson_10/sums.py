"""The exercise of lesson 10 about all paths at once: how often each piece is expected in some words.

Every cut of a word counts by as much as it is likely. Long words have so many cuts that nobody can list them, and so
small a probability that no float but 0 can hold it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.checks.lesson_10.paths import Scores
from minbpe_course.reference.unigram_training import expectation_step

Edges = list[tuple[int, int]]
NEVER = -math.inf


def edges_of(text: str, scores: Scores) -> Edges:
    """Return where pieces begin and end, by their end, shorter pieces first.

    >>> edges_of("ab", {"a": -1.0, "b": -1.0, "ab": -1.0})
    [(0, 1), (1, 2), (0, 2)]
    """
    longest = max(map(len, scores), default=0)
    return [
        (begin, end)
        for end in range(1, len(text) + 1)
        for begin in range(end - 1, max(-1, end - longest - 1), -1)
        if text[begin:end] in scores
    ]


def log_sum(logarithms: Sequence[float]) -> float:
    """Return the logarithm of the sum of the numbers whose logarithms are given.

    >>> round(math.exp(log_sum([math.log(2), math.log(3)])), 9), log_sum([])
    (5.0, -inf)
    """
    greatest = max(logarithms, default=NEVER)
    if greatest == NEVER:
        return NEVER
    return greatest + math.log(sum(math.exp(one - greatest) for one in logarithms))


def likeliest(text: str, scores: Scores, *, later: bool = False) -> list[str]:
    """Return the best cut; of equal sums the one that is found first, or the last one.

    >>> likeliest("ab", {"a": -1.0, "b": -1.0, "ab": -1.5})
    ['ab']
    """
    best = [0.0] + [NEVER] * len(text)
    came = [0] * (len(text) + 1)
    for begin, end in edges_of(text, scores):
        total = best[begin] + scores[text[begin:end]]
        if total > best[end] or (later and total == best[end]):
            best[end], came[end] = total, begin
    path, place = [], len(text)
    while place:
        path.append(text[came[place] : place])
        place = came[place]
    return path[::-1]


def drawn_word(random: Random, length: int) -> tuple[str, dict[str, float]]:
    """Return a word, and scores of pieces that can spell it: its characters and some stretches of it."""
    word = "▁" + "".join(random.choices(random.choice(("ab", "abc", "é中", "e\u0301🙂", "a")), k=length - 1))
    cuts = sorted({word[at : at + size] for at in range(length) for size in (2, 3, 4) if at + size <= length})
    pieces = sorted({*word, *random.sample(cuts, min(len(cuts), 3 + length // 2))})
    return word, {piece: -random.randint(1 << 10, 12 << 10) / (1 << 11) for piece in random.sample(pieces, len(pieces))}


ONE_WORD, SEVERAL, UNUSED_PIECE, LONG = (
    "one word",
    "several words",
    "a piece that fits nowhere",
    "a long word",
)
Expected = dict[str, float]


def expected_counts(words: Mapping[str, int], scores: Scores) -> Expected:
    """Return for every piece how often it is expected in the words, each word as often as its count says.

    >>> expected_counts({"ab": 4}, {"a": -1.0, "b": -1.0, "ab": -2.0})
    {'a': 2.0, 'b': 2.0, 'ab': 2.0}
    """
    counts, _ = expectation_step(words, scores)
    return {piece: round(count, 12) for piece, count in counts.items()}  # 2.0 reads better than 1.9999999999999998


def _expected(words: Mapping[str, int], scores: Scores, *, divided: bool = True, weighted: bool = True) -> Expected:
    counts = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        edges = edges_of(word, scores)
        before: list[list[float]] = [[] for _ in range(len(word) + 1)]
        behind: list[list[float]] = [[] for _ in range(len(word) + 1)]
        before[0], behind[-1] = [0.0], [0.0]
        # By their ends: all ways to the begin of an edge are there when its turn comes. And the other way round.
        for begin, end in edges:
            before[end].append(log_sum(before[begin]) + scores[word[begin:end]])
        for begin, end in sorted(edges, reverse=True):
            behind[begin].append(log_sum(behind[end]) + scores[word[begin:end]])
        forward, backward = [log_sum(one) for one in before], [log_sum(one) for one in behind]
        whole = forward[-1] if divided else 0.0
        for begin, end in edges:
            piece = word[begin:end]
            share = math.exp(forward[begin] + scores[piece] + backward[end] - whole)
            counts[piece] += share * (count if weighted else 1)
    return counts


def without_counts(words: Mapping[str, int], scores: Scores) -> Expected:
    """Take every word once."""
    return _expected(words, scores, weighted=False)


def not_divided(words: Mapping[str, int], scores: Scores) -> Expected:
    """Add up the probabilities of paths, as if other words could have been there."""
    return _expected(words, scores, divided=False)


def every_cut_alike(words: Mapping[str, int], scores: Scores) -> Expected:
    """Count every cut as much as any other."""
    return _expected(words, dict.fromkeys(scores, 0.0))


def best_cut_only(words: Mapping[str, int], scores: Scores) -> Expected:
    """Count the best cut of every word."""
    counts = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece in likeliest(word, scores):
            counts[piece] += count
    return counts


def forward_only(words: Mapping[str, int], scores: Scores) -> Expected:
    """Forget what comes behind a piece."""
    counts = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        before: list[list[float]] = [[0.0], *([] for _ in word)]
        for begin, end in edges_of(word, scores):
            before[end].append(log_sum(before[begin]) + scores[word[begin:end]])
        for begin, end in edges_of(word, scores):
            share = log_sum(before[begin]) + scores[word[begin:end]] - log_sum(before[end])
            counts[word[begin:end]] += count * math.exp(share)
    return counts


def is_zero(case: Case, outcome: Outcome, wanted: Expected) -> bool:
    """Tell whether a long word has become 0, or something divided by it."""
    if case.category != LONG:
        return False
    if outcome.state == "raised":
        return outcome.error in ("ZeroDivisionError", "ValueError", "OverflowError")
    return all(not count or math.isnan(count) for count in outcome.value.values())


def count_cases(random: Random) -> Iterator[Case]:
    """Yield words with scores, short ones first, and words whose probability no float can hold."""
    for length in range(2, 10):
        word, scores = drawn_word(random, length)
        yield Case(ONE_WORD, ({word: random.randint(2, 9)}, scores))
        words = [drawn_word(random, random.randint(2, length + 1)) for _ in range(3)]
        together = {piece: score for _, some in words for piece, score in some.items()}
        yield Case(SEVERAL, ({word: random.randint(1, 99) for word, _ in words}, together))
        yield Case(UNUSED_PIECE, ({word: random.randint(1, 5)}, {**scores, "▁" + word: -1.0, "?": -0.5}))
    for _ in range(3):
        word, scores = drawn_word(random, 10)
        word = (word * 30)[: random.randint(200, 260)]
        # Below exp(-745) there is no float but zero.
        yield Case(LONG, ({word: 2}, {piece: score - 5.0 * len(piece) for piece, score in scores.items()}))


EXPECTED_COUNTS = Exercise(
    key="10.expected_counts",
    title="How often, on average?",
    kind="match",
    entry="expected_counts",
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "An edge of the lattice is used by every path that comes to its begin, and goes on from its end. How likely is "
        "all of that together, in parts of all paths? And long words: the product of many small numbers is 0, the sum "
        "of their logarithms is not.",
        "forward[0] = 0, forward[end] = log_sum(forward[begin] + score over all pieces that end there); backward the "
        "same from the other end; each edge adds count * exp(forward[begin] + score + backward[end] - forward[-1]). "
        "log_sum(xs) = m + log(sum(exp(x - m))), with m the greatest of them",
        "Lesson 10, section 5: `arc_shares`, and the picture with the share of each piece.",
    ),
    wanted=expected_counts,
    shown=(
        Case(ONE_WORD, ({"ab": 4}, {"a": -1.0, "b": -1.0, "ab": -2.0})),
        Case(SEVERAL, ({"ab": 1, "abb": 10}, {"a": -1.0, "b": -2.0, "ab": -2.5, "bb": -3.0})),
        Case(UNUSED_PIECE, ({"a": 3}, {"a": -1.0, "b": -1.0})),
        Case(LONG, ({"a" * 200: 1}, {"a": -5.0, "aa": -9.0})),
    ),
    drawn=count_cases,
    mistakes=(
        Mistake(
            "underflow",
            "The probability of a long word is smaller than any float but 0. Add logarithms instead of multiplying, or "
            "scale the sums at every place.",
            when=is_zero,
        ),
        Mistake(
            "best-cut-only",
            "These are the counts of the best cut. Every cut counts, by as much as it is likely.",
            like=best_cut_only,
        ),
        Mistake("every-cut-alike", "A likelier cut counts more: its share is exp of its sum.", like=every_cut_alike),
        Mistake("without-counts", "A word that comes ten times adds ten times as much.", like=without_counts),
        Mistake(
            "not-divided",
            "The word is there for certain, cut in one way or another: divide by the sum over all its cuts.",
            like=not_divided,
        ),
        Mistake(
            "forward-only",
            "What comes behind a piece matters too: a piece from whose end nothing likely goes on is rarely used.",
            like=forward_only,
        ),
        Mistake(
            "pieces-left-out",
            "Every piece of `scores` has a count, if only 0.0.",
            when=lambda case, outcome, wanted: isinstance(outcome.value, dict) and len(outcome.value) < len(wanted),
        ),
    ),
)
