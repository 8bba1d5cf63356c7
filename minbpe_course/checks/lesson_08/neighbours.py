"""The exercise of lesson 08 about two tokens side by side: small trained vocabularies, and tempting shortcuts.

Whoever leaves out one thought of the test is right on most pairs. So of every vocabulary one pair is taken for each way
in which the shortcuts answer: the cases on which they part are in it, whatever the draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.reference import backtracking
from minbpe_course.reference.training import train_steps

Ranks = Mapping[tuple[int, int], int]


def stays_apart(left: int, right: int, ranks: Ranks) -> bool:
    """Return whether ``left`` and ``right`` are the encoding of their joined bytes.

    >>> stays_apart(97, 257, {(97, 97): 256, (97, 98): 257}), stays_apart(256, 98, {(97, 97): 256, (97, 98): 257})
    (False, True)
    """
    return backtracking.fit(left, right, ranks, {token: pair for pair, token in ranks.items()})


def looks_only_at_the_two(left: int, right: int, ranks: Ranks) -> bool:
    """Nothing is undone."""
    return (left, right) not in ranks


def forgets_when(left: int, right: int, ranks: Ranks) -> bool:
    """Any merge across the border counts, however late it was learned."""
    return _undone(left, right, ranks, limited=False, tie=1)


def equal_is_later(left: int, right: int, ranks: Ranks) -> bool:
    """Of two equal merges the one inside the right token comes first."""
    return _undone(left, right, ranks, limited=True, tie=0)


def undoes_the_left_first(left: int, right: int, ranks: Ranks) -> bool:
    """All merges of the left token are undone before any of the right one."""
    halves = {token: pair for pair, token in ranks.items()}
    before = backtracking.NEVER
    while ranks.get((left, right), backtracking.NEVER) >= before:
        if left in halves:
            before, left = left, halves[left][1]
        elif right in halves:
            before, right = right + 1, halves[right][0]
        else:
            return True
    return False


def _undone(left: int, right: int, ranks: Ranks, *, limited: bool, tie: int) -> bool:
    halves = {token: pair for pair, token in ranks.items()}
    before = backtracking.NEVER
    while True:
        due = ranks.get((left, right))
        if due is not None and (due < before or not limited):
            return False
        if left in halves and (right not in halves or left > right):
            before, left = left, halves[left][1]
        elif right in halves:
            before, right = right + tie, halves[right][0]
        else:
            return True


_TEMPTING = (looks_only_at_the_two, forgets_when, equal_is_later, undoes_the_left_first)
BYTES, DIRECT, DUE, LATE = (
    "two bytes",
    "two tokens that merge",
    "a merge across the border was due",
    "nothing was due in time",
)


def pair_cases(random: Random) -> Iterator[Case]:
    """Yield pairs of small trained vocabularies, the smallest vocabularies first."""
    yield Case(BYTES, (97, 98, {}))
    # Every shortcut parts from the test somewhere in these, so no draw can spare one of them.
    yield from _pairs(random, [b"aaaaaaab", b"aab", b"abab"], 4)
    for size in range(3, 15):
        words = ["".join(random.choices("aaabbc", k=random.randint(3, 9))).encode() for _ in range(8)]
        yield from _pairs(random, words, size)


def _pairs(random: Random, words: list[bytes], size: int) -> list[Case]:
    ranks = {step.pair: step.new_id for step in train_steps(words, 256 + size)}
    known = [97, 98, 99, *ranks.values()]
    pairs = [(left, right) for left in known for right in known]
    random.shuffle(pairs)
    chosen: dict[tuple[bool, ...], tuple[int, int]] = {}
    for pair in pairs:
        chosen.setdefault(tuple(answer(*pair, ranks) for answer in (stays_apart, *_TEMPTING)), pair)
    return [Case(_category(*pair, ranks), (*pair, ranks)) for pair in chosen.values()]


def _category(left: int, right: int, ranks: Ranks) -> str:
    if (left, right) in ranks:
        return DIRECT
    if max(left, right) < 256:
        return BYTES
    return LATE if stays_apart(left, right, ranks) else DUE
