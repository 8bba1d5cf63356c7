"""From ids back to bytes: the bytes of every token laid end to end, and copied from there.

    token_text    ... t h e r e a n d ...       the bytes of all tokens
    token_start       ^   ^     ^               where each id's bytes begin; they end where the next begin

Twin: ``BytePairModel.token_bytes``, which says the same with a dict.
"""

from __future__ import annotations

from minbpe_course.kernels.compiled import compiled


@compiled
def lay_merges(pairs, merge_ids, token_start, token_text):
    """Write the bytes of every merge behind those of the ids it joins.

    pairs : int32[n, 2] · merge_ids : int64[n] · token_start : int64[v + 1], filled here from 257 on · token_text :
    uint8, filled from 256 on, or of size 0 to measure only. Returns how many bytes the tokens take together.
    """
    total = 256
    known = 257
    for merge in range(merge_ids.size):
        token = merge_ids[merge]
        while known <= token:
            token_start[known] = total
            known += 1
        for side in range(2):
            source = pairs[merge, side]
            begin = token_start[source]
            length = token_start[source + 1] - begin
            if token_text.size > 0:
                for at in range(length):
                    token_text[total + at] = token_text[begin + at]
            total += length
        token_start[known] = total
        known += 1
    return total


@compiled
def decode_ids(ids, token_text, token_start, ordinary, out):
    """Write the bytes of ``ids`` (int64[n]) to ``out``; return their number, or ``-1 - k`` when ``ids[k]`` is not
    ordinary.

    ordinary : uint8[v], 1 for ids that have bytes · out : uint8, or of size 0 to measure only.
    """
    total = 0
    for k in range(ids.size):
        token = ids[k]
        if token < 0 or token >= ordinary.size or ordinary[token] == 0:
            return -1 - k
        begin = token_start[token]
        end = token_start[token + 1]
        if out.size > 0:
            for at in range(end - begin):
                out[total + at] = token_text[begin + at]
        total += end - begin
    return total
