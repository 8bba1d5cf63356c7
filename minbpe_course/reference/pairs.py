"""Counting neighbouring pairs and merging one of them: the two verbs of byte pair encoding.

    get_stats   1 2 3 1 2      ->  {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    merge       1 2 3 1 2      ->  4 3 4            for the pair (1, 2) and the new id 4

Sequences are plain lists of ids. Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with
Subword Units" (2016); the names are those of Karpathy's minbpe, so that its lecture can be followed here.
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]


def get_stats(ids: Sequence[int], counts: dict[Pair, int] | None = None, weight: int = 1) -> dict[Pair, int]:
    """Count every neighbouring pair, adding to ``counts`` if it is given.

    Overlapping pairs count: ``[7, 7, 7]`` holds (7, 7) twice. The dict keeps the order in which pairs were first seen.

    >>> get_stats([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    >>> get_stats([1, 2], {(1, 2): 5}, weight=10)
    {(1, 2): 15}
    """
    counts = {} if counts is None else counts
    for pair in zip(ids, ids[1:]):  # noqa: RUF007 - the lesson's learners know zip
        counts[pair] = counts.get(pair, 0) + weight
    return counts


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Return ``ids`` with every occurrence of ``pair``, taken from left to right, replaced by ``new_id``.

    >>> merge([1, 2, 3, 1, 2], (1, 2), 4)
    [4, 3, 4]
    >>> merge([7, 7, 7], (7, 7), 8)
    [8, 7]
    """
    merged = []
    at = 0
    while at < len(ids):
        if at + 1 < len(ids) and (ids[at], ids[at + 1]) == pair:
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged
