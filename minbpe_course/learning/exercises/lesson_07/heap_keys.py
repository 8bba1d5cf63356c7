"""Exercise 07.heap_keys: one number for a heap entry, smaller for the better pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome


def heap_keys(entries):
    """Return an integer for each (count, left, right): the better the entry, the smaller its number.

    A heap keeps its smallest entry at the front. Python's heap takes tuples, but compiled code prefers numbers: one
    number per entry, smaller for the better pair. The pair with the higher count is better. If counts are equal, the
    smaller left id decides, and after that the smaller right id.

    * **In:** `entries`, a list of `(count, left, right)`. Ids are at least 0 and below 2³¹, counts at least 1 and below
      2⁶².
    * **Out:** a list with one integer for each entry. Python's integers may be as long as you like, and negative.

    One line is missing. For the two entries `[(3, 97, 98), (5, 97, 98)]`, the second number has to be the smaller one;
    which numbers you choose is up to you.

    The check tries ties, bytes from 0 to 255, large ids, large counts, and no entries.
    """
    keys = []
    for count, left, right in entries:
        ### BEGIN SOLUTION
        keys.append(-count << 64 | left << 32 | right)
        ### END SOLUTION
    return keys


Entry = tuple[int, int, int]


def _heap_keys(entries: Sequence[Entry]) -> list[int]:
    return [-count << 64 | left << 32 | right for count, left, right in entries]


def _complaint(case: Case, answer: Any) -> str | None:
    """Accept any whole numbers that sort the entries."""
    (entries,) = case.args
    if not isinstance(answer, (list, tuple)) or len(answer) != len(entries):
        return f"a list of {len(entries)} numbers, one for each entry"
    if not all(type(key) is int for key in answer):
        return "whole numbers"
    keyed = sorted(((-count, left, right), key) for (count, left, right), key in zip(entries, answer))
    for (better, key), (worse, worse_key) in pairwise(keyed):
        if better == worse and key != worse_key:
            return f"the same number for {_entry(better)}, wherever it stands"
        if better != worse and not key < worse_key:
            return f"a smaller number for {_entry(better)} than for {_entry(worse)}"
    return None


def _entry(order: Entry) -> Entry:
    return -order[0], order[1], order[2]


def _keyed(case: Case, outcome: Outcome) -> list[tuple[Entry, int]]:
    """Return each entry with its key, or nothing unless the answer has one whole number for each."""
    (entries,) = case.args
    keys = outcome.value
    if not isinstance(keys, (list, tuple)) or len(keys) != len(entries) or any(type(key) is not int for key in keys):
        return []
    return list(zip(entries, keys))


def _is_worst_first(case: Case, outcome: Outcome, wanted: Any) -> bool:
    neighbours = pairwise(sorted(_keyed(case, outcome)))
    rising = [key < other_key for (entry, key), (other, other_key) in neighbours if entry[0] < other[0]]
    return bool(rising) and all(rising)


def _has_equal_keys(case: Case, outcome: Outcome, wanted: Any) -> bool:
    entries: dict[int, Entry] = {}
    return any(entries.setdefault(key, entry) != entry for entry, key in _keyed(case, outcome))


def _is_right_half_first(case: Case, outcome: Outcome, wanted: Any) -> bool:
    by_right = sorted(_keyed(case, outcome), key=lambda one: (-one[0][0], one[0][2], one[0][1]))
    return bool(by_right) and all(one[1] <= other[1] for one, other in pairwise(by_right))


def _entries(random: Random, number: int, most: int, ids: Sequence[int]) -> list[Entry]:
    return [(random.randint(1, most), random.choice(ids), random.choice(ids)) for _ in range(number)]


def _key_cases(random: Random) -> Iterator[Case]:
    yield Case("no entries", ([],))
    for number in range(2, 8):
        counts = random.sample(range(1, 99), number)
        yield Case("different counts", ([(count, 97, 98) for count in counts],))
        yield Case("ties", ([*_entries(random, number, 2, range(97, 100)), (2, 97, 99), (2, 98, 97), (2, 98, 98)],))
        yield Case("bytes from 0 to 255", ([*_entries(random, number, 3, range(256)), (2, 0, 255), (2, 1, 0)],))
        ids = random.sample(range(256, 200_000), 4)
        yield Case("large ids", ([*_entries(random, 2 * number, 2, ids), (2, 5, 199_999), (2, 6, 3), (2, 7, 0)],))
        large = [(random.randint(1, 10**12), random.choice(ids), random.choice(ids)) for _ in range(number)]
        yield Case("large counts", ([*large, (10**12, 199_999, 199_999), (10**12 + 1, 199_999, 199_999)],))


EXERCISE = Exercise(
    key="07.heap_keys",
    answer=heap_keys,
    title="One number per entry",
    kind="fill",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Give each of the three parts its own bits of the number, enough of them that it cannot reach "
        "into the next part.",
        "the count matters most, and a higher count must give a smaller number; then the left id; then the right id",
        "Lesson 07 mentions that a pair can be packed into one number. Here the count goes in front of it.",
    ),
    wanted=_heap_keys,
    accept=_complaint,
    shown=(
        Case("different counts", ([(3, 97, 98), (5, 97, 98)],)),
        Case("ties", ([(5, 98, 97), (5, 97, 98), (5, 97, 99)],)),
        Case("large ids", ([(5, 97, 100_000), (5, 98, 97), (5, 100_000, 97)],)),
    ),
    drawn=_key_cases,
    mistakes=(
        Mistake(
            "worst-first",
            "A heap has its smallest number first, and the pair with the highest count has to come first.",
            when=_is_worst_first,
        ),
        Mistake(
            "two-entries-one-number",
            "Two different entries have the same number, so the heap cannot tell which is better.",
            when=_has_equal_keys,
        ),
        Mistake(
            "right-half-first",
            "Of two pairs with the same count, the one with the smaller left id is better; the right id decides last.",
            when=_is_right_half_first,
        ),
    ),
)
