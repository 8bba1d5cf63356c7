"""Two units for every character, a block and a place in it, where bytes need one to four; and merges that keep to them.

    bytes     Ж = d0 96      ก = e0 b8 81             one byte of a letter says little, and a merge may stop within it
    units     Ж = Cyrillic letters 0, 22              ก = Thai letters 0, 0

A block is a script with a kind of character (letters and marks, punctuation and symbols, numbers, separators, others),
cut after every ``SIZE`` characters. Ids: places first, then blocks. ``may_merge`` is the rule of the paper's program:
a merge joins whole characters, or a block with a place.

Limits: the paper's blocks are cut only where scripts are large, so it has more places and fewer blocks; its own way to
cut a text into words, by script, is not here. Characters that Unicode has not assigned have no units.

Source: Land and Arnett, "BPE Stays on SCRIPT" (2025), https://arxiv.org/abs/2505.24689, and
https://github.com/sanderland/script_bpe.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise

import numpy as np

from minbpe_course.reference.pairs import Pair, merge
from minbpe_course.text import properties

SIZE = 256
KINDS = (("l", "m"), ("p", "s"), ("n",), ("z",), ("cc", "cf"))
Units = tuple[int, ...]


@cache
def blocks() -> tuple[np.ndarray, np.ndarray]:
    """Return for each code point the id of its block and its place, both -1 where Unicode has no character.

    >>> block, place = blocks()
    >>> [int(block[ord(c)] - block[ord("a")]) for c in "zé"], int(block.max()) + 1       # the last one: all units
    ([0, 0], 1183)
    """
    group = np.full(properties.CODE_POINTS, -1)
    scripts = {properties.number(key): key for key in properties.scripts()}
    for script, key in enumerate(scripts.values()):
        group[properties.members(key)] = len(KINDS) * script
    kind = np.full(properties.CODE_POINTS, -1)
    for number, categories in enumerate(KINDS):
        for category in categories:
            kind[properties.members(category)] = number
    codes = np.flatnonzero((group >= 0) & (kind >= 0))
    group = group[codes] + kind[codes]
    order = np.argsort(group, kind="stable")
    codes, group = codes[order], group[order]
    at = np.arange(len(codes)) - np.searchsorted(group, group)
    block, place = np.full(properties.CODE_POINTS, -1), np.full(properties.CODE_POINTS, -1)
    starts = at % SIZE == 0
    block[codes], place[codes] = SIZE + np.cumsum(starts) - 1, at % SIZE
    return block, place


def units(text: str) -> Units:
    """Return two ids for every character.

    >>> len(units("Жก!")), units("ab")[1] + 1 == units("ab")[3]
    (6, True)
    """
    block, place = blocks()
    return tuple(int(table[ord(character)]) for character in text for table in (block, place))


def may_merge(left: Units, right: Units) -> bool:
    """Return whether a merge of two tokens keeps characters whole: both consist of some, or they become one.

    >>> (block, place), other = units("a"), units("b")
    >>> may_merge((block,), (place,)), may_merge((block, place), other), may_merge((block, place), (block,))
    (True, True, False)
    """
    if len(left) % 2 == len(right) % 2 == 0:
        return True
    return len(left) == len(right) == 1 and right[0] < SIZE <= left[0]


def train_units(
    words: Mapping[Units, int], first: int, number: int, allowed: Callable[[Units, Units], bool]
) -> dict[Pair, int]:
    """Return up to ``number`` merges of allowed pairs that occur twice, numbered from ``first``; ties: smallest pair.

    allowed : gets the units of both halves. Pairs are counted once and then corrected.

    >>> train_units({(1, 2, 3): 2, (2, 3): 1}, 10, 5, lambda left, right: True)
    {(2, 3): 10, (1, 10): 11}
    """
    rows, tokens = [(list(word), count) for word, count in words.items()], dict[int, Units]()
    counts, where, known = Counter[Pair](), defaultdict[Pair, set[int]](set), dict[Pair, bool]()
    heap: list[tuple[int, Pair]] = []  # an entry for every count that a pair has had

    def spelled(one: int) -> Units:
        return tokens.get(one, (one,))

    def note(row: int, sign: int) -> None:
        for pair in pairwise(rows[row][0]):
            if pair not in known:
                known[pair] = allowed(spelled(pair[0]), spelled(pair[1]))
            if known[pair]:
                counts[pair] += sign * rows[row][1]
                where[pair].add(row)
                heapq.heappush(heap, (-counts[pair], pair))

    for row in range(len(rows)):
        note(row, 1)
    merges: dict[Pair, int] = {}
    while heap and len(merges) < number:
        count, best = heapq.heappop(heap)
        if -count != counts[best]:  # it is not true any more
            continue
        if -count < 2:
            break
        new_id = first + len(merges)
        merges[best], tokens[new_id] = new_id, spelled(best[0]) + spelled(best[1])
        for row in where.pop(best):
            note(row, -1)
            rows[row] = merge(rows[row][0], best, new_id), rows[row][1]
            note(row, 1)
    return merges


def spellings(merges: Mapping[Pair, int]) -> dict[int, Units]:
    """Return the units of each merged token.

    >>> spellings({(2, 3): 10, (1, 10): 11})
    {10: (2, 3), 11: (1, 2, 3)}
    """
    found: dict[int, Units] = {}
    for (left, right), new_id in merges.items():
        found[new_id] = found.get(left, (left,)) + found.get(right, (right,))
    return found
