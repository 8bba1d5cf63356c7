"""Exercise 08.merge_runs: merge sorted runs of counts, with the place where each word first occurs.

The runs of a case are parts of one random text, so lengths, counts and places fit together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def merge_runs(runs):
    """Return the run of the whole text.

    Counting with little memory produces *runs*. Each run holds the counts for one part of the text, sorted by word.
    Merge many runs into one.

    * **In:** `runs`, in the order of the text. A run is `(length, entries)`: how many bytes of the text it covers, and
      a list of `(word, count, first)`, sorted by `word` (`bytes`). `first` is the position of the word's first
      occurrence, in bytes from the beginning of *that run*.
    * **Out:** one run of the same form, `(length, entries)`, for the whole text.

    ```
    merge_runs([(8, [(b' be', 1, 2), (b' or', 1, 5), (b'to', 1, 0)]),
                (10, [(b' be', 1, 7), (b' not', 1, 0), (b' to', 1, 4)])])
      ->  (18, [(b' be', 2, 2), (b' not', 1, 8), (b' or', 1, 5), (b' to', 1, 12), (b'to', 1, 0)])
    ```

    Each run may be as large as the memory. Here everything is a list, but write your function so that it needs only one
    entry of each run at a time: read the runs side by side, and don't sort anything again. The check tries words that
    are in many runs, words that are the beginning of other words, letters of every kind, runs without words, and no
    runs at all.
    """

    def shifted(entries, shift):
        for word, count, first in entries:
            yield word, first + shift, count

    covered, readers = 0, []
    for length, entries in runs:
        readers.append(shifted(entries, covered))
        covered += length
    joined = []
    for word, place, count in heapq.merge(*readers):
        if joined and joined[-1][0] == word:
            count += joined[-1][1]
            place = joined.pop()[2]  # of equal words the earlier place comes first
        joined.append((word, count, place))
    return covered, joined


Entry = tuple[bytes, int, int]
Run = tuple[int, Sequence[Entry]]


def _merge_runs(runs: Sequence[Run]) -> Run:
    shift = 0
    found: dict[bytes, tuple[int, int]] = {}
    for length, entries in runs:
        for word, count, first in entries:
            old_count, old_first = found.get(word, (0, first + shift))
            found[word] = old_count + count, min(old_first, first + shift)
        shift += length
    merged = [(word, *rest) for word, rest in found.items()]
    return sum(length for length, _ in runs), sorted(merged)


def _an_entry_from_each(runs: Sequence[Run]) -> Run:
    shifted, shift = [], 0
    for length, entries in runs:
        shifted += [(word, count, first + shift) for word, count, first in entries]
        shift += length
    return shift, sorted(shifted)


def run_of(words: Sequence[bytes]) -> Run:
    """Return the run of a text: its length in bytes, and (word, count, first place) sorted by word.

    >>> run_of([b"to", b" be", b" or", b" to", b" be"])
    (14, [(b' be', 2, 2), (b' or', 1, 5), (b' to', 1, 8), (b'to', 1, 0)])
    """
    counts: dict[bytes, int] = {}
    firsts: dict[bytes, int] = {}
    at = 0
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        firsts.setdefault(word, at)
        at += len(word)
    return at, sorted((word, count, firsts[word]) for word, count in counts.items())


def _runs(random: Random, words: Sequence[bytes], number: int) -> list[Run]:
    cuts = sorted(random.choices(range(len(words) + 1), k=number - 1))
    return [run_of(words[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(words)])]


def _random_words(random: Random, size: int, letters: Sequence[str], longest: int, different: int) -> list[bytes]:
    pool = ["".join(random.choices(letters, k=random.randint(1, longest))).encode() for _ in range(different)]
    return random.choices(pool, k=size)


def _run_cases(random: Random) -> Iterator[Case]:
    yield Case("no runs", ([],))
    yield Case("runs without words", ([(0, []), (0, [])],))
    for number in range(2, 8):
        few = _random_words(random, 3 * number, "ab", 2, 4)
        yield Case("words of several runs", (_runs(random, few, number),))
        # A word that begins another, and every byte: the order is that of the bytes, not of an alphabet.
        odd = _random_words(random, 4 * number, [" ", "a", "Z", "é", "中", "~", "\x00"], 3, 3 * number)
        yield Case("other letters", (_runs(random, odd, number),))
        many = _random_words(random, 12 * number, "abcd", 3, 40)
        yield Case("many words", (_runs(random, many, number),))
        half = _random_words(random, 5 * number, "xyz", 2, 6)
        holes = list(chain.from_iterable(((0, []), run) for run in _runs(random, half, number)))
        yield Case("runs without words", (holes,))


EXERCISE = Exercise(
    key="08.merge_runs",
    answer=merge_runs,
    title="Many sorted lists into one",
    kind="write",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Each run begins where the runs before it end. And if you read all runs at the same time, where "
        "can the next word of the result be?",
        "shift the positions of each run by the lengths of all runs before it; read the runs side by "
        "side, always taking the smallest word in front; if it is the same word as the last one: add the "
        "count, keep the smaller position",
        "Lesson 08, where memory gets a limit: `heapq.merge` reads many sorted lists and never keeps "
        "more than one entry of each.",
    ),
    wanted=_merge_runs,
    shown=(
        Case("words of several runs", ([run_of([b"to", b" be", b" or"]), run_of([b" not", b" to", b" be"])],)),
        Case("words of several runs", ([run_of([b"a"]), run_of([b"b", b"a"]), run_of([b"a", b"c"])],)),
        Case("runs without words", ([(0, []), run_of([b"ab", b"a"]), (0, [])],)),
    ),
    drawn=_run_cases,
    mistakes=(
        Mistake(
            "an-entry-from-each-run",
            "A word that is in several runs is still one word: one entry, with all its occurrences.",
            like=_an_entry_from_each,
        ),
        Mistake(
            "places-within-the-run",
            "Each run counts its places from its own beginning. Where does it begin in the whole text?",
            like=edited(_merge_runs, ("first + shift", "first")),
        ),
        Mistake(
            "shifts-by-one-run",
            "A run begins after all the runs before it, not only after the last of them.",
            like=edited(_merge_runs, ("shift += length", "shift = length")),
        ),
        Mistake(
            "the-last-place",
            "Of the places of a word, keep the first one in the text.",
            like=edited(_merge_runs, ("min(", "max(")),
        ),
        Mistake(
            "in-the-order-of-places",
            "The entries are right, but not their order. The result is a run, too, and may be merged again: sort it by "
            "word.",
            like=edited(_merge_runs, ("sorted(merged)", "sorted(merged, key=lambda entry: entry[2])")),
            when=lambda case, outcome, wanted: (outcome.value[0], sorted(outcome.value[1])) == wanted,
        ),
    ),
    avoid=("sorted(", ".sort("),
)
