"""Encoding one word by replaying the merges: always the merge with the lowest rank that is possible anywhere.

    h e l l o        ranks: (h, e) 0   (l, l) 1   (he, ll) 2
    he l l o         rank 0 first
    he ll o          then rank 1
    hell o           then rank 2, and nothing more is possible

The rank of a merge is the id that it makes: smaller was learned earlier. ``kernels.encoding`` does the same without
making a new list for every merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from minbpe_course.reference.pairs import Pair, get_stats, merge


@dataclass(frozen=True)
class EncodeStep:
    """The word after one merge: ``pair`` has become ``new_id``. Both are None before the first merge."""

    ids: tuple[int, ...]
    pair: Pair | None
    new_id: int | None


def encode_steps(ids: Sequence[int], ranks: Mapping[Pair, int]) -> Iterator[EncodeStep]:
    """Yield the word before the first merge and after each one.

    All occurrences of the chosen pair merge in one step, from left to right; merging one at a time, leftmost first,
    ends in the same ids.

    >>> [step.ids for step in encode_steps(b"aab", {(97, 97): 256})]
    [(97, 97, 98), (256, 98)]
    """
    now = list(ids)
    yield EncodeStep(tuple(now), None, None)
    while len(now) > 1:
        pair = min(get_stats(now), key=lambda pair: ranks.get(pair, float("inf")))
        if pair not in ranks:
            return
        now = merge(now, pair, ranks[pair])
        yield EncodeStep(tuple(now), pair, ranks[pair])


def encode_word(ids: Sequence[int], ranks: Mapping[Pair, int]) -> list[int]:
    """Return the ids of one word.

    ``ids`` are the ids of its bytes (the bytes themselves, unless the vocabulary shuffles them).

    >>> encode_word(b"aaab", {(97, 97): 256, (256, 97): 257})
    [257, 98]
    >>> encode_word(b"", {})
    []
    """
    *_, last = encode_steps(ids, ranks)
    return list(last.ids)
