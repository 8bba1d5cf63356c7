"""BPE-dropout: encode a word while leaving out merges at random, so that a model sees the same word in several ways.

    l o w e r     possible: (l, o) 256, (w, e) 257, (e, r) 258. Draw for each, best first, until one is kept
    l o we r      256 was dropped, 257 kept
    lo we r       draw anew for all that is possible now: 256 was kept, and no pair is left

One step makes one merge: the best that was kept, leftmost first. If all were dropped, the word is finished. So
dropout 0 is BPE, and dropout 1 leaves single bytes. Programs differ in what becomes of a dropped merge:

    the paper, this file     the next step draws for it again
    sentencepiece            it is never tried again: ``once=True``. Fewer merges are made at the same dropout
    subword-nmt              as in the paper, but a step merges every occurrence of the best pair that was kept
    tokenizers               as in the paper, but a kept entry of its queue that is out of date also begins a new step

Source: Provilkov, Emelianenko and Voita, "BPE-Dropout: Simple and Effective Subword Regularization" (2020),
https://arxiv.org/abs/1910.13267, algorithm 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.pairs import Pair


def possible_merges(ids: Sequence[int], merges: Mapping[Pair, int]) -> list[tuple[int, int]]:
    """Return each merge that is possible now as (new id, place of its left half), best first.

    >>> possible_merges(b"abab", {(97, 98): 257, (98, 97): 256})
    [(256, 1), (257, 0), (257, 2)]
    """
    return sorted((merges[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in merges)


def encode_with_dropout(
    word: bytes, merges: Mapping[Pair, int], dropout: float, random: Random, *, once: bool = False
) -> list[int]:
    """Return the ids of one word, each possible merge of each step dropped with probability ``dropout``.

    merges : pair -> new id; the smaller id merges first. once : a merge that was dropped is never tried again at its
    place, unless one of its halves changes. Raises InvalidOption if ``dropout`` is outside 0 to 1.

    >>> merges = {(108, 111): 256, (119, 101): 257, (257, 114): 258, (256, 258): 259}
    >>> luck = Random(1)
    >>> [encode_with_dropout(b"lower", merges, 0.5, luck) for _ in range(3)]
    [[256, 257, 114], [108, 111, 119, 101, 114], [256, 257, 114]]
    >>> encode_with_dropout(b"lower", merges, 0, luck), encode_with_dropout(b"low", merges, 1, luck)
    ([259], [108, 111, 119])
    """
    if not 0 <= dropout <= 1:
        raise InvalidOption(f"dropout={dropout!r} is not a probability. Choose a number from 0 to 1, such as 0.1.")
    ids = list(word)
    dropped = [False] * len(ids)  # whether the pair that begins at each place was dropped
    while True:
        if not once:
            dropped = [False] * len(ids)
        for new_id, at in possible_merges(ids, merges):
            if not dropped[at] and random.random() >= dropout:
                ids, dropped = _merged(ids, dropped, at, new_id)
                break
            dropped[at] = True
        else:
            return ids


def segmentation_chances(
    word: bytes, merges: Mapping[Pair, int], dropout: float, *, once: bool = False
) -> dict[tuple[int, ...], float]:
    """Return every encoding that ``encode_with_dropout`` can draw, with its exact probability.

    States that several routes reach are followed once, shorter ones later. Limits: short words; the number of encodings
    can double with every byte.

    >>> merges = {(97, 98): 256, (256, 99): 257}
    >>> segmentation_chances(b"abc", merges, 0.25)
    {(97, 98, 99): 0.25, (256, 99): 0.1875, (257,): 0.5625}
    """
    chances: dict[tuple[int, ...], float] = defaultdict(float)
    states = {(tuple(word), (False,) * len(word)): 1.0}
    while states:
        shorter: dict[tuple[tuple[int, ...], tuple[bool, ...]], float] = defaultdict(float)
        for (ids, before), chance in states.items():
            dropped = list(before) if once else [False] * len(ids)
            for new_id, at in possible_merges(ids, merges):
                if not dropped[at]:
                    merged = _merged(ids, dropped, at, new_id)
                    shorter[tuple(merged[0]), tuple(merged[1])] += chance * (1 - dropout)
                    chance *= dropout
                    dropped[at] = True
            chances[ids] += chance
        states = {state: chance for state, chance in shorter.items() if chance}
    return {ids: chance for ids, chance in chances.items() if chance}


def _merged(ids: Sequence[int], dropped: Sequence[bool], at: int, new_id: int) -> tuple[list[int], list[bool]]:
    """Return the ids after one merge; the two pairs that contain the new id have not been dropped."""
    after = [*dropped[:at], False, *dropped[at + 2 :]]
    if at:
        after[at - 1] = False
    return [*ids[:at], new_id, *ids[at + 2 :]], after
