"""Count words and note where each first occurs, in the order of first occurrence."""

from __future__ import annotations

from collections.abc import Iterable


def count_words(words: Iterable[bytes]) -> dict[bytes, int]:
    """Count the words.

    >>> count_words([b"a", b" b", b"a"])
    {b'a': 2, b' b': 1}
    """
    counts: dict[bytes, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def first_places(words: Iterable[bytes]) -> dict[bytes, int]:
    """Return how many bytes of words come before the first occurrence of each word.

    >>> first_places([b"a", b" b", b"a"])
    {b'a': 0, b' b': 1}
    """
    firsts: dict[bytes, int] = {}
    place = 0
    for word in words:
        firsts.setdefault(word, place)
        place += len(word)
    return firsts
