"""Parity-aware BPE: the next merge is the commonest pair of the language that is worst off.

    the same sentences    English 18 ids   Greek 31   Tamil 44       Tamil needs the most
    Tamil's training text                                            its commonest pair becomes a token, everywhere
    the same sentences    English 18 ids   Greek 31   Tamil 41       and so on

The tokens that the same sentences need are compared; pairs are counted in the text to learn from, which may be of any
size. A language whose text has no pair that occurs twice is passed over. Ties: the language that is named first, and
the pair that is seen first.

Limits: everything is counted again before each merge. The paper's hybrid, which begins with merges of plain BPE, and
its variant with a window are not here.

Source: Foroutan et al., "Parity-Aware Byte-Pair Encoding" (2025), https://arxiv.org/abs/2508.04796.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from minbpe_course.reference.pairs import Pair, get_stats, merge

Words = Sequence[tuple[Sequence[int], int]]  # ids, and how often the word occurs


def worst_off(
    training: Mapping[str, Words], parallel: Mapping[str, Sequence[Sequence[int]]]
) -> tuple[str, Pair] | None:
    """Return the language that needs the most ids for the same sentences, and its commonest pair; None if none is left.

    >>> worst_off({"one": [([1, 2], 9)], "two": [([3, 4, 5], 2), ([4, 5], 1)]}, {"one": [[1]], "two": [[3], [4, 5]]})
    ('two', (4, 5))
    """
    for language in sorted(parallel, key=lambda name: -sum(map(len, parallel[name]))):
        counts: dict[Pair, int] = {}
        for ids, count in training[language]:
            get_stats(ids, counts, count)
        pair = max(counts, key=counts.__getitem__, default=None)
        if pair is not None and counts[pair] >= 2:
            return language, pair
    return None


def parity_steps(
    training: Mapping[str, Mapping[bytes, int]],
    parallel: Mapping[str, Sequence[bytes]],
    number: int,
    choose: Callable[[Any, Any], tuple[str, Pair] | None] = worst_off,
) -> Iterator[tuple[str, Pair]]:
    """Yield up to ``number`` merges, each with the language for which it was chosen.

    training : how often each word occurs, by language. parallel : the words of the same sentences, by language.
    choose : a function to use in place of ``worst_off``.

    >>> list(parity_steps({"one": {b"ab": 9}, "two": {b"cde": 2}}, {"one": [b"ab"], "two": [b"cde", b"cd"]}, 2))
    [('two', (99, 100)), ('two', (256, 101))]
    """
    learn = {name: [(list(word), count) for word, count in words.items()] for name, words in training.items()}
    judge = {name: [list(word) for word in words] for name, words in parallel.items()}
    for new_id in range(256, 256 + number):
        found = choose(learn, judge)
        if found is None:
            return
        yield found
        pair = found[1]
        for words in learn.values():
            words[:] = [(merge(ids, pair, new_id) if pair[0] in ids else ids, count) for ids, count in words]
        for sentence in judge.values():
            sentence[:] = [merge(ids, pair, new_id) if pair[0] in ids else ids for ids in sentence]
