"""The functions beside minbpe's classes, for programs that import them: ``minbpe.base`` and ``minbpe.gpt4``.

    get_stats(ids, counts)   merge(ids, pair, idx)        the two verbs; those of ``reference.pairs``
    render_token(token)      replace_control_characters   a token as a person may see it in one line
    bpe(ranks, token, max_rank)     recover_merges(ranks)        merges from ranks

Results are those of minbpe; what it ends with an assertion raises a named error that is one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from math import inf

from minbpe_course import vocabularies
from minbpe_course.errors import ContradictoryVocabulary
from minbpe_course.reference import pairs
from minbpe_course.reference.pairs import Pair, get_stats
from minbpe_course.reference.rank_merging import rank_merge_steps
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN

__all__ = [
    "GPT2_SPLIT_PATTERN",
    "GPT4_SPECIAL_TOKENS",
    "GPT4_SPLIT_PATTERN",
    "bpe",
    "get_stats",
    "merge",
    "recover_merges",
    "render_token",
    "replace_control_characters",
]

GPT4_SPECIAL_TOKENS: dict[str, int] = dict(vocabularies.passport("cl100k_base")["special_tokens"])


def merge(ids: Sequence[int], pair: Pair, idx: int) -> list[int]:
    """Return ``ids`` with every occurrence of ``pair``, taken from left to right, replaced by ``idx``.

    >>> merge([1, 2, 3, 1, 2], (1, 2), idx=4)
    [4, 3, 4]
    """
    return pairs.merge(ids, pair, idx)


def replace_control_characters(s: str) -> str:
    r"""Return text in which characters that do not show (Unicode's category C) are written by their numbers.

    >>> replace_control_characters("a\n\u200bb")
    'a\\u000a\\u200bb'
    """
    return "".join(f"\\u{ord(one):04x}" if unicodedata.category(one).startswith("C") else one for one in s)


def render_token(t: bytes) -> str:
    r"""Return the bytes of a token as text for one line; what is no UTF-8 becomes U+FFFD.

    >>> render_token(b"caf\xc3\n")
    'caf\ufffd\\u000a'
    """
    return replace_control_characters(t.decode("utf-8", errors="replace"))


def bpe(mergeable_ranks: Mapping[bytes, int], token: bytes, max_rank: int | None = None) -> list[bytes]:
    """Return the parts of ``token`` when only merges below ``max_rank`` have been made.

    >>> bpe({b"ab": 256, b"abc": 257}, b"abc", max_rank=257)
    [b'ab', b'c']
    """
    *_, parts = rank_merge_steps(token, mergeable_ranks, inf if max_rank is None else max_rank)
    return parts


def recover_merges(mergeable_ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Return pair -> id for every token of several bytes, in the order of ``mergeable_ranks``.

    Raises ContradictoryVocabulary for a token that the merges before it do not leave in two parts.

    >>> recover_merges({b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4})
    {(0, 1): 3, (3, 2): 4}
    """
    merges = {}
    for token, rank in mergeable_ranks.items():
        if len(token) == 1:
            continue
        parts = bpe(mergeable_ranks, token, max_rank=rank)
        if len(parts) != 2:
            raise ContradictoryVocabulary(
                f"{token!r} (rank {rank}) is in {len(parts)} parts before it is merged, {parts!r:.200}."
            )
        merges[mergeable_ranks[parts[0]], mergeable_ranks[parts[1]]] = rank
    return merges
