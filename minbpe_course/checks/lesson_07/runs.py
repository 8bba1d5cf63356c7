"""Lesson 07, counts of many parts made one: sorted runs with places of first occurrence, and rare words dropped.

The runs of a case come from a text that is drawn as words and cut into parts, so that lengths, counts and places are
those of a text. What is wanted is worked out from the runs with a dict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake

Entry = tuple[bytes, int, int]
Run = tuple[int, Sequence[Entry]]

# ----------------------------------------------------------------------------------------------------
# 07.merge_runs


def _merging(
    begins: Callable[[Sequence[int]], Sequence[int]] | None = None,
    which: Callable[..., int] = min,
    order: Callable[[Entry], object] = lambda entry: entry[0],
) -> Callable[[Sequence[Run]], Run]:
    """Return the merge of runs in which one thing may be otherwise: where runs begin, which place is kept, the order.

    begins : lengths of the runs -> what is added to the places of each; as a rule the sum of the lengths before it.
    """

    def merge_runs(runs: Sequence[Run]) -> Run:
        lengths = [length for length, _ in runs]
        shifts = begins(lengths) if begins else [sum(lengths[:number]) for number in range(len(lengths))]
        found: dict[bytes, tuple[int, int]] = {}
        for shift, (_, entries) in zip(shifts, runs):
            for word, count, first in entries:
                old_count, old_first = found.get(word, (0, first + shift))
                found[word] = old_count + count, which(old_first, first + shift)
        return sum(lengths), sorted(((word, *rest) for word, rest in found.items()), key=order)  # type: ignore[arg-type]

    return merge_runs


def _an_entry_each(runs: Sequence[Run]) -> Run:
    lengths = [length for length, _ in runs]
    shifted = (
        (word, count, first + sum(lengths[:number]))
        for number, (_, entries) in enumerate(runs)
        for word, count, first in entries
    )
    return sum(lengths), sorted(shifted)


def run_of(words: Sequence[bytes]) -> Run:
    """Count a part of a text as the exercise does: its length in bytes, and (word, count, first place) sorted by word.

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


def _text(random: Random, size: int, letters: Sequence[str], longest: int, different: int) -> list[bytes]:
    pool = ["".join(random.choices(letters, k=random.randint(1, longest))).encode() for _ in range(different)]
    return random.choices(pool, k=size)


def _run_cases(random: Random) -> Iterator[Case]:
    yield Case("no runs", ([],))
    yield Case("runs without words", ([(0, []), (0, [])],))
    for number in range(2, 8):
        few = _text(random, 3 * number, "ab", 2, 4)
        yield Case("words of several runs", (_runs(random, few, number),))
        # A word that begins another, and every byte: the order is that of the bytes, not of an alphabet.
        odd = _text(random, 4 * number, [" ", "a", "Z", "é", "中", "~", "\x00"], 3, 3 * number)
        yield Case("other letters", (_runs(random, odd, number),))
        many = _text(random, 12 * number, "abcd", 3, 40)
        yield Case("many words", (_runs(random, many, number),))
        half = _text(random, 5 * number, "xyz", 2, 6)
        holes = list(chain.from_iterable(((0, []), run) for run in _runs(random, half, number)))
        yield Case("runs without words", (holes,))


MERGE_RUNS = Exercise(
    key="07.merge_runs",
    title="Many sorted lists, one",
    kind="write",
    entry="merge_runs",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Each run begins where the runs before it end. And when all are read side by side, where can the next word of "
        "the result be?",
        "shift the places of each run by the lengths of all runs before it; read the runs side by side, always taking "
        "the smallest word in front; same word as the last: add the count, keep the smaller place",
        'Lesson 07, "A ceiling for the memory": `heapq.merge` reads many sorted lists and never holds more than one '
        "entry of each.",
    ),
    wanted=_merging(),
    shown=(
        Case(
            "words of several runs",
            ([run_of([b"to", b" be", b" or"]), run_of([b" not", b" to", b" be"])],),
        ),
        Case("words of several runs", ([run_of([b"a"]), run_of([b"b", b"a"]), run_of([b"a", b"c"])],)),
        Case("runs without words", ([(0, []), run_of([b"ab", b"a"]), (0, [])],)),
    ),
    drawn=_run_cases,
    mistakes=(
        Mistake(
            "an-entry-from-each-run",
            "A word that is in several runs is still one word: one entry, with all its occurrences.",
            like=_an_entry_each,
        ),
        Mistake(
            "places-within-the-run",
            "Each run counts its places from its own beginning. Where does it begin in the whole text?",
            like=_merging(begins=lambda lengths: [0] * len(lengths)),
        ),
        Mistake(
            "shifts-by-one-run",
            "A run begins behind all the runs before it, not only behind the last of them.",
            like=_merging(begins=lambda lengths: [0, *lengths][: len(lengths)]),
        ),
        Mistake(
            "the-last-place",
            "Of the places of a word, the first one in the text is wanted.",
            like=_merging(which=max),
        ),
        Mistake(
            "in-the-order-of-places",
            "The result is a run, too, and may be merged again: sorted by word.",
            like=_merging(order=lambda entry: entry[2]),
        ),
    ),
    avoid=("sorted(", ".sort("),
)

