"""Exercise 07.count_changes: the changes that a merge makes to the counts of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.pairs import Pair, get_stats
from minbpe_course.reference.pairs import merge as reference_merge


def merge(ids, pair, new_id):
    """Return ids with every occurrence of pair replaced by new_id, from left to right."""
    merged = []
    for token in ids:
        if merged and (merged[-1], token) == pair:
            merged[-1] = new_id
        else:
            merged.append(token)
    return merged


def count_changes(ids, pair, new_id):
    """Return by how much the count of each pair changes if pair becomes new_id in this word.

    A trainer that corrects its counts has to know what a merge changes in a word. The merge itself is done for you.

    * **In:** `ids`, the ids of a word; `pair`, the pair to be merged; `new_id`, which is not yet in the word.
    * **Out:** a dict from pair to change: negative for pairs that became fewer, positive for those that are new. Leave
      out pairs whose count stays the same.

    ```
    count_changes(list(b"aaa"), (97, 97), 256)       ->  {(97, 97): -2, (256, 97): 1}
    count_changes(list(b"newest"), (101, 115), 256)  ->  {(119, 101): -1, (101, 115): -1, (115, 116): -1,
                                                          (119, 256): 1, (256, 116): 1}
    ```

    The check tries occurrences side by side, overlapping pairs, the whole word, ids from earlier merges, and a pair
    that is not in the word. The picture shows the second example before and after.
    """
    changes = {}
    for sequence, change in ((ids, -1), (merge(ids, tuple(pair), new_id), 1)):
        for found in zip(sequence, sequence[1:]):
            changes[found] = changes.get(found, 0) + change
    return {found: change for found, change in changes.items() if change != 0}


Changes = dict[Pair, int]


def _count_changes(ids: Sequence[int], pair: Pair, new_id: int) -> Changes:
    left, right = pair
    changes = get_stats(reference_merge(ids, (left, right), new_id), get_stats(ids, weight=-1))
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
    answer=count_changes,
    picture="""
from minbpe_course.learning.charts.merges import draw_merge_steps

rows = [("before", [b"n", b"e", b"w", b"e", b"s", b"t"]), ("e + s becomes 256", [b"n", b"e", b"w", b"es", b"t"])]
draw_merge_steps(rows, "Which neighbors are gone, and which are new?")
""",
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
