"""``minbpe.gpt4``: GPT4Tokenizer, and merges recovered from ranks.

Where minbpe fails an assertion, a named error is raised, which is an AssertionError too.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from minbpe_course import vocabularies
from minbpe_course.errors import InvalidModel
from minbpe_course.reference.pairs import Pair
from minbpe_course.reference.rank_merging import rank_merge_steps
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.gpt import GPT4Tokenizer
from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

__all__ = ["GPT4_SPECIAL_TOKENS", "GPT4_SPLIT_PATTERN", "GPT4Tokenizer", "RegexTokenizer", "bpe", "recover_merges"]

GPT4_SPECIAL_TOKENS: dict[str, int] = dict(vocabularies.passport("cl100k_base")["special_tokens"])


def bpe(mergeable_ranks: Mapping[bytes, int], token: bytes, max_rank: int | None = None) -> list[bytes]:
    """Return the parts of ``token`` when only merges below ``max_rank`` have been made.

    >>> bpe({b"ab": 256, b"abc": 257}, b"abc", max_rank=257)
    [b'ab', b'c']
    """
    *_, parts = rank_merge_steps(token, mergeable_ranks, inf if max_rank is None else max_rank)
    return parts


def recover_merges(mergeable_ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Return pair -> id for every token of several bytes, in the order of ``mergeable_ranks``.

    Raises InvalidModel for a token that the merges before it leave in more or fewer than two parts.

    >>> recover_merges({b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4})
    {(0, 1): 3, (3, 2): 4}
    """
    merges = {}
    for token, rank in mergeable_ranks.items():
        if len(token) == 1:
            continue
        parts = bpe(mergeable_ranks, token, max_rank=rank)
        if len(parts) != 2:
            raise InvalidModel(f"{token!r} (rank {rank}) is in {len(parts)} parts before it is merged, {parts!r:.200}.")
        merges[mergeable_ranks[parts[0]], mergeable_ranks[parts[1]]] = rank
    return merges