# ----------------------------------------------------------------------------------------------------
# 07.merge_pruned

Counts = Mapping[bytes, int]
Pruned = tuple[dict[bytes, int], tuple[int, int, int]]


def _added(parts: Sequence[Counts]) -> dict[bytes, int]:
    total: dict[bytes, int] = {}
    for part in parts:
        for word, count in part.items():
            total[word] = total.get(word, 0) + count
    return total


def _pruned(parts: Sequence[Counts], least: int) -> Pruned:
    total = _added(parts)
    rare = {word: count for word, count in total.items() if count < least}
    kept = {word: count for word, count in total.items() if count >= least}
    return kept, (len(rare), sum(rare.values()), sum(len(word) * count for word, count in rare.items()))


def _pruned_too_early(parts: Sequence[Counts], least: int) -> Pruned:
    kept = _added([{word: count for word, count in part.items() if count >= least} for part in parts])
    rare = _added([{word: count for word, count in part.items() if count < least} for part in parts])
    gone = sum(1 for word in _added(parts) if word not in kept)
    return kept, (gone, sum(rare.values()), sum(len(word) * count for word, count in rare.items()))


def _early_and_twice(parts: Sequence[Counts], least: int) -> Pruned:
    kept, (_, occurrences, size) = _pruned_too_early(parts, least)
    return kept, (sum(count < least for part in parts for count in part.values()), occurrences, size)


def _said(words: bool = True, occurrences: bool = True) -> Callable[[Sequence[Counts], int], Pruned]:
    """Return a pruning that drops what it should and says something else: words or occurrences in the wrong place."""

    def merge_pruned(parts: Sequence[Counts], least: int) -> Pruned:
        kept, (rare, times, size) = _pruned(parts, least)
        once = sum(len(word) for word in _added(parts) if word not in kept)
        return kept, (rare if words else times, times if words else rare, size if occurrences else once)

    return merge_pruned


def _part(random: Random, size: int, most: int) -> dict[bytes, int]:
    words = [bytes(random.choices(b"abc\xe9", k=random.randint(1, 3))) for _ in range(size)]
    return {word: random.randint(1, most) for word in words}


def _pruned_cases(random: Random) -> Iterator[Case]:
    yield Case("no parts", ([], 2))
    yield Case("nothing is left", ([{b"a": 1}, {b"b": 1}], 2))
    for size in range(1, 8):
        yield Case("one part", ([_part(random, 2 * size, 5)], random.randint(2, 4)))
        scattered = bytes(random.choices(b"xyz", k=4))
        parts = [_part(random, size, 4) | {scattered: 1} for _ in range(4)]
        yield Case("a little in each part", (parts, 4))
        yield Case("a little in each part", (parts, 5))
        yield Case("nothing is rare enough", ([_part(random, size, 4) for _ in range(3)], 1))
        yield Case("many parts", ([_part(random, size, 3) for _ in range(size + 3)], random.randint(3, 7)))


MERGE_PRUNED = Exercise(
    key="07.merge_pruned",
    title="Pruned too early",
    kind="write",
    entry="merge_pruned",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "A word that occurs once on each of a hundred machines: is it rare?",
        "add up all parts; then split the sums into what is kept and what is rare; three sums over the rare ones",
        'Lesson 07, "Pruning, and what it changes": the same three numbers are printed there.',
    ),
    wanted=_pruned,
    shown=(
        Case("a little in each part", ([{b" the": 3, b" owl": 1}, {b" the": 2, b" owl": 1, b" eel": 1}], 2)),
        Case("one part", ([{b"a": 2, b"ab": 1, b"b": 3}], 3)),
        Case("nothing is rare enough", ([{b"a": 1}, {b"a": 1}], 1)),
    ),
    drawn=_pruned_cases,
    mistakes=(
        Mistake(
            "pruned-too-early",
            "A word may be rare in each part and common in all of them together. Only the sum can tell.",
            like=_pruned_too_early,
        ),
        Mistake(
            "pruned-too-early",
            "A word may be rare in each part and common in all of them together. Only the sum can tell.",
            like=_early_and_twice,
        ),
        Mistake(
            "drops-what-is-just-enough",
            "`least` is the smallest count that is kept.",
            like=lambda parts, least: _pruned(parts, least + 1),
        ),
        Mistake(
            "words-for-occurrences",
            "First how many different words are dropped, then how often they occur together.",
            like=_said(words=False),
        ),
        Mistake(
            "each-word-once",
            "A dropped word that occurs twice takes its bytes out of the text twice.",
            like=_said(occurrences=False),
        ),
    ),
)
