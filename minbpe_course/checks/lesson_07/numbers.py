"""Lesson 07, numbers for a heap and for a table: entries packed into one number, and what a merge does to counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.reference.pairs import Pair, get_stats, merge

Entry = tuple[int, int, int]

# ----------------------------------------------------------------------------------------------------
# 07.heap_keys


def _keys(entries: Sequence[Entry]) -> list[int]:
    return [-count << 64 | left << 32 | right for count, left, right in entries]


def _order(entry: Entry) -> Entry:
    count, left, right = entry
    return -count, left, right


def _complaint(case: Case, answer: Any) -> str | None:
    """Whatever sorts the entries is right, as long as it is one whole number for each."""
    (entries,) = case.args
    if not isinstance(answer, (list, tuple)) or len(answer) != len(entries):
        return f"a list of {len(entries)} numbers, one for each entry"
    if not all(type(key) is int for key in answer):
        return "whole numbers"
    keyed = sorted(zip(map(_order, entries), answer, entries))
    for (order, key, entry), (worse_order, worse_key, worse) in pairwise(keyed):
        if order == worse_order and key != worse_key:
            return f"the same number for {entry}, wherever it stands"
        if order != worse_order and not key < worse_key:
            return f"a smaller number for {entry} than for {worse}"
    return None


def _numbered(case: Case, outcome: Outcome) -> list[tuple[Entry, int]]:
    (entries,) = case.args
    keys = outcome.value
    if not isinstance(keys, (list, tuple)) or len(keys) != len(entries) or any(type(key) is not int for key in keys):
        return []
    return list(zip(entries, keys))


def _is_worst_first(case: Case, outcome: Outcome, wanted: Any) -> bool:
    numbered = sorted(_numbered(case, outcome))
    counts = [
        (one[0][0], other[0][0], one[1], other[1]) for one, other in pairwise(numbered) if one[0][0] < other[0][0]
    ]
    return bool(counts) and all(key < other_key for _, _, key, other_key in counts)


def _is_undecided(case: Case, outcome: Outcome, wanted: Any) -> bool:
    numbers: dict[int, Entry] = {}
    return any(numbers.setdefault(key, entry) != entry for entry, key in _numbered(case, outcome))


def _is_right_first(case: Case, outcome: Outcome, wanted: Any) -> bool:
    numbered = _numbered(case, outcome)
    by_right = sorted(numbered, key=lambda one: (-one[0][0], one[0][2], one[0][1]))
    return bool(numbered) and all(one[1] <= other[1] for one, other in pairwise(by_right))


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


HEAP_KEYS = Exercise(
    key="07.heap_keys",
    title="One number for an entry",
    kind="fill",
    entry="heap_keys",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Give each of the three parts its own bits of the number, so wide that it cannot reach into the next.",
        "the count counts most, and more of it must give a smaller number; then the left id; then the right id",
        'Lesson 07, "Why not NumPy?": there a pair becomes a single number. Here the count goes in front of it.',
    ),
    wanted=_keys,
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
            "A heap has its smallest number in front, and in front we want the pair with the highest count.",
            when=_is_worst_first,
        ),
        Mistake(
            "two-entries-one-number",
            "Two different entries have the same number, so the heap cannot tell which is better.",
            when=_is_undecided,
        ),
        Mistake(
            "right-half-first",
            "Of two pairs with the same count, the one with the smaller left id is better; the right id decides last.",
            when=_is_right_first,
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 07.count_changes

Changes = dict[Pair, int]


def _changes(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    counts = get_stats(ids, weight=-1)
    get_stats(merge(ids, tuple(pair), new_id), counts)  # type: ignore[arg-type]
    return {found: change for found, change in counts.items() if change}


def _with_zeros(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    counts = get_stats(ids, weight=-1)
    return get_stats(merge(ids, pair, new_id), counts)


def _only(wanted: Callable[[int], bool]) -> Callable[[Sequence[int], Pair, int], Changes]:
    return lambda ids, pair, new_id: {
        found: change for found, change in _changes(ids, pair, new_id).items() if wanted(change)
    }


def _only_the_pair(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    changes = _changes(ids, pair, new_id)
    return {pair: changes[pair]} if pair in changes else {}


def _by_old_neighbours(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    """Correct around each place as if it were the only one: what most people write first."""
    changes: Changes = {}

    def add(found: Pair, change: int) -> None:
        changes[found] = changes.get(found, 0) + change

    at = 0
    while at + 1 < len(ids):
        if (ids[at], ids[at + 1]) != pair:
            at += 1
            continue
        add(pair, -1)
        if at > 0:
            add((ids[at - 1], ids[at]), -1)
            add((ids[at - 1], new_id), 1)
        if at + 2 < len(ids):
            add((ids[at + 1], ids[at + 2]), -1)
            add((new_id, ids[at + 2]), 1)
        at += 2
    return {found: change for found, change in changes.items() if change}


def _change_cases(random: Random) -> Iterator[Case]:
    yield Case("the pair is not there", ([], (97, 98), 256))
    yield Case("the pair is not there", (list(b"ba"), (97, 98), 256))
    yield Case("the whole word", (list(b"ab"), (97, 98), 256))
    for size in range(3, 11):
        letters = [random.randrange(97, 102) for _ in range(size)]
        at = random.randrange(size - 1)
        yield Case("a place among others", (letters, (letters[at], letters[at + 1]), 256))
        yield Case("places side by side", ([120, *[97, 98] * (size // 2), 121], (97, 98), 300))
        run = [97] * size + [98]
        yield Case("overlapping pairs", (run, (97, 97), 256))
        ids = [random.choice([97, 98, 256]) for _ in range(size)]
        at = random.randrange(size - 1)
        yield Case("ids of earlier merges", (ids, (ids[at], ids[at + 1]), 257))


COUNT_CHANGES = Exercise(
    key="07.count_changes",
    title="What a merge changes",
    kind="write",
    entry="count_changes",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Which pairs does the word hold before, and which after? All that you need is the difference.",
        "merge; count the pairs of both; for each pair of either: after minus before, unless that is nothing",
        'Lesson 07, "The second rung": `correct` does it to a table. Here the table is empty at first.',
    ),
    wanted=_changes,
    shown=(
        Case("a place among others", (list(b"newest"), (101, 115), 256)),
        Case("the whole word", (list(b"ab"), (97, 98), 256)),
        Case("places side by side", (list(b"xabab"), (97, 98), 256)),
        Case("overlapping pairs", (list(b"aaa"), (97, 97), 256)),
        Case("the pair is not there", (list(b"xyz"), (97, 98), 256)),
    ),
    drawn=_change_cases,
    mistakes=(
        Mistake(
            "keeps-what-does-not-change",
            "A pair whose count stays as it is does not belong into the answer.",
            like=_with_zeros,
        ),
        Mistake(
            "only-what-falls",
            "A merge does not only take pairs away: the new id has neighbours, too.",
            like=_only(lambda change: change < 0),
        ),
        Mistake(
            "only-what-is-born",
            "New pairs are there, but those that were torn apart are still counted.",
            like=_only(lambda change: change > 0),
        ),
        Mistake(
            "forgets-the-neighbours",
            "The merged pair is gone, and so are the pairs that it made with its neighbours on both sides.",
            like=_only_the_pair,
        ),
        Mistake(
            "neighbours-as-they-were",
            "Where two merged places stand side by side, or overlap, the neighbour of one is no longer what it was.",
            like=_by_old_neighbours,
        ),
    ),
)
