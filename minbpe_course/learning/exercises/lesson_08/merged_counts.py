"""Exercise 08.merged_counts: merge sorted runs of counts, one entry of each run at a time."""

import heapq
from collections import Counter
from itertools import groupby

from minbpe_course.learning import Exercise, Mistake


def merged_counts(runs):
    """Yield (word, count) in sorted order, reading one entry of each run at a time.

    Each run is sorted, so the smallest of the front entries always comes next. `heapq.merge(*runs)` yields the entries
    of all runs in that order, and keeps only one of each run in memory. Equal words then follow one another.

    * **In:** `runs`, a list of runs. A run is a list of `(word, count)`, sorted by word, each word once.
    * **Out:** yield each word once, as a tuple of the word and the sum of its counts, in sorted order. (A list of these
      tuples is right, too, but it has to fit into memory.)

    `list(merged_counts([[("a", 1), ("c", 2)], [("a", 4), ("b", 1)]]))` is `[("a", 5), ("b", 1), ("c", 2)]`.

    `itertools.groupby(entries, key=...)` groups neighbors with an equal key: it yields the key and the entries of the
    group.
    """
    for word, same in groupby(heapq.merge(*runs), key=lambda entry: entry[0]):
        yield word, sum(count for _, count in same)


def by_counter(runs):
    """Add up in memory, as an independent witness."""
    total = Counter()
    for run in runs:
        total.update(dict(run))
    return sorted(total.items())


ONCE, OFTEN, BEGINS = "words of one run", "words of several runs", "words that begin other words"


def cases(random):
    yield ONCE, []
    yield ONCE, [[], []]
    for number in range(1, 8):
        for category, words in ((OFTEN, "abcd"), (BEGINS, ["a", "aa", "aab", "ab", "b", "ba"]), (ONCE, "efghijk")):
            runs = [sorted((word, random.randint(1, 12)) for word in random.sample([*words], 3)) for _ in range(number)]
            yield category, runs[:1] if category == ONCE else runs


EXERCISE = Exercise(
    "08.merged_counts",
    "One entry of each run",
    "write",
    answer=merged_counts,
    wanted=by_counter,
    minutes=6,
    hints=(
        "In merged order, where are the other entries of the same word?",
        "Lesson 08, after the runs: `heapq.merge` and `itertools.groupby`.",
        "for word, same in groupby(heapq.merge(*runs), key=the word of an entry): yield the word and the sum of the "
        "counts in same",
    ),
    shown=(
        (ONCE, [[("a", 3)]]),
        (OFTEN, [[("a", 1), ("c", 2)], [("a", 4), ("b", 1)]]),
        (BEGINS, [[("a", 3)], [("aa", 1)], [("a", 1)]]),
    ),
    drawn=cases,
    avoid=("sorted(", ".sort(", "Counter"),
    mistakes=(
        Mistake(
            "not-added",
            "A word of several runs comes out once, with the sum of its counts.",
            like=lambda runs: [*heapq.merge(*runs)],
        ),
        Mistake(
            "counts-the-runs",
            "That is in how many runs the word is. Add up its counts.",
            like=("sum(count for _, count in same)", "len([*same])"),
        ),
        Mistake(
            "one-count-only",
            "You keep the count of one run. Add up all of them.",
            like=("sum(count for _, count in same)", "[*same][-1][1]"),
        ),
        Mistake(
            "grouped-by-entry",
            "Two entries of one word may have different counts. Group by the word alone.",
            like=(
                ("key=lambda entry: entry[0]", "key=None"),
                ("yield word, sum", "yield word[0], sum"),
            ),
        ),
    ),
)
