"""The exercises of lesson 02: naive byte pair encoding."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.reference import pairs


def _merge_cases(random: Random) -> Iterator[Case]:
    yield Case("nothing to merge", ([], (1, 2), 9))
    for length in range(1, 40):
        ids = [random.randrange(3) for _ in range(length)]
        pair = (random.randrange(3), random.randrange(3))
        category = "overlapping pairs" if pair[0] == pair[1] else "several places"
        yield Case(category, (ids, pair, 256 + random.randrange(100)))


def _merge_everywhere(ids: list[int], pair: tuple[int, int], new_id: int) -> list[int]:
    """Look at every neighbouring pair, even when its left half was just merged away."""
    merged = []
    for at, token in enumerate(ids):
        if at + 1 < len(ids) and (token, ids[at + 1]) == pair:
            merged.append(new_id)
        elif at == 0 or (ids[at - 1], token) != pair:
            merged.append(token)
    return merged


EXERCISES = (
    Exercise(
        key="02.merge",
        title="Merge a pair",
        kind="write",
        entry="merge",
        difficulty=2,
        minutes=10,
        points=2,
        hints=(
            "Walk from left to right with an index of your own: after a merge it moves by two.",
            "while i < len(ids): if the pair stands at i, append new_id and i += 2; else append ids[i] and i += 1",
            "Lesson 02, where `merge` is built: the case `aaa` shows why the loop cannot be `for`.",
        ),
        wanted=pairs.merge,
        shown=(
            Case("one place", ([1, 2, 3], (1, 2), 4)),
            Case("the pair at the end", ([3, 1, 2], (1, 2), 4)),
            Case("overlapping pairs", ([1, 1, 1], (1, 1), 2)),
        ),
        drawn=_merge_cases,
        mistakes=(
            Mistake("nothing-merged", "Your answer still has the pair in it.", like=lambda ids, pair, new_id: ids),
            Mistake(
                "merges-overlaps",
                "In 1 1 1 there is one pair to merge, not two: once the middle is used up it cannot be used again.",
                like=_merge_everywhere,
            ),
        ),
    ),
)
