"""Exercise 14.expected_counts: how often each piece occurs in all segmentations of all words, by their probability.

A long word has too many segmentations to list, and their probabilities are too small for a float.
"""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.arcs import arcs
from minbpe_course.learning.exercises.lesson_13.forward import forward
from minbpe_course.learning.exercises.lesson_13.lattices import drawn_word
from minbpe_course.learning.exercises.lesson_14.backward import backward
from minbpe_course.learning.exercises.lesson_14.paths import likeliest


def expected_counts(words, scores):
    """Return the expected count of each piece in the words, a dict from piece to float.

    To learn scores, a trainer has to know how often each piece is used. But a word has many segmentations. So the
    trainer counts all of them, each in proportion to its probability: if `ab` is split as `a`, `b` with probability
    1/4, this adds 1/4 to `a` and 1/4 to `b` each time the word occurs. This is the **E-step**.

    * **In:** `words`, a dict from word to how often it occurs; `scores`, whose pieces can spell every word.
    * **Out:** a dict from **every** piece in `scores` to its expected count, a float.

    The weight of a segmentation is exp of the sum of its scores, and its probability is its share of the weight of all
    segmentations of that word. An arc from `begin` to `end` needs only three numbers: the weight of all ways to
    `begin`, its own score, and the weight of all ways from `end` on. Those are `forward` and `backward`, and `arcs`
    lists the arcs. Stay with logarithms until the end: the probability of a word of two hundred characters is so small
    that a float rounds it to 0.

    `expected_counts({"ab": 4}, {"a": -1.0, "b": -1.0, "ab": -2.0})` is `{"a": 2.0, "b": 2.0, "ab": 2.0}`, because both
    segmentations are equally likely. Nine correct digits are enough.

    The check tries one word, several words, pieces that fit nowhere, positions where no piece ends, and long words.
    """
    expected = dict.fromkeys(scores, 0.0)
    for word, times in words.items():
        found = arcs(word, scores)
        before, after = forward(len(word), found), backward(len(word), found)
        for begin, end, score in found:
            share = math.exp(before[begin] + score + after[end] - before[-1])
            expected[word[begin:end]] += times * share
    return expected


ONE_WORD, SEVERAL, UNUSED_PIECE, LONG = "one word", "several words", "a piece that fits nowhere", "a long word"
NO_END = "a position where no piece ends"


def _is_of_best(case, outcome, wanted):
    """Tell whether the counts are those of one likeliest segmentation of each word; of equal ones any may be chosen."""
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
    packages=("numpy",),
    difficulty=3,
    minutes=15,
    points=4,
    hints=(
        "An arc belongs to every segmentation that reaches its beginning and continues from its end. What share of the "
        "weight of all segmentations is that?",
        "Lesson 14, where it counts in fractions: the share of one arc.",
        "counts of 0.0 for every piece; for each word: its arcs, before = forward(...), after = backward(...); each "
        "arc adds times * exp(before[begin] + score + after[end] - before[-1]) to the count of its piece",
    ),
    shown=(
        (ONE_WORD, {"ab": 3}, {"a": -1.0, "b": -2.0}),
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
            "scale the sums at every position.",
            when=_is_zero,
        ),
        Mistake(
            "best-segmentation-only",
            "These are the counts of the best segmentation. Every one counts, by as much as it is likely.",
            when=_is_of_best,
        ),
        Mistake(
            "all-alike",
            "A likelier segmentation counts more: its share is exp of its sum.",
            like=("arcs(word, scores)", "[(begin, end, 0.0) for begin, end, _ in arcs(word, scores)]"),
        ),
        Mistake(
            "without-counts",
            "A word that occurs ten times adds ten times as much.",
            like=("times * share", "share"),
        ),
        Mistake(
            "not-divided",
            "The word is certain, only its segmentation is not: divide by the sum over all of them.",
            like=(" - before[-1]", ""),
        ),
        Mistake(
            "forward-only",
            "What follows a piece matters too: a piece that nothing likely can follow is rarely used.",
            like=("after[end] - before[-1]", "-before[end]"),
        ),
        Mistake(
            "pieces-left-out",
            "Every piece of `scores` has a count, if only 0.0.",
            when=lambda case, outcome, wanted: outcome.value.keys() < wanted.keys(),
        ),
    ),
)
