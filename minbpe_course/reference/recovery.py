"""Recover the merges of a vocabulary from its ranks.

A ``.tiktoken`` file says which byte strings are tokens and in which order they were learned, not which two tokens each
was made of. The order is enough: when a token was learned, every earlier merge had been applied to it already, and two
parts were left.

    the          rank 3086       t h e       with ranks below 3086 only (o200k_base)
                                 t he        "he", 273, merges first
                                             two parts are left: the merge was (t, he)

Limits: this holds for vocabularies that byte pair encoding trained. A token that was added by hand may be left in three
parts that no earlier merge joins, and then its merge cannot be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from minbpe_course.errors import UnsupportedModel
from minbpe_course.reference.rank_merging import rank_merge_steps

Ranks = Mapping[bytes, int]


@dataclass(frozen=True)
class MergeTree:
    """How a token came to be: its bytes, its id, and the two trees it was merged from (none for a single byte)."""

    token: bytes
    token_id: int
    parts: tuple[MergeTree, ...] = ()


def split_token(token: bytes, ranks: Ranks) -> tuple[bytes, bytes]:
    """Return the two tokens that ``token`` was merged from.

    Raises UnsupportedModel when the merges before it do not leave exactly two parts.

    >>> split_token(b"the", {b"t": 0, b"h": 1, b"e": 2, b"he": 256, b"the": 257})
    (b't', b'he')
    """
    *_, parts = rank_merge_steps(token, ranks, ranks[token])
    if len(parts) != 2:
        raise UnsupportedModel(
            f"{token!r} (rank {ranks[token]}) does not come from one merge: the tokens learned before it "
            f"leave {len(parts)} parts, {parts!r:.200}.\nIt was probably added by hand. Such a vocabulary encodes by "
            "looking up bytes: Encoding(name, pat_str=..., mergeable_ranks=..., special_tokens={})."
        )
    left, right = parts
    if max(ranks[left], ranks[right]) > ranks[token]:
        raise UnsupportedModel(
            f"{token!r} has rank {ranks[token]}, below the rank of one of its parts, {left!r} and {right!r}."
        )
    return left, right


def recover_merges(mergeable_ranks: Ranks) -> list[tuple[int, int]]:
    """Return the pairs of a vocabulary in the order in which they were learned.

    ``mergeable_ranks`` maps the bytes of every ordinary token to its id and holds all 256 single bytes; ids may have
    holes. Raises UnsupportedModel at the first token, by rank, that cannot be recovered.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b"the": 257}
    >>> recover_merges(ranks)
    [(104, 101), (116, 256)]
    """
    byte_order(mergeable_ranks)
    by_rank = sorted(mergeable_ranks, key=mergeable_ranks.__getitem__)
    for token, following in pairwise(by_rank):
        if mergeable_ranks[token] == mergeable_ranks[following]:
            raise UnsupportedModel(f"{token!r} and {following!r} share the rank {mergeable_ranks[token]}.")
    halves = (split_token(token, mergeable_ranks) for token in by_rank if len(token) != 1)
    return [(mergeable_ranks[left], mergeable_ranks[right]) for left, right in halves]


def byte_order(mergeable_ranks: Ranks) -> bytes:
    """Return the byte that each of the ids 0..255 stands for.

    Raises UnsupportedModel unless the single bytes have exactly those ids.

    >>> byte_order({bytes([255 - i]): i for i in range(256)})[:3]
    b'\\xff\\xfe\\xfd'
    """
    order = bytearray(256)
    missing = [byte for byte in range(256) if not 0 <= mergeable_ranks.get(bytes([byte]), -1) < 256]
    if missing:
        raise UnsupportedModel(
            f"byte 0x{missing[0]:02X} has no id from 0 to 255 here ({len(missing)} of the 256 bytes have none). "
            "A byte-level vocabulary gives its first 256 ids to the single bytes."
        )
    for byte in range(256):
        order[mergeable_ranks[bytes([byte])]] = byte
    if len(set(order)) != 256:
        raise UnsupportedModel("two single bytes share an id, so one of the ids from 0 to 255 stands for no byte.")
    return bytes(order)


def merge_tree(token: bytes, ranks: Ranks) -> MergeTree:
    """Return the tree of merges that made ``token``, down to its bytes. Raises UnsupportedModel if it has no merge.

    >>> tree = merge_tree(b"the", {b"t": 0, b"h": 1, b"e": 2, b"he": 256, b"the": 257})
    >>> [part.token for part in tree.parts]
    [b't', b'he']
    """
    if len(token) == 1:
        return MergeTree(token, ranks[token])
    left, right = split_token(token, ranks)
    return MergeTree(token, ranks[token], (merge_tree(left, ranks), merge_tree(right, ranks)))
