"""Fewest tokens and longest match, compared with all segmentations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

from minbpe_course.errors import UnknownToken
from minbpe_course.reference.fewest_tokens import fewest_tokens, longest_match


def segmentations(word: bytes) -> Iterator[list[bytes]]:
    """Yield all ways to cut a word."""
    for number in range(len(word)) if word else ():
        for cuts in combinations(range(1, len(word)), number):
            yield [word[begin:end] for begin, end in pairwise([0, *cuts, len(word)])]
    if not word:
        yield []


def small_cases() -> Iterator[tuple[bytes, dict[bytes, int]]]:
    """Yield 3,000 words of two or three letters with vocabularies; one in ten lacks a letter."""
    rng = random.Random(19)
    for number in range(3_000):
        letters = b"abc"[: rng.choice((2, 2, 3))]
        word = bytes(rng.choices(letters, k=rng.randrange(9)))
        longer = {bytes(rng.choices(letters, k=rng.choice((2, 2, 3, 3, 4)))) for _ in range(rng.randrange(8))}
        tokens = {letters[at : at + 1] for at in range(len(letters))} | longer
        if number % 10 == 9:
            tokens.discard(b"b")
        yield word, {token: at for at, token in enumerate(sorted(tokens))}


@pytest.mark.medium
def test_all_segmentations() -> None:
    """Both are the best of all ways: in number with the longest tokens at the end, or with the longest at the front."""
    missing = 0
    for word, vocabulary in small_cases():
        ways = [way for way in segmentations(word) if all(token in vocabulary for token in way)]
        if not ways:
            missing += 1
            with pytest.raises(UnknownToken):
                fewest_tokens(word, vocabulary)
            with pytest.raises(UnknownToken):
                longest_match(word, vocabulary)
            continue
        fewest = max(ways, key=lambda way: (-len(way), [len(token) for token in reversed(way)]))
        assert fewest_tokens(word, vocabulary) == [vocabulary[token] for token in fewest]
        if all(bytes([byte]) in vocabulary for byte in word):
            longest = max(ways, key=lambda way: [len(token) for token in way])
            assert longest_match(word, vocabulary) == [vocabulary[token] for token in longest]
    assert missing > 30
