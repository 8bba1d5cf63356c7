"""Exercise 08.merge_runs: merge sorted runs of counts, with the place where each word first occurs.

The runs of a case are parts of one random text, so lengths, counts and places fit together.
"""

import heapq

from minbpe_course.learning import Exercise, Mistake


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


def run_of(words):
    """Return the run of a text: its length in bytes, and (word, count, first place) sorted by word.

    >>> run_of([b"to", b" be", b" or", b" to", b" be"])
    (14, [(b' be', 2, 2), (b' or', 1, 5), (b' to', 1, 8), (b'to', 1, 0)])
    """
    starts = [sum(map(len, words[:at])) for at in range(len(words) + 1)]
    return starts[-1], [(word, words.count(word), starts[words.index(word)]) for word in sorted({*words})]


def cases(random):
    yield "no runs", []
    yield "runs without words", [(0, []), (0, [])]
    for number in range(2, 8):
        for category, size, letters, longest, different in (
            ("words of several runs", 3, "ab", 2, 4),
            # A word that begins another, and every byte: the order is that of the bytes, not of an alphabet.
            ("other letters", 4, " aZé中~\x00", 3, 3 * number),
            ("many words", 12, "abcd", 3, 40),
            ("runs without words", 5, "xyz", 2, 6),
        ):
            pool = ["".join(random.choices(letters, k=random.randint(1, longest))).encode() for _ in range(different)]
            words = random.choices(pool, k=size * number)
            cuts = [0, *sorted(random.choices(range(len(words) + 1), k=number - 1)), len(words)]
            runs = [run_of(words[begin:end]) for begin, end in zip(cuts, cuts[1:])]
            yield category, [runs[0], (0, []), *runs[1:]] if category == "runs without words" else runs


EXERCISE = Exercise(
    "08.merge_runs",
    "Many sorted lists into one",
    "write",
    answer=merge_runs,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Each run begins where the runs before it end. And if you read all runs at the same time, where "
        "can the next word of the result be?",
        "Lesson 08, where memory gets a limit: `heapq.merge` reads many sorted lists and never keeps "
        "more than one entry of each.",
        "shift the positions of each run by the lengths of all runs before it; read the runs side by "
        "side, always taking the smallest word in front; if it is the same word as the last one: add the "
        "count, keep the smaller position",
    ),
    shown=(
        ("words of several runs", [run_of([b"to", b" be", b" or"]), run_of([b" not", b" to", b" be"])]),
        ("words of several runs", [run_of([b"a"]), run_of([b"b", b"a"]), run_of([b"a", b"c"])]),
        ("runs without words", [(0, []), run_of([b"ab", b"a"]), (0, [])]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "an-entry-from-each-run",
            "A word that is in several runs is still one word: one entry, with all its occurrences.",
            like=(("if joined and joined[-1][0] == word", "if False"), ("covered, joined", "covered, sorted(joined)")),
        ),
        Mistake(
            "places-within-the-run",
            "Each run counts its places from its own beginning. Where does it begin in the whole text?",
            like=("first + shift", "first"),
        ),
        Mistake(
            "shifts-by-one-run",
            "A run begins after all the runs before it, not only after the last of them.",
            like=(
                ("covered += length", "covered = length"),
                ("return covered", "return sum(length for length, _ in runs)"),
            ),
        ),
        Mistake(
            "the-last-place",
            "Of the places of a word, keep the first one in the text.",
            like=("place = joined.pop()[2]", "joined.pop()"),
        ),
        Mistake(
            "in-the-order-of-places",
            "The entries are right, but not their order. The result is a run, too, and may be merged again: sort it by "
            "word.",
            like=("covered, joined", "covered, sorted(joined, key=lambda one: one[2])"),
        ),
    ),
    avoid=("sorted(", ".sort("),
)
