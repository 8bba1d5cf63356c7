"""Encoding one word with a vocabulary of any ids: by ranks of pairs, or by ranks of what two neighbours make.

    merges             (b, c) 0   (a, b) 1   (ab, c) 2   (a, bc) 3         the place in the list is the rank
    a b c              rank 0 is possible: b and c
    a bc               rank 3 is possible
    abc

One merge at a time, the lowest rank that is possible anywhere, the leftmost of equals. That it is one at a time matters
here: a merge may make a pair possible whose rank is lower than its own, and then this pair comes next. In a list that
training made this never happens.

``kernels.merging`` does the same for words, on tables that ``tables.vocabulary_tables`` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from minbpe_course.model import VocabularyModel

Rank = float
Rule = Callable[[bytes, bytes], Rank]
NEVER = float("inf")
NO_RANK = 2**32 - 1


def pair_rule(model: VocabularyModel) -> Rule:
    """How the merges of a vocabulary rank two neighbours: by the last place of the pair in the list.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> pair_rule(VocabularyModel(tokens, [(97, 98, 256)]))(b"a", b"b")
    0
    """
    token = model.token_bytes
    ranks = {(token[left], token[right]): rank for rank, (left, right, _) in enumerate(model.merges or ())}
    return lambda left, right: ranks.get((left, right), NEVER)


def byte_rule(ranks: Mapping[bytes, int]) -> Rule:
    """How tiktoken ranks two neighbours: by the id of the token that their joined bytes are.

    The last id of all, 2**32 - 1, is its word for "no rank": nothing merges into it.

    >>> byte_rule({b"ab": 7})(b"a", b"b"), byte_rule({b"ab": 7})(b"b", b"a")
    (7, inf)
    """
    mergeable = {token: rank for token, rank in ranks.items() if rank != NO_RANK}
    return lambda left, right: mergeable.get(left + right, NEVER)


def merge_steps(word: bytes, rule: Rule) -> Iterator[list[bytes]]:
    """Yield the parts of a word before the first merge and after each one.

    >>> list(merge_steps(b"abab", byte_rule({b"ab": 7})))
    [[b'a', b'b', b'a', b'b'], [b'ab', b'a', b'b'], [b'ab', b'ab']]
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    yield list(parts)
    while len(parts) > 1:
        ranks = [rule(left, right) for left, right in pairwise(parts)]
        lowest = min(ranks)
        if lowest == NEVER:
            return
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        yield list(parts)


def encode_word(word: bytes, model: VocabularyModel) -> list[int]:
    """Return the ids of one word.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {7000: b"ab", 300: b"abc"}
    >>> model = VocabularyModel(tokens, [(97, 98, 7000)])
    >>> encode_word(b"abc", model), encode_word(b"abcd", model)
    ([300], [7000, 99, 100])
    """
    if model.whole_words and word in model.ranks:
        return [model.ranks[word]]
    rule = byte_rule(model.ranks) if model.merges is None else pair_rule(model)
    *_, parts = merge_steps(word, rule)
    return [model.ranks[part] for part in parts]
