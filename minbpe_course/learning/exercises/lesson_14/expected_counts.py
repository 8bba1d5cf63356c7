"""Exercise 14.expected_counts: how often each piece occurs in all cuts of all words, weighted by their probability.

A long word has too many cuts to list, and their probabilities are too small for a float.
"""

import math

import numpy as np

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_word
from minbpe_course.learning.exercises.lesson_14.paths import likeliest


def expected_counts(words, scores):
    """Return the expected count of each piece in the words, a dict from piece to float.

    To learn scores, a trainer has to know how often each piece is used. But a word can be split in many ways. So the
    trainer counts all of them, each in proportion to its probability: if `ab` is split as `a`, `b` with probability
    1/4, this adds 1/4 to `a` and 1/4 to `b` each time the word occurs. Lesson 14 has the parts of the answer: put them
    together here, so that they work for all words and pieces.

    * **In:** `words`, a dict from word to how often it occurs; `scores`, whose pieces can spell every word.
    * **Out:** a dict from **every** piece in `scores` to its expected count, a float.

    The weight of a path is exp of the sum of its scores, and its probability is its share of the weight of all paths of
    that word. For a long word, there are far too many paths to list. But a piece from `begin` to `end` needs only three
    numbers: the weight of all paths to `begin`, its own score, and the weight of all paths from `end` on. Watch out for
    words of two hundred characters: their probability is so small that a float rounds it to 0.

    `expected_counts({"ab": 4}, {"a": -1.0, "b": -1.0, "ab": -2.0})` is `{"a": 2.0, "b": 2.0, "ab": 2.0}`, because both
    paths are equally likely. Nine correct digits are enough.

    The check tries one word, several words, pieces that fit nowhere, places where no piece ends, and long words.
    """
    longest = max(map(len, scores))
    expected = dict.fromkeys(scores, 0.0)
    for word, times in words.items():
        edges = [
            (begin, end, scores[word[begin:end]])
            for end in range(1, len(word) + 1)
            for begin in range(max(0, end - longest), end)
            if word[begin:end] in scores
        ]
        # Edges are sorted by their ends, so all paths to the start of an edge are known before it. And the reverse.
        reach, onward = [0.0] + [-math.inf] * len(word), [-math.inf] * len(word) + [0.0]
        for begin, end, score in edges:
            reach[end] = np.logaddexp(reach[end], reach[begin] + score)
        for begin, end, score in sorted(edges, reverse=True):
            onward[begin] = np.logaddexp(onward[begin], score + onward[end])
        for begin, end, score in edges:
            expected[word[begin:end]] += times * math.exp(reach[begin] + score + onward[end] - reach[-1])
    return {piece: round(count, 12) for piece, count in expected.items()}  # 2.0 reads better than 1.9999999999999998


ONE_WORD, SEVERAL, UNUSED_PIECE, LONG = "one word", "several words", "a piece that fits nowhere", "a long word"
NO_END = "a place where no piece ends"


def _is_of_best_cuts(case, outcome, wanted):
    """Tell whether the counts are those of one likeliest cut of each word; of equally likely ones any may be chosen."""
    (words, scores), counts = case.args, outcome.value
    best = sum(count * scores[piece] for word, count in words.items() for piece in likeliest(word, scores))
    whole = all(count == round(count) for count in counts.values())
    return whole and math.isclose(sum(count * scores[piece] for piece, count in counts.items()), best, rel_tol=1e-9)


def _is_zero(case, outcome, wanted):
    return case.category == LONG and (
        outcome.error in ("ZeroDivisionError", "ValueError", "OverflowError")
        or all(not count or math.isnan(count) for count in outcome.value.values())
    )


def count_cases(random):
    """Yield words with scores, short ones first, and words whose probability no float can hold."""
    yield NO_END, {"abc": 4}, {"ab": -1.0, "c": -2.0, "abc": -2.5}
    for length in range(2, 10):
        word, scores = drawn_word(random, length)
        yield ONE_WORD, {word: random.randint(2, 9)}, scores
        words = [drawn_word(random, random.randint(2, length + 1)) for _ in range(3)]
        together = {piece: score for _, some in words for piece, score in some.items()}
        yield SEVERAL, {word: random.randint(1, 99) for word, _ in words}, together
        yield UNUSED_PIECE, {word: random.randint(1, 5)}, {**scores, "▁" + word: -1.0, "?": -0.5}
    for _ in range(3):
        word, scores = drawn_word(random, 10)
        word = (word * 30)[: random.randint(200, 260)]
        # Below exp(-745) the only float is zero.
        yield LONG, {word: 2}, {piece: score - 5.0 * len(piece) for piece, score in scores.items()}


EXERCISE = Exercise(
    "14.expected_counts",
    "How often, on average?",
    "match",
    answer=expected_counts,
    difficulty=3,
    minutes=20,
    points=4,
    hints=(
        "A piece at one place is used by every path that reaches its start and continues from its end. What share of "
        "the weight of all paths is that? And for long words, the product of many small numbers rounds to 0, but the "
        "sum of their logarithms does not.",
        "Lesson 14, where it counts in fractions: the share of one piece at one place.",
        "forward is 0 at the start of the word, and -inf elsewhere; for each end, for each piece that ends there: "
        "forward[end] = np.logaddexp(forward[end], forward[begin] + score); backward the same from the other end; each "
        "piece at each place adds count * exp(forward[begin] + score + backward[end] - forward[-1])",
    ),
    shown=(
        (ONE_WORD, {"ab": 4}, {"a": -1.0, "b": -1.0, "ab": -2.0}),
        (SEVERAL, {"ab": 1, "abb": 10}, {"a": -1.0, "b": -2.0, "ab": -2.5, "bb": -3.0}),
        (UNUSED_PIECE, {"a": 3}, {"a": -1.0, "b": -1.0}),
        (NO_END, {"ab": 1}, {"ab": -1.0}),
        (LONG, {"a" * 200: 1}, {"a": -5.0, "aa": -9.0}),
    ),
    drawn=count_cases,
    mistakes=(
        Mistake(
            "underflow",
            "The probability of a long word is smaller than any float but 0. Add logarithms instead of multiplying, or "
            "scale the sums at every place.",
            when=_is_zero,
        ),
        Mistake(
            "best-cut-only",
            "These are the counts of the best cut. Every cut counts, by as much as it is likely.",
            when=_is_of_best_cuts,
        ),
        Mistake(
            "every-cut-alike",
            "A likelier cut counts more: its share is exp of its sum.",
            like=("(begin, end, scores[word[begin:end]])", "(begin, end, 0.0)"),
        ),
        Mistake(
            "without-counts",
            "A word that occurs ten times adds ten times as much.",
            like=("times * math", "math"),
        ),
        Mistake(
            "not-divided",
            "The word is certain, only its cut is not: divide by the sum over all its cuts.",
            like=(" - reach[-1]", ""),
        ),
        Mistake(
            "forward-only",
            "What follows a piece matters too: a piece that nothing likely can follow is rarely used.",
            like=("onward[end] - reach[-1]", "-reach[end]"),
        ),
        Mistake(
            "pieces-left-out",
            "Every piece of `scores` has a count, if only 0.0.",
            when=lambda case, outcome, wanted: outcome.value.keys() < wanted.keys(),
        ),
    ),
)
