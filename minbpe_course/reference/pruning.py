"""Merges taken out of a vocabulary: which ones can go, in which order, and what the ids become.

    h e l o                  bytes
    he   (h, e)              made of bytes
    hell (he, ll)            made of he and ll: while hell stays, he and ll must stay

A merge whose token is half of another one that stays cannot go: the other could never be made again. So merges go from
the outside in. The result is a vocabulary like any other: its ids are numbered again without gaps, and every text
still has an encoding, since the bytes stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from minbpe_course.errors import InvalidTokenId

Pair = tuple[int, int]


def made_of(ranks: Mapping[Pair, int], token_id: int) -> set[int]:
    """Return the ids of all merges that are needed to make a token, its own included; a byte needs none.

    >>> sorted(made_of({(104, 101): 256, (256, 108): 257, (120, 120): 258}, 257))
    [256, 257]
    """
    halves = {new_id: pair for pair, new_id in ranks.items()}
    found: set[int] = set()
    waiting = [token_id]
    while waiting:
        one = waiting.pop()
        if one in halves and one not in found:
            found.add(one)
            waiting += halves[one]
    return found


def broken_without(ranks: Mapping[Pair, int], dropped: Collection[int]) -> set[int]:
    """Return the ids outside ``dropped`` that can no longer be made once ``dropped`` are gone.

    >>> broken_without({(104, 101): 256, (256, 108): 257}, {256})
    {257}
    """
    gone = set(dropped)
    for (left, right), new_id in sorted(ranks.items(), key=lambda item: item[1]):
        if left in gone or right in gone:
            gone.add(new_id)
    return gone - set(dropped)


def rarest_first(ranks: Mapping[Pair, int], counts: Mapping[int, int]) -> Iterator[int]:
    """Yield the ids of merges in an order in which they can go: of those that no other needs, the rarest.

    counts : how often each id occurs in the encoding of some text. Where a token goes, its halves come in its place,
    so they are counted more from then on. Of equal counts the later merge goes first.

    >>> list(rarest_first({(104, 101): 256, (256, 108): 257, (120, 120): 258}, {257: 5, 258: 1}))
    [258, 257, 256]
    """
    halves = {new_id: pair for pair, new_id in ranks.items()}
    counted = {token_id: counts.get(token_id, 0) for token_id in halves}
    users = dict.fromkeys(halves, 0)
    for pair in ranks:
        for half in set(pair) & set(halves):
            users[half] += 1
    waiting = [(counted[token_id], -token_id) for token_id, number in users.items() if not number]
    heapify(waiting)
    while waiting:
        _, negative = heappop(waiting)
        yield -negative
        for half in halves[-negative]:
            if half in halves:
                counted[half] += counted[-negative]
        for half in set(halves[-negative]) & set(halves):
            users[half] -= 1
            if not users[half]:
                heappush(waiting, (counted[half], -half))


def pruned(ranks: Mapping[Pair, int], dropped: Collection[int]) -> tuple[dict[Pair, int], dict[int, int]]:
    """Return the merges that stay, numbered again, and for each id that stays the new one; bytes keep theirs.

    Raises InvalidTokenId when a merge that stays needs one of ``dropped``, or when one of them is not a merge.

    >>> pruned({(104, 101): 256, (120, 120): 257, (256, 108): 258}, {257})
    ({(104, 101): 256, (256, 108): 257}, {256: 256, 258: 257})
    """
    strangers = set(dropped) - set(ranks.values())
    if strangers:
        raise InvalidTokenId(f"id {min(strangers)} is not a merge of this vocabulary, so it cannot be dropped.")
    broken = broken_without(ranks, dropped)
    if broken:
        raise InvalidTokenId(
            f"id {min(broken)} is made with one that is dropped. Drop it too, or take the order of rarest_first(...)."
        )
    new_ids: dict[int, int] = {}
    kept: dict[Pair, int] = {}
    for (left, right), old_id in sorted(ranks.items(), key=lambda item: item[1]):
        if old_id not in dropped:
            new_ids[old_id] = 256 + len(kept)
            kept[new_ids.get(left, left), new_ids.get(right, right)] = new_ids[old_id]
    return kept, new_ids


def without_gaps(ids: Sequence[int], new_ids: Mapping[int, int]) -> list[int]:
    """Return ids with the new numbers; bytes keep theirs. Raises InvalidTokenId for an id that was dropped.

    >>> without_gaps([104, 258], {258: 257})
    [104, 257]
    """
    for token_id in ids:
        if token_id >= 256 and token_id not in new_ids:
            raise InvalidTokenId(f"id {token_id} was dropped; encode the text again with the merges that stay.")
    return [new_ids.get(token_id, token_id) for token_id in ids]
