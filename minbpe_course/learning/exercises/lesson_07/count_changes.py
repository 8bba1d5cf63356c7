"""Exercise 07.count_changes: the changes that a merge makes to the counts of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.pairs import Pair, get_stats, merge

Changes = dict[Pair, int]


def _count_changes(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    left, right = pair
    changes = get_stats(merge(ids, (left, right), new_id), get_stats(ids, weight=-1))
    return {found: change for found, change in changes.items() if change}


def _by_old_neighbours(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    """Correct around each place as if it were the only one: a common first attempt."""
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


EXERCISE = Exercise(
    key="07.count_changes",
    title="What a merge changes",
    kind="write",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Which pairs does the word contain before the merge, and which after it? You only need the difference.",
        "merge; count the pairs of both; for each pair of either: after minus before, unless that is 0",
        "Lesson 07, where the trainer corrects its counts instead of counting again. Here the table is empty at first.",
    ),
    wanted=_count_changes,
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
            "Leave out a pair whose count stays the same.",
            like=edited(_count_changes, (" if change}", "}")),
        ),
        Mistake(
            "only-what-falls",
            "A merge does not only take pairs away: the new id has neighbors, too.",
            like=edited(_count_changes, ("if change", "if change < 0")),
        ),
        Mistake(
            "only-what-is-born",
            "Your answer has only pairs that become more frequent. Which of them become rarer, or disappear?",
            like=edited(_count_changes, ("if change", "if change > 0")),
        ),
        Mistake(
            "forgets-the-neighbours",
            "The merged pair is gone, and so are the pairs that it made with its neighbors on both sides.",
            like=edited(_count_changes, ("if change", "if change and found == (left, right)")),
        ),
        Mistake(
            "neighbours-as-they-were",
            "Where two merged places are adjacent, or overlap, the neighbor of one of them has changed.",
            like=_by_old_neighbours,
        ),
    ),
)
