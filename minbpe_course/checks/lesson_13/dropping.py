"""The exercises of lesson 13 about merges that go: new names for what stays, and the order in which they can go.

Merges are a list of pairs; the n-th of them (from 0) makes the id 256 + n.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.reference import pruning

MOST_TRIED = 500
Pair = tuple[int, int]
Merges = Sequence[Pair]

NOTHING, LAST, FIRST, MIXED = (
    "nothing goes",
    "the last merges go",
    "an early merge goes",
    "merges from everywhere go",
)


def ranks_of(merges: Merges) -> dict[Pair, int]:
    """Return pair -> id.

    >>> ranks_of([(97, 97), (256, 98)])
    {(97, 97): 256, (256, 98): 257}
    """
    return {(pair[0], pair[1]): 256 + place for place, pair in enumerate(merges)}


def random_merges(random: Random, number: int, letters: bytes = b"abc") -> list[Pair]:
    """Return different merges that build on each other.

    >>> len(random_merges(Random(0), 9))
    9
    """
    merges: dict[Pair, None] = {}
    while len(merges) < number:
        known = [*letters, *range(256, 256 + len(merges))]
        weights = [1 if one < 256 else 2 for one in known]
        left, right = random.choices(known, weights, k=2)
        merges[left, right] = None
    return list(merges)


# ----------------------------------------------------------------------------------------------------
# What stays gets new names


def drop_merges(merges: Merges, dropped: Sequence[int]) -> list[Pair]:
    """Return the merges that stay, with the ids that they have then.

    >>> drop_merges([(97, 98), (120, 120), (256, 99)], [257])
    [(97, 98), (256, 99)]
    """
    return list(pruning.pruned(ranks_of(merges), set(dropped))[0])


def keeps_the_old_names(merges: Merges, dropped: Sequence[int]) -> list[Pair]:
    """The faulty function that is handed out: merges go, and nobody is told."""
    return [pair for place, pair in enumerate(merges) if 256 + place not in dropped]


def moves_all_alike(merges: Merges, dropped: Sequence[int]) -> list[Pair]:
    """Every id of a merge moves by as many places as merges go."""
    by = len(set(dropped))
    return [
        (left - by if left >= 256 else left, right - by if right >= 256 else right)
        for left, right in keeps_the_old_names(merges, dropped)
    ]


def moves_bytes_too(merges: Merges, dropped: Sequence[int]) -> list[Pair]:
    """Every id above the smallest that goes is counted down, and so are those below: bytes lose their names."""
    right = drop_merges(merges, dropped)
    by = len(set(dropped))
    return [(left - by if left < 256 else left, second - by if second < 256 else second) for left, second in right]


def moves_the_left_only(merges: Merges, dropped: Sequence[int]) -> list[Pair]:
    """Only the left half of each pair gets its new name."""
    old, new = keeps_the_old_names(merges, dropped), drop_merges(merges, dropped)
    return [(mine[0], other[1]) for mine, other in zip(new, old)]


def drop_cases(random: Random) -> Iterator[Case]:
    """Yield merges and ids that no merge that stays needs; each kind of going away has a category."""
    for number in range(3, 13):
        merges = random_merges(random, number)
        order = list(pruning.rarest_first(ranks_of(merges), {}))
        if number % 4 == 3:
            yield Case(NOTHING, (merges, []))
        yield Case(LAST, (merges, list(range(256 + number - 1, 256 + number))))
        # A merge of letters of its own, which nobody needs, and which many others stand behind.
        alone = [(120, 121), *((left + (left >= 256), right + (right >= 256)) for left, right in merges)]
        yield Case(FIRST, (alone, [256]))
        gone = {token + 1 for token in order[: random.randint(1, max(1, number // 2))]} | {256}
        yield Case(MIXED, (alone, random.sample(sorted(gone), len(gone))))


# ----------------------------------------------------------------------------------------------------
# The order in which they can go

FLAT, NEEDED, TIES, HANDED_DOWN = (
    "no merge needs another",
    "merges that others need",
    "equal counts",
    "counts that are handed down",
)


def pruning_order(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """Return the ids of all merges: of those that no other needs, always the rarest.

    >>> pruning_order([(97, 98), (256, 99), (120, 120)], {256: 0, 257: 5, 258: 1})
    [258, 257, 256]
    """
    return list(pruning.rarest_first(ranks_of(merges), counts))


def by_count_alone(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """The rarest first, whoever needs it."""
    return sorted(counts, key=lambda token: (counts[token], -token))


def _order(merges: Merges, counts: Mapping[int, int], handed: int, late: int) -> list[int]:
    left, counted, found = dict(enumerate(merges, start=256)), dict(counts), []
    while left:
        needed = {half for pair in left.values() for half in pair}
        gone = min((token for token in left if token not in needed), key=lambda token: (counted[token], late * token))
        found.append(gone)
        for half in left.pop(gone)[:handed]:
            if half in counted:
                counted[half] += counted[gone]
    return found


def hands_nothing_down(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """The counts stay what they were."""
    return _order(merges, counts, 0, -1)


def hands_down_to_the_left(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """Only the left half inherits."""
    return _order(merges, counts, 1, -1)


def earlier_goes_first(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """Of equal counts the smaller id goes first."""
    return _order(merges, counts, 2, 1)


def newest_first(merges: Merges, counts: Mapping[int, int]) -> list[int]:
    """From the last merge to the first: always possible, and blind to the counts."""
    return sorted(counts, reverse=True)


_TEMPTING = (by_count_alone, hands_nothing_down, hands_down_to_the_left, earlier_goes_first, newest_first)


def order_cases(random: Random) -> Iterator[Case]:
    """Yield merges with counts; in the deep ones every tempting shortcut goes wrong."""
    for number in range(2, 7):
        flat = [(97 + place, 120) for place in range(number)]
        yield Case(FLAT, (flat, _counts(random, number, 20)))
        yield Case(TIES, (flat[:4], dict.fromkeys(range(256, 256 + min(4, number)), 3)))
    for number in range(6, 14):
        for _ in range(MOST_TRIED):  # a handful will do; an order that is no order at all must not hang the check
            merges = random_merges(random, number)
            counts = _counts(random, number, 9)
            answers = [shortcut(merges, counts) for shortcut in _TEMPTING]
            if pruning_order(merges, counts) not in answers:
                break
        yield Case(NEEDED if number % 2 else HANDED_DOWN, (merges, counts))


def _counts(random: Random, number: int, most: int) -> dict[int, int]:
    return {256 + place: random.randint(0, most) for place in range(number)}
