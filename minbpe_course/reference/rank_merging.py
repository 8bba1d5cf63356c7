"""Merging by ranks: two neighbours merge when their joined bytes are a token, the one with the lowest rank first.

    w o r l d        ranks: or 272   ld 326   orld 1764   world 14957
    w or l d         "or" has the lowest rank
    w or ld          then "ld"
    w orld           then "orld"
    world            then "world", and nothing is left to merge

tiktoken keeps no list of merges: a dictionary from the bytes of tokens to their ranks is the whole vocabulary. A
tokenizer.json has a list, in which the position of a pair is its rank; ``encode_word`` follows either rule.

One merge is done at a time, the lowest rank first, the leftmost of equals. In a list that was not trained, a merge can
make a pair possible whose rank is lower than its own, and then that pair comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import inf

from minbpe_course.model import VocabularyModel

NO_RANK = 2**32 - 1
"""The largest id, which is tiktoken's way to say "no rank": nothing merges into it."""


def merge_steps(word: bytes, rank_of: Callable[[bytes, bytes], float]) -> Iterator[list[bytes]]:
    """Yield the parts of ``word`` before the first merge and after each one.

    rank_of : (left, right) -> rank, infinity if the two do not merge.

    >>> list(merge_steps(b"aab", lambda left, right: 7 if left + right == b"ab" else inf))
    [[b'a', b'a', b'b'], [b'a', b'ab']]
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    yield list(parts)
    while len(parts) > 1:
        ranks = [rank_of(left, right) for left, right in pairwise(parts)]
        lowest = min(ranks)
        if lowest == inf:
            return
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        yield list(parts)


def rank_merge_steps(word: bytes, ranks: Mapping[bytes, int], below: float = inf) -> Iterator[list[bytes]]:
    """Yield the parts of ``word`` before the first merge and after each one, by tiktoken's rule.

    below : only merges with a smaller rank are made.

    >>> for parts in rank_merge_steps(b"abab", {b"ab": 256, b"abab": 257}):
    ...     print(parts)
    [b'a', b'b', b'a', b'b']
    [b'ab', b'a', b'b']
    [b'ab', b'ab']
    [b'abab']
    """

    def rank_of(left: bytes, right: bytes) -> float:
        rank = ranks.get(left + right, inf)
        return rank if rank < below else inf

    return merge_steps(word, rank_of)


def merge_by_rank(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the ids of one word by merging alone, even where the word itself is a token.

    >>> merge_by_rank(b"aab", {b"a": 0, b"b": 1, b"ab": 2, b"aab": 3})
    [3]
    >>> merge_by_rank(b"aab", {b"a": 0, b"b": 1, b"aa": 2, b"aaab": 3})
    [2, 1]
    """
    *_, parts = rank_merge_steps(word, ranks)
    return [ranks[part] for part in parts]


def encode_word(word: bytes, model: VocabularyModel) -> list[int]:
    """Return the ids of one word, by the merges of a vocabulary or, without merges, by tiktoken's rule.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {7000: b"ab", 300: b"abc"}
    >>> model = VocabularyModel(tokens, [(97, 98, 7000)])
    >>> encode_word(b"abc", model), encode_word(b"abcd", model)
    ([300], [7000, 99, 100])
    """
    if model.whole_words and word in model.ranks:
        return [model.ranks[word]]
    if model.merges is None:
        *_, parts = rank_merge_steps(word, model.ranks, NO_RANK)
    else:
        token = model.token_bytes
        # Of a pair that is listed twice, the last position counts.
        positions = {(token[left], token[right]): place for place, (left, right, _) in enumerate(model.merges)}
        *_, parts = merge_steps(word, lambda left, right: positions.get((left, right), inf))
    return [model.ranks[part] for part in parts]
