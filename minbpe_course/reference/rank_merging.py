"""Merging by ranks: two neighbours merge when their joined bytes are a token, the one with the lowest rank first.

    w o r l d        ranks: or 272   ld 326   orld 1764   world 14957
    w or l d         "or" has the lowest rank
    w or ld          then "ld"
    w orld           then "orld"
    world            then "world", and nothing is left to merge

tiktoken keeps no list of merges: a dictionary from the bytes of tokens to their ranks is the whole vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import inf


def rank_merge_steps(word: bytes, ranks: Mapping[bytes, int], below: float = inf) -> Iterator[list[bytes]]:
    """Yield the parts of ``word`` before the first merge and after each one; of equal ranks the leftmost merges first.

    below : only merges with a smaller rank are made.

    >>> for parts in rank_merge_steps(b"abab", {b"ab": 256, b"abab": 257}):
    ...     print(parts)
    [b'a', b'b', b'a', b'b']
    [b'ab', b'a', b'b']
    [b'ab', b'ab']
    [b'abab']
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    yield list(parts)
    while True:
        joined = [left + right for left, right in pairwise(parts)]
        possible = [(ranks[both], at) for at, both in enumerate(joined) if ranks.get(both, inf) < below]
        if not possible:
            return
        _, at = min(possible)
        parts[at : at + 2] = [joined[at]]
        yield list(parts)


def merge_by_rank(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the ids of one word by merging alone, even where the word itself is a token.

    >>> merge_by_rank(b"aab", {b"a": 0, b"b": 1, b"ab": 2, b"aab": 3})
    [3]
    >>> merge_by_rank(b"aab", {b"a": 0, b"b": 1, b"aa": 2, b"aaab": 3})
    [2, 1]
    """
    *_, parts = rank_merge_steps(word, ranks)
    return [ranks[part] for part in parts]
