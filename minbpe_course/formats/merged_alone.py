"""What becomes of a token's own bytes when they are merged alone: the question on which two rules agree or differ.

A list of merges and the rule of ranks (neighbours merge when they are a token together, lowest id first) give the same
ids for every text when every token comes out of its own bytes, each is made by one merge, and the merges stand in the
order of the ids. For whatever happens inside a token's stretch of a longer word happens to the token alone, too: two
parts that together are a token can then stand side by side only where the list has that very merge.
"""

from __future__ import annotations

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
        parts = [model.byte_ids[byte] for byte in token]
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min((ranks[pair] for pair in pairs if pair in ranks), default=None)
            if best is None:
                break
            at = next(at for at, pair in enumerate(pairs) if ranks.get(pair) == best)
            parts[at : at + 2] = [best[1]]
        if parts != [token_id]:
            return token_id
    return None


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
