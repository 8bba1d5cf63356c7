"""What becomes of a token's own bytes when they are merged alone: the question on which two rules agree or differ.

A list of merges and the rule of ranks (neighbours merge when they are a token together, lowest id first) give the same
ids for every text when every token comes out of its own bytes, each is made by one merge, and the merges stand in the
order of the ids. For whatever happens inside a token's stretch of a longer word happens to the token alone, too: two
parts that together are a token can then stand side by side only where the list has that very merge.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from itertools import pairwise

from minbpe_course.model import BytePairModel, VocabularyModel


def merges_of(model: BytePairModel | VocabularyModel) -> list[tuple[int, int, int]]:
    """Return (left id, right id, made id) of each merge in the order of preference.

    >>> merges_of(BytePairModel([(97, 97), (256, 98)]))
    [(97, 97, 256), (256, 98, 257)]
    """
    if isinstance(model, VocabularyModel):
        return list(model.merges or ())
    return [(left, right, made) for (left, right), made in zip(model.merges, model.merge_ids)]


def merged_otherwise(model: BytePairModel | VocabularyModel) -> int | None:
    """Return the first id whose bytes, merged alone by the list, do not become it; None when all do.

    Such a token comes out of no text by merging, so where there is none, taking words whole changes nothing.

    >>> merged_otherwise(BytePairModel([(98, 99), (97, 98), (257, 99)])), merged_otherwise(BytePairModel([(97, 97)]))
    (258, None)
    """
    ranks = {(left, right): (rank, made) for rank, (left, right, made) in enumerate(merges_of(model))}
    for token_id, token in model.token_bytes.items():
        if len(token) > 1 and _merged([model.byte_ids[byte] for byte in token], ranks.get) != [token_id]:
            return token_id
    return None


def merges_by_rank(token_bytes: Mapping[int, bytes]) -> list[tuple[int, int, int]]:
    """Return the merge of each token of several bytes by the rule of ranks, by ascending id.

    Raises ValueError, with the id, for a token that this rule does not make.

    >>> merges_by_rank({byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc"})
    [(97, 98, 256), (256, 99, 257)]
    """
    ids = {token: token_id for token_id, token in token_bytes.items()}
    found = []
    for token_id, token in sorted(token_bytes.items()):

        def lower(pair: tuple[int, int], own: int = token_id) -> tuple[int, int] | None:
            made = ids.get(token_bytes[pair[0]] + token_bytes[pair[1]], own)
            return (made, made) if made < own else None

        parts = _merged([ids[token[at : at + 1]] for at in range(len(token))], lower)
        if len(parts) > 2:
            raise ValueError(token_id)
        if len(parts) == 2:
            found.append((parts[0], parts[1], token_id))
    return found


def _merged(parts: list[int], rank_of: Callable[[tuple[int, int]], tuple[int, int] | None]) -> list[int]:
    """Merge the pair of the lowest rank, the leftmost first, until no pair is left: rank_of(pair) -> (rank, made)."""
    behind, before = list(range(1, len(parts) + 1)), list(range(-1, len(parts) - 1))
    heap: list[tuple[int, int, int, tuple[int, int]]] = []

    def see(at: int) -> None:
        if at >= 0 and behind[at] < len(parts):
            pair = parts[at], parts[behind[at]]
            found = rank_of(pair)
            if found is not None:
                heapq.heappush(heap, (found[0], at, found[1], pair))

    for at in range(len(parts)):
        see(at)
    while heap:
        _, at, made, pair = heapq.heappop(heap)
        after = behind[at]
        if parts[at] < 0 or after >= len(parts) or (parts[at], parts[after]) != pair:
            continue
        parts[at], parts[after], behind[at] = made, -1, behind[after]
        if behind[at] < len(parts):
            before[behind[at]] = at
        see(before[at])
        see(at)
    return [part for part in parts if part >= 0]


def unlike_ranks(model: BytePairModel | VocabularyModel) -> bytes | None:
    """Return a token on which the list of merges and the rule of ranks may differ, or None when they never do.

    >>> unlike_ranks(BytePairModel([(98, 99), (97, 98), (257, 99)])), unlike_ranks(BytePairModel([(97, 97)]))
    (b'abc', None)
    """
    made = [token_id for *_, token_id in merges_of(model)]
    for one, two in pairwise(made):
        if two <= one:
            return model.token_bytes[two]
    apart = merged_otherwise(model)
    return None if apart is None else model.token_bytes[apart]
